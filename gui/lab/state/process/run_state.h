// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/client_state.h"

namespace lhrs::gui {

// What is known of the processes of a cluster, whichever system they are of.
struct RunState {
    RunState();
    RunState(const RunState& other);
    RunState(RunState&& other) noexcept;
    RunState& operator=(const RunState& other);
    RunState& operator=(RunState&& other) noexcept;
    ~RunState();

    std::string system; // of the processes, as ProcessInfo has it; empty: the first one, or not known yet
    bool isOfLhrs() const { return system.empty(); }
    std::map<ProcessId, ProcessState> processes;
    std::map<ProcessId, ClientState> clients;
    bool isSimulated = false;
    std::uint64_t events = 0, lost = 0;
    // The start of the shown run on the run's clock; displayed times are relative to it. No event reports it; the
    // program that shows the run sets it.
    std::int64_t originNs = 0;
    double shownSeconds(std::int64_t runNs) const
    {
        const std::int64_t passed = runNs - originNs;
        return isSimulated && passed < 0 && passed > -kMadeBeforeNs ? 0 : double(passed) / 1e9;
    }
    // Tolerance for events that were recorded just before the simulated clock began at 0.
    static constexpr std::int64_t kMadeBeforeNs = 2'000'000'000;

    ClientState& clientOf(ProcessId process);
    // Folds the description of a process.
    void takeInfo(const pb::ProcessInfo& info);
    // Events first..last of the process were lost.
    void applyGap(ProcessId process, std::uint64_t first, std::uint64_t last);
    // The process has ended; its places stay visible with that mark.
    void markEnded(ProcessId process, const std::string& reason, std::int64_t runNs);
    // The process was paused or resumed at `runNs`; no event reports it.
    void markPaused(ProcessId process, bool isPaused, std::int64_t runNs);

protected:
    // Folds what an event of a process, a snapshot or a sample says whichever system the process is of.
    void foldEvent(ProcessId process, const pb::Event& event, std::int64_t runNs);
    void foldSnapshot(const pb::Snapshot& snapshot, std::int64_t runNs);
    void foldClock(ProcessId process, std::int64_t offsetNs, std::uint64_t errorNs, std::int64_t appliedNs);
    void foldSample(ProcessId process, const pb::NodeSample& sample, std::int64_t runNs);
    void countLost(ProcessId process, std::uint64_t count);

private:
    void countOperation(ProcessId process, const pb::OperationDone& done);
};

} // namespace lhrs::gui
