// SPDX-License-Identifier: GPL-3.0-or-later
// The window's lamps: the panel, the part of the status line, and the jump to a violation.
#include "gui/window/main/main_window.h"

#include "gui/view/cluster/object_words.h"
#include "gui/window/panels/lamp_panel.h"

#include <QDockWidget>

namespace lhrs::gui {

void MainWindow::makeLampActions()
{
    m_actions->add({ "lamps", "View", "Lamps", "Ctrl+6", "The invariants of the file beside the picture: which hold, which were not checked, which were violated", true },
        [this] { setWorkspace(m_workspace == Workspace::Lamps ? Workspace::Lecture : Workspace::Lamps); });
    m_actions->add({ "auditAll", "Cluster", "Check all groups", "Ctrl+Alt+V", "Checks the parity, the key lists and the places of all keys, group after group" }, [this] { m_operator->auditAll(); });
    m_actions->add({ "keepChecking", "Cluster", "Keep checking", "Ctrl+Alt+W", "Checks one group each second while the file is at rest; it costs the servers a little of their time", true },
        [this] { m_operator->keepChecking(m_actions->get("keepChecking")->isChecked()); });
}

void MainWindow::makeLampDock()
{
    m_lamps = new LampPanel(m_pacer, [this] { return m_timeLine.beginNs(); }, *m_actions, this);
    m_lampDock = makeDock(QStringLiteral("lampDock"), tr("Lamps"), m_lamps);
}

void MainWindow::connectLamps()
{
    m_clock->add(m_lamps, m_lamps);
    connect(&m_lamps->list(), &LampList::lampChosen, this, &MainWindow::showLamp);
    connect(m_status, &StatusStrip::actionWanted, this, [this](const QString& action) { m_actions->get(action.toLatin1().constData())->trigger(); });
}

// Goes to the instant at which the lamp turned red.
void MainWindow::showLamp(int invariant)
{
    const ClusterState& state = m_pacer.state();
    const LampShown lamp = lampFrom(state, invariant, m_timeLine.beginNs());
    if (lamp.state != LampState::Violated)
        return; // the row shows its state
    const LampViolation first = state.lamps.lamp(invariant).first;
    m_timeLine.seekTime(first.runNs);
    if (Recording* past = m_timeLine.recording(); past != nullptr && first.sequence != 0)
        if (const std::uint64_t event = past->eventNumbered(first.process, first.sequence); event != 0)
            m_timeLine.seek(event);
    m_line->answer(QString::fromStdString(lampName(invariant)), LampModel::sentenceOf(lamp), false);
}

StatusPart MainWindow::lampPart() const
{
    const ClusterState& state = m_pacer.state();
    const std::vector<LampShown> lamps = state.lamps.all(state);
    const auto count = [&lamps](LampState wanted) { return int(std::count_if(lamps.begin(), lamps.end(), [wanted](const LampShown& lamp) { return lamp.state == wanted; })); };
    const int red = count(LampState::Violated), green = count(LampState::Holds);
    const LampMark mark = lampMark(red > 0 ? LampState::Violated : green > 0 ? LampState::Holds : LampState::NotChecked, m_theme);
    return { mark.glyph, mark.colour, { tr("lamps: %1").arg(QString::fromStdString(lampSummary(lamps))), red > 0 ? tr("%1 violated").arg(red) : tr("%1 lamps hold").arg(green) },
        red > 0 ? 9 : 5, red > 0, "lamps" };
}

} // namespace lhrs::gui
