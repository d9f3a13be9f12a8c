// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/window_invariants.h"

#include "gui/window/lhrs/invariant_panel.h"

#include <algorithm>

namespace lhrs::gui {

WindowInvariants::WindowInvariants(WindowParts& parts, FileParts& file) : WindowSubject(parts), m_file(file)
{
    Actions& a = m_parts.actions;
    a.add({ "invariants", "View", "Invariants", "Ctrl+6",
              "The invariants of the file beside the picture: which hold, which were not checked, which were violated",
              true },
        [this] { m_parts.workspaces.toggle(Workspace::Invariants); });
    a.add({ "auditAll", "Cluster", "Check all groups", "Ctrl+Alt+V",
              "Checks the parity, the key lists and the places of all keys, group by group" },
        [this] { m_file.audits.auditAll(); });
    a.add({ "keepChecking", "Cluster", "Keep checking", "Ctrl+Alt+W",
              "Checks one group each second while the file is at rest; it costs the servers a little of their time",
              true },
        [this] { m_file.audits.keepChecking(m_parts.actions.get("keepChecking")->isChecked()); });
}

void WindowInvariants::build()
{
    m_panel = new InvariantPanel(
        m_parts.pacer, [this] { return m_parts.timeLine.beginNs(); }, m_parts.actions, &m_parts.window);
    m_parts.workspaces.addDock(fileDock("invariantDock", Workspace::Invariants), tr("Invariants"), m_panel);
    m_parts.clock.add(m_panel, m_panel);
    connect(&m_panel->list(), &InvariantList::invariantChosen, this, &WindowInvariants::show);
}

void WindowInvariants::enable()
{
    const ClusterState& state = m_parts.pacer.state();
    m_parts.actions.enable({ "invariants" }, state.isOfLhrs());
    m_parts.actions.enable({ "auditAll", "keepChecking" }, m_parts.isHere() && state.file.exists);
}

void WindowInvariants::applyTheme() { m_panel->setTheme(m_parts.theme); }

std::pair<const QWidget*, std::string_view> WindowInvariants::explained() const { return { m_panel, "invariant" }; }

// Goes to the instant at which the invariant was violated first.
void WindowInvariants::show(int number)
{
    const ClusterState& state = m_parts.pacer.state();
    const InvariantShown invariant = invariantFrom(state, number, m_parts.timeLine.beginNs());
    if (invariant.state != InvariantState::Violated)
        return; // the row shows its state
    const InvariantViolation first = state.invariants.invariant(number).first;
    m_parts.timeLine.seekTime(first.runNs);
    if (Recording* past = m_parts.timeLine.recording(); past != nullptr && first.sequence != 0)
        if (const std::uint64_t event = past->eventNumbered(first.process, first.sequence); event != 0)
            m_parts.timeLine.seek(event);
    m_parts.line.answer(QString::fromStdString(invariantName(number)), InvariantModel::sentenceOf(invariant), false);
}

void WindowInvariants::addStatus(std::vector<StatusPart>& parts) const
{
    const ClusterState& state = m_parts.pacer.state();
    if (!m_parts.workspaces.showsWork() || !state.isOfLhrs())
        return;
    const std::vector<InvariantShown> invariants = state.invariants.all(state);
    const auto count = [&invariants](InvariantState wanted) {
        return int(std::count_if(invariants.begin(), invariants.end(),
            [wanted](const InvariantShown& invariant) { return invariant.state == wanted; }));
    };
    const int red = count(InvariantState::Violated), green = count(InvariantState::Holds);
    const InvariantMark mark = invariantMark(red > 0 ? InvariantState::Violated
            : green > 0                              ? InvariantState::Holds
                                                     : InvariantState::NotChecked,
        m_parts.theme);
    parts.push_back({ mark.glyph, mark.colour,
        { tr("invariants: %1").arg(QString::fromStdString(invariantSummary(invariants))),
            red > 0 ? tr("%1 violated").arg(red) : tr("%1 invariants hold").arg(green) },
        red > 0 ? 9 : 5, red > 0, "invariants" });
}

} // namespace lhrs::gui
