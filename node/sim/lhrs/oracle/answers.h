// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/history_book.h"
#include "node/sim/lhrs/oracle/availability.h"

namespace lhrs {

// What clients requested, and what they are told: that every parity bucket has a change before it is acknowledged, that
// a repeated request gets the same answer, and that each key behaves as one record (I5, I6, I8, I10).
class Answers : private OraclePart {
public:
    Answers(const OraclePart& part, const Places& places, const FileGrowth& growth, const Losses& losses,
        Availability& availability)
        : OraclePart(part), m_places(places), m_growth(growth), m_losses(losses), m_availability(availability)
    {
    }

    const check::RequestLedger& ledger() const { return m_ledger; }
    const HistoryBook& book() const { return m_book; }

    // A client sends the message.
    void onRequest(const pb::Message& message);
    void onCopied(const pb::Message& message);
    // The bucket has changed its record for the request of the event.
    void onChanged(const pb::Event& event, check::RequestKind kind, std::uint64_t key, std::uint64_t sequence);
    // The bucket records with this sequence number that the request of the event had no effect.
    void onKept(const pb::Event& event);
    // A bucket reports that every parity bucket has a change.
    void onAcknowledged(const SimProcess& process, const pb::Event& event);
    void onReply(const SimProcess& process, const pb::Reply& reply);
    // A client reports how far its request went.
    void onOperationDone(const pb::Event& event);
    // A client reported a result to its user.
    void finished(const pb::OperationResult& result);
    // The client has ended, with requests still open.
    void abandoned(const SimProcess& client) { m_book.abandoned(client.info.node(), m_cluster.now().count()); }
    // A lost bucket is recovered without its changes after the cut.
    void onCut(std::uint32_t number, std::uint64_t cut);
    // A new data bucket of this number begins.
    void onBegun(std::uint32_t number);
    // Checks what the clients saw, key by key.
    void checkHistories();

private:
    // The bucket and the change that recorded the result.
    using Kept = std::pair<std::uint32_t, std::uint64_t>;

    void checkKept(const SimProcess& process, const pb::Reply& reply, std::uint64_t key);

    const Places& m_places;
    const FileGrowth& m_growth;
    const Losses& m_losses;
    Availability& m_availability;
    check::RequestLedger m_ledger;
    HistoryBook m_book;
    std::map<check::RequestName, Kept> m_kept; // requests that had no effect
};

} // namespace lhrs
