// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a scenario and of the past: the keys of a clicker, votes, and the captions of past instants.
#include "gui/window/main/main_window.h"
#include "gui/window/show/window_time.h"

#include "gui/window/panels/guide_panel.h"
#include "gui/window/show/window_guide.h"

#include <QKeyEvent>

#include <algorithm>
#include <iterator>
#include <set>

namespace lhrs::gui {

void MainWindow::makeStepActions()
{
    Actions& a = *m_actions;
    a.add({ "nextStep", "Scenario", "Next step", "PgDown",
              "Goes on to the next step of the scenario, and begins it if it has not begun; in the past, to the next "
              "step, caption or marker" },
        [this] { goOn(); });
    a.add({ "formerMarker", "Scenario", "Former marker", "PgUp",
              "Shows the instant of the step, caption or marker before; PgDn leads back to now" },
        [this] { goBack(); });
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
    if (m_guide->panel().isDone()) {
        m_guide->panel().press(GuidePanel::Next);
        return;
    }
    const bool isPast = m_timeLine.isReplay() || m_timeLine.mode() != TimeLine::Mode::Follow;
    const bool wasFrozen = m_timeLine.isFrozen();
    if (isPast && !wasFrozen && goToStop(1))
        return;
    if (isPast)
        m_timeLine.follow();
    if ((!isPast || wasFrozen) && !m_guide->tour().isOn()) // during the tour the previous scenario must not continue
        m_player->next();
}

void MainWindow::goBack()
{
    if (QAction* blank = m_actions->get("blank"); blank->isChecked())
        blank->trigger();
    else if (m_director.isOn() && m_director.stepsShown() > 0)
        m_director.back();
    else if (!goToStop(-1))
        m_time->toBeginning();
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
            m_player->strip().setVisible(!m_captions.isEmpty() || m_director.isOn());
    }
    if (m_captions.isEmpty())
        m_player->showPast(nullptr);
    else
        m_player->showPast(&m_captions,
            m_captions.at(m_timeLine.cursor(), m_timeLine.cursorNs(), m_timeLine.mode() == TimeLine::Mode::Play));
}

} // namespace lhrs::gui
