// SPDX-License-Identifier: GPL-3.0-or-later
// A parity bucket at the limit of its memory. It drops no change. It tells its data buckets how much they may still
// make it grow, so that they refuse anything beyond that before it takes effect.
#include "node/lhrs/parity/parity_bucket.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint64_t kRoomSaid = std::uint64_t(256) << 20; // more room than this is not reported

} // namespace

std::uint64_t ParityBucket::roomForChanges() const
{
    // A split brings as much as a bucket holds: the records of the source that leave or move. It brings half as much
    // again if its target is in this group too, and the same amount once more when the target's records are stored.
    // Blocks that have arrived already have their memory.
    const std::uint64_t batch = 2 * m_store.bytes();
    const std::uint64_t kept = m_context.memory.reserve() + (batch - std::min(batch, m_batchBytes));
    const std::uint64_t left = m_context.memory.left(storedBytes());
    return left > kept ? (left - kept) / 3 : 0; // each byte of growth adds two bytes to the next batch
}

void ParityBucket::lookAtMemory()
{
    // Full: there is no room for one more page of each data bucket, with records as long as the longest so far. No
    // longer full: there is room for two such pages.
    const std::uint64_t wanted = m_store.longestPage() * m_positions.size() * (m_isFull ? 2 : 1);
    const bool isFull = m_context.memory.hasLimit() && roomForChanges() < wanted;
    if (isFull != m_isFull)
        m_nextRoomWord = Time();
    m_isFull = isFull;
}

void ParityBucket::sayRoom(pb::DeltaAck& ack) const
{
    if (!m_context.memory.hasLimit())
        return;
    const std::uint64_t room = roomForChanges();
    if (room >= kRoomSaid)
        return;
    ack.set_has_limit(true);
    ack.set_room(m_isFull ? 0 : room / m_positions.size());
}

bool ParityBucket::hasRoomToKeep(std::size_t bytes) const
{
    const MemoryRoom& memory = m_context.memory;
    return !memory.hasLimit() || memory.left(storedBytes()) >= memory.reserve() / 2 + bytes + m_batchBytes / 3;
}

void ParityBucket::tellRoom(Time now, Effects& out)
{
    if (m_nextRoomWord > now)
        return;
    m_nextRoomWord = now + m_context.ms(m_context.acks.timers().alive_ms());
    for (std::uint32_t q = 0; q < m_positions.size(); ++q) {
        if (m_positions[q].incarnation.value != 0 && !m_positions[q].hasFailed)
            acknowledge(Position(q), out);
    }
}

} // namespace lhrs
