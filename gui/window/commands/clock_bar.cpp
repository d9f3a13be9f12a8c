// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/clock_bar.h"

#include "gui/view/paint/flow_layout.h"
#include "gui/window/widgets/actions.h"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

#include <array>
#include <cmath>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::array kSpeeds { 0.001, 0.01, 0.1, 0.25, 1.0, 10.0, 100.0, 0.0 };

} // namespace

QString speedWords(double factor)
{
    if (factor == 0)
        return ClockBar::tr("as fast as possible");
    return factor == 1 ? ClockBar::tr("as real time") : ClockBar::tr("%1 of real time").arg(factor);
}

ClockBar::ClockBar(Actions& actions, QWidget* parent)
    : QWidget(parent), m_words(new QLabel(this)), m_speed(new QComboBox(this))
{
    setObjectName(QStringLiteral("clockBar"));
    setAccessibleName(tr("Virtual time"));
    auto* flow = new FlowLayout(this, 6);
    flow->setContentsMargins(10, 2, 10, 2);
    m_words->setObjectName(QStringLiteral("virtualTime"));
    flow->addWidget(m_words);
    for (const auto& [id, shorter] : { std::pair("virtualRun", tr("Run")), std::pair("virtualPause", tr("Pause")),
             std::pair("virtualStepEvent", tr("1 event")), std::pair("virtualStepMessage", tr("1 message")),
             std::pair("virtualStepMs", tr("1 ms")) }) {
        QAction* action = actions.get(id);
        auto* button = new QPushButton(action->text(), this);
        button->setObjectName(QLatin1String(id) + QStringLiteral("Button"));
        button->setToolTip(action->toolTip());
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, button, [button, action] { button->setEnabled(action->isEnabled()); });
        button->setAccessibleName(action->text());
        flow->addWidget(button);
        m_faces.push_back({ button, action->text(), shorter });
    }
    m_speed->setObjectName(QStringLiteral("virtualSpeed"));
    m_speed->setAccessibleName(tr("Speed of virtual time"));
    m_speed->setToolTip(tr("How fast virtual time goes"));
    m_speed->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const double speed : kSpeeds)
        m_speed->addItem(speedWords(speed), speed);
    flow->addWidget(m_speed);
    connect(m_speed, &QComboBox::activated, this, [this] { emit speedChosen(speed()); });
    hide();
}

double ClockBar::speed() const { return m_speed->currentData().toDouble(); }

void ClockBar::show(const std::optional<pb::SimulationState>& simulation)
{
    setVisible(simulation.has_value());
    if (!simulation)
        return;
    const QString time = QString::number(double(simulation->virtual_ns()) / 1e9, 'f', 6);
    QString words = tr("SIMULATED, seed %1: %2 s").arg(simulation->seed()).arg(time);
    if (!simulation->plays().empty())
        words += tr(", %1").arg(QString::fromStdString(simulation->plays()));
    if (simulation->is_over())
        words += simulation->violation().empty()
            ? tr(", over: everything held")
            : tr(", over: %1").arg(QString::fromStdString(simulation->violation()));
    const QString paused = tr(", paused");
    const bool goes = !simulation->is_over() && !simulation->is_paused();
    m_words->setText(simulation->is_over() || goes ? words : words + paused);
    // During one run the bar never gets narrower, so that the buttons beside it stay in place while time advances and
    // when it stops.
    const QString run = QString::number(simulation->seed()) + QString::fromStdString(simulation->plays());
    const bool isOther = run != m_run || simulation->virtual_ns() < m_virtualNs || simulation->is_over();
    m_run = run;
    m_virtualNs = simulation->virtual_ns();
    // Measures the text only: the size hint of a label is never smaller than its minimum width.
    const int wanted = m_words->fontMetrics().horizontalAdvance(simulation->is_over() ? words : words + paused) + 2;
    if (wanted > m_words->minimumWidth() || (isOther && wanted < m_words->minimumWidth())) {
        m_words->setMinimumWidth(wanted);
        fit();
        layout()->activate();
    }
    // Shows a speed that was set elsewhere, unless the list is open.
    if (simulation->is_paused() || m_speed->view()->isVisible())
        return;
    const QSignalBlocker quiet(m_speed);
    int known = 0;
    while (known < m_speed->count() && std::abs(m_speed->itemData(known).toDouble() - simulation->factor()) > 1e-9)
        ++known;
    if (known == m_speed->count()) // a script or a command line may set any speed
        m_speed->addItem(speedWords(simulation->factor()), simulation->factor());
    m_speed->setCurrentIndex(known);
}

void ClockBar::fit()
{
    for (const Face& face : m_faces)
        face.button->setText(face.words);
    if (static_cast<FlowLayout*>(layout())->oneRowWidth() <= width())
        return;
    for (const Face& face : m_faces)
        face.button->setText(face.shorter);
}

void ClockBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

QString ClockBar::text() const { return m_words->text(); }

void ClockBar::setTheme(const Theme& theme)
{
    m_words->setFont(theme.font({ TextSize::Small, true, true }));
    m_words->setMinimumSize(0, m_speed->sizeHint().height());
    fit();
}

} // namespace lhrs::gui
