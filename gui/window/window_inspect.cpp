// SPDX-License-Identifier: GPL-3.0-or-later
// The window's node inspector, and the holds of workload and messages (window.md 2.5, 2.11).
#include "gui/window/main_window.h"

#include "gui/view/object_words.h"

#include <QComboBox>
#include <QDockWidget>

#include <algorithm>

namespace lhrs::gui {

void MainWindow::makeInspectActions()
{
    Actions& a = *m_actions;
    a.add({ "nodeInspector", "View", "Node inspector", "N", "What the selected process does: its threads, queues, messages in wait, sequences" }, [this] {
        m_isViewLarge = true;
        setWorkspace(Workspace::Inspect);
        m_nodeDock->raise();
        if (m_node->view().chosen() == 0)
            m_node->view().choose(processOfSelection());
        m_node->list().setFocus(Qt::ShortcutFocusReason);
    });
    a.add({ "pinNode", "View", "Pin the node", "Shift+N", "Keeps the inspected process beside the next one, up to four; once more: lets go of it", true }, [this] {
        if (!m_node->view().togglePin())
            m_line->answer(tr("pin"), m_node->view().chosen() == 0 ? tr("Choose a process in the node inspector first.") : tr("Four are pinned already; let go of one of them first."), false);
        m_actions->get("pinNode")->setChecked(m_node->view().isPinned(m_node->view().chosen()));
    });
    a.add({ "unpinNodes", "View", "Unpin all nodes", "Ctrl+Alt+U", "Only the chosen process is inspected again" }, [this] { m_node->view().unpinAll(); });
    a.add({ "holdWorkload", "Time", "Hold the workload", "W", "No client begins new operations, those under way end; once more: they go on", true }, [this] { m_operator->holdWorkload(m_actions->get("holdWorkload")->isChecked()); });
    a.add({ "gate", "Time", "Gate messages", "X", "No message is delivered and no protocol clock goes, Alt+5 lets one through; once more: all go on. Real processes need to be started with a gate", true }, [this] {
        m_operator->gate(m_actions->get("gate")->isChecked());
        updateInspector();
    });
    a.add({ "releaseHere", "Time", "Let its oldest message through", "Alt+7", "The selected process, while it is gated, takes one step with the oldest message that it holds" }, [this] { m_operator->releaseHeld(gatedProcess(), false); });
    a.add({ "dropHere", "Time", "Lose its oldest message", "Alt+8", "The oldest message that the selected process holds, while it is gated, is lost" }, [this] { m_operator->releaseHeld(gatedProcess(), true); });
    for (const char* id : { "unpinNodes", "holdWorkload", "gate", "releaseHere", "dropHere" })
        a.get(id)->setEnabled(false);
}

void MainWindow::inspectNodes(const QStringList& names)
{
    NodeView& view = m_node->view();
    view.unpinAll();
    for (const QString& name : names) {
        if (view.chosen() != 0 && name != names.front())
            view.togglePin();
        if (const ObjectRef object = objectNamed(name.trimmed())) {
            m_selection->select(object);
            view.choose(processOfSelection());
        }
    }
    m_isViewLarge = true;
    setWorkspace(Workspace::Inspect);
    m_nodeDock->raise();
}

// Whose messages are let through one by one: the selected process, or else the inspected one; 0: none that lives.
ProcessId MainWindow::gatedProcess() const
{
    const ProcessId selected = processOfSelection(), process = selected != 0 ? selected : m_node->view().chosen();
    const auto known = m_pacer.state().processes.find(process);
    return known != m_pacer.state().processes.end() && !known->second.hasEnded ? process : 0;
}

// A few times a second: who is watched is who is seen, and each hold shows what is.
void MainWindow::updateInspector()
{
    const bool isRunning = !m_timeLine.isReplay() && (m_operator->link() == Operator::Link::Here || isWithoutCoordinator());
    m_operator->session().control().watchNodes(isRunning ? m_node->wanted() : std::vector<ProcessId>());
    const auto follow = [this](const char* id, bool isEnabled, bool isChecked) {
        QAction* action = m_actions->get(id);
        if (action->isEnabled() != isEnabled)
            action->setEnabled(isEnabled);
        if (action->isChecked() != isChecked)
            action->setChecked(isChecked);
    };
    const auto simulation = m_operator->simulation();
    follow("holdWorkload", isRunning, isRunning && m_operator->isWorkloadHeld());
    const bool isGated = isRunning && !simulation && m_operator->isGated();
    follow("gate", isRunning, isRunning && (simulation ? simulation->is_paused() : isGated));
    const bool isHolding = isGated && gatedProcess() != 0;
    follow("releaseHere", isHolding, false);
    follow("dropHere", isHolding, false);
    if (const std::string trouble = m_operator->session().control().takeGateTrouble(); !trouble.empty())
        m_line->answer(QStringLiteral("lab.gate(true);"), QString::fromStdString(trouble), false);
}

// Each hold in its own words, icon and colour, as long as it holds.
void MainWindow::addHolds(std::vector<StatusPart>& parts) const
{
    const ClusterState& state = m_pacer.state();
    if (!m_timeLine.isReplay() && m_timeLine.mode() == TimeLine::Mode::Paused && m_operator->link() != Operator::Link::None) {
        const QString behind = durationWords(m_timeLine.endNs() - m_timeLine.cursorNs());
        parts.push_back({ Glyph::Pause, m_theme.selection, { tr("VIEW FROZEN: %1, %2 behind; the cluster goes on").arg(behind, countedWords(m_timeLine.behind(), "event", "events")), tr("VIEW FROZEN, %1 behind").arg(behind), tr("VIEW FROZEN") }, 9, true });
    }
    const auto held = std::count_if(state.clients.begin(), state.clients.end(), [&](const auto& client) {
        const auto process = state.processes.find(client.first);
        return client.second.isHeld && process != state.processes.end() && !process->second.hasEnded;
    });
    if (held > 0 || (!m_timeLine.isReplay() && m_operator->isWorkloadHeld())) {
        const QString clients = countedWords(std::uint64_t(held), "client", "clients");
        parts.push_back({ Glyph::Barrier, m_theme.caution, { tr("WORKLOAD HELD: %1 begin no new operations").arg(clients), tr("WORKLOAD HELD: %1").arg(clients), tr("WORKLOAD HELD") }, 9, true });
    }
    // Of real processes as their events tell: in a recording, too.
    std::size_t gated = 0, waiting = 0;
    for (const auto& [id, process] : state.processes) {
        gated += process.isGated ? 1 : 0;
        waiting += process.isGated ? process.gauges.gate_held() : 0;
    }
    if (gated > 0)
        parts.push_back({ Glyph::Gate, m_theme.good, { tr("MESSAGES GATED: %1 held, the clocks of %2 stand").arg(countedWords(waiting, "message", "messages"), countedWords(gated, "process", "processes")), tr("MESSAGES GATED: %1 held").arg(waiting), tr("MESSAGES GATED") }, 9, true });
    const auto simulation = m_operator->simulation();
    if (!m_timeLine.isReplay() && simulation && simulation->is_paused() && !simulation->is_over())
        parts.push_back({ Glyph::Gate, m_theme.good, { tr("MESSAGES GATED: virtual time stands still"), tr("MESSAGES GATED") }, 9, true });
}

} // namespace lhrs::gui
