// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"
#include "node/machine/memory_room.h"
#include "proto/control.pb.h"
#include "proto/message.pb.h"

namespace lhrs {

// A role of the protocol as a value machine: node, coordinator or client. Its inputs are messages, commands and the
// time; its output is Effects. It has no thread, socket, clock, log or randomness of its own, so the runtime and the
// simulator drive the same code. Not thread-safe: the driver calls one function at a time.
class Machine {
public:
    virtual ~Machine() = default;
    // A message arrived. `now` never decreases from call to call.
    virtual void onMessage(const pb::Message& message, Time now, Effects& out) = 0;
    // How soon the driver will pass the message to onMessage().
    enum class Soon { Next, Later };
    // The driver will deliver this message soon, so the machine may prefetch the memory that it will need. Changes no
    // state.
    virtual void expect(const pb::Message& message, Soon soon) const { (void)message, (void)soon; }
    // An operator's command. Every command gets exactly one reply, in this or a later call, matched by its ticket.
    virtual void onCommand(const pb::Command& command, Time now, Effects& out) = 0;
    // deadline() has passed. Early calls do no harm. The first call starts the machine.
    virtual void onTime(Time now, Effects& out) = 0;
    // The driver has measured the memory of the process. May bring deadline() forward.
    virtual void onMemory(const MemoryReading& reading, Time now, Effects& out) { (void)reading, (void)now, (void)out; }
    // When onTime must next be called; Time::max(): not before another call.
    virtual Time deadline() const = 0;
    // The state that a new watcher needs; the driver adds process, sequence, times and info.
    virtual void snapshot(pb::Snapshot& out) const = 0;
    // Takes the records out of a snapshot of this machine, for a watcher that wants figures only.
    virtual void leaveOutRecords(pb::Snapshot& snapshot) const { (void)snapshot; }
    // Which process is to acknowledge the message of this machine that has this id, 0 if any process at its address
    // may; nothing if no acknowledgement is awaited. A driver that knows the sender of a message for certain lets no
    // client acknowledge what another process was to receive.
    virtual std::optional<NodeId> awaited(std::uint64_t id) const
    {
        (void)id;
        return {};
    }
    // Further state for watchers: waiting messages, sequences, leases. The driver adds threads and queues.
    virtual void inspect(Time now, pb::NodeSample& out) const { (void)now, (void)out; }
    // Counters of the role; the driver adds its own (queue, dropped, memory, cpu, messages).
    virtual void gauges(pb::Gauges& out) const = 0;
};

} // namespace lhrs
