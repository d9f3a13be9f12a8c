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

// The instant that the views show (window.md 2.11): the newest, or one of the past, from the recording. The views pull
// from here and see no difference. Backwards restores a state, it does not invert events. The cluster never waits.
class TimeLine : public EventFeed {
public:
    enum class Mode {
        Follow, // the newest
        Play,   // moves on from the cursor, at the speed
        Paused, // stands at the cursor
        Show,   // along a reel: the picture goes on from the cursor at its own pace, and the cursor follows it
    };
    enum class Unit { Event, Operation, Structure };

    // `live`: the running cluster. `openPast`: opens what has been recorded of it up to now; null and a sentence when there
    // is no recording.
    using OpenPast = std::function<Result<std::unique_ptr<Recording>>()>;
    TimeLine(const EventFeed& live, OpenPast openPast) : m_live(live), m_openPast(std::move(openPast)) {}

    // Shows a recording from now on, paused at its beginning; null: the live cluster again.
    void showRecording(std::unique_ptr<Recording> recording);
    bool isReplay() const { return m_isReplay; }
    Recording* recording() { return m_past.get(); }

    Mode mode() const { return m_mode; }
    double speed() const { return m_speed; }
    void setSpeed(double speed);
    // Why the last wish could not be fulfilled; empty: it was.
    QString trouble() const { return m_trouble; }

    void follow();
    // Stands still. `shownNs`: the instant that the picture shows, if it follows; the picture stays as it is until the
    // cursor moves.
    void pause(std::int64_t shownNs);
    // From where it stands; from the beginning when that is the end of a recording.
    void play();
    // One event, operation or change of structure forward or back. False: there is none.
    bool step(int direction, Unit unit);
    void seek(std::uint64_t event);
    void seekTime(std::int64_t ns);
    // Stands at this event, from which a show goes on: what follows may be pulled, and reachedBy() tells how far it has come. Of what
    // was told besides events, what was told by `ns` belongs to it: between two events there may be an end, and words before it. False:
    // nothing is recorded, as trouble() says.
    bool beginShow(std::uint64_t event, std::int64_t ns);
    void reachedBy(std::uint64_t event, std::int64_t ns);
    // The newest event of what is recorded that is not later; 0: none is.
    std::uint64_t eventAt(std::int64_t ns);
    // What follows the cursor of a show, for the picture that moves it; other views see what has been shown.
    const EventFeed& ahead() const { return m_ahead; }
    void refreshAhead();
    // The newest event of the running cluster, be it recorded or not.
    std::uint64_t received() const { return m_live.committed(); }
    // Per frame: moves the cursor in Play.
    void advance(double seconds);

    // Grows when the shown state is not the former one and some events more: views start anew.
    std::uint64_t jumps() const { return m_jumps; }
    // The picture is to stay exactly as it is.
    bool isFrozen() const { return m_mode == Mode::Paused && m_isPictureKept; }

    // ---- where it is
    std::uint64_t cursor() const { return m_mode == Mode::Follow ? m_live.committed() : m_cursor; }
    std::uint64_t newest() const;
    std::int64_t cursorNs() const { return m_mode == Mode::Follow ? m_live.nowNs() : m_cursorNs; }
    // Of the run that is shown: of the recording, or of the cluster that is there now.
    std::int64_t beginNs() const { return m_past && m_isReplay ? m_past->beginNs() : m_liveBeginNs; }
    // Another cluster begins now: what was before belongs to another run.
    void beginRun(std::int64_t ns) { m_liveBeginNs = ns; }
    std::int64_t endNs() const { return m_isReplay && m_past ? m_past->endNs() : m_live.nowNs(); }
    // Events that happened since the instant that is shown.
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
        explicit Ahead(const TimeLine& outer) : time(outer) {}
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
    std::uint64_t m_stateTold = 0; // the last word that it has
    std::int64_t m_toldNs = 0;     // of a show: up to when words belong to it
    std::uint64_t m_stateRevision = 0;
    QString m_trouble;
};

} // namespace lhrs::gui
