// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/commands/cluster_commands.h"
#include "gui/window/commands/lhrs/cluster_audits.h"
#include "gui/window/commands/lhrs/cluster_file.h"
#include "gui/window/commands/lhrs/file_clients.h"
#include "gui/window/commands/lhrs/live_contents.h"

namespace lhrs::gui {

// What the window does to a file.
struct FileCommands : QObject {
    explicit FileCommands(ClusterCommands& cluster)
        : QObject(&cluster), file(cluster.context()), clients(cluster.context(), cluster.link(), cluster.clients()),
          audits(cluster.context(), cluster.link()), contents(cluster.session().control())
    {
    }
    ClusterFile file;
    FileClients clients;
    ClusterAudits audits;
    LiveContents contents;
};

} // namespace lhrs::gui
