// SPDX-License-Identifier: GPL-3.0-or-later
// The path of a command, and the commands that the runtime answers itself.
#include "node/runtime/runtime.h"

namespace lhrs {

// Called in the control server's thread.
void Runtime::takeCommand(pb::Command command)
{
    // These commands bypass the queue. A paused process must accept commands about its pause, and watchers must see
    // that it stands still. A gate closes without waiting for the inputs that are queued before it.
    pb::CommandReply reply;
    reply.set_ticket(command.ticket());
    if (m_faults->command(command, reply) || commandGate(command, reply)) {
        m_control->reply(reply);
        return;
    }
    if (command.has_watch()) {
        watch(*reply.mutable_sample());
        m_control->reply(reply);
        return;
    }
    Input input;
    input.command = std::make_unique<pb::Command>(std::move(command));
    m_inputs.push(std::move(input), m_stopping.get_token());
}

// Called with the core held.
void Runtime::command(const pb::Command& command, Time now, Effects& out)
{
    if (command.has_take_snapshot()) {
        pb::Snapshot& snapshot = *out.reply(command.ticket()).mutable_snapshot();
        m_machine->snapshot(snapshot);
        snapshot.set_process(m_node.value);
        snapshot.set_sequence(m_stamper->sequence());
        snapshot.set_time_ns(clock().count());
        snapshot.set_wall_ns(wallNow());
        *snapshot.mutable_info() = m_self;
        snapshot.set_detail(m_stamper->detail());
        snapshot.set_is_gated(m_gate.isClosed());
        m_faults->describe(snapshot);
        if (command.take_snapshot().without_records())
            m_machine->leaveOutRecords(snapshot);
    } else if (command.has_statistics()) {
        fillGauges(*out.reply(command.ticket()).mutable_gauges());
    } else if (command.has_set_detail()) {
        pb::CommandReply& reply = out.reply(command.ticket());
        if (pb::Detail_IsValid(command.set_detail().detail())) {
            m_stamper->setDetail(command.set_detail().detail(), command.set_detail().sample());
        } else {
            reply.set_refusal(pb::BAD_ARGUMENT);
            reply.set_text("there is no such level of detail; use one of Detail in proto/event.proto");
        }
    } else if (command.has_shutdown()) {
        out.reply(command.ticket());
        stop("ended by a command");
    } else {
        m_machine->onCommand(command, now, out);
    }
}

} // namespace lhrs
