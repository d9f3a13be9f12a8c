// SPDX-License-Identifier: GPL-3.0-or-later
// The window and the virtual time of a simulated cluster.
#include "gui/window/main/main_window.h"

#include <array>
#include <cstdlib>

namespace lhrs::gui {

namespace {

constexpr std::int64_t kSameBegin = 1'000'000; // ns
constexpr std::array kClockActions { "virtualRun", "virtualPause", "virtualStepEvent", "virtualStepMessage",
    "virtualStepMs" };

} // namespace

void MainWindow::makeClockActions()
{
    Actions& a = *m_actions;
    a.add(
        { "virtualRun", "Time", "Run virtual time", "Ctrl+Space", "A simulated cluster goes on, at the chosen speed" },
        [this] { m_commands->runClock(m_clockBar->speed()); });
    a.add({ "virtualPause", "Time", "Pause virtual time", "Ctrl+Shift+Space",
              "A simulated cluster stands still: nothing happens in it" },
        [this] { m_commands->pauseClock(); });
    a.add({ "virtualStepEvent", "Time", "One event on", "Alt+4",
              "A simulated cluster goes on to its next event, and stands still" },
        [this] { stepClock(ClusterCommands::ClockStep::Event); });
    a.add(
        { "virtualStepMessage", "Time", "One message on", "Alt+5",
            "A simulated cluster goes on until a message arrives, and stands still; of a gated one, simulated or real, "
            "the oldest message is let through" },
        [this] { stepClock(ClusterCommands::ClockStep::Message); });
    a.add({ "virtualStepMs", "Time", "One ms on", "Alt+6",
              "A simulated cluster goes on by a millisecond of virtual time, and stands still" },
        [this] { stepClock(ClusterCommands::ClockStep::Millisecond); });
    for (const char* id : kClockActions)
        a.get(id)->setEnabled(false);
}

void MainWindow::stepClock(ClusterCommands::ClockStep step)
{
    if (m_commands->simulation())
        m_steppedFrom = m_commands->committed();
    m_commands->stepClock(step);
}

// Uses one clock: times of a simulated cluster are counted from the zero of its virtual time, which the bar above the
// picture shows. The show of a scenario may still be at the previous cluster.
void MainWindow::alignBegin()
{
    const auto zero = m_commands->virtualZeroNs();
    const std::vector<ClusterFacts> clusters = m_player->clusters();
    const bool isOther = m_pacer.isShow() && !clusters.empty() && m_clusterShown != clusters.back().number;
    if (!zero || isOther || m_timeLine.isReplay() || m_commands->link() == ClusterCommands::Link::None)
        return;
    if (std::abs(*zero - m_timeLine.beginNs()) > kSameBegin)
        m_timeLine.beginRun(*zero);
}

// Called a few times a second.
void MainWindow::updateClock()
{
    alignBegin();
    nameStep();
    const auto simulation = m_timeLine.isReplay() ? std::nullopt : m_commands->simulation();
    const bool isThere = simulation && m_commands->link() != ClusterCommands::Link::None;
    const bool goes = isThere && !simulation->is_over();
    // Hidden in a presentation: an audience does not read it, and the picture needs the room.
    m_clockBar->show(isThere && !m_parts.isPresenting ? simulation : std::nullopt);
    const bool isGated = !m_timeLine.isReplay() && m_commands->isGated();
    for (const char* id : kClockActions)
        if (QAction* action = m_actions->get(id);
            action->isEnabled() != (goes || (isGated && action == m_actions->get("virtualStepMessage"))))
            action->setEnabled(!action->isEnabled());
}

void MainWindow::startSimulated(const SimulatedOptions& simulated)
{
    endShow();
    m_localOptions = m_start->localOptions();
    m_start->keep(m_remembered);
    m_localOptions.simulated = simulated;
    preferSimulated(m_localOptions.simulated);
    m_commands->startLocal(m_localOptions, m_start->recordBytes(), m_start->clients());
}

} // namespace lhrs::gui
