// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/event_feed.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace lhrs::gui {

// Decides which operations are shown in full and which quickly. A live picture shows one at a time in full. A show
// shows in full the first operation of each kind that a client begins after a gate. It also shows in full those that
// the client has under way beside it, as many as can be told apart. The others are quick; they begin when those have
// been seen on their way and back.
class OperationPaces {
public:
    using Key = std::pair<std::uint64_t, std::uint64_t>; // client, number
    static constexpr double kQuickHop = 0.04; // hops of a message of a quick operation
    static constexpr std::size_t kSideBySide = 8;

    static Key keyOf(const pb::Event& event) { return { event.operation().client(), event.operation().number() }; }

    struct Pace {
        bool isFull = true;
        bool isBundled = false; // a quick operation begins in a show
    };
    // The pace of this event's operation; `clock` in hops.
    Pace paceOf(const pb::Event& event, bool isShow, double clock);
    // The time at which a show shows this event of the process: `at`, or later if it is the request of a quick
    // operation.
    double timeOf(const pb::Event& event, ProcessId process, bool isFull, double at);
    // The operation is over; its end is shown at this time.
    void end(const pb::Event& event, double at);

    // Whether some operation has begun whose end is not known yet.
    bool hasOpen() const { return !m_full.empty() || !m_quick.empty(); }
    void nextGate() { m_bursts.clear(); }
    void clear();

private:
    // Operations of one kind that a client has begun since the gate.
    struct Burst {
        Key first;
        std::size_t full = 1;
    };

    bool isFullInShow(const pb::Event& event);

    std::set<Key> m_full; // shown in full; their end is not known yet
    std::multiset<double> m_ends; // known ends of operations shown in full
    std::set<Key> m_quick;
    std::map<std::pair<std::uint64_t, int>, Burst> m_bursts; // by client and kind
    std::map<std::uint64_t, double> m_begun; // by client: when the first operation of its newest burst begins
};

} // namespace lhrs::gui
