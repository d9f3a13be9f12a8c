// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/erasure_code.h"
#include "node/core/key_index.h"
#include "node/core/record_pages.h"
#include "node/core/rows.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lhrs {

// The parity records of one parity bucket by rank, with an index from key to rank (lhrs.md 3.3): key list, lengths,
// versions and parity field B of each record group. A parity record whose last member left is gone, and its B must
// then be all zero, which is checked at no cost.
class ParityStore {
public:
    enum class Change : std::uint8_t { Insert, Update, Delete };
    struct Member {
        Key key;
        Sequence version : kSequenceBits = 0;
        std::uint32_t length : kLengthBits = 0;
        bool isPresent : 1 = false;
    };
    static_assert(sizeof(Member) == 16);

    ParityStore(FieldWidth field, std::uint32_t m, ParityColumn column, FieldOptions options);

    // B ^= P[q][p] * delta, and the change of the key list; `length` is that of the new value. Returns false and
    // changes nothing where the change does not fit what is stored (an insert over a member, a delete of another key):
    // then data bucket and parity bucket disagree, which is a mistake of ours.
    [[nodiscard]] bool apply(Change change, Position q, Rank rank, Key key, std::uint32_t length, Sequence version,
        std::string_view delta);

    bool has(Rank rank) const;
    // The m members of a parity record by position.
    std::span<const Member> members(Rank rank) const;
    // Whether any record group has a member of this data position.
    bool hasMembersAt(Position q) const;
    std::uint32_t memberCount(Rank rank) const;
    // B, as long as the longest member ever was, in whole symbols.
    ByteSpan parity(Rank rank) const;
    // While the contents of a position come block by block as of different sequence numbers, a key may for a moment be at
    // two ranks: the position's keys are left out of the index until index() says that they are consistent.
    void leaveOutOfIndex(Position q) { m_isIndexed[q.value] = false; }
    bool isIndexed(Position q) const { return m_isIndexed[q.value]; }
    // Puts the keys of the position into the index. False where one is there twice, which is a mistake of ours.
    [[nodiscard]] bool index(Position q);
    // Rank 0: no member of any record group has this key.
    Rank find(Key key) const
    {
        const std::uint32_t place = m_index.find(key, KeyAt { *this });
        return place == 0 ? Rank() : rankAt(place);
    }

    std::uint32_t recordGroups() const { return m_recordGroups; }
    Rank rankMax() const { return Rank(std::uint32_t(m_records.size())); }
    const ErasureCode& code() const { return m_code; }
    std::size_t bytes() const;

private:
    struct Record {
        std::uint32_t length : kLengthBits = 0;  // of B
        std::uint32_t memberCount : 15 = 0;      // 0: no parity record at this rank
    };

    // For the index.
    struct KeyAt {
        const ParityStore& store;
        Key operator()(std::uint32_t place) const
        {
            return store.m_members.row(store.rankAt(place).value - 1)[(place - 1) & ((1u << store.m_shift) - 1)].key;
        }
    };
    // Of a member in the index.
    std::uint32_t placeOf(Rank rank, Position q) const { return ((rank.value - 1) << m_shift) + q.value + 1; }
    Rank rankAt(std::uint32_t place) const { return Rank(((place - 1) >> m_shift) + 1); }
    void grow(Rank rank, std::uint32_t length);
    Member& member(Rank rank, Position q);

    ErasureCode m_code;
    const ParityColumn m_column;
    const unsigned m_shift;                // bits of a position
    std::vector<Multiplier> m_multipliers; // of our column, by position
    KeyIndex m_index;
    RecordPages<Record> m_records; // by rank - 1; their bytes are B
    Rows<Member> m_members; // m for each rank
    std::uint32_t m_recordGroups = 0;
    std::vector<bool> m_isIndexed; // by position
};

} // namespace lhrs
