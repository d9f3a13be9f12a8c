// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lhrs {

// The keys that one scan found, ascending by store key, from a store key on. Its memory is bounded: when there are too
// many keys, those with the highest store keys are dropped again, and the window ends before them.
class KeyWindow {
public:
    static constexpr std::size_t kBytesMax = std::size_t(64) << 20; // while the scan runs; half of it afterwards

    explicit KeyWindow(std::uint64_t from = 0, std::size_t bytesMax = kBytesMax)
        : m_from(from), m_bytesMax(bytesMax) { }

    // A record that the scan found; it may come twice. False: no door has written it.
    bool found(Key key, std::string_view value);
    // How many different records of doors there are.
    void setCount(std::uint64_t count) { m_count = count; }
    // No more records come: from now on it can be read.
    void close();

    // The keys of the whole store, not only of this window.
    std::uint64_t count() const { return m_count; }
    bool covers(std::uint64_t from) const { return from >= m_from && from <= m_last; }
    struct Page {
        std::vector<std::string_view> keys; // valid as long as the window
        std::uint64_t next = 0; // where the next page begins; 0: there is none
    };
    // At most `count` keys from this store key on, which it covers.
    Page page(std::uint64_t from, std::uint32_t count) const;

private:
    struct Entry {
        std::uint64_t storeKey = 0;
        std::uint32_t begin = 0, length = 0; // of the key
    };
    std::size_t bytes() const { return m_bytes.size() + m_entries.size() * sizeof(Entry); }
    void order();
    void trim(std::size_t most);

    std::uint64_t m_from; // it has every key that was found from here ...
    std::uint64_t m_last = std::numeric_limits<std::uint64_t>::max(); // ... to here
    std::size_t m_bytesMax;
    std::vector<Entry> m_entries;
    std::string m_bytes;
    std::uint64_t m_count = 0;
};

} // namespace lhrs
