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

// The blocks of one transfer at its receiver, which takes them in order. A block that arrives ahead of another, which
// can happen when two threads deliver them, is kept and not acknowledged yet; if there is no room, it is resent later.
class IncomingBlocks {
public:
    // Whether this block is to be taken now; an earlier one is a late copy.
    bool isNext(std::uint32_t block) const { return block == m_next; }
    // Keeps the block if it is ahead of the next one; returns false if it is not.
    bool keepAhead(std::uint32_t block, const pb::Message& message)
    {
        if (block <= m_next)
            return false;
        if (m_kept.size() < kMax)
            m_kept.try_emplace(block, message);
        return true;
    }
    // The next block is taken.
    void take() { ++m_next; }
    // The block that is now to be taken, if it has arrived already.
    std::optional<pb::Message> kept()
    {
        m_kept.erase(m_kept.begin(), m_kept.lower_bound(m_next));
        if (m_kept.empty() || m_kept.begin()->first != m_next)
            return std::nullopt;
        return std::move(m_kept.extract(m_kept.begin()).mapped());
    }

private:
    static constexpr std::size_t kMax = 2 * kBlocksUnderWay;
    std::uint32_t m_next = 0;
    std::map<std::uint32_t, pb::Message> m_kept;
};

} // namespace lhrs
