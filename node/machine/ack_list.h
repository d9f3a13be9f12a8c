// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"
#include "proto/config.pb.h"

#include <functional>
#include <map>
#include <optional>
#include <set>

namespace lhrs {

using namespace std::chrono_literals;

// What a zero in pb::Timers stands for (lhrs.md 14.5).
pb::Timers withDefaults(pb::Timers timers);
// All durations, given or default, times `factor`; counts and bounds stay.
pb::Timers scaled(const pb::Timers& timers, double factor);

// Messages that wait for an acknowledgement (lhrs.md 18.6): when to resend, when to give up. Each machine has one. The
// acknowledgement of a message is whatever message names its id in `answers`.
class AckList {
public:
    enum class Patience {
        GiveUp,    // after the last resend the message is dropped and handed to whoever wants to know
        KeepTrying // an order that must arrive; the interval stays at its longest after the last doubling
    };
    // Distinguishes what a machine waits for, when the answer or the end of patience comes. The machine's own numbers.
    using Purpose = std::uint64_t;
    struct Entry {
        pb::Message message;
        Effects::Block block; // the message's, where it is long
        Address to;
        NodeId node;
        Way way = Way::Auto;
        Patience patience = Patience::GiveUp;
        Purpose purpose = 0;
        std::uint32_t tries = 0;
        Time sent {};
        Time due {};
    };

    explicit AckList(const pb::Timers& timers) : m_timers(withDefaults(timers)) {}
    void setTimers(const pb::Timers& timers) { m_timers = withDefaults(timers); }
    const pb::Timers& timers() const { return m_timers; }
    // The ids that follow begin above this: acknowledgements of a former process at this address fit none of them.
    void startAt(std::uint64_t id) { m_lastId = std::max(m_lastId, id); }

    // Sends the message and remembers it; returns its id. The operation of the present step goes with it. `block`: the
    // message's record block, where several get the same.
    std::uint64_t send(pb::Message message, const Address& to, NodeId node, Way way, Patience patience, Purpose purpose,
        Time now, Effects& out, Effects::Block block = nullptr);
    // The message with this id is acknowledged. Nothing: it was before, or was never sent.
    std::optional<Entry> acknowledge(std::uint64_t id, Time now);
    // Nobody waits for this message any more.
    void forget(std::uint64_t id) { m_pending.erase(id); }
    // Forgets all messages for which the test is true; how many.
    std::size_t forgetIf(const std::function<bool(const Entry&)>& test);
    bool isWaitingFor(std::uint64_t id) const { return m_pending.contains(id); }
    bool any(const std::function<bool(const Entry&)>& test) const;
    // Whom messages that must arrive were sent to more often than would be given up.
    std::set<NodeId> silent() const;
    // Resends what is due. Those given up are taken out, reported as MessageGivenUp and handed to `givenUp`.
    void onTime(Time now, Effects& out, const std::function<void(const Entry&)>& givenUp);
    // When onTime is wanted next.
    Time deadline() const;
    std::uint32_t size() const { return std::uint32_t(m_pending.size()); }
    // Those that wait, by id, so that the first sent comes first; for who watches.
    const std::map<std::uint64_t, Entry>& pending() const { return m_pending; }

private:
    Time interval(const Entry& entry) const;

    pb::Timers m_timers;
    std::uint64_t m_lastId = 0;
    std::map<std::uint64_t, Entry> m_pending;
    Time m_roundTrip {}; // smoothed
};

} // namespace lhrs
