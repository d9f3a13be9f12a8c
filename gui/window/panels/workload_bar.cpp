// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/panels/workload_bar.h"

#include "gui/view/paint/display_list.h"
#include "gui/view/paint/flow_layout.h"
#include "gui/view/paint/number_box.h"
#include "gui/window/widgets/actions.h"

#include <QComboBox>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

#include <algorithm>

namespace lhrs::gui {

WorkloadBar::WorkloadBar(Actions& actions, QWidget* parent)
    : QWidget(parent), m_client(new QComboBox(this)), m_count(new WholeBox(this)), m_window(new WholeBox(this))
{
    setObjectName(QStringLiteral("workloadBar"));
    auto* flow = new FlowLayout(this, 6);
    flow->setContentsMargins(10, 3, 10, 2);
    m_client->setObjectName(QStringLiteral("client"));
    m_client->setAccessibleName(tr("Client that does the work"));
    m_client->setToolTip(tr("The client that does the work"));
    m_client->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_count->setObjectName(QStringLiteral("count"));
    m_count->setRange(1, 10'000'000);
    m_count->setValue(20);
    m_count->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    m_count->setAccessibleName(tr("Number of operations"));
    m_count->setToolTip(tr("Number of operations"));
    m_window->setObjectName(QStringLiteral("window"));
    m_window->setRange(1, 1024);
    m_window->setSuffix(tr(" at once"));
    m_window->setAccessibleName(tr("Operations under way at the same time"));
    m_window->setToolTip(tr("Operations under way at the same time; 1: each waits for the answer to the one before"));
    flow->addWidget(m_client);
    flow->addWidget(m_count);
    flow->addWidget(m_window);
    for (QSpinBox* field : { m_count, m_window })
        field->installEventFilter(this);
    for (const Button& button : { Button { "insert", Glyph::Operation }, { "update", Glyph::Change, {}, 5 },
             { "search", Glyph::Image, {}, 6 }, { "delete", Glyph::Cross, {}, 2 },
             { "stopWorkload", Glyph::Stop, {}, 1 }, { "secondClient", Glyph::Recruit, tr("Client") } })
        add(actions, button);
    setClients({});
}

void WorkloadBar::add(Actions& actions, const Button& button)
{
    QAction* action = actions.get(button.id);
    auto* made = new QPushButton(action->text(), this);
    made->setObjectName(QLatin1String(button.id) + QStringLiteral("Button"));
    made->setToolTip(action->toolTip());
    made->setEnabled(action->isEnabled());
    connect(made, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, made, [made, action] {
        made->setEnabled(action->isEnabled());
        made->setToolTip(action->toolTip());
    });
    made->setAccessibleName(action->text());
    made->installEventFilter(this);
    m_faces.push_back({ made, action, button.glyph, action->text(),
        button.shorter.isEmpty() ? action->text() : button.shorter, button.iconAlone });
    layout()->addWidget(made);
}

void WorkloadBar::setClients(const std::vector<std::pair<ProcessId, QString>>& clients)
{
    const ProcessId chosen = client();
    const QSignalBlocker quiet(m_client);
    m_client->clear();
    for (const auto& [id, name] : clients)
        m_client->addItem(name, QVariant::fromValue<qulonglong>(id));
    if (clients.empty())
        m_client->addItem(tr("no client"), QVariant::fromValue<qulonglong>(0));
    chooseClient(chosen);
    m_client->setEnabled(!clients.empty());
    layout()->invalidate();
    fit();
}

ProcessId WorkloadBar::client() const { return m_client->currentData().toULongLong(); }

void WorkloadBar::chooseClient(ProcessId client)
{
    const int index = m_client->findData(QVariant::fromValue<qulonglong>(client));
    if (index >= 0)
        m_client->setCurrentIndex(index);
}

Work WorkloadBar::work(pb::OperationKind kind) const
{
    return { kind, std::uint64_t(m_count->value()), std::uint32_t(m_window->value()) };
}

void WorkloadBar::fit()
{
    const auto isTooWide = [this] { return static_cast<FlowLayout*>(layout())->oneRowWidth() > width(); };
    for (const Face& face : m_faces)
        face.button->setText(face.words);
    if (!isTooWide())
        return;
    for (const Face& face : m_faces)
        face.button->setText(face.shorter);
    std::vector<const Face*> icons;
    for (const Face& face : m_faces)
        if (face.iconAlone > 0)
            icons.push_back(&face);
    std::sort(icons.begin(), icons.end(), [](const Face* x, const Face* y) { return x->iconAlone < y->iconAlone; });
    for (std::size_t i = 0; i < icons.size() && isTooWide(); ++i)
        icons[i]->button->setText({});
}

void WorkloadBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

bool WorkloadBar::eventFilter(QObject* watched, QEvent* event)
{
    const QEvent::Type type = event->type();
    // Ctrl+U is an update even if a number has just been typed: otherwise the field would handle the key and clear
    // itself.
    if (type == QEvent::ShortcutOverride && (watched == m_count || watched == m_window)) {
        const QKeySequence pressed(static_cast<QKeyEvent*>(event)->keyCombination());
        const auto isItsKey = [&pressed](const Face& f) { return f.action->shortcuts().contains(pressed); };
        if (std::any_of(m_faces.begin(), m_faces.end(), isItsKey)) {
            event->ignore();
            return true;
        }
    }
    const bool isOn = type == QEvent::Enter
        || (type == QEvent::FocusIn && static_cast<QFocusEvent*>(event)->reason() != Qt::MouseFocusReason);
    const auto face = std::find_if(
        m_faces.begin(), m_faces.end(), [watched](const Face& f) { return f.button == watched; });
    if (face != m_faces.end() && (isOn || type == QEvent::Leave || type == QEvent::FocusOut))
        emit pointed(isOn ? face->action : nullptr);
    return QWidget::eventFilter(watched, event);
}

void WorkloadBar::setTheme(const Theme& theme)
{
    const int pixels = int(theme.px(16));
    for (const Face& face : m_faces) {
        const QColor ink = theme.text;
        QIcon icon(QPixmap::fromImage(glyphImage(face.glyph, ink, pixels)));
        QColor pale = ink;
        pale.setAlpha(110);
        icon.addPixmap(QPixmap::fromImage(glyphImage(face.glyph, pale, pixels)), QIcon::Disabled);
        face.button->setIcon(icon);
        face.button->setIconSize(QSize(pixels, pixels));
    }
    fit();
}

// ---- the line

LabLine::LabLine(QWidget* parent) : QWidget(parent), m_line(new QLabel(this)), m_outcome(new QLabel(this))
{
    setObjectName(QStringLiteral("labLine"));
    m_line->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_line->setAccessibleName(tr("Scenario line of the last command"));
    m_line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_outcome->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_outcome->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* box = new QHBoxLayout(this);
    box->setContentsMargins(12, 2, 12, 2);
    box->addWidget(m_line, 1);
    box->addWidget(m_outcome, 1);
    refreshText();
}

void LabLine::say(const QString& line)
{
    m_preview.clear(); // the result is shown, wherever the mouse is
    m_last = line;
    m_result = QStringLiteral("…");
    m_isGood = true;
    refreshText();
}

void LabLine::answer(const QString& line, const QString& outcome, bool isGood)
{
    m_preview.clear();
    m_last = line;
    m_result = outcome;
    m_isGood = isGood;
    refreshText();
}

void LabLine::preview(const QString& line)
{
    m_preview = line;
    refreshText();
}

QString LabLine::text() const { return m_last + QStringLiteral("  ") + m_result; }

void LabLine::refreshText()
{
    const bool isPreview = !m_preview.isEmpty();
    const QString line = isPreview ? m_preview : m_last;
    const auto wide = [&](const TextStyle& style, const QString& words) {
        return m_theme.metrics(style).horizontalAdvance(words) + m_theme.px(6);
    };
    const TextStyle mono { TextSize::Small, false, true }, plain { TextSize::Small, !m_isGood, false };
    // Line and result share the row: the result gets the width that it needs, up to two thirds.
    const qreal room = std::max(120.0, width() - 40.0);
    const QString outcome = isPreview || line.isEmpty() ? QString() : m_result;
    const qreal right = std::min(wide(plain, outcome), room * 0.66), left = room - right;
    m_line->setText(line.isEmpty() ? tr("Each button is one line of a scenario: it is shown here.")
                                   : m_theme.metrics(mono).elidedText(line, Qt::ElideRight, left));
    m_line->setToolTip(line);
    m_outcome->setText(m_theme.metrics(plain).elidedText(outcome, Qt::ElideRight, right));
    m_outcome->setToolTip(outcome);
    m_outcome->setFont(m_theme.font(plain));
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, m_isGood ? m_theme.text : m_theme.badText);
    m_outcome->setPalette(colours);
    if (auto* box = static_cast<QHBoxLayout*>(layout())) {
        box->setStretch(0, int(left));
        box->setStretch(1, int(right));
    }
}

void LabLine::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_line->setFont(theme.font({ TextSize::Small, false, true }));
    refreshText();
}

} // namespace lhrs::gui
