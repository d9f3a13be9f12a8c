// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "node/machine/ack_list.h"
#include "node/machine/effects.h"
#include "node/machine/memory_room.h"
#include "proto/message.pb.h"

#include <map>

namespace lhrs {

inline constexpr std::uint32_t kRetryAfterMs = 20; // in a RETRY answer
inline constexpr std::uint32_t kRetryWhenFullMs = 100; // when memory is at its limit

// Where the holder of a place listens, and its incarnation.
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

// Bucket number -> holder, as far as this process knows. It is only a hint: the bucket may have moved.
using LocationCache = std::map<BucketNumber, HolderInfo>;

// The highest rank of a bucket: at most 4 b records, plus ranks that wait to be freed.
inline Rank rankLimit(const pb::FileConfig& config) { return Rank(8 * config.b() + 65'536); }

// How a slice of a bucket recovery travels in this file.
inline Way bulkWay(const pb::FileConfig& config)
{
    return config.recovery_transport() == pb::RECOVERY_UDP ? Way::Datagrams : Way::Stream;
}

// What the parts of one node share: its identity, the coordinator's address and the messages it waits for. Owned by the
// node machine.
struct NodeContext {
    pb::ProcessInfo self;
    Address coordinator;
    AckList acks;
    LocationCache locations;
    MemoryRoom memory {};
    std::uint64_t coordinatorEpoch = 0; // the highest one heard; orders with a lower one are refused
    // What the entries of `acks` are about; the low bits may hold a column.
    enum Purpose : AckList::Purpose { Plain = 0, Registration = 1, MoveBlock = 2, ContentsBlock = 3, OfRecovery = 4, ScanBlock = 5, BatchBlock = 256 };

    Time ms(std::uint32_t n) const { return std::chrono::milliseconds(n); }
    // Sends to the coordinator and resends until the message is acknowledged.
    std::uint64_t tell(pb::Message message, Time now, Effects& out)
    {
        return acks.send(std::move(message), coordinator, NodeId(), Way::Auto, AckList::Patience::KeepTrying, Plain, now, out);
    }
    // The process begins: it says so, and registers with the coordinator, which it tells until that answers.
    void enter(Time now, Effects& out)
    {
        *out.event().mutable_process_started()->mutable_process() = self;
        pb::Message message;
        *message.mutable_register_()->mutable_process() = self;
        acks.send(std::move(message), coordinator, NodeId(), Way::Auto, AckList::Patience::KeepTrying, Registration, now, out);
    }
    // Says that it lives. The caller adds what its system wants to be known.
    pb::Alive& sayAlive(Effects& out) const
    {
        pb::Alive& alive = *out.send(coordinator).mutable_alive();
        *alive.mutable_process() = self;
        return alive;
    }
    // Acknowledges the message to its sender.
    static void acknowledge(const pb::Message& message, Effects& out)
    {
        pb::Message& ack = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
        ack.set_answers(message.id());
        ack.mutable_ack();
    }
};

} // namespace lhrs
