// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "proto/control.pb.h"

#include <cstdint>
#include <span>
#include <string>

namespace lhrs {

class Runtime;

// The tickets of commands that come from within the process have this bit; those of the control server never reach it.
inline constexpr std::uint64_t kInnerTicket = std::uint64_t(1) << 63;

// What a program may have beside its machine: a part with sockets and a thread of its own, which gives commands to the
// machine and receives the replies. A door for clients of another protocol is one.
class ProgramPart {
public:
    virtual ~ProgramPart() = default;
    // Opens its sockets, before the machine is made. An Error says what to do.
    virtual Result<void> open() = 0;
    // What the line "ready" says of it: words NAME=ADDRESS, each with a space before it.
    virtual std::string readyWords() const = 0;
    // The machine runs. Commands are given by runtime.obey().
    virtual void start(Runtime& runtime) = 0;
    // Replies to its commands, from any thread and not within the core. It may take what is in them.
    virtual void onReplies(std::span<pb::CommandReply* const> replies) = 0;
    // Ends its thread. Replies may still come, until the runtime has ended.
    virtual void stop() = 0;
};

} // namespace lhrs
