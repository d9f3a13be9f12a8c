// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "node/machine/seeded_numbers.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lhrs {

constexpr std::uint64_t kHashSeed = 0x9e3779b97f4a7c15;

// The hash of a key, seeded so that an attacker cannot choose keys that make probes long.
inline std::uint64_t hashOf(Key key, std::uint64_t seed) { return SeededNumbers::mixed(key.value ^ seed); }

// Maps a key to a number. Open addressing with linear probing, at most 7/8 full, 16 bytes a slot. The number 0 means
// "not in". The protocol never iterates in hash order, so runs do not depend on the seed.
template <class Number> class KeyTable {
public:
    explicit KeyTable(std::uint64_t seed = kHashSeed) : m_seed(seed) { }

    // 0 if the key is not in the table.
    Number find(Key key) const
    {
        if (m_slots.empty())
            return 0;
        for (std::size_t s = home(key);; s = (s + 1) & m_mask) {
            if (m_slots[s].number == 0 || m_slots[s].key == key.value)
                return m_slots[s].number;
        }
    }

    // Call this when the key will be looked up soon.
    void prefetch(Key key) const
    {
        if (!m_slots.empty())
            __builtin_prefetch(&m_slots[home(key)]);
    }

    // Inserts the key or changes its number, which must not be 0.
    void set(Key key, Number number)
    {
        if ((m_count + 1) * 8 > m_slots.size() * 7)
            grow();
        const std::size_t s = slotOf(key);
        if (m_slots[s].number == 0)
            ++m_count;
        m_slots[s] = { key.value, number };
    }

    // Erases the key; does nothing if it is not in the table.
    void erase(Key key)
    {
        if (m_slots.empty())
            return;
        std::size_t s = slotOf(key);
        if (m_slots[s].number == 0)
            return;
        --m_count;
        // Close the gap: later entries of the probe move back unless they are at or after their home slot.
        for (std::size_t next = (s + 1) & m_mask; m_slots[next].number != 0; next = (next + 1) & m_mask) {
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
        Number number = 0;
    };

    std::size_t home(Key key) const { return std::size_t(hashOf(key, m_seed)) & m_mask; }

    // The slot of the key, or the empty slot where it would go.
    std::size_t slotOf(Key key) const
    {
        std::size_t s = home(key);
        while (m_slots[s].number != 0 && m_slots[s].key != key.value)
            s = (s + 1) & m_mask;
        return s;
    }

    void grow()
    {
        std::vector<Slot> old = std::move(m_slots);
        m_slots.assign(old.empty() ? 16 : old.size() * 2, Slot());
        m_mask = m_slots.size() - 1;
        for (const Slot& slot : old) {
            if (slot.number != 0)
                m_slots[slotOf(Key(slot.key))] = slot;
        }
    }

    std::uint64_t m_seed;
    std::vector<Slot> m_slots;
    std::size_t m_mask = 0;
    std::size_t m_count = 0;
};

} // namespace lhrs
