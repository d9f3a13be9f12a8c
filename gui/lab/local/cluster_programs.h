// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/children/child_keeper.h"
#include "gui/lab/hosts/host_list.h"
#include "gui/lab/hosts/remote_keeper.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lhrs::gui {

class ControlClient;

// The programs of a cluster: where they are found, the processes that run them, on this computer or on several hosts,
// and a directory with the logs of the present cluster. `control` is told when a process ends, is paused or resumed.
class ClusterPrograms {
public:
    // Files that each process of the cluster needs here: its output, its end, its commands, its events, and one in
    // reserve.
    static constexpr std::uint64_t kFilesOfProcess = 5;

    // A computer on which processes of the cluster run.
    struct Host {
        HostEntry entry;
        std::string address; // at which its processes listen; empty: loopback
        std::string keys; // folder of the keys there; empty: the cluster has none
        Keeper* keeper = nullptr;
        std::unique_ptr<RemoteKeeper> remote; // null: this computer
    };

    // `courtesy` as in ChildKeeper.
    ClusterPrograms(ControlClient& control, int courtesy);
    ~ClusterPrograms();

    // By default beside this process's own program.
    void setDirectory(std::string directory) { m_directory = std::move(directory); }
    Result<void> makeLogDirectory();
    std::string logDirectory() const { return m_logDirectory; }
    // Whether this process may open enough files to watch that many further processes.
    static Result<void> checkOpenFiles(std::size_t more);
    // Makes keys for the present cluster. They are removed with the cluster; only this user can read them.
    Result<void> makeKeyDirectory();
    // The operator's key, if it has been made; empty otherwise.
    std::string operatorKey() const;
    // From now on the processes run on these hosts, all of which are reached; they are given the keys.
    Result<void> useHosts(const std::vector<HostEntry>& hosts, const std::stop_token& stop);
    // At least one: this computer, if no hosts are used.
    std::size_t hosts() const { return m_hosts.size(); }
    const Host& host(std::size_t which) const { return *m_hosts[which]; }
    // The program to start under this name; the error says how to build it if it is missing. `host`: where.
    Result<ChildProgram> program(const std::string& file, const std::string& name, std::vector<std::string> arguments,
        std::size_t host = 0) const;
    Result<std::vector<StartedChild>> start(
        std::vector<ChildProgram> programs, const std::stop_token& stop, std::size_t host = 0);
    // Ends the processes on all hosts; may be called beside any other function.
    void endAll();
    std::size_t running() const; // likewise
    // The logs outlive the cluster, because something has failed.
    void keepLogs() { m_keepsLogs = true; }
    // Removes the logs, unless they are kept, and leaves the hosts.
    void forgetLogs();

private:
    using Hosts = std::vector<std::shared_ptr<Host>>;
    std::shared_ptr<Host> thisComputer();
    Result<std::shared_ptr<Host>> reach(const HostEntry& entry, const std::stop_token& stop);
    void setHosts(Hosts hosts);
    Hosts hostsNow() const;

    ControlClient& m_control;
    std::string m_directory, m_logDirectory;
    std::string m_keys; // folder of the keys here
    bool m_keepsLogs = false;
    ChildKeeper m_keeper;
    mutable std::mutex m_hostsMutex;
    Hosts m_hosts; // changed under m_hostsMutex, by those functions alone that are called one at a time
};

} // namespace lhrs::gui
