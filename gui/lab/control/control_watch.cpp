// SPDX-License-Identifier: GPL-3.0-or-later
// What the control client asks again and again while somebody wants it: samples of watched nodes, and the hold of the workload;
// and whether a process that nobody has heard of for a while runs at all.
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"

#include <algorithm>
#include <cerrno>

#include <signal.h>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kWatchTimeout(1000);

} // namespace

// Nobody here sees the processes of a connected cluster end, and its coordinator lists them for a while. But they are on this
// machine; one that is not seen from here may be asked all the same.
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
    call(process, holdCommand(isHeld), kWatchTimeout, [](const Answer&) {}); // who does not hear it is told again
}

void ControlClient::holdWorkload(bool isHeld)
{
    {
        const std::lock_guard lock(m_mutex);
        m_isWorkloadHeld = isHeld;
    }
    post([this, isHeld](Thread&) { tellHolds(isHeld); }); // there, so that no renewal comes after a release
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
    // In step with the clock, but never twice at once to make up for a turn that was late.
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
