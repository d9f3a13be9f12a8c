// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/store/record_store.h"

#include "common/errors.h"
#include "common/failpoints.h"
#include "common/lhrs/record_block.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lhrs {

RecordStore::Slot& RecordStore::slot(Rank rank)
{
    LHRS_CHECK(rank.value >= 1 && rank.value <= m_slots.size());
    return m_slots[rank.value - 1];
}

const RecordStore::Slot& RecordStore::slot(Rank rank) const
{
    LHRS_CHECK(rank.value >= 1 && rank.value <= m_slots.size());
    return m_slots[rank.value - 1];
}

bool RecordStore::has(Rank rank) const
{
    return rank.value >= 1 && rank.value <= m_slots.size() && m_slots[rank.value - 1].state == State::Used;
}

RecordStore::Record RecordStore::at(Rank rank) const
{
    const Slot& s = slot(rank);
    LHRS_CHECK(s.state == State::Used);
    return { rank, Key(s.key), { reinterpret_cast<const char*>(m_slots.bytes(rank.value - 1)), s.length }, s.version };
}

void RecordStore::setVersion(Rank rank, Sequence version)
{
    LHRS_CHECK(version <= kSequenceMax);
    slot(rank).version = version & kSequenceMax;
}

void RecordStore::fill(Rank rank, std::string_view value)
{
    std::byte* const bytes = m_slots.setLength(rank.value - 1, std::uint32_t(value.size()));
    if (!value.empty())
        std::memcpy(bytes, value.data(), value.size());
}

Rank RecordStore::insert(Key key, std::string_view value, Sequence version, bool isNew)
{
    Rank rank;
    if (m_free.empty() || isNew) {
        m_slots.resize(m_slots.size() + 1);
        rank = rankMax();
    } else {
        rank = Rank(m_free.back());
        if (!LHRS_MUTANT(TwoRecordsOneRank))
            m_free.pop_back();
        slot(rank).state = State::Retired;
    }
    insertAt(rank, key, value, version);
    return rank;
}

void RecordStore::insertAt(Rank rank, Key key, std::string_view value, Sequence version)
{
    while (rankMax() < rank) {
        // Ranks that are skipped are free.
        m_slots.resize(m_slots.size() + 1);
        if (rankMax() < rank) {
            slot(rankMax()).state = State::Free;
            addFree(rankMax());
        }
    }
    Slot& s = slot(rank);
    LHRS_CHECK(s.state != State::Used || LHRS_MUTANT(TwoRecordsOneRank));
    LHRS_CHECK(find(key) == Rank());
    if (s.state == State::Free)
        m_free.erase(std::find(m_free.begin(), m_free.end(), rank.value));
    s.state = State::Used;
    s.key = key.value;
    setVersion(rank, version);
    fill(rank, value); // from here on, slots may have moved
    m_index.insert(key, rank.value, KeyAt { *this });
}

void RecordStore::update(Rank rank, std::string_view value, Sequence version)
{
    LHRS_CHECK(slot(rank).state == State::Used);
    fill(rank, value);
    setVersion(rank, version);
}

void RecordStore::remove(Rank rank, Sequence version)
{
    Slot& s = slot(rank);
    LHRS_CHECK(s.state == State::Used);
    m_index.erase(Key(s.key), rank.value);
    s.key = 0;
    s.state = State::Retired;
    setVersion(rank, version);
    fill(rank, {});
}

void RecordStore::release(Rank rank)
{
    Slot& s = slot(rank);
    LHRS_CHECK(s.state == State::Retired);
    s.state = State::Free;
    addFree(rank);
}

void RecordStore::addFree(Rank rank)
{
    // The capacity never exceeds the number of ranks, as freeListGrowth() assumes.
    if (m_free.size() == m_free.capacity())
        m_free.reserve(std::min<std::size_t>(
            std::max<std::size_t>(2 * m_free.size(), 4), std::max<std::size_t>(m_slots.size(), m_free.size() + 1)));
    m_free.push_back(rank.value);
}

void RecordStore::move(Rank from, Rank to, Sequence version)
{
    LHRS_CHECK(slot(from).state == State::Used && slot(to).state != State::Used);
    const std::uint64_t key = std::exchange(slot(from).key, 0);
    m_index.move(Key(key), from.value, to.value);
    std::byte* const bytes = m_slots.setLength(to.value - 1, slot(from).length);
    std::memcpy(bytes, m_slots.bytes(from.value - 1), slot(from).length);
    m_slots.setLength(from.value - 1, 0);
    slot(to).key = key;
    slot(to).state = State::Used;
    slot(from).state = State::Retired;
    setVersion(from, version);
    setVersion(to, version);
}

void RecordStore::truncate(Rank rankMax)
{
    for (std::uint32_t r = rankMax.value; r < m_slots.size(); ++r)
        LHRS_CHECK(m_slots[r].state != State::Used);
    if (rankMax.value < m_slots.size())
        m_slots.resize(rankMax.value);
    std::erase_if(
        m_free, [&](std::uint32_t rank) { return rank > rankMax.value || m_slots[rank - 1].state != State::Free; });
}

std::size_t RecordStore::growthOfBlock(std::string_view block) const
{
    std::size_t records = 0;
    std::size_t bytes = 0;
    std::uint32_t longest = 0;
    BlockReader reader(block);
    for (BlockEntry entry; reader.next(entry);) {
        if (entry.isOfRequests() || entry.bytes.empty())
            continue;
        ++records;
        bytes += entry.bytes.size();
        longest = std::max(longest, std::uint32_t(entry.bytes.size()));
    }
    return m_slots.growthForRows(records, bytes, longest) + m_index.growthFor(records)
        + freeListGrowth(m_slots.size() + records);
}

std::size_t RecordStore::bytes() const
{
    return m_index.bytes() + m_slots.memory() + m_free.capacity() * sizeof(std::uint32_t);
}

} // namespace lhrs
