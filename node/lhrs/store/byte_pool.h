// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace lhrs {

// Memory for values and parity fields of 1..65,536 bytes. Neighbouring size classes differ by at most a quarter, and
// blocks are cut from slabs, so storing a record allocates nothing. Blocks do not move and are 16-byte aligned.
class BytePool {
public:
    static constexpr std::size_t kLargest = 65536;

    // A block of at least `size` bytes with undefined contents; null for size 0.
    std::byte* take(std::size_t size);
    // Returns a block that was taken with the same size.
    void giveBack(std::byte* block, std::size_t size);
    // The size of the block that take(size) returns.
    static std::size_t capacity(std::size_t size);
    // How many more bytes take(size) would request from the system.
    std::size_t growthFor(std::size_t size) const;
    std::size_t bytes() const { return m_bytes; }

private:
    static constexpr std::size_t kClasses = 44;
    static constexpr std::size_t kSlab = 256 * 1024;
    struct Slab {
        std::unique_ptr<std::byte[]> memory;
    };
    struct FreeBlock {
        FreeBlock* next = nullptr;
    };
    std::size_t nextSlab(std::size_t sizeClass) const;
    static std::size_t classOf(std::size_t size);
    static std::size_t capacityOfClass(std::size_t sizeClass);

    std::array<FreeBlock*, kClasses> m_free {};
    std::array<std::byte*, kClasses> m_cut {}; // next uncut byte in the newest slab of the class
    std::array<std::size_t, kClasses> m_left {}; // uncut bytes in that slab
    std::array<std::size_t, kClasses> m_slabBytes {}; // size of the newest slab; slabs grow with the class
    std::vector<Slab> m_slabs;
    std::size_t m_bytes = 0;
};

} // namespace lhrs
