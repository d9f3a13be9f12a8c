// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/message.pb.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace lhrs {

// How many blocks of records of one transfer the sender keeps under way at once. The receiver processes one while the
// next is being read and another is being made. With only one, each block would wait for two threads and two sockets.
inline constexpr std::uint32_t kBlocksUnderWay = 4;
inline constexpr std::size_t kBlockBytes = 128 * 1024; // bytes of records in one block
// A partial block is sent only if no block is under way and it has at least this many bytes. A smaller one waits for
// more records or for the end.
inline constexpr std::size_t kLeftBytes = 4096;

// Blocks that arrived out of order, which can happen when two threads deliver them. They are not acknowledged yet; a
// block for which there is no room is resent later.
class BlocksAhead {
public:
    void keep(std::uint32_t block, const pb::Message& message)
    {
        if (m_kept.size() < kMax)
            m_kept.try_emplace(block, message);
    }
    // Takes out this block if it has arrived; older ones are discarded.
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
