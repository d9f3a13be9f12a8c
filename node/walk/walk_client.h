// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/machine.h"
#include "node/machine/node_context.h"
#include "node/machine/requests/operation_table.h"
#include "node/machine/requests/workload.h"
#include "node/machine/requests/workload_hold.h"
#include "node/walk/id_ring.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace lhrs {

struct WalkClientOptions {
    pb::ProcessInfo self; // with its addresses
    Address master;
    std::uint64_t seed = 0; // of the entries that it draws
};

// A client of the ring: it draws a node for each query, sends the query there and waits for the owner's answer. Nobody
// acknowledges a step on the way, so it sends the query again, by another node, until the answer comes or the
// operation's time is over. Operations on one key are done in turn. INSERT and UPDATE both mean PUT.
//
//   queued --(its key is free, a ring is known)--> sent --(Answer)--> done
//                                          ^--(resend, Astray)--/
class WalkClient : public Machine {
public:
    explicit WalkClient(WalkClientOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    Time deadline() const override;
    void snapshot(pb::Snapshot& out) const override;
    void gauges(pb::Gauges& out) const override;
    void inspect(Time now, pb::NodeSample& out) const override;

    bool isRegistered() const { return m_isRegistered; }
    const Ledger& ledger() const { return m_ledger; }
    // The ring as the master last told it.
    const std::vector<pb::WalkNode>& entries() const { return m_entries; }

private:
    struct Operation {
        pb::RequestId id;
        pb::OperationKind kind = pb::OPERATION_UNKNOWN;
        Key key;
        RingId place;
        std::string value;
        bool isGenerated = false, isLookUp = false, isSent = false;
        std::uint64_t ticket = 0; // of the command; 0: part of the workload
        NodeId via;               // the entry that was asked for; 0: any
        NodeId entry;             // of the last copy
        std::uint32_t copies = 0, tries = 0;
        Time started {}, counted {}, sent {}, due {}, end {}; // counted: start of its measured time

        // Resets it but keeps the memory of its value.
        void again()
        {
            std::string memory = std::move(value);
            memory.clear();
            *this = {};
            value = std::move(memory);
        }
    };

    void onAnswer(const pb::Message& message, Time now, Effects& out);
    void onAstray(const pb::Message& message, Time now, Effects& out);
    void onWelcome(const pb::Message& message, Time now, Effects& out);

    Operation& create(pb::OperationKind kind, Key key, Time now);
    void begin(Operation& op, Time now, Effects& out);
    void send(Operation& op, Time now, Effects& out);
    // `answer`: null: its time is over.
    void finish(Operation& op, const pb::WalkAnswer* answer, pb::ResultCode result, Time now, Effects& out);
    const pb::WalkNode* chooseEntry(const Operation& op);
    // Asks the master for the ring, not too often.
    void ask(Time now, Effects& out);
    std::uint64_t doneBelow() const { return m_operations.empty() ? m_lastNumber + 1 : m_operations.lowest(); }
    Time resendInterval(const Operation& op) const;
    // Schedules a check of what is due, but no earlier than the period of acknowledgements allows.
    void lookAt(Time due, Time now);

    void operate(const pb::Command& command, Time now, Effects& out);
    void lookUp(const pb::Command& command, Time now, Effects& out);
    void runWorkload(const pb::Command& command, const pb::RunWorkload& order, Time now, Effects& out);
    void verify(const pb::Command& command, Time now, Effects& out);
    void holdWorkload(const pb::Command& command, Time now, Effects& out);
    void endHold(const std::string& reason, Time now, Effects& out);
    void feedWorkload(Time now, Effects& out);
    void reportWorkload(pb::WorkloadResult& out, Time now) const;
    void describe(pb::ClientDescription& out) const;

    NodeContext m_context;
    SeededNumbers m_numbers;
    IdRing m_ring;
    bool m_isStarted = false, m_isRegistered = false;
    std::uint32_t m_ordinal = 0;
    std::vector<pb::WalkNode> m_entries;
    std::uint64_t m_change = 0; // the newest one that the entries know of
    Time m_nextAsk {};
    std::uint64_t m_lastNumber = 0;
    OperationTable<Operation> m_operations;                // open ones
    KeyTable<std::uint64_t> m_byKey;                       // number of the one under way
    std::map<Key, std::deque<std::uint64_t>> m_waiting;    // those that wait for it
    Ledger m_ledger;
    std::uint64_t m_nextKey = 0;
    std::unique_ptr<Workload> m_workload;
    WorkloadHold m_hold;
    Time m_heldBefore {}; // the sum of holds when the workload began
    std::uint64_t m_done = 0, m_steps = 0, m_resends = 0;
    Time m_roundTrip {};
    Time m_nextTick = Time::max(), m_nextAlive {};
    bool m_isFeeding = false;
};

} // namespace lhrs
