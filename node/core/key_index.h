// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/core/key_table.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace lhrs {

// Key -> place (1, 2, ...) in the list of somebody who has the keys there anyway, so that the index itself keeps none: five
// bytes a slot. Open addressing with Robin Hood hashing, at most 7/8 full: where an entry stands is told with it, as its
// distance from home, so a probe looks at the keys of its own home only, and an entry is taken out without looking at any.
// `keyAt(place)` is the key there; it is asked for entries that are in.
class KeyIndex {
public:
    explicit KeyIndex(std::uint64_t seed = kHashSeed) : m_seed(seed) {}

    // 0 where the key is not in.
    template <class KeyAt>
    std::uint32_t find(Key key, const KeyAt& keyAt) const
    {
        if (m_places.empty())
            return 0;
        std::size_t s = home(key);
        for (std::uint32_t distance = 1; m_distances[s] >= distance; ++distance, s = next(s)) {
            if (m_distances[s] == distance && keyAt(m_places[s]) == key)
                return m_places[s];
        }
        return 0;
    }

    // Puts a key in that is not in; place >= 1. All others are where keyAt says.
    template <class KeyAt>
    void insert(Key key, std::uint32_t place, const KeyAt& keyAt)
    {
        LHRS_CHECK(place != 0);
        while ((m_count + 1) * 8 > m_places.size() * 7 || !put(key, place))
            rebuild(keyAt);
        ++m_count;
    }

    // The key is at another place from now on.
    void move(Key key, std::uint32_t from, std::uint32_t to)
    {
        const std::size_t s = slotOf(key, from);
        LHRS_CHECK(s != m_places.size());
        m_places[s] = to;
    }

    // Takes the key of this place out; nothing happens where it is not in.
    void erase(Key key, std::uint32_t place)
    {
        std::size_t s = slotOf(key, place);
        if (s == m_places.size())
            return;
        --m_count;
        // Close the gap: those behind it that are not at home come nearer.
        for (std::size_t n = next(s); m_distances[n] > 1; s = n, n = next(n)) {
            m_places[s] = m_places[n];
            m_distances[s] = std::uint8_t(m_distances[n] - 1);
        }
        m_places[s] = 0;
        m_distances[s] = 0;
    }

    void clear()
    {
        m_places.clear();
        m_distances.clear();
        m_count = 0;
    }
    std::size_t count() const { return m_count; }
    std::size_t bytes() const { return m_places.capacity() * sizeof(std::uint32_t) + m_distances.capacity(); }

private:
    static constexpr std::uint32_t kFarthest = 255;

    std::size_t home(Key key) const { return std::size_t(hashOf(key, m_seed)) & (m_places.size() - 1); }
    std::size_t next(std::size_t s) const { return (s + 1) & (m_places.size() - 1); }

    // Where the entry stands; the number of slots where it is not in.
    std::size_t slotOf(Key key, std::uint32_t place) const
    {
        if (m_places.empty())
            return 0;
        std::size_t s = home(key);
        for (std::uint32_t distance = 1; m_distances[s] >= distance; ++distance, s = next(s)) {
            if (m_places[s] == place)
                return s;
        }
        return m_places.size();
    }

    // Who is farther from home gets the slot, who was there goes on. False, and all as it was, where somebody would have
    // to stand too far.
    bool put(Key key, std::uint32_t place)
    {
        std::size_t s = home(key), last = s;
        std::uint32_t farthest = 1;
        for (std::uint32_t distance = 1; m_distances[last] != 0; last = next(last)) {
            distance = std::max<std::uint32_t>(distance, m_distances[last]) + 1;
            farthest = std::max(farthest, distance);
        }
        if (farthest > kFarthest)
            return false;
        std::uint8_t distance = 1;
        while (m_distances[s] != 0) {
            if (m_distances[s] < distance) {
                std::swap(m_distances[s], distance);
                std::swap(m_places[s], place);
            }
            ++distance;
            s = next(s);
        }
        m_places[s] = place;
        m_distances[s] = distance;
        return true;
    }

    // Twice as large; or, where so few keys stand so far from home that somebody may have chosen them, by another hash.
    template <class KeyAt>
    void rebuild(const KeyAt& keyAt)
    {
        const std::vector<std::uint32_t> old = std::move(m_places);
        bool isDone = m_count * 4 >= old.size();
        const std::size_t size = old.empty() ? 16 : isDone ? old.size() * 2 : old.size();
        do {
            if (!isDone)
                m_seed = hashOf(Key(m_seed), kHashSeed);
            m_places.assign(size, 0);
            m_distances.assign(size, 0);
            isDone = std::all_of(old.begin(), old.end(), [&](std::uint32_t place) { return place == 0 || put(keyAt(place), place); });
        } while (!isDone);
    }

    std::uint64_t m_seed;
    std::vector<std::uint32_t> m_places;
    std::vector<std::uint8_t> m_distances; // 1: at home; 0: empty
    std::size_t m_count = 0;
};

} // namespace lhrs
