// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the linear walk in the table of common/wire_traits.h.
#pragma once

#include "common/wire_traits.h"

namespace lhrs {

constexpr WireTraits walkWire(pb::WalkMessage::BodyCase body)
{
    using W = pb::WalkMessage;
    switch (body) {
    case W::kQuery:
        return { .isListed = true,
            .value = [](pb::Message& m) { return m.mutable_walk()->mutable_query()->mutable_value(); },
            .readValue = [](const pb::Message& m) -> const std::string& { return m.walk().query().value(); } };
    case W::kAnswer:
        return { .isListed = true,
            .value = [](pb::Message& m) { return m.mutable_walk()->mutable_answer()->mutable_value(); },
            .readValue = [](const pb::Message& m) -> const std::string& { return m.walk().answer().value(); } };

    // These bodies have no such fields.
    case W::kAstray:
    case W::kWelcome:
    case W::kWhoIsIn:
    case W::kAdmit:
    case W::kGive:
    case W::kKeys:
    case W::kYours:
    case W::kGiven:
    case W::kUndone:
    case W::kLink:
    case W::kOver:
    case W::kStop: return { .isListed = true };
    case W::BODY_NOT_SET: break;
    }
    return {};
}

// What a client of the walk sends: see WireTraits::isOfClient.
constexpr bool isOfWalkClient(pb::WalkMessage::BodyCase body)
{
    return body == pb::WalkMessage::kQuery || body == pb::WalkMessage::kWhoIsIn;
}

} // namespace lhrs
