// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/cluster_commands.h"

#include "common/lhrs/linear_hash.h"
#include "gui/lab/words/detail_words.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/network_check.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/words/sentences.h"
#include "gui/view/cluster/object_words.h"

#include <QPointer>

#include <algorithm>
#include <iterator>
#include <utility>

namespace lhrs::gui {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kWorkload { 3'600 };
constexpr int kWatchEvery = 200; // milliseconds
constexpr int kRenewEvery = 5'000;
constexpr std::uint64_t kListedMax = 200; // keys of one command: the scenario line must stay readable

QString workloadWords(const pb::WorkloadResult& r)
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
    words << countedWords(r.forwards(), "forward", "forwards")
          << countedWords(r.image_adjustments(), "image adjustment", "image adjustments");
    words << QStringLiteral("%1 in all").arg(durationWords(r.total_ns()));
    if (r.operations() > 0)
        words << QStringLiteral("%1 each").arg(durationWords(r.total_ns() / std::int64_t(r.operations())));
    return words.join(QStringLiteral(", "));
}

// Keys of records in the file, as far as events have reported them: drawn with the seed, with possible repetitions.
// Empty: no key is known.
std::vector<std::uint64_t> keysOfFile(const ClusterState& state, std::uint64_t count, std::uint64_t seed)
{
    std::vector<const RankMap*> buckets;
    for (const auto& [number, bucket] : state.data)
        if (bucket.ranks.count() > 0)
            buckets.push_back(&bucket.ranks);
    std::vector<std::uint64_t> keys;
    std::uint64_t drawn = mix64(Key(seed)).value;
    const auto below = [&drawn](std::size_t bound) {
        drawn = mix64(Key(drawn + 1)).value;
        return std::size_t(drawn % bound);
    };
    while (!buckets.empty() && keys.size() < count) {
        const RankMap& ranks = *buckets[below(buckets.size())];
        const std::vector<std::uint32_t> pages = ranks.pages();
        const auto records = ranks.inPage(pages[below(pages.size())]);
        keys.push_back(records[below(records.size())].second);
    }
    return keys;
}

// Added to the nice value of the cluster's processes: at full speed they use all processors of a small machine, and
// the window would stand still. They yield to the window, and otherwise run at full speed.
constexpr int kCourtesy = 10;

} // namespace

ClusterCommands::ClusterCommands(QObject* parent)
    : QObject(parent), m_session(std::make_unique<Session>(kCourtesy)),
      m_worker([this](const std::stop_token& stop) { work(stop); })
{
    connect(&m_watch, &QTimer::timeout, this, &ClusterCommands::watchLink);
    m_watch.start(kWatchEvery);
    connect(&m_renew, &QTimer::timeout, this, &ClusterCommands::renewLeases);
    m_renew.start(kRenewEvery);
}

ClusterCommands::~ClusterCommands()
{
    m_worker.request_stop();
    m_changed.notify_all();
    m_worker.join();
    m_session.reset(); // its threads call back into this object
}

// ---- the worker: one task after the other

void ClusterCommands::post(Task task)
{
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(std::move(task));
    }
    m_changed.notify_all();
}

void ClusterCommands::work(const std::stop_token& stop)
{
    for (;;) {
        Task task;
        {
            std::unique_lock lock(m_mutex);
            if (!m_changed.wait(lock, stop, [this] { return !m_tasks.empty(); }))
                return;
            task = std::move(m_tasks.front());
            m_tasks.pop_front();
        }
        task(stop);
    }
}

void ClusterCommands::setLink(Link link, const QString& trouble)
{
    if (link == m_link && trouble == m_trouble)
        return;
    m_link = link;
    m_trouble = trouble;
    emit linkChanged();
}

void ClusterCommands::sayFromThread(const QString& line, const QString& outcome, bool isGood)
{
    QMetaObject::invokeMethod(
        this, [this, line, outcome, isGood] { emit answered(line, outcome, isGood); }, Qt::QueuedConnection);
}

// ---- clusters

QString ClusterCommands::address() const { return m_address; }

QString ClusterCommands::clusterLine(const LocalOptions& options, std::uint32_t recordBytes)
{
    const pb::FileConfig& config = options.config;
    const char* recovery = config.recovery() == pb::RECOVERY_OFF ? "off"
        : config.recovery() == pb::RECOVERY_ON_ALARM             ? "onAlarm"
        : config.recovery() == pb::RECOVERY_MANUAL               ? "manual"
                                                                 : "automatic";
    QString more = QStringLiteral(", recovery: '%1'").arg(QLatin1String(recovery));
    if (config.slice() > 0)
        more += QStringLiteral(", slice: %1").arg(config.slice());
    if (config.recovery_transport() == pb::RECOVERY_UDP)
        more += QStringLiteral(", recoveryTransport: 'udp'");
    if (config.tcp_mode() == pb::TCP_HANDSHAKE)
        more += QStringLiteral(", tcp: 'handshake'");
    if (config.rerank() == pb::KEEP)
        more += QStringLiteral(", rerank: 'keep'");
    if (config.load_control() > 0)
        more += QStringLiteral(", loadControl: %1").arg(config.load_control() / 1000.0);
    if (config.parallel_splits())
        more += QStringLiteral(", split: 'parallel'");
    if (options.hasGate)
        more += QStringLiteral(", gate: true");
    for (const auto& [isOn, name] : { std::pair(config.merges(), "merges"), std::pair(config.mix_keys(), "mixKeys"),
             std::pair(config.pure_rs(), "pureRs") })
        if (isOn)
            more += QStringLiteral(", %1: true").arg(QLatin1String(name));
    if (options.slowTimers)
        more += QStringLiteral(", timers: 'classroom'");
    QStringList thresholds;
    for (const pb::Threshold& threshold : config.thresholds())
        thresholds << QString::number(threshold.buckets());
    if (!thresholds.isEmpty())
        more += QStringLiteral(", thresholds: [%1]").arg(thresholds.join(QStringLiteral(", ")));
    return QStringLiteral(
        "lab.cluster({ m: %1, k: %2, b: %3, field: %4, recordBytes: %5, spares: { data: %6, parity: %7 }%8 });")
        .arg(config.m())
        .arg(config.availability())
        .arg(config.b())
        .arg(config.field() == pb::GF_8 ? 8 : 16)
        .arg(recordBytes)
        .arg(options.dataServers)
        .arg(options.parityServers)
        .arg(more);
}

void ClusterCommands::startLocal(const LocalOptions& options, std::uint32_t recordBytes, std::uint32_t clients)
{
    const QString line = clusterLine(options, recordBytes);
    m_recordBytes = recordBytes;
    m_isLocal = true;
    m_address.clear();
    m_since.start();
    emit said(line);
    forgetFaults();
    emit clusterChanged();
    setLink(Link::Starting);
    post([this, options, line, clients](const std::stop_token& stop) {
        const Result<void> started = m_session->local().start(options, stop);
        for (std::uint32_t client = 0; started && client < clients; ++client)
            (void)m_session->local().startClient(clientNameOf(client).toStdString(), stop);
        const QString trouble = started ? QString() : text(started.error().text);
        QMetaObject::invokeMethod(
            this,
            [this, trouble, line] {
                setLink(trouble.isEmpty() ? Link::Here : Link::None, trouble);
                const auto patience = m_session->local().patience();
                QStringList words { QStringLiteral("%1 processes run, after %2")
                                        .arg(m_session->local().processes())
                                        .arg(durationWords(m_since.nsecsElapsed())) };
                if (const std::string late = patience ? patienceWords(*patience) : ""; !late.empty())
                    words << QString::fromStdString(late);
                emit answered(line, trouble.isEmpty() ? words.join(QStringLiteral("; ")) : trouble, trouble.isEmpty());
            },
            Qt::QueuedConnection);
    });
}

void ClusterCommands::connectTo(const QString& address)
{
    const auto endpoint = endpointOf(address.toStdString());
    if (!endpoint) {
        setLink(Link::None, text(endpoint.error().text));
        return;
    }
    m_isLocal = false;
    m_address = address;
    m_since.start();
    forgetFaults();
    emit clusterChanged();
    setLink(Link::Starting);
    post([this, coordinator = *endpoint](const std::stop_token&) {
        m_session->local().stop();
        m_session->control().leaveCluster();
        m_session->control().watchCluster(coordinator);
    });
}

void ClusterCommands::leave()
{
    m_isLocal = false;
    m_address.clear();
    forgetFaults();
    emit clusterChanged();
    setLink(Link::None);
    post([this](const std::stop_token&) {
        m_session->local().stop();
        m_session->control().leaveCluster();
    });
}

void ClusterCommands::setScenarioRuns(bool on)
{
    if (!on)
        watchLink(); // a short scenario ends between two checks; its cluster stays
    m_scenarioRuns = on;
    emit linkChanged();
}

// Checks the coordinator's state in the session a few times a second, also for changes by a scenario.
void ClusterCommands::watchLink()
{
    ControlClient& control = m_session->control();
    const bool answers = control.coordinatorAnswers();
    if (const auto known = control.find(control.coordinator()); known && !known->info.control_endpoint().empty())
        m_address = text(known->info.control_endpoint()).section(QLatin1Char('/'), -1);
    switch (m_link) {
    case Link::None:
        if (m_scenarioRuns && answers) {
            m_isLocal = m_session->local().isRunning();
            setLink(Link::Here);
        }
        return;
    case Link::Starting:
        if (!m_isLocal && answers)
            setLink(Link::Here);
        else if (!m_isLocal && m_since.isValid() && m_since.elapsed() > kAnswer.count())
            setLink(Link::None,
                tr("Nothing answers at %1 within %2 s. Is a coordinator running there, and is this its control "
                   "endpoint?")
                    .arg(m_address)
                    .arg(kAnswer.count() / 1000));
        return;
    case Link::Here:
        if (!answers)
            setLink(Link::Lost);
        return;
    case Link::Lost:
        if (answers)
            setLink(Link::Here);
        return;
    }
}

// ---- commands

QString ClusterCommands::clientName(ProcessId client) const { return text(processShown(client, state())); }

QString ClusterCommands::clientNameOf(std::uint32_t number)
{
    static const char* const kNames[] = { "alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi" };
    return number < std::size(kNames) ? QString::fromLatin1(kNames[number])
                                      : QStringLiteral("client-%1").arg(number + 1);
}

QString ClusterCommands::nextClientName() const
{
    const ClusterState now = state();
    const auto isTaken = [&](const std::string& name) {
        return std::any_of(
            now.processes.begin(), now.processes.end(), [&](const auto& p) { return p.second.name == name; });
    };
    for (std::uint32_t number = 0;; ++number) {
        if (const QString name = clientNameOf(number); !isTaken(name.toStdString()))
            return name;
    }
}

QString ClusterCommands::lineOf(ProcessId client, const Work& work, const std::vector<std::uint64_t>& keys) const
{
    QString options = work.window > 1 ? QStringLiteral(", window: %1").arg(work.window) : QString();
    QStringList listed;
    for (const std::uint64_t key : keys)
        listed << QString::number(key);
    if (!keys.empty())
        options += QStringLiteral(", keys: [%1]").arg(listed.join(QStringLiteral(", ")));
    return QStringLiteral("lab.client('%1').run({ do: '%2', count: %3%4 });")
        .arg(clientName(client), text(operationWord(work.kind)))
        .arg(work.count)
        .arg(options);
}

void ClusterCommands::ask(CallTarget to, pb::Command command, milliseconds timeout, const QString& line,
    std::function<QString(const pb::CommandReply&)> words)
{
    emit said(line);
    m_session->control().call(
        to, std::move(command), timeout, [this, line, words = std::move(words)](const Answer& answer) {
            if (answer)
                sayFromThread(line, words(answer.reply), true);
            else
                sayFromThread(line, text(answer.text), false);
        });
}

void ClusterCommands::startClient()
{
    const QString name = nextClientName(), line = QStringLiteral("lab.client('%1');").arg(name);
    emit said(line);
    post([this, name, line](const std::stop_token& stop) {
        const auto started = m_session->local().startClient(name.toStdString(), stop);
        sayFromThread(line,
            started ? tr("client %1 runs as process %2").arg(name).arg(started->pid()) : text(started.error().text),
            bool(started));
        if (started)
            QMetaObject::invokeMethod(
                this, [this, id = started->node()] { emit clientStarted(id); }, Qt::QueuedConnection);
    });
}

void ClusterCommands::run(ProcessId client, const Work& work)
{
    if (work.kind == pb::INSERT) {
        runOnKeys(client, work, true);
        return;
    }
    // Only the client knows which records it has stored. A client that does not answer this will not answer the command
    // either, which reports that.
    pb::Command command;
    command.mutable_describe_client();
    m_session->control().call(client, std::move(command), kAnswer, [this, client, work](const Answer& answer) {
        const bool hasOwn = !answer || answer.reply.client().keys_known() > 0;
        QMetaObject::invokeMethod(
            this, [this, client, work, hasOwn] { runOnKeys(client, work, hasOwn); }, Qt::QueuedConnection);
    });
}

void ClusterCommands::runOnKeys(ProcessId client, const Work& work, bool hasOwn)
{
    const std::vector<std::uint64_t> keys = hasOwn || work.kind != pb::SEARCH
        ? std::vector<std::uint64_t>()
        : keysOfFile(state(), std::min(work.count, kListedMax), ++m_seed);
    const QString line = lineOf(client, work, keys);
    if (!hasOwn && keys.empty()) {
        const QString name = clientName(client);
        emit said(line);
        emit answered(line,
            work.kind == pb::SEARCH
                ? tr("%1 has stored no record, and no record of the file is known here: insert some first").arg(name)
                : tr("%1 has stored no record itself: let it insert some first, or choose the client that did")
                      .arg(name),
            false);
        return;
    }
    pb::Command command;
    pb::RunWorkload& run = *command.mutable_run_workload();
    run.set_kind(work.kind);
    run.set_count(work.count);
    run.set_keys(work.kind == pb::INSERT ? pb::NEXT : keys.empty() ? pb::PRESENT : pb::LISTED);
    run.mutable_key_list()->Add(keys.begin(), keys.end());
    run.set_seed(++m_seed);
    run.set_length(m_recordBytes);
    run.set_window(work.window);
    ask(client, command, kWorkload, line,
        [](const pb::CommandReply& reply) { return workloadWords(reply.workload()); });
}

void ClusterCommands::search(ProcessId client, std::uint64_t key)
{
    pb::Command command;
    command.mutable_operate()->set_kind(pb::SEARCH);
    command.mutable_operate()->set_key(key);
    ask(client, command, kStructure, QStringLiteral("lab.client('%1').search(%2);").arg(clientName(client)).arg(key),
        [](const pb::CommandReply& reply) {
            const pb::OperationResult& result = reply.operation();
            const QString way = result.path() == pb::RECORD_RECOVERY ? tr(", computed from parity")
                : result.path() == pb::BY_COORDINATOR                ? tr(", by the coordinator")
                                                                     : QString();
            return QStringLiteral("%1 in bucket %2%3, %4, %5")
                .arg(text(resultWord(result.result())))
                .arg(result.bucket())
                .arg(way)
                .arg(countedWords(result.forwards(), "forward", "forwards"),
                    result.image_adjusted() ? QStringLiteral("image adjusted") : QStringLiteral("image as it was"));
        });
}

void ClusterCommands::insert(ProcessId client, std::uint64_t key)
{
    pb::Command command;
    command.mutable_operate()->set_kind(pb::INSERT);
    command.mutable_operate()->set_key(key);
    command.mutable_operate()->set_generate_value(true);
    command.mutable_operate()->set_length(m_recordBytes);
    ask(client, command, kStructure, QStringLiteral("lab.client('%1').insert(%2);").arg(clientName(client)).arg(key),
        [](const pb::CommandReply& reply) {
            const pb::OperationResult& result = reply.operation();
            return QStringLiteral("%1 in bucket %2").arg(text(resultWord(result.result()))).arg(result.bucket());
        });
}

void ClusterCommands::stopWorkload(ProcessId client)
{
    pb::Command command;
    command.mutable_stop_workload();
    ask(client, command, kAnswer, QStringLiteral("handle.stop();"), [](const pb::CommandReply& reply) {
        return reply.has_workload() ? QStringLiteral("stopped after %1").arg(workloadWords(reply.workload()))
                                    : QStringLiteral("stopped");
    });
}

void ClusterCommands::setImage(ProcessId client, pb::ImageMode mode)
{
    pb::Command command;
    command.mutable_set_image()->set_mode(mode);
    const QString word = mode == pb::FROZEN ? QStringLiteral("frozen")
        : mode == pb::EXACT                 ? QStringLiteral("exact")
                                            : QStringLiteral("adjusting");
    ask(client, command, kAnswer, QStringLiteral("lab.client('%1', { image: '%2' });").arg(clientName(client), word),
        [word](const pb::CommandReply&) { return QStringLiteral("its image is %1 from now on").arg(word); });
    m_session->ingest().refresh({ client });
}

void ClusterCommands::forgetImage(ProcessId client)
{
    pb::Command command;
    const ClusterState now = state();
    const auto known = now.clients.find(client);
    command.mutable_set_image()->set_mode(known == now.clients.end() ? pb::ADJUSTING : known->second.mode);
    command.mutable_set_image()->set_forget(true);
    ask(client, command, kAnswer, QStringLiteral("lab.client('%1').forget();").arg(clientName(client)),
        [this, client](const pb::CommandReply&) {
            m_session->ingest().refresh({ client });
            return QStringLiteral("it knows bucket 0 only");
        });
}

void ClusterCommands::split()
{
    pb::Command command;
    command.mutable_force_split();
    ask(m_session->control().coordinator(), command, kStructure, QStringLiteral("lab.split();"),
        [](const pb::CommandReply& reply) {
            const pb::SplitResult& r = reply.split();
            return QStringLiteral("bucket %1 → %1 and %2, level %3, %4 moved, %5")
                .arg(r.bucket())
                .arg(r.new_bucket())
                .arg(r.level())
                .arg(countedWords(r.moved(), "record", "records"), durationWords(r.total_ns()));
        });
}

void ClusterCommands::raiseAvailability()
{
    const std::uint32_t wanted = state().file.availability + 1;
    pb::Command command;
    command.mutable_raise_availability()->set_availability(wanted);
    ask(m_session->control().coordinator(), command, kStructure,
        QStringLiteral("lab.raiseAvailability(%1);").arg(wanted), [](const pb::CommandReply& reply) {
            return reply.availability().pending()
                ? QStringLiteral("K will be %1 when the split pointer is 0 again")
                      .arg(reply.availability().availability())
                : QStringLiteral("K = %1; groups take it over as the split pointer passes them")
                      .arg(reply.availability().availability());
        });
}

void ClusterCommands::addParity(std::uint32_t group)
{
    pb::Command command;
    command.mutable_create_parity()->set_group(group);
    ask(m_session->control().coordinator(), command, kStructure, QStringLiteral("lab.addParity(%1);").arg(group),
        [](const pb::CommandReply& reply) {
            const pb::ParityResult& r = reply.parity();
            return QStringLiteral("group %1 has k = %2: parity bucket %1.%3 from %4 in %5")
                .arg(r.group())
                .arg(r.k())
                .arg(r.column())
                .arg(countedWords(r.records(), "record", "records"), durationWords(r.total_ns()));
        });
}

void ClusterCommands::addSpares(std::uint32_t data, std::uint32_t parity)
{
    const QString line = QStringLiteral("lab.addSpares({ data: %1, parity: %2 });").arg(data).arg(parity);
    emit said(line);
    post([this, data, parity, line](const std::stop_token& stop) {
        Result<void> added = m_session->local().addServers(pb::DATA, data, stop);
        if (added)
            added = m_session->local().addServers(pb::PARITY, parity, stop);
        sayFromThread(line,
            added ? tr("%1 data and %2 parity servers more").arg(data).arg(parity) : text(added.error().text),
            bool(added));
    });
}

void ClusterCommands::setDetail(pb::Detail detail)
{
    m_session->control().setDetail(detail, 100);
    const QString line = QStringLiteral("lab.detail('%1');").arg(QString::fromStdString(detailWord(detail)));
    emit said(line);
    emit answered(line, tr("all processes publish at this detail"), true);
}

// ---- data for the views

ClusterState ClusterCommands::state() const { return m_session->ingest().state(); }

std::uint64_t ClusterCommands::revision() const { return m_session->ingest().revision(); }

std::uint64_t ClusterCommands::committed() const { return m_session->ingest().committed(); }

EventPage ClusterCommands::eventsSince(std::uint64_t cursor, std::size_t max) const
{
    return m_session->ingest().eventsSince(cursor, max);
}

std::int64_t ClusterCommands::nowNs() const { return m_session->ingest().nowNs(); }

void ClusterCommands::readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject* receiver,
    std::function<void(ContentsAnswer)> done)
{
    pb::Command command;
    command.mutable_read_contents()->set_rank_from(rankFrom);
    command.mutable_read_contents()->set_count(count);
    m_session->control().call(process, command, kAnswer,
        [this, receiver = QPointer<QObject>(receiver), done = std::move(done)](const Answer& answer) {
            ContentsAnswer contents;
            contents.isOk = bool(answer) && answer.reply.has_contents();
            if (contents.isOk)
                contents.page = answer.reply.contents();
            else
                contents.why = answer.text.empty() ? tr("the process answered something else") : text(answer.text);
            QMetaObject::invokeMethod(
                this,
                [receiver, done, contents = std::move(contents)] {
                    if (receiver)
                        done(contents);
                },
                Qt::QueuedConnection);
        });
}

} // namespace lhrs::gui
