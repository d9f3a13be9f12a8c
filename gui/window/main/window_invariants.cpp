// SPDX-License-Identifier: GPL-3.0-or-later
// The window's invariants: the panel, the part of the status line, and the jump to a violation.
#include "gui/window/main/main_window.h"

#include "gui/view/cluster/object_words.h"
#include "gui/window/panels/invariant_panel.h"

#include <QDockWidget>

namespace lhrs::gui {

void MainWindow::makeInvariantActions()
{
    m_actions->add(
        { "invariants", "View", "Invariants", "Ctrl+6",
            "The invariants of the file beside the picture: which hold, which were not checked, which were violated",
            true },
        [this] { setWorkspace(m_workspace == Workspace::Invariants ? Workspace::Lecture : Workspace::Invariants); });
    m_actions->add({ "auditAll", "Cluster", "Check all groups", "Ctrl+Alt+V",
                       "Checks the parity, the key lists and the places of all keys, group after group" },
        [this] { m_commands->auditAll(); });
    m_actions->add(
        { "keepChecking", "Cluster", "Keep checking", "Ctrl+Alt+W",
            "Checks one group each second while the file is at rest; it costs the servers a little of their time",
            true },
        [this] { m_commands->keepChecking(m_actions->get("keepChecking")->isChecked()); });
}

void MainWindow::makeInvariantDock()
{
    m_invariants = new InvariantPanel(
        m_pacer, [this] { return m_timeLine.beginNs(); }, *m_actions, this);
    m_invariantDock = makeDock(QStringLiteral("invariantDock"), tr("Invariants"), m_invariants);
}

void MainWindow::connectInvariants()
{
    m_clock->add(m_invariants, m_invariants);
    connect(&m_invariants->list(), &InvariantList::invariantChosen, this, &MainWindow::showInvariant);
    connect(m_status, &StatusStrip::actionWanted, this,
        [this](const QString& action) { m_actions->get(action.toLatin1().constData())->trigger(); });
}

// Goes to the instant at which the invariant was violated first.
void MainWindow::showInvariant(int number)
{
    const ClusterState& state = m_pacer.state();
    const InvariantShown invariant = invariantFrom(state, number, m_timeLine.beginNs());
    if (invariant.state != InvariantState::Violated)
        return; // the row shows its state
    const InvariantViolation first = state.invariants.invariant(number).first;
    m_timeLine.seekTime(first.runNs);
    if (Recording* past = m_timeLine.recording(); past != nullptr && first.sequence != 0)
        if (const std::uint64_t event = past->eventNumbered(first.process, first.sequence); event != 0)
            m_timeLine.seek(event);
    m_line->answer(QString::fromStdString(invariantName(number)), InvariantModel::sentenceOf(invariant), false);
}

StatusPart MainWindow::invariantPart() const
{
    const ClusterState& state = m_pacer.state();
    const std::vector<InvariantShown> invariants = state.invariants.all(state);
    const auto count = [&invariants](InvariantState wanted) {
        return int(std::count_if(invariants.begin(), invariants.end(),
            [wanted](const InvariantShown& invariant) { return invariant.state == wanted; }));
    };
    const int red = count(InvariantState::Violated), green = count(InvariantState::Holds);
    const InvariantMark mark = invariantMark(red > 0 ? InvariantState::Violated
            : green > 0                              ? InvariantState::Holds
                                                     : InvariantState::NotChecked,
        m_theme);
    return { mark.glyph, mark.colour,
        { tr("invariants: %1").arg(QString::fromStdString(invariantSummary(invariants))),
            red > 0 ? tr("%1 violated").arg(red) : tr("%1 invariants hold").arg(green) },
        red > 0 ? 9 : 5, red > 0, "invariants" };
}

} // namespace lhrs::gui
