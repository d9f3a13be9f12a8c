// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/child_keeper.h"

#include <string>
#include <vector>

namespace lhrs::gui {

class ControlClient;

// The programs of a local cluster: where they are found, the processes that run them, and a directory with the logs of
// the present cluster. `control` is told when a process ends, is paused or resumed.
class ClusterPrograms {
public:
    // Files that each process of the cluster needs here: its output, its end, its commands, its events, and one in
    // reserve.
    static constexpr std::uint64_t kFilesOfProcess = 5;

    // `courtesy` as in ChildKeeper.
    ClusterPrograms(ControlClient& control, int courtesy);

    // By default beside this process's own program.
    void setDirectory(std::string directory) { m_directory = std::move(directory); }
    Result<void> makeLogDirectory();
    std::string logDirectory() const { return m_logDirectory; }
    // Whether this process may open enough files to watch that many further processes.
    static Result<void> checkOpenFiles(std::size_t more);
    // Makes keys for the present cluster and returns their folder, which only this user can open. They are removed with
    // the cluster.
    Result<std::string> makeKeyDirectory() const;
    // The operator's key in that folder, if it has been made; empty otherwise.
    std::string operatorKey() const;
    // The program to start under this name; the error says how to build it if it is missing.
    Result<ChildProgram> program(
        const std::string& file, const std::string& name, std::vector<std::string> arguments) const;
    Result<std::vector<StartedChild>> start(std::vector<ChildProgram> programs, const std::stop_token& stop);
    // The logs outlive the cluster, because something has failed.
    void keepLogs() { m_keepsLogs = true; }
    // Removes the logs, unless they are kept.
    void forgetLogs();
    ChildKeeper& keeper() { return m_keeper; }

private:
    std::string m_directory, m_logDirectory;
    bool m_keepsLogs = false;
    ChildKeeper m_keeper;
};

} // namespace lhrs::gui
