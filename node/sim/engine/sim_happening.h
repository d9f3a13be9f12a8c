// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/sim_cluster.h"

#include <algorithm>
#include <utility>

namespace lhrs {

// Something that will happen in a simulated cluster: part of SimCluster.
struct SimCluster::Happening {
    enum class Kind : std::uint8_t { Arrival, Work, Timer, Call };
    Time at {};
    Kind kind = Kind::Call;
    bool isLetIn = false; // an arrival that has passed the receiver's door
    std::uint32_t from = 0; // the sender, for an arrival
    SimProcess* process = nullptr;
    SimInput input;
    std::function<void()> call;
};

// All happenings, next one first. The heap holds keys; the happenings themselves are moved in and out only once.
class SimCluster::Agenda {
public:
    bool isEmpty() const { return m_heap.empty(); }
    // Time of the next happening. The agenda must not be empty.
    Time nextAt() const { return m_heap.front().at; }

    // `drawn` decides the order of happenings at the same time.
    void push(Happening happening, std::uint64_t drawn)
    {
        std::uint32_t slot = std::uint32_t(m_slots.size());
        const Time at = happening.at;
        if (m_free.empty()) {
            m_slots.push_back(std::move(happening));
        } else {
            slot = m_free.back();
            m_free.pop_back();
            m_slots[slot] = std::move(happening);
        }
        m_heap.push_back({ at, drawn, ++m_pushed, slot });
        std::push_heap(m_heap.begin(), m_heap.end(), isLater);
    }

    // The agenda must not be empty.
    Happening pop()
    {
        std::pop_heap(m_heap.begin(), m_heap.end(), isLater);
        const std::uint32_t slot = m_heap.back().slot;
        m_heap.pop_back();
        m_free.push_back(slot);
        return std::move(m_slots[slot]);
    }

    // The order has no meaning, but is the same in every run of a seed.
    template <typename What> void forEach(What what)
    {
        for (const Key& key : m_heap)
            what(m_slots[key.slot]);
    }

private:
    struct Key {
        Time at;
        std::uint64_t drawn;
        std::uint64_t number; // if all else is equal, the first pushed is first
        std::uint32_t slot;
    };
    static bool isLater(const Key& a, const Key& b)
    {
        if (a.at != b.at)
            return a.at > b.at;
        return a.drawn != b.drawn ? a.drawn > b.drawn : a.number > b.number;
    }

    std::vector<Key> m_heap;
    std::vector<Happening> m_slots;
    std::vector<std::uint32_t> m_free; // free slots
    std::uint64_t m_pushed = 0;
};

} // namespace lhrs
