// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for clients and their workloads.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_clients.h"
#include "gui/lab/calls/lab_values.h"
#include "gui/lab/local/real_processes.h"
#include "gui/lab/words/process/process_words.h"

#include <QFileInfo>
#include <QJSEngine>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace lhrs::gui {

namespace {

// A workload that runs beside the script; shared with the callback that receives its result.
struct Running {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<Answer> answer; // guarded by mutex
    QString client;
    std::uint64_t messagesBefore = 0;
    bool hasRate = false, mayEndEarly = false;
};
using Workloads = std::map<std::uint32_t, std::shared_ptr<Running>>;

QString resultShown(pb::OperationKind kind, pb::ResultCode result)
{
    if (result == pb::OK) {
        switch (kind) {
        case pb::INSERT: return "inserted";
        case pb::UPDATE: return "updated";
        case pb::DELETE: return "deleted";
        case pb::SEARCH: return "found";
        case pb::OPERATION_UNKNOWN:
        case pb::OperationKind_INT_MIN_SENTINEL_DO_NOT_USE_:
        case pb::OperationKind_INT_MAX_SENTINEL_DO_NOT_USE_: break;
        }
    }
    return result == pb::EXISTS ? "duplicate" : QString::fromStdString(resultWord(result));
}

struct ClientCalls {
    LabContext& context;
    std::shared_ptr<Workloads> workloads = std::make_shared<Workloads>();

    LabResult<QJSValue> client(const Arguments& arguments) const
    {
        static const std::map<QString, pb::ImageMode> kModes { { "adjusting", pb::ADJUSTING }, { "frozen", pb::FROZEN },
            { "exact", pb::EXACT } };
        static const QRegularExpression kName("^[A-Za-z0-9_-]{1,40}$");
        const QString name = arguments.at(0).toString();
        if (!kName.match(name).hasMatch())
            return LabError { LabCode::BadArgument,
                "A client's name has 1 to 40 letters, digits, - and _, not '" + name.left(60) + "'." };
        if (!context.clients.contains(name)) {
            const auto process = find(name);
            if (!process)
                return process.error();
            context.clients[name] = { *process, pb::ADJUSTING };
        }
        const LabClientInfo& info = context.clients.at(name);
        const pb::ImageMode mode = kModes.at(arguments.text("image"));
        if (arguments.wasGiven("image") && info.mode != mode)
            if (const auto set = setImage(context, name, mode, false); !set)
                return set.error();
        if (arguments.wasGiven("timeout"))
            if (const auto set = setPatience(info.process, arguments.option("timeout")); !set)
                return set.error();
        QJSValue self = context.engine.newObject();
        self.setProperty("name", name);
        return context.prelude.property("client").call({ self });
    }

    // null: the file's timers apply.
    LabResult<bool> setPatience(ProcessId process, const QJSValue& seconds) const
    {
        pb::Command command;
        command.mutable_set_patience()->set_request_ms(
            seconds.isNull() ? 0 : std::uint32_t(std::lround(seconds.toNumber() * 1000)));
        const auto reply = context.ask(process, std::move(command), kAnswerSeconds);
        if (!reply)
            return reply.error();
        return true;
    }

    // Finds the client process of that name or starts it.
    LabResult<ProcessId> find(const QString& name) const
    {
        for (const KnownProcess& known : context.control.directory()) {
            if (QString::fromStdString(known.info.name()) != name || known.hasEnded)
                continue;
            if (known.info.kind() != pb::CLIENT)
                return LabError { LabCode::BadArgument, name + " is the name of a process that is not a client." };
            return ProcessId(known.info.node());
        }
        if (!context.settings.mayStartCluster)
            return LabError { LabCode::NotAllowed, "The connected cluster has no client " + name + ".",
                "Start one: lhrs-client --name " + name + " --coordinator HOST:PORT" };
        const auto started = context.local.startClient(name.toStdString(), context.stopToken());
        if (!started)
            return context.isStopped() ? context.stopped()
                                       : LabError { LabCode::Refused, QString::fromStdString(started.error().text) };
        if (const auto ready = awaitRegistered(name, started->node()); !ready)
            return ready.error();
        return ProcessId(started->node());
    }

    // A client refuses workloads until the coordinator has sent it the parameters of the file; an empty workload
    // tests this.
    LabResult<bool> awaitRegistered(const QString& name, ProcessId process) const
    {
        const auto deadline = context.deadlineIn(kAnswerSeconds);
        for (;;) {
            pb::Command command;
            command.mutable_run_workload()->set_kind(pb::SEARCH);
            command.mutable_run_workload()->set_keys(pb::LISTED);
            const auto reply = context.ask(process, std::move(command), kAnswerSeconds);
            if (reply)
                return context.awaitDetail();
            if (reply.error().code != LabCode::Refused || context.now() >= deadline)
                return reply.error().code == LabCode::Stopped
                    ? reply.error()
                    : LabError { reply.error().code, "The client " + name + " is not ready: " + reply.error().message };
            context.waitBeyond(context.ingest.committed(), context.now() + kLookAgain);
            if (context.isStopped())
                return context.stopped();
        }
    }

    LabResult<QJSValue> operate(const LabCall& c, pb::OperationKind kind) const
    {
        const auto process = clientProcess(context, c.self.property("name").toString());
        if (!process)
            return process.error();
        pb::Command command;
        pb::Operate& order = *command.mutable_operate();
        order.set_kind(kind);
        if (c.arguments.at(0).isNull()) {
            const auto client = describeClient(context, *process);
            if (!client)
                return client.error();
            order.set_key(client->next_key());
        } else {
            const auto key = keyOf(c.arguments.at(0));
            if (!key)
                return key.error();
            order.set_key(*key);
        }
        if (const QJSValue value = c.arguments.at(1); value.isString()) {
            order.set_value(value.toString().toStdString());
        } else if (kind == pb::INSERT || kind == pb::UPDATE) {
            order.set_generate_value(true);
            order.set_length(context.recordBytes);
        }
        const double timeout = c.arguments.number("timeout");
        const auto reply = context.ask(*process, std::move(command), timeout);
        if (!reply)
            return reply.error();
        const pb::OperationResult& done = reply->operation();
        if (done.result() == pb::INVALID)
            return LabError { LabCode::BadArgument, QString::fromStdString(done.text()) };
        if (done.result() == pb::RETRY || done.result() == pb::UNKNOWN_OUTCOME)
            return LabError { LabCode::Timeout,
                c.reference.name + ": " + QString::fromStdString(resultWord(done.result())) + " after "
                    + QString::number(secondsOf(done.time_ns())) + " s."
                    + (done.text().empty() ? "" : " " + QString::fromStdString(done.text())) };
        return operationObject(kind, done);
    }

    QJSValue operationObject(pb::OperationKind kind, const pb::OperationResult& done) const
    {
        QJSValue result = context.engine.newObject();
        result.setProperty("op", scriptNumber(done.operation().number()));
        result.setProperty("key", scriptNumber(done.key()));
        result.setProperty("result", resultShown(kind, done.result()));
        result.setProperty("value",
            kind == pb::SEARCH && done.result() == pb::OK
                ? (scriptText(done.value()).isNull() ? QJSValue("0x" + hexOf(done.value())) : scriptText(done.value()))
                : QJSValue(QJSValue::NullValue));
        result.setProperty("valueIsRight", done.value_is_right());
        context.system->addOperation(done, result);
        result.setProperty("forwards", done.forwards());
        result.setProperty("path", QString::fromStdString(pathWord(done.path())));
        result.setProperty("alarm", done.alarm());
        result.setProperty("resends", done.resends());
        result.setProperty("time_ms", double(done.time_ns()) / 1e6);
        return result;
    }

    LabResult<std::uint64_t> messagesOf(ProcessId process) const
    {
        pb::Command command;
        command.mutable_statistics();
        const auto reply = context.ask(process, std::move(command), kAnswerSeconds);
        if (!reply)
            return reply.error();
        return reply->gauges().messages_in() + reply->gauges().messages_out();
    }

    // `isAwaited`: the call waits for the end of the workload.
    LabResult<std::shared_ptr<Running>> begin(const LabCall& c, bool isAwaited) const
    {
        const QString name = c.self.property("name").toString();
        const auto process = clientProcess(context, name);
        if (!process)
            return process.error();
        auto order = workloadOrder(context, c.arguments);
        if (!order)
            return order.error();
        const auto messages = messagesOf(*process);
        if (!messages)
            return messages.error();
        ++context.workloads;
        auto running = std::make_shared<Running>();
        running->client = name;
        running->messagesBefore = *messages;
        running->hasRate = order->rate() > 0;
        running->mayEndEarly = c.arguments.isOn("partial");
        pb::Command command;
        *command.mutable_run_workload() = std::move(*order);
        if (isAwaited)
            command = context.awaited(std::move(command), c.arguments.number("timeout"));
        context.control.call(*process, std::move(command),
            context.patience(c.arguments.number("timeout") + kGraceSeconds), [running](Answer answer) {
                const std::lock_guard lock(running->mutex);
                running->answer = std::move(answer);
                running->changed.notify_all();
            });
        return running;
    }

    static bool isAnswered(Running& running)
    {
        const std::lock_guard lock(running.mutex);
        return running.answer.has_value();
    }

    // `isPassing`: the command itself advances virtual time; otherwise it is advanced here.
    LabResult<QJSValue> await(
        const std::shared_ptr<Running>& running, double timeout, bool mayEndEarly, bool isPassing) const
    {
        for (const auto deadline = context.deadlineIn(timeout); !isPassing && context.isInStep()
             && !isAnswered(*running) && !context.isStopped() && context.now() < deadline;)
            context.waitBeyond(context.ingest.committed(), deadline);
        std::unique_lock lock(running->mutex);
        // Once virtual time stands still again, nothing more can arrive.
        const auto patience = isPassing || !context.isInStep() ? context.patience(timeout)
                                                               : std::chrono::milliseconds(0);
        const bool isDone = running->changed.wait_for(
            lock, context.stopToken(), patience, [&] { return running->answer.has_value(); });
        if (context.isStopped())
            return context.stopped();
        if (!isDone)
            return timedOut(running->client, timeout);
        if (!*running->answer)
            return running->answer->outcome == Answer::Outcome::TimedOut ? timedOut(running->client, timeout)
                                                                         : context.errorOf(*running->answer);
        const pb::WorkloadResult& done = running->answer->reply.workload();
        if (!done.ended_early().empty() && !mayEndEarly)
            return LabError { LabCode::Refused,
                QString("The workload of %1 ended after %2 of %3 operations: %4.")
                    .arg(running->client)
                    .arg(done.operations())
                    .arg(done.of())
                    .arg(QString::fromStdString(done.ended_early())),
                "With partial: true that is not an error." };
        const auto process = clientProcess(context, running->client);
        const auto messages = process ? messagesOf(*process) : LabResult<std::uint64_t>(process.error());
        return workloadObject(context, running->answer->reply.workload(),
            messages ? std::optional(*messages - running->messagesBefore) : std::nullopt, running->hasRate);
    }

    // The timeout error, which says what was observed instead of the end.
    LabError timedOut(const QString& name, double timeout) const
    {
        LabError error { LabCode::Timeout,
            "The workload of " + name + " is not done after " + QString::number(timeout) + " s" };
        if (const auto process = clientProcess(context, name)) {
            pb::Command command;
            command.mutable_workload_progress();
            if (const auto reply = context.ask(*process, std::move(command), kAnswerSeconds)) {
                error.message
                    += QString(": %1 of %2 operations are").arg(reply->workload().done()).arg(reply->workload().of());
                if (const QString full = fullServers(reply->workload()); !full.isEmpty()) {
                    error.message += "; " + full;
                    error.hint = "Deletes, further servers or a higher limit make room.";
                }
            }
        }
        error.message += ".";
        return error;
    }

    // A workload that timed out or was stopped continues in the client until the client is told to end it.
    void endWorkload(const QString& name) const
    {
        if (const auto process = clientProcess(context, name)) {
            pb::Command command;
            command.mutable_stop_workload();
            context.control.call(*process, std::move(command), std::chrono::seconds(1), [](const Answer&) {});
        }
    }

    LabResult<QJSValue> run(const LabCall& c) const
    {
        const auto running = begin(c, true);
        if (!running)
            return running.error();
        auto result = await(*running, c.arguments.number("timeout"), c.arguments.isOn("partial"), true);
        if (!result && (result.error().code == LabCode::Timeout || result.error().code == LabCode::Stopped))
            endWorkload((*running)->client);
        return result;
    }

    LabResult<QJSValue> start(const LabCall& c) const
    {
        const auto running = begin(c, false);
        if (!running)
            return running.error();
        const std::uint32_t id = std::uint32_t(workloads->size()) + 1;
        (*workloads)[id] = *running;
        QJSValue self = context.engine.newObject();
        self.setProperty("id", id);
        return context.prelude.property("handle").call({ self });
    }
};

} // namespace

LabResult<ProcessId> clientProcess(const LabContext& context, const QString& name)
{
    const auto at = context.clients.find(name);
    if (at == context.clients.end())
        return LabError { LabCode::Unreachable, "The client " + name + " belonged to a cluster that was replaced.",
            "Call lab.client('" + name + "') again." };
    return at->second.process;
}

LabResult<pb::ClientDescription> describeClient(const LabContext& context, ProcessId process)
{
    pb::Command command;
    command.mutable_describe_client();
    const auto reply = context.ask(process, std::move(command), kAnswerSeconds);
    if (!reply)
        return reply.error();
    return reply->client();
}

LabResult<bool> setImage(LabContext& context, const QString& name, pb::ImageMode mode, bool forget)
{
    const auto process = clientProcess(context, name);
    if (!process)
        return process.error();
    pb::Command command;
    command.mutable_set_image()->set_mode(mode);
    command.mutable_set_image()->set_forget(forget);
    const auto reply = context.ask(*process, std::move(command), kAnswerSeconds);
    if (!reply)
        return reply.error();
    context.clients[name].mode = mode;
    context.ingest.refresh({ *process }); // no event reports the change
    return true;
}

void addClientCalls(Lab& lab, LabContext& context)
{
    const ClientCalls calls { context };
    lab.handle("lab.client", [calls](const LabCall& c) { return calls.client(c.arguments); });
    lab.handle("client.door", [calls](const LabCall& c) -> LabResult<QJSValue> {
        const QString file = QString::fromStdString(calls.context.local.logDirectory()) + '/'
            + c.self.property("name").toString() + kDoorEnd;
        return QFileInfo::exists(file) ? QJSValue(file) : QJSValue(QJSValue::NullValue);
    });
    lab.handle("client.insert", [calls](const LabCall& c) { return calls.operate(c, pb::INSERT); });
    lab.handle("client.update", [calls](const LabCall& c) { return calls.operate(c, pb::UPDATE); });
    lab.handle("client.delete", [calls](const LabCall& c) { return calls.operate(c, pb::DELETE); });
    lab.handle("client.search", [calls](const LabCall& c) { return calls.operate(c, pb::SEARCH); });
    lab.handle("client.run", [calls](const LabCall& c) { return calls.run(c); });
    lab.handle("client.start", [calls](const LabCall& c) { return calls.start(c); });
    lab.handle("client.verify", [calls](const LabCall& c) -> LabResult<QJSValue> {
        const auto process = clientProcess(calls.context, c.self.property("name").toString());
        return process ? verifyClient(calls.context, *process, c.arguments) : LabResult<QJSValue>(process.error());
    });
    const auto runningOf = [calls](const LabCall& c) { return calls.workloads->at(c.self.property("id").toUInt()); };
    lab.handle("handle.progress", [calls, runningOf](const LabCall& c) -> LabResult<QJSValue> {
        const auto running = runningOf(c);
        {
            const std::lock_guard lock(running->mutex);
            if (running->answer && *running->answer) {
                QJSValue result = workloadObject(
                    calls.context, running->answer->reply.workload(), std::nullopt, running->hasRate);
                result.setProperty("done", result.property("operations"));
                result.setProperty("of", result.property("operations"));
                return result;
            }
        }
        const auto process = clientProcess(calls.context, running->client);
        if (!process)
            return process.error();
        pb::Command command;
        command.mutable_workload_progress();
        const auto reply = calls.context.ask(*process, std::move(command), kAnswerSeconds);
        if (!reply)
            return reply.error();
        QJSValue result = workloadObject(calls.context, reply->workload(), std::nullopt, running->hasRate);
        result.setProperty("done", scriptNumber(reply->workload().done()));
        result.setProperty("of", scriptNumber(reply->workload().of()));
        return result;
    });
    lab.handle("handle.stop", [calls, runningOf](const LabCall& c) {
        calls.endWorkload(runningOf(c)->client);
        return calls.await(runningOf(c), c.arguments.number("timeout"), true, false);
    });
    lab.handle("handle.wait", [calls, runningOf](const LabCall& c) {
        return calls.await(runningOf(c), c.arguments.number("timeout"), runningOf(c)->mayEndEarly, false);
    });
}

} // namespace lhrs::gui
