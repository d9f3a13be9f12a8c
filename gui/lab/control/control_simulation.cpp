// SPDX-License-Identifier: GPL-3.0-or-later
// What the control client knows of a simulated cluster in addition to the general directory.
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/control/invariant_findings.h"

namespace lhrs::gui {

std::optional<pb::SimulationState> ControlClient::simulation() const
{
    const std::lock_guard lock(m_mutex);
    return m_simulation;
}

std::uint64_t ControlClient::nextFault() const
{
    const std::lock_guard lock(m_mutex);
    return m_simulation && m_simulation->waits_for_commands() ? ++m_faults : 0;
}

std::string ControlClient::simulator() const
{
    const std::lock_guard lock(m_mutex);
    for (const auto& [id, known] : m_directory)
        if (known.info.is_simulated())
            return known.info.control_endpoint();
    return {};
}

void ControlClient::learnSimulation(const pb::SimulationState& state)
{
    std::vector<ProcessId> ended;
    bool isNews = false; // new findings of its own checks
    if (simulator().empty())
        return; // a late report of a former cluster
    {
        const std::lock_guard lock(m_mutex);
        isNews = !state.violation().empty() && (!m_simulation || m_simulation->violation() != state.violation());
        m_simulation = state;
        m_answered = std::chrono::steady_clock::now();
        for (const ProcessId process : state.ended())
            if (const auto at = m_directory.find(process); at != m_directory.end() && !at->second.hasEnded)
                ended.push_back(process);
    }
    if (isNews)
        m_ingest.judge(findingsOf(state));
    const bool goes = !state.is_paused() && !state.is_over() && !state.waits_for_commands();
    m_ingest.setVirtualTime(state.wall_ns(), goes ? state.factor() : 0);
    for (const ProcessId process : ended)
        end(process, "killed", false);
}

} // namespace lhrs::gui
