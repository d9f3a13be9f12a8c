// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "node/machine/effects.h"
#include "node/machine/requests/ledger.h"
#include "node/machine/seeded_numbers.h"
#include "node/machine/requests/zipf.h"
#include "proto/control.pb.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs {

// The server whose full memory caused a change to be refused.
struct FullAt {
    pb::Role role = pb::NO_ROLE;
    std::uint32_t number = 0, column = 0;
    auto operator<=>(const FullAt&) const = default;
    bool isThere() const { return role != pb::NO_ROLE; }
    static FullAt from(const pb::FullServer& full) { return { full.role(), full.number(), full.column() }; }
    void to(pb::FullServer& out) const
    {
        out.set_role(role);
        out.set_number(number);
        out.set_column(column);
    }
};

// For example "insert".
const char* nameOf(pb::OperationKind kind);

// What is wrong with a workload order in any system, and what to do about it; null: nothing is wrong.
const char* whatIsWrong(const pb::RunWorkload& order);

// A named workload under way: chooses the next operation and collects the results.
class Workload {
public:
    struct Step {
        pb::OperationKind kind = pb::SEARCH;
        Key key;
    };
    Workload(const pb::RunWorkload& order, std::uint64_t ticket, Time now);

    std::uint64_t ticket() const { return m_ticket; }
    const pb::RunWorkload& order() const { return m_order; }
    // Whether another operation may begin now; `held`: how long the workload has been held.
    bool wantsMore(Time now, Time held) const { return hasRoom() && due(held) <= now; }
    // Whether operations have due times: a rate was ordered.
    bool isOpenLoop() const { return m_order.rate() > 0; }
    // When the next operation is to begin; without a rate, at once.
    Time due(Time held) const;
    // When to feed it next; max(): not before an operation ends.
    Time deadline(Time held) const { return isOpenLoop() && hasRoom() ? due(held) : Time::max(); }
    bool isOver() const { return m_open == 0 && (m_begun >= m_order.count() || m_isStopped); }
    // The next operation; nothing if no key is suitable (the operation needs an existing key, there is none, and the
    // order has no inserts).
    std::optional<Step> next(const Ledger& ledger, std::uint64_t& nextKey);
    void begun(Time behind);
    struct Result {
        pb::OperationKind kind = pb::OPERATION_UNKNOWN;
        pb::ResultCode code = pb::RESULT_UNKNOWN;
        std::uint32_t forwards = 0, resends = 0;
        bool isAdjusted = false, isWrong = false, isMissing = false;
        bool isNewer = false, isOlder = false;
        FullAt full {}; // the full server that caused the refusal
        Time time {};
    };
    void ended(const Result& result);
    void stop() { m_isStopped = true; }
    // Ends the workload without a command, because no key is suitable any more.
    void endEarly();
    // `fullNow`: servers that are refusing operations under way; they are reported with those of ended operations.
    void report(pb::WorkloadResult& out, Time now, std::set<FullAt> fullNow) const;

private:
    bool hasRoom() const
    {
        return m_begun < m_order.count() && !m_isStopped
            && (m_batchLeft > 0 || m_open + batch() <= std::max(1u, m_order.window()));
    }
    std::uint32_t batch() const { return std::max(1u, m_order.batch()); }
    std::uint64_t drawn(std::uint64_t count);
    bool isMixed() const { return m_order.mix_size() == 4; }
    void reportKinds(pb::WorkloadResult& out) const;

    const pb::RunWorkload m_order;
    const std::uint64_t m_ticket;
    const Time m_started;
    SeededNumbers m_numbers;
    const ZipfNumbers m_zipf;
    Time m_behindMax {};
    std::uint64_t m_begun = 0, m_open = 0, m_done = 0;
    std::uint32_t m_batchLeft = 0; // operations left in the current batch
    bool m_isStopped = false;
    std::map<pb::ResultCode, std::uint64_t> m_results;
    std::uint64_t m_refusedFull = 0;
    std::set<FullAt> m_full; // the first few
    std::uint64_t m_wrong = 0, m_missing = 0, m_newer = 0, m_older = 0, m_forwards = 0, m_adjustments = 0,
                  m_resends = 0;
    std::vector<std::uint32_t> m_times; // time of each operation, in units of 16 ns, up to 68 s
    std::vector<std::uint8_t> m_kinds; // kind of each operation of a mix
    std::string m_endedEarly;
};

inline bool isMutation(pb::OperationKind kind)
{
    return kind == pb::INSERT || kind == pb::UPDATE || kind == pb::DELETE;
}

// An operation of client `self` that has its result. `value`: what a search returned.
struct EndedOperation {
    std::uint64_t self = 0, number = 0;
    pb::OperationKind kind = pb::OPERATION_UNKNOWN;
    Key key;
    std::uint32_t length = 0;
    bool isGenerated = false;
    pb::ResultCode result = pb::RESULT_UNKNOWN;
};
// Records the change in the ledger, and sets in `out` whether the operation returned what the ledger expects.
void settle(Ledger& ledger, const EndedOperation& ended, const std::string& value, Workload::Result& out);

} // namespace lhrs
