// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lhrs {

// One item of a record block: a change of a record, a kept result of a request, or what a client does not want any more.
struct BlockEntry {
    enum class Kind : std::uint8_t { Insert = 1, Update = 2, Delete = 3, Result = 4, DoneBelow = 5,
        Void = 6 }; // what was said of this rank before in the same batch does not count
    Kind kind = Kind::Insert;
    Key key;
    Rank rank;                 // Insert, Update, Delete, Void
    std::uint32_t length = 0;  // of the new value, bytes
    Sequence version = 0;      // sequence number of the rank's last change
    std::string_view bytes;    // value or delta; padded to whole symbols where it is a delta
    std::uint64_t client = 0;  // Result: the request; DoneBelow: lowest number still wanted
    std::uint64_t number = 0;
    std::uint8_t result = 0;   // Result: pb::ResultCode

    static BlockEntry ofResult(Key key, std::uint64_t client, std::uint64_t number, std::uint8_t result);
    static BlockEntry ofDoneBelow(std::uint64_t client, std::uint64_t number);
    bool isOfRequests() const { return kind == Kind::Result || kind == Kind::DoneBelow; }
};

// Many records in one bytes field: what splits, contents and batches travel as. Little endian, no padding; about 29
// bytes beside the bytes of a record. Appends to a string that the caller owns.
class BlockWriter {
public:
    explicit BlockWriter(std::string& out) : m_out(out) {}
    void add(const BlockEntry& entry);
    // A change with so many zeros in place of entry.bytes, to be written over before the next entry comes.
    std::span<std::byte> addRoom(const BlockEntry& entry, std::uint32_t bytes);
    std::size_t size() const { return m_out.size(); }

private:
    std::span<std::byte> addUnfilled(const BlockEntry& entry, std::uint32_t bytes);

    std::string& m_out;
};

// Reads a block entry by entry; `bytes` of an entry points into the block. A block that does not parse to its end is
// malformed: check isMalformed() after the last entry, before anything is done with the entries that cannot be undone.
class BlockReader {
public:
    explicit BlockReader(std::string_view block) : m_rest(block) {}
    // False at the end, or where the block is malformed.
    bool next(BlockEntry& entry);
    bool isMalformed() const { return m_isMalformed; }
    // Whether the whole block parses, without a change of this reader.
    bool isWellFormed() const;

private:
    bool take(BlockEntry& entry);

    std::string_view m_rest;
    bool m_isMalformed = false;
};

} // namespace lhrs
