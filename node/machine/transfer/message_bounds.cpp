// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/transfer/message_bounds.h"

#include "common/directory_entry.h"
#include "common/wire.h"
#include "node/machine/transfer/part_transfers.h"

namespace lhrs {

bool isNamed(const pb::RequestId& request) { return request.client() != 0 && request.number() != 0; }

bool isEntry(const pb::ProcessInfo& process)
{
    return process.kind() != pb::COORDINATOR && whatIsWrong(process).empty();
}

const pb::ProcessInfo* introducedIn(const pb::Message& message)
{
    return message.has_register_() ? &message.register_().process()
        : message.has_alive()      ? &message.alive().process()
                                   : nullptr;
}

bool hasSoundEntry(const pb::Message& message)
{
    const pb::ProcessInfo* process = introducedIn(message);
    return process == nullptr || isEntry(*process);
}

void turnAway(const pb::Message& message, Effects& out)
{
    if (!message.has_register_())
        return;
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    answer.mutable_registered()->set_too_many_clients(true);
}

bool isWithinLimits(const pb::Part& part)
{
    return part.number() < part.count() && part.count() <= kFrameMax / kPartBytes + 1
        && part.bytes().size() <= kPartBytes && !part.bytes().empty();
}

void tellDropped(const pb::Message& message, pb::Event& event)
{
    auto* dropped = event.mutable_message_dropped();
    dropped->set_reason("beyond the limits of the protocol");
    dropped->set_from(message.sender());
    dropped->set_count(1);
}

} // namespace lhrs
