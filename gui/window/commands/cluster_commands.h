// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/session.h"
#include "gui/window/commands/cluster_clients.h"
#include "gui/window/commands/cluster_clock.h"
#include "gui/window/commands/cluster_faults.h"
#include "gui/window/commands/cluster_gate.h"
#include "gui/window/commands/cluster_link.h"

#include <memory>

namespace lhrs::gui {

// What the window does to a cluster, by subject. Nothing here waits in the GUI thread: slow work runs in the worker or
// in the control thread. The commands of one system are children of this object, so that they outlive those threads.
class ClusterCommands : public QObject {
public:
    explicit ClusterCommands(QObject* parent = nullptr);
    ~ClusterCommands() override;

    Session& session() { return *m_session; }
    CommandReport& report() { return m_report; }
    ClusterLink& link() { return m_link; }
    ClusterClients& clients() { return m_clients; }
    ClusterFaults& faults() { return m_faults; }
    ClusterGate& gate() { return m_gate; }
    ClusterClock& clock() { return m_clock; }
    const CommandContext& context() const { return m_context; }

private:
    std::unique_ptr<Session> m_session;
    std::unique_ptr<CommandWorker> m_worker;
    CommandReport m_report;
    const CommandContext m_context;
    ClusterLink m_link;
    ClusterClients m_clients;
    ClusterFaults m_faults;
    ClusterGate m_gate;
    ClusterClock m_clock;
};

} // namespace lhrs::gui
