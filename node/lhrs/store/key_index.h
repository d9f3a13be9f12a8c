// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/machine/requests/key_table.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lhrs {

// Maps a key to its place (1, 2, ...) in a list that belongs to the owner, which stores the keys. The index itself
// stores no keys and takes five bytes per slot. It uses open addressing with Robin Hood hashing and is at most 7/8
// full. Each entry stores its distance from its home slot, so a probe compares only keys with the same home, and an
// entry is erased without comparing any key. The index grows into a table half as large again, so it is at least 7/12
// full. Each insert moves a few entries to the new table, so no insert waits for all of them. `keyAt(place)` returns
// the key at a place that is in the index. It may also have `prefetch(place)` for entries that are needed soon.
class KeyIndex {
public:
    explicit KeyIndex(std::uint64_t seed = kHashSeed) : m_seed(seed) { }

    // 0 if the key is not in the index.
    template <class KeyAt> std::uint32_t find(Key key, const KeyAt& keyAt) const
    {
        const std::uint32_t place = m_now.find(key, keyAt);
        return place != 0 ? place : m_before.find(key, keyAt);
    }

    // Call this when the key will be looked up soon.
    void prefetch(Key key) const
    {
        m_now.prefetch(key);
        m_before.prefetch(key);
    }
    // The place of the key if it is in the index, found without reading the stored keys, so it may occasionally be
    // wrong. 0: the key is not in the index.
    std::uint32_t guess(Key key) const
    {
        return find(key, [key](std::uint32_t) { return key; });
    }

    // Inserts a key that is not in the index; place >= 1. keyAt must be valid for all other entries.
    template <class KeyAt> void insert(Key key, std::uint32_t place, const KeyAt& keyAt)
    {
        LHRS_CHECK(place != 0);
        takeAlong(kTakenAlong, keyAt);
        const bool isFull = (m_count + 1) * 8 > m_now.size() * 7;
        const bool isIn = !isFull && m_now.put(key, place);
        ++m_count;
        if (isIn)
            return;
        // The table is full, or an entry would lie too far from home: use a larger table. If there are only a few keys
        // and they lie so far from home, they may have been chosen on purpose: use another hash.
        if (isFull || m_count * 4 >= m_now.size()) {
            takeAlong(m_before.size(), keyAt);
            m_before = std::exchange(m_now, Table(larger(m_now.size()), m_seed));
            m_taken = 0;
            if (m_now.put(key, place))
                return;
        }
        rebuild(key, place, keyAt);
    }

    // Makes room for this many keys; does nothing if the index already has some.
    void reserve(std::size_t count)
    {
        if (m_count > 0 || count == 0)
            return;
        m_before = Table();
        m_now = Table(count + count / 7 + 2, m_seed);
    }

    // Records that the key is at another place from now on.
    void move(Key key, std::uint32_t from, std::uint32_t to)
    {
        for (Table* table : { &m_now, &m_before }) {
            if (const std::size_t s = table->slotOf(key, from); s != table->size()) {
                table->places[s] = to;
                return;
            }
        }
        LHRS_CHECK(!"what moves is in the index");
    }

    // Erases the key at this place; does nothing if it is not in the index.
    void erase(Key key, std::uint32_t place)
    {
        for (Table* table : { &m_now, &m_before }) {
            if (const std::size_t s = table->slotOf(key, place); s != table->size()) {
                table->eraseAt(s);
                --m_count;
                return;
            }
        }
    }

    void clear()
    {
        m_now = Table();
        m_before = Table();
        m_count = 0;
    }
    std::size_t count() const { return m_count; }
    std::size_t bytes() const { return (m_now.size() + m_before.size()) * kSlotBytes; }
    // How many more bytes the index takes for this many more keys: a larger table, while the former one still exists.
    std::size_t growthFor(std::size_t keys) const
    {
        std::size_t now = m_now.size(), before = m_before.size();
        while ((m_count + keys) * 8 > now * 7) {
            before = now;
            now = larger(now);
        }
        return std::max(now + before, m_now.size() + m_before.size()) * kSlotBytes - bytes();
    }

private:
    static constexpr std::size_t kSlotBytes = sizeof(std::uint32_t) + 1;
    // Slots of the former table that each insert empties. Three would suffice to empty it before the next growth.
    static constexpr std::size_t kTakenAlong = 4;
    static std::size_t larger(std::size_t size) { return std::max<std::size_t>(16, size + size / 2); }

    struct Table {
        Table() = default;
        Table(std::size_t slotCount, std::uint64_t hashSeed)
            : seed(hashSeed), length(slotCount), places(std::make_unique_for_overwrite<std::uint32_t[]>(slotCount)),
              distances(std::make_unique<std::uint8_t[]>(slotCount))
        {
        }
        Table(Table&& other) noexcept { *this = std::move(other); }
        Table& operator=(Table&& other) noexcept
        {
            seed = other.seed;
            length = std::exchange(other.length, 0);
            places = std::move(other.places);
            distances = std::move(other.distances);
            return *this;
        }
        Table& operator=(const Table& other) = delete;

        std::size_t size() const { return length; }
        // The hash as a fraction of the table size.
        std::size_t home(Key key) const
        {
            __extension__ using Wide = unsigned __int128;
            return std::size_t((Wide(hashOf(key, seed)) * length) >> 64);
        }
        std::size_t next(std::size_t s) const { return s + 1 == length ? 0 : s + 1; }

        template <class KeyAt> std::uint32_t find(Key key, const KeyAt& keyAt) const
        {
            if (size() == 0)
                return 0;
            std::size_t s = home(key);
            for (std::uint32_t distance = 1; distances[s] >= distance; ++distance, s = next(s)) {
                if (distances[s] == distance && keyAt(places[s]) == key)
                    return places[s];
            }
            return 0;
        }

        void prefetch(Key key) const
        {
            if (size() == 0)
                return;
            const std::size_t s = home(key);
            __builtin_prefetch(&distances[s]);
            __builtin_prefetch(&places[s]);
        }

        // The slot of the entry, or the number of slots if the entry is not in the table.
        std::size_t slotOf(Key key, std::uint32_t place) const
        {
            if (size() == 0)
                return 0;
            std::size_t s = home(key);
            for (std::uint32_t distance = 1; distances[s] >= distance; ++distance, s = next(s)) {
                if (places[s] == place)
                    return s;
            }
            return size();
        }

        // The entry farther from its home slot takes this one; the displaced entry is reinserted further on. Returns
        // false and changes nothing if an entry would lie farther than kFarthest from home.
        bool put(Key key, std::uint32_t place)
        {
            std::size_t s = home(key), last = s;
            std::uint32_t farthest = 1;
            for (std::uint32_t distance = 1; distances[last] != 0; last = next(last)) {
                distance = std::max<std::uint32_t>(distance, distances[last]) + 1;
                farthest = std::max(farthest, distance);
            }
            if (farthest > kFarthest)
                return false;
            std::uint8_t distance = 1;
            while (distances[s] != 0) {
                if (distances[s] < distance) {
                    std::swap(distances[s], distance);
                    std::swap(places[s], place);
                }
                ++distance;
                s = next(s);
            }
            places[s] = place;
            distances[s] = distance;
            return true;
        }

        // Closes the gap: the entries behind it that are not at home move one slot closer to home.
        void eraseAt(std::size_t s)
        {
            for (std::size_t n = next(s); distances[n] > 1; s = n, n = next(n)) {
                places[s] = places[n];
                distances[s] = std::uint8_t(distances[n] - 1);
            }
            distances[s] = 0;
        }

        static constexpr std::uint32_t kFarthest = 255;
        std::uint64_t seed = 0;
        std::size_t length = 0;
        std::unique_ptr<std::uint32_t[]> places;
        std::unique_ptr<std::uint8_t[]> distances; // 1: at home; 0: empty
    };

    // Empties this many slots of the former table. Erasing an entry moves the following ones closer, so a slot is
    // erased until no entry moves into it. The former table is valid at every moment.
    template <class KeyAt> void takeAlong(std::size_t count, const KeyAt& keyAt)
    {
        for (; count > 0 && m_before.size() > 0; --count) {
            while (m_before.size() > 0 && m_before.distances[m_taken] != 0) {
                const std::uint32_t place = m_before.places[m_taken];
                m_before.eraseAt(m_taken);
                if (!m_now.put(keyAt(place), place))
                    rebuild(keyAt(place), place, keyAt); // after this there is no former table
            }
            if (++m_taken >= m_before.size())
                m_before = Table();
        }
        // The entries that the next insert will move are scattered over the list, so they are prefetched.
        if constexpr (requires { keyAt.prefetch(std::uint32_t()); }) {
            for (std::size_t s = m_taken; s < std::min(m_taken + kTakenAlong, m_before.size()); ++s) {
                if (m_before.distances[s] != 0)
                    keyAt.prefetch(m_before.places[s]);
            }
        }
    }

    // Rebuilds the index in one step with another hash and adds this key, which found no slot near enough. The new
    // table is larger, unless only few entries are in it.
    template <class KeyAt> void rebuild(Key key, std::uint32_t place, const KeyAt& keyAt)
    {
        std::vector<std::pair<Key, std::uint32_t>> all { { key, place } };
        for (const Table* table : { &m_now, &m_before }) {
            for (std::size_t s = 0; s < table->size(); ++s) {
                if (table->distances[s] != 0)
                    all.emplace_back(keyAt(table->places[s]), table->places[s]);
            }
        }
        m_before = Table();
        const std::size_t size = m_count * 4 >= m_now.size() ? larger(m_now.size()) : m_now.size();
        do {
            m_seed = hashOf(Key(m_seed), kHashSeed);
            m_now = Table(size, m_seed);
        } while (!std::all_of(
            all.begin(), all.end(), [&](const auto& entry) { return m_now.put(entry.first, entry.second); }));
    }

    std::uint64_t m_seed;
    Table m_now;
    Table m_before; // the former table, while it is being emptied
    std::size_t m_taken = 0; // how many of its slots are empty
    std::size_t m_count = 0; // entries of both tables
};

} // namespace lhrs
