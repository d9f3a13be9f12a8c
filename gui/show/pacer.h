// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/event_feed.h"
#include "gui/lab/reel/reel.h"
#include "gui/show/operation_paces.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lhrs::gui {

// An event with its time on the clock of the show.
struct ShownEvent {
    RunEvent run;
    double at = 0; // in hops
    double hop = 1; // travel time of a message of this step, in hops
};

// Decides when each event is shown. Microseconds of the run are stretched so that an eye can follow. An event is
// shown after its predecessor in its process, and one hop after the event that caused it, so that the picture is
// always a consistent cut of the run. Of a burst of operations the first ones are shown in full and the others
// quickly; structural changes are always shown in full. When the backlog is too large, the live picture jumps to the
// newest state, and returns to the slow show when the cluster is calm. Animation may be dropped, state never.
//
// In a show along a reel nothing is dropped or hurried. Of many similar operations the first is shown in full and the
// others together, within a readable time. Nothing beyond the gate is shown.
class Pacer {
public:
    explicit Pacer(const EventFeed& feed) : m_own(feed), m_feed(&feed) { }

    // One frame: pulls new events and shows those due `seconds` after the last frame.
    void advance(double seconds);
    // A frame in which the picture stands still.
    void stand();
    // Forgets what was shown and what waits; for another cluster, or a jump to the newest state.
    void reset();

    // ---- a show
    // Begins a show of what follows this event in `feed`, which must exist until endShow().
    void beginShow(const EventFeed& feed, std::uint64_t event);
    // Returns to the pacer's own feed, from its newest state on.
    void endShow();
    bool isShow() const { return m_isShow; }
    // Past events are shown again; the show itself states how much slower.
    void setRepeating(bool isRepeating) { m_isRepeating = isRepeating; }
    bool isRepeating() const { return m_isRepeating; }
    // Nothing beyond the cue is shown; empty: no limit. Operations after a different gate belong to another burst.
    void setGate(const std::optional<Cue>& gate);
    const std::optional<Cue>& gate() const { return m_gate; }
    // Everything up to the gate has been shown, as far as the feed has it.
    bool isAtGate() const { return m_isAtGate; }
    // If nothing waits: takes over the feed's state at the shown instant, which contains more than events. The feed
    // must be at shownUpTo().
    void takeState();
    // Everything that waits before the gate is shown in this frame.
    void rush() { m_isRushing = true; }
    // What waits before the gate takes at least this long, in s and within bounds, so that the picture moves while a
    // caption is read.
    void setLeast(double seconds) { m_least = seconds; }
    // Hops until the last scheduled event.
    double hopsAhead() const;
    // A step begins: the operations shown from here on are counted anew.
    void beginCount();
    // What is counted in bundle() begins later than the step: a part of the step was not shown.
    void countIsPartial() { m_bundle.isOfWholeStep = false; }
    // Operations that are shown together: their client, and how many it has begun in this step so far, by kind. The
    // count only grows, whatever the stretches in which they are shown.
    struct Bundle {
        std::map<pb::OperationKind, std::size_t> operations;
        ProcessId client = 0;
        bool isOfWholeStep = true;
    };
    const Bundle* bundle() const
    {
        return m_clock >= m_bundleFrom && m_clock < m_bundleEnd && !m_bundle.operations.empty() ? &m_bundle : nullptr;
    }

    const ClusterState& state() const { return m_state; }
    // Increases with each change of the state.
    std::uint64_t version() const { return m_version; }
    // The clock of the show, in hops; a message travels one hop, which takes hopSeconds() on the screen.
    double clock() const { return m_clock; }
    double hopSeconds() const { return 1.0 / m_rate; }
    bool isLive() const { return m_isLive; }
    // The show runs faster than the set pace, because of a backlog.
    bool isHurrying() const { return !m_isShow && !m_isLive && m_rate > 1.5 / m_hop; }
    // Events wait to be shown.
    bool isBusy() const { return !m_queue.empty() || (m_isShow ? !m_isAtGate : !m_incoming.empty()); }
    // The number of waiting events at the last frame.
    std::size_t waiting() const { return m_queue.size(); }
    // All events with an index up to this one are shown.
    std::uint64_t shownUpTo() const;
    // The shown instant, on the run's clock.
    std::int64_t shownNs() const;
    // Run time between the shown instant and the newest event received.
    std::int64_t behindNs() const;

    // Sets a function that is called with each shown event, once the state contains it.
    void setWitness(std::function<void(const RunEvent&, const ClusterState&)> witness)
    {
        m_witness = std::move(witness);
    }
    // The events scheduled in this frame (some are shown later), and the events shown in this frame.
    const std::vector<ShownEvent>& scheduled() const { return m_scheduled; }
    const std::vector<ShownEvent>& shown() const { return m_shown; }

    // The travel time of a message on the screen at normal pace, in s.
    void setHop(double seconds) { m_hop = seconds; }
    double hop() const { return m_hop; }
    // With reduced motion nothing is slowed down.
    void setReducedMotion(bool on) { m_isReduced = on; }

    static constexpr std::size_t kWaitingMax = 6'000; // events; above it the picture jumps
    static constexpr double kBacklogMax = 160; // hops; likewise
    static constexpr double kCatchUp = 3; // s; the clock takes this long to run through the backlog
    static constexpr double kHopNormal = 0.45; // default travel time of a message, in s
    // Time in s, at that pace, in which many similar operations are shown together.
    static constexpr double kBundle = 2.5;

private:
    struct Later {
        bool operator()(const std::pair<double, std::uint64_t>& x, const std::pair<double, std::uint64_t>& y) const
        {
            return x > y;
        }
    };
    struct ProcessClock {
        double at = 0;
        std::int64_t runNs = 0;
        std::uint64_t causeProcess = 0, causeSequence = 0;
        double hop = 1;
        double partAt = 0; // of the newest part
        double placedAt = -10; // when it got its place
        std::deque<std::pair<std::uint64_t, double>> times; // of its newest events, by sequence number
    };

    void pull(double seconds);
    void pullShow();
    bool hasReachedGate() const;
    bool isBeforeGate(const RunEvent& event) const;
    void forget();
    double rateOfShow();
    double endOfWhatWas(std::int64_t runNs) const;
    void schedule(const RunEvent& event);
    double hopOf(const RunEvent& run);
    void bundle(const RunEvent& run);
    bool isOnlyAlive() const;
    void show();
    void countBegun(const pb::Event& started);
    void synchronise();
    void learnWhatNoEventTells();
    void goLive();
    void changed() // the state changed otherwise than by a copy
    {
        m_revision = 0;
        ++m_version;
    }

    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    const EventFeed& m_own;
    const EventFeed* m_feed; // the pacer's own feed, or that of the show
    ClusterState m_state;
    std::uint64_t m_version = 0;
    std::uint64_t m_revision = 0; // revision of the feed's state that this state equals; 0: of none
    std::uint64_t m_cursor = 0;
    bool m_isStarted = false, m_isLive = false, m_isReduced = false;
    double m_hop = kHopNormal, m_rate = 1 / kHopNormal, m_clock = 0, m_last = 0;
    double m_time = 0, m_calmSince = 0, m_syncedAt = 0, m_learntAt = 0;
    std::int64_t m_eventNs = 0, m_newestNs = 0;
    std::int64_t m_endNs = kNever; // when the next process ends that the picture still shows alive
    std::function<void(const RunEvent&, const ClusterState&)> m_witness;
    struct Incoming {
        double arrived = 0;
        RunEvent event;
    };
    std::vector<Incoming> m_incoming; // wait a moment for causes that arrive later
    std::map<std::uint64_t, ShownEvent> m_events; // scheduled, by index
    std::priority_queue<std::pair<double, std::uint64_t>, std::vector<std::pair<double, std::uint64_t>>, Later> m_queue;
    std::unordered_map<ProcessId, ProcessClock> m_processes;
    OperationPaces m_paces;
    std::vector<ShownEvent> m_scheduled, m_shown;

    // For a show.
    bool m_isShow = false, m_isAtGate = false, m_isRushing = false, m_isRepeating = false;
    std::optional<Cue> m_gate;
    std::int64_t m_gateNs = 0; // run time of the newest event that was pulled
    double m_least = 0;
    std::multiset<double> m_readable; // times at which events with a display time of their own are scheduled
    Bundle m_bundle;
    std::map<std::int64_t, double> m_ends; // run time of what is read, and when it is shown, on the clock
    std::map<std::pair<ProcessId, pb::OperationKind>, std::size_t> m_begun; // operations of this step
    double m_bundleFrom = 0, m_bundleEnd = 0; // on the clock
    // End, in hops, of a stretch without anything readable, and the speed at which it is shown.
    double m_stretchEnd = 0, m_stretchRate = 0;
};

} // namespace lhrs::gui
