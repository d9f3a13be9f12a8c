// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lhrs::gui {

// Rank -> number: a key in a data bucket, the count of members in a parity bucket. Pages of 256 ranks are shared
// between copies and copied on the first write, so that a copy of the whole cluster costs a few pointers per bucket.
// A page that was ever shared is never written again; copies may therefore be read in any thread without a lock.
class RankMap {
public:
    static constexpr std::uint32_t kPage = 256;
    static constexpr std::uint32_t kRankMax = 1u << 24;
    RankMap() = default;
    RankMap(const RankMap& other);
    RankMap& operator=(const RankMap& other);
    RankMap(RankMap&&) = default;
    RankMap& operator=(RankMap&&) = default;
    ~RankMap() = default;

    void set(std::uint32_t rank, std::uint64_t number);
    void clear(std::uint32_t rank);
    void clearAll();
    bool has(std::uint32_t rank) const;
    std::uint64_t at(std::uint32_t rank) const; // 0 if there is none
    std::uint32_t count() const { return m_count; }
    std::uint32_t rankMax() const; // highest used rank; 0 if empty
    bool operator==(const RankMap& other) const;

    // For callers that store pages separately (recordings): the pages with at least one rank, ascending; the contents
    // of a page, ranks ascending; and whether a page is certainly the same as in `before`, an earlier state of this
    // map.
    std::vector<std::uint32_t> pages() const;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> inPage(std::uint32_t page) const;
    bool sharesPage(const RankMap& before, std::uint32_t page) const;

private:
    struct Page {
        std::array<std::uint64_t, kPage> numbers {};
        std::bitset<kPage> used;
    };
    struct Slot {
        std::shared_ptr<Page> page; // null: the page has no used rank
        mutable bool isShared = false; // set in both maps by a copy, never cleared
    };
    Page& pageForWrite(std::uint32_t rank);
    std::vector<Slot> m_pages;
    std::uint32_t m_count = 0;
};

} // namespace lhrs::gui
