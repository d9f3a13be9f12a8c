// SPDX-License-Identifier: GPL-3.0-or-later
// Periodic work of the control client on request: samples of watched nodes, and the hold of the workload. It also
// checks whether a process that has been silent for a while still runs.
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"

#include <algorithm>
#include <cerrno>

#include <signal.h>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kWatchTimeout(1000);

} // namespace

// For a connected cluster no parent reports the end of a process, and the coordinator lists it for a while. If the
// processes run on this machine, they can be looked up; a process that is not visible here may still be queried.
bool isGoneHere(const KnownProcess& known)
{
    return known.info.pid() != 0 && ::kill(pid_t(known.info.pid()), 0) != 0 && errno == ESRCH;
}

void ControlClient::watchNodes(std::vector<ProcessId> processes)
{
    const std::lock_guard lock(m_mutex);
    m_watched = std::move(processes);
}

std::vector<ProcessId> ControlClient::watchedNodes() const
{
    const std::lock_guard lock(m_mutex);
    return m_watched;
}

bool ControlClient::isWorkloadHeld() const
{
    const std::lock_guard lock(m_mutex);
    return m_isWorkloadHeld;
}

pb::Command ControlClient::holdCommand(bool isHeld)
{
    pb::Command command;
    command.mutable_hold_workload()->set_is_held(isHeld);
    command.mutable_hold_workload()->set_lease_ms(std::uint32_t(kHoldLease.count()));
    return command;
}

void ControlClient::tellHold(ProcessId process, bool isHeld)
{
    call(process, holdCommand(isHeld), kWatchTimeout, [](const Answer&) {}); // a client that misses it is told again
}

void ControlClient::holdWorkload(bool isHeld)
{
    {
        const std::lock_guard lock(m_mutex);
        m_isWorkloadHeld = isHeld;
    }
    post([this, isHeld](Thread&) { tellHolds(isHeld); }); // in the control thread, so that no renewal follows a release
}

void ControlClient::tellHolds(bool isHeld)
{
    for (const KnownProcess& known : directory())
        if (known.info.kind() == pb::CLIENT && !known.hasEnded)
            tellHold(known.info.node(), isHeld);
}

ControlClient::Milliseconds ControlClient::untilSample() const
{
    if (watchedNodes().empty())
        return Milliseconds::max();
    return std::max(Milliseconds(0), std::chrono::ceil<Milliseconds>(m_sampleAt - Clock::now()));
}

void ControlClient::watchAndHold()
{
    const auto now = Clock::now();
    if (now >= m_holdAt) {
        m_holdAt = now + kHoldPeriod;
        if (isWorkloadHeld())
            tellHolds(true);
    }
    if (now < m_sampleAt)
        return;
    // Keeps a fixed period, but never takes two samples at once to make up for a late turn.
    m_sampleAt = std::max(m_sampleAt + kSamplePeriod, now + kSamplePeriod / 2);
    for (const ProcessId process : watchedNodes()) {
        const auto known = find(process);
        if (!known || known->hasEnded || !m_asked.insert(process).second)
            continue;
        pb::Command command;
        command.mutable_watch();
        call(process, std::move(command), kWatchTimeout, [this, process](const Answer& answer) {
            m_asked.erase(process);
            if (answer && answer.reply.has_sample() && answer.reply.sample().process() == process)
                m_ingest.giveSample(std::make_shared<pb::NodeSample>(answer.reply.sample()));
        });
    }
}

} // namespace lhrs::gui
