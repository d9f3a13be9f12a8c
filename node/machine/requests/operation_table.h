// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "common/ring.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lhrs {

// A client's open operations by number. Numbers only increase, and old operations usually end first, so the open ones
// lie in a window of numbers. Finding one is an array access and allocates nothing. An Operation that has ended is
// reused (`again()` resets it and keeps its memory).
template <class Operation> class OperationTable {
public:
    bool empty() const { return m_count == 0; }
    std::size_t size() const { return m_count; }
    // The number of the oldest open operation; there must be one.
    std::uint64_t lowest() const { return m_first; }

    // Adds an operation; `number` must be greater than all earlier ones.
    Operation& add(std::uint64_t number)
    {
        if (m_count == 0)
            m_first = number; // the window is empty
        LHRS_CHECK(number >= m_first + m_window.size());
        while (m_window.size() < number - m_first)
            m_window.add().reset(); // the skipped numbers have no open operation
        std::unique_ptr<Operation>& place = m_window.add();
        if (m_ended.empty()) {
            place = std::make_unique<Operation>();
        } else {
            place = std::move(m_ended.back());
            m_ended.pop_back();
            place->again();
        }
        ++m_count;
        return *place;
    }

    // Null if no operation of this number is open.
    Operation* find(std::uint64_t number) const
    {
        return number < m_first || number - m_first >= m_window.size() ? nullptr
                                                                       : m_window[std::size_t(number - m_first)].get();
    }
    Operation& at(std::uint64_t number) const
    {
        Operation* found = find(number);
        LHRS_CHECK(found != nullptr);
        return *found;
    }

    void erase(std::uint64_t number)
    {
        auto& place = m_window[std::size_t(number - m_first)];
        LHRS_CHECK(place != nullptr);
        if (m_ended.size() < kKept)
            m_ended.push_back(std::move(place));
        place.reset();
        --m_count;
        while (!m_window.isEmpty() && !m_window.front()) {
            m_window.removeFront();
            ++m_first;
        }
    }

    // Visits the operations in ascending order. `visit` must neither add nor end an operation.
    template <class Visit> void forEach(Visit visit) const
    {
        for (std::size_t i = 0; i < m_window.size(); ++i) {
            if (m_window[i])
                visit(*m_window[i]);
        }
    }

private:
    static constexpr std::size_t kKept = 4096;

    Ring<std::unique_ptr<Operation>> m_window; // its first element is open, unless it is empty
    std::uint64_t m_first = 0;
    std::size_t m_count = 0;
    std::vector<std::unique_ptr<Operation>> m_ended;
};

} // namespace lhrs
