// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/window_repair.h"

namespace lhrs::gui {

WindowRepair::WindowRepair(WindowParts& parts, FileParts& file) : WindowSubject(parts), m_file(file)
{
    Actions& a = m_parts.actions;
    a.add({ "recover", "Faults", "Look after the group", "Ctrl+Alt+G",
              "The coordinator asks all members of the selected group (or group 0), and recovers those that do not "
              "answer" },
        [this] { m_file.file.recover(m_file.group()); });
    a.add({ "acknowledgeLoss", "Faults", "Acknowledge the loss", "Ctrl+Alt+T",
              "The lost buckets of the selected group (or group 0) come back empty; their processes must have ended" },
        [this] { m_file.file.acknowledgeLoss(m_file.group()); });
}

void WindowRepair::enable()
{
    const ClusterState& state = m_parts.pacer.state();
    const bool isHere = m_parts.isHere();
    const auto group = state.groups.find(m_file.group());
    const bool isLost = group != state.groups.end() && group->second.state == pb::GROUP_LOST;
    m_parts.actions.enable({ "recover" }, isHere && state.file.exists && !isLost);
    m_parts.actions.enable({ "acknowledgeLoss" }, isHere && isLost);
}

QString WindowRepair::lineOf(const QString& action) const
{
    if (action == QLatin1String("recover"))
        return QStringLiteral("lab.recover({ group: %1, wait: false });").arg(m_file.group());
    return action == QLatin1String("acknowledgeLoss") ? QStringLiteral("lab.acknowledgeLoss(%1);").arg(m_file.group())
                                                      : QString();
}

} // namespace lhrs::gui
