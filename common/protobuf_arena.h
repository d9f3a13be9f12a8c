// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <google/protobuf/arena.h>

namespace lhrs {

// A new message in the arena, which ends with it. Up to version 25 of the protobuf library messages have a function of
// their own; later versions have one for all objects.
template <class Message> Message* createIn(google::protobuf::Arena& arena)
{
#if GOOGLE_PROTOBUF_VERSION >= 5026000
    return google::protobuf::Arena::Create<Message>(&arena);
#else
    return google::protobuf::Arena::CreateMessage<Message>(&arena);
#endif
}

} // namespace lhrs
