// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/sender_rights.h"

#include "common/wire_traits.h"
#include "node/transport/client_number.h"

#include <algorithm>
#include <random>

namespace lhrs {

NodeId drawProcessNumber(pb::ProcessKind kind)
{
    std::random_device device;
    std::uint64_t number = 0;
    while (number == 0)
        number = (std::uint64_t(device()) << 32 | device()) & ~kClientBit;
    return NodeId(kind == pb::CLIENT ? number | kClientBit : number);
}

bool mayBeFrom(NodeId sender, std::span<const ReadMessage> messages)
{
    return std::all_of(messages.begin(), messages.end(), [sender](const ReadMessage& read) {
        const pb::Message& message = *read.message;
        if (message.sender() != sender.value)
            return false;
        if (!isClientNumber(sender))
            return true;
        // It knows of no coordinator's epoch, and holds no place.
        if (message.coordinator_epoch() != 0 || message.incarnation() != 0
            || (message.has_alive() && (message.alive().role() != pb::NO_ROLE || message.alive().incarnation() != 0)))
            return false;
        const pb::ProcessInfo* self = message.has_register_() ? &message.register_().process()
            : message.has_alive()                             ? &message.alive().process()
                                                              : nullptr;
        return wireOf(message).isOfClient
            && (self == nullptr || (self->kind() == pb::CLIENT && self->node() == sender.value));
    });
}

bool mayAcknowledge(const pb::Message& message, const Machine& machine)
{
    const NodeId sender(message.sender());
    if (message.answers() == 0 || !isClientNumber(sender))
        return true;
    const auto awaited = machine.awaited(message.answers());
    return !awaited || *awaited == sender;
}

} // namespace lhrs
