// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/endpoint.h"
#include "common/fault_rules.h"
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

// Which faults are armed at a process, whom they hit, when they end, and what they have done. No thread, no clock, no
// socket: whoever carries its messages has those, the fault shim or the simulator. Not thread-safe.
class FaultBook {
public:
    using Time = std::chrono::nanoseconds; // of any monotonic clock
    static constexpr std::size_t kFaultsMax = 64;
    static constexpr std::uint32_t kLeaseMax = 3'600'000; // ms

    // What armed faults may act on.
    enum Part : unsigned { Traffic = 1, Pause = 2, Events = 4 };

    // A message that passes the transport. Of a multicast nobody knows who hears it, so only faults that concern
    // everybody act on it at its sender.
    struct Passing {
        bool isIncoming = false;
        NodeId node;     // of the peer, where known
        Endpoint end {}; // of the peer, for what is sent
        bool isMulticast = false;
        bool isStream = false;
        int kind = 0; // number of the body; 0: several or unknown, then faults for some kinds leave it alone
        std::size_t bytes = 0;
    };
    struct Verdict {
        Fate fate;                            // of all faults together
        std::vector<std::uint64_t> delayedBy; // numbers of the faults that hold it back
    };
    enum class Armed { New, Renewed, Nothing };

    FaultBook(NodeId self, Endpoint selfEnd) : m_self(self), m_selfEnd(selfEnd) {}

    // Whether arm() would do it, and what: an Error says what is wrong with it.
    Result<Armed> check(const pb::Fault& fault) const;
    // After check(): New begins, Renewed gets a new lease, Nothing is a network fault of zeros and ends its number.
    void arm(const pb::Fault& fault, Time now);
    // Removes a fault (0: all) and says what it had achieved.
    std::vector<pb::FaultEnded> heal(std::uint64_t number, const std::string& reason, Time now);
    // Removes those whose lease has ended.
    std::vector<pb::FaultEnded> expire(Time now);
    // When the next lease ends.
    std::optional<Time> nextExpiry() const;
    void list(pb::FaultList& out, Time now) const;

    // Parts of the process on which armed faults act: bits of Part.
    unsigned parts() const;
    Verdict judge(const Passing& passing, Time now);
    // What became of a message that these faults delay: it is held back; it is lost, because too many are held back
    // already; what was held back goes on, `delay` late.
    void held(const std::vector<std::uint64_t>& by);
    void overflowed(const std::vector<std::uint64_t>& by);
    void released(const std::vector<std::uint64_t>& by, Time delay);
    // The event is about to be published: true if a crash was to come with it.
    bool crashesAt(const pb::Event& event);

private:
    struct Entry {
        pb::Fault fault;
        NetworkRule rule; // of a network fault, or all dropped of a partition
        bool isForAll = true;
        bool isAllBut = false;
        pb::FaultWay way = pb::BOTH_WAYS;
        std::vector<pb::FaultPeer> peers;
        FaultDice dice { 0 };
        Time begin {};
        Time end {};
        std::map<std::pair<std::uint64_t, Endpoint>, Time> linkFree; // of a rate, by peer
        std::uint32_t eventsLeft = 0; // until a crash
        pb::FaultEffect effect;
    };

    bool concerns(const Entry& entry, const Passing& passing) const;
    static pb::FaultEffect effectOf(const Entry& entry, Time now);
    template <class Change>
    void change(const std::vector<std::uint64_t>& numbers, Change change);
    template <class Wanted>
    std::vector<pb::FaultEnded> take(Wanted isWanted, const std::string& reason, Time now);

    const NodeId m_self;
    const Endpoint m_selfEnd;
    std::map<std::uint64_t, Entry> m_entries; // by number
};

} // namespace lhrs
