// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/image_panel.h"

#include "gui/view/paint/flow_layout.h"
#include "gui/window/widgets/actions.h"

#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QScrollArea>
#include <QVBoxLayout>

namespace lhrs::gui {

ImagePanel::ImagePanel(const Pacer& pacer, Selection& selection, Actions& actions, QWidget* parent)
    : QWidget(parent), m_view(new ImageView(pacer, selection, this)), m_scroll(new QScrollArea(this)),
      m_key(new QLineEdit(this))
{
    setObjectName(QStringLiteral("imagePanel"));
    m_scroll->setWidget(m_view);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_key->setObjectName(QStringLiteral("tryKey"));
    m_key->setPlaceholderText(tr("try a key"));
    m_key->setAccessibleName(tr("Key whose path is worked out; nothing is sent"));
    m_key->setToolTip(tr("A key whose path is worked out by image and by file; nothing is sent (Alt+K)"));
    m_key->setClearButtonEnabled(true);
    m_key->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{0,20}")), m_key));
    auto* bar = new QWidget(this);
    auto* flow = new FlowLayout(bar, 4);
    flow->setContentsMargins(6, 4, 6, 2);
    flow->addWidget(m_key);
    for (const auto& [id, words] : { std::pair("sendKey", tr("Search it")), std::pair("forgetImage", tr("Forget")),
             std::pair("imageAdjusting", tr("Adjusting")), std::pair("imageFrozen", tr("Frozen")),
             std::pair("imageExact", tr("Exact")) }) {
        QAction* action = actions.get(id);
        auto* made = new QPushButton(words, this);
        made->setObjectName(QLatin1String(id) + QStringLiteral("Here"));
        const auto followAction = [made, action] {
            made->setEnabled(action->isEnabled());
            made->setToolTip(action->toolTip());
        };
        followAction();
        connect(made, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, made, followAction);
        flow->addWidget(made);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(m_scroll, 1);
    connect(m_key, &QLineEdit::textChanged, this, &ImagePanel::follow);
    connect(m_key, &QLineEdit::returnPressed, actions.get("sendKey"), [&actions] {
        if (actions.get("sendKey")->isEnabled())
            actions.get("sendKey")->trigger();
    });
}

std::optional<std::uint64_t> ImagePanel::key() const
{
    bool isNumber = false;
    const qulonglong key = m_key->text().toULongLong(&isNumber);
    return isNumber ? std::optional<std::uint64_t>(key) : std::nullopt;
}

void ImagePanel::follow() { m_view->tryKey(key()); }

void ImagePanel::focusKey()
{
    m_key->setFocus(Qt::ShortcutFocusReason);
    m_key->selectAll();
}

void ImagePanel::setTheme(const Theme& theme)
{
    m_view->setTheme(theme);
    m_key->setFixedWidth(int(theme.px(150)));
}

} // namespace lhrs::gui
