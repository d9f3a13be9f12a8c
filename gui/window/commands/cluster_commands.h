// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/session.h"
#include "gui/window/commands/cluster_audits.h"
#include "gui/window/commands/cluster_clients.h"
#include "gui/window/commands/cluster_clock.h"
#include "gui/window/commands/cluster_faults.h"
#include "gui/window/commands/cluster_file.h"
#include "gui/window/commands/cluster_gate.h"
#include "gui/window/commands/cluster_link.h"
#include "gui/window/commands/cluster_ring.h"
#include "gui/window/commands/live_contents.h"

#include <memory>

namespace lhrs::gui {

// What the window does to a cluster, by subject. Nothing here waits in the GUI thread: slow work runs in the worker or
// in the control thread.
class ClusterCommands : public QObject {
public:
    explicit ClusterCommands(QObject* parent = nullptr);
    ~ClusterCommands() override;

    Session& session() { return *m_session; }
    CommandReport& report() { return m_report; }
    ClusterLink& link() { return m_link; }
    ClusterClients& clients() { return m_clients; }
    ClusterFile& file() { return m_file; }
    ClusterRing& ring() { return m_ring; }
    ClusterFaults& faults() { return m_faults; }
    ClusterGate& gate() { return m_gate; }
    ClusterClock& clock() { return m_clock; }
    ClusterAudits& audits() { return m_audits; }
    LiveContents& contents() { return m_contents; }

private:
    std::unique_ptr<Session> m_session;
    std::unique_ptr<CommandWorker> m_worker;
    CommandReport m_report;
    const CommandContext m_context;
    ClusterLink m_link;
    ClusterClients m_clients;
    ClusterFile m_file;
    ClusterRing m_ring;
    ClusterFaults m_faults;
    ClusterGate m_gate;
    ClusterClock m_clock;
    ClusterAudits m_audits;
    LiveContents m_contents;
};

} // namespace lhrs::gui
