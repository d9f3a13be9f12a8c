// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/lhrs/store/key_table.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lhrs {

// Key -> place (1, 2, ...) in the list of somebody who has the keys there anyway, so that the index itself keeps none: five
// bytes a slot. Open addressing with Robin Hood hashing, at most 7/8 full: where an entry stands is told with it, as its
// distance from home, so a probe looks at the keys of its own home only, and an entry is taken out without looking at any.
// It grows into a table half as large again, so it is at least 7/12 full, to which each insert takes a few entries along: no insert
// waits for all of them.
// `keyAt(place)` is the key there; it is asked for entries that are in. It may have a `prefetch(place)` for those that will be.
class KeyIndex {
public:
    explicit KeyIndex(std::uint64_t seed = kHashSeed) : m_seed(seed) {}

    // 0 where the key is not in.
    template <class KeyAt>
    std::uint32_t find(Key key, const KeyAt& keyAt) const
    {
        const std::uint32_t place = m_now.find(key, keyAt);
        return place != 0 ? place : m_before.find(key, keyAt);
    }

    // The key will be looked for soon.
    void prefetch(Key key) const
    {
        m_now.prefetch(key);
        m_before.prefetch(key);
    }
    // Where the key is if it is in, without a look at the keys there: mostly right. 0: it is not in.
    std::uint32_t guess(Key key) const { return find(key, [key](std::uint32_t) { return key; }); }

    // Puts a key in that is not in; place >= 1. All others are where keyAt says.
    template <class KeyAt>
    void insert(Key key, std::uint32_t place, const KeyAt& keyAt)
    {
        LHRS_CHECK(place != 0);
        takeAlong(kTakenAlong, keyAt);
        const bool isFull = (m_count + 1) * 8 > m_now.size() * 7;
        const bool isIn = !isFull && m_now.put(key, place);
        ++m_count;
        if (isIn)
            return;
        // Full, or somebody would stand too far: a larger table. Where so few keys stand so far from home, somebody may have
        // chosen them: another hash.
        if (isFull || m_count * 4 >= m_now.size()) {
            takeAlong(m_before.size(), keyAt);
            m_before = std::exchange(m_now, Table(larger(m_now.size()), m_seed));
            m_taken = 0;
            if (m_now.put(key, place))
                return;
        }
        rebuild(key, place, keyAt);
    }

    // So many keys will come; an index that has some goes on as it is.
    void reserve(std::size_t count)
    {
        if (m_count > 0 || count == 0)
            return;
        m_before = Table();
        m_now = Table(count + count / 7 + 2, m_seed);
    }

    // The key is at another place from now on.
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

    // Takes the key of this place out; nothing happens where it is not in.
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
    // How many further bytes it takes when so many keys come: a larger table, while the one before is still there.
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
    // Slots of the former table at each insert. It is empty before the next one is wanted: three would be enough.
    static constexpr std::size_t kTakenAlong = 4;
    static std::size_t larger(std::size_t size) { return std::max<std::size_t>(16, size + size / 2); }

    struct Table {
        Table() = default;
        Table(std::size_t slotCount, std::uint64_t hashSeed)
            : seed(hashSeed)
            , length(slotCount)
            , places(std::make_unique_for_overwrite<std::uint32_t[]>(slotCount))
            , distances(std::make_unique<std::uint8_t[]>(slotCount))
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
        // The hash as a fraction of the table.
        std::size_t home(Key key) const
        {
            __extension__ using Wide = unsigned __int128;
            return std::size_t((Wide(hashOf(key, seed)) * length) >> 64);
        }
        std::size_t next(std::size_t s) const { return s + 1 == length ? 0 : s + 1; }

        template <class KeyAt>
        std::uint32_t find(Key key, const KeyAt& keyAt) const
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

        // Where the entry stands; the number of slots where it is not in.
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

        // Who is farther from home gets the slot, who was there goes on. False, and all as it was, where somebody would
        // have to stand too far.
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

        // Closes the gap: those behind it that are not at home come nearer.
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

    // Empties so many slots of the former table. Who leaves a slot makes room for those behind, so a slot is emptied until
    // nobody comes any more; at each moment it is a table like any other.
    template <class KeyAt>
    void takeAlong(std::size_t count, const KeyAt& keyAt)
    {
        for (; count > 0 && m_before.size() > 0; --count) {
            while (m_before.size() > 0 && m_before.distances[m_taken] != 0) {
                const std::uint32_t place = m_before.places[m_taken];
                m_before.eraseAt(m_taken);
                if (!m_now.put(keyAt(place), place))
                    rebuild(keyAt(place), place, keyAt); // and there is no former table any more
            }
            if (++m_taken >= m_before.size())
                m_before = Table();
        }
        // Those that the next insert takes along are anywhere in the list.
        if constexpr (requires { keyAt.prefetch(std::uint32_t()); }) {
            for (std::size_t s = m_taken; s < std::min(m_taken + kTakenAlong, m_before.size()); ++s) {
                if (m_before.distances[s] != 0)
                    keyAt.prefetch(m_before.places[s]);
            }
        }
    }

    // All at once, with this key, which found no place near enough: by another hash, in a larger table unless few are in.
    template <class KeyAt>
    void rebuild(Key key, std::uint32_t place, const KeyAt& keyAt)
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
        } while (!std::all_of(all.begin(), all.end(), [&](const auto& entry) { return m_now.put(entry.first, entry.second); }));
    }

    std::uint64_t m_seed;
    Table m_now;
    Table m_before;          // while it is emptied
    std::size_t m_taken = 0; // slots of it that are empty
    std::size_t m_count = 0; // of both
};

} // namespace lhrs
