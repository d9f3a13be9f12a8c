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

inline constexpr std::size_t kPartBytes = 1'200; // a Part with all that the driver adds fits a datagram

// Long messages as datagrams: each travels as a transfer of parts that fit a datagram, every part is acknowledged and
// resent until it is, and the receiver puts them together. For files whose slices of a recovery travel by UDP; the
// papers have only TCP there. A window for each receiver keeps a sender from flooding it: it grows while all goes well
// and is halved when a part was lost. Transfers to one receiver share it, the oldest first.
class PartTransfers {
public:
    explicit PartTransfers(NodeContext& context) : m_context(context) {}

    // Takes those messages of a step that travel as datagrams out of its effects and begins to send them. One that is
    // on its way already, to the same receiver, is not sent twice.
    void carry(Time now, Effects& out);
    // The long message, when its last part is here.
    std::optional<pb::Message> onPart(const pb::Message& message, Time now, Effects& out);
    void onPartAck(const pb::Message& message, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;
    // Forgets all of it: the process has another role now.
    void clear();

private:
    struct Outgoing {
        Address to;
        NodeId node;
        std::string kind;                        // of the long message
        std::uint64_t id = 0, answers = 0;       // of the long message
        std::string bytes;
        struct State {
            std::uint64_t sent = 0; // number of its first sending on the path
            bool isThere = false;   // acknowledged
            bool isResent = false;  // at least once
        };
        std::vector<State> parts;
        std::uint32_t next = 0;     // part that was never sent
        std::uint32_t below = 0;    // all parts below it are acknowledged
        std::uint32_t silent = 0;   // resends since the last acknowledgement
        Time due = Time::max();
    };
    // To one receiver.
    struct Path {
        std::uint32_t window = 16;     // parts that may be sent and not acknowledged
        std::uint32_t missing = 0;     // that are
        std::uint32_t grown = 0;       // acknowledged since the window grew last
        bool isSlow = false;           // something was lost once: the window grows by one a round
        std::uint64_t sent = 0;        // parts so far, without resends
        std::uint64_t recoverFrom = 0; // a loss of an earlier one has halved the window already
    };
    struct Incoming {
        std::uint32_t count = 0;
        std::map<std::uint32_t, std::string> parts;
        std::uint32_t below = 0;
        std::size_t bytes = 0;
        Time touched {};
    };
    using TransferKey = std::pair<std::uint64_t, std::uint64_t>; // sender, number

    void sendPart(std::uint64_t transfer, const Outgoing& out, std::uint32_t number, std::uint32_t tries, Effects& effects) const;
    // As much as the window allows, of all transfers to this receiver.
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
    std::deque<std::pair<TransferKey, std::uint32_t>> m_complete; // lately, with the number of their parts
    std::size_t m_incomingBytes = 0;
};

} // namespace lhrs
