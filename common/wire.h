// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "common/spare_strings.h"
#include "proto/control.pb.h"
#include "proto/event.pb.h"
#include "proto/message.pb.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Bytes <-> messages, events and commands. Bytes come from outside and are trusted with nothing: their length, their
// nesting and the number of their parts are bounded before memory is taken for them, and what is read is complete or
// an Error.
namespace lhrs {

inline constexpr std::size_t kDatagramMax = 65507;                // what UDP over IPv4 can carry
inline constexpr std::size_t kFrameMax = std::size_t(16) << 20;   // body of a frame of a stream, and an event batch
inline constexpr std::size_t kCommandMax = std::size_t(4) << 20;  // one command
inline constexpr int kNestingMax = 16;                            // messages within messages, where they are long
inline constexpr std::size_t kBlockApart = 1400;                  // record blocks from so many bytes on travel behind their message
inline constexpr std::size_t kPartsMax = std::size_t(256) << 10;  // messages and strings within one message
inline constexpr std::size_t kMessagesMax = 4096;                 // messages of one body

// One message of a body, and how many bytes it had. The message belongs to the arena that it was read into.
struct ReadMessage {
    pb::Message* message = nullptr;
    std::uint32_t bytes = 0;
};

// The body of a datagram or frame: messages one after the other, each behind its length as a varint. What need not be said
// twice is left out and put back here: sender and from of all messages behind the first; the operation of a message whose body
// names the same request; the client of a key request who is its sender. Appends all of them to `out`, or none and says why; they
// share parts, so what was read is not changed. A message without a body is malformed, too. Values are read into `strings`, which
// the caller takes back with takeBackValue().
Result<void> parseBody(std::string_view body, google::protobuf::Arena& arena, std::vector<ReadMessage>& out, SpareStrings* strings = nullptr);
// Takes out of a message that `self` will send what parseBody() puts back, except for sender and from.
void leaveOut(pb::Message& message, const pb::Address& self);
// Bytes that appendMessage will add for this message. Also fixes its size for the call of appendMessage that follows.
std::size_t sizeInBody(const pb::Message& message);
// Writes length and message to `to`, which has room for sizeInBody(); returns the end. The message must not have
// changed since sizeInBody().
char* appendMessage(const pb::Message& message, char* to);

// The memory of the value or delta of a message of a single operation, which nobody looks at any more.
void takeBackValue(pb::Message& message, SpareStrings& strings);

// The record block of a message that has a place for one, else null. A long one is most of its message by far, and is made once
// and used once: it travels behind the message, which says nothing of it, and goes from string to string by moving.
std::string* recordBlockIn(pb::Message& message);
// Puts the block where it belongs; it is moved. False: the message has no place for it, or has a block.
bool putBlock(std::string&& block, pb::Message& message);
// A body with one message that has no block, and the block: the same as one body.
Result<std::string> joinBlock(std::string_view body, std::string&& block);

Result<void> parseMessage(std::string_view bytes, pb::Message& out);
Result<void> parseEventHeader(std::string_view bytes, pb::EventHeader& out);
Result<void> parseEvents(std::string_view bytes, pb::EventBatch& out);
Result<void> parseCommand(std::string_view bytes, pb::Command& out);
Result<void> parseReply(std::string_view bytes, pb::CommandReply& out);

// Bytes that appendEvent will add: the event as an element of EventBatch.events. Also fixes its size.
std::size_t sizeInBatch(const pb::Event& event);
// Writes the event to `to`, which has room for sizeInBatch(); returns the end. Batches may be written event by event.
char* appendEvent(const pb::Event& event, char* to);

} // namespace lhrs
