// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace lhrs::thrash {

// Many clients that start at once, do one insert and one search each, and vanish without notice (H24). They are client
// machines with a UDP socket each, all in one thread of this program, since a thousand processes would be another test.
class Crowd {
public:
    static constexpr std::uint32_t kClients = 1'000;

    struct Outcome {
        std::uint32_t inserted = 0; // acknowledged inserts
        std::uint32_t unsure = 0; // inserts and searches without a conclusive answer
        // Key and fingerprint of the value, which was read back.
        std::vector<std::pair<std::uint64_t, std::uint64_t>> kept;
        std::vector<std::string> wrong;
    };

    // `number` distinguishes crowds: each has its own keys.
    Crowd(Address coordinator, std::uint64_t seed, std::uint32_t number);
    // Ends all remaining clients.
    ~Crowd() = default;
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    bool isOver() const { return m_isOver; }
    // Valid once it is over.
    const Outcome& outcome() const { return m_outcome; }

private:
    class Member;
    void run(const std::stop_token& stop);

    const Address m_coordinator;
    const std::uint64_t m_seed;
    const std::uint32_t m_number;
    Outcome m_outcome; // owned by the thread until it is over
    std::atomic<bool> m_isOver = false;
    std::jthread m_thread;
};

} // namespace lhrs::thrash
