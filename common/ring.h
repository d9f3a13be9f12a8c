// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace lhrs {

// A queue in a single piece of memory. Places are reused, so steady traffic allocates nothing, and a place keeps the
// memory of its last element. It grows by doubling and shrinks when an eighth would be enough.
template <class T> class Ring {
public:
    bool isEmpty() const { return m_size == 0; }
    std::size_t size() const { return m_size; }
    // Indexed from the front.
    T& operator[](std::size_t i) { return m_places[(m_front + i) & (m_places.size() - 1)]; }
    const T& operator[](std::size_t i) const { return m_places[(m_front + i) & (m_places.size() - 1)]; }
    T& front() { return (*this)[0]; }
    const T& front() const { return (*this)[0]; }
    T& back() { return (*this)[m_size - 1]; }
    const T& back() const { return (*this)[m_size - 1]; }

    // Adds a place at the back; it still contains its former element.
    T& add()
    {
        if (m_size == m_places.size())
            grow();
        ++m_size;
        return back();
    }
    void removeFront()
    {
        LHRS_CHECK(m_size > 0);
        m_front = (m_front + 1) & (m_places.size() - 1);
        if (--m_size < m_places.size() / 8 && m_places.size() > kKept)
            shrink();
    }
    void clear() { *this = {}; }
    // How many elements fit without allocating.
    std::size_t places() const { return m_places.size(); }

private:
    static constexpr std::size_t kAtFirst = 16, kKept = 1'024;

    void grow()
    {
        std::rotate(m_places.begin(), m_places.begin() + std::ptrdiff_t(m_front), m_places.end());
        m_front = 0;
        m_places.resize(std::max(kAtFirst, 2 * m_places.size()));
    }

    void shrink()
    {
        std::vector<T> fewer(m_places.size() / 4);
        for (std::size_t i = 0; i < m_size; ++i)
            fewer[i] = std::move((*this)[i]);
        m_places = std::move(fewer);
        m_front = 0;
    }

    std::vector<T> m_places; // size 0 or a power of two
    std::size_t m_front = 0;
    std::size_t m_size = 0;
};

} // namespace lhrs
