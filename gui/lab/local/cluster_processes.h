// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/local/machine_patience.h"
#include "gui/lab/local/lines/system_lines.h"
#include "proto/message.pb.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lhrs::gui {

class ClusterPrograms;
class ControlClient;
class Ingest;

// What the processes of a cluster are made with. All of it outlives them.
struct ProcessParts {
    ControlClient& control;
    Ingest& ingest;
    ClusterPrograms& programs;
};

// Servers of one pool, to be started.
struct NewServers {
    SystemLines::Pool pool;
    std::vector<std::string> names;
};

// The processes of one cluster, from its start to its end: real ones, or simulated by one process. LocalCluster makes
// one call at a time; functions marked with * may be called beside it.
class ClusterProcesses {
public:
    using Processes = std::vector<std::uint64_t>; // process numbers
    using Started = Result<std::vector<pb::ProcessInfo>>;

    virtual ~ClusterProcesses() = default;

    // Starts what the cluster cannot be without; then there is a cluster.
    virtual Result<void> begin(const std::stop_token& stop) = 0;
    // Starts the first servers, pool by pool: the cluster comes to life.
    virtual Result<void> complete(const std::vector<NewServers>& pools, const std::stop_token& stop) = 0;
    virtual Result<void> addServers(const NewServers& servers, const std::stop_token& stop) = 0;
    virtual Result<pb::ProcessInfo> startClient(const std::string& name, const std::stop_token& stop) = 0;

    // The faults of LocalCluster.
    virtual Result<void> kill(const Processes& processes) = 0;
    virtual Result<void> pause(const Processes& processes, std::chrono::milliseconds lease) = 0;
    virtual Result<void> resume(const Processes& processes) = 0;
    // None of them is a client.
    virtual Started restart(const Processes& processes, const std::stop_token& stop) = 0;

    // The processes that were started and not restarted, whether they still run or not.
    virtual Processes started() const = 0;
    virtual std::size_t running() const = 0; // *
    // Pauses that belong to the operating system. A simulated process is paused by a fault, which is listed and healed
    // like any other.
    virtual std::map<std::uint64_t, std::chrono::milliseconds> paused() const { return {}; } // *
    virtual std::size_t resumeAll() { return 0; } // *
    virtual std::optional<MachinePatience> patience() const { return {}; } // *
};

} // namespace lhrs::gui
