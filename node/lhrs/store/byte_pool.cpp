// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/store/byte_pool.h"

#include "common/errors.h"

#include <algorithm>
#include <bit>
#include <new>

namespace lhrs {

std::size_t BytePool::classOf(std::size_t size)
{
    LHRS_CHECK(size >= 1 && size <= kLargest);
    if (size <= 128)
        return (size + 15) / 16 - 1;
    const auto exponent = std::size_t(std::bit_width(size - 1) - 1); // 2^exponent <= size-1, at least 7
    const std::size_t quarter = (size - 1 - (std::size_t(1) << exponent)) >> (exponent - 2);
    return 8 + (exponent - 7) * 4 + quarter;
}

std::size_t BytePool::capacityOfClass(std::size_t sizeClass)
{
    if (sizeClass < 8)
        return (sizeClass + 1) * 16;
    const std::size_t exponent = 7 + (sizeClass - 8) / 4;
    return (std::size_t(1) << exponent) + ((sizeClass - 8) % 4 + 1) * (std::size_t(1) << (exponent - 2));
}

std::size_t BytePool::capacity(std::size_t size) { return size == 0 ? 0 : capacityOfClass(classOf(size)); }

// A small file has small slabs: the first holds 16 blocks, and each later one holds twice as many as the one before, up
// to kSlab bytes.
std::size_t BytePool::nextSlab(std::size_t sizeClass) const
{
    const std::size_t block = capacityOfClass(sizeClass);
    return std::max(block, std::min(std::max(block * 16, m_slabBytes[sizeClass] * 2), kSlab / block * block));
}

std::size_t BytePool::growthFor(std::size_t size) const
{
    if (size == 0)
        return 0;
    const std::size_t c = classOf(size);
    return m_free[c] != nullptr || m_left[c] >= capacityOfClass(c) ? 0 : nextSlab(c);
}

std::byte* BytePool::take(std::size_t size)
{
    if (size == 0)
        return nullptr;
    const std::size_t c = classOf(size);
    if (FreeBlock* block = m_free[c]) {
        m_free[c] = block->next;
        return reinterpret_cast<std::byte*>(block);
    }
    const std::size_t block = capacityOfClass(c);
    if (m_left[c] < block) {
        m_slabBytes[c] = nextSlab(c);
        m_slabs.push_back({ std::make_unique_for_overwrite<std::byte[]>(m_slabBytes[c]) });
        m_cut[c] = m_slabs.back().memory.get();
        m_left[c] = m_slabBytes[c];
        m_bytes += m_slabBytes[c];
    }
    std::byte* taken = m_cut[c];
    m_cut[c] += block;
    m_left[c] -= block;
    return taken;
}

void BytePool::giveBack(std::byte* block, std::size_t size)
{
    if (size == 0)
        return;
    const std::size_t c = classOf(size);
    m_free[c] = new (block) FreeBlock { m_free[c] };
}

} // namespace lhrs
