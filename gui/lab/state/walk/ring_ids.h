// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lhrs::gui::walk {

// x in (a, b], clockwise; the whole ring if a == b.
inline bool isInRange(std::uint64_t x, std::uint64_t a, std::uint64_t b)
{
    return a < b ? a < x && x <= b : a == b || x > a || x <= b;
}

// The ids of a node's keys, ascending, at most kMost of them: so many dots can be told apart. Copies share them; the
// first write after a copy makes its own. What was ever shared is never written again, so copies may be read in any
// thread without a lock.
class RingIds {
public:
    static constexpr std::size_t kMost = 4'096;
    RingIds() = default;
    RingIds(const RingIds& other);
    RingIds& operator=(const RingIds& other);
    RingIds(RingIds&& other) noexcept = default;
    RingIds& operator=(RingIds&& other) noexcept = default;
    ~RingIds() = default;

    const std::vector<std::uint64_t>& all() const;
    // Several keys may have one id. An id beyond kMost is left out.
    void add(std::uint64_t id);
    void remove(std::uint64_t id);
    // Removes those in (from, to].
    void removeRange(std::uint64_t from, std::uint64_t to);
    void clear();
    bool operator==(const RingIds& other) const { return all() == other.all(); }

private:
    std::vector<std::uint64_t>& forWrite();
    std::shared_ptr<std::vector<std::uint64_t>> m_ids; // null: none
    mutable bool m_isShared = false; // set in both by a copy
};

} // namespace lhrs::gui::walk
