// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/walk/cluster_ring.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/show/words/quantity_words.h"

namespace lhrs::gui {

namespace {

QString targetWords(const ClusterState& state, ProcessId process)
{
    return QStringLiteral("lab.process('%1')").arg(QString::fromStdString(processShown(process, state)));
}

QString outcomeWords(const pb::RingChangeResult& result, const char* done, const ClusterState& state)
{
    const QString name = QString::fromStdString(processShown(result.node().node(), state));
    if (!result.undone().empty())
        return QStringLiteral("undone: %1").arg(QString::fromStdString(result.undone()));
    return QStringLiteral("%1 %2: %3 moved").arg(name, QLatin1String(done), countedWords(result.keys(), "key", "keys"));
}

} // namespace

void ClusterRing::join(ProcessId process)
{
    pb::Command command;
    command.mutable_walk()->mutable_join_ring()->set_node(process);
    const QString line = process == 0
        ? QStringLiteral("lab.join();")
        : QStringLiteral("lab.join({ node: %1 });").arg(targetWords(m_context.ingest.state(), process));
    m_context.report.askCoordinator(line, std::move(command), kStructure, [this](const pb::CommandReply& reply) {
        return outcomeWords(reply.walk().change(), "is in the ring", m_context.ingest.state());
    });
}

void ClusterRing::leave(ProcessId process)
{
    pb::Command command;
    command.mutable_walk()->mutable_leave_ring()->set_node(process);
    m_context.report.askCoordinator(
        QStringLiteral("lab.leave(%1);").arg(targetWords(m_context.ingest.state(), process)), std::move(command),
        kStructure, [this](const pb::CommandReply& reply) {
            return outcomeWords(reply.walk().change(), "has left the ring", m_context.ingest.state());
        });
}

} // namespace lhrs::gui
