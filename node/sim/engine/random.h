// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <array>
#include <bit>
#include <cstdint>

namespace lhrs {

// SplitMix64's step and finalizer: turns any number into a well mixed one.
constexpr std::uint64_t splitMix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// The purpose of a generator. Each purpose has its own stream, so that an extra draw for the network does not shift the
// workload.
enum class DrawnFor : std::uint64_t {
    Configuration = 1,
    Workload,
    Network,
    Faults,
    Order,
    Machines,
    Failures,
    Failpoints,
    Pace,
    Restarts,
    Waves,
    Memory
};

// xoshiro256**, seeded by SplitMix64. Integers only and no std distribution, so the numbers are the same on every
// machine.
class Generator {
public:
    Generator(std::uint64_t seed, DrawnFor purpose)
    {
        std::uint64_t x = splitMix(seed) ^ splitMix(std::uint64_t(purpose) << 32);
        for (std::uint64_t& word : m_state)
            word = x = splitMix(x);
    }

    std::uint64_t next()
    {
        const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
        const std::uint64_t shifted = m_state[1] << 17;
        m_state[2] ^= m_state[0];
        m_state[3] ^= m_state[1];
        m_state[1] ^= m_state[2];
        m_state[0] ^= m_state[3];
        m_state[2] ^= shifted;
        m_state[3] = std::rotl(m_state[3], 45);
        return result;
    }

    // 0..bound-1; the bias of the plain remainder is far smaller than a test could detect.
    std::uint64_t below(std::uint64_t bound)
    {
        LHRS_CHECK(bound > 0);
        return next() % bound;
    }
    // first..last, both included.
    std::uint64_t between(std::uint64_t first, std::uint64_t last) { return first + below(last - first + 1); }
    // True `perMille` times in a thousand.
    bool chance(std::uint32_t perMille) { return perMille > 0 && below(1000) < perMille; }
    // One of the choices, all equally likely.
    template <class T, std::size_t N> T oneOf(const std::array<T, N>& choices) { return choices[below(N)]; }

private:
    std::array<std::uint64_t, 4> m_state {};
};

} // namespace lhrs
