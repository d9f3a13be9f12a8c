// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/show/window_present.h"

#include "gui/view/systems/view_systems.h"
#include "gui/window/widgets/screen_place.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QScreen>
#include <QTime>
#include <QWindow>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr double kScreenNote = 20; // seconds for which a change of screens is reported

// The active injected faults, each as a sentence.
QStringList armedWords(const ClusterState& state)
{
    QStringList words;
    for (const auto& [id, process] : state.processes) {
        const QString name = wordsOf(state).nameOf(state, wordsOf(state).objectOf(state, id));
        for (const auto& [number, fault] : process.faults)
            words << QStringLiteral("%1 %2").arg(name, QString::fromStdString(fault.words));
        if (process.isPaused && !process.hasEnded)
            words << QStringLiteral("%1 is paused").arg(name);
    }
    return words;
}

QString titleOf(const PlannedStep& step) { return step.id.isEmpty() ? step.title : stepWords(step.id, step.title); }

// Where the desktop places windows (Wayland), a position has no effect. A window can choose the screen that it fills
// and its size beside others, both only when it appears.
bool isPlacedByDesktop() { return QGuiApplication::platformName().startsWith(QLatin1String("wayland")); }

} // namespace

WindowPresent::WindowPresent(WindowParts& parts) : WindowSubject(parts)
{
    Actions& a = m_parts.actions;
    a.add({ "present", "View", "Presentation", "F5",
              "Full screen: picture, caption and time line; notes on the other screen", true },
        [this] { set(m_parts.actions.get("present")->isChecked()); });
    a.add({ "stopPresenting", "View", "End the presentation", "Esc",
              "Back from full screen; from a field, the keys go back to the picture; otherwise, while a scenario runs, "
              "asks whether to stop it" },
        [this] {
            const bool hasOther = m_parts.isPresenting || m_parts.actions.get("blank")->isChecked() || leaveField();
            set(false);
            if (!hasOther)
                emit stopAsked();
        });
    a.add({ "blank", "View", "Blank screen", "B",
              "Makes the window dark, so that the hall looks at you; once more: back", true },
        [this] { m_blank->setOn(m_parts.actions.get("blank")->isChecked()); });
    a.add({ "swapScreens", "View", "Swap the screens", "Shift+F5",
              "Shows the presentation on the other screen, and the notes on this one" },
        [this] {
            m_isOnOtherScreen = !m_isOnOtherScreen;
            place();
        });
    m_blank = new BlankScreen(&m_parts.window);
    // Queued: when a screen is removed, Qt moves its windows itself, after this signal.
    for (const auto signal : { &QGuiApplication::screenAdded, &QGuiApplication::screenRemoved })
        connect(qGuiApp, signal, this, &WindowPresent::followScreens, Qt::QueuedConnection);
}

bool WindowPresent::leaveField()
{
    QWidget& window = m_parts.window;
    QWidget* focus = QApplication::focusWidget();
    const bool isField = qobject_cast<QAbstractSpinBox*>(focus) || qobject_cast<QComboBox*>(focus)
        || qobject_cast<QLineEdit*>(focus);
    if (!isField || !window.isAncestorOf(focus))
        return false;
    if (m_parts.canvas.isVisible())
        m_parts.canvas.setFocus();
    else
        focus->clearFocus();
    return true;
}

bool WindowPresent::isSecondClick(const QAction* action)
{
    const ObjectRef object = m_parts.selection.selected();
    const QString what
        = QStringLiteral("%1 %2.%3.%4").arg(action->objectName()).arg(int(object.kind)).arg(object.a).arg(object.b);
    if (m_secondClick.mayDo(what, m_parts.seconds)) {
        m_parts.player.strip().setNotice({});
        return true;
    }
    const QString keys = action->shortcut().toString(QKeySequence::NativeText),
                  name = wordsOf(m_parts.pacer.state()).nameOf(m_parts.pacer.state(), object);
    const QString words = name.isEmpty() ? action->text() : tr("%1, %2").arg(action->text(), name);
    m_parts.player.strip().setNotice(keys.isEmpty() ? tr("%1: once more to do it").arg(words)
                                                    : tr("%1: press %2 once more to do it").arg(words, keys));
    return false;
}

void WindowPresent::set(bool on)
{
    QWidget& window = m_parts.window;
    if (QAction* blank = m_parts.actions.get("blank"); !on && blank->isChecked()) {
        blank->trigger(); // the first key press ends the blank screen
        m_parts.actions.get("present")->setChecked(m_parts.isPresenting);
        return;
    }
    m_parts.actions.get("present")->setChecked(on);
    if (on == m_parts.isPresenting)
        return;
    m_parts.isPresenting = on;
    if (on) {
        m_placeBefore = window.isFullScreen() || window.isMaximized() ? window.normalGeometry() : window.geometry();
        m_workspaceBefore = m_parts.workspaces.now();
        m_parts.workspaces.enter(Workspace::Lecture);
        m_since.start();
        m_notes = std::make_unique<NotesWindow>(m_parts.actions);
        m_notes->setTheme(m_parts.theme);
        connect(m_notes.get(), &NotesWindow::keyPressed, this, &WindowPresent::keyPressed);
        m_parts.actions.setGuard([this](const QAction* action) { return isSecondClick(action); });
    } else {
        m_parts.workspaces.enter(m_workspaceBefore);
        m_parts.actions.setGuard({});
        m_secondClick.forget();
        m_parts.player.strip().setNotice({});
        m_notes.release()->deleteLater(); // the event of one of its own buttons may be ending the presentation
    }
    emit changed(on);
    if (on) {
        place();
    } else {
        if (isPlacedByDesktop())
            window.hide();
        window.setWindowState(window.windowState() & ~Qt::WindowFullScreen);
        if (isPlacedByDesktop() && !window.isMaximized())
            window.resize(m_placeBefore.size());
        window.show();
        if (!window.isMaximized() && window.geometry() != m_placeBefore && QGuiApplication::screens().size() > 1)
            window.setGeometry(fitOnScreens(m_placeBefore, screensNow()));
        emit themeWanted();
    }
    m_parts.canvas.setFocus();
    update();
}

void WindowPresent::place()
{
    QWidget& window = m_parts.window;
    if (!m_parts.isPresenting)
        return;
    const QList<ScreenFacts> screens = screensNow();
    const auto place = placeOfPresentation(screens, !m_isOnOtherScreen);
    if (!place) // no screen: until one is connected
        return;
    const bool areNotesFull = isPlacedByDesktop() && screens.size() > 1;
    if (isPlacedByDesktop() && window.isFullScreen())
        window.hide();
    if (screens.size() > 1) {
        window.setWindowState(window.windowState() & ~Qt::WindowFullScreen);
        if (QScreen* hall = screenNamed(place->hall.name))
            window.setScreen(hall);
        window.setGeometry(place->hall.geometry);
    }
    window.setWindowState(window.windowState() | Qt::WindowFullScreen);
    window.show();
    if (isPlacedByDesktop())
        m_notes->hide();
    if (QScreen* own = screenNamed(place->own.name))
        m_notes->setScreen(own);
    m_notes->setWindowState(areNotesFull ? Qt::WindowFullScreen : Qt::WindowNoState);
    m_notes->setGeometry(areNotesFull ? place->own.geometry : place->notes);
    m_hallScreen = place->hall.name;
    m_notes->show();
    emit themeWanted();
    window.raise();
    window.activateWindow();
}

void WindowPresent::followScreens()
{
    QWidget& window = m_parts.window;
    const QList<ScreenFacts> screens = screensNow();
    if (screens.isEmpty())
        return;
    if (m_parts.isPresenting) {
        const QString before = m_hallScreen;
        place();
        if (before != m_hallScreen) {
            m_screenNote = tr("The presentation goes on on screen %1").arg(m_hallScreen);
            m_screenNoteUntil = m_parts.seconds + kScreenNote;
            m_parts.updateSoon();
        }
    } else if (!window.isMaximized() && !window.isFullScreen() && window.isVisible()) {
        const QRect inside = window.geometry(), whole = window.frameGeometry();
        const QMargins frame(inside.left() - whole.left(), inside.top() - whole.top(), whole.right() - inside.right(),
            whole.bottom() - inside.bottom());
        if (const QRect fitted = fitOnScreens(inside, screens, frame); fitted != inside)
            window.setGeometry(fitted);
    }
}

void WindowPresent::update()
{
    if (!m_secondClick.isWaiting(m_parts.seconds))
        m_parts.player.strip().setNotice({});
    if (!m_notes)
        return;
    PresenterWords words;
    words.step = m_parts.player.words().step;
    words.caption = m_parts.player.words().caption;
    const std::vector<PlannedStep>& plan = m_parts.player.scenario().plan;
    const std::size_t seen = m_parts.director.stepsShown();
    // The notes that the script has said in this step; before it says any, those in the text of the step.
    const std::vector<StoryLine>& lines = m_parts.player.story().lines();
    const auto step = std::find_if(
        lines.rbegin(), lines.rend(), [](const StoryLine& line) { return line.kind == StoryLine::Kind::Step; });
    for (auto line = step.base(); line != lines.end(); ++line) {
        if (line->kind == StoryLine::Kind::Note)
            words.notes << line->text;
    }
    if (words.notes.isEmpty() && seen > 0 && seen <= plan.size())
        words.notes = plan[seen - 1].notes;
    if (seen < plan.size()) {
        words.next = titleOf(plan[seen]);
        words.nextNotes = plan[seen].notes;
    }
    words.faults = armedWords(m_parts.pacer.state());
    const qint64 seconds = m_since.elapsed() / 1000;
    words.elapsed = QStringLiteral("%1:%2").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
    words.clock = QTime::currentTime().toString(QStringLiteral("HH:mm"));
    m_notes->setWords(words);
}

void WindowPresent::applyTheme()
{
    if (m_notes)
        m_notes->setTheme(m_parts.theme);
}

void WindowPresent::addStatus(std::vector<StatusPart>& parts) const
{
    if (m_parts.seconds < m_screenNoteUntil)
        parts.push_back({ Glyph::Warning, m_parts.theme.caution, { m_screenNote, m_hallScreen }, 9, true });
}

} // namespace lhrs::gui
