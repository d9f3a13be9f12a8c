// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/operate/window_gate.h"

#include "gui/show/words/quantity_words.h"
#include "gui/window/panels/gate_panel.h"
#include "gui/window/operate/window_clock.h"
#include "gui/window/inspect/window_inspect.h"

#include <QMenu>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr const char* kAskedFor = "askedFor"; // property of an action whose command is under way

} // namespace

WindowGate::WindowGate(WindowParts& parts, const WindowInspect& inspect, WindowClock& clock)
    : WindowSubject(parts), m_inspect(inspect), m_clock(clock)
{
    Actions& a = m_parts.actions;
    a.add({ "holdWorkload", "Time", "Hold the workload", "W",
              "No client begins new operations, and those under way end; once more: clients go on", true },
        [this] { m_parts.commands.gate().holdWorkload(m_parts.actions.get("holdWorkload")->isChecked()); });
    a.add({ "gate", "Time", "Gate messages", "X",
              "Delivers no message and stops all protocol clocks; Alt+5 lets one message through; once more: all go "
              "on. Real processes must be started with a gate",
              true },
        [this] {
            // Until the answer arrives, the action shows the requested state; otherwise a second press would request
            // the same again.
            QAction* gate = m_parts.actions.get("gate");
            gate->setProperty(kAskedFor, gate->isChecked());
            m_parts.commands.gate().close(gate->isChecked());
        });
    connect(&m_parts.commands.report(), &CommandReport::answered, this, [this](const QString& line) {
        if (!line.startsWith(QLatin1String("lab.gate(")))
            return;
        m_parts.actions.get("gate")->setProperty(kAskedFor, QVariant());
        update();
        m_parts.updateSoon();
    });
    a.add({ "heldMessages", "View", "Held messages", "Shift+X",
              "The messages that the closed gates hold, beside the picture: each may be let through or lost", true },
        [this] { showHeld(); });
    a.add({ "releaseHere", "Time", "Let a held message through", "Alt+7",
              "The chosen message of the list of held messages is delivered, or else the oldest one of the selected "
              "process, which takes one step" },
        [this] { releaseChosen(false); });
    a.add({ "dropHere", "Time", "Lose a held message", "Alt+8",
              "The chosen message of the list of held messages is lost, or else the oldest one that the selected "
              "process holds" },
        [this] { releaseChosen(true); });
    a.enable({ "holdWorkload", "gate", "releaseHere", "dropHere", "heldMessages" }, false);
}

void WindowGate::build()
{
    m_panel = new GatePanel(m_parts.pacer, m_parts.commands, m_parts.selection, m_parts.actions, &m_parts.window);
    m_parts.workspaces.addDock("gateDock", tr("Held messages"), m_panel);
    m_parts.clock.add(m_panel, m_panel);
}

void WindowGate::applyTheme() { m_panel->setTheme(m_parts.theme); }

std::pair<const QWidget*, std::string_view> WindowGate::explained() const { return { m_panel, "gate" }; }

QString WindowGate::lineOf(const QString& action) const
{
    const bool isDropped = action == QLatin1String("dropHere");
    const auto held = isDropped || action == QLatin1String("releaseHere") ? m_panel->chosen() : std::nullopt;
    return held ? m_parts.commands.gate().lineOf(*held, isDropped) : QString();
}

// The process whose messages are released one by one: the selected one, or else the inspected one; 0: none that is
// running.
ProcessId WindowGate::gatedProcess() const
{
    const ProcessId selected = m_parts.process(), process = selected != 0 ? selected : m_inspect.chosen();
    const auto known = m_parts.pacer.state().processes.find(process);
    return known != m_parts.pacer.state().processes.end() && !known->second.hasEnded ? process : 0;
}

// Shows the list beside the picture; when called again, returns to the picture.
void WindowGate::showHeld()
{
    m_parts.workspaces.toggle(Workspace::Gate);
    if (m_parts.workspaces.now() == Workspace::Gate)
        m_panel->setFocus(Qt::OtherFocusReason);
}

void WindowGate::releaseChosen(bool isDropped)
{
    m_clock.noteStep();
    if (const auto one = m_panel->chosen())
        m_parts.commands.gate().release(*one, isDropped);
    else
        m_parts.commands.gate().releaseOldest(gatedProcess(), isDropped);
}

// Adds each message that the gate of the process holds to the menu of an object that represents the process.
void WindowGate::offerHeld(QMenu& menu)
{
    constexpr int kOffered = 12;
    update();
    for (const bool isDropped : { false, true }) {
        QMenu* which = menu.addMenu(isDropped ? tr("Lose") : tr("Let through"));
        which->setObjectName(isDropped ? QStringLiteral("dropMenu") : QStringLiteral("releaseMenu"));
        for (const HeldAt& one : m_parts.commands.gate().held()) {
            if (one.process != gatedProcess() || which->actions().size() >= kOffered)
                continue;
            const QAction* chosen = which->addAction(heldWords(m_parts.pacer.state(), one.message));
            connect(chosen, &QAction::triggered, this,
                [this, one, isDropped] { m_parts.commands.gate().release(one, isDropped); });
            connect(chosen, &QAction::hovered, this,
                [this, one, isDropped] { m_parts.line.preview(m_parts.commands.gate().lineOf(one, isDropped)); });
        }
        which->setEnabled(!which->isEmpty());
    }
    menu.addAction(m_parts.actions.get("heldMessages"));
    menu.addSeparator();
}

void WindowGate::update()
{
    const bool isRunning = !m_parts.timeLine.isReplay() && m_parts.isGoing();
    const auto follow = [this](const char* id, bool isEnabled, bool isChecked) {
        QAction* action = m_parts.actions.get(id);
        action->setEnabled(isEnabled);
        action->setChecked(isChecked);
    };
    follow("holdWorkload", isRunning, isRunning && m_parts.commands.session().control().isWorkloadHeld());
    const bool isGated = isRunning && m_parts.commands.session().control().isGated();
    const QVariant askedFor = m_parts.actions.get("gate")->property(kAskedFor);
    follow("gate", isRunning, isRunning && (askedFor.isValid() ? askedFor.toBool() : isGated));
    if (isGated)
        m_parts.commands.gate().ask();
    m_panel->setRecorded(m_parts.timeLine.isReplay());
    const bool isHolding = isGated && (gatedProcess() != 0 || m_panel->chosen());
    follow("releaseHere", isHolding, false);
    follow("dropHere", isHolding, false);
    follow("heldMessages", m_parts.workspaces.showsWork(),
        m_parts.workspaces.now() == Workspace::Gate && m_parts.workspaces.showsWork());
    if (const std::string trouble = m_parts.commands.session().control().takeGateTrouble(); !trouble.empty())
        m_parts.line.answer(QStringLiteral("lab.gate(true);"), QString::fromStdString(trouble), false);
}

// Adds each hold to the status line with its own words, icon and colour, while it lasts.
void WindowGate::addStatus(std::vector<StatusPart>& parts) const
{
    const ClusterState& state = m_parts.pacer.state();
    if (!m_parts.timeLine.isReplay() && m_parts.timeLine.mode() == TimeLine::Mode::Paused
        && m_parts.commands.link().state() != LinkState::None) {
        const QString behind = durationWords(m_parts.timeLine.endNs() - m_parts.timeLine.cursorNs());
        parts.push_back({ Glyph::Pause, m_parts.theme.selection,
            { tr("VIEW FROZEN: %1, %2 behind; the cluster goes on")
                    .arg(behind, countedWords(m_parts.timeLine.behind(), "event", "events")),
                tr("VIEW FROZEN, %1 behind").arg(behind), tr("VIEW FROZEN") },
            9, true });
    }
    const auto held = std::count_if(state.clients.begin(), state.clients.end(), [&](const auto& client) {
        const auto process = state.processes.find(client.first);
        return client.second.isHeld && process != state.processes.end() && !process->second.hasEnded;
    });
    if (held > 0 || (!m_parts.timeLine.isReplay() && m_parts.commands.session().control().isWorkloadHeld())) {
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
            { tr("MESSAGES GATED: %1 held, the clocks of %2 stand still")
                    .arg(countedWords(waiting, "message", "messages"), countedWords(gated, "process", "processes")),
                tr("MESSAGES GATED: %1 held").arg(waiting), tr("MESSAGES GATED: %1").arg(waiting) },
            9, true, "heldMessages" });
    const auto simulation = m_parts.commands.session().control().simulation();
    if (!m_parts.timeLine.isReplay() && simulation && simulation->is_paused() && !simulation->is_over())
        parts.push_back({ Glyph::Pause, m_parts.theme.good,
            { tr("VIRTUAL TIME STANDS STILL: nothing happens until it goes on"), tr("VIRTUAL TIME STANDS STILL") }, 9,
            true });
}

} // namespace lhrs::gui
