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

// Replaces each zero in pb::Timers by the field's default.
pb::Timers withDefaults(pb::Timers timers);
// Multiplies all durations, given or default, by `factor`; counts and bounds stay.
pb::Timers scaled(const pb::Timers& timers, double factor);

// Messages that wait for an acknowledgement: when to resend them and when to give up. Each machine has one list. A
// message is acknowledged by any message that names its id in `answers`.
class AckList {
public:
    enum class Patience {
        GiveUp, // after the last resend the message is dropped and passed to the `givenUp` callback
        KeepTrying // an order that must arrive; after the last doubling the interval stays at its longest
    };
    // Tells the machine what an entry was for, when it is acknowledged or given up. The numbers are the machine's own.
    using Purpose = std::uint64_t;
    struct Entry {
        pb::Message message;
        Effects::Block block; // the message's record block, if it is long
        Address to;
        NodeId node;
        Way way = Way::Auto;
        Patience patience = Patience::GiveUp;
        Purpose purpose = 0;
        std::uint32_t tries = 0;
        Time sent {};
        Time due {};
    };

    explicit AckList(const pb::Timers& timers) : m_timers(withDefaults(timers)) { }
    void setTimers(const pb::Timers& timers) { m_timers = withDefaults(timers); }
    const pb::Timers& timers() const { return m_timers; }
    // Later ids are greater than this one, so that an acknowledgement for an earlier process at this address matches
    // none.
    void startAt(std::uint64_t id) { m_lastId = std::max(m_lastId, id); }

    // Sends the message and remembers it; returns its id. It carries the operation of the present step. `block`: the
    // message's record block, when several receivers get the same one.
    std::uint64_t send(pb::Message message, const Address& to, NodeId node, Way way, Patience patience, Purpose purpose,
        Time now, Effects& out, Effects::Block block = nullptr);
    // The message with this id is acknowledged. Returns nothing if it already was, or was never sent.
    std::optional<Entry> acknowledge(std::uint64_t id, Time now);
    // The message no longer needs an acknowledgement.
    void forget(std::uint64_t id) { m_pending.erase(id); }
    // Forgets all messages that pass the test; returns their number.
    std::size_t forgetIf(const std::function<bool(const Entry&)>& test);
    bool isWaitingFor(std::uint64_t id) const { return m_pending.contains(id); }
    // To which process the waiting message with this id goes, 0 if that is not known; nothing if none waits.
    std::optional<NodeId> receiverOf(std::uint64_t id) const
    {
        const auto found = m_pending.find(id);
        return found == m_pending.end() ? std::nullopt : std::optional(found->second.node);
    }
    bool any(const std::function<bool(const Entry&)>& test) const;
    // Receivers of KeepTrying messages that were resent more often than the limit for giving up.
    std::set<NodeId> silent() const;
    // Resends every message that is due. Messages that are given up are removed, reported as MessageGivenUp and passed
    // to `givenUp`.
    void onTime(Time now, Effects& out, const std::function<void(const Entry&)>& givenUp);
    // When onTime must next be called.
    Time deadline() const;
    std::uint32_t size() const { return std::uint32_t(m_pending.size()); }
    // The waiting messages by id, that is, in the order of sending; for watchers.
    const std::map<std::uint64_t, Entry>& pending() const { return m_pending; }

private:
    Time interval(const Entry& entry) const;

    pb::Timers m_timers;
    std::uint64_t m_lastId = 0;
    std::map<std::uint64_t, Entry> m_pending;
    Time m_roundTrip {}; // smoothed round-trip time
};

} // namespace lhrs
