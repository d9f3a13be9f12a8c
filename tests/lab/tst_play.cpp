// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios with real processes: grow.js to its end, the fold compared with the processes' own state, lhrs-play as a
// program.
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "tests/rigs/lab/fake_process.h"
#include "tests/rigs/lab/lab_stage.h"
#include "tests/rigs/lab/signals.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr auto kPatience = 100s;

// The state of every process as it reports it, folded separately.
ClusterState truth(Session& session)
{
    ClusterState state;
    std::vector<std::pair<CallTarget, pb::Command>> questions;
    for (const KnownProcess& known : session.control().directory()) {
        pb::Command command;
        command.mutable_take_snapshot();
        questions.emplace_back(known.info.node(), command);
    }
    const auto until = std::chrono::steady_clock::now() + kPatience;
    for (const Answer& answer : session.control().callAllAndWait(questions, 20s)) {
        if (!answer)
            qWarning("%s", answer.text.c_str());
        session.ingest().waitFolded(answer.reply.snapshot().process(), answer.reply.snapshot().sequence(), until, {});
        state.apply(answer.reply.snapshot(), 0);
    }
    return state;
}

struct Run {
    QString out, err;
    int code = -1;
};

Run runPlay(const QStringList& arguments)
{
    QProcess process;
    process.start(LHRS_BIN_DIR "/lhrs-play", arguments);
    if (!process.waitForFinished(kPatience / 1ms))
        process.kill();
    return { process.readAllStandardOutput(), process.readAllStandardError(),
        process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1 };
}

// Whether a process with this number runs (and is not a zombie).
bool isAlive(qint64 pid)
{
    const QString status = textOf(QString("/proc/%1/stat").arg(pid));
    return !status.isEmpty() && status.section(") ", 1).front() != 'Z';
}

} // namespace

class PlayTest : public QObject {
    Q_OBJECT
private slots:
    void growHoldsAndTheFoldIsTheTruth();
    void aClusterIsReplacedByOneWithOtherParameters();
    void aConnectedClusterIsUsedAndNotReplaced();
    void operationsGiveTheirOutcomes();
    void aWorkloadRunsBesideTheScript();
    void aStopEndsAWorkload();
    void aMeasurementIsAtItsDetailWheneverItsClusterComes();
    void aProcessThatDiesIsMarked();
    void aRunnerThatIsKilledLeavesNoProcess();
    void aRunnerThatIsInterruptedEndsItsCluster();
    void aLimitOfOpenFilesIsSaidBeforeAnythingStarts();
    void theRunnerPrintsAndExitsAsItShould_data();
    void theRunnerPrintsAndExitsAsItShould();
    void theRunnerWritesTables();
    void linesThatComeAfterTheScriptAreAnswered();
    void aViolationThatTheScriptDidNotLookAtIsAnExitCode();
};

void PlayTest::growHoldsAndTheFoldIsTheTruth()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(textOf(LHRS_SOURCE_DIR "/scenarios/grow.js"));
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    QVERIFY(result.expectationsHeld > 20);
    const ClusterState told = truth(stage.session);
    const ClusterState seen = stage.session.ingest().state();
    QCOMPARE(seen.lost, 0u);
    QCOMPARE(stage.session.ingest().counters().malformed, 0u);
    QCOMPARE(seen.processes.size(), told.processes.size());
    for (const auto& [id, process] : told.processes) {
        const ProcessState& other = seen.processes.at(id);
        QVERIFY2(!other.isIncomplete && !other.hasEnded && !other.isInvited, process.name.c_str());
        QCOMPARE(other.pool, process.pool);
        QCOMPARE(other.place.ShortDebugString(), process.place.ShortDebugString());
        QCOMPARE(other.incarnation, process.incarnation);
    }
    QCOMPARE(seen.data.size(), told.data.size());
    for (const auto& [number, bucket] : told.data) {
        const DataBucketState& other = seen.data.at(number);
        QCOMPARE(other.level, bucket.level);
        QCOMPARE(other.count, bucket.count);
        QCOMPARE(other.sequence, bucket.sequence);
        QCOMPARE(other.state, bucket.state);
        QCOMPARE(other.process, bucket.process);
        QVERIFY2(other.ranks == bucket.ranks, std::to_string(number).c_str());
        QCOMPARE(other.incoming.count(), 0u);
    }
    QCOMPARE(seen.parity.size(), told.parity.size());
    for (const auto& [place, column] : told.parity) {
        const ParityBucketState& other = seen.parity.at(place);
        QCOMPARE(other.state, column.state);
        QCOMPARE(other.recordGroups, column.recordGroups);
        QVERIFY(other.ranks == column.ranks);
        for (std::uint32_t q = 0; q < 4; ++q)
            QCOMPARE(other.applied.at(q), column.applied.at(q));
    }
    QVERIFY(seen.displacedData.empty() && seen.displacedParity.empty());
    QCOMPARE(seen.file.buckets, told.file.buckets);
    QCOMPARE(seen.file.i, told.file.i);
    QCOMPARE(seen.file.n, told.file.n);
    QCOMPARE(seen.file.availability, told.file.availability);
    QCOMPARE(seen.file.splitsOwed, 0u);
    QCOMPARE(seen.groups.size(), told.groups.size());
    for (const auto& [number, group] : told.groups) {
        QCOMPARE(seen.groups.at(number).k, group.k);
        QCOMPARE(seen.groups.at(number).epoch, group.epoch);
        QVERIFY(!seen.groups.at(number).parityIsBeingAdded);
    }
    for (const auto& [id, split] : seen.splits)
        QCOMPARE(split.stage, SplitStage::Finished);
    for (const auto& [id, client] : told.clients) {
        QCOMPARE(seen.clients.at(id).operations, client.operations);
        QCOMPARE(seen.clients.at(id).forwards, client.forwards);
        QCOMPARE(seen.fileClient(id).image.ShortDebugString(), told.fileClient(id).image.ShortDebugString());
    }
    // All of it is gone when the session ends.
    std::vector<std::uint32_t> pids;
    for (const auto& [id, process] : told.processes)
        pids.push_back(process.pid);
    stage.session.local().stop();
    for (const std::uint32_t pid : pids)
        QVERIFY(!isAlive(pid));
}

void PlayTest::aClusterIsReplacedByOneWithOtherParameters()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "const a = lab.cluster({ k: 0, b: 10, spares: { data: 3, parity: 0 } });\n"
        "const alice = lab.client('alice'); alice.insert(1);\n"
        "const b = lab.cluster({ k: 1, b: 10, field: 8, spares: { data: 2, parity: 1 } });\n"
        "lab.expectEqual([a.k, b.k, b.field, b.processes], [0, 1, 8, 4], 'the second cluster');\n"
        "lab.expectError('Unreachable', () => alice.insert(2));\n"
        "lab.expectEqual(lab.client('alice').search(1).result, 'not found', 'a new file, a new client');\n"
        "lab.client('alice').insert(1); lab.cluster({ k: 1, b: 10, field: 8, spares: { data: 2, parity: 1 }, reset: "
        "false });\n"
        "lab.expectEqual(lab.client('alice').search(1).result, 'found', 'kept, because nothing differs');\n"
        "lab.expectError('BadArgument', () => lab.cluster({ k: 2, spares: { data: 1, parity: 1 } }));\n"
        "lab.expectEqual(lab.audit().unequal, 0, 'GF(2^8) encodes, too');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void PlayTest::aConnectedClusterIsUsedAndNotReplaced()
{
    Stage owner;
    QVERIFY(
        owner.play("lab.cluster({ m: 2, k: 1, b: 10, spares: { data: 2, parity: 1 } }); lab.client('alice').insert(5);")
            .outcome
        == ScriptOutcome::Held);
    const auto coordinator = owner.session.control().find(owner.session.control().coordinator());
    QVERIFY(coordinator);
    const QString address = QString::fromStdString(coordinator->info.control_endpoint()).section("//", 1);
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("lab.cluster({ m: 2, k: 1, b: 10 });\n"
                 "lab.expectEqual(lab.client('alice').search(5).result, 'found', 'the client that runs there');\n"
                 "lab.expectError('NotAllowed', () => lab.client('bob'));\n"
                 "lab.expectError('NotAllowed', () => lab.addSpares({ data: 1 }));\n"
                 "lab.expectError('ClusterMismatch', () => lab.cluster({ m: 4 }));\n");
    script.close();
    const QString key = QString::fromStdString(owner.session.local().keyFile());
    QVERIFY(!key.isEmpty());
    const Run audited = runPlay({ "--connect", address, "--key-file", key, "--audit", "all" });
    QVERIFY2(audited.code == 0 && audited.out == "{\"first\":null,\"ranks\":1,\"unequal\":0}\n",
        qPrintable(audited.out + audited.err));
    QCOMPARE(runPlay({ "--connect", address, "--key-file", key, "--audit", "0" }).out, audited.out);
    const Run missing = runPlay({ "--connect", address, "--key-file", key, "--audit", "1" });
    QVERIFY2(missing.code == 2 && missing.err.contains("--audit: group 1 does not exist: the file has 1."),
        qPrintable(missing.err));
    const Run run = runPlay({ "--connect", address, "--key-file", key, script.fileName() });
    QVERIFY2(run.code == 0, qPrintable(run.out + run.err));
    QCOMPARE(owner.play("lab.print('alive');").outcome, ScriptOutcome::Held);
    QVERIFY(owner.session.local().processes() > 3);
    const Run without = runPlay({ "--connect", address, script.fileName() });
    QCOMPARE(without.code, 3);
    const Run nobody = runPlay({ "--connect", "127.0.0.1:1", script.fileName() });
    QCOMPARE(nobody.code, 3);
    QVERIFY2(nobody.err.contains("no coordinator answers at tcp://127.0.0.1:1;"), qPrintable(nobody.err));
}

void PlayTest::operationsGiveTheirOutcomes()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ k: 1, b: 20, recordBytes: 50, spares: { data: 4, parity: 2 } });\n"
        "const c = lab.client('alice');\n"
        "lab.expectEqual([c.insert(7, 'seven').result, c.insert(7, 'again').result], ['inserted', 'duplicate'], "
        "'insert');\n"
        "const found = c.search(7);\n"
        "lab.expectEqual([found.result, found.value, found.key, found.forwards], ['found', 'seven', 7, 0], 'search');\n"
        "lab.expectEqual([c.update(7, '').result, c.search(7).value, c.update(8).result], ['updated', '', 'not "
        "found'], 'update, also to an empty value');\n"
        "lab.expectEqual([c.delete(7).result, c.delete(7).result, c.search(7).result], ['deleted', 'not found', 'not "
        "found'], 'delete');\n"
        "const first = c.insert(), second = c.insert();\n"
        "lab.expect(first.result === 'inserted' && second.result === 'inserted' && first.key !== second.key, 'next "
        "unused keys');\n"
        "const mine = c.search(first.key); lab.expect(mine.valueIsRight, 'a made value is checked');\n"
        "lab.expectEqual(c.insert('18446744073709551615').key, '18446744073709551615', 'the largest key');\n"
        "lab.expectEqual(c.search('18446744073709551615').result, 'found', 'is found');\n"
        "lab.expectEqual(lab.records(lab.data(0)).length, lab.file().records, 'records of the bucket');\n"
        "lab.expectError('BadArgument', () => lab.data(5) && lab.bucket(lab.data(5)));\n"
        "lab.expectError('BadArgument', () => c.insert(-1)); lab.expectError('BadArgument', () => c.insert('x'));\n"
        "lab.client('alice', { image: 'frozen' });\n"
        "c.run({ do: 'insert', count: 60 }); lab.settle();\n"
        "lab.expectEqual(c.image().M, 1, 'a frozen image stays');\n"
        "lab.client('alice', { image: 'exact' }); c.search(first.key);\n"
        "lab.expectEqual(c.image().behind, 0, 'an exact image asks');\n"
        "lab.client('alice', { image: 'adjusting' }); lab.expectEqual(c.forget().M, 1, 'forgotten');\n"
        "const mixed = c.run({ do: 'mixed', mix: { search: 3, update: 1 }, count: 100, window: 8 });\n"
        "lab.expectEqual([mixed.operations, mixed.results.ok, mixed.wrong], [100, 100, 0], 'a mixed workload');\n"
        "lab.expectError('NoSpares', () => { for (let i = 0; i < 8; ++i) lab.split({ timeout: 20 }); });\n"
        "lab.expectEqual(lab.addSpares({ data: 3, parity: 3 }).data >= 0, true, 'more servers');\n"
        "lab.settle(); lab.expectEqual(lab.audit().unequal, 0, 'parity');\n"
        "const all = c.verify(); lab.expectEqual([all.missing, all.wrong, all.equal], [0, 0, all.keys], 'all there');\n"
        "const by = lab.counters({ by: 'process' }); lab.expect(by.alice.messages > 0 && lab.counters().messages > "
        "by.alice.messages, 'counters');\n"
        "lab.expect(lab.events({ kind: 'OperationDone', client: c, op: first.op }).length === 1, 'events of one "
        "operation');\n"
        "lab.expectEqual(lab.group(0).data.length, 4, 'a full group');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void PlayTest::aWorkloadRunsBesideTheScript()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ k: 0, b: 100000, spares: { data: 2, parity: 0 } });\n"
        "const c = lab.client('alice');\n"
        "const h = c.start({ do: 'insert', count: 1000000 });\n"
        "lab.waitUntil(() => h.progress().done > 0);\n"
        "lab.expectEqual(h.progress().of, 1000000, 'progress');\n"
        "const part = h.stop();\n"
        "lab.expect(part.operations > 0 && part.operations < 1000000 && part.unanswered === 0, 'stopped in between, "
        "all answered');\n"
        "const done = c.start({ do: 'insert', count: 10 }).wait();\n"
        "lab.expectEqual([done.operations, done.results], [10, { ok: 10 }], 'waited for');\n"
        "lab.expectError('Timeout', () => c.run({ do: 'insert', count: 10000000, timeout: 0.2 }));\n"
        "lab.settle(); lab.expect(lab.file().records > 10, 'and the client is free again');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void PlayTest::aStopEndsAWorkload()
{
    ClusterStage stage;
    stage.engine.start(
        "lab.cluster({ k: 0, b: 10000000, spares: { data: 1, parity: 0 } }); const c = lab.client('alice');\n"
        "lab.print('ready'); c.run({ do: 'insert', count: 100000000 });",
        "test.js", {});
    QTRY_VERIFY_WITH_TIMEOUT(stage.session.ingest().counters().events > 1000, 60'000);
    QElapsedTimer timer;
    timer.start();
    stage.engine.stop();
    QVERIFY(stage.engine.wait(20s));
    qInfo("stopped after %lld ms", static_cast<long long>(timer.elapsed()));
    QVERIFY2(stage.engine.result().outcome == ScriptOutcome::Stopped, qPrintable(stage.engine.result().sentence()));
    QVERIFY(timer.elapsed() < 5000);
}

void PlayTest::aMeasurementIsAtItsDetailWheneverItsClusterComes()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(R"js(
let client = null;
const made = m => { lab.cluster({ m, k: 1, b: 5000, spares: { data: 2, parity: 2 } }); client = lab.client('a');
client.run({ count: 20 }); lab.settle(); };
const run = () => {
    const here = lab.here();
    client.run({ do: 'insert', count: 50, window: 4 });
    return { messages: lab.events({ kind: 'MessageSent', since: here }).filter(e => e.op).length,
        ends: lab.events({ kind: 'OperationDone', since: here }).length };
};
lab.measure({ name: 'made_before', repetitions: 2, before: () => made(4), run });
lab.measure({ name: 'made_in_run', repetitions: 1, warmUp: 0, run: () => { const here = lab.here(); made(2);
return run(); } });
lab.measure({ name: 'changed_before', repetitions: 1, warmUp: 0, before: () => lab.detail('full'), run });
lab.measure({ name: 'told', repetitions: 1, warmUp: 0, detail: 'operations', before: () => made(4), run });
lab.measure({ name: 'changed_in_run', repetitions: 1, warmUp: 0, run: () => { lab.detail('full'); return run(); } });
lab.row('by_hand', run());
)js");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    struct Wanted {
        const char *table, *detail;
        bool hasMessages, hasEnds;
    };
    for (const Wanted& wanted :
        { Wanted { "made_before", "counts", false, false }, { "made_in_run", "counts", false, false },
            { "changed_before", "counts", false, false }, { "told", "operations", false, true },
            { "changed_in_run", "", true, true }, { "by_hand", "full", true, true } }) {
        const LabTable table = stage.engine.tables().table(wanted.table);
        QVERIFY2(!table.rows().empty(), wanted.table);
        for (const LabTable::Row& row : table.rows()) {
            QVERIFY2(row.detail == wanted.detail, qPrintable(wanted.table + (": " + row.detail)));
            QVERIFY2((row.metrics.at("messages").toDouble() > 0) == wanted.hasMessages, wanted.table);
            QVERIFY2((row.metrics.at("ends").toDouble() > 0) == wanted.hasEnds, wanted.table);
        }
    }
}

void PlayTest::aProcessThatDiesIsMarked()
{
    ClusterStage stage;
    QVERIFY(stage.play("lab.cluster({ k: 0, b: 10, spares: { data: 2, parity: 0 } });").outcome == ScriptOutcome::Held);
    std::uint32_t pid = 0;
    ProcessId process = 0;
    for (const KnownProcess& known : stage.session.control().directory())
        if (known.info.name() == "data-2") {
            pid = known.info.pid();
            process = known.info.node();
        }
    QCOMPARE(::getpriority(PRIO_PROCESS, pid), ::getpriority(PRIO_PROCESS, 0)); // without a watcher: at full speed
    QVERIFY(signalOne(pid, SIGKILL));
    QTRY_VERIFY_WITH_TIMEOUT(stage.session.ingest().state().processes.at(process).hasEnded, 20'000);
    const std::string reason = stage.session.ingest().state().processes.at(process).endReason;
    QVERIFY2(reason.find("Killed") != std::string::npos, reason.c_str());
    QVERIFY(stage.session.control().find(process)->hasEnded);
}

void PlayTest::aRunnerThatIsKilledLeavesNoProcess()
{
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("lab.cluster({ k: 1, b: 10, spares: { data: 3, parity: 2 } }); lab.client('alice'); "
                 "lab.print('ready'); lab.waitUntil(() => false, { timeout: 1000 });");
    script.close();
    QProcess process;
    process.start(LHRS_BIN_DIR "/lhrs-play", { script.fileName() });
    QVERIFY(process.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT((process.waitForReadyRead(50), process.peek(10'000).contains("ready")), 60'000);
    QList<qint64> children;
    for (const QString& pid :
        QString(textOf(QString("/proc/%1/task/%1/children").arg(process.processId()))).split(' ', Qt::SkipEmptyParts))
        children << pid.toLongLong();
    // Children are listed under the thread that started them.
    QProcess list;
    list.start("ps", { "-o", "pid=", "--ppid", QString::number(process.processId()) });
    list.waitForFinished();
    for (const QByteArray& pid : list.readAllStandardOutput().split('\n'))
        if (pid.trimmed().toLongLong() > 0)
            children << pid.trimmed().toLongLong();
    QVERIFY2(children.size() >= 7, qPrintable(QString::number(children.size())));
    QVERIFY(signalOne(process.processId(), SIGKILL));
    process.waitForFinished();
    for (const qint64 pid : children)
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 20'000);
}

void PlayTest::aRunnerThatIsInterruptedEndsItsCluster()
{
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("lab.atEnd(() => lab.print('cleaned up')); lab.cluster({ k: 0, b: 10, spares: { data: 1, parity: 0 } "
                 "}); lab.print('ready');\nwhile (true) { }");
    script.close();
    QProcess process;
    process.start(LHRS_BIN_DIR "/lhrs-play", { script.fileName() });
    QTRY_VERIFY_WITH_TIMEOUT((process.waitForReadyRead(50), process.peek(10'000).contains("ready")), 60'000);
    QVERIFY(signalOne(process.processId(), SIGINT));
    QVERIFY(process.waitForFinished(30'000));
    QCOMPARE(process.exitCode(), 4);
    const QByteArray out = process.readAllStandardOutput();
    QVERIFY2(out.contains("cleaned up") && out.contains("The script was stopped."), out.constData());
}

void PlayTest::aLimitOfOpenFilesIsSaidBeforeAnythingStarts()
{
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("lab.cluster({ k: 1, b: 10, spares: { data: 60, parity: 20 } });");
    script.close();
    // With a hard limit: a soft one is raised.
    const auto said = [&](const QString& limits) {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(
            "bash", { "-c", limits + R"(; exec "$0" --local "$1")", LHRS_BIN_DIR "/lhrs-play", script.fileName() });
        process.waitForFinished(60'000);
        return QString::number(process.exitCode()) + ' ' + QString::fromUtf8(process.readAll());
    };
    const QString refused = said("ulimit -n 200");
    QVERIFY2(refused.startsWith("3 ") && refused.contains("81 further processes need 405 open files")
            && refused.contains("the system allows it 200"),
        qPrintable(refused));
    const QString raised = said("ulimit -Sn 200");
    QVERIFY2(raised.startsWith("0 "), qPrintable(raised));
}

void PlayTest::theRunnerPrintsAndExitsAsItShould_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("text"); // somewhere in its output
    QTest::newRow("holds") << "lab.expect(true, 'all is well');" << QStringList() << 0 << "ok  all is well";
    QTest::newRow("expectation") << "\nlab.expectEqual(1, 2, 'one is two');" << QStringList() << 1
                                 << "line 2: one is two: got 1, wanted 2";
    QTest::newRow("keep going") << "lab.expect(false, 'a'); lab.print('on');" << QStringList { "--keep-going" } << 1
                                << "> on";
    QTest::newRow("script") << "\n\nnothing();" << QStringList() << 2
                            << "s.js, line 3: ReferenceError: nothing is not defined.";
    QTest::newRow("syntax") << "let a = ;" << QStringList() << 2 << "line 1";
    QTest::newRow("check") << "while (true) { }" << QStringList { "--check" } << 0 << "no error found";
    QTest::newRow("check fails") << "let a = { ...{} };" << QStringList { "--check" } << 2 << "Object.assign";
    QTest::newRow("check of a word") << "lab.now();\nlab.cluster({ m: 2,\n  recovery: 'sometimes' });"
                                     << QStringList { "--check" } << 2 << "line 3: The option recovery of lab.cluster";
    QTest::newRow("check of an option") << "lab.cluster({ mm: 4 });" << QStringList { "--check" } << 2
                                        << "line 1: lab.cluster has no option mm. Did you mean m?";
    QTest::newRow("set that is not taken") << "lab.now(); // no params" << QStringList { "--set", "n=1" } << 2
                                           << "--set n: the scenario takes no parameters";
    QTest::newRow("set to no number") << "lab.params({ n: 1 });" << QStringList { "--set", "n=nan" } << 2
                                      << "a number is wanted";
    QTest::newRow("seed below 0") << "lab.now();" << QStringList { "--seed", "-1" } << 2
                                  << "--seed: \"-1\" is not a seed";
    QTest::newRow("limit that is no number") << "lab.now();" << QStringList { "--limit", "nan" } << 2
                                             << "--limit: \"nan\" is not a number of seconds from 0 to";
    QTest::newRow("limit") << "while (true) { }" << QStringList { "--limit", "0.2" } << 4 << "time limit of 0.2 s";
    QTest::newRow("limit of questions") << "lab.now();" << QStringList { "--answer", "--limit", "0.2" } << 4
                                        << "time limit of 0.2 s";
    QTest::newRow("simulated") << "lab.expect(!lab.simulated, 'no cluster yet');"
                               << QStringList { "--sim", "--seed", "7" } << 0
                               << "SIMULATED: virtual time at 1 of real time, seed 7";
    QTest::newRow("a wait ends though events come all the time")
        << "lab.cluster({ m: 4, k: 1, b: 1000, spares: { data: 4, parity: 2 } }); const a = lab.client('a'); a.run({ "
           "count: 100 });\n"
           "const beside = a.start({ do: 'search', count: 50000000, window: 4 });\n"
           "let code = 'nothing'; try { lab.waitFor('RecoveryFinished', { timeout: 0.3 }); } catch (e) { code = "
           "e.code; }\n"
           "beside.stop(); lab.print('ended by ' + code);"
        << QStringList { "--sim", "--speed", "max", "--limit", "60" } << 0 << "ended by Timeout";
    QTest::newRow("speed") << "lab.now();" << QStringList { "--sim", "--speed", "0" } << 2
                           << "--speed: \"0\" is not max or a factor from 0.001 to 100.";
    QTest::newRow("speed of real time") << "lab.now();" << QStringList { "--speed", "2" } << 2 << "write --sim, too";
    QTest::newRow("set") << "lab.print(lab.params({ n: 1 }).n + 1);" << QStringList { "--set", "n=41" } << 0 << "> 42";
    QTest::newRow("set without value") << "lab.now();" << QStringList { "--set", "n" } << 2 << "NAME=VALUE";
    QTest::newRow("unknown option") << "lab.now();" << QStringList { "--nonsense" } << 2 << "nonsense";
    QTest::newRow("no cluster") << "lab.file();" << QStringList() << 3 << "lab.file needs a cluster";
    QTest::newRow("a text of 200 MB") << "\nconst a = []; while (true) a.push('x'.repeat(100000000) + a.length);"
                                      << QStringList() << 2
                                      << "s.js, line 2: RangeError: A text of 100000000 is more than";
    QTest::newRow("a call that cannot be interrupted")
        << "'a'.repeat(4000000).replace(/a*?b/g, '');" << QStringList { "--limit", "0.5" } << 4
        << "the script does not answer";
    QTest::newRow("a case for each row") << "for (let i = 0; i < 300; ++i) lab.row('t', { s: 'case ' + i, v: i });"
                                         << QStringList() << 0 << "and 100 more cases (--csv writes all)";
}

void PlayTest::theRunnerPrintsAndExitsAsItShould()
{
    QFETCH(QString, source);
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, text);
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write(source.toUtf8());
    script.close();
    const Run run = runPlay(arguments + QStringList { script.fileName() });
    QVERIFY2((run.out + run.err).contains(text), qPrintable(run.out + run.err));
    QCOMPARE(run.code, code);
}

void PlayTest::theRunnerWritesTables()
{
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write(
        "lab.measure({ name: 'numbers', factors: { a: [1, 2] }, repetitions: 2, run: c => ({ total_s: c.a }) });");
    script.close();
    const Run run = runPlay({ "--csv", directory.filePath("out"), script.fileName() });
    QCOMPARE(run.code, 0);
    QVERIFY(textOf(directory.filePath("out/numbers.csv"))
                .startsWith("run,simulated,detail,repetition,warm_up,a,total_s,faults,machine\r\n"));
    QCOMPARE(textOf(directory.filePath("out/numbers.csv")).count("\r\n"), 1 + 2 * 3);
    QVERIFY(textOf(directory.filePath("out/numbers_summary.csv")).contains("total_s_median"));
    QCOMPARE(runPlay({ directory.filePath("missing.js") }).code, 2);
}

void PlayTest::linesThatComeAfterTheScriptAreAnswered()
{
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("var kept = { n: 41 };");
    script.close();
    QProcess process;
    process.start(LHRS_BIN_DIR "/lhrs-play", { "--answer", script.fileName() });
    process.write("kept.n += 1\nlab.print('between')\nlab.file()\nnothing()\nlet x = ;\nkept.self = "
                  "kept\n[lab.data([1, 2]).numbers, 1 / 0]\n");
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(kPatience / 1ms));
    const QStringList out = QString(process.readAllStandardOutput()).split('\n');
    const QStringList answers = out.filter(QRegularExpression("^answer "));
    QCOMPARE(answers.size(), 7);
    QCOMPARE(answers[0], "answer {\"value\":42}");
    QCOMPARE(answers[1], "answer {}"); // there is no value
    QVERIFY2(answers[2].startsWith("answer {\"error\":{\"code\":\"NoCluster\",\"message\":\"lab.file needs a cluster"),
        qPrintable(answers[2]));
    QVERIFY2(answers[3].contains("ReferenceError: nothing is not defined."), qPrintable(answers[3]));
    QVERIFY2(answers[3].startsWith("answer {\"error\":{\"code\":\"ReferenceError\""), qPrintable(answers[3]));
    QVERIFY2(answers[4].startsWith("answer {\"error\":{\"code\":\"SyntaxError\",\"message\":\"SyntaxError"),
        qPrintable(answers[4]));
    QVERIFY2(answers[5].contains("The value cannot be told: it contains itself."), qPrintable(answers[5]));
    QCOMPARE(answers[6], "answer {\"value\":[[1,2],null]}");
    const auto between = out.indexOf(QRegularExpression("^\\s*> between$"));
    QVERIFY(between > 0 && between < out.indexOf(answers[1]));
    QCOMPARE(process.exitCode(), 0);

    // The caller has ended: its output is not read, and the recording is complete nevertheless.
    process.start(
        LHRS_BIN_DIR "/lhrs-play", { "--answer", "--record", directory.filePath("run.lhrun"), script.fileName() });
    process.closeReadChannel(QProcess::StandardOutput);
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(kPatience / 1ms));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
}

void PlayTest::aViolationThatTheScriptDidNotLookAtIsAnExitCode()
{
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("lab.waitFor('EpochChanged', { where: { reason: 'back' }, timeout: 60 });");
    script.close();
    // A coordinator whose epochs decrease.
    std::atomic<std::uint64_t> last { 0 };
    FakeProcess coordinator(77, pb::COORDINATOR, "coordinator");
    coordinator.answer([&](const pb::Command& command) -> std::optional<pb::CommandReply> {
        return command.has_take_snapshot() ? std::optional(FakeProcess::snapshotOf(coordinator, last)) : std::nullopt;
    });
    QProcess process;
    process.start(LHRS_BIN_DIR "/lhrs-play",
        { "--connect", QString::fromStdString(coordinator.info().control_endpoint()).remove("tcp://"),
            script.fileName() });
    const auto epoch = [](std::uint64_t number, const char* reason) {
        pb::Event event;
        event.mutable_epoch_changed()->mutable_view()->set_epoch(number);
        event.mutable_epoch_changed()->set_reason(reason);
        return event;
    };
    // It may not be subscribed yet: publish until it has seen enough.
    QElapsedTimer timer;
    timer.start();
    while (!process.waitForFinished(20) && timer.elapsed() < kPatience / 1ms) {
        coordinator.publish(last + 1, { epoch(9, "on"), epoch(8, "back") });
        last += 2;
    }
    const QString out = process.readAllStandardOutput();
    QVERIFY2(process.exitCode() == 5, qPrintable(out + process.readAllStandardError()));
    QVERIFY2(out.contains("1 violated") && out.contains("VIOLATED I15, epochs never fall back: "), qPrintable(out));
}

QTEST_GUILESS_MAIN(PlayTest)
#include "tst_play.moc"
