// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/record_block.h"

#include <bit>
#include <cstring>

namespace lhrs {

static_assert(std::endian::native == std::endian::little, "record blocks are little endian; add swaps for this machine");

namespace {

constexpr std::uint32_t kBytesMax = 65'536; // a value of 65,535 bytes, in whole symbols

// The fields of an entry beside its bytes, put together to be appended at once.
class Head {
public:
    template <class T>
    Head& put(T value)
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

template <class T>
bool take(std::string_view& rest, T& value)
{
    if (rest.size() < sizeof(T))
        return false;
    std::memcpy(&value, rest.data(), sizeof(T));
    rest.remove_prefix(sizeof(T));
    return true;
}

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
        m_out.append(Head().put(std::uint8_t(entry.kind)).put(entry.key.value).put(entry.client).put(entry.number).put(entry.result).bytes());
        return;
    }
    addHead(entry, std::uint32_t(entry.bytes.size()));
    m_out.append(entry.bytes);
}

void BlockWriter::addHead(const BlockEntry& entry, std::uint32_t bytes)
{
    m_out.append(Head().put(std::uint8_t(entry.kind)).put(entry.key.value).put(entry.rank.value).put(entry.length).put(entry.version).put(bytes).bytes());
}

std::span<std::byte> BlockWriter::addRoom(const BlockEntry& entry, std::uint32_t bytes)
{
    addHead(entry, bytes);
    const std::size_t from = m_out.size();
    m_out.resize(from + bytes);
    return { reinterpret_cast<std::byte*>(m_out.data() + from), bytes };
}

bool BlockReader::next(BlockEntry& entry)
{
    if (m_rest.empty() || m_isMalformed)
        return false;
    std::uint8_t kind = 0;
    bool isGood = take(m_rest, kind) && kind >= 1 && kind <= 6 && take(m_rest, entry.key.value);
    entry.kind = BlockEntry::Kind(kind);
    if (isGood && entry.isOfRequests()) {
        isGood = take(m_rest, entry.client) && take(m_rest, entry.number) && take(m_rest, entry.result);
        entry.bytes = {};
    } else if (isGood) {
        std::uint32_t size = 0;
        isGood = take(m_rest, entry.rank.value) && take(m_rest, entry.length) && take(m_rest, entry.version)
            && take(m_rest, size) && size <= m_rest.size() && size <= kBytesMax && entry.length <= kBytesMax && entry.rank.value > 0;
        if (isGood) {
            entry.bytes = m_rest.substr(0, size);
            m_rest.remove_prefix(size);
        }
    }
    m_isMalformed = !isGood;
    return isGood;
}

bool BlockReader::isWellFormed() const
{
    BlockReader copy = *this;
    BlockEntry entry;
    while (copy.next(entry)) { }
    return !copy.isMalformed();
}

} // namespace lhrs
