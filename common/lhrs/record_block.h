// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace lhrs {

// One item of a record block: a change of a record, a kept result of a request, or the results that a client no longer
// needs.
struct BlockEntry {
    enum class Kind : std::uint8_t {
        Insert = 1,
        Update = 2,
        Delete = 3,
        Result = 4,
        DoneBelow = 5,
        Void = 6
    }; // cancels earlier entries for this rank in the same batch
    Kind kind = Kind::Insert;
    Key key;
    Rank rank; // Insert, Update, Delete, Void
    std::uint32_t length = 0; // length of the new value in bytes
    Sequence version = 0; // sequence number of the rank's last change
    std::string_view bytes; // value or delta; a delta is padded to whole symbols
    std::uint64_t client = 0; // Result: the request; DoneBelow: lowest number still needed
    std::uint64_t number = 0;
    std::uint8_t result = 0; // Result: pb::ResultCode

    static BlockEntry ofResult(Key key, std::uint64_t client, std::uint64_t number, std::uint8_t result);
    static BlockEntry ofDoneBelow(std::uint64_t client, std::uint64_t number);
    bool isOfRequests() const { return kind == Kind::Result || kind == Kind::DoneBelow; }
};

// Space for records at successive ranks with values of one length, within a block that continues to grow.
class BlockRun {
public:
    // For the i-th record.
    void setHead(std::uint32_t i, Key key, Sequence version)
    {
        const std::uint64_t head[2] = { key.value, version };
        std::memcpy(m_block->data() + m_heads + i * kHead, head, kHead);
    }
    // Its value, uninitialized; valid until the block is extended.
    std::span<std::byte> bytes(std::uint32_t i)
    {
        return { reinterpret_cast<std::byte*>(m_block->data()) + m_bytes + std::size_t(i) * m_length, m_length };
    }

    static constexpr std::size_t kHead = 2 * sizeof(std::uint64_t);

private:
    friend class BlockWriter;
    std::string* m_block = nullptr;
    std::size_t m_heads = 0, m_bytes = 0; // where they begin in the block
    std::uint32_t m_length = 0;
};

// Many records in one bytes field: the form in which splits, contents and batches travel. Little-endian, without
// padding. Appends to a string that the caller owns. The overhead is 29 bytes per record. In a run, where all the keys
// come first and then all the values, it is 16 bytes.
class BlockWriter {
public:
    explicit BlockWriter(std::string& out) : m_out(out) { }
    void add(const BlockEntry& entry);
    // Inserts at the ranks from `first` on, to be filled in by the caller. The reader returns them one by one like any
    // others.
    BlockRun addRun(Rank first, std::uint32_t count, std::uint32_t length);
    std::size_t size() const { return m_out.size(); }

private:
    std::string& m_out;
};

// Reads a block entry by entry; `bytes` of an entry points into the block. A block that does not parse to its end is
// malformed: call isMalformed() after the last entry, before any action that cannot be undone.
class BlockReader {
public:
    explicit BlockReader(std::string_view block) : m_rest(block) { }
    // False at the end, or where the block is malformed.
    bool next(BlockEntry& entry)
    {
        if (m_runLeft == 0)
            return nextOutside(entry);
        takeOfRun(entry);
        return true;
    }
    bool isMalformed() const { return m_isMalformed; }
    // Whether the whole block parses; does not advance this reader.
    bool isWellFormed() const;

private:
    bool nextOutside(BlockEntry& entry);
    bool take(BlockEntry& entry);
    bool beginRun(BlockEntry& entry);
    void takeOfRun(BlockEntry& entry)
    {
        std::uint64_t head[2];
        std::memcpy(head, m_runHead, sizeof head);
        entry.kind = BlockEntry::Kind::Insert;
        entry.key = Key(head[0]);
        entry.rank = m_runRank;
        entry.length = m_runLength;
        entry.version = head[1];
        entry.bytes = { m_runBytes, m_runLength };
        m_runHead += BlockRun::kHead;
        m_runBytes += m_runLength;
        m_runRank = m_runRank.next();
        --m_runLeft;
    }

    std::string_view m_rest; // the bytes after the run
    std::uint32_t m_runLeft = 0; // records left in the current run
    std::uint32_t m_runLength = 0;
    Rank m_runRank; // rank of the next record
    const char* m_runHead = nullptr;
    const char* m_runBytes = nullptr;
    bool m_isMalformed = false;
};

} // namespace lhrs
