// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/invariant_panel.h"

#include "gui/view/paint/flow_layout.h"
#include "gui/window/widgets/actions.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace lhrs::gui {

namespace {

constexpr double kShowInvariantsEvery = 0.2; // seconds

} // namespace

InvariantPanel::InvariantPanel(
    const Pacer& pacer, std::function<std::int64_t()> begin, Actions& actions, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_begin(std::move(begin)), m_list(new InvariantList(this)),
      m_summary(new QLabel(this))
{
    setObjectName(QStringLiteral("invariantPanel"));
    m_summary->setObjectName(QStringLiteral("invariantSummary"));
    m_summary->setWordWrap(true);
    auto* bar = new QWidget(this);
    auto* flow = new FlowLayout(bar, 4);
    flow->setContentsMargins(6, 4, 6, 2);
    QAction* audit = actions.get("auditAll");
    auto* button = new QPushButton(tr("Audit"), bar);
    button->setObjectName(QStringLiteral("auditAllHere"));
    QAction* keep = actions.get("keepChecking");
    auto* box = new QCheckBox(tr("keep checking"), bar);
    box->setObjectName(QStringLiteral("keepCheckingHere"));
    const auto follow = [=] {
        button->setEnabled(audit->isEnabled());
        button->setToolTip(audit->toolTip());
        box->setEnabled(keep->isEnabled());
        box->setChecked(keep->isChecked());
        box->setToolTip(keep->toolTip());
    };
    follow();
    connect(audit, &QAction::changed, this, follow);
    connect(keep, &QAction::changed, this, follow);
    connect(button, &QPushButton::clicked, audit, &QAction::trigger);
    connect(box, &QCheckBox::clicked, keep, &QAction::trigger);
    flow->addWidget(button);
    flow->addWidget(box);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(m_summary);
    column->addWidget(m_list, 1);
}

QString InvariantPanel::summary() const
{
    return QString::fromStdString(invariantSummary(m_list->invariantModel().invariants()));
}

bool InvariantPanel::refresh(double seconds)
{
    m_time += seconds;
    if (m_version == m_pacer.version() || m_time - m_shownAt < kShowInvariantsEvery)
        return false;
    m_version = m_pacer.version();
    m_shownAt = m_time;
    m_list->invariantModel().show(m_pacer.state(), m_begin());
    m_summary->setText(summary());
    return false;
}

void InvariantPanel::setTheme(const Theme& theme)
{
    m_list->setTheme(theme);
    m_summary->setFont(theme.font({ TextSize::Strong }));
    m_summary->setMargin(int(theme.px(8)));
    m_version = 0;
}

} // namespace lhrs::gui
