// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/network/fault_book.h"
#include "node/sim/engine/sim_cluster.h"
#include "proto/control.pb.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

// The fault shims of all processes of a simulated cluster, with the same commands, rules and events as live ones.
// Leases and delays are in virtual time.
class SimFaults : public SimDoor {
public:
    explicit SimFaults(SimCluster& cluster) : m_cluster(cluster) { cluster.setDoor(this); }

    // Carries out a command about faults; false: the command is about something else.
    bool command(const SimProcess& process, const pb::Command& command, pb::CommandReply& reply);
    // Which faults are armed, for a watcher that connects late.
    void describe(const SimProcess& process, pb::Snapshot& snapshot) const;
    // The process is paused: it answers commands about faults only.
    bool isPaused(const SimProcess& process) const;
    // The process has ended, and so have its faults.
    void forget(const SimProcess& process) { m_books.erase(process.info.node()); }

    Fate judge(const SimProcess& process, const FaultBook::Passing& passing, Time now) override;
    bool crashesAt(const SimProcess& process, const std::vector<pb::Event*>& events) override;

private:
    pb::Refusal arm(const SimProcess& process, const pb::Fault& fault, std::string& text, pb::FaultList& list);
    void heal(const SimProcess& process, std::uint64_t number, pb::FaultList& list);
    void expire(std::uint64_t node);
    void ended(const SimProcess& process, const std::vector<pb::FaultEnded>& faults);
    FaultBook* bookOf(const SimProcess& process);
    const FaultBook* bookOf(const SimProcess& process) const;

    SimCluster& m_cluster;
    std::map<std::uint64_t, FaultBook> m_books; // by process number; only processes for which a fault was armed
    // By receiver and sender: the time at which the last delayed frame is released.
    std::map<std::pair<std::uint64_t, std::uint64_t>, Time> m_streams;
};

} // namespace lhrs
