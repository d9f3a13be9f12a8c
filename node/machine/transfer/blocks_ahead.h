// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/message.pb.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace lhrs {

// Blocks of records of one transfer that the sender keeps under way at once. The receiver takes one in while the next
// is being read and another is being made. With only one, each block would wait for two threads and two sockets.
inline constexpr std::uint32_t kBlocksUnderWay = 4;
inline constexpr std::size_t kBlockBytes = 128 * 1024; // of records in one block
// A partial block is sent only if no block is under way and it has at least this many bytes. A smaller one waits for
// more records, or for the end.
inline constexpr std::size_t kLeftBytes = 4096;

// Blocks that arrived out of order, as two working threads may deliver them. They are not acknowledged yet; a block for
// which there is no room is resent later.
class BlocksAhead {
public:
    void keep(std::uint32_t block, const pb::Message& message)
    {
        if (m_kept.size() < kMax)
            m_kept.try_emplace(block, message);
    }
    // Takes this block out if it is here; older ones are discarded.
    std::optional<pb::Message> take(std::uint32_t block)
    {
        m_kept.erase(m_kept.begin(), m_kept.lower_bound(block));
        if (m_kept.empty() || m_kept.begin()->first != block)
            return std::nullopt;
        return std::move(m_kept.extract(m_kept.begin()).mapped());
    }

private:
    static constexpr std::size_t kMax = 2 * kBlocksUnderWay;
    std::map<std::uint32_t, pb::Message> m_kept;
};

} // namespace lhrs
