// SPDX-License-Identifier: GPL-3.0-or-later
// The window's node inspector, and the holds of the workload and of messages.
#include "gui/window/main/main_window.h"

#include "gui/view/cluster/object_words.h"
#include "gui/window/panels/gate_panel.h"

#include <QComboBox>
#include <QDockWidget>
#include <QMenu>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr const char* kAskedFor = "askedFor"; // property of an action whose command is under way

} // namespace

void MainWindow::makeInspectActions()
{
    Actions& a = *m_actions;
    a.add({ "nodeInspector", "View", "Node inspector", "N",
              "What the selected process does: its threads, queues, messages in wait, sequences" },
        [this] {
            m_workspaces->open("nodeDock", true);
            if (m_node->view().chosen() == 0)
                m_node->view().choose(m_parts.process());
            m_node->list().setFocus(Qt::ShortcutFocusReason);
        });
    a.add({ "pinNode", "View", "Pin the node", "Shift+N",
              "Keeps the inspected process beside the next one, up to four; once more: lets go of it", true },
        [this] {
            if (!m_node->view().togglePin())
                m_line->answer(tr("pin"),
                    m_node->view().chosen() == 0 ? tr("Choose a process in the node inspector first.")
                                                 : tr("Four are pinned already; let go of one of them first."),
                    false);
            m_actions->get("pinNode")->setChecked(m_node->view().isPinned(m_node->view().chosen()));
        });
    a.add({ "unpinNodes", "View", "Unpin all nodes", "Ctrl+Alt+U", "Only the chosen process is inspected again" },
        [this] { m_node->view().unpinAll(); });
    a.add({ "holdWorkload", "Time", "Hold the workload", "W",
              "No client begins new operations, those under way end; once more: they go on", true },
        [this] { m_commands->holdWorkload(m_actions->get("holdWorkload")->isChecked()); });
    a.add({ "gate", "Time", "Gate messages", "X",
              "No message is delivered and no protocol clock goes, Alt+5 lets one through; once more: all go on. Real "
              "processes need to be started with a gate",
              true },
        [this] {
            // Until the answer arrives, the action shows the requested state; otherwise a second press would request
            // the same again.
            QAction* gate = m_actions->get("gate");
            gate->setProperty(kAskedFor, gate->isChecked());
            m_commands->gate(gate->isChecked());
        });
    connect(m_commands, &ClusterCommands::answered, this, [this](const QString& line) {
        if (!line.startsWith(QLatin1String("lab.gate(")))
            return;
        m_actions->get("gate")->setProperty(kAskedFor, QVariant());
        updateInspector();
        m_statusAt = -1;
    });
    a.add({ "heldMessages", "View", "Held messages", "Shift+X",
              "The messages that the closed gates hold, beside the picture: each may be let through or lost", true },
        [this] { showHeld(); });
    a.add({ "releaseHere", "Time", "Let a held message through", "Alt+7",
              "The chosen message of the list of held messages is delivered, or else the oldest one of the selected "
              "process, which takes one step with it" },
        [this] { releaseChosen(false); });
    a.add({ "dropHere", "Time", "Lose a held message", "Alt+8",
              "The chosen message of the list of held messages is lost, or else the oldest one that the selected "
              "process holds" },
        [this] { releaseChosen(true); });
    for (const char* id : { "unpinNodes", "holdWorkload", "gate", "releaseHere", "dropHere", "heldMessages" })
        a.get(id)->setEnabled(false);
}

void MainWindow::inspectNodes(const QStringList& names)
{
    NodeView& view = m_node->view();
    view.unpinAll();
    for (const QString& name : names) {
        if (view.chosen() != 0 && name != names.front())
            view.togglePin();
        if (const ObjectRef object = m_parts.objectNamed(name.trimmed())) {
            m_selection->select(object);
            view.choose(m_parts.process());
        }
    }
    m_workspaces->open("nodeDock", true);
}

// The process whose messages are released one by one: the selected one, or else the inspected one; 0: none that is
// running.
ProcessId MainWindow::gatedProcess() const
{
    const ProcessId selected = m_parts.process(), process = selected != 0 ? selected : m_node->view().chosen();
    const auto known = m_pacer.state().processes.find(process);
    return known != m_pacer.state().processes.end() && !known->second.hasEnded ? process : 0;
}

// Shows the list beside the picture; when called again, returns to the picture.
void MainWindow::showHeld()
{
    m_workspaces->toggle(Workspace::Gate);
    if (workspace() == Workspace::Gate)
        m_gate->setFocus(Qt::OtherFocusReason);
}

void MainWindow::releaseChosen(bool isDropped)
{
    if (m_commands->simulation())
        m_steppedFrom = m_commands->committed();
    if (const auto one = m_gate->chosen())
        m_commands->releaseOne(*one, isDropped);
    else
        m_commands->releaseHeld(gatedProcess(), isDropped);
}

// Adds each message that the gate of the process holds to the menu of an object that represents the process.
void MainWindow::offerHeld(QMenu& menu, ProcessId process)
{
    constexpr int kOffered = 12;
    updateInspector();
    for (const bool isDropped : { false, true }) {
        QMenu* which = menu.addMenu(isDropped ? tr("Lose") : tr("Let through"));
        which->setObjectName(isDropped ? QStringLiteral("dropMenu") : QStringLiteral("releaseMenu"));
        for (const HeldAt& one : m_commands->held()) {
            if (one.process != process || which->actions().size() >= kOffered)
                continue;
            const QAction* chosen = which->addAction(heldWords(m_pacer.state(), one.message));
            connect(
                chosen, &QAction::triggered, this, [this, one, isDropped] { m_commands->releaseOne(one, isDropped); });
            connect(chosen, &QAction::hovered, this,
                [this, one, isDropped] { m_line->preview(m_commands->lineOf(one, isDropped)); });
        }
        which->setEnabled(!which->isEmpty());
    }
    menu.addAction(m_actions->get("heldMessages"));
    menu.addSeparator();
}

// Called a few times a second: watches the processes that are visible, and updates the state of each hold.
void MainWindow::updateInspector()
{
    const bool isRunning = !m_timeLine.isReplay()
        && (m_commands->link() == ClusterCommands::Link::Here || m_parts.isWithoutCoordinator());
    m_commands->session().control().watchNodes(isRunning ? m_node->wanted() : std::vector<ProcessId>());
    const auto follow = [this](const char* id, bool isEnabled, bool isChecked) {
        QAction* action = m_actions->get(id);
        if (action->isEnabled() != isEnabled)
            action->setEnabled(isEnabled);
        if (action->isChecked() != isChecked)
            action->setChecked(isChecked);
    };
    follow("holdWorkload", isRunning, isRunning && m_commands->isWorkloadHeld());
    const bool isGated = isRunning && m_commands->isGated();
    const QVariant askedFor = m_actions->get("gate")->property(kAskedFor);
    follow("gate", isRunning, isRunning && (askedFor.isValid() ? askedFor.toBool() : isGated));
    if (isGated)
        m_commands->askHeld();
    m_gate->setRecorded(m_timeLine.isReplay());
    const bool isHolding = isGated && (gatedProcess() != 0 || m_gate->chosen());
    follow("releaseHere", isHolding, false);
    follow("dropHere", isHolding, false);
    follow("heldMessages", showsCluster(), workspace() == Workspace::Gate && showsCluster());
    if (const std::string trouble = m_commands->session().control().takeGateTrouble(); !trouble.empty())
        m_line->answer(QStringLiteral("lab.gate(true);"), QString::fromStdString(trouble), false);
}

// Adds each hold to the status line with its own words, icon and colour, while it lasts.
void MainWindow::addHolds(std::vector<StatusPart>& parts) const
{
    const ClusterState& state = m_pacer.state();
    if (!m_timeLine.isReplay() && m_timeLine.mode() == TimeLine::Mode::Paused
        && m_commands->link() != ClusterCommands::Link::None) {
        const QString behind = durationWords(m_timeLine.endNs() - m_timeLine.cursorNs());
        parts.push_back({ Glyph::Pause, m_parts.theme.selection,
            { tr("VIEW FROZEN: %1, %2 behind; the cluster goes on")
                    .arg(behind, countedWords(m_timeLine.behind(), "event", "events")),
                tr("VIEW FROZEN, %1 behind").arg(behind), tr("VIEW FROZEN") },
            9, true });
    }
    const auto held = std::count_if(state.clients.begin(), state.clients.end(), [&](const auto& client) {
        const auto process = state.processes.find(client.first);
        return client.second.isHeld && process != state.processes.end() && !process->second.hasEnded;
    });
    if (held > 0 || (!m_timeLine.isReplay() && m_commands->isWorkloadHeld())) {
        const QString clients = countedWords(std::uint64_t(held), "client", "clients");
        parts.push_back({ Glyph::Barrier, m_parts.theme.caution,
            { tr("WORKLOAD HELD: %1 begin no new operations").arg(clients), tr("WORKLOAD HELD: %1").arg(clients),
                tr("WORKLOAD HELD") },
            9, true });
    }
    // From events of the processes, so that this works for a recording too.
    std::size_t gated = 0, waiting = 0;
    for (const auto& [id, process] : state.processes) {
        gated += process.isGated ? 1 : 0;
        waiting += process.isGated ? process.gauges.gate_held() : 0;
    }
    if (gated > 0)
        parts.push_back({ Glyph::Gate, m_parts.theme.good,
            { tr("MESSAGES GATED: %1 held, the clocks of %2 stand")
                    .arg(countedWords(waiting, "message", "messages"), countedWords(gated, "process", "processes")),
                tr("MESSAGES GATED: %1 held").arg(waiting), tr("MESSAGES GATED: %1").arg(waiting) },
            9, true, "heldMessages" });
    const auto simulation = m_commands->simulation();
    if (!m_timeLine.isReplay() && simulation && simulation->is_paused() && !simulation->is_over())
        parts.push_back({ Glyph::Pause, m_parts.theme.good,
            { tr("VIRTUAL TIME STANDS: nothing happens until it goes on"), tr("VIRTUAL TIME STANDS") }, 9, true });
}

} // namespace lhrs::gui
