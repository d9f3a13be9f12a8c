// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/operate/window_faults.h"

#include "gui/lab/live/ingest.h"
#include "gui/view/systems/view_systems.h"
#include "gui/window/panels/fault_panel.h"

#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>

#include <algorithm>

namespace lhrs::gui {

WindowFaults::WindowFaults(WindowParts& parts) : WindowSubject(parts)
{
    Actions& a = m_parts.actions;
    const auto with = [this](void (ClusterFaults::*act)(ProcessId, const QString&)) {
        return [this, act] { (m_parts.commands.faults().*act)(m_parts.process(), m_parts.target()); };
    };
    a.add({ "kill", "Faults", "Kill the process", "Ctrl+Alt+K",
              "Ends the process of what is selected at once, as a crash does" },
        [this] { killSelection(); });
    a.add({ "pause", "Faults", "Pause the process", "Ctrl+Alt+P",
              "The process of what is selected stands still, for a minute at most" },
        with(&ClusterFaults::pause));
    a.add({ "resume", "Faults", "Resume the process", "Ctrl+Alt+R", "A paused process goes on where it stood" },
        with(&ClusterFaults::resume));
    a.add({ "restart", "Faults", "Restart the process", "Ctrl+Alt+N",
              "Starts a server's program again, with an empty memory, or another coordinator, which learns from the "
              "servers what it has to know; ends the old process first" },
        with(&ClusterFaults::restart));
    a.add({ "cutOff", "Faults", "Cut off from all others", "Ctrl+Alt+X",
              "Nothing passes between the process of what is selected and all others, for a minute at most" },
        [this] { m_parts.commands.faults().cutOff(m_parts.process()); });
    a.add({ "loseSome", "Faults", "Lose half of what it is sent", "Ctrl+Alt+L",
              "Half of the messages to the process of what is selected are lost, for a minute at most" },
        [this] { m_parts.commands.faults().loseSome(m_parts.process()); });
    a.add({ "delayMessages", "Faults", "Delay what it is sent by 200 ms", "Ctrl+Alt+D",
              "Messages to the process of what is selected come late, for a minute at most" },
        [this] { m_parts.commands.faults().delayMessages(m_parts.process()); });
    a.add({ "heal", "Faults", "Heal", "Ctrl+Alt+H",
              "Ends the faults at the process of what is selected, or the selected fault" },
        [this] { healSelection(); });
    a.add({ "healAll", "Faults", "Heal all", "Ctrl+Shift+H", "Ends all faults, and lets all paused processes go on" },
        [this] { m_parts.commands.faults().healAll(); });
    a.add({ "faultPanel", "Faults", "Fault palette", "Ctrl+Alt+F",
              "Everything that can be broken, where and for how long, and what is broken now", true },
        [this] { showPalette(); });
    a.add({ "armFault", "Faults", "Break it", "Ctrl+Alt+A", "Arms the fault that the palette describes" },
        [this] { armFault(); });
    a.add({ "healFault", "Faults", "Heal this one", "Ctrl+Alt+E",
              "Ends the fault that is selected in the palette, or the first one" },
        [this] { m_panel->healSelected(); });
}

void WindowFaults::build()
{
    m_panel = new FaultPanel(m_parts.pacer, m_parts.commands, m_parts.actions, &m_parts.window);
    auto* scroll = new QScrollArea(&m_parts.window);
    scroll->setWidget(m_panel);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);
    m_parts.workspaces.addDock("faultDock", tr("Faults"), scroll);
    m_parts.clock.add(m_panel, m_panel);
    connect(m_panel, &FaultPanel::changed, this, &WindowFaults::enable);
}

void WindowFaults::applyTheme() { m_panel->setTheme(m_parts.theme); }

QString WindowFaults::lineOf(const QString& action) const
{
    const auto is = [&](const char* id) { return action == QLatin1String(id); };
    const QString target = m_parts.target();
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
    return is("armFault") && m_panel->objection().isEmpty()
        ? faultLine(m_panel->wish(), m_parts.commands.session().ingest().state())
        : QString();
}

void WindowFaults::enable()
{
    const bool isHere = m_parts.isHere(), isGoing = isHere || m_parts.isWithoutCoordinator();
    const ClusterState& state = m_parts.pacer.state();
    const auto enable = [this](const char* id, bool on) { m_parts.actions.get(id)->setEnabled(on); };
    const ObjectRef object = m_parts.selection.selected();
    const ProcessId selected = isGoing ? m_parts.process() : 0;
    const auto process = state.processes.find(selected);
    const bool hasProcess = selected != 0 && process != state.processes.end();
    const bool runs = hasProcess && !process->second.hasEnded, isPaused = hasProcess && process->second.isPaused;
    // Processes that this window did not start are not changed; only messages between them are.
    const bool isOurs = m_parts.commands.link().isLocal();
    enable("kill", runs && isOurs);
    enable("pause", runs && isOurs && !isPaused);
    enable("resume", runs && isOurs && isPaused);
    enable("restart", hasProcess && isOurs && object.kind != ObjectKind::Client);
    m_parts.actions.enable({ "cutOff", "loseSome", "delayMessages" }, runs && !isPaused);
    enable("heal", (runs && !process->second.faults.empty()) || (isGoing && object.kind == ObjectKind::Fault));
    enable("healAll", isGoing);
    enable("faultPanel", m_parts.commands.link().state() != LinkState::None);
    enable("armFault", isGoing && m_panel->objection().isEmpty());
    enable("healFault", isGoing && m_panel->model().rowCount() > 0);
}

// ---- losses for good

bool WindowFaults::mayKill(const std::vector<ProcessId>& processes)
{
    const ClusterState& state = m_parts.pacer.state();
    QStringList each;
    for (const ProcessId process : processes) {
        // Data 1 may be held by data-3 while another process is called data-1.
        const auto known = state.processes.find(process);
        const QString place = wordsOf(state).nameOf(state, wordsOf(state).objectOf(state, process)),
                      name = known == state.processes.end() ? QString() : QString::fromStdString(known->second.name);
        each << (name.isEmpty() || place.contains(name) ? place : tr("%1 (process %2)").arg(place, name));
    }
    const QString names = each.join(QStringLiteral(", "));
    const QString warning = wordsOf(state).warningOfKill(state, processes, names);
    if (warning.isEmpty())
        return true;
    QMessageBox question(
        QMessageBox::Warning, tr("Kill %1?").arg(names), warning, QMessageBox::Cancel, &m_parts.window);
    question.setObjectName(QStringLiteral("killQuestion"));
    QPushButton* yes = question.addButton(tr("Kill it all the same"), QMessageBox::DestructiveRole);
    question.setDefaultButton(QMessageBox::Cancel);
    question.exec();
    return question.clickedButton() == yes;
}

void WindowFaults::killSelection()
{
    const ProcessId process = m_parts.process();
    const QString target = m_parts.target();
    if (mayKill({ process }))
        m_parts.commands.faults().kill(process, target);
}

void WindowFaults::armFault()
{
    const FaultWish wish = m_panel->wish();
    const bool isKill = wish.kind == FaultWish::Kind::Kill || wish.kind == FaultWish::Kind::KillAtStep;
    if (!isKill || mayKill(wish.first))
        m_panel->arm();
}

void WindowFaults::healSelection()
{
    if (const ObjectRef object = m_parts.selection.selected(); object.kind == ObjectKind::Fault)
        m_parts.commands.faults().healFault(object.a);
    else
        m_parts.commands.faults().heal(m_parts.process());
}

// Shows the palette beside the picture, with the selection as its target; when called again, returns to the picture.
void WindowFaults::showPalette()
{
    m_parts.workspaces.toggle(Workspace::Faults);
    if (m_parts.workspaces.now() != Workspace::Faults)
        return;
    if (const ProcessId process = m_parts.process())
        m_panel->aimAt({ process });
    m_panel->setFocus(Qt::OtherFocusReason);
}

} // namespace lhrs::gui
