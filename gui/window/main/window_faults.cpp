// SPDX-License-Identifier: GPL-3.0-or-later
// How the main window injects and ends faults: the actions, their targets, and the question before data is lost for
// good.
#include "gui/window/main/main_window.h"

#include "gui/lab/words/sentences.h"
#include "gui/view/cluster/kill_words.h"
#include "gui/view/walk/ring_words.h"
#include "gui/view/cluster/object_words.h"

#include <QDockWidget>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <map>

namespace lhrs::gui {

void MainWindow::makeFaultActions()
{
    Actions& a = *m_actions;
    const auto with = [this](void (ClusterCommands::*act)(ProcessId, const QString&)) {
        return [this, act] { (m_commands->*act)(processOfSelection(), targetOfSelection()); };
    };
    a.add({ "kill", "Faults", "Kill the process", "Ctrl+Alt+K",
              "Ends the process of what is selected at once, as a crash does" },
        [this] { killSelection(); });
    a.add({ "pause", "Faults", "Pause the process", "Ctrl+Alt+P",
              "The process of what is selected stands still, for a minute at most" },
        with(&ClusterCommands::pause));
    a.add({ "resume", "Faults", "Resume the process", "Ctrl+Alt+R", "A paused process goes on where it stood" },
        with(&ClusterCommands::resume));
    a.add({ "restart", "Faults", "Restart the process", "Ctrl+Alt+N",
              "Starts the program of a server again, as an empty spare, or another coordinator, which finds the file "
              "in its buckets; ends it first if it runs" },
        with(&ClusterCommands::restart));
    a.add({ "cutOff", "Faults", "Cut off from all others", "Ctrl+Alt+X",
              "Nothing passes between the process of what is selected and all others, for a minute at most" },
        with(&ClusterCommands::cutOff));
    a.add({ "loseSome", "Faults", "Lose half of what it is sent", "Ctrl+Alt+L",
              "Half of the messages to the process of what is selected are lost, for a minute at most" },
        with(&ClusterCommands::loseSome));
    a.add({ "delayMessages", "Faults", "Delay what it is sent by 200 ms", "Ctrl+Alt+D",
              "Messages to the process of what is selected come late, for a minute at most" },
        with(&ClusterCommands::delayMessages));
    a.add({ "heal", "Faults", "Heal", "Ctrl+Alt+H",
              "Ends the faults at the process of what is selected, or the selected fault" },
        [this] { healSelection(); });
    a.add({ "healAll", "Faults", "Heal all", "Ctrl+Shift+H", "Ends all faults, and lets all paused processes go on" },
        [this] { m_commands->healAll(); });
    a.add({ "faultPanel", "Faults", "Fault palette", "Ctrl+Alt+F",
              "Everything that can be broken, whom it hits and for how long, and what is broken now", true },
        [this] { showFaults(); });
    a.add({ "armFault", "Faults", "Break it", "Ctrl+Alt+A", "Arms the fault that the palette describes" },
        [this] { armFault(); });
    a.add({ "healFault", "Faults", "Heal this one", "Ctrl+Alt+E",
              "Ends the fault that is selected in the palette, or the first one" },
        [this] { m_faults->healSelected(); });
    a.add({ "recover", "Faults", "Look after the group", "Ctrl+Alt+G",
              "The coordinator asks all members of the selected group (or group 0), and recovers those that do not "
              "answer" },
        [this] { m_commands->recover(groupOfSelection()); });
    a.add({ "acknowledgeLoss", "Faults", "Take note of the loss", "Ctrl+Alt+T",
              "The lost buckets of the selected group (or group 0) come back empty; their processes must have ended" },
        [this] { m_commands->acknowledgeLoss(groupOfSelection()); });
}

// ---- targets

ProcessId MainWindow::processOfSelection() const
{
    const ObjectRef object = m_selection->selected();
    const ClusterState& state = m_pacer.state();
    if (object.kind == ObjectKind::Spare || object.kind == ObjectKind::Displaced || object.kind == ObjectKind::Client
        || object.kind == ObjectKind::Node)
        return object.a;
    if (object.kind == ObjectKind::Coordinator)
        return coordinatorOf(state);
    if (object.kind == ObjectKind::Data) {
        const auto bucket = state.data.find(std::uint32_t(object.a));
        return bucket == state.data.end() ? 0 : bucket->second.process;
    }
    if (object.kind == ObjectKind::Parity) {
        const auto parity = state.parity.find({ std::uint32_t(object.a), std::uint32_t(object.b) });
        return parity == state.parity.end() ? 0 : parity->second.process;
    }
    return 0;
}

// The target as a scenario would name it.
QString MainWindow::targetOfSelection() const
{
    const ObjectRef object = m_selection->selected();
    if (object.kind == ObjectKind::Data)
        return QStringLiteral("lab.data(%1)").arg(object.a);
    if (object.kind == ObjectKind::Parity)
        return QStringLiteral("lab.parity(%1, %2)").arg(object.a).arg(object.b);
    if (object.kind == ObjectKind::Coordinator)
        return QStringLiteral("lab.coordinator()");
    if (object.kind == ObjectKind::Group)
        return QStringLiteral("lab.group(%1)").arg(object.a);
    return QStringLiteral("lab.process('%1')")
        .arg(QString::fromStdString(processShown(processOfSelection(), m_pacer.state())));
}

QString MainWindow::faultLineOf(const QString& action) const
{
    const auto is = [&](const char* id) { return action == QLatin1String(id); };
    const QString target = targetOfSelection();
    if (is("kill") || is("resume") || is("restart"))
        return QStringLiteral("lab.%1(%2);").arg(action, target);
    if (is("pause"))
        return QStringLiteral("lab.pause(%1, { lease: 60 });").arg(target);
    if (is("cutOff"))
        return QStringLiteral("lab.partition(%1, 'rest', { lease: 60 });").arg(target);
    if (is("loseSome"))
        return QStringLiteral("lab.net({ to: %1, drop: 0.5, lease: 60 });").arg(target);
    if (is("delayMessages"))
        return QStringLiteral("lab.net({ to: %1, delayMs: 200, lease: 60 });").arg(target);
    if (is("healAll"))
        return QStringLiteral("lab.heal();");
    if (is("recover"))
        return QStringLiteral("lab.recover({ group: %1, wait: false });").arg(groupOfSelection());
    if (is("acknowledgeLoss"))
        return QStringLiteral("lab.acknowledgeLoss(%1);").arg(groupOfSelection());
    return is("armFault") && m_faults->objection().isEmpty() ? m_commands->lineOf(m_faults->wish()) : QString();
}

bool MainWindow::isWithoutCoordinator() const
{
    if (m_commands->link() != ClusterCommands::Link::Lost || !m_commands->isLocal())
        return false;
    const auto coordinator = m_pacer.state().processes.find(coordinatorOf(m_pacer.state()));
    return coordinator != m_pacer.state().processes.end()
        && (coordinator->second.hasEnded || coordinator->second.isPaused);
}

void MainWindow::enableFaults()
{
    const bool isHere = m_commands->link() == ClusterCommands::Link::Here, isGoing = isHere || isWithoutCoordinator();
    const ClusterState& state = m_pacer.state();
    const auto enable = [this](const char* id, bool on) {
        if (QAction* action = m_actions->get(id); action->isEnabled() != on)
            action->setEnabled(on);
    };
    const ObjectRef object = m_selection->selected();
    const ProcessId selected = isGoing ? processOfSelection() : 0;
    const auto process = state.processes.find(selected);
    const bool hasProcess = selected != 0 && process != state.processes.end();
    const bool runs = hasProcess && !process->second.hasEnded, isPaused = hasProcess && process->second.isPaused;
    // Processes that this window did not start are not changed; only messages between them are.
    const bool isOurs = m_commands->isLocal();
    enable("kill", runs && isOurs);
    enable("pause", runs && isOurs && !isPaused);
    enable("resume", runs && isOurs && isPaused);
    enable("restart", hasProcess && isOurs && object.kind != ObjectKind::Client);
    for (const char* id : { "cutOff", "loseSome", "delayMessages" })
        enable(id, runs && !isPaused);
    enable("heal", (runs && !process->second.faults.empty()) || (isGoing && object.kind == ObjectKind::Fault));
    enable("healAll", isGoing);
    enable("faultPanel", m_commands->link() != ClusterCommands::Link::None);
    enable("armFault", isGoing && m_faults->objection().isEmpty());
    enable("healFault", isGoing && m_faults->model().rowCount() > 0);
    const auto group = state.groups.find(groupOfSelection());
    const bool isLost = group != state.groups.end() && group->second.state == pb::GROUP_LOST;
    enable("recover", isHere && state.file.exists && !isLost);
    enable("acknowledgeLoss", isHere && isLost);
}

// ---- losses that cannot be recovered

bool MainWindow::mayKill(const std::vector<ProcessId>& processes, const QString& names)
{
    const ClusterState& state = m_pacer.state();
    const QString warning = state.isOfLhrs() ? warningOfKill(state, processes, names)
                                             : warningOfRingKill(state, processes);
    if (warning.isEmpty())
        return true;
    QMessageBox question(QMessageBox::Warning, tr("Kill %1?").arg(names), warning, QMessageBox::Cancel, this);
    question.setObjectName(QStringLiteral("killQuestion"));
    QPushButton* yes = question.addButton(tr("Kill it all the same"), QMessageBox::DestructiveRole);
    question.setDefaultButton(QMessageBox::Cancel);
    question.exec();
    return question.clickedButton() == yes;
}

void MainWindow::killSelection()
{
    const ProcessId process = processOfSelection();
    const QString target = targetOfSelection();
    if (mayKill({ process }, nameOf(m_pacer.state(), m_selection->selected())))
        m_commands->kill(process, target);
}

void MainWindow::armFault()
{
    const FaultWish wish = m_faults->wish();
    const bool isKill = wish.kind == FaultWish::Kind::Kill || wish.kind == FaultWish::Kind::KillAtStep;
    QStringList names;
    for (const ProcessId process : wish.first)
        names << nameOf(m_pacer.state(), objectOf(m_pacer.state(), process));
    if (!isKill || mayKill(wish.first, names.join(QStringLiteral(", "))))
        m_faults->arm();
}

void MainWindow::healSelection()
{
    if (const ObjectRef object = m_selection->selected(); object.kind == ObjectKind::Fault)
        m_commands->healFault(object.a);
    else
        m_commands->heal(processOfSelection(), targetOfSelection());
}

// Shows the palette beside the picture, with the selection as its target; when called again, returns to the picture.
void MainWindow::showFaults()
{
    if (m_workspace == Workspace::Faults) {
        setWorkspace(Workspace::Lecture);
        return;
    }
    setWorkspace(Workspace::Faults);
    if (const ProcessId process = processOfSelection())
        m_faults->aimAt({ process });
    m_faultDock->raise();
    m_faults->setFocus(Qt::OtherFocusReason);
}

} // namespace lhrs::gui
