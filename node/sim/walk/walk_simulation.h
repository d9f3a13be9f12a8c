// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/sim_cluster.h"
#include "node/sim/walk/walk_case.h"
#include "node/sim/walk/walk_oracle.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lhrs {

class WalkClient;

// Plays one case of a ring to its end. First a master, nodes and clients run over the simulated network, with the
// case's operations, changes of the ring and mishaps. Then the network becomes quiet, and everything must be answered
// and come to rest. Then all keys are read back, and they are looked up from all or some of the nodes.
class WalkSimulation : private SimObserver {
public:
    using Listener = std::function<void(const SimProcess& process, const pb::Event& event)>;

    explicit WalkSimulation(WalkCase told);

    // Receives every event from now on, in order.
    void setListener(Listener listener) { m_listener = std::move(listener); }
    // True if every check passed. Call it only once.
    bool run();

    const std::optional<WalkOracle::Failure>& failure() const { return m_oracle.failure(); }
    const SimCluster& cluster() const { return m_cluster; }
    // For tests that continue after the end and falsify the state.
    SimCluster& steeredCluster() { return m_cluster; }
    WalkOracle& oracle() { return m_oracle; }
    const WalkOracle& oracle() const { return m_oracle; }
    const WalkMaster& master() const;

    struct Counts {
        std::uint64_t changes = 0, refused = 0; // changes of the ring that the master ordered; commands that it refused
        std::uint64_t pauses = 0, deaths = 0, restarts = 0;
        std::map<std::string, std::uint64_t> results; // number of operations, by name of their result
    };
    const Counts& counts() const { return m_counts; }

private:
    struct ClientState {
        const SimProcess* process = nullptr;
        std::vector<pb::Command> commands;
        std::size_t next = 0;
        std::uint32_t underWay = 0;
    };

    void onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now) override;
    void onCopied(const pb::Message&) override { }

    void startMaster();
    void startNode();
    void startNodeAgain(std::uint32_t process);
    void startClients();
    void giveOperations();
    // Gives the client as many commands as its window has room for.
    void issue(ClientState& client);
    void pace(ClientState& client);
    void answered(const pb::CommandReply& reply, const pb::Command& command);
    void order(const WalkCase::Change& change);
    void befall(const WalkCase::Mishap& mishap, std::uint32_t process);
    std::uint32_t drawnAmong(const WalkCase::Mishap& mishap, pb::ProcessKind kind) const;
    void hitChange(const pb::WalkNode& node, const pb::WalkNode& successor, std::uint64_t predecessor, bool isLeave);
    bool runUntil(const std::function<bool()>& condition, Time limit, const char* otherwise);
    bool passTime(Time time);
    bool playFaults();
    bool comeToRest();
    bool readBack();
    bool lookUpKeys();
    bool allAnswered() const { return m_answered == m_given; }
    // What is under way, in words; empty: nothing, and every client knows the present ring.
    std::string whatIsUnderWay() const;
    const WalkNode* node(const SimProcess& process) const;

    const WalkCase m_case;
    SimCluster m_cluster;
    WalkOracle m_oracle;
    Generator m_pace;
    Listener m_listener;
    Counts m_counts;
    const SimProcess* m_master = nullptr;
    std::vector<ClientState> m_clients;
    std::uint32_t m_nodes = 0;
    std::uint64_t m_given = 0, m_answered = 0; // number of commands to clients
    std::uint32_t m_changesUnderWay = 0;
    std::uint32_t m_ordered = 0; // changes of the ring since the mishaps were armed
    bool m_isArmed = false, m_areFaultsOver = false;
};

} // namespace lhrs
