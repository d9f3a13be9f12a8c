// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/endpoint.h"
#include "common/network/fault_rules.h"
#include "common/ids.h"
#include "proto/control.pb.h"
#include "proto/event.pb.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lhrs {

// Which faults are armed at a process, what they affect, when they end, and what they have done. It has no thread,
// clock or socket: the fault shim or the simulator, which carries the messages, provides them. Not thread-safe.
class FaultBook {
public:
    using Time = std::chrono::nanoseconds; // on any monotonic clock
    static constexpr std::size_t kFaultsMax = 64;
    static constexpr std::uint32_t kLeaseMax = 3'600'000; // ms

    // The parts of a process on which armed faults may act.
    enum Part : unsigned { Traffic = 1, Pause = 2, Events = 4 };

    // A message that passes through the transport. The receivers of a multicast are unknown, so at its sender only
    // faults that affect all peers act on it.
    struct Passing {
        bool isIncoming = false;
        NodeId node; // of the peer, if known
        Endpoint end {}; // address of the peer; for outgoing messages
        bool isMulticast = false;
        bool isStream = false;
        // Number of the body; 0: several or unknown. Faults restricted to some kinds then do not affect it.
        int kind = 0;
        std::size_t bytes = 0;
    };
    struct Verdict {
        Fate fate; // combined effect of all faults
        std::vector<std::uint64_t> delayedBy; // numbers of the faults that delay it
    };
    enum class Armed { New, Renewed, Nothing };

    FaultBook(NodeId self, Endpoint selfEnd) : m_self(self), m_selfEnd(selfEnd) { }

    // Whether arm() would accept the fault, and with what effect; an Error says what is wrong with the fault.
    Result<Armed> check(const pb::Fault& fault) const;
    // Call it after check(). New: the fault begins; Renewed: its lease is renewed; Nothing: a network fault with all
    // values zero, which ends the fault of its number.
    void arm(const pb::Fault& fault, Time now);
    // Removes a fault (0: all) and reports its effect.
    std::vector<pb::FaultEnded> heal(std::uint64_t number, const std::string& reason, Time now);
    // Removes the faults whose lease has ended.
    std::vector<pb::FaultEnded> expire(Time now);
    // When the next lease ends.
    std::optional<Time> nextExpiry() const;
    void list(pb::FaultList& out, Time now) const;

    // Parts of the process on which armed faults act: bits of Part.
    unsigned parts() const;
    Verdict judge(const Passing& passing, Time now);
    // What happened to a message that these faults delay: it is held back; it is lost because too many are held back
    // already; or it was released, `delay` late.
    void held(const std::vector<std::uint64_t>& by);
    void overflowed(const std::vector<std::uint64_t>& by);
    void released(const std::vector<std::uint64_t>& by, Time delay);
    // The event is about to be published; returns true if an armed crash is due at it.
    bool crashesAt(const pb::Event& event);

private:
    struct Entry {
        pb::Fault fault;
        NetworkRule rule; // of a network fault; a partition drops everything
        bool isForAll = true;
        bool isAllBut = false;
        pb::FaultWay way = pb::BOTH_WAYS;
        std::vector<pb::FaultPeer> peers;
        FaultDice dice { 0 };
        Time begin {};
        Time end {};
        // For a fault with a rate: when the link to each peer is free.
        std::map<std::pair<std::uint64_t, Endpoint>, Time> linkFree;
        std::uint32_t eventsLeft = 0; // events until a crash
        pb::FaultEffect effect;
    };

    bool concerns(const Entry& entry, const Passing& passing) const;
    static pb::FaultEffect effectOf(const Entry& entry, Time now);
    template <class Change> void change(const std::vector<std::uint64_t>& numbers, Change change);
    template <class Wanted> std::vector<pb::FaultEnded> take(Wanted isWanted, const std::string& reason, Time now);

    const NodeId m_self;
    const Endpoint m_selfEnd;
    std::map<std::uint64_t, Entry> m_entries; // by number
};

} // namespace lhrs
