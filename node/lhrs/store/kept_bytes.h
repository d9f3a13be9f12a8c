// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>

namespace lhrs {

// One owner's share of a sum of bytes; it is subtracted when the owner is destroyed.
class KeptBytes {
public:
    KeptBytes() = default;
    KeptBytes(KeptBytes&& other) noexcept
        : m_sum(std::exchange(other.m_sum, nullptr)), m_bytes(std::exchange(other.m_bytes, 0))
    {
    }
    KeptBytes& operator=(KeptBytes&& other) noexcept
    {
        std::swap(m_sum, other.m_sum);
        std::swap(m_bytes, other.m_bytes);
        return *this;
    }
    ~KeptBytes()
    {
        if (m_sum != nullptr)
            *m_sum -= m_bytes;
    }
    // `sum` must outlive this object, and every call must pass the same one.
    void add(std::uint64_t& sum, std::uint64_t bytes)
    {
        m_sum = &sum;
        m_bytes += bytes;
        sum += bytes;
    }

private:
    std::uint64_t* m_sum = nullptr;
    std::uint64_t m_bytes = 0;
};

} // namespace lhrs
