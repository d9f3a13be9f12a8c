// SPDX-License-Identifier: GPL-3.0-or-later
// A client whose workload is held by a watcher: it begins nothing new until the hold ends.
#include "node/lhrs/client/client.h"

namespace lhrs {

void Client::holdWorkload(const pb::Command& command, Time now, Effects& out)
{
    const pb::HoldWorkload& order = command.hold_workload();
    if (order.is_held()) {
        if (m_hold.hold(order.lease_ms(), now)) {
            auto* event = out.event().mutable_workload_held();
            event->set_is_held(true);
            event->set_reason("somebody holds the workload");
        }
    } else if (m_hold.isOn()) {
        endHold("released", now, out);
    }
    describe(*out.reply(command.ticket()).mutable_client());
}

void Client::endHold(const std::string& reason, Time now, Effects& out)
{
    out.event().mutable_workload_held()->set_reason(reason);
    for (const pb::Command& command : m_hold.end(now))
        onCommand(command, now, out);
    feedWorkload(now, out);
    feedBulkInsert(now, out);
}

void Client::waitForHold(const pb::Command& command, Effects& out)
{
    if (m_hold.keep(command))
        return;
    pb::CommandReply& reply = out.reply(command.ticket());
    reply.set_refusal(pb::REFUSED);
    reply.set_text("the workload is held and too many commands wait already; end the hold");
}

void Client::reportWorkload(pb::WorkloadResult& out, Time now) const
{
    if (!m_workload && !m_bulk)
        return;
    const Time held = m_hold.sum(now) - m_heldBefore;
    if (m_workload) {
        std::set<FullAt> full;
        m_operations.forEach([&full](const Operation& op) {
            if (op.full.isThere())
                full.insert(op.full);
        });
        m_workload->report(out, now - held, std::move(full));
    } else {
        m_bulk->report(out, now);
    }
    out.set_held_ns(held.count());
}

} // namespace lhrs
