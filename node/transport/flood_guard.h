// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/transport/counters.h"
#include "node/transport/udp_socket.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace lhrs {

// While so much garbage comes that it would fill the receive buffer, the kernel throws it away before it takes room: a
// filter at the socket then passes only what begins like a packet of this cluster. Without a flood there is no filter,
// because what the kernel throws away is counted only together with what did not fit, and nobody learns why. Used by
// one thread.
class FloodGuard {
public:
    using Clock = std::chrono::steady_clock;
    FloodGuard(const UdpSocket& socket, std::uint64_t cluster) : m_socket(socket), m_cluster(cluster) { }

    // Whether packets that are refused for this reason are what the filter would not have passed.
    static bool isGarbage(Drop reason);
    // To be called after each batch, with how much of it was garbage and what the kernel has thrown away before it.
    // Sets or removes the filter.
    void note(std::uint64_t garbage, std::uint64_t thrownAway, Clock::time_point now);
    // Whether the filter is set; as what the kernel's losses count.
    bool isOn() const { return m_isOn; }
    Drop lossesAre() const { return m_isOn ? Drop::Flood : Drop::KernelQueueFull; }

    static constexpr std::uint64_t kMany = 2'000; // in one period: a flood begins
    static constexpr std::uint64_t kFew = 500; // in one period: it is over
    static constexpr std::chrono::milliseconds kPeriod { 100 };
    static constexpr std::chrono::seconds kOnLeast { 2 };
    static constexpr std::chrono::minutes kToldAgain { 10 }; // between two lines of the log at least

private:
    const UdpSocket& m_socket;
    const std::uint64_t m_cluster;
    bool m_isOn = false;
    bool m_isImpossible = false; // the system allows no filter; said once
    std::uint64_t m_seen = 0; // in this period
    Clock::time_point m_periodBegan {}, m_lastMany {};
    std::optional<Clock::time_point> m_told; // the last line of the log
    bool isTimeToTell(Clock::time_point now);
};

} // namespace lhrs
