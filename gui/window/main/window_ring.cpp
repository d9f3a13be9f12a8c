// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does with a ring, and which parts of the window are for files only.
#include "gui/window/main/main_window.h"

#include <QDockWidget>
#include <QMenu>

#include <algorithm>

namespace lhrs::gui {

void MainWindow::makeRingActions()
{
    Actions& a = *m_actions;
    a.add({ "joinRing", "Cluster", "Let a node join the ring", "Ctrl+Alt+J",
              "The selected process that waits outside joins the ring, or any of them; its successor gives it a part "
              "of its keys" },
        [this] { m_commands->joinRing(isOutsideRing(processOfSelection()) ? processOfSelection() : 0); });
    a.add({ "leaveRing", "Cluster", "Let the node leave the ring", "Ctrl+Alt+O",
              "The selected node gives its keys to its successor and waits outside" },
        [this] { m_commands->leaveRing(processOfSelection()); });
    for (const char* id : { "joinRing", "leaveRing" })
        a.get(id)->setEnabled(false);
}

bool MainWindow::isOutsideRing(ProcessId process) const
{
    const auto known = m_pacer.state().processes.find(process);
    return known != m_pacer.state().processes.end() && known->second.kind == pb::NODE && !known->second.hasEnded
        && m_pacer.state().ring.stateOf(process) == pb::WALK_SPARE;
}

void MainWindow::enableRing()
{
    const ClusterState& state = m_pacer.state();
    const bool isHere = m_commands->link() == ClusterCommands::Link::Here && state.system == walk::kSystem;
    const auto enable = [this](const char* id, bool on) {
        if (QAction* action = m_actions->get(id); action->isEnabled() != on)
            action->setEnabled(on);
    };
    const auto& all = state.ring.nodes;
    enable("joinRing",
        isHere && std::any_of(all.begin(), all.end(), [this](const auto& node) { return isOutsideRing(node.first); }));
    enable("leaveRing", isHere && state.ring.stateOf(processOfSelection()) == pb::WALK_IN);
}

// The menu of a node of a ring, or of the ring itself.
void MainWindow::offerRing(QMenu& menu, ObjectRef object)
{
    if (object.kind == ObjectKind::Node)
        connect(
            menu.addAction(tr("Show what it does")), &QAction::triggered, this, [this, object] { inspect(object); });
    for (const char* id : { "joinRing", "leaveRing", "copyLine" })
        menu.addAction(m_actions->get(id));
    menu.addSeparator();
}

// Buckets, client images, record groups and invariants are those of a file; a ring has none.
bool MainWindow::isOfSystem(const QDockWidget* dock) const
{
    return m_pacer.state().isOfLhrs()
        || (dock != m_docks[0] && dock != m_imageDock && dock != m_groupDock && dock != m_invariantDock);
}

// Another system is shown: panels of the former one make room.
void MainWindow::followSystem()
{
    const bool isGone = m_workspace == Workspace::Invariants && !m_pacer.state().isOfLhrs();
    setWorkspace(isGone ? Workspace::Lecture : m_workspace);
    enableActions();
}

} // namespace lhrs::gui
