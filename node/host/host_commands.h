// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/children/child_keeper.h"
#include "node/host/host_folder.h"
#include "proto/host.pb.h"

#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace lhrs {

// Carries out the commands of proto/host.proto, and reports. It starts programs of one directory only, those whose
// names begin with "lhrs-", and signals only what it has started.
class HostCommands {
public:
    // Reports are written to `out`. `programs`: the directory; `folder`: of this run.
    HostCommands(int out, std::string programs, HostFolder& folder);
    ~HostCommands(); // ends all programs
    HostCommands(const HostCommands&) = delete;
    HostCommands& operator=(const HostCommands&) = delete;

    // Writes the greeting and HostHello.
    void greet();
    // Reads commands until the other side is gone, sends what is no command, or a signal can be read from `signals`
    // (-1: none is expected). Returns the exit code.
    int serve(int in, int signals);

private:
    void onCommand(const pb::HostCommand& command);
    void start(const pb::HostCommand& command);
    Result<void> signal(const pb::HostSignal& signal);
    void report(const pb::HostReport& report);
    void answer(std::uint64_t id, const Result<void>& result);

    const int m_out;
    const std::string m_programs;
    HostFolder& m_folder;
    std::mutex m_writing; // one report at a time
    ChildKeeper m_keeper;
    std::list<std::jthread> m_starting; // one for each start so far: it waits for its programs, other commands do not
};

} // namespace lhrs
