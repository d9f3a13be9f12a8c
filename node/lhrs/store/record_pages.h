// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/lhrs/store/byte_pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace lhrs {

inline constexpr int kLengthBits = 17; // of a value, 0..65,536
inline constexpr std::uint32_t kLengthMask = (1u << kLengthBits) - 1;
static_assert(BytePool::kLargest <= kLengthMask);

// What a bucket stores by rank: each row has a head and `Head::length` bytes, at most BytePool::kLargest. A page of 64
// rows is a single piece of memory: first all heads, then cells of one width. So a row needs no address, and a run of
// ranks is contiguous. The width of a page is that of its longest row, unless more than half of the bytes in its cells
// would then be unused. In that case longer rows are stored outside the page, and the cell holds their address. So
// values of equal length waste no byte, and a single long value costs only its own length. The last page has 8, 16, 32
// or 64 rows.
template <class Head> class RecordPages {
    static_assert(std::is_trivially_copyable_v<Head> && alignof(Head) <= alignof(std::max_align_t));

public:
    std::size_t size() const { return m_size; }
    Head& operator[](std::size_t row) { return heads(m_pages[row / kRows])[row % kRows]; }
    const Head& operator[](std::size_t row) const { return heads(m_pages[row / kRows])[row % kRows]; }

    // The bytes of a row. The next setLength() or resize() may move them.
    std::byte* bytes(std::size_t row) { return bytesOf(m_pages[row / kRows], row % kRows); }
    const std::byte* bytes(std::size_t row) const { return bytesOf(m_pages[row / kRows], row % kRows); }

    // The bytes of this many rows of this length if they are contiguous, otherwise null. Rows of different pages never
    // are.
    const std::byte* piece(std::size_t row, std::size_t rows, std::uint32_t length) const
    {
        const Page& page = m_pages[row / kRows];
        return length == page.width && rows <= rowsOfPage(row) ? cell(page, row % kRows) : nullptr;
    }
    // The number of rows in the page of this row, counted from this row on.
    static std::size_t rowsOfPage(std::size_t row) { return kRows - row % kRows; }

    // Call this when the row will be needed soon.
    void prefetch(std::size_t row) const
    {
        const Page& page = m_pages[row / kRows];
        const std::byte* const at = cell(page, row % kRows);
        __builtin_prefetch(&heads(page)[row % kRows]);
        __builtin_prefetch(at);
        __builtin_prefetch(at + kLine);
    }

    // Sets the length of the row and returns its bytes. Old bytes are kept as far as they fit; new ones are
    // uninitialized.
    std::byte* setLength(std::size_t row, std::uint32_t length)
    {
        LHRS_CHECK(row < m_size && length <= BytePool::kLargest);
        Page& page = m_pages[row / kRows];
        const std::size_t r = row % kRows;
        const std::uint32_t before = heads(page)[r].length;
        if (length == before)
            return bytesOf(page, r);
        if (length > page.width) {
            if (const std::uint32_t width = fittingWidth(page, r, length); width >= length)
                reshape(page, page.capacity, width);
        }
        put(page, r, length);
        if (page.used == 0)
            reshape(page, page.capacity, 0);
        else if (std::size_t(page.used) * page.width > 3 * std::size_t(page.total) + kWastedAnyway)
            reshape(page, page.capacity, fittingWidth(page, r, length));
        return bytesOf(page, r);
    }

    // About how many more bytes are taken if the row gets this length; it may also be a new row behind all others. The
    // bytes are either those of a new page, while the former one still exists, or of a slab for a row outside. 0: the
    // row already has a cell that is wide enough.
    std::size_t growthFor(std::size_t row, std::uint32_t length) const
    {
        const std::size_t p = row / kRows;
        const bool hasPage = p < m_pages.size();
        if (hasPage && row % kRows < m_pages[p].capacity)
            return length <= m_pages[p].width
                ? 0
                : std::max(memoryOf(m_pages[p].capacity, length), m_pool.growthFor(length));
        const std::size_t capacity = p > 0 ? kRows
            : hasPage                      ? std::min<std::size_t>(kRows, 2 * m_pages[p].capacity)
                                           : kRowsAtFirst;
        return std::max(memoryOf(capacity, std::max(length, hasPage ? m_pages[p].width : 0)), m_pool.growthFor(length));
    }
    // An upper bound on the additional bytes for this many new rows, with this many bytes in total and none longer than
    // `longest`. A page has cells for all its rows, the last page even for rows that never follow, and it may have
    // twice as many bytes unused as used. The longest row may be stored outside, in a slab of its own.
    std::size_t growthForRows(std::size_t rows, std::size_t bytes, std::uint32_t longest) const
    {
        const std::size_t after = m_size + rows;
        const std::size_t cells = after <= kRows ? std::max(kRowsAtFirst, std::bit_ceil(after))
                                                 : (rows / kRows + 2) * kRows;
        const std::size_t last = memoryOf(std::min(cells, kRows), longest);
        return std::min(memoryOf(cells, longest), 4 * bytes + memoryOf(cells, 0) + cells / kRows * kWastedAnyway + last)
            + m_pool.growthFor(longest);
    }
    // The size of a page whose rows are all as long as the longest row so far.
    std::size_t longestPage() const { return memoryOf(kRows, m_longest); }

    // New rows have Head() and no bytes.
    void resize(std::size_t rows)
    {
        for (std::size_t row = rows; row < m_size; ++row) {
            setLength(row, 0);
            (*this)[row] = Head();
        }
        const std::size_t pages = (rows + kRows - 1) / kRows;
        for (std::size_t p = pages; p < m_pages.size(); ++p)
            m_memory -= memoryOf(m_pages[p].capacity, m_pages[p].width);
        m_pages.resize(pages);
        for (std::size_t p = m_size / kRows; p < pages; ++p) {
            const std::size_t wanted = std::min(kRows, rows - p * kRows);
            std::size_t capacity = std::max<std::size_t>(m_pages[p].capacity, p == 0 ? kRowsAtFirst : kRows);
            while (capacity < wanted)
                capacity *= 2;
            if (capacity > m_pages[p].capacity)
                reshape(m_pages[p], capacity, m_pages[p].width);
        }
        m_size = rows;
    }

    // Heads and bytes, whether used or not.
    std::size_t memory() const { return m_memory + m_pool.bytes() + m_pages.capacity() * sizeof(Page); }

private:
    static constexpr std::size_t kRows = 64;
    static constexpr std::size_t kLine = 64; // bytes of a cache line
    static constexpr std::size_t kRowsAtFirst = 8;
    static constexpr std::size_t kWastedAnyway = 4096; // bytes a page may waste, so that short values do not reshape it

    struct Page {
        std::unique_ptr<std::byte[]> memory; // heads, then cells
        std::uint32_t width = 0; // of a cell; 0, or at least the size of an address
        std::uint16_t capacity = 0; // rows
        std::uint16_t used = 0; // rows that have bytes
        std::uint32_t total = 0; // total bytes of the rows, each counted up to the width
    };

    static Head* heads(const Page& page) { return std::launder(reinterpret_cast<Head*>(page.memory.get())); }
    static std::byte* cell(const Page& page, std::size_t r)
    {
        return page.memory.get() + page.capacity * sizeof(Head) + r * page.width;
    }
    static std::size_t memoryOf(std::size_t capacity, std::size_t width) { return capacity * (sizeof(Head) + width); }
    static bool isOutside(const Page& page, std::uint32_t length) { return length > page.width; }
    static std::byte* addressIn(const std::byte* cell)
    {
        std::byte* address = nullptr;
        std::memcpy(&address, cell, sizeof address);
        return address;
    }
    static std::byte* bytesOf(const Page& page, std::size_t r)
    {
        std::byte* const at = cell(page, r);
        return isOutside(page, heads(page)[r].length) ? addressIn(at) : at;
    }

    // The width that keeps the most rows in their cells while at least half of the bytes in the cells are used,
    // assuming that row `r` has this length.
    static std::uint32_t fittingWidth(const Page& page, std::size_t r, std::uint32_t length)
    {
        std::array<std::uint32_t, kRows> lengths;
        std::size_t used = 0;
        for (std::size_t i = 0; i < page.capacity; ++i) {
            const std::uint32_t one = i == r ? length : heads(page)[i].length;
            if (one > 0)
                lengths[used++] = one;
        }
        std::sort(lengths.begin(), lengths.begin() + std::ptrdiff_t(used));
        std::size_t shorter = 0;
        for (std::size_t i = 0; i < used; ++i)
            shorter += lengths[i];
        for (std::size_t i = used; i-- > 0;) { // `shorter`: the sum up to i; longer rows would be stored outside
            if (used * lengths[i] <= 2 * (shorter + (used - 1 - i) * lengths[i]))
                return std::max<std::uint32_t>(sizeof(std::byte*), (lengths[i] + 1) & ~1u);
            shorter -= lengths[i];
        }
        return sizeof(std::byte*);
    }

    // Puts the row's bytes into its cell or outside, according to the page's width.
    void put(Page& page, std::size_t r, std::uint32_t length)
    {
        Head& head = heads(page)[r];
        std::byte* const at = cell(page, r);
        const std::uint32_t before = head.length;
        const bool wasOutside = isOutside(page, before);
        page.used = std::uint16_t(page.used + (length > 0) - (before > 0));
        page.total += std::min(length, page.width) - std::min(before, page.width);
        head.length = length & kLengthMask;
        m_longest = std::max(m_longest, length);
        if (!wasOutside && !isOutside(page, length))
            return;
        if (wasOutside && isOutside(page, length) && BytePool::capacity(before) == BytePool::capacity(length))
            return;
        std::byte* const from = wasOutside ? addressIn(at) : at;
        if (isOutside(page, length)) {
            std::byte* const block = m_pool.take(length);
            std::memcpy(block, from, std::min(before, length));
            std::memcpy(at, &block, sizeof block);
        } else {
            std::memcpy(at, from, length);
        }
        if (wasOutside)
            m_pool.giveBack(from, before);
    }

    void reshape(Page& page, std::size_t capacity, std::uint32_t width)
    {
        Page old = std::move(page);
        page = Page();
        page.memory = std::make_unique_for_overwrite<std::byte[]>(memoryOf(capacity, width));
        page.width = width;
        page.capacity = std::uint16_t(capacity);
        page.used = old.used;
        m_memory += memoryOf(capacity, width) - memoryOf(old.capacity, old.width);
        for (std::size_t r = 0; r < capacity; ++r) {
            Head* const head = new (page.memory.get() + r * sizeof(Head))
                Head(r < old.capacity ? heads(old)[r] : Head());
            const std::uint32_t length = head->length;
            if (length == 0)
                continue;
            page.total += std::min(length, width);
            std::byte* from = bytesOf(old, r);
            if (isOutside(page, length)) {
                if (!isOutside(old, length))
                    from = static_cast<std::byte*>(std::memcpy(m_pool.take(length), from, length));
                std::memcpy(cell(page, r), &from, sizeof from);
            } else {
                std::memcpy(cell(page, r), from, length);
                if (isOutside(old, length))
                    m_pool.giveBack(from, length);
            }
        }
    }

    BytePool m_pool; // for rows stored outside
    std::vector<Page> m_pages;
    std::size_t m_size = 0;
    std::size_t m_memory = 0; // total bytes of the pages
    std::uint32_t m_longest = 0; // the longest row so far, in bytes
};

} // namespace lhrs
