// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/core/key_table.h"

namespace lhrs {

// Key -> rank of a bucket's records.
class KeyIndex {
public:
    KeyIndex() = default;
    explicit KeyIndex(std::uint64_t seed) : m_ranks(seed) {}

    // Rank 0 where the key is not in.
    Rank find(Key key) const { return Rank(m_ranks.find(key)); }
    // Puts the key in or changes its rank.
    void set(Key key, Rank rank)
    {
        LHRS_CHECK(rank.value != 0);
        m_ranks.set(key, rank.value);
    }
    // Takes the key out; nothing happens where it is not in.
    void erase(Key key) { m_ranks.erase(key); }
    void clear() { m_ranks.clear(); }
    std::size_t count() const { return m_ranks.count(); }
    std::size_t bytes() const { return m_ranks.bytes(); }

private:
    KeyTable<std::uint32_t> m_ranks;
};

} // namespace lhrs
