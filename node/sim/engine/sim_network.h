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

// A message of at most this many bytes may travel as a datagram, like udpMax in the real transport.
inline constexpr std::size_t kDatagramBytesMax = 1400;

// What the network does to one message. Datagrams are lost, duplicated, delayed and therefore reordered. Streams are
// ordered and take time; from time to time a connection breaks. Paths become clogged, and processes are partitioned
// from each other. This class maps numbers to times and knows neither processes nor contents.
class SimNetwork {
public:
    SimNetwork(const pb::NetworkFaults& faults, std::uint64_t seed) : m_faults(faults), m_draw(seed, DrawnFor::Network)
    {
    }

    // Ends loss, duplication and delays from now on; messages under way still arrive as drawn.
    void becomeQuiet();
    // The delays of a datagram's copies: none if it is lost, two if it is duplicated.
    void datagram(std::uint32_t from, std::uint32_t to, Time now, std::vector<Time>& delays);
    // When a stream message that is sent now arrives: after all messages sent before it. Nothing: the message is lost,
    // because the connection broke.
    std::optional<Time> stream(std::uint32_t from, std::uint32_t to, std::size_t bytes, Time now);

    // A partition: nothing passes from any process in `from` to any process in `to` until it ends. Datagrams are lost.
    // Of the stream messages, half arrive afterwards; for the others the connection breaks.
    struct Parting {
        std::set<std::uint32_t> from;
        std::set<std::uint32_t> to;
        Time until {};
    };
    void part(Parting parting) { m_partings.push_back(std::move(parting)); }

private:
    Time delay();
    // When messages pass again; `now`: they already do.
    Time partedUntil(std::uint32_t from, std::uint32_t to, Time now) const;
    Time clog(std::uint32_t from, std::uint32_t to, Time now);

    pb::NetworkFaults m_faults;
    Generator m_draw;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Time> m_lastArrival; // for each stream
    std::map<std::pair<std::uint32_t, std::uint32_t>, Time> m_clogs; // for each path, when the clog ends
    std::vector<Parting> m_partings;
};

} // namespace lhrs
