// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/event_feed.h"
#include "gui/lab/reel/reel.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lhrs::gui {

// An event with the place that it got on the clock of the show.
struct ShownEvent {
    RunEvent run;
    double at = 0;  // in hops
    double hop = 1; // how long a message of this step travels, in hops
};

// Decides when each event is shown. What takes microseconds in reality is stretched so that an eye can follow: an
// event is shown after its predecessor in its process, and one hop after the event that caused it, so the picture is at
// every moment a consistent cut of the run. Of a burst of operations the first are shown in full and the others quickly;
// structure is always shown in full. When too much waits, the picture jumps to the newest state (live), and comes back
// to the slow show when the cluster is calm: animation is dropped, state never.
//
// In a show along a reel nothing is dropped and nothing is hurried: of many operations alike the first is shown in full, and
// the others together, in a time that can be read; and nothing beyond the gate is shown.
class Pacer {
public:
    explicit Pacer(const EventFeed& feed) : m_own(feed), m_feed(&feed) {}

    // One frame: pulls what is new and shows what is due `seconds` after the last frame.
    void advance(double seconds);
    // A frame in which the picture stands still.
    void stand();
    // Forgets what was shown and what waits: another cluster, or a jump to the newest state.
    void reset();

    // ---- a show
    // From now on a show, of what follows this event in that feed, which must live until endShow().
    void beginShow(const EventFeed& feed, std::uint64_t event);
    // Free play of what the own feed has, from its newest state on.
    void endShow();
    bool isShow() const { return m_isShow; }
    // What is shown happened before and is shown once more: how much slower, the show says.
    void setRepeating(bool isRepeating) { m_isRepeating = isRepeating; }
    bool isRepeating() const { return m_isRepeating; }
    // Nothing beyond the cue is shown; none: whatever comes. Operations after another gate are no longer of one burst.
    void setGate(const std::optional<Cue>& gate);
    const std::optional<Cue>& gate() const { return m_gate; }
    // Everything up to the gate has been shown, as far as the feed has it.
    bool isAtGate() const { return m_isAtGate; }
    // Where nothing waits: what the feed knows of the shown instant besides events. The feed stands at shownUpTo().
    void takeState();
    // In this frame all is shown that waits before the gate.
    void rush() { m_isRushing = true; }
    // What waits before the gate takes that long at least, in seconds, so that the picture goes on while one reads; within bounds.
    void setLeast(double seconds) { m_least = seconds; }
    // Hops that lie before what was scheduled last.
    double hopsAhead() const;
    // How many of the operations that are shown together are still to begin, by kind ("37 more inserts"), and whose they are.
    struct Bundle {
        std::map<pb::OperationKind, std::size_t> operations;
        ProcessId client = 0;
    };
    const Bundle* bundle() const { return m_clock >= m_bundleFrom && m_clock < m_bundleEnd && !m_bundle.operations.empty() ? &m_bundle : nullptr; }

    const ClusterState& state() const { return m_state; }
    // Grows with each change of the state.
    std::uint64_t version() const { return m_version; }
    // The clock of the show, in hops; a message travels one hop, on the screen hopSeconds().
    double clock() const { return m_clock; }
    double hopSeconds() const { return 1.0 / m_rate; }
    bool isLive() const { return m_isLive; }
    // Shown faster than at the set pace, because much waits.
    bool isHurrying() const { return !m_isShow && !m_isLive && m_rate > 1.5 / m_hop; }
    // Something waits to be shown.
    bool isBusy() const { return !m_queue.empty() || (m_isShow ? !m_isAtGate : !m_incoming.empty()); }
    // Events that waited for their turn when the last frame was made.
    std::size_t waiting() const { return m_queue.size(); }
    // All events with an index up to this one are shown.
    std::uint64_t shownUpTo() const;
    // The instant that is shown, on the run's clock.
    std::int64_t shownNs() const;
    // Run time between what is shown and the newest event received.
    std::int64_t behindNs() const;

    // Called with each event that is shown, when the state has it.
    void setWitness(std::function<void(const RunEvent&, const ClusterState&)> witness) { m_witness = std::move(witness); }
    // Events that got their place in this frame (some will be shown later), and those shown in this frame.
    const std::vector<ShownEvent>& scheduled() const { return m_scheduled; }
    const std::vector<ShownEvent>& shown() const { return m_shown; }

    // How long a message travels on the screen when there is no hurry, in seconds.
    void setHop(double seconds) { m_hop = seconds; }
    double hop() const { return m_hop; }
    // Without movement nothing is slowed down.
    void setReducedMotion(bool on) { m_isReduced = on; }

    static constexpr std::size_t kWaitingMax = 6'000; // events; above it the picture jumps
    static constexpr double kBacklogMax = 160;        // hops; likewise
    static constexpr double kCatchUp = 3;           // seconds in which the clock would run through what waits
    static constexpr double kHopNormal = 0.45;      // seconds that a message travels unless told otherwise
    static constexpr double kBundle = 2.5;          // seconds, at that pace, in which many operations alike are shown together

private:
    struct Later {
        bool operator()(const std::pair<double, std::uint64_t>& x, const std::pair<double, std::uint64_t>& y) const { return x > y; }
    };
    struct ProcessClock {
        double at = 0;
        std::int64_t runNs = 0;
        std::uint64_t causeProcess = 0, causeSequence = 0;
        double hop = 1;
        std::deque<std::pair<std::uint64_t, double>> times; // of its newest events, by sequence
    };
    using OperationKey = std::pair<std::uint64_t, std::uint64_t>;

    void pull(double seconds);
    void pullShow();
    bool hasReachedGate() const;
    bool isBeforeGate(const RunEvent& event) const;
    void forget();
    double rateOfShow();
    void schedule(const RunEvent& event);
    double hopOf(const RunEvent& run);
    bool isFirstOfBurst(const OperationKey& operation, const RunEvent& run);
    bool isOnlyAlive() const;
    void show();
    void synchronise();
    void learnWhatNoEventTells();
    void goLive();
    void changed() // the state, otherwise than by a copy
    {
        m_revision = 0;
        ++m_version;
    }

    const EventFeed& m_own;
    const EventFeed* m_feed; // the own one, or that of the show
    ClusterState m_state;
    std::uint64_t m_version = 0;
    std::uint64_t m_revision = 0; // of the feed's state that this is an exact copy of; 0: of none
    std::uint64_t m_cursor = 0;
    bool m_isStarted = false, m_isLive = false, m_isReduced = false;
    double m_hop = kHopNormal, m_rate = 1 / kHopNormal, m_clock = 0, m_last = 0;
    double m_time = 0, m_calmSince = 0, m_syncedAt = 0, m_learntAt = 0;
    std::int64_t m_eventNs = 0, m_newestNs = 0;
    std::function<void(const RunEvent&, const ClusterState&)> m_witness;
    struct Incoming {
        double arrived = 0;
        RunEvent event;
    };
    std::vector<Incoming> m_incoming; // wait a moment for causes that arrive later
    std::map<std::uint64_t, ShownEvent> m_events; // scheduled, by index
    std::priority_queue<std::pair<double, std::uint64_t>, std::vector<std::pair<double, std::uint64_t>>, Later> m_queue;
    std::unordered_map<ProcessId, ProcessClock> m_processes;
    std::set<OperationKey> m_full;      // operations shown in full whose end is not known yet
    std::multiset<double> m_fullEnds;   // when those end whose end is known
    std::set<OperationKey> m_quick;     // the others
    std::vector<ShownEvent> m_scheduled, m_shown;

    // Of a show.
    bool m_isShow = false, m_isAtGate = false, m_isRushing = false, m_isRepeating = false;
    std::optional<Cue> m_gate;
    std::int64_t m_gateNs = 0;         // run time of the newest event that was pulled
    double m_least = 0;
    std::multiset<double> m_readable;  // where what takes a time of its own is scheduled
    std::set<std::pair<std::uint64_t, int>> m_burst; // clients and kinds of operations since the gate before
    Bundle m_bundle;
    std::multimap<double, pb::OperationKind> m_bundleStarts; // of its operations, on the clock
    bool m_isBundled = false;                                // the event that is being scheduled begins one of them
    double m_bundleFrom = 0, m_bundleEnd = 0; // on the clock
    double m_stretchEnd = 0, m_stretchRate = 0; // hops up to which a stretch without anything readable is run through, and how fast
};

} // namespace lhrs::gui
