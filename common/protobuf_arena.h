// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <google/protobuf/arena.h>

namespace lhrs {

// A new message in the arena, which ends with it. Since version 26 of the protobuf library (6.30 has no other way) the
// function for any object does for messages what had a function of its own before.
template <class Message> Message* createIn(google::protobuf::Arena& arena)
{
#if GOOGLE_PROTOBUF_VERSION >= 5026000
    return google::protobuf::Arena::Create<Message>(&arena);
#else
    return google::protobuf::Arena::CreateMessage<Message>(&arena);
#endif
}

} // namespace lhrs
