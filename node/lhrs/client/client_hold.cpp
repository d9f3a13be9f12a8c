// SPDX-License-Identifier: GPL-3.0-or-later
// A client whose workload is held by a watcher: it begins nothing new until the hold ends.
#include "node/lhrs/client/client.h"

#include <utility>

namespace lhrs {

namespace {

constexpr std::uint32_t kLeaseMs = 5'000;
constexpr std::size_t kCommandsMax = 256; // waiting commands; they all begin in one step

} // namespace

void Client::holdWorkload(const pb::Command& command, Time now, Effects& out)
{
    const pb::HoldWorkload& order = command.hold_workload();
    if (order.is_held()) {
        m_holdEnds = now + m_context.ms(order.lease_ms() == 0 ? kLeaseMs : order.lease_ms());
        if (!std::exchange(m_isHeld, true)) {
            m_holdBegan = now;
            auto* event = out.event().mutable_workload_held();
            event->set_is_held(true);
            event->set_reason("somebody holds the workload");
        }
    } else if (m_isHeld) {
        endHold("released", now, out);
    }
    describe(*out.reply(command.ticket()).mutable_client());
}

void Client::endHold(const std::string& reason, Time now, Effects& out)
{
    m_isHeld = false;
    m_heldSum += now - m_holdBegan;
    m_holdEnds = Time::max();
    out.event().mutable_workload_held()->set_reason(reason);
    for (const pb::Command& command : std::exchange(m_heldCommands, {}))
        onCommand(command, now, out);
    feedWorkload(now, out);
    feedBulkInsert(now, out);
}

void Client::waitForHold(const pb::Command& command, Effects& out)
{
    if (m_heldCommands.size() < kCommandsMax) {
        m_heldCommands.push_back(command);
        return;
    }
    pb::CommandReply& reply = out.reply(command.ticket());
    reply.set_refusal(pb::REFUSED);
    reply.set_text("the workload is held and too many commands wait already; end the hold");
}

void Client::reportWorkload(pb::WorkloadResult& out, Time now) const
{
    if (!m_workload && !m_bulk)
        return;
    const Time held = heldSince(m_heldBefore, now);
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
