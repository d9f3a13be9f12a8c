// SPDX-License-Identifier: GPL-3.0-or-later
// What a client waits for, as shown to a watcher.
#include "node/lhrs/client/client.h"
#include "node/machine/awaited_sample.h"

namespace lhrs {

void Client::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    add(m_context.acks, out);
    const std::uint32_t most = m_context.acks.timers().client_resends_max();
    m_operations.forEach([&](const Operation& op) {
        if (op.stage == Stage::Queued)
            return; // none of its requests is under way
        Wait wait { op.id.number(), nameOf(op.kind), {}, {}, op.sent, op.due, op.tries, most };
        if (op.stage == Stage::Sent) {
            if (const auto known = m_locations.find(op.target); known != m_locations.end()) {
                wait.to = known->second.node;
                wait.address = known->second.address;
            }
        } else if (op.stage == Stage::Asking) {
            wait.address = m_context.coordinator;
            const auto asked = m_asked.find(op.target);
            wait.due = asked != m_asked.end() ? asked->second : op.end;
            wait.triesMax = 0;
        }
        add(wait, out);
    });
}

} // namespace lhrs
