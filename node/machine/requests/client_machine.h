// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/machine.h"
#include "node/machine/node_context.h"
#include "node/machine/requests/operation_table.h"
#include "node/machine/requests/request_times.h"
#include "node/machine/requests/workload.h"
#include "node/machine/requests/workload_hold.h"

#include <memory>
#include <set>
#include <string>

namespace lhrs {

// The part of a client's operation that is the same in all systems.
struct ClientOperation {
    pb::RequestId id;
    pb::OperationKind kind = pb::OPERATION_UNKNOWN;
    Key key;
    std::string value;
    bool isGenerated = false;
    std::uint64_t ticket = 0; // ticket of the command; 0: the operation is part of the workload
    std::uint32_t copies = 0, tries = 0;
    Time started {}, end {}, sent {}, due {};
    Time counted {}; // when its measured time starts; with a rate, this is the due time
    std::uint64_t nextOfKey = 0; // number of the next operation that waits for this key; 0: none
    std::uint64_t lastOfKey = 0; // in the first operation of a key: the number of the last one waiting
};

// What the clients of all systems have in common: they register and send Alive, number their operations, carry out
// operations on the same key one after the other, and obey the commands for single operations, workloads and holds. The
// system defines how an operation reaches its server and what comes back.
class ClientMachine : public Machine {
public:
    void snapshot(pb::Snapshot& out) const override;
    void gauges(pb::Gauges& out) const override;

    bool isRegistered() const { return m_isRegistered; }
    const Ledger& ledger() const { return m_ledger; }

protected:
    ClientMachine(pb::ProcessInfo self, Address coordinator);

    // ---- what a system implements

    // The system's operations: creates one with this number; returns an open one; returns how many are open.
    virtual ClientOperation& newOperation(std::uint64_t number) = 0;
    virtual ClientOperation& operationAt(std::uint64_t number) = 0;
    virtual std::size_t underWay() const = 0;
    // Sends the operation if its key is free and it can be sent.
    virtual void beginOperation(ClientOperation& op, Time now, Effects& out) = 0;
    // A further kind of workload that the system may have: whether one runs, and its next steps.
    virtual bool isBusy() const { return m_workload != nullptr; }
    virtual void feedMore(Time now, Effects& out) { (void)now, (void)out; }
    // What is wrong with an order in this system, and what to do about it; null: nothing is wrong.
    virtual const char* whatIsWrongHere(const pb::RunWorkload& order) const = 0;
    virtual void start(const pb::RunWorkload& order, std::uint64_t ticket, Time now);
    virtual void stop();
    virtual void report(pb::WorkloadResult& out, Time now) const;
    // The servers that are refusing operations under way because they are full.
    virtual std::set<FullAt> fullNow() const { return {}; }
    // Whether the order to read back what was written includes this key.
    virtual bool isMeant(const pb::Verify& order, Key key) const { return (void)order, (void)key, true; }
    virtual void describe(pb::ClientDescription& out) const;
    virtual void addTo(pb::Alive& alive) const = 0;

    // ---- what a system uses

    // Carries out a command that all clients obey. False: it is a different command.
    bool obey(const pb::Command& command, Time now, Effects& out);
    void waitForHold(const pb::Command& command, Effects& out);

    ClientOperation& create(pb::OperationKind kind, Key key, Time now);
    // Whether this operation is the one that may be under way for its key.
    bool isFirstOfKey(const ClientOperation& op) const { return m_byKey.find(op.key) == op.id.number(); }
    // Removes the operation from its key's queue and returns the one that may begin now, if any.
    ClientOperation* leaveKey(const ClientOperation& op);
    // The operation has its result: records it in the ledger and the totals, and returns what a workload counts.
    Workload::Result settle(const ClientOperation& op, pb::ResultCode result, const std::string& value,
        std::uint32_t forwards, std::uint32_t resends, Time now);
    // Whether a search returned the value that this client wrote last.
    bool isRight(const ClientOperation& op, const Workload::Result& outcome) const;

    // The coordinator has answered for the first time.
    void registered(std::uint32_t ordinal);
    // Registers in the first call, resends what was not acknowledged, sends Alive, and ends a hold that was not
    // renewed.
    void beat(Time now, Effects& out);
    // When beat(), a request or the workload is due next.
    Time nextBeat() const;
    void feed(Time now, Effects& out);
    // How long the workload has been held.
    Time held(Time now) const { return m_hold.sum(now) - m_heldBefore; }

    NodeContext m_context;
    RequestTimes m_times { m_context };
    bool m_isRegistered = false;
    std::uint64_t m_lastNumber = 0;
    Ledger m_ledger;
    std::uint64_t m_nextKey = 0;
    std::unique_ptr<Workload> m_workload;
    WorkloadHold m_hold;
    bool m_isFeeding = false; // prevents recursive feeding by an operation that ends at once

private:
    void operate(const pb::Command& command, Time now, Effects& out);
    void runWorkload(const pb::Command& command, const pb::RunWorkload& order, Time now, Effects& out);
    // The workload order that reads back what this client wrote.
    pb::RunWorkload orderOf(const pb::Verify& verify) const;
    // A watcher holds the workload: nothing new begins, operations under way are finished, and single operations wait.
    void holdWorkload(const pb::Command& command, Time now, Effects& out);
    void endHold(const std::string& reason, Time now, Effects& out);
    void feedWorkload(Time now, Effects& out);
    void makeGenerated(ClientOperation& op, std::uint32_t length) const;

    bool m_isStarted = false;
    std::uint32_t m_ordinal = 0; // in the order of registration
    KeyTable<std::uint64_t> m_byKey; // number of the operation under way; others wait for it
    Time m_heldBefore {}; // total time of holds when the workload began
    std::uint64_t m_done = 0, m_forwards = 0, m_resends = 0;
    Time m_nextAlive {};
};

// A client whose operations have this type, which derives from ClientOperation.
template <class Operation> class ClientOf : public ClientMachine {
protected:
    using ClientMachine::ClientMachine;

    // Sends the operation if its key is free and it can be sent.
    virtual void begin(Operation& op, Time now, Effects& out) = 0;

    Operation& create(pb::OperationKind kind, Key key, Time now)
    {
        return static_cast<Operation&>(ClientMachine::create(kind, key, now));
    }
    // The operation is over, and the next one of its key may begin.
    void close(Operation& op, Time now, Effects& out)
    {
        ClientOperation* const next = leaveKey(op);
        m_operations.erase(op.id.number());
        if (next != nullptr)
            beginOperation(*next, now, out);
        feed(now, out);
    }
    // All requests below this number have their results, which are not needed again.
    std::uint64_t lowestOpen() const { return m_operations.empty() ? m_lastNumber + 1 : m_operations.lowest(); }

    OperationTable<Operation> m_operations; // the open operations

private:
    ClientOperation& newOperation(std::uint64_t number) final { return m_operations.add(number); }
    ClientOperation& operationAt(std::uint64_t number) final { return m_operations.at(number); }
    std::size_t underWay() const final { return m_operations.size(); }
    void beginOperation(ClientOperation& op, Time now, Effects& out) final
    {
        begin(static_cast<Operation&>(op), now, out);
    }
};

// Resets an operation but keeps the memory of its value.
template <class Operation> void renew(Operation& op)
{
    std::string memory = std::move(op.value);
    memory.clear();
    op = {};
    op.value = std::move(memory);
}

} // namespace lhrs
