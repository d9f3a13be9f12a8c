// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/bucket_memory.h"

#include "common/failpoints.h"

#include <algorithm>

namespace lhrs {

std::uint64_t BucketMemory::storedBytes() const
{
    return m_bucket.store.bytes() + m_bucket.link.pendingBytes() + m_moving.keptBytes();
}

std::optional<pb::FullServer> BucketMemory::reserve(std::uint64_t growth, std::uint64_t besides)
{
    if (growth + besides == 0 || LHRS_MUTANT(GrowsWhenFull))
        return std::nullopt;
    const bool isOurs = !m_bucket.context.memory.fits(growth + besides, storedBytes());
    const std::optional<ParityColumn> column = isOurs || growth == 0 ? std::nullopt : m_bucket.link.fullFor(growth);
    if (!isOurs && !column) {
        m_bucket.link.grow(growth);
        return std::nullopt;
    }
    if (isOurs)
        m_growthRefused = std::max(m_growthRefused, growth + besides);
    pb::FullServer full;
    full.set_role(isOurs ? pb::DATA : pb::PARITY);
    full.set_number(isOurs ? m_bucket.number.value : m_bucket.group.value);
    full.set_column(isOurs ? 0 : column->value);
    return full;
}

bool BucketMemory::isReserveLeft(std::uint64_t bytes) const
{
    const MemoryRoom& memory = m_bucket.context.memory;
    return !memory.hasLimit() || memory.left(storedBytes()) >= memory.reserve() / 2 + bytes;
}

bool BucketMemory::hasRoomFor(const std::string& records) const
{
    if (!m_bucket.context.memory.hasLimit())
        return true;
    // Pages have room for more rows than will arrive. Records of a merge are kept first and are stored when it is
    // decided.
    const std::uint64_t kept = m_moving.keptBytes();
    return isReserveLeft(
        m_bucket.store.growthOfBlock(records) + (m_bucket.status.state == pb::MERGING ? records.size() + kept : 0));
}

void BucketMemory::look()
{
    m_isFull = !m_bucket.context.memory.fits(m_growthRefused, storedBytes());
    if (!m_isFull)
        m_growthRefused = 0;
}

} // namespace lhrs
