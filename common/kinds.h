// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/control.pb.h"
#include "proto/event.pb.h"
#include "proto/message.pb.h"

#include <string>
#include <string_view>
#include <vector>

namespace lhrs {

// What an event, a message or a command is, over all systems. Messages, events and commands hold their body in the
// oneof `body`; those of a further system in a message of that system, which holds it in a oneof `body` of its own.
struct Kind {
    int number = 0; // of the field; of a further system: 1'000 times the system's field plus the field in it
    std::string name; // "message_sent", the name of the field: in faults, on the wire, in logs
    std::string type; // "MessageSent", the name of its type: in scripts and recordings
    pb::Keep keep = pb::KEEP_UNSET; // of events: at which levels of detail they are told
};

// The number of its kind; 0: it has no body.
int kindOf(const pb::Event& event);
int kindOf(const pb::Message& message);
int kindOf(const pb::Command& command);

// All kinds, those of `body` first, by their place in the .proto file.
const std::vector<Kind>& eventKinds();
const std::vector<Kind>& messageKinds();
// The kind of a number or of a name; null: there is none.
const Kind* eventKind(int number);
const Kind* messageKind(int number);
const Kind* commandKind(int number);
const Kind* eventKindNamed(std::string_view name);
const Kind* eventKindOfType(std::string_view type);
const Kind* messageKindNamed(std::string_view name);

// The name of the message's kind, "insert"; "" for none.
const char* nameOf(const pb::Message& message);
// The name of the event's kind, "operation_done", and of its type, "OperationDone"; "" for none.
const std::string& nameOf(const pb::Event& event);
const std::string& typeOf(const pb::Event& event);
// The body of the event; null: it has none.
const google::protobuf::Message* bodyOf(const pb::Event& event);

// At which levels of detail the event is told. An event without a body is told always.
pb::Keep keepOf(const pb::Event& event);
// Whether logs set the event apart from the stream of operations, changes and messages.
inline bool changesStructure(const pb::Event& event) { return keepOf(event) == pb::KEEP_STRUCTURE; }

} // namespace lhrs
