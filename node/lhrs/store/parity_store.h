// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/erasure_code.h"
#include "node/lhrs/store/key_index.h"
#include "node/lhrs/store/record_pages.h"
#include "node/lhrs/store/rows.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace lhrs {

// The parity records of one parity bucket by rank: the key list, lengths, versions and parity field B of each record
// group. When the last member leaves, the parity record is removed. Its B must then be all zero; checking this costs
// nothing extra. Only record recovery looks up a key here. So the index of a position is built at the first lookup and
// kept until it is forgotten. Most of the time no index takes memory, and changes need not maintain one.
class ParityStore {
public:
    static constexpr std::uint32_t kRanksAtOnce = 50'000; // takes a few milliseconds
    enum class Change : std::uint8_t { Insert, Update, Delete };
    struct Member {
        Key key;
        Sequence version : kSequenceBits = 0;
        std::uint32_t length : kLengthBits = 0;
        bool isPresent : 1 = false;
    };
    static_assert(sizeof(Member) == 16);

    ParityStore(FieldWidth field, std::uint32_t m, ParityColumn column, FieldOptions options);

    // B ^= P[q][p] * delta, and the same change to the key list; `length` is that of the new value. Returns false and
    // changes nothing if the change does not match what is stored (an insert over a member, a delete of another key).
    // In that case the data bucket and the parity bucket disagree, which is a bug.
    [[nodiscard]] bool apply(
        Change change, Position q, Rank rank, Key key, std::uint32_t length, Sequence version, std::string_view delta);

    // Call this when the rank will be changed soon.
    void prefetch(Rank rank) const
    {
        if (rank.value < 1 || rank.value > m_records.size())
            return;
        m_records.prefetch(rank.value - 1);
        __builtin_prefetch(m_members.row(rank.value - 1));
    }

    // For callers that read rank after rank: prefetches the ranks ahead, so that they do not wait for memory at each
    // one.
    void prefetchBehind(Rank rank) const
    {
        constexpr std::uint32_t kAhead = 6;
        prefetch(Rank(rank.value + kAhead));
    }

    bool has(Rank rank) const;
    // The m members of a parity record by position.
    std::span<const Member> members(Rank rank) const;
    // Whether any record group has a member of this data position.
    bool hasMembersAt(Position q) const;
    std::uint32_t memberCount(Rank rank) const;
    // B is as long as the longest member has ever been, in whole symbols.
    ByteSpan parity(Rank rank) const;
    std::uint32_t lengthAt(Rank rank) const { return m_records[rank.value - 1].length; }
    // Like RecordStore::piece and pieceRanks, for parity fields.
    const std::byte* piece(Rank first, std::uint32_t count, std::uint32_t length) const
    {
        return m_records.piece(first.value - 1, count, length);
    }
    static std::uint32_t pieceRanks(Rank first)
    {
        return std::uint32_t(RecordPages<Record>::rowsOfPage(first.value - 1));
    }
    // Adds this many more ranks to the index of the position's keys; all later changes maintain it. Returns false if a
    // key occurs twice, which is a bug.
    [[nodiscard]] bool index(Position q, std::uint32_t ranks = kRanksAtOnce);
    // Whether the index covers all ranks.
    bool isIndexed(Position q) const { return m_index[q.value] && m_index[q.value]->isWhole; }
    void forgetIndex(Position q) { m_index[q.value].reset(); }
    // Only for an indexed position. Rank 0: the bucket of that position has no such key.
    Rank find(Position q, Key key) const
    {
        LHRS_CHECK(isIndexed(q));
        return Rank(m_index[q.value]->keys.find(key, KeyAt { *this, q }));
    }

    std::uint32_t recordGroups() const { return m_recordGroups; }
    Rank rankMax() const { return Rank(std::uint32_t(m_records.size())); }
    const ErasureCode& code() const { return m_code; }
    std::size_t bytes() const;
    // About how many bytes a further page takes at least, with parity fields as long as the longest so far.
    std::size_t longestPage() const { return m_records.longestPage() + 64 * m_members.width() * sizeof(Member); }

private:
    struct Record {
        std::uint32_t length : kLengthBits = 0; // of B
        std::uint32_t memberCount : 15 = 0; // 0: no parity record at this rank
    };

    // Gives the index of a position its keys; places are ranks.
    struct KeyAt {
        const ParityStore& store;
        Position q;
        Key operator()(std::uint32_t rank) const { return store.m_members.row(rank - 1)[q.value].key; }
    };
    struct Index {
        KeyIndex keys; // keys of the ranks up to `last`, or of all ranks if isWhole
        Rank last;
        bool isWhole = false;
        bool has(Rank rank) const { return isWhole || rank <= last; }
    };
    void grow(Rank rank, std::uint32_t length);
    Member& member(Rank rank, Position q);

    ErasureCode m_code;
    const ParityColumn m_column;
    std::vector<Multiplier> m_multipliers; // of this bucket's column, by position
    RecordPages<Record> m_records; // by rank - 1; their bytes are B
    Rows<Member> m_members; // m for each rank
    std::uint32_t m_recordGroups = 0;
    std::vector<std::unique_ptr<Index>> m_index; // by position; null: nothing has been looked up for it
};

} // namespace lhrs
