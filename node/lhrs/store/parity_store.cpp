// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/store/parity_store.h"

#include "common/failpoints.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace lhrs {

namespace {

constexpr std::uint32_t kCountMask = (1u << 15) - 1; // of members, 0..m

} // namespace

ParityStore::ParityStore(FieldWidth field, std::uint32_t m, ParityColumn column, FieldOptions options)
    : m_code(field, m, options), m_column(LHRS_MUTANT(WrongColumn) ? column.next() : column), m_members(m), m_index(m)
{
    for (Position q; q.value < m; q = q.next())
        m_multipliers.push_back(m_code.multiplier(q, m_column));
}

ParityStore::Member& ParityStore::member(Rank rank, Position q) { return m_members.row(rank.value - 1)[q.value]; }

bool ParityStore::has(Rank rank) const
{
    return rank.value >= 1 && rank.value <= m_records.size() && m_records[rank.value - 1].memberCount > 0;
}

std::span<const ParityStore::Member> ParityStore::members(Rank rank) const
{
    LHRS_CHECK(has(rank));
    return { m_members.row(rank.value - 1), m_code.groupSize() };
}

bool ParityStore::hasMembersAt(Position q) const
{
    for (std::size_t i = 0; i < m_members.size(); ++i) {
        if (m_members.row(i)[q.value].isPresent)
            return true;
    }
    return false;
}

std::uint32_t ParityStore::memberCount(Rank rank) const
{
    return has(rank) ? m_records[rank.value - 1].memberCount : 0;
}

ByteSpan ParityStore::parity(Rank rank) const
{
    LHRS_CHECK(has(rank));
    return { m_records.bytes(rank.value - 1), m_records[rank.value - 1].length };
}

void ParityStore::grow(Rank rank, std::uint32_t length)
{
    const std::uint32_t before = m_records[rank.value - 1].length;
    if (length > before)
        std::memset(m_records.setLength(rank.value - 1, length) + before, 0, length - before);
}

bool ParityStore::apply(
    Change change, Position q, Rank rank, Key key, std::uint32_t length, Sequence version, std::string_view delta)
{
    LHRS_CHECK(rank.value >= 1 && q.value < m_code.groupSize());
    if (version > kSequenceMax || length > BytePool::kLargest || delta.size() > BytePool::kLargest)
        return false;
    if (rankMax() < rank) {
        if (change != Change::Insert
            || std::uint64_t(rank.value) * m_code.groupSize() > std::numeric_limits<std::uint32_t>::max())
            return false; // the second condition: no memory is that large
        m_records.resize(rank.value);
        m_members.resize(rank.value);
    }
    Member& m = member(rank, q);
    KeyIndex* const index = m_index[q.value] && m_index[q.value]->has(rank) ? &m_index[q.value]->keys : nullptr;
    const bool fits = change == Change::Insert ? !m.isPresent && (!index || index->find(key, KeyAt { *this, q }) == 0)
                                               : m.isPresent && m.key == key;
    if (!fits && !LHRS_MUTANT(KeyListNotCleared) && !LHRS_MUTANT(DeltaAppliedTwice) && !LHRS_MUTANT(GapApplied)
        && !LHRS_MUTANT(RankReusedEarly))
        return false;

    grow(rank, std::uint32_t(m_code.field().paddedLength(delta.size())));
    Record& record = m_records[rank.value - 1];
    const std::span<std::byte> parity(m_records.bytes(rank.value - 1), record.length);
    const ByteSpan bytes(reinterpret_cast<const std::byte*>(delta.data()), delta.size());
    if (LHRS_MUTANT(LogsAsValues)) {
        std::vector<std::byte> padded(bytes.begin(), bytes.end());
        padded.resize(m_code.field().paddedLength(padded.size()));
        m_code.field().multiplyAdd(parity.data(), padded.data(), padded.size(), m_code.matrix().logAt(q, m_column));
    } else {
        m_code.addDelta(m_multipliers[q.value], bytes, parity);
    }

    m.version = version & kSequenceMax;
    switch (change) {
    case Change::Insert:
        record.memberCount = (record.memberCount + (m.isPresent ? 0u : 1u)) & kCountMask;
        m = { key, version & kSequenceMax, length & kLengthMask, true };
        if (index)
            index->insert(key, rank.value, KeyAt { *this, q });
        if (record.memberCount == 1)
            ++m_recordGroups;
        break;
    case Change::Update:
        if (!LHRS_MUTANT(LengthNotRestored))
            m.length = length & kLengthMask;
        break;
    case Change::Delete:
        if (LHRS_MUTANT(KeyListNotCleared))
            break;
        m.isPresent = false;
        m.key = Key();
        m.length = 0;
        if (index)
            index->erase(key, rank.value);
        record.memberCount = (record.memberCount - 1u) & kCountMask;
        if (record.memberCount == 0) {
            --m_recordGroups;
            // A parity record without members encodes nothing, so a nonzero B means that the parity was wrong.
            const bool isZero = std::all_of(
                parity.begin(), parity.end(), [](std::byte b) { return b == std::byte(0); });
            if (!isZero && !LHRS_MUTANT(WrongColumn) && !LHRS_MUTANT(LogsAsValues))
                return false;
            m_records.setLength(rank.value - 1, 0);
        }
        break;
    }
    return true;
}

bool ParityStore::index(Position q, std::uint32_t ranks)
{
    if (isIndexed(q))
        return true;
    if (!m_index[q.value])
        m_index[q.value] = std::make_unique<Index>();
    Index& index = *m_index[q.value];
    const KeyAt keyAt { *this, q };
    for (; ranks > 0 && index.last < rankMax(); --ranks) {
        index.last = index.last.next();
        const Member& m = member(index.last, q);
        if (!m.isPresent)
            continue;
        if (index.keys.find(m.key, keyAt) != 0) {
            forgetIndex(q);
            return false;
        }
        index.keys.insert(m.key, index.last.value, keyAt);
    }
    index.isWhole = index.last >= rankMax();
    return true;
}

std::size_t ParityStore::bytes() const
{
    std::size_t bytes = m_records.memory() + m_members.bytes() + m_multipliers.capacity() * sizeof(Multiplier);
    for (const auto& index : m_index)
        bytes += index ? index->keys.bytes() : 0;
    return bytes;
}

} // namespace lhrs
