// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/children/host_pipe.h"

#include <google/protobuf/message_lite.h>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

namespace lhrs {

namespace {

constexpr std::size_t kShownMax = 2000; // of what a shell has written before the greeting

// False: the pipe has ended before.
bool readAll(int descriptor, char* to, std::size_t size)
{
    while (size > 0) {
        const ssize_t count = ::read(descriptor, to, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        to += count;
        size -= std::size_t(count);
    }
    return true;
}

} // namespace

bool writeFrame(int descriptor, const google::protobuf::MessageLite& message)
{
    std::string bytes(4, '\0');
    message.AppendToString(&bytes);
    const std::size_t size = bytes.size() - 4;
    if (size > kHostFrameMax)
        return false;
    for (int i = 0; i < 4; ++i)
        bytes[std::size_t(i)] = char(size >> (24 - 8 * i) & 0xff);
    for (std::size_t at = 0; at < bytes.size();) {
        // A pipe takes no flags, and a socket would raise SIGPIPE without them.
        ssize_t count = ::send(descriptor, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
        if (count < 0 && errno == ENOTSOCK)
            count = ::write(descriptor, bytes.data() + at, bytes.size() - at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        at += std::size_t(count);
    }
    return true;
}

FrameRead readFrame(int descriptor, google::protobuf::MessageLite& message)
{
    std::array<char, 4> head {};
    if (!readAll(descriptor, head.data(), head.size()))
        return FrameRead::End;
    std::size_t size = 0;
    for (const char byte : head)
        size = size << 8 | std::uint8_t(byte);
    if (size > kHostFrameMax)
        return FrameRead::Broken;
    std::string bytes(size, '\0');
    if (!readAll(descriptor, bytes.data(), size))
        return FrameRead::End;
    return message.ParseFromString(bytes) ? FrameRead::Message : FrameRead::Broken;
}

bool readGreeting(int descriptor, std::string& before)
{
    std::string line;
    char byte = 0;
    while (readAll(descriptor, &byte, 1)) {
        if (byte != '\n') {
            line.push_back(byte);
            if (line.size() > kShownMax)
                line.erase(0, kShownMax / 2);
            continue;
        }
        if (line == kHostGreeting)
            return true;
        before += line + '\n';
        if (before.size() > kShownMax)
            before.erase(0, before.size() - kShownMax);
        line.clear();
    }
    before += line;
    return false;
}

} // namespace lhrs
