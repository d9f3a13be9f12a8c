// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/core/effects.h"
#include "node/sim/random.h"
#include "proto/config.pb.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace lhrs {

// A message of at most this many bytes may travel as a datagram (lhrs.md 14.3: udpMax).
inline constexpr std::size_t kDatagramBytesMax = 1400;

// What the network does to one message: datagrams are lost, doubled, delayed and so reordered; streams are ordered and
// reliable and only take their time. Numbers in, times out; it knows neither processes nor contents.
class SimNetwork {
public:
    SimNetwork(const pb::NetworkFaults& faults, std::uint64_t seed)
        : m_faults(faults), m_draw(seed, DrawnFor::Network) {}

    // Nothing is lost, doubled or slow from now on; what is on its way still arrives as drawn.
    void becomeQuiet();
    // After what times the copies of a datagram arrive: none when it is lost, two when it is doubled.
    void datagram(std::vector<Time>& delays);
    // When the next message of a stream arrives that leaves now: after all that left before it.
    Time stream(std::uint32_t from, std::uint32_t to, std::size_t bytes, Time now);

private:
    Time delay();

    pb::NetworkFaults m_faults;
    Generator m_draw;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Time> m_lastArrival; // of each stream
};

} // namespace lhrs
