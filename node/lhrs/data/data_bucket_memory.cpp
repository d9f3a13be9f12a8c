// SPDX-License-Identifier: GPL-3.0-or-later
// A data bucket at the limit of its memory, or of that of a parity bucket: a change that would make it grow is refused
// before it has any effect. Searches, deletes and changes that need no further memory go on.
#include "common/failpoints.h"
#include "common/lhrs/linear_hash.h"
#include "node/lhrs/data/data_bucket.h"

namespace lhrs {

bool DataBucket::isRefused(const pb::KeyRequest& request, std::uint64_t growth, std::uint64_t besides, Effects& out)
{
    if (growth + besides == 0 || LHRS_MUTANT(GrowsWhenFull))
        return false;
    const bool isOurs = !m_parts.context.memory.fits(growth + besides, storedBytes());
    const std::optional<ParityColumn> column = isOurs || growth == 0 ? std::nullopt : m_link.fullFor(growth);
    if (!isOurs && !column) {
        m_link.grow(growth);
        return false;
    }
    if (isOurs)
        m_growthRefused = std::max(m_growthRefused, growth + besides);
    pb::Reply* const reply = this->reply(request, pb::RETRY, Rank(), out);
    if (reply == nullptr)
        return true;
    reply->set_retry_after_ms(kRetryWhenFullMs);
    pb::FullServer& full = *reply->mutable_full();
    full.set_role(isOurs ? pb::DATA : pb::PARITY);
    full.set_number(isOurs ? number().value : m_parts.group.value);
    full.set_column(isOurs ? 0 : column->value);
    return true;
}

bool DataBucket::hasRoomFor(const pb::MoveRecords& move) const
{
    const MemoryRoom& memory = m_parts.context.memory;
    if (!memory.hasLimit())
        return true;
    // Pages have room for more rows than will come. Records that a merge brings are kept first and stored when it is
    // decided.
    std::uint64_t bytes = m_store.growthOfBlock(move.records());
    if (m_merge)
        bytes += move.records().size() + m_merge->keptBytes();
    return memory.left(storedBytes()) >= memory.reserve() / 2 + bytes;
}

void DataBucket::lookAtMemory()
{
    m_isFull = !m_parts.context.memory.fits(m_growthRefused, storedBytes());
    if (!m_isFull)
        m_growthRefused = 0;
}

} // namespace lhrs
