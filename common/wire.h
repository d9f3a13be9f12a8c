// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "common/string_pool.h"
#include "proto/control.pb.h"
#include "proto/event.pb.h"
#include "proto/message.pb.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Converts between bytes and messages, events and commands. Incoming bytes are not trusted: their length, their nesting
// and the number of their parts are bounded before memory is allocated for them. A read gives the complete message or
// an Error.
namespace lhrs {

inline constexpr std::size_t kDatagramMax = 65507; // what UDP over IPv4 can carry
inline constexpr std::size_t kFrameMax = std::size_t(16) << 20; // body of a frame of a stream, and an event batch
inline constexpr std::size_t kCommandMax = std::size_t(4) << 20; // one command
inline constexpr int kNestingMax = 16; // levels of nested messages in long messages
inline constexpr std::size_t kBlockApart = 1400; // record blocks of at least this many bytes travel after their message
inline constexpr std::size_t kPartsMax = std::size_t(256) << 10; // messages and strings within one message
inline constexpr std::size_t kMessagesMax = 4096; // messages of one body

// One message of a body, and its size in bytes. The message belongs to the arena into which it was read.
struct ReadMessage {
    pb::Message* message = nullptr;
    std::uint32_t bytes = 0;
};

// The body of a datagram or frame: messages in sequence, each preceded by its length as a varint. Redundant fields are
// left out of the bytes and restored here: sender and from of all messages after the first; the operation of a message
// whose body names the same request; the client of a request if it is the sender. Appends all messages to `out`, or
// none and returns an Error. The messages share parts, so do not modify them. A message without a body is malformed
// too. Values are read into `strings`; the caller returns them with takeBackValue().
Result<void> parseBody(std::string_view body, google::protobuf::Arena& arena, std::vector<ReadMessage>& out,
    StringPool* strings = nullptr);
// Removes from a message that `self` will send the fields that parseBody() restores, except sender and from.
void leaveOut(pb::Message& message, const pb::Address& self);
// Number of bytes that appendMessage will add for this message. Also caches its size for the next call of
// appendMessage.
std::size_t sizeInBody(const pb::Message& message);
// Writes length and message to `to`, which has room for sizeInBody() bytes; returns the end. The message must not have
// changed since sizeInBody().
char* appendMessage(const pb::Message& message, char* to);

// Recovers the memory of the long field of a single-operation message that is no longer needed.
void takeBackValue(pb::Message& message, StringPool& strings);

// The block of records of a message that has a field for one, else null. A long block is almost the whole message and
// is made and used once: it travels after the message, which does not mention it, and is moved from string to string.
std::string* blockIn(pb::Message& message);
// Whether a message certainly fits in this many bytes, without computing its size; true only for messages of single
// operations. One with unknown fields may be longer after all.
bool isSurelyWithin(const pb::Message& message, std::size_t bytes);
// Moves the block into its message. False: the message has no field for it, or already has a block.
bool putBlock(std::string&& block, pb::Message& message);
// Joins a body with one message without a block, and the block, into one body.
Result<std::string> joinBlock(std::string_view body, std::string&& block);

Result<void> parseMessage(std::string_view bytes, pb::Message& out);
Result<void> parseEventHeader(std::string_view bytes, pb::EventHeader& out);
Result<void> parseEvents(std::string_view bytes, pb::EventBatch& out);
Result<void> parseCommand(std::string_view bytes, pb::Command& out);
Result<void> parseReply(std::string_view bytes, pb::CommandReply& out);

// Number of bytes that appendEvent will add: the event as an element of EventBatch.events. Also caches its size.
std::size_t sizeInBatch(const pb::Event& event);
// Writes the event to `to`, which has room for sizeInBatch() bytes; returns the end. Batches may be written event by
// event.
char* appendEvent(const pb::Event& event, char* to);

} // namespace lhrs
