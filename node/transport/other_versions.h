// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/endpoint.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

namespace lhrs {

// What is done about datagrams whose envelope has another version: none of them is handled, whoever sent it is told at
// most once a second which version is spoken here, with no more bytes than it sent, and the log says once for each
// address which two versions met. What such a notice says is only repeated in words, because nobody can know who wrote
// it. Thread-safe.
class OtherVersions {
public:
    using Send = std::function<void(Endpoint to, std::string_view packet)>;
    // What comes from `important`, the coordinator, is remembered in any case.
    explicit OtherVersions(Send send, std::optional<Endpoint> important = {})
        : m_send(std::move(send)), m_important(important)
    {
    }

    // A datagram that Envelope::open() refused because of its version.
    void onDatagram(Endpoint from, std::string_view packet);
    // The version that a datagram from this address had, if it was not ours.
    std::optional<std::uint8_t> at(Endpoint address) const;

    static constexpr std::size_t kAddressesMax = 64; // that are remembered: the last ones
    static constexpr std::uint32_t kLinesMax = 64; // of the log
    static constexpr std::chrono::seconds kNoticePeriod { 1 };

private:
    const Send m_send;
    const std::optional<Endpoint> m_important;
    mutable std::mutex m_mutex;
    struct Seen {
        std::uint8_t version = 0;
        std::chrono::steady_clock::time_point heard;
        std::optional<std::chrono::steady_clock::time_point> told; // its last notice
    };
    std::map<Endpoint, Seen> m_seen;
    std::uint32_t m_lines = 0;
    std::chrono::steady_clock::time_point m_second {};
    std::uint32_t m_toldInSecond = 0;
};

} // namespace lhrs
