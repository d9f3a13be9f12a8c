// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lhrs {

// What a data bucket held at each rank at each sequence number, according to its own events. A parity bucket that lags
// behind is judged by the state that it has applied.
class BucketHistory {
public:
    using Value = std::shared_ptr<const std::string>;
    struct Slot {
        std::uint64_t sequence = 0; // as of this change
        bool isPresent = false;
        std::uint64_t key = 0;
        Value value;
    };

    // All changes up to this one are known.
    std::uint64_t known() const { return m_known; }
    void know(std::uint64_t sequence) { m_known = std::max(m_known, sequence); }
    std::uint32_t rankMax() const { return std::uint32_t(m_ranks.size()); }

    // The rank at this sequence number; nullptr if it had never been used until then.
    const Slot* at(std::uint32_t rank, std::uint64_t sequence) const
    {
        if (rank == 0 || rank > m_ranks.size())
            return nullptr;
        const std::vector<Slot>& states = m_ranks[rank - 1];
        for (auto slot = states.rbegin(); slot != states.rend(); ++slot)
            if (slot->sequence <= sequence)
                return &*slot;
        return nullptr;
    }
    const Slot* latest(std::uint32_t rank) const { return at(rank, ~std::uint64_t(0)); }

    // The bucket failed: its changes after `sequence` count as not made.
    void cut(std::uint64_t sequence)
    {
        m_known = sequence;
        for (std::vector<Slot>& states : m_ranks)
            while (!states.empty() && states.back().sequence > sequence)
                states.pop_back();
    }

    void set(std::uint32_t rank, Slot slot)
    {
        if (rank > m_ranks.size())
            m_ranks.resize(rank);
        know(slot.sequence);
        m_ranks[rank - 1].push_back(std::move(slot));
    }

private:
    std::uint64_t m_known = 0;
    std::vector<std::vector<Slot>> m_ranks; // by rank - 1, ascending by sequence
};

} // namespace lhrs
