// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"
#include "node/lhrs/store/key_index.h"
#include "node/lhrs/store/record_pages.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lhrs {

// The records of one data bucket by key and by rank. A rank is used, free, or retired. The rank of a deleted record
// stays retired until release(), because it may be reused only after all parity buckets have applied the delete.
class RecordStore {
public:
    struct Record {
        Rank rank;
        Key key;
        std::string_view value; // valid until the next change of any record
        Sequence version = 0; // sequence number of the rank's last change
    };

    // Rank 0 if the key is not in the store.
    Rank find(Key key) const { return Rank(m_index.find(key, KeyAt { *this })); }
    bool has(Rank rank) const;
    // The record at a used rank.
    Record at(Rank rank) const;

    // Length of the value at a used rank.
    std::uint32_t lengthAt(Rank rank) const { return m_slots[rank.value - 1].length; }
    // The values of this many successive records of this length if they are contiguous, otherwise null.
    const std::byte* piece(Rank first, std::uint32_t count, std::uint32_t length) const
    {
        return m_slots.piece(first.value - 1, count, length);
    }
    // How many successive ranks, from this one on, may be contiguous.
    static std::uint32_t pieceRanks(Rank first)
    {
        return std::uint32_t(RecordPages<Slot>::rowsOfPage(first.value - 1));
    }

    // prefetchIndex: the key will be looked up soon. prefetchRecord: the key is looked up next, and its index slot has
    // been fetched already.
    void prefetchIndex(Key key) const { m_index.prefetch(key); }
    void prefetchRecord(Key key) const
    {
        if (const std::uint32_t rank = m_index.guess(key))
            m_slots.prefetch(rank - 1);
    }
    // For callers that read rank after rank: prefetches the ranks ahead, so that they do not wait for memory at each
    // one.
    void prefetchBehind(Rank rank) const
    {
        constexpr std::uint32_t kAhead = 6;
        if (rank.value + kAhead <= m_slots.size())
            m_slots.prefetch(rank.value + kAhead - 1);
    }

    // Returns the record's rank: the rank freed last if there is a free one, otherwise a new one above all others. With
    // `isNew` it is always a new one.
    Rank insert(Key key, std::string_view value, Sequence version, bool isNew = false);
    // For an empty store that will receive records at ranks up to this one: allocates its index at once.
    void reserve(Rank rankMax) { m_index.reserve(rankMax.value); }
    // Stores the record at this rank, which must not be used.
    void insertAt(Rank rank, Key key, std::string_view value, Sequence version);
    void update(Rank rank, std::string_view value, Sequence version);
    // Removes the record; its rank is retired.
    void remove(Rank rank, Sequence version);
    // Makes a retired rank free.
    void release(Rank rank);
    // Moves a record to another rank, which must not be used; the old rank is retired. truncate() must follow the last
    // move, because it updates the list of free ranks.
    void move(Rank from, Rank to, Sequence version);
    // Forgets all ranks above `rankMax`, which must not be used.
    void truncate(Rank rankMax);

    std::uint32_t count() const { return std::uint32_t(m_index.count()); }
    Rank rankMax() const { return Rank(std::uint32_t(m_slots.size())); }
    // Free ranks; the last element is reused first.
    const std::vector<std::uint32_t>& freeRanks() const { return m_free; }
    std::size_t bytes() const;
    // About how many more bytes a value of this length takes, as an insert or as the new value of a used rank.
    std::size_t growthOfInsert(std::uint32_t length, bool isNew) const
    {
        return m_slots.growthFor(isNew || m_free.empty() ? m_slots.size() : m_free.back() - 1, length);
    }
    // How many more bytes the store may need because of an insert, now or through later deletes: for a larger index,
    // and for a list of free ranks as long as it can become. A parity bucket has neither.
    std::size_t growthBesides(bool isNew) const
    {
        return m_index.growthFor(1) + (isNew || m_free.empty() ? freeListGrowth(m_slots.size() + 1) : 0);
    }
    // The same for inserting all records of a block (common/record_block.h), as an upper bound.
    std::size_t growthOfBlock(std::string_view block) const;
    std::size_t growthOfUpdate(Rank rank, std::uint32_t length) const
    {
        return length <= lengthAt(rank) ? 0 : m_slots.growthFor(rank.value - 1, length);
    }

private:
    // While the list grows, its former memory still exists, which is at most half of the new size.
    std::size_t freeListGrowth(std::size_t ranks) const
    {
        return m_free.capacity() >= ranks ? 0 : (ranks + ranks / 2 - m_free.capacity()) * sizeof(std::uint32_t);
    }
    void addFree(Rank rank);

    enum class State : std::uint8_t { Retired, Free, Used };
    struct Slot {
        std::uint64_t key = 0;
        Sequence version : kSequenceBits = 0;
        std::uint32_t length : kLengthBits = 0; // of the value
        State state : 2 = State::Retired;
    };
    static_assert(sizeof(Slot) == 16);

    // Gives the index its keys; places are ranks.
    struct KeyAt {
        const RecordStore& store;
        Key operator()(std::uint32_t rank) const { return Key(store.m_slots[rank - 1].key); }
        void prefetch(std::uint32_t rank) const { __builtin_prefetch(&store.m_slots[rank - 1]); }
    };
    Slot& slot(Rank rank);
    const Slot& slot(Rank rank) const;
    void setVersion(Rank rank, Sequence version);
    void fill(Rank rank, std::string_view value);

    KeyIndex m_index; // keys of used ranks
    RecordPages<Slot> m_slots; // by rank - 1
    std::vector<std::uint32_t> m_free;
};

} // namespace lhrs
