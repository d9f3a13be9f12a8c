// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/lhrs/fault_injector.h"
#include "node/sim/lhrs/case_failpoints.h"
#include "node/sim/lhrs/oracle/oracle.h"
#include "node/sim/engine/sim_cluster.h"
#include "proto/config.pb.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lhrs {

// Plays one case to its end. First a coordinator, spares and clients run over the simulated network, with the case's
// operations, actions and faults. Then the network becomes quiet, and everything must be answered and come to rest.
// Then all keys are read back and the oracle checks everything.
class Simulation : private SimObserver {
public:
    using Listener = std::function<void(const SimProcess& process, const pb::Event& event)>;

    explicit Simulation(const pb::Case& told);

    // Receives every event from now on, in order.
    void setListener(Listener listener) { m_listener = std::move(listener); }
    // True if every check passed. Call it only once.
    bool run();

    // The first violation; `failure` is empty after a run that returned true.
    struct Failure {
        int invariant = 0;
        std::string text;
        Time at {};
    };
    const std::optional<Failure>& failure() const { return m_failure; }
    const SimCluster& cluster() const { return m_cluster; }
    // For callers that control the passing of time and send queries in between.
    SimCluster& steeredCluster() { return m_cluster; }
    const Oracle& oracle() const { return m_oracle; }
    const CaseFailpoints& failpoints() const { return m_failpoints; }
    const FaultInjector& faultInjector() const { return m_faultInjector; }
    std::uint32_t restarts() const { return m_restarts; } // restarts of the coordinator
    std::uint64_t answered() const { return m_answered; }
    // The operations of the case are over, and its keys are being read back.
    bool isReadingBack() const { return m_isReadingBack; }
    // Number of operations by name of their result.
    const std::map<std::string, std::uint64_t>& results() const { return m_results; }

private:
    struct ClientState {
        const SimProcess* process = nullptr;
        std::vector<pb::Operate> operations;
        std::size_t next = 0;
        std::uint32_t underWay = 0;
        std::uint32_t unanswered = 0;
    };

    void onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now) override;
    void onCopied(const pb::Message& message) override { m_oracle.onCopied(message); }

    void checkMemory(const SimProcess& process);
    void startNode(pb::Role pool);
    void startClients();
    void startCoordinator(bool isFirst);
    // The coordinator ends, or continues where no process hears it. After some time another one is started in its
    // place.
    void replaceCoordinator(const pb::CaseAction& action);
    void endClient(std::uint32_t process);
    void issue(ClientState& client);
    void checkReadBack(std::uint64_t key, pb::ResultCode result);
    void pause(ClientState& client);
    void act();
    void perform(const pb::CaseAction& action);
    void armActions();
    void heal();
    bool isNothingLeft() const;
    bool isAtRestButLost(bool isStuck) const;
    void askForSpares();
    bool runUntil(const std::function<bool()>& condition, Time limit, const char* otherwise);
    bool comeToRest();
    bool waitForRest();
    std::string whoWaits() const; // a process that has work under way; empty: none
    bool readBack();
    void keepFailure();

    const pb::Case m_case;
    SimCluster m_cluster;
    Oracle m_oracle;
    FaultInjector m_faultInjector;
    CaseFailpoints m_failpoints;
    Generator m_faults;
    Generator m_pace;
    Listener m_listener;
    std::optional<Failure> m_failure;
    const SimProcess* m_coordinator = nullptr;
    std::vector<ClientState> m_clients;
    std::vector<bool> m_isDone; // by action
    std::map<int, std::uint32_t> m_seen; // by field of Event: number of occurrences, while actions wait for it
    bool m_areFaultsOver = false;
    std::uint32_t m_actionsUnderWay = 0;
    std::uint32_t m_restarts = 0;
    bool m_isCoordinatorDown = false;
    // Former coordinators: how long each stays paused after its successor knows the file.
    std::vector<std::pair<std::uint32_t, Time>> m_sleeping;
    std::uint64_t m_asked = 0;
    std::uint64_t m_answered = 0;
    std::uint64_t m_expected = 0; // answers expected while the keys are read back
    std::map<std::uint64_t, std::uint32_t> m_readAgain; // number of repeated reads, by key
    std::uint32_t m_nodes = 0;
    bool m_isSpareMissing = false; // whether one was missing at any time
    bool m_isReadingBack = false;
    std::map<std::string, std::uint64_t> m_results;
};

// "data 3", "parity 0.1"; empty: no place.
std::string wordsOf(const pb::Place& place);

// The value that operation `index` of a case writes: it names its origin, followed by filler. All values differ if they
// are at least about 4 bytes long.
std::string caseValue(std::uint64_t index, std::uint32_t length);

} // namespace lhrs
