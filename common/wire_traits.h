// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/message.pb.h"

#include <array>
#include <cstddef>
#include <string>

namespace lhrs {

// What the wire code needs to know about a message: which of its fields get special treatment. A system has a row for
// each of its bodies (common/lhrs/file_wire.h, common/walk/walk_wire.h); a null function: the body has no such field.
// Each function is called only for a message with that body, or creates the body.
struct WireTraits {
    bool isListed = false; // there is a row
    bool isOfClient = false; // clients send it; all others only come from servers and the coordinator
    // The long field of a message that is otherwise short. Its memory is lent and taken back (StringPool). readValue is
    // called first, so that a missing field is not created.
    std::string* (*value)(pb::Message& message) = nullptr;
    const std::string& (*readValue)(const pb::Message& message) = nullptr;
    // The field that travels behind the message when it is long: it is almost the whole message.
    std::string* (*block)(pb::Message& message) = nullptr;
    // The request that the body names, null if it names none. The operation of the message is left out if it is the
    // same.
    pb::RequestId* (*request)(pb::Message& message) = nullptr;
    // The client that the body names, null if it names none. It is left out if it is the sender.
    const pb::Address* (*client)(const pb::Message& message) = nullptr;
    // Shares this address, which must outlive the message; null: clears it.
    void (*setClient)(pb::Message& message, pb::Address* client) = nullptr;
    // Bytes of the fields without which the message certainly fits in a datagram; null: it may be long in any case.
    std::size_t (*length)(const pb::Message& message) = nullptr;
};

inline constexpr int kFirstBody = 20; // the lowest number of a body; the fields below are in every message
inline constexpr std::size_t kBodiesMax = 128; // numbers of bodies are below this
using WireTable = std::array<WireTraits, kBodiesMax>;

extern const WireTable wireOfBody; // by number in `oneof body`

// The traits of a message, or of a number in `oneof body`, that belongs to another system; all null if there is none.
const WireTraits& wireOfSystem(const pb::Message& message);
const WireTraits& wireOfSystem(int system, int body);

inline const WireTraits& wireOf(const pb::Message& message)
{
    const auto body = std::size_t(message.body_case());
    return body != 0 ? wireOfBody[body] : wireOfSystem(message);
}

} // namespace lhrs
