// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/lhrs/record_block.h"

#include "common/errors.h"
#include "common/resize_uninitialized.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace lhrs {

static_assert(
    std::endian::native == std::endian::little, "record blocks are little endian; add swaps for this machine");

namespace {

constexpr std::uint32_t kBytesMax = 65'536; // a value of 65,535 bytes, in whole symbols

// Collects the fields of an entry that precede its bytes, so that they are appended at once.
class Head {
public:
    template <class T> Head& put(T value)
    {
        std::memcpy(m_bytes + m_size, &value, sizeof(T));
        m_size += sizeof(T);
        return *this;
    }
    std::string_view bytes() const { return { m_bytes, m_size }; }

private:
    char m_bytes[32];
    std::size_t m_size = 0;
};

constexpr std::size_t kRequestHead = 1 + 8 + 8 + 8 + 1;
constexpr std::size_t kRecordHead = 1 + 8 + 4 + 4 + 8 + 4;
// Stands in place of a kind: first rank, count, length; then the heads, then the values.
constexpr std::uint8_t kRun = 7;
constexpr std::size_t kRunHead = 1 + 4 + 4 + 4;

std::size_t headBytes(const BlockEntry& entry) { return entry.isOfRequests() ? kRequestHead : kRecordHead; }

// Reads fields in the same order. The caller has checked that the bytes are there.
class HeadReader {
public:
    explicit HeadReader(const char* from) : m_from(from) { }
    template <class T> HeadReader& get(T& value)
    {
        std::memcpy(&value, m_from, sizeof(T));
        m_from += sizeof(T);
        return *this;
    }

private:
    const char* m_from;
};

} // namespace

BlockEntry BlockEntry::ofResult(Key key, std::uint64_t client, std::uint64_t number, std::uint8_t result)
{
    BlockEntry entry;
    entry.kind = Kind::Result;
    entry.key = key;
    entry.client = client;
    entry.number = number;
    entry.result = result;
    return entry;
}

BlockEntry BlockEntry::ofDoneBelow(std::uint64_t client, std::uint64_t number)
{
    BlockEntry entry = ofResult(Key(), client, number, 0);
    entry.kind = Kind::DoneBelow;
    return entry;
}

void BlockWriter::add(const BlockEntry& entry)
{
    if (entry.isOfRequests()) {
        m_out.append(Head()
                         .put(std::uint8_t(entry.kind))
                         .put(entry.key.value)
                         .put(entry.client)
                         .put(entry.number)
                         .put(entry.result)
                         .bytes());
        return;
    }
    // Reserves once for head and bytes.
    const Head head = Head()
                          .put(std::uint8_t(entry.kind))
                          .put(entry.key.value)
                          .put(entry.rank.value)
                          .put(entry.length)
                          .put(entry.version)
                          .put(std::uint32_t(entry.bytes.size()));
    const std::string_view front = head.bytes();
    const std::size_t from = m_out.size();
    resizeUninitialized(m_out, from + front.size() + entry.bytes.size());
    std::memcpy(m_out.data() + from, front.data(), front.size());
    if (!entry.bytes.empty())
        std::memcpy(m_out.data() + from + front.size(), entry.bytes.data(), entry.bytes.size());
}

BlockRun BlockWriter::addRun(Rank first, std::uint32_t count, std::uint32_t length)
{
    LHRS_CHECK(first.value > 0 && count > 0 && length <= kBytesMax);
    m_out.append(Head().put(kRun).put(first.value).put(count).put(length).bytes());
    BlockRun run;
    run.m_block = &m_out;
    run.m_heads = m_out.size();
    run.m_bytes = run.m_heads + count * BlockRun::kHead;
    run.m_length = length;
    resizeUninitialized(m_out, run.m_bytes + std::size_t(count) * length);
    return run;
}

bool BlockReader::nextOutside(BlockEntry& entry)
{
    if (m_rest.empty() || m_isMalformed)
        return false;
    m_isMalformed = !take(entry);
    return !m_isMalformed;
}

// Checks the length once for all numbers of a head.
bool BlockReader::take(BlockEntry& entry)
{
    const std::uint8_t kind = std::uint8_t(m_rest.front());
    if (kind == kRun)
        return beginRun(entry);
    entry.kind = BlockEntry::Kind(kind);
    if (kind < 1 || kind > 6 || m_rest.size() < headBytes(entry))
        return false;
    HeadReader head(m_rest.data() + 1);
    head.get(entry.key.value);
    if (entry.isOfRequests()) {
        head.get(entry.client).get(entry.number).get(entry.result);
        entry.bytes = {};
        m_rest.remove_prefix(kRequestHead);
        return true;
    }
    std::uint32_t size = 0;
    head.get(entry.rank.value).get(entry.length).get(entry.version).get(size);
    if (size > m_rest.size() - kRecordHead || size > kBytesMax || entry.length > kBytesMax || entry.rank.value == 0)
        return false;
    entry.bytes = m_rest.substr(kRecordHead, size);
    m_rest.remove_prefix(kRecordHead + size);
    return true;
}

bool BlockReader::beginRun(BlockEntry& entry)
{
    if (m_rest.size() < kRunHead)
        return false;
    std::uint32_t first = 0, count = 0, length = 0;
    HeadReader(m_rest.data() + 1).get(first).get(count).get(length);
    if (first == 0 || count == 0 || length > kBytesMax || count - 1 > std::numeric_limits<std::uint32_t>::max() - first
        || count * (std::uint64_t(BlockRun::kHead) + length) > m_rest.size() - kRunHead)
        return false;
    m_runHead = m_rest.data() + kRunHead;
    m_runBytes = m_runHead + count * BlockRun::kHead;
    m_runLeft = count;
    m_runLength = length;
    m_runRank = Rank(first);
    m_rest.remove_prefix(kRunHead + count * (BlockRun::kHead + length));
    takeOfRun(entry);
    return true;
}

bool BlockReader::isWellFormed() const
{
    BlockReader copy = *this;
    BlockEntry entry;
    while (copy.next(entry)) { }
    return !copy.isMalformed();
}

} // namespace lhrs
