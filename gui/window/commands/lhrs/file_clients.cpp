// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/lhrs/file_clients.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/show/words/quantity_words.h"

namespace lhrs::gui {

void FileClients::search(ProcessId client, std::uint64_t key)
{
    pb::Command command;
    command.mutable_operate()->set_kind(pb::SEARCH);
    command.mutable_operate()->set_key(key);
    m_context.report.ask(QStringLiteral("lab.client('%1').search(%2);").arg(m_clients.name(client)).arg(key), client,
        std::move(command), kStructure, [](const pb::CommandReply& reply) {
            const pb::OperationResult& result = reply.operation();
            const QString way = result.path() == pb::RECORD_RECOVERY ? QStringLiteral(", computed from parity")
                : result.path() == pb::BY_COORDINATOR                ? QStringLiteral(", by the coordinator")
                                                                     : QString();
            return QStringLiteral("%1 in bucket %2%3, %4, %5")
                .arg(text(resultWord(result.result())))
                .arg(result.bucket())
                .arg(way)
                .arg(countedWords(result.forwards(), "forward", "forwards"),
                    result.image_adjusted() ? QStringLiteral("image adjusted") : QStringLiteral("image as it was"));
        });
}

void FileClients::insert(ProcessId client, std::uint64_t key)
{
    pb::Command command;
    command.mutable_operate()->set_kind(pb::INSERT);
    command.mutable_operate()->set_key(key);
    command.mutable_operate()->set_generate_value(true);
    command.mutable_operate()->set_length(m_link.recordBytes());
    m_context.report.ask(QStringLiteral("lab.client('%1').insert(%2);").arg(m_clients.name(client)).arg(key), client,
        std::move(command), kStructure, [](const pb::CommandReply& reply) {
            const pb::OperationResult& result = reply.operation();
            return QStringLiteral("%1 in bucket %2").arg(text(resultWord(result.result()))).arg(result.bucket());
        });
}

void FileClients::setImage(ProcessId client, pb::ImageMode mode)
{
    pb::Command command;
    command.mutable_set_image()->set_mode(mode);
    const QString word = mode == pb::FROZEN ? QStringLiteral("frozen")
        : mode == pb::EXACT                 ? QStringLiteral("exact")
                                            : QStringLiteral("adjusting");
    m_context.report.ask(QStringLiteral("lab.client('%1', { image: '%2' });").arg(m_clients.name(client), word), client,
        std::move(command), kAnswer,
        [word](const pb::CommandReply&) { return QStringLiteral("its image is %1 from now on").arg(word); });
    m_context.ingest.refresh({ client });
}

void FileClients::forgetImage(ProcessId client)
{
    pb::Command command;
    const ClusterState now = m_context.ingest.state();
    command.mutable_set_image()->set_mode(now.fileClient(client).mode);
    command.mutable_set_image()->set_forget(true);
    m_context.report.ask(QStringLiteral("lab.client('%1').forget();").arg(m_clients.name(client)), client,
        std::move(command), kAnswer, [this, client](const pb::CommandReply&) {
            m_context.ingest.refresh({ client });
            return QStringLiteral("it knows only bucket 0");
        });
}

} // namespace lhrs::gui
