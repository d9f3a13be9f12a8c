// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/operate/window_detail.h"

namespace lhrs::gui {

WindowDetail::WindowDetail(WindowParts& parts) : WindowSubject(parts)
{
    Actions& a = m_parts.actions;
    const auto detail = [this](
                            pb::Detail level) { return [this, level] { m_parts.commands.link().setDetail(level); }; };
    a.add({ "detailFull", "Cluster", "Events: everything", "Ctrl+Alt+1",
              "Processes publish everything, messages included" },
        detail(pb::FULL));
    a.add({ "detailOperations", "Cluster", "Events: without messages", "Ctrl+Alt+2",
              "Processes publish operations and structure; messages are not observed" },
        detail(pb::OPERATIONS));
    a.add({ "detailSampled", "Cluster", "Events: 1 operation in 100", "Ctrl+Alt+3",
              "Processes publish everything of one operation in a hundred" },
        detail(pb::SAMPLED));
    a.add({ "detailRecords", "Cluster", "Events: changes in lists", "Ctrl+Alt+5",
              "Processes publish structure, and which records change, many in one event; for a file at full speed" },
        detail(pb::RECORDS));
    a.add({ "detailCounts", "Cluster", "Events: sums only", "Ctrl+Alt+4",
              "Processes publish structure and sums; for measurements" },
        detail(pb::COUNTS));
}

void WindowDetail::enable()
{
    m_parts.actions.enable(
        { "detailFull", "detailOperations", "detailSampled", "detailRecords", "detailCounts" }, m_parts.isHere());
}

} // namespace lhrs::gui
