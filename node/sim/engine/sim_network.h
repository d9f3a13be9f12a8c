// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"
#include "node/sim/engine/random.h"
#include "proto/config.pb.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lhrs {

// A message of at most this many bytes may travel as a datagram (lhrs.md 14.3: udpMax).
inline constexpr std::size_t kDatagramBytesMax = 1400;

// What the network does to one message: datagrams are lost, doubled, delayed and so reordered; streams are ordered and
// take their time, and now and then a connection breaks; paths clog, and processes are parted from each other. Numbers
// in, times out; it knows neither processes nor contents.
class SimNetwork {
public:
    SimNetwork(const pb::NetworkFaults& faults, std::uint64_t seed)
        : m_faults(faults), m_draw(seed, DrawnFor::Network) {}

    // Nothing is lost, doubled or slow from now on; what is on its way still arrives as drawn.
    void becomeQuiet();
    // After what times the copies of a datagram arrive: none when it is lost, two when it is doubled.
    void datagram(std::uint32_t from, std::uint32_t to, Time now, std::vector<Time>& delays);
    // When the next message of a stream arrives that leaves now: after all that left before it. Nothing: lost, because
    // the connection broke.
    std::optional<Time> stream(std::uint32_t from, std::uint32_t to, std::size_t bytes, Time now);

    // Nothing passes from any process of `from` to any of `to` until then. Datagrams are lost; of stream messages half
    // arrive after it, the connections of the others break.
    struct Parting {
        std::set<std::uint32_t> from;
        std::set<std::uint32_t> to;
        Time until {};
    };
    void part(Parting parting) { m_partings.push_back(std::move(parting)); }

private:
    Time delay();
    // Until when nothing passes; now: it does.
    Time partedUntil(std::uint32_t from, std::uint32_t to, Time now) const;
    Time clog(std::uint32_t from, std::uint32_t to, Time now);

    pb::NetworkFaults m_faults;
    Generator m_draw;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Time> m_lastArrival; // of each stream
    std::map<std::pair<std::uint32_t, std::uint32_t>, Time> m_clogs;       // until when, of each path
    std::vector<Parting> m_partings;
};

} // namespace lhrs
