// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/cluster_processes.h"

#include <set>

namespace lhrs::gui {

// Processes that one process, lhrs-sim, simulates on a virtual clock. Faults that the operating system applies to real
// processes are commands here. Virtual time stands until all first servers exist.
class SimulatedProcesses : public ClusterProcesses {
public:
    // `options` are simulated ones.
    SimulatedProcesses(const ProcessParts& parts, const LocalOptions& options);

    Result<void> begin(const std::stop_token& stop) override;
    Result<void> complete(const std::vector<NewServers>& pools, const std::stop_token& stop) override;
    Result<void> addServers(const NewServers& servers, const std::stop_token& stop) override;
    Result<pb::ProcessInfo> startClient(const std::string& name, const std::stop_token& stop) override;
    Result<void> kill(const Processes& processes) override;
    Result<void> pause(const Processes& processes, std::chrono::milliseconds lease) override;
    Result<void> resume(const Processes& processes) override;
    Started restart(const Processes& processes, const std::stop_token& stop) override;
    Processes started() const override;
    std::size_t running() const override;

private:
    Started start(const pb::StartProcesses& wanted, const std::stop_token& stop);
    Result<void> check(const Processes& processes) const;

    ProcessParts m_parts;
    const LocalOptions m_options;
    std::string m_simulator; // its control endpoint
    std::set<std::uint64_t> m_started;
};

} // namespace lhrs::gui
