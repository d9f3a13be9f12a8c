// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "node/machine/ack_list.h"
#include "node/machine/effects.h"
#include "proto/message.pb.h"

namespace lhrs {

// What the parts of a process share in any system: its identity, the coordinator's address and the messages that await
// acknowledgement. Owned by the machine.
struct NodeContext {
    pb::ProcessInfo self;
    Address coordinator;
    AckList acks;
    std::uint64_t coordinatorEpoch = 0; // the highest one received; orders with a lower one are refused
    // What an entry of `acks` is about. A system uses its own values from 2 on.
    enum Purpose : AckList::Purpose { Plain = 0, Registration = 1 };

    Time ms(std::uint32_t n) const { return std::chrono::milliseconds(n); }
    // Sends to the coordinator and resends until the message is acknowledged.
    std::uint64_t tell(pb::Message message, Time now, Effects& out)
    {
        return acks.send(
            std::move(message), coordinator, NodeId(), Way::Auto, AckList::Patience::KeepTrying, Plain, now, out);
    }
    // The process starts: reports this and registers with the coordinator, resending until the coordinator answers.
    void enter(Time now, Effects& out)
    {
        *out.event().mutable_process_started()->mutable_process() = self;
        pb::Message message;
        *message.mutable_register_()->mutable_process() = self;
        acks.send(std::move(message), coordinator, NodeId(), Way::Auto, AckList::Patience::KeepTrying, Registration,
            now, out);
    }
    // Sends Alive to the coordinator. The caller adds what its system wants to report.
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
