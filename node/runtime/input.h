// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "proto/control.pb.h"
#include "proto/event.pb.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lhrs {

// An item for a working thread: the opened packet of a datagram or stream, or a command.
struct Input {
    static constexpr std::size_t kKeep = 4'096; // bytes of memory that a used input may keep

    pb::Transport transport = pb::UDP;
    std::string bytes;
    std::optional<NodeId> sealedBy; // with keys: the process that has sealed it
    std::size_t bodyBegin = 0;
    std::size_t bodySize = 0;
    std::string block; // the record block of its message, if it travelled after the message
    std::unique_ptr<pb::Command> command; // if set, there are no bytes

    std::string_view body() const { return std::string_view(bytes).substr(bodyBegin, bodySize); }
    std::size_t weight() const { return bytes.size() + block.size(); }
    // Prepares it for being filled again.
    void clear()
    {
        command.reset();
        bytes.clear();
        block.clear();
        for (std::string* memory : { &bytes, &block })
            if (memory->capacity() > kKeep)
                memory->shrink_to_fit();
    }
};

} // namespace lhrs
