// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/window/commands/cluster_link.h"

#include <vector>

namespace lhrs::gui {

// A workload as the buttons define it.
struct Work {
    pb::OperationKind kind = pb::INSERT;
    std::uint64_t count = 100;
    std::uint32_t window = 1;
};

// Clients and their workloads.
class ClusterClients : public QObject {
    Q_OBJECT
public:
    ClusterClients(const CommandContext& context, const ClusterLink& link) : m_context(context), m_link(link) { }

    void start();
    // Updates and deletes use records that the client itself has stored; without any, they are refused with the
    // reason. A search uses keys of the file in that case.
    void run(ProcessId client, const Work& work);
    void stopWorkload(ProcessId client);

    // The scenario line of the workload.
    QString lineOf(ProcessId client, const Work& work, const std::vector<std::uint64_t>& keys = {}) const;
    QString name(ProcessId client) const;
    QString nextName() const;

signals:
    // A client that a person started is running.
    void started(ProcessId client);

private:
    // Keys of records that events have reported, drawn anew each time.
    std::vector<std::uint64_t> knownKeys(std::uint64_t count);
    void runOnKeys(ProcessId client, const Work& work, bool hasOwn);

    CommandContext m_context;
    const ClusterLink& m_link;
    std::uint64_t m_seed = 0;
};

} // namespace lhrs::gui
