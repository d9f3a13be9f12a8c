// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player/presentation.h"

#include "gui/view/paint/flow_layout.h"
#include "gui/window/widgets/actions.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace lhrs::gui {

// ---- the second click

bool SecondClick::mayDo(const QString& what, double now)
{
    const bool isSecond = isWaiting(now) && m_what == what;
    m_what = isSecond ? QString() : what;
    m_until = now + kPatience;
    return isSecond;
}

// ---- darkness

BlankScreen::BlankScreen(QWidget* over) : QWidget(over)
{
    setObjectName(QStringLiteral("blankScreen"));
    setAccessibleName(tr("The screen is blank"));
    over->installEventFilter(this);
    hide();
}

void BlankScreen::setOn(bool on)
{
    setGeometry(parentWidget()->rect());
    setVisible(on);
    if (on)
        raise();
}

bool BlankScreen::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && isVisible())
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

void BlankScreen::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), Qt::black); }

// ---- the presenter's window

// A window without a parent: a child of the main window would stay in front of it on the same screen.
NotesWindow::NotesWindow(const Actions& actions)
{
    setAttribute(Qt::WA_QuitOnClose, false);
    setAttribute(Qt::WA_ShowWithoutActivating);
    setObjectName(QStringLiteral("notesWindow"));
    setWindowTitle(tr("LHRS Lab: presenter's notes"));
    auto* inside = new QWidget;
    auto* box = new QVBoxLayout(inside);
    const auto heading = [&](const QString& words) {
        auto* label = new QLabel(words, inside);
        m_headings.push_back(label);
        box->addWidget(label);
    };
    m_clock = new QLabel(inside);
    m_clock->setObjectName(QStringLiteral("notesClock"));
    m_clock->setAccessibleName(tr("Time since the beginning, and time of day"));
    box->addWidget(m_clock);
    heading(tr("Now"));
    m_step = paragraph(box, "notesStep", tr("Step that is shown"));
    m_notes = paragraph(box, "notesNow", tr("Notes"));
    heading(tr("Next"));
    m_next = paragraph(box, "notesNext", tr("Next step"));
    m_nextNotes = paragraph(box, "notesThen", tr("Notes of the next step"));
    heading(tr("Armed faults"));
    m_faults = paragraph(box, "notesFaults", tr("Armed faults"));
    box->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(inside);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* row = new QWidget(this);
    auto* flow = new FlowLayout(row, 8);
    flow->setContentsMargins(12, 6, 12, 10);
    for (const char* id : { "nextStep", "formerMarker", "blank", "healAll", "swapScreens", "stopPresenting" }) {
        QAction* action = actions.get(id);
        auto* made = new QPushButton(action->text(), row);
        made->setObjectName(QStringLiteral("notes_") + QLatin1String(id));
        made->setToolTip(action->toolTip());
        made->setEnabled(action->isEnabled());
        connect(made, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, made, [made, action] { made->setEnabled(action->isEnabled()); });
        flow->addWidget(made);
        m_buttons.push_back(made);
    }
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(scroll, 1);
    all->addWidget(row);
    for (QAction* action : actions.all())
        addAction(action);
    setFocusPolicy(Qt::StrongFocus);
    setWords({});
}

QLabel* NotesWindow::paragraph(QVBoxLayout* box, const char* id, const QString& name)
{
    auto* label = new QLabel(box->parentWidget());
    label->setObjectName(QLatin1String(id));
    label->setAccessibleName(name);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    box->addWidget(label);
    return label;
}

void NotesWindow::setWords(const PresenterWords& words)
{
    if (words == m_words && !m_step->text().isEmpty())
        return;
    m_words = words;
    const auto list = [](const QStringList& lines) { return lines.join(QStringLiteral("\n")); };
    m_clock->setText(
        words.elapsed.isEmpty() ? words.clock : QStringLiteral("%1      %2").arg(words.elapsed, words.clock));
    m_step->setText(words.step.isEmpty() ? tr("No step yet.") : words.step);
    m_notes->setText(words.notes.isEmpty() ? words.caption : list(words.notes));
    m_next->setText(words.next.isEmpty() ? tr("No further step.") : words.next);
    m_nextNotes->setText(list(words.nextNotes));
    m_nextNotes->setVisible(!words.nextNotes.isEmpty());
    m_faults->setText(words.faults.isEmpty() ? tr("None: nothing is broken on purpose.") : list(words.faults));
}

void NotesWindow::setTheme(const Theme& theme)
{
    m_clock->setFont(theme.font({ TextSize::Caption, true }));
    for (QLabel* label : m_headings)
        label->setFont(theme.font({ TextSize::Small, true }));
    for (QLabel* label : { m_step, m_next })
        label->setFont(theme.font({ TextSize::Title, true }));
    for (QLabel* label : { m_notes, m_nextNotes, m_faults })
        label->setFont(theme.font({ TextSize::Strong }));
}

void NotesWindow::keyPressEvent(QKeyEvent* event) { emit keyPressed(event); }

} // namespace lhrs::gui
