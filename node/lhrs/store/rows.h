// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace lhrs {

// A list of rows with the same number of entries, contiguous within a row. It grows by segments and moves nothing, so a
// change of one row never waits until the others are copied, and little memory is unused.
template <class T> class Rows {
public:
    explicit Rows(std::size_t width = 1) : m_width(width) { }

    std::size_t size() const { return m_size; }
    std::size_t width() const { return m_width; }
    T* row(std::size_t i) { return &m_segments[i / kRows][i % kRows * m_width]; }
    const T* row(std::size_t i) const { return &m_segments[i / kRows][i % kRows * m_width]; }
    T& operator[](std::size_t i) { return *row(i); }
    const T& operator[](std::size_t i) const { return *row(i); }

    // New rows are filled with T().
    void resize(std::size_t rows)
    {
        for (std::size_t i = m_size; i < std::min(rows, m_segments.size() * kRows); ++i)
            std::fill_n(row(i), m_width, T()); // the segment exists already and may hold old rows
        m_segments.resize((rows + kRows - 1) / kRows);
        for (auto segment = m_segments.rbegin(); segment != m_segments.rend() && !*segment; ++segment)
            *segment = std::make_unique<T[]>(kRows * m_width);
        m_size = rows;
    }

    std::size_t bytes() const
    {
        return m_segments.size() * kRows * m_width * sizeof(T) + m_segments.capacity() * sizeof(void*);
    }

private:
    static constexpr std::size_t kRows = 64;

    std::size_t m_width;
    std::size_t m_size = 0;
    std::vector<std::unique_ptr<T[]>> m_segments;
};

} // namespace lhrs
