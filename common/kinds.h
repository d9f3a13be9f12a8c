// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/control.pb.h"
#include "proto/event.pb.h"
#include "proto/message.pb.h"

#include <string>
#include <string_view>
#include <vector>

namespace lhrs {

// What an event, a message or a command is, in any system. The first system's messages, events and commands have their
// bodies directly in the oneof `body`. Those of a further system are in a message of that system, which has its own
// oneof `body`.
struct Kind {
    int number = 0; // number of the field; for a further system: 1'000 times the system's field plus the field in it
    std::string name; // "message_sent", the name of the field: used in faults, on the wire and in logs
    std::string type; // "MessageSent", the name of its type: used in scripts and recordings
    pb::Keep keep = pb::KEEP_UNSET; // for events: the levels of detail at which they are reported
    bool isStop = false; // for events: whoever steps through a run by what changed the system stops here
    pb::Peer least = pb::PEER_UNSET; // for commands: who may give it
};

// The number of its kind; 0: it has no body, or two.
int kindOf(const pb::Event& event);
int kindOf(const pb::Message& message);
int kindOf(const pb::Command& command);

// All kinds, those of `body` first, in the order of the .proto file.
const std::vector<Kind>& eventKinds();
const std::vector<Kind>& messageKinds();
const std::vector<Kind>& commandKinds();
// The kind with this number or name; null: there is none.
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

// The levels of detail at which the event is reported. An event without a body is always reported.
pb::Keep keepOf(const pb::Event& event);
// Whether logs show the event apart from the stream of operations, changes and messages.
inline bool changesStructure(const pb::Event& event) { return keepOf(event) == pb::KEEP_STRUCTURE; }

} // namespace lhrs
