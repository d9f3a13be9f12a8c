// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace lhrs {

// Which datagrams of each sender have arrived at a socket, so that none is taken twice. A sender numbers all its
// datagrams, whatever their receiver, and they may overtake each other: one that is more than kWidth numbers behind the
// newest counts as old and is refused. Only senders whose datagrams had a valid tag come here. Used by one thread.
class ReplayWindows {
public:
    static constexpr std::uint64_t kWidth = 1'024;
    // When there are more senders, the one that has been silent for the longest time is forgotten.
    static constexpr std::size_t kSendersMax = 65'536;

    explicit ReplayWindows(std::size_t sendersMax = kSendersMax) : m_sendersMax(sendersMax) { }
    // Whether the datagram with this counter is new; it is then noted.
    bool accept(NodeId sender, std::uint64_t counter);
    bool knows(NodeId sender) const { return m_windows.contains(sender.value); }
    std::size_t senders() const { return m_windows.size(); }

private:
    struct Window {
        std::uint64_t newest = 0;
        std::array<std::uint64_t, kWidth / 64> seen {}; // bit counter mod kWidth
        std::list<NodeId>::iterator place; // in m_bySilence
    };

    const std::size_t m_sendersMax;
    std::unordered_map<std::uint64_t, Window> m_windows; // by sender
    std::list<NodeId> m_bySilence; // the last one has been silent for the longest time
};

} // namespace lhrs
