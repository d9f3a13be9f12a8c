// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "common/ids.h"

#include <cstdint>
#include <vector>

namespace lhrs {

// Key -> rank, open addressing with linear probing; 16 bytes a slot, at most 7/8 full. The hash is seeded, so that
// chosen keys cannot make long probes. Never walked over in hash order by the protocol, so runs do not depend on the seed.
class KeyIndex {
public:
    explicit KeyIndex(std::uint64_t seed = 0x9e3779b97f4a7c15) : m_seed(seed) {}

    // Rank 0 where the key is not in.
    Rank find(Key key) const
    {
        if (m_slots.empty())
            return Rank();
        for (std::size_t s = home(key);; s = (s + 1) & m_mask) {
            if (m_slots[s].rank == 0)
                return Rank();
            if (m_slots[s].key == key.value)
                return Rank(m_slots[s].rank);
        }
    }

    // Puts the key in or changes its rank.
    void set(Key key, Rank rank)
    {
        LHRS_CHECK(rank.value != 0);
        if ((m_count + 1) * 8 > m_slots.size() * 7)
            grow();
        std::size_t s = home(key);
        while (m_slots[s].rank != 0 && m_slots[s].key != key.value)
            s = (s + 1) & m_mask;
        if (m_slots[s].rank == 0)
            ++m_count;
        m_slots[s] = { key.value, rank.value };
    }

    // Takes the key out; nothing happens where it is not in.
    void erase(Key key)
    {
        if (m_slots.empty())
            return;
        std::size_t s = home(key);
        while (m_slots[s].rank != 0 && m_slots[s].key != key.value)
            s = (s + 1) & m_mask;
        if (m_slots[s].rank == 0)
            return;
        --m_count;
        // Close the gap: later members of the probe move back unless they stand at or after their home.
        for (std::size_t next = (s + 1) & m_mask; m_slots[next].rank != 0; next = (next + 1) & m_mask) {
            const std::size_t want = home(Key(m_slots[next].key));
            if (((next - want) & m_mask) >= ((next - s) & m_mask)) {
                m_slots[s] = m_slots[next];
                s = next;
            }
        }
        m_slots[s] = {};
    }

    void clear()
    {
        m_slots.clear();
        m_count = 0;
        m_mask = 0;
    }
    std::size_t count() const { return m_count; }
    std::size_t bytes() const { return m_slots.capacity() * sizeof(Slot); }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t rank = 0; // 0: empty
    };

    std::size_t home(Key key) const
    {
        std::uint64_t x = key.value ^ m_seed;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return std::size_t(x ^ (x >> 31)) & m_mask;
    }

    void grow()
    {
        std::vector<Slot> old = std::move(m_slots);
        m_slots.assign(old.empty() ? 16 : old.size() * 2, Slot());
        m_mask = m_slots.size() - 1;
        m_count = 0;
        for (const Slot& slot : old) {
            if (slot.rank != 0)
                set(Key(slot.key), Rank(slot.rank));
        }
    }

    std::uint64_t m_seed;
    std::vector<Slot> m_slots;
    std::size_t m_mask = 0;
    std::size_t m_count = 0;
};

} // namespace lhrs
