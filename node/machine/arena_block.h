// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <google/protobuf/arena.h>

#include <cstddef>

namespace lhrs {

// Options for an arena whose first memory is this block, so that a usual step allocates nothing. The block must outlive
// the arena.
inline google::protobuf::ArenaOptions arenaIn(char* block, std::size_t bytes)
{
    google::protobuf::ArenaOptions options;
    options.initial_block = block;
    options.initial_block_size = bytes;
    return options;
}

} // namespace lhrs
