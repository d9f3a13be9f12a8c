// SPDX-License-Identifier: GPL-3.0-or-later
// The commands to a client of the ring: its own look-ups, and the commands that every client has.
#include "node/walk/walk_client.h"

#include <algorithm>

namespace lhrs {

const char* WalkClient::whatIsWrongHere(const pb::RunWorkload& order) const
{
    return order.without_acknowledgement() ? "without_acknowledgement: a ring answers every query" : nullptr;
}

void WalkClient::lookUp(const pb::Command& command, Time now, Effects& out)
{
    const pb::LookUp& order = command.walk().look_up();
    const auto isVia = [&order](const pb::WalkNode& node) { return node.node() == order.via(); };
    if (order.via() != 0 && std::none_of(m_entries.begin(), m_entries.end(), isVia)) {
        out.refuse(command.ticket(), pb::BAD_ARGUMENT, "via: no node of the ring, as this client knows it");
        return;
    }
    Operation& op = create(pb::SEARCH, Key(order.key()), now);
    op.ticket = command.ticket();
    op.isLookUp = true;
    op.via = NodeId(order.via());
    begin(op, now, out);
}

void WalkClient::onCommand(const pb::Command& command, Time now, Effects& out)
{
    using W = pb::WalkCommand;
    switch (command.walk().body_case()) {
    case W::kLookUp: m_hold.isOn() ? waitForHold(command, out) : lookUp(command, now, out); return;
    case W::kDescribeRing:
    case W::kJoinRing:
    case W::kLeaveRing: out.refuse(command.ticket(), pb::WRONG_PROCESS, "the master knows the ring; ask it"); return;
    case W::BODY_NOT_SET: break;
    }
    if (command.verify().only_bucket())
        out.refuse(command.ticket(), pb::BAD_ARGUMENT, "only_bucket: a ring has no buckets");
    else if (!obey(command, now, out))
        out.refuse(
            command.ticket(), pb::WRONG_PROCESS, "a client of a ring does not do that; ask the master or a node");
}

} // namespace lhrs
