// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/lhrs/cluster_file.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/show/words/quantity_words.h"

namespace lhrs::gui {

void ClusterFile::split()
{
    pb::Command command;
    command.mutable_force_split();
    m_context.report.askCoordinator(
        QStringLiteral("lab.split();"), std::move(command), kStructure, [](const pb::CommandReply& reply) {
            const pb::SplitResult& r = reply.split();
            return QStringLiteral("bucket %1 → %1 and %2, level %3, %4 moved, %5")
                .arg(r.bucket())
                .arg(r.new_bucket())
                .arg(r.level())
                .arg(countedWords(r.moved(), "record", "records"), durationWords(r.total_ns()));
        });
}

void ClusterFile::raiseAvailability()
{
    const std::uint32_t wanted = m_context.ingest.state().file.availability + 1;
    pb::Command command;
    command.mutable_raise_availability()->set_availability(wanted);
    m_context.report.askCoordinator(QStringLiteral("lab.raiseAvailability(%1);").arg(wanted), std::move(command),
        kStructure, [](const pb::CommandReply& reply) {
            return reply.availability().pending()
                ? QStringLiteral("K will be %1 when the split pointer is 0 again")
                      .arg(reply.availability().availability())
                : QStringLiteral("K = %1; groups take it over as the split pointer passes them")
                      .arg(reply.availability().availability());
        });
}

void ClusterFile::addParity(std::uint32_t group)
{
    pb::Command command;
    command.mutable_create_parity()->set_group(group);
    m_context.report.askCoordinator(QStringLiteral("lab.addParity(%1);").arg(group), std::move(command), kStructure,
        [](const pb::CommandReply& reply) {
            const pb::ParityResult& r = reply.parity();
            return QStringLiteral("group %1 has k = %2: parity bucket %1.%3 from %4 in %5")
                .arg(r.group())
                .arg(r.k())
                .arg(r.column())
                .arg(countedWords(r.records(), "record", "records"), durationWords(r.total_ns()));
        });
}

void ClusterFile::addSpares(std::uint32_t data, std::uint32_t parity)
{
    m_context.report.work(QStringLiteral("lab.addSpares({ data: %1, parity: %2 });").arg(data).arg(parity),
        [this, data, parity](const std::stop_token& stop) {
            Result<void> added = m_context.local.addServers(pb::DATA, data, stop);
            if (added)
                added = m_context.local.addServers(pb::PARITY, parity, stop);
            return outcomeOf(added, QObject::tr("%1 more data and %2 more parity servers").arg(data).arg(parity));
        });
}

void ClusterFile::recover(std::uint32_t group)
{
    pb::Command command;
    command.mutable_recover_group()->set_group(group);
    m_context.report.askCoordinator(QStringLiteral("lab.recover({ group: %1, wait: false });").arg(group),
        std::move(command), kAnswer, [](const pb::CommandReply&) {
            return QStringLiteral(
                "the coordinator asks all members of the group; those that do not answer are recovered");
        });
}

void ClusterFile::acknowledgeLoss(std::uint32_t group)
{
    pb::Command command;
    command.mutable_acknowledge_loss()->set_group(group);
    m_context.report.askCoordinator(QStringLiteral("lab.acknowledgeLoss(%1);").arg(group), std::move(command),
        kStructure, [](const pb::CommandReply&) { return QStringLiteral("the lost buckets are back, empty"); });
}

} // namespace lhrs::gui
