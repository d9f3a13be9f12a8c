// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/event_feed.h"
#include "gui/lab/recording/recording.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace lhrs::gui {

// The instant that the views show: the newest one, or a past one from the recording. Views pull from here and see no
// difference. Moving backwards restores a state; it does not undo events. The cluster never waits.
class TimeLine : public EventFeed {
public:
    enum class Mode {
        Follow, // the newest
        Play, // advances from the cursor at the set speed
        Paused, // stands at the cursor
        Show, // along a reel: the picture advances at its own pace, and the cursor follows it
    };
    enum class Unit { Event, Operation, Structure };

    // `live`: the running cluster. `openPast`: opens the part of the run that has been recorded so far; null with a
    // sentence if there is no recording.
    using OpenPast = std::function<Result<std::unique_ptr<Recording>>()>;
    TimeLine(const EventFeed& live, OpenPast openPast) : m_live(live), m_openPast(std::move(openPast)) { }

    // Shows a recording from now on, paused at its beginning; null: returns to the live cluster.
    void showRecording(std::unique_ptr<Recording> recording);
    bool isReplay() const { return m_isReplay; }
    Recording* recording() { return m_past.get(); }

    Mode mode() const { return m_mode; }
    double speed() const { return m_speed; }
    void setSpeed(double speed);
    // Why the last request could not be fulfilled; empty if it was.
    QString trouble() const { return m_trouble; }

    void follow();
    // Stops at the present instant. `shownNs`: the instant that the picture shows, if it follows; the picture stays
    // unchanged until the cursor moves.
    void pause(std::int64_t shownNs);
    // Continues from the cursor, or from the beginning if the cursor is at the end of a recording.
    void play();
    // Steps by one event, operation or structural change, forward or back. False: there is none.
    bool step(int direction, Unit unit);
    void seek(std::uint64_t event);
    void seekTime(std::int64_t ns);
    // Places the cursor at this event, where a show begins. The show may pull later events, and reachedBy() reports
    // its progress. Of the reports besides events, those made up to `ns` are included, because a report may stand
    // between two events. False: no recording, as trouble() says.
    bool beginShow(std::uint64_t event, std::int64_t ns);
    void reachedBy(std::uint64_t event, std::int64_t ns);
    // The newest recorded event at or before this time; 0: none.
    std::uint64_t eventAt(std::int64_t ns);
    // The events after the cursor of a show, for the picture that moves the cursor; other views see only what has
    // been shown.
    const EventFeed& ahead() const { return m_ahead; }
    void refreshAhead();
    // The newest event of the running cluster, recorded or not.
    std::uint64_t received() const { return m_live.committed(); }
    // Called once per frame: moves the cursor in Play.
    void advance(double seconds);

    // Increases when the shown state is not the former one plus some events: views must start over.
    std::uint64_t jumps() const { return m_jumps; }
    // The picture must stay exactly as it is.
    bool isFrozen() const { return m_mode == Mode::Paused && m_isPictureKept; }

    // ---- position of the cursor
    std::uint64_t cursor() const { return m_mode == Mode::Follow ? m_live.committed() : m_cursor; }
    std::uint64_t newest() const;
    std::int64_t cursorNs() const { return m_mode == Mode::Follow ? m_live.nowNs() : m_cursorNs; }
    // Of the shown run: the recording, or the present cluster.
    std::int64_t beginNs() const { return m_past && m_isReplay ? m_past->beginNs() : m_liveBeginNs; }
    // Another cluster begins; everything before belongs to another run.
    void beginRun(std::int64_t ns) { m_liveBeginNs = ns; }
    std::int64_t endNs() const { return m_isReplay && m_past ? m_past->endNs() : m_live.nowNs(); }
    // The number of events after the shown instant.
    std::uint64_t behind() const;

    // ---- EventFeed
    ClusterState state() const override;
    std::uint64_t revision() const override;
    std::uint64_t committed() const override { return cursor(); }
    EventPage eventsSince(std::uint64_t cursor, std::size_t max) const override;
    std::int64_t nowNs() const override { return cursorNs(); }

    static constexpr double kSlowest = 0.001, kFastest = 100;

private:
    struct Ahead : EventFeed {
        const TimeLine& time;
        explicit Ahead(const TimeLine& outer) : time(outer) { }
        ClusterState state() const override { return time.state(); }
        std::uint64_t revision() const override { return time.revision(); }
        std::uint64_t committed() const override { return time.m_past ? time.m_past->events() : 0; }
        EventPage eventsSince(std::uint64_t cursor, std::size_t max) const override;
        std::int64_t nowNs() const override { return time.nowNs(); }
    };

    bool openPast();
    bool standAt(std::uint64_t event, std::int64_t ns = Recording::kEndOfTime);
    bool foldTo(std::uint64_t event, std::int64_t ns = Recording::kEndOfTime);
    void jump() { ++m_jumps; }

    const Ahead m_ahead { *this };
    const EventFeed& m_live;
    const OpenPast m_openPast;
    std::unique_ptr<Recording> m_past;
    bool m_isReplay = false, m_isPictureKept = false;
    Mode m_mode = Mode::Follow;
    double m_speed = 1;
    std::uint64_t m_cursor = 0, m_jumps = 0;
    std::int64_t m_cursorNs = 0;
    std::uint64_t m_liveAtPause = 0;
    std::int64_t m_liveBeginNs = 0;
    ClusterState m_state; // at the cursor, unless Follow
    std::uint64_t m_stateTold = 0; // the last report in m_state
    std::int64_t m_toldNs = 0; // of a show: reports up to this time are included
    std::uint64_t m_stateRevision = 0;
    QString m_trouble;
};

} // namespace lhrs::gui
