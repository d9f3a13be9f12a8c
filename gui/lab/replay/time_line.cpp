// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/replay/time_line.h"

#include "common/kinds.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr std::size_t kEventsPerFrame = 20'000; // fast play skips no event but shows many per frame
constexpr std::size_t kEventsOfPage = 2'000;

std::vector<int> kindsOf(TimeLine::Unit unit)
{
    using E = pb::Event;
    if (unit == TimeLine::Unit::Operation)
        return { E::kOperationDoneFieldNumber, E::kScanDoneFieldNumber };
    std::vector<int> stops;
    for (const Kind& kind : eventKinds())
        if (kind.isStop)
            stops.push_back(kind.number);
    return stops;
}

} // namespace

bool TimeLine::openPast()
{
    m_trouble.clear();
    if (m_isReplay)
        return m_past != nullptr;
    auto past = m_openPast();
    if (!past) {
        m_trouble = QString::fromStdString(past.error().text);
        return false;
    }
    m_past = std::move(*past);
    return true;
}

void TimeLine::showRecording(std::unique_ptr<Recording> recording)
{
    m_isReplay = recording != nullptr;
    m_past = std::move(recording);
    m_state = ClusterState(); // an unreadable state shows nothing, not the former state
    ++m_stateRevision;
    m_trouble.clear();
    m_isPictureKept = false;
    if (m_isReplay) {
        m_mode = Mode::Paused;
        standAt(0);
    } else {
        m_mode = Mode::Follow;
    }
    jump();
}

void TimeLine::setSpeed(double speed) { m_speed = std::clamp(speed, kSlowest, kFastest); }

std::uint64_t TimeLine::newest() const
{
    return m_isReplay || (m_past && m_mode != Mode::Follow) ? m_past->events() : m_live.committed();
}

std::uint64_t TimeLine::behind() const
{
    if (m_mode == Mode::Follow)
        return 0;
    const std::uint64_t recorded = m_past ? m_past->events() - std::min(m_past->events(), m_cursor) : 0;
    if (m_isReplay)
        return recorded;
    const std::uint64_t since = m_live.committed() - std::min(m_live.committed(), m_liveAtPause);
    return m_mode == Mode::Show ? m_live.committed() - std::min(m_live.committed(), m_cursor)
        : m_isPictureKept       ? since
                                : recorded + since;
}

void TimeLine::follow()
{
    if (m_isReplay) {
        seek(m_past->events());
        return;
    }
    if (m_mode == Mode::Follow)
        return;
    const bool wasKept = m_isPictureKept && m_live.committed() == m_liveAtPause;
    m_mode = Mode::Follow;
    m_isPictureKept = false;
    m_past.reset();
    m_state = ClusterState();
    ++m_stateRevision;
    if (!wasKept)
        jump();
}

void TimeLine::pause(std::int64_t shownNs)
{
    m_trouble.clear();
    if (m_mode == Mode::Play || m_mode == Mode::Show) {
        m_mode = Mode::Paused;
        m_isPictureKept = false;
    } else if (m_mode == Mode::Follow) {
        m_mode = Mode::Paused;
        m_isPictureKept = true;
        m_liveAtPause = m_live.committed();
        m_cursorNs = shownNs;
        m_cursor = 0; // recomputed on the next move
        m_past.reset();
    }
}

// Loads the state after this event.
bool TimeLine::standAt(std::uint64_t event, std::int64_t ns)
{
    if (!m_past)
        return false;
    event = std::min(event, m_past->events());
    auto state = m_past->stateAt(event, &m_stateTold, ns);
    if (!state) {
        m_trouble = QString::fromStdString(state.error().text);
        return false;
    }
    m_state = std::move(*state);
    ++m_stateRevision;
    m_cursor = event;
    const EventPage page = m_past->eventsSince(event == 0 ? 0 : event - 1, 1);
    m_cursorNs = page.events.empty() ? 0 : page.events[0].runNs;
    m_isPictureKept = false;
    return true;
}

bool TimeLine::foldTo(std::uint64_t event, std::int64_t ns)
{
    ++m_stateRevision;
    if (!m_past->fold(m_state, m_cursor, event, m_stateTold, ns)) {
        m_trouble = QStringLiteral("The recording cannot be read beyond event %1.").arg(m_cursor);
        return false;
    }
    m_cursor = event;
    return true;
}

void TimeLine::seek(std::uint64_t event)
{
    if (m_mode == Mode::Follow)
        pause(m_live.nowNs());
    if (m_past == nullptr && !openPast())
        return;
    m_past->refresh();
    if (m_mode == Mode::Play || m_mode == Mode::Show)
        m_mode = Mode::Paused;
    if (standAt(event))
        jump();
}

void TimeLine::seekTime(std::int64_t ns)
{
    if (m_mode == Mode::Follow)
        pause(m_live.nowNs());
    if (m_past == nullptr && !openPast())
        return;
    m_past->refresh();
    seek(m_past->eventAt(ns));
}

bool TimeLine::step(int direction, Unit unit)
{
    if (m_mode == Mode::Follow)
        pause(m_live.nowNs());
    if (m_past == nullptr && !openPast())
        return false;
    m_past->refresh();
    m_mode = Mode::Paused;
    if (m_isPictureKept) {
        // The picture has followed until now; from here on it shows the recorded past.
        if (!standAt(m_past->eventAt(m_cursorNs)))
            return false;
        jump();
    }
    std::uint64_t target = 0;
    if (unit == Unit::Event)
        target = direction > 0 ? m_cursor + 1 : m_cursor - std::min<std::uint64_t>(m_cursor, 1);
    else if (direction > 0)
        target = m_past->nextOf(kindsOf(unit), m_cursor, false);
    else if (m_cursor > 0)
        target = m_past->nextOf(kindsOf(unit), m_cursor - 1, true);
    if (target == m_cursor || target > m_past->events() || (direction > 0 && target == 0))
        return false;
    if (direction > 0 && target - m_cursor <= kEventsOfPage) {
        // The target is near enough for the picture to move there without a jump.
        const EventPage page = m_past->eventsSince(target - 1, 1);
        if (!foldTo(target))
            return false;
        if (!page.events.empty())
            m_cursorNs = page.events[0].runNs;
        return true;
    }
    if (!standAt(target))
        return false;
    jump();
    return true;
}

bool TimeLine::beginShow(std::uint64_t event, std::int64_t ns)
{
    if (m_mode == Mode::Follow)
        m_liveAtPause = m_live.committed();
    if (!m_isReplay && !openPast()) // including all reports so far
        return false;
    m_past->refresh();
    if (!standAt(event, ns))
        return false;
    m_toldNs = ns;
    m_mode = Mode::Show;
    jump();
    return true;
}

std::uint64_t TimeLine::eventAt(std::int64_t ns)
{
    if (m_past == nullptr && !openPast())
        return 0;
    m_past->refresh();
    return m_past->eventAt(ns);
}

void TimeLine::reachedBy(std::uint64_t event, std::int64_t ns)
{
    if (m_mode != Mode::Show || event < m_cursor || event > m_past->events() || (event == m_cursor && ns <= m_toldNs))
        return;
    m_toldNs = ns;
    if (event == 0)
        return;
    const EventPage page = m_past->eventsSince(event - 1, 1);
    if (!foldTo(event, ns)) {
        m_mode = Mode::Paused;
        return;
    }
    if (!page.events.empty())
        m_cursorNs = page.events[0].runNs;
}

void TimeLine::play()
{
    if (m_mode != Mode::Paused)
        return;
    if (m_past == nullptr && !openPast())
        return;
    m_past->refresh();
    if (m_isPictureKept) {
        if (!standAt(m_past->eventAt(m_cursorNs)))
            return;
        jump();
    } else if (m_isReplay && m_cursor >= m_past->events()) {
        if (!standAt(0))
            return;
        jump();
    }
    m_mode = Mode::Play;
}

void TimeLine::advance(double seconds)
{
    if (m_mode != Mode::Play)
        return;
    m_past->refresh();
    m_cursorNs += std::int64_t(seconds * m_speed * 1e9);
    std::uint64_t to = m_cursor;
    for (std::size_t taken = 0; taken < kEventsPerFrame;) {
        const EventPage page = m_past->eventsSince(to, kEventsOfPage);
        const auto later = std::find_if(
            page.events.begin(), page.events.end(), [this](const RunEvent& e) { return e.runNs > m_cursorNs; });
        taken += std::size_t(later - page.events.begin());
        to += std::uint64_t(later - page.events.begin());
        if (later != page.events.end() || page.events.empty())
            break;
    }
    if (to > m_cursor && !foldTo(to)) {
        m_mode = Mode::Paused;
        return;
    }
    if (m_cursor < m_past->events())
        return;
    if (m_isReplay)
        m_mode = Mode::Paused;
    else if (m_cursorNs >= m_past->endNs())
        follow(); // caught up: the mode changes visibly
}

ClusterState TimeLine::state() const
{
    ClusterState shown = m_mode == Mode::Follow ? m_live.state() : m_state;
    shown.originNs = beginNs();
    return shown;
}

std::uint64_t TimeLine::revision() const
{
    constexpr std::uint64_t kOfThePast = std::uint64_t(1) << 63; // distinguishes it from any live revision
    return m_mode == Mode::Follow ? m_live.revision() : kOfThePast | m_stateRevision;
}

void TimeLine::refreshAhead()
{
    if (m_past && !m_isReplay)
        m_past->refresh();
}

EventPage TimeLine::Ahead::eventsSince(std::uint64_t cursor, std::size_t max) const
{
    if (!time.m_past || cursor >= time.m_past->events())
        return { {}, cursor, 0 };
    return time.m_past->eventsSince(cursor, max);
}

EventPage TimeLine::eventsSince(std::uint64_t cursor, std::size_t max) const
{
    if (m_mode == Mode::Follow || (!m_past && !m_isReplay))
        return m_live.eventsSince(cursor, max);
    if (cursor >= m_cursor)
        return { {}, cursor, 0 };
    return m_past->eventsSince(cursor, std::min<std::size_t>(max, m_cursor - cursor));
}

} // namespace lhrs::gui
