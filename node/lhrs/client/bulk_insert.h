// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/client/file_requests.h"

#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace lhrs {

// A bulk insert without acknowledgement (2003 report): an experiment. Requests are sent one after the other without
// replies, so some are lost. Afterwards each key is looked up, and each missing key is fenced, so that in the end it is
// known for every request whether it was lost.
//
//   sending -> (quiet for a while) looking -> (missing keys once more, later) fencing -> over
//
// Fencing is an update by a later request whose `done_below` is above all the earlier ones. If it finds no record, a
// copy of the insert that is still under way can have no effect either.
class BulkInsert {
public:
    struct Request {
        std::uint64_t number = 0;
        Key key;
    };
    BulkInsert(const pb::RunWorkload& order, std::uint64_t ticket, std::uint64_t firstNumber, Time now);

    std::uint64_t ticket() const { return m_ticket; }
    const pb::RunWorkload& order() const { return m_order; }
    // The servers must keep the results of requests from this one on.
    std::uint64_t keptFrom() const { return isFencing() ? std::numeric_limits<std::uint64_t>::max() : m_first; }
    std::uint64_t lastNumber() const { return m_last; }
    bool isFencing() const { return m_phase == Phase::Fencing || m_phase == Phase::Over; }
    bool isOf(std::uint64_t number) const { return number >= m_first && number <= m_last; }

    // Sends what is due, until a location is not known. `nextKey` and `lastNumber` are the client's.
    void send(FileRequests& requests, std::uint64_t& nextKey, std::uint64_t& lastNumber, Time now, Effects& out);
    // A location has arrived.
    void goOn(Time now);
    void stop() { m_count = m_sent; }

    // The next key to look up or to fence; nothing if no check is due now.
    std::optional<Request> nextCheck(Time now);
    // Evaluates the result of a check, and reports what has become of the insert if that is known now.
    void ended(const FileOperation& check, const pb::Reply* reply, pb::ResultCode result, Ledger& ledger, Effects& out);
    void adjusted(std::uint32_t forwards, bool isImageAdjusted);

    bool isOver() const { return m_phase == Phase::Over; }
    void onTime(Time now);
    Time deadline() const;
    void report(pb::WorkloadResult& out, Time now) const;

private:
    enum class Phase { Sending, Looking, Waiting, Fencing, Over };
    void startPhase(Phase phase, Time now);

    const pb::RunWorkload m_order;
    const std::uint64_t m_ticket;
    const std::uint64_t m_first;
    const Time m_started;
    std::uint64_t m_last = 0;
    std::uint64_t m_count = 0, m_sent = 0;
    Phase m_phase = Phase::Sending;
    Time m_next {}; // while sending: the next burst; later: when the phase may begin
    Time m_sendingEnded {};
    std::vector<Request> m_requests; // not found yet
    std::vector<Request> m_missing; // those looked up in this phase and not found
    std::size_t m_checked = 0; // number of m_requests whose check began in this phase
    std::map<Key, Request> m_open; // checks that have not ended
    std::uint64_t m_stored = 0, m_unknown = 0, m_wrong = 0, m_forwards = 0, m_adjustments = 0;
    std::vector<Key> m_lost;
};

} // namespace lhrs
