// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace lhrs {

// A small generator of our own (splitmix64), so that a seed gives the same run on every platform.
class SeededNumbers {
public:
    explicit SeededNumbers(std::uint64_t seed) : m_state(seed) { }
    std::uint64_t next()
    {
        m_state += 0x9e3779b97f4a7c15;
        return mixed(m_state);
    }
    // 0..bound-1; bound >= 1.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }

    // Maps neighbouring numbers to distant ones.
    static std::uint64_t mixed(std::uint64_t x)
    {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

private:
    std::uint64_t m_state;
};

} // namespace lhrs
