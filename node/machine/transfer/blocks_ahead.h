// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/message.pb.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace lhrs {

// Of one transfer: blocks of records that the sender has under way at once. The receiver takes one in while the next is read
// and the one after it is made; one at a time would wait for two threads and two sockets between any two.
inline constexpr std::uint32_t kBlocksUnderWay = 4;
inline constexpr std::size_t kBlockBytes = 128 * 1024; // of records in one
inline constexpr std::size_t kSplitBlockBytes = 16 * 1024; // of a split, which goes on beside requests: each may wait for one
// A block that is not full is sent only where none is under way and it has as much; less waits for more, or for the end.
inline constexpr std::size_t kLeftBytes = 4096;

// Blocks that came before their turn, as two working threads may hand them over. Not acknowledged yet; one that finds no
// room comes again.
class BlocksAhead {
public:
    void keep(std::uint32_t block, const pb::Message& message)
    {
        if (m_kept.size() < kMax)
            m_kept.try_emplace(block, message);
    }
    // The block, if it is here; what is older is forgotten.
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
