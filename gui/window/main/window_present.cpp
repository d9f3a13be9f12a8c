// SPDX-License-Identifier: GPL-3.0-or-later
// The presentation: full screen for the audience, notes for the speaker, the clicker's keys, captions of past instants.
#include "gui/window/main/main_window.h"

#include "gui/lab/words/sentences.h"
#include "gui/view/cluster/object_words.h"
#include "gui/window/panels/guide_panel.h"
#include "gui/window/subjects/window_group.h"
#include "gui/window/widgets/screen_place.h"
#include "gui/window/main/window_tour.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenuBar>
#include <QScreen>
#include <QTime>
#include <QWindow>

#include <algorithm>
#include <iterator>
#include <set>

namespace lhrs::gui {

namespace {

constexpr double kScreenNote = 20; // seconds for which a change of screens is reported

// The active injected faults, each as a sentence.
QStringList armedWords(const ClusterState& state)
{
    QStringList words;
    for (const auto& [id, process] : state.processes) {
        const QString name = nameOf(state, objectOf(state, id));
        for (const auto& [number, fault] : process.faults)
            words << QStringLiteral("%1 %2").arg(name, QString::fromStdString(fault.words));
        if (process.isPaused && !process.hasEnded)
            words << QStringLiteral("%1 is paused").arg(name);
    }
    return words;
}

QString titleOf(const PlannedStep& step)
{
    return step.id.isEmpty() ? step.title : QStringLiteral("(%1)  %2").arg(step.id, step.title);
}

// Where the desktop places windows (Wayland), a position has no effect. A window can choose the screen that it fills
// and its size beside others, both only when it appears.
bool isPlacedByDesktop() { return QGuiApplication::platformName().startsWith(QLatin1String("wayland")); }

} // namespace

void MainWindow::makePresentActions()
{
    Actions& a = *m_actions;
    a.add({ "nextStep", "Scenario", "Next step", "PgDown",
              "Goes on to the next step of the scenario, and begins it if it has not begun; in the past, to the next "
              "step, caption or marker" },
        [this] { goOn(); });
    a.add({ "formerMarker", "Scenario", "Former marker", "PgUp",
              "Shows the instant of the step, caption or marker before; PgDn leads back to now" },
        [this] { goBack(); });
    a.add({ "present", "View", "Presentation", "F5",
              "Full screen: picture, caption and time line; notes on the other screen", true },
        [this] { setPresenting(m_actions->get("present")->isChecked()); });
    a.add({ "stopPresenting", "View", "End the presentation", "Esc",
              "Back from full screen; from a field, the keys go back to the picture; otherwise, while a scenario runs, "
              "asks whether to stop it" },
        [this] {
            const bool hasOther = m_parts.isPresenting || m_actions->get("blank")->isChecked() || leaveField();
            setPresenting(false);
            if (!hasOther)
                offerToStop();
        });
    a.add({ "blank", "View", "Blank screen", "B",
              "Makes the window dark, so that the hall looks at you; once more: back", true },
        [this] { m_blank->setOn(m_actions->get("blank")->isChecked()); });
    a.add({ "swapScreens", "View", "Change the screens", "Shift+F5",
              "Shows the presentation on the other screen, and the notes on this one" },
        [this] {
            m_isOnOtherScreen = !m_isOnOtherScreen;
            placePresentation();
        });
    m_blank = new BlankScreen(this);
    // Queued: when a screen is removed, Qt moves its windows itself, after this signal.
    for (const auto signal : { &QGuiApplication::screenAdded, &QGuiApplication::screenRemoved })
        connect(qGuiApp, signal, this, &MainWindow::followScreens, Qt::QueuedConnection);
}

bool MainWindow::leaveField()
{
    QWidget* focus = QApplication::focusWidget();
    const bool isField = qobject_cast<QAbstractSpinBox*>(focus) || qobject_cast<QComboBox*>(focus)
        || qobject_cast<QLineEdit*>(focus);
    if (!isField || !isAncestorOf(focus))
        return false;
    if (m_canvas->isVisible())
        m_canvas->setFocus();
    else
        focus->clearFocus();
    return true;
}

// ---- the clicker

void MainWindow::goOn()
{
    if (QAction* blank = m_actions->get("blank"); blank->isChecked()) {
        blank->trigger();
        return;
    }
    if (m_director.isOn() && !m_director.isOver()) {
        m_player->next();
        return;
    }
    // With a guide, the key presses its Next button once all its tasks are done.
    if (m_guide->isDone()) {
        m_guide->press(GuidePanel::Next);
        return;
    }
    const bool isPast = m_timeLine.isReplay() || m_timeLine.mode() != TimeLine::Mode::Follow;
    const bool wasFrozen = m_timeLine.isFrozen();
    if (isPast && !wasFrozen && goToStop(1))
        return;
    if (isPast)
        m_timeLine.follow();
    if ((!isPast || wasFrozen) && !m_tour->isOn()) // during the tour the previous scenario must not continue
        m_player->next();
}

void MainWindow::goBack()
{
    if (QAction* blank = m_actions->get("blank"); blank->isChecked())
        blank->trigger();
    else if (m_director.isOn() && m_director.stepsShown() > 0)
        m_director.back();
    else if (!goToStop(-1))
        toBeginning();
}

// The stops are the steps and captions of the scenario, and the person's markers; in a run without any of these, all
// marks.
bool MainWindow::goToStop(int direction)
{
    if (m_timeLine.mode() == TimeLine::Mode::Follow || m_timeLine.isFrozen())
        m_timeLine.seekTime(m_timeLine.cursorNs()); // opens the recording up to now
    Recording* recording = m_timeLine.recording();
    if (!recording)
        return false;
    showCaptions();
    std::set<std::uint64_t> stops(m_captions.stops().begin(), m_captions.stops().end());
    const auto add = [&](bool isAnyTaken) {
        for (const TimeMark& mark : m_parts.timeBar->track().marks()) {
            if (isAnyTaken || mark.kind == TimeMark::Kind::Own)
                stops.insert(mark.event != 0 ? mark.event : recording->eventAt(mark.ns));
        }
    };
    add(false);
    if (stops.empty())
        add(true);
    auto next = direction > 0 ? stops.upper_bound(m_timeLine.cursor()) : stops.lower_bound(m_timeLine.cursor());
    if (direction > 0 ? next == stops.end() : next == stops.begin())
        return false;
    m_timeLine.seek(direction > 0 ? *next : *std::prev(next));
    return true;
}

// 1 to 9: a vote for that choice; + and -: one vote more or fewer for the choice that was named last.
bool MainWindow::countVote(const QKeyEvent& event)
{
    if (event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier))
        return false;
    if (event.key() >= Qt::Key_1 && event.key() <= Qt::Key_9)
        m_player->vote(event.key() - Qt::Key_0);
    else if (event.key() == Qt::Key_Plus || event.key() == Qt::Key_Minus)
        m_player->voteAgain(event.key() == Qt::Key_Plus ? 1 : -1);
    else
        return false;
    return true;
}

// ---- the second click

bool MainWindow::isSecondClick(const QAction* action)
{
    const ObjectRef object = m_selection->selected();
    const QString what
        = QStringLiteral("%1 %2.%3.%4").arg(action->objectName()).arg(int(object.kind)).arg(object.a).arg(object.b);
    if (m_secondClick.mayDo(what, m_parts.seconds)) {
        m_player->setNotice({});
        return true;
    }
    const QString keys = action->shortcut().toString(QKeySequence::NativeText), name = nameOf(m_pacer.state(), object);
    const QString words = name.isEmpty() ? action->text() : tr("%1, %2").arg(action->text(), name);
    m_player->setNotice(keys.isEmpty() ? tr("%1: once more to do it").arg(words)
                                       : tr("%1: press %2 once more to do it").arg(words, keys));
    return false;
}

// ---- full screen

void MainWindow::setPresenting(bool on)
{
    if (QAction* blank = m_actions->get("blank"); !on && blank->isChecked()) {
        blank->trigger(); // the first key press ends the blank screen
        m_actions->get("present")->setChecked(m_parts.isPresenting);
        return;
    }
    m_actions->get("present")->setChecked(on);
    if (on == m_parts.isPresenting)
        return;
    m_parts.isPresenting = on;
    if (on) {
        m_placeBefore = isFullScreen() || isMaximized() ? normalGeometry() : geometry();
        m_workspaceBefore = workspace();
        m_workspaces->enter(Workspace::Lecture);
        m_presentingSince.start();
        m_notes = std::make_unique<NotesWindow>(*m_actions);
        m_notes->setTheme(m_parts.theme);
        connect(m_notes.get(), &NotesWindow::keyPressed, this, [this](QKeyEvent* event) { keyPressEvent(event); });
        m_actions->setGuard([this](const QAction* action) { return isSecondClick(action); });
    } else {
        m_workspaces->enter(m_workspaceBefore);
        m_actions->setGuard({});
        m_secondClick.forget();
        m_player->setNotice({});
        m_notes.release()->deleteLater(); // the event of one of its own buttons may be ending the presentation
    }
    menuBar()->setVisible(!on);
    m_group->setPresented(on);
    showLink(); // updates which parts a presentation shows
    if (on) {
        placePresentation();
    } else {
        if (isPlacedByDesktop())
            hide();
        setWindowState(windowState() & ~Qt::WindowFullScreen);
        if (isPlacedByDesktop() && !isMaximized())
            resize(m_placeBefore.size());
        show();
        if (!isMaximized() && geometry() != m_placeBefore && QGuiApplication::screens().size() > 1)
            setGeometry(fitOnScreens(m_placeBefore, screensNow()));
        applyTheme();
    }
    m_canvas->setFocus();
    updatePresentation();
}

// The picture for the audience is on the second screen, the notes are on the first; with one screen, the notes are a
// window behind the picture.
void MainWindow::placePresentation()
{
    if (!m_parts.isPresenting)
        return;
    const QList<ScreenFacts> screens = screensNow();
    const auto place = placeOfPresentation(screens, !m_isOnOtherScreen);
    if (!place) // no screen: until one is connected
        return;
    const bool areNotesFull = isPlacedByDesktop() && screens.size() > 1;
    if (isPlacedByDesktop() && isFullScreen())
        hide();
    if (screens.size() > 1) {
        setWindowState(windowState() & ~Qt::WindowFullScreen);
        if (QScreen* hall = screenNamed(place->hall.name))
            setScreen(hall);
        setGeometry(place->hall.geometry);
    }
    setWindowState(windowState() | Qt::WindowFullScreen);
    show();
    if (isPlacedByDesktop())
        m_notes->hide();
    if (QScreen* own = screenNamed(place->own.name))
        m_notes->setScreen(own);
    m_notes->setWindowState(areNotesFull ? Qt::WindowFullScreen : Qt::WindowNoState);
    m_notes->setGeometry(areNotesFull ? place->own.geometry : place->notes);
    m_hallScreen = place->hall.name;
    m_notes->show();
    applyTheme();
    raise();
    activateWindow();
}

// A screen was added or removed: the presentation moves to an existing screen, and no window stays outside all screens.
void MainWindow::followScreens()
{
    const QList<ScreenFacts> screens = screensNow();
    if (screens.isEmpty())
        return;
    if (m_parts.isPresenting) {
        const QString before = m_hallScreen;
        placePresentation();
        if (before != m_hallScreen) {
            m_screenNote = tr("The presentation goes on on screen %1").arg(m_hallScreen);
            m_screenNoteUntil = m_parts.seconds + kScreenNote;
            m_statusAt = -1;
        }
    } else if (!isMaximized() && !isFullScreen() && isVisible()) {
        const QRect inside = geometry(), whole = frameGeometry();
        const QMargins frame(inside.left() - whole.left(), inside.top() - whole.top(), whole.right() - inside.right(),
            whole.bottom() - inside.bottom());
        if (const QRect fitted = fitOnScreens(inside, screens, frame); fitted != inside)
            setGeometry(fitted);
    }
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    if (m_parts.isPresenting && !(themeWanted() == m_parts.theme))
        applyTheme();
    foldPanels();
    m_workspaces->arrange();
}

// Updates the presenter's window; called a few times a second.
void MainWindow::updatePresentation()
{
    if (!m_secondClick.isWaiting(m_parts.seconds))
        m_player->setNotice({});
    if (!m_notes)
        return;
    PresenterWords words;
    words.step = m_player->stepTitle();
    words.caption = m_player->caption();
    const std::vector<PlannedStep>& plan = m_player->plan();
    const std::size_t seen = std::size_t(std::max(0, m_player->stepsSeen()));
    // The notes that the script has said in this step; before it says any, those in the text of the step.
    const std::vector<StoryLine>& lines = m_player->story().lines();
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
    words.faults = armedWords(m_pacer.state());
    const qint64 seconds = m_presentingSince.elapsed() / 1000;
    words.elapsed = QStringLiteral("%1:%2").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
    words.clock = QTime::currentTime().toString(QStringLiteral("HH:mm"));
    m_notes->setWords(words);
}

// ---- captions of the instant that is shown

void MainWindow::showCaptions()
{
    const bool isPast = m_timeLine.mode() != TimeLine::Mode::Show
        && (m_timeLine.isReplay() || (m_timeLine.mode() != TimeLine::Mode::Follow && !m_timeLine.isFrozen()));
    Recording* recording = isPast ? m_timeLine.recording() : nullptr;
    if (!recording) {
        m_captionsOf = { nullptr, 0 };
        m_player->showPast(nullptr);
        return;
    }
    if (const std::pair<const Recording*, std::uint64_t> wanted(recording, recording->events());
        wanted != m_captionsOf) {
        m_captionsOf = wanted;
        m_captions = CaptionTrack(*recording);
        if (m_captions.isEmpty())
            m_captions = CaptionTrack(m_runStory);
        if (m_timeLine.isReplay())
            m_player->setVisible(!m_captions.isEmpty() || m_director.isOn());
    }
    if (m_captions.isEmpty())
        m_player->showPast(nullptr);
    else
        m_player->showPast(&m_captions,
            m_captions.at(m_timeLine.cursor(), m_timeLine.cursorNs(), m_timeLine.mode() == TimeLine::Mode::Play));
}

} // namespace lhrs::gui
