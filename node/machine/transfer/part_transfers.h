// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/node_context.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

inline constexpr std::size_t kPartBytes = 1'200; // a Part with everything that the driver adds fits in a datagram

// Sends long messages as datagrams. Each message is a transfer of parts that fit in a datagram. Every part is resent
// until it is acknowledged, and the receiver reassembles them. This is for clusters whose bulk data is to travel by
// UDP; usually it travels by stream. Each receiver has a window that keeps a sender from flooding it. The window grows
// while nothing is lost and is halved when a part is lost. Transfers to one receiver share the window, oldest first.
class PartTransfers {
public:
    explicit PartTransfers(NodeContext& context) : m_context(context) { }

    // Takes the messages of a step that travel as datagrams out of its effects and begins to send them. A message that
    // is already under way to the same receiver is not sent twice.
    void carry(Time now, Effects& out);
    // Returns the long message when its last part has arrived.
    std::optional<pb::Message> onPart(const pb::Message& message, Time now, Effects& out);
    void onPartAck(const pb::Message& message, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;
    // Forgets all transfers: the process has another role now.
    void clear();

private:
    struct Outgoing {
        Address to;
        NodeId node;
        std::string kind; // of the long message
        std::uint64_t id = 0, answers = 0; // of the long message
        std::string bytes;
        struct State {
            std::uint64_t sent = 0; // value of Path::sent when the part was first sent
            bool isThere = false; // acknowledged
            bool isResent = false; // resent at least once
        };
        std::vector<State> parts;
        std::uint32_t next = 0; // the first part that has never been sent
        std::uint32_t below = 0; // all parts below it are acknowledged
        std::uint32_t silent = 0; // resends since the last acknowledgement
        Time due = Time::max();
    };
    // State of the transfers to one receiver.
    struct Path {
        std::uint32_t window = 16; // parts that may be sent and not yet acknowledged
        std::uint32_t missing = 0; // parts sent and not yet acknowledged
        std::uint32_t grown = 0; // parts acknowledged since the window last grew
        bool isSlow = false; // a part has been lost: from now on the window grows by one per round
        std::uint64_t sent = 0; // parts sent so far, without resends
        std::uint64_t recoverFrom = 0; // a loss among the parts sent before this one has already halved the window
    };
    struct Incoming {
        std::uint32_t count = 0;
        std::map<std::uint32_t, std::string> parts;
        std::uint32_t below = 0;
        std::size_t bytes = 0;
        Time touched {};
    };
    using TransferKey = std::pair<std::uint64_t, std::uint64_t>; // sender, number

    void sendPart(
        std::uint64_t transfer, const Outgoing& out, std::uint32_t number, std::uint32_t tries, Effects& effects) const;
    // Sends as many parts as the window allows, from all transfers to this receiver.
    void sendMore(const Address& to, Time now, Effects& out);
    static void shrink(Path& path);
    void end(std::map<std::uint64_t, Outgoing>::iterator transfer);
    Time interval(const Outgoing& outgoing) const;
    void makeRoom(Time now);

    NodeContext& m_context;
    std::uint64_t m_lastTransfer = 0;
    std::map<std::uint64_t, Outgoing> m_outgoing;
    std::map<Address, Path> m_paths;
    std::map<TransferKey, Incoming> m_incoming;
    std::deque<std::pair<TransferKey, std::uint32_t>> m_complete; // recent transfers, with their numbers of parts
    std::size_t m_incomingBytes = 0;
};

} // namespace lhrs
