// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/cluster_commands.h"

namespace lhrs::gui {

namespace {

// Added to the nice value of the cluster's processes: at full speed they use all processors of a small machine, and
// the window would stand still. They yield to the window, and otherwise run at full speed.
constexpr int kCourtesy = 10;

} // namespace

ClusterCommands::ClusterCommands(QObject* parent)
    : QObject(parent), m_session(std::make_unique<Session>(kCourtesy)), m_worker(std::make_unique<CommandWorker>()),
      m_report(m_session->control(), *m_worker), m_context { m_session->control(), m_session->ingest(),
          m_session->local(), *m_worker, m_report },
      m_link(m_context), m_clients(m_context, m_link), m_faults(m_context), m_gate(m_context),
      m_clock(m_context, m_gate)
{
    connect(&m_link, &ClusterLink::clusterChanged, &m_faults, &ClusterFaults::forget);
}

ClusterCommands::~ClusterCommands()
{
    m_worker.reset();
    m_session.reset(); // its threads call back into these objects
}

} // namespace lhrs::gui
