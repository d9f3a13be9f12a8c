// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/held_message.h"

#include "common/kinds.h"
#include "node/machine/event_stamp.h"

namespace lhrs {

void describeHeld(pb::HeldMessage& out, std::uint64_t number, const pb::Message& message, std::uint32_t bytes,
    pb::Transport transport, std::int64_t sinceNs)
{
    out.set_number(number);
    out.set_id(message.id());
    out.set_kind(nameOf(message));
    out.set_from(message.sender());
    out.set_bytes(bytes);
    out.set_transport(transport);
    out.set_since_ns(sinceNs);
    if (message.has_operation())
        *out.mutable_operation() = message.operation();
}

} // namespace lhrs
