// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "node/machine/ack_list.h"
#include "node/machine/effects.h"
#include "node/machine/memory_room.h"
#include "proto/message.pb.h"

#include <map>

namespace lhrs {

inline constexpr std::uint32_t kRetryAfterMs = 20; // in an answer RETRY
inline constexpr std::uint32_t kRetryWhenFullMs = 100; // where memory is at its limit

// Where a process of the file listens and under which incarnation it holds its place.
struct HolderInfo {
    Address address;
    NodeId node;
    Incarnation incarnation;
    bool operator==(const HolderInfo&) const = default;
    static HolderInfo from(const pb::Holder& h) { return { Address::from(h.address()), NodeId(h.node()), Incarnation(h.incarnation()) }; }
    void to(pb::Holder& out) const
    {
        address.to(*out.mutable_address());
        out.set_node(node.value);
        out.set_incarnation(incarnation.value);
    }
};

// Bucket number -> holder, as far as this process has been told (lhrs.md 1.6). A hint: who is there may have changed.
using LocationCache = std::map<BucketNumber, HolderInfo>;

// The highest rank of a bucket: 4 b records at most, and ranks that wait to be free.
inline Rank rankLimit(const pb::FileConfig& config) { return Rank(8 * config.b() + 65'536); }

// How a slice of a bucket recovery travels in this file.
inline Way bulkWay(const pb::FileConfig& config)
{
    return config.recovery_transport() == pb::RECOVERY_UDP ? Way::Datagrams : Way::Stream;
}

// What the parts of one node share: who it is, whom it asks, what it waits for. Owned by the node machine.
struct NodeContext {
    pb::ProcessInfo self;
    Address coordinator;
    AckList acks;
    LocationCache locations;
    MemoryRoom memory {};
    std::uint64_t coordinatorEpoch = 0; // the highest that was heard of; the orders of a lower one are refused
    // What the entries of `acks` are about; the low bits may carry a column.
    enum Purpose : AckList::Purpose { Plain = 0, Registration = 1, MoveBlock = 2, ContentsBlock = 3, OfRecovery = 4, ScanBlock = 5, BatchBlock = 256 };

    Time ms(std::uint32_t n) const { return std::chrono::milliseconds(n); }
    // Sends to the coordinator, again and again until it is acknowledged.
    std::uint64_t tell(pb::Message message, Time now, Effects& out)
    {
        return acks.send(std::move(message), coordinator, NodeId(), Way::Auto, AckList::Patience::KeepTrying, Plain, now, out);
    }
    // "Your message is here", to its sender.
    static void acknowledge(const pb::Message& message, Effects& out)
    {
        pb::Message& ack = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
        ack.set_answers(message.id());
        ack.mutable_ack();
    }
};

} // namespace lhrs
