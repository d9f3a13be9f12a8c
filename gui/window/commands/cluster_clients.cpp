// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/cluster_clients.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/systems/view_systems.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::chrono::seconds kWorkload { 3'600 };
constexpr std::uint64_t kListedMax = 200; // keys of one command: the scenario line must stay readable

QString workloadWords(const SystemWords& system, const pb::WorkloadResult& r)
{
    // Fewer operations than requested: the workload was stopped, or there were no more records.
    const bool isShort = !r.is_running() && r.operations() < r.of();
    QStringList words { isShort
            ? QStringLiteral("%1 of %2").arg(grouped(r.operations()), countedWords(r.of(), "operation", "operations"))
            : countedWords(r.operations(), "operation", "operations") };
    // "done: 100": the codes as words.
    for (const auto& [name, count] : r.results()) {
        pb::ResultCode code = pb::RESULT_UNKNOWN;
        if (count > 0 && pb::ResultCode_Parse(name, &code))
            words << QStringLiteral("%1 %2").arg(grouped(count), text(resultWord(code)));
    }
    if (r.unanswered() > 0)
        words << QStringLiteral("%1 unanswered").arg(grouped(r.unanswered()));
    if (r.wrong() + r.missing() > 0)
        words << QStringLiteral("%1 wrong or missing").arg(grouped(r.wrong() + r.missing()));
    words << countedWords(r.forwards(), "forward", "forwards") << system.workWords(r);
    words << QStringLiteral("%1 in all").arg(durationWords(r.total_ns()));
    if (r.operations() > 0)
        words << QStringLiteral("%1 each").arg(durationWords(r.total_ns() / std::int64_t(r.operations())));
    return words.join(QStringLiteral(", "));
}

} // namespace

QString ClusterClients::name(ProcessId client) const { return text(processShown(client, m_context.ingest.state())); }

QString ClusterClients::nextName() const
{
    const ClusterState now = m_context.ingest.state();
    const auto isTaken = [&](const std::string& name) {
        return std::any_of(
            now.processes.begin(), now.processes.end(), [&](const auto& p) { return p.second.name == name; });
    };
    for (std::uint32_t number = 0;; ++number) {
        if (const QString name = clientNameOf(number); !isTaken(name.toStdString()))
            return name;
    }
}

QString ClusterClients::lineOf(ProcessId client, const Work& work, const std::vector<std::uint64_t>& keys) const
{
    QString options = work.window > 1 ? QStringLiteral(", window: %1").arg(work.window) : QString();
    QStringList listed;
    for (const std::uint64_t key : keys)
        listed << QString::number(key);
    if (!keys.empty())
        options += QStringLiteral(", keys: [%1]").arg(listed.join(QStringLiteral(", ")));
    return QStringLiteral("lab.client('%1').run({ do: '%2', count: %3%4 });")
        .arg(name(client), text(operationWord(work.kind)))
        .arg(work.count)
        .arg(options);
}

void ClusterClients::start()
{
    const QString name = nextName();
    m_context.report.work(QStringLiteral("lab.client('%1');").arg(name), [this, name](const std::stop_token& stop) {
        const auto started = m_context.local.startClient(name.toStdString(), stop);
        if (!started)
            return CommandOutcome { text(started.error().text), false };
        return CommandOutcome { tr("client %1 runs as process %2").arg(name).arg(started->pid()), true,
            [this, id = started->node()] { emit this->started(id); } };
    });
}

void ClusterClients::run(ProcessId client, const Work& work)
{
    if (work.kind == pb::INSERT) {
        runOnKeys(client, work, true);
        return;
    }
    // Only the client knows which records it has stored. A client that does not answer this will not answer the command
    // either, which reports that.
    pb::Command command;
    command.mutable_describe_client();
    m_context.control.call(client, std::move(command), kAnswer, [this, client, work](const Answer& answer) {
        const bool hasOwn = !answer || answer.reply.client().keys_known() > 0;
        QMetaObject::invokeMethod(
            this, [this, client, work, hasOwn] { runOnKeys(client, work, hasOwn); }, Qt::QueuedConnection);
    });
}

std::vector<std::uint64_t> ClusterClients::knownKeys(std::uint64_t count)
{
    const ClusterState state = m_context.ingest.state();
    return wordsOf(state).keysKnown(state, count, ++m_seed);
}

void ClusterClients::runOnKeys(ProcessId client, const Work& work, bool hasOwn)
{
    const std::vector<std::uint64_t> keys = hasOwn || work.kind != pb::SEARCH
        ? std::vector<std::uint64_t>()
        : knownKeys(std::min(work.count, kListedMax));
    const QString line = lineOf(client, work, keys);
    if (!hasOwn && keys.empty()) {
        const QString why = work.kind == pb::SEARCH
            ? tr("%1 has stored no record, and no key is known here: insert some first")
            : tr("%1 has stored no record itself: let it insert some first, or choose the client that did");
        m_context.report.tell(line, { why.arg(name(client)), false });
        return;
    }
    pb::Command command;
    pb::RunWorkload& run = *command.mutable_run_workload();
    run.set_kind(work.kind);
    run.set_count(work.count);
    run.set_keys(work.kind == pb::INSERT ? pb::NEXT : keys.empty() ? pb::PRESENT : pb::LISTED);
    run.mutable_key_list()->Add(keys.begin(), keys.end());
    run.set_seed(++m_seed);
    run.set_length(m_link.recordBytes());
    run.set_window(work.window);
    m_context.report.ask(line, client, std::move(command), kWorkload,
        [&system = wordsOf(m_context.ingest.state())](
            const pb::CommandReply& reply) { return workloadWords(system, reply.workload()); });
}

void ClusterClients::stopWorkload(ProcessId client)
{
    pb::Command command;
    command.mutable_stop_workload();
    m_context.report.ask(QStringLiteral("handle.stop();"), client, std::move(command), kAnswer,
        [&system = wordsOf(m_context.ingest.state())](const pb::CommandReply& reply) {
            return reply.has_workload()
                ? QStringLiteral("stopped after %1").arg(workloadWords(system, reply.workload()))
                : QStringLiteral("stopped");
        });
}

} // namespace lhrs::gui
