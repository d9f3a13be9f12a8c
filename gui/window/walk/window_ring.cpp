// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/walk/window_ring.h"

#include <QMenu>

#include <algorithm>

namespace lhrs::gui {

WindowRing::WindowRing(WindowParts& parts) : WindowSubject(parts), m_ring(*new ClusterRing(parts.commands))
{
    Actions& a = m_parts.actions;
    a.add({ "joinRing", "Cluster", "Let a node join the ring", "Ctrl+Alt+J",
              "The selected process that waits outside, or any such process, joins the ring; its successor gives it a "
              "part of its keys" },
        [this] { m_ring.join(isOutside(m_parts.process()) ? m_parts.process() : 0); });
    a.add({ "leaveRing", "Cluster", "Let the node leave the ring", "Ctrl+Alt+O",
              "The selected node gives its keys to its successor and waits outside" },
        [this] { m_ring.leave(m_parts.process()); });
    a.enable({ "joinRing", "leaveRing" }, false);
}

bool WindowRing::isOutside(ProcessId process) const
{
    const auto known = m_parts.pacer.state().processes.find(process);
    return known != m_parts.pacer.state().processes.end() && known->second.kind == pb::NODE && !known->second.hasEnded
        && m_parts.pacer.state().ring.stateOf(process) == pb::WALK_SPARE;
}

void WindowRing::enable()
{
    const ClusterState& state = m_parts.pacer.state();
    const bool isHere = m_parts.isHere() && state.system == walk::kSystem;
    const auto& all = state.ring.nodes;
    m_parts.actions.enable({ "joinRing" },
        isHere && std::any_of(all.begin(), all.end(), [this](const auto& node) { return isOutside(node.first); }));
    m_parts.actions.enable({ "leaveRing" }, isHere && state.ring.stateOf(m_parts.process()) == pb::WALK_IN);
}

QString WindowRing::lineOf(const QString& action) const
{
    if (action == QLatin1String("joinRing"))
        return isOutside(m_parts.process()) ? QStringLiteral("lab.join({ node: %1 });").arg(m_parts.target())
                                            : QStringLiteral("lab.join();");
    return action == QLatin1String("leaveRing") ? QStringLiteral("lab.leave(%1);").arg(m_parts.target()) : QString();
}

void WindowRing::offer(QMenu& menu, ObjectRef object, MenuPlace place)
{
    const bool isKnown = !object || object.kind == ObjectKind::Node || object.kind == ObjectKind::Coordinator
        || object.kind == ObjectKind::File || object.kind == ObjectKind::Message;
    if (m_parts.pacer.state().system != walk::kSystem || place != MenuPlace::First || !isKnown)
        return;
    if (object.kind == ObjectKind::Node)
        connect(menu.addAction(tr("Show what it does")), &QAction::triggered, &m_parts.canvas,
            [this, object] { emit m_parts.canvas.inspectRequested(object); });
    m_parts.actions.offer(menu, { "joinRing", "leaveRing", "copyLine", nullptr });
}

} // namespace lhrs::gui
