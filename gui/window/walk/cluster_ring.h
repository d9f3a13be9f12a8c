// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/window/commands/cluster_commands.h"

namespace lhrs::gui {

// Commands for the master of a ring.
class ClusterRing : public QObject {
public:
    explicit ClusterRing(ClusterCommands& cluster) : QObject(&cluster), m_context(cluster.context()) { }

    // 0: any process that waits outside.
    void join(ProcessId process);
    void leave(ProcessId process);

private:
    CommandContext m_context;
};

} // namespace lhrs::gui
