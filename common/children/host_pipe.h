// SPDX-License-Identifier: GPL-3.0-or-later
// How lhrs-host and the program that had it started speak over a pipe: each message behind its length.
#pragma once

#include <cstddef>
#include <string>

namespace google::protobuf {
class MessageLite;
}

namespace lhrs {

constexpr unsigned kHostProtocol = 1; // what host.proto means now
constexpr std::size_t kHostFrameMax = 16 << 20; // bytes of a message
// The first line that lhrs-host writes. What comes before it was written by the shell that started it.
constexpr const char* kHostGreeting = "lhrs-host";

// Writes a message and waits as long as the other side does not read. False: it reads no more. The caller takes care
// that one message is written at a time.
bool writeFrame(int descriptor, const google::protobuf::MessageLite& message);

enum class FrameRead {
    Message,
    End, // the other side has closed the pipe
    Broken, // what came is not a message
};
// Waits for the next message.
FrameRead readFrame(int descriptor, google::protobuf::MessageLite& message);
// Skips everything up to the line kHostGreeting. Returns false if it does not come; `before` then says what came
// instead, its end at most.
bool readGreeting(int descriptor, std::string& before);

} // namespace lhrs
