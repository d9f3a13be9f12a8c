// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/show/window_steps.h"

#include "gui/window/panels/guide_panel.h"
#include "gui/window/show/window_guide.h"
#include "gui/window/show/window_story.h"
#include "gui/window/show/window_time.h"

#include <QKeyEvent>

#include <iterator>
#include <set>

namespace lhrs::gui {

WindowSteps::WindowSteps(WindowParts& parts, WindowTime& time, const WindowStory& story)
    : WindowSubject(parts), m_time(time), m_story(story)
{
    m_parts.actions.add({ "nextStep", "Scenario", "Next step", "PgDown",
                            "Goes on to the next step of the scenario, and begins it if it has not begun; in the past, "
                            "to the next step, caption or marker" },
        [this] { goOn(); });
    m_parts.actions.add({ "formerMarker", "Scenario", "Previous marker", "PgUp",
                            "Shows the instant of the step, caption or marker before; PgDn leads back to now" },
        [this] { goBack(); });
}

// ---- the clicker

// The blank screen of a presentation ends before anything else. False: there was none.
bool WindowSteps::endBlank()
{
    QAction* blank = m_parts.actions.get("blank");
    if (!blank->isChecked())
        return false;
    blank->trigger();
    return true;
}

void WindowSteps::goOn()
{
    if (endBlank())
        return;
    if (m_parts.director.isOn() && !m_parts.director.isOver()) {
        m_parts.player.next();
        return;
    }
    // With a guide, the key presses its Next button once all its tasks are done.
    if (m_guide->panel().isDone()) {
        m_guide->panel().press(GuidePanel::Next);
        return;
    }
    TimeLine& time = m_parts.timeLine;
    const bool isPast = time.isReplay() || time.mode() != TimeLine::Mode::Follow;
    const bool wasFrozen = time.isFrozen();
    if (isPast && !wasFrozen && goToStop(1))
        return;
    if (isPast)
        time.follow();
    if ((!isPast || wasFrozen) && !m_guide->tour().isOn()) // during the tour the previous scenario must not continue
        m_parts.player.next();
}

void WindowSteps::goBack()
{
    if (endBlank())
        return;
    if (m_parts.director.isOn() && m_parts.director.stepsShown() > 0)
        m_parts.director.back();
    else if (!goToStop(-1))
        m_time.toBeginning();
}

// The stops are the steps and captions of the scenario, and the person's markers; in a run without any of these, all
// marks.
bool WindowSteps::goToStop(int direction)
{
    TimeLine& time = m_parts.timeLine;
    if (time.mode() == TimeLine::Mode::Follow || time.isFrozen())
        time.seekTime(time.cursorNs()); // opens the recording up to now
    Recording* recording = time.recording();
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
    auto next = direction > 0 ? stops.upper_bound(time.cursor()) : stops.lower_bound(time.cursor());
    if (direction > 0 ? next == stops.end() : next == stops.begin())
        return false;
    time.seek(direction > 0 ? *next : *std::prev(next));
    return true;
}

bool WindowSteps::countVote(const QKeyEvent& event)
{
    if (event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier))
        return false;
    if (event.key() >= Qt::Key_1 && event.key() <= Qt::Key_9)
        m_parts.player.vote(event.key() - Qt::Key_0);
    else if (event.key() == Qt::Key_Plus || event.key() == Qt::Key_Minus)
        m_parts.player.voteAgain(event.key() == Qt::Key_Plus ? 1 : -1);
    else
        return false;
    return true;
}

// ---- captions of the instant that is shown

void WindowSteps::showStrip()
{
    m_captionsOf = { nullptr, 0 };
    // The start page offers the scenarios itself.
    m_parts.player.strip().setVisible(m_parts.timeLine.isReplay() ? !m_captions.isEmpty() || m_parts.director.isOn()
                                                                  : m_parts.hasCluster() || m_parts.player.isLoaded());
}

void WindowSteps::showCaptions()
{
    const TimeLine& time = m_parts.timeLine;
    const bool isPast = time.mode() != TimeLine::Mode::Show
        && (time.isReplay() || (time.mode() != TimeLine::Mode::Follow && !time.isFrozen()));
    Recording* recording = isPast ? m_parts.timeLine.recording() : nullptr;
    if (!recording) {
        m_captionsOf = { nullptr, 0 };
        m_parts.player.showPast(nullptr);
        return;
    }
    if (const std::pair<const Recording*, std::uint64_t> wanted(recording, recording->events());
        wanted != m_captionsOf) {
        m_captions = CaptionTrack(*recording);
        if (m_captions.isEmpty())
            m_captions = CaptionTrack(m_story.told());
        if (time.isReplay())
            showStrip();
        m_captionsOf = wanted;
    }
    if (m_captions.isEmpty())
        m_parts.player.showPast(nullptr);
    else
        m_parts.player.showPast(
            &m_captions, m_captions.at(time.cursor(), time.cursorNs(), time.mode() == TimeLine::Mode::Play));
}

} // namespace lhrs::gui
