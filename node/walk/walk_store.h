// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/walk/id_ring.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lhrs {

// A key with its place on the ring, in the order of the ring.
struct KeyPlace {
    RingId id;
    Key key;
    auto operator<=>(const KeyPlace&) const = default;
};

// Whether `place` comes before `last`, or is equal to it, clockwise on the ring starting after `from`.
inline bool isPassed(IdRing ring, RingId from, KeyPlace place, KeyPlace last)
{
    const std::uint64_t way = ring.clockwise(from, place.id), whole = ring.clockwise(from, last.id);
    return way != whole ? way < whole : place.key <= last.key;
}

// The keys and values of one node, ordered by place on the ring, so that a range consists of a few runs of the map.
class WalkStore {
public:
    explicit WalkStore(IdRing ring = IdRing()) : m_ring(ring) { }

    // True: the key is new.
    bool put(KeyPlace place, std::string_view value);
    // False: there is no such key.
    bool remove(KeyPlace place);
    // Null: there is no such key. Valid until the next change.
    const std::string* find(KeyPlace place) const
    {
        const auto found = m_entries.find(place);
        return found == m_entries.end() ? nullptr : &found->second;
    }
    std::size_t size() const { return m_entries.size(); }
    std::uint64_t bytes() const { return m_bytes; }
    const std::map<KeyPlace, std::string>& entries() const { return m_entries; }

    // The first key of (from, to] clockwise, or the first one after `last`, which lies in that range; nothing if there
    // is none. `from` and `to` differ.
    std::optional<KeyPlace> next(RingId from, RingId to, const std::optional<KeyPlace>& last) const;
    // Removes all keys of (from, to]; returns their number.
    std::size_t removeRange(RingId from, RingId to);
    // Moves everything in from `other`, which is empty afterwards.
    void takeAll(WalkStore& other);
    void clear();

private:
    IdRing m_ring;
    std::map<KeyPlace, std::string> m_entries;
    std::uint64_t m_bytes = 0; // total bytes of the values
};

} // namespace lhrs
