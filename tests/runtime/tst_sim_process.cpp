// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-sim as a process: scenarios run on it as on real processes, virtual time is controllable, and a run is a
// function of its seed and its commands.
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/recording/recording.h"
#include "node/process/options.h"
#include "tests/rigs/lab/lab_stage.h"
#include "tests/runtime/process_rig.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

// A scenario on a simulated cluster, in this process.
struct SimulatedStage : ClusterStage {
    explicit SimulatedStage(const SimulatedOptions& options = {}) { session.local().preferSimulated(options); }
};

struct PlayRun {
    int code = -1;
    QString out;
};

PlayRun runPlay(const QStringList& arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(LHRS_BIN_DIR "/lhrs-play", arguments);
    if (!process.waitForFinished(120'000 * kSlower))
        return {};
    return { process.exitCode(), QString::fromUtf8(process.readAll()) };
}

// lhrs-sim, controlled and watched like any process; at first virtual time is paused.
struct PausedSim {
    explicit PausedSim(std::uint64_t seed, const QStringList& more = {})
        : program("lhrs-sim",
            QStringList {
                "--paused", "--seed", QString::number(seed), "-m", "2", "-b", "10", "--recovery", "automatic" }
                + more)
    {
        if (!program.isReady())
            return;
        asked.emplace(program.at("control"));
        watcher.emplace(program.at("events"));
    }

    pb::CommandReply ask(pb::Command command, std::uint64_t process = 0)
    {
        command.set_process(process);
        return asked->call(std::move(command)).value_or(pb::CommandReply());
    }
    pb::SimulationState stepMs(std::uint64_t ms)
    {
        pb::Command command;
        command.mutable_step_clock()->set_ns(ms * 1'000'000);
        return ask(command).simulation();
    }
    std::uint64_t start(pb::ProcessKind kind, const char* name)
    {
        pb::Command command;
        command.mutable_start_processes()->set_kind(kind);
        command.mutable_start_processes()->add_names(name);
        const pb::CommandReply reply = ask(command);
        return reply.processes().processes_size() == 1 ? reply.processes().processes(0).process().node() : 0;
    }
    // Events up to now by process name and number, without the values that the system chose. A subscription takes a
    // moment: the first events may be missing.
    using Events = std::map<std::string, std::map<std::uint64_t, std::string>>;
    Events events()
    {
        pb::Command command;
        command.mutable_describe_simulation();
        const std::uint64_t published = ask(command).simulation().events();
        Events found;
        for (std::uint64_t last = 0; last < published;) {
            const auto batch = watcher->next();
            if (!batch)
                return {};
            auto& mine = found[batch->header.name()];
            last -= mine.empty() ? 0 : mine.rbegin()->first;
            for (pb::Event event : batch->events) {
                event.clear_wall_ns();
                if (event.has_process_started())
                    event.clear_process_started();
                mine[event.sequence()] = event.SerializeAsString();
            }
            last += mine.rbegin()->first;
        }
        return found;
    }
    // Whether both have the same events where both were heard, and how many those are.
    static std::size_t inCommon(const Events& a, const Events& b)
    {
        std::size_t common = 0;
        for (const auto& [name, events] : a) {
            if (!b.contains(name) || b.at(name).rbegin()->first != events.rbegin()->first)
                return 0;
            for (const auto& [sequence, bytes] : events) {
                const auto other = b.at(name).find(sequence);
                if (other != b.at(name).end() && other->second != bytes)
                    return 0;
                common += other != b.at(name).end() ? 1 : 0;
            }
        }
        return common;
    }

    test::Program program;
    std::optional<test::ControlSocket> asked;
    std::optional<test::Watcher> watcher;
};

} // namespace

class SimProcessTest : public QObject {
    Q_OBJECT
private slots:
    void theScenarioHoldsOnASimulatedCluster_data();
    void theScenarioHoldsOnASimulatedCluster();
    void everyExperimentHasAScenario();
    void theSameSeedAndCommandsTellTheSame();
    void oneSeedGivesTheSameTablesAtEverySpeed_data();
    void oneSeedGivesTheSameTablesAtEverySpeed();
    void virtualTimeWaitsForCommands();
    void virtualTimeObeys();
    void aScriptSetsTheClock();
    void whoIsKilledByOneCallDiesAtOneInstant();
    void whoEndsByItselfIsKnown();
    void aSlowClockHasPatientScripts();
    void whatIsMeasuredAndRecordedSaysThatItIsSimulated();
    void aSecondClusterOfTheSameSeedIsSeen();
    void aSimulatedClusterIsConnectedToAsAnyOther();
    void aThousandBucketsAreSimulated();
    void theCaseOfASeedIsPlayed();
    void aWrongLineEndsWithASentence_data();
    void aWrongLineEndsWithASentence();
    void itEndsWithWhoStartedIt();
};

void SimProcessTest::theScenarioHoldsOnASimulatedCluster_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("expectationsMin");
    const auto row = [](const char* file, const QStringList& arguments, int expectations) {
        QTest::newRow(file) << arguments << expectations;
    };
    row("grow.js", { "--speed", "10" }, 30);
    row("demo.js", {}, 24);
    row("recover_k.js", {}, 15);
    row("degraded_search.js", {}, 15);
    row("beyond_k.js", {}, 12);
    row("stale_image.js", {}, 10);
    row("raise_availability.js", {}, 10);
    row("recovery_ways.js",
        { "--set", "records=4000", "--set", "repetitions=1", "--set", "slice=500", "--set", "searches=200" }, 30);
    row("parity_by_hand.js", { "--speed", "max" }, 10);
    row("reading_a_measurement.js",
        { "--speed", "max", "--set", "records=500", "--set", "searches=300", "--set", "repetitions=2" }, 12);
    row("walk.js", { "--speed", "max" }, 20);
    const auto experiment = [&](const char* file, std::initializer_list<const char*> settings, int expectations) {
        QStringList arguments { "--speed", "max", "--set", "repetitions=1" }; // short, and as fast as the machine can
        for (const char* setting : settings)
            arguments << "--set" << setting;
        row(file, arguments, expectations);
    };
    experiment("parity_tables.js", { "sizes=200" }, 12);
    experiment("recovery_tables.js", { "records=2000", "parts=5" }, 16);
    experiment("record_recovery.js", { "records=2000", "counts=100" }, 8);
    experiment("search_times.js", { "records=2000", "counts=500" }, 5);
    experiment("file_creation.js", { "records=600", "b=240" }, 12);
    experiment("network_speed.js", { "records=2000", "slice=200" }, 13);
}

// Experiments E1 to E19 of the published measurements.
void SimProcessTest::everyExperimentHasAScenario()
{
    QStringList found;
    const QDir scenarios(LHRS_SOURCE_DIR "/scenarios");
    for (const QString& name : scenarios.entryList({ "*.js" })) {
        QFile file(scenarios.filePath(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const ScriptHeader header = headerOf(QString::fromUtf8(file.readAll()));
        QVERIFY2(!header.title.isEmpty() && header.minutes.toInt() > 0 && !header.needs.isEmpty(), qPrintable(name));
        found += header.experiments.split(' ', Qt::SkipEmptyParts);
    }
    QStringList wanted;
    for (int i = 1; i <= 19; ++i)
        wanted << QString("E%1").arg(i);
    found.sort();
    wanted.sort();
    found.removeDuplicates();
    QCOMPARE(found, wanted);
}

void SimProcessTest::theScenarioHoldsOnASimulatedCluster()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const int, expectationsMin);
    const PlayRun run = runPlay(QStringList { "--sim" } + arguments
        + QStringList { LHRS_SOURCE_DIR "/scenarios/" + QString(QTest::currentDataTag()) });
    QVERIFY2(run.code == 0, qPrintable(run.out));
    QVERIFY(run.out.startsWith("SIMULATED: "));
    QVERIFY2(run.out.count("\n  ok  ") >= expectationsMin, qPrintable(run.out));
}

void SimProcessTest::theSameSeedAndCommandsTellTheSame()
{
    const auto play = [](std::uint64_t seed, bool isAsked) {
        PausedSim sim(seed);
        if (!sim.asked)
            return PausedSim::Events();
        sim.stepMs(300);
        const std::uint64_t alice = sim.start(pb::CLIENT, "alice");
        sim.stepMs(100);
        pb::Command work;
        work.mutable_run_workload()->set_kind(pb::INSERT);
        work.mutable_run_workload()->set_count(40);
        work.mutable_run_workload()->set_window(4);
        work.mutable_run_workload()->set_length(20);
        work.mutable_run_workload()->set_seed(3);
        work.set_process(alice);
        work.set_ticket(1);
        sim.asked->send(work);
        if (isAsked) {
            pb::Command question;
            question.mutable_list_processes();
            sim.ask(question); // answered in between
        }
        // Its answer comes while virtual time goes on.
        pb::Command step;
        step.mutable_step_clock()->set_ns(2'000'000'000);
        step.set_ticket(2);
        sim.asked->send(step);
        for (int answers = 0; answers < 2; ++answers)
            if (!sim.asked->receive())
                return PausedSim::Events();
        return sim.events();
    };
    const auto first = play(11, false);
    QVERIFY(first.size() >= 10 && first.contains("alice"));
    QVERIFY(PausedSim::inCommon(first, play(11, false)) > 1'000);
    QVERIFY(PausedSim::inCommon(first, play(11, true)) > 1'000);
    QCOMPARE(PausedSim::inCommon(first, play(12, false)), std::size_t(0));
}

void SimProcessTest::oneSeedGivesTheSameTablesAtEverySpeed_data()
{
    QTest::addColumn<QString>("source");
    QTest::newRow("a workload")
        << "lab.cluster({ m: 4, k: 2, b: 100, recovery: 'manual', spares: { data: 8, parity: 6 } });\n"
           "const a = lab.client('a');\n"
           "lab.measure({ name: 'rep', factors: { window: [1, 16] }, repetitions: 3, run: c => a.run({ do: 'insert', "
           "count: 100, window: c.window }) });";
    QTest::newRow("recoveries, and a workload beside them")
        << "lab.cluster({ m: 2, k: 2, b: 20, recovery: 'automatic', spares: { data: 80, parity: 80 } });\n"
           "const a = lab.client('a'), b = lab.client('b'); a.run({ count: 60 }); lab.settle();\n"
           "lab.measure({ name: 'rep', factors: { lost: [1, 2] }, repetitions: 2, run: c => {\n"
           "    const beside = b.start({ do: 'mixed', mix: { insert: 1, update: 1, search: 2 }, count: 200, window: 4 "
           "});\n"
           "    const fault = lab.kill(c.lost === 1 ? lab.data(1) : [lab.data(1), lab.parity(0, 1)]);\n"
           "    const done = lab.waitFor('RecoveryFinished', { timeout: 60 });\n"
           "    const worked = beside.wait(); lab.settle();\n"
           "    lab.restart(fault); lab.waitUntil(() => lab.spares().data > 2);\n"
           "    const timing = lab.recoveries().pop();\n"
           "    return { total_s: timing.total_s, comm_s: timing.comm_s, whole_s: timing.whole_s, records: "
           "done.records, p99_ms: worked.p99_ms, messages: worked.messages, work_s: worked.total_s }; } });";
    QTest::newRow("several clusters, and faults that draw")
        << "for (const count of [60, 120]) {\n"
           "    lab.cluster({ m: 4, k: 1, b: 40, recovery: 'manual', spares: { data: 12, parity: 6 } });\n"
           "    const a = lab.client('a'); a.run({ count }); lab.settle();\n"
           "    const loss = lab.net({ to: lab.data(0), drop: 0.3, duplicate: 0.2 });\n"
           "    const worked = a.run({ do: 'search', count: 50, window: 4 }); lab.heal(loss);\n"
           "    lab.kill(lab.data(1)); const timing = lab.recover({ group: 0 });\n"
           "    lab.row('rep', { count, resends: worked.resends, p99_ms: worked.p99_ms, total_s: timing.total_s, "
           "failed: a.verify().failed }); }";
    QTest::newRow("waits that time out")
        << "lab.cluster({ m: 4, k: 1, b: 100, spares: { data: 8, parity: 6 } }); const a = lab.client('a'); for (const "
           "t of [0.3, 0.4]) { a.run({ count: 300 });\n"
           "    for (const wait of [() => lab.waitFor('RecoveryFinished', { timeout: t }), () => lab.waitUntil(() => "
           "false, { timeout: t })]) try { wait(); } catch (e) { lab.row('rep', { t, code: e.code, now: lab.now() }); "
           "} }";
    QTest::newRow("clusters that end where the detail changes")
        << "let a; const make = () => { lab.cluster({ m: 4, k: 1, b: 100, spares: { data: 8, parity: 6 } }); a = "
           "lab.client('a'); a.run({ count: 100 }); };\n"
           "make(); for (let i = 0; i < 3; ++i) lab.measure({ name: 'rep', repetitions: 2, before: make, run: () => "
           "a.run({ do: 'update', count: 100, window: 4 }) });";
}

void SimProcessTest::oneSeedGivesTheSameTablesAtEverySpeed()
{
    QFETCH(QString, source);
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write(source.toUtf8());
    script.close();
    QStringList tables;
    for (const char* speed : { "max", "max", "20" }) {
        const QString out = directory.filePath(QString::number(tables.size()));
        const QString recording = directory.filePath("%1.lhrun").arg(tables.size());
        const PlayRun run = runPlay(
            { "--sim", "--seed", "7", "--speed", speed, "--csv", out, "--record", recording, script.fileName() });
        QVERIFY2(run.code == 0, qPrintable(run.out));
        QString all; // all results, in whatever format; runs.csv names the machine and the time
        for (const QString& name : QDir(out).entryList(QDir::Files, QDir::Name))
            all += name == "runs.csv" ? QString() : name + '\n' + textOf(out + '/' + name);
        tables << all;
    }
    for (const char* name :
        { "rep.csv", "operations.csv", "messages.csv", "commands.csv", "invariants.csv", "gaps.csv", "clusters.csv" })
        QVERIFY2(tables[0].contains(name), name);
    QVERIFY(tables[0].count('\n') > 500);
    QCOMPARE(textOf(directory.filePath("0/gaps.csv")).count('\n'), 1); // nothing was lost: only the header row
    QCOMPARE(tables[1], tables[0]);
    QCOMPARE(tables[2], tables[0]);
}

void SimProcessTest::virtualTimeWaitsForCommands()
{
    PausedSim sim(4);
    QVERIFY(sim.asked);
    sim.stepMs(300);
    const std::uint64_t alice = sim.start(pb::CLIENT, "alice");
    sim.stepMs(100);
    pb::Command clock;
    clock.mutable_set_clock()->set_waits_for_commands(true);
    const pb::SimulationState before = sim.ask(clock).simulation();
    QVERIFY(!before.is_paused() && before.waits_for_commands());
    // A command that lets time pass is answered, and time stops at that instant.
    pb::Command work;
    work.mutable_run_workload()->set_kind(pb::INSERT);
    work.mutable_run_workload()->set_count(40);
    work.mutable_run_workload()->set_window(1);
    work.mutable_run_workload()->set_length(20);
    work.set_passing_ns(60'000'000'000);
    QCOMPARE(sim.ask(work, alice).workload().operations(), std::uint64_t(40));
    pb::Command question;
    question.mutable_describe_simulation();
    const std::int64_t after = sim.ask(question).simulation().virtual_ns();
    QVERIFY(after > before.virtual_ns());
    QCOMPARE(sim.ask(question).simulation().virtual_ns(), after);
    // A command that is not answered in time ends at its limit.
    pb::Command hold;
    hold.mutable_hold_workload()->set_is_held(true);
    hold.set_passing_ns(1'000'000'000);
    sim.ask(hold, alice);
    const std::int64_t held = sim.ask(question).simulation().virtual_ns();
    work.set_passing_ns(2'000'000'000);
    QCOMPARE(sim.ask(work, alice).refusal(), pb::TIMED_OUT);
    QCOMPARE(sim.ask(question).simulation().virtual_ns(), held + 2'000'000'000);
    // A step is such a command too.
    QCOMPARE(sim.stepMs(5).virtual_ns(), held + 2'005'000'000);
    QVERIFY(!sim.ask(question).simulation().is_paused());
}

void SimProcessTest::virtualTimeObeys()
{
    PausedSim sim(1);
    QVERIFY(sim.asked);
    pb::Command command;
    command.mutable_describe_simulation();
    QCOMPARE(sim.ask(command).simulation().virtual_ns(), std::int64_t(0));
    QCOMPARE(sim.stepMs(5).virtual_ns(), std::int64_t(5'000'000));
    command.mutable_step_clock()->set_messages(1);
    const pb::SimulationState one = sim.ask(command).simulation();
    command.mutable_step_clock()->set_messages(1);
    QCOMPARE(sim.ask(command).simulation().messages(), one.messages() + 1);
    command.mutable_set_clock()->set_factor(0.5);
    QVERIFY(!sim.ask(command).simulation().is_paused());
    command.mutable_describe_simulation();
    QElapsedTimer timer;
    timer.start(); // before the question, whose answer may be delayed
    const std::int64_t from = sim.ask(command).simulation().virtual_ns();
    std::int64_t now = from;
    while (now - from < 50'000'000) // time advances, but not faster than allowed
        now = sim.ask(command).simulation().virtual_ns();
    QVERIFY(timer.nsecsElapsed() >= 2 * 49'000'000);
    command.mutable_set_clock()->set_is_paused(true);
    const std::int64_t stands = sim.ask(command).simulation().virtual_ns();
    command.mutable_describe_simulation();
    QCOMPARE(sim.ask(command).simulation().virtual_ns(), stands);
}

void SimProcessTest::aScriptSetsTheClock()
{
    SimulatedStage stage({ 9, 1 });
    const ScriptResult result = stage.play(
        "const made = lab.cluster({ m: 2, k: 1, b: 50, spares: { data: 3, parity: 2 } });\n"
        "lab.expect(made.simulated && lab.simulated, 'it is simulated');\n"
        "const c = lab.client('alice'); c.run({ do: 'insert', count: 10 });\n"
        "lab.expectEqual(lab.clock().seed, 9, 'its seed');\n"
        "const stands = lab.clock({ paused: true });\n"
        "lab.expect(stands.paused && lab.now() === lab.now(), 'virtual time stands still');\n"
        "lab.expectEqual(lab.file().records === null, false, 'what only asks is answered all the same');\n"
        "const on = lab.clock({ step: 'ms', count: 20 });\n"
        "lab.expectWithin(on.now_s - stands.now_s, 0.0199, 0.0201, 'twenty milliseconds');\n"
        "lab.clock({ step: 'event' }); lab.clock({ step: 'message' });\n"
        "lab.expectEqual(lab.clock({ speed: 0 }).speed, 0, 'as fast as possible');\n"
        "lab.expectEqual(c.verify().equal, 10, 'and it goes on');\n"
        "lab.expectError('Refused', () => lab.release());\n"
        "lab.expectEqual(lab.gate(true).closed, true, 'the gate is closed');\n"
        "const passed = lab.release({ count: 3, clock: true });\n"
        "lab.expectEqual(passed.length, 3, 'three messages are let through by hand');\n"
        "lab.expect(passed.every(m => m.kind && m.to && m.number > 0) && Array.isArray(lab.held()), 'and named');\n"
        "lab.expectEqual(lab.gate(false).closed, false, 'open again');\n"
        "lab.expectEqual(lab.holdWorkload(true), 1, 'the workload of a simulated client is held, too');\n"
        "lab.expectError('Timeout', () => c.insert(1, 'x', { timeout: 0.5 }));\n"
        "lab.expectEqual(lab.holdWorkload(false), 0, 'and released');\n"
        "lab.expectError('BadArgument', () => lab.clock({ speed: 0.0001 }));\n"
        "lab.expectError('BadArgument', () => lab.clock({ speed: 1, paused: true }));");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void SimProcessTest::whoEndsByItselfIsKnown()
{
    SimulatedStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 50, recovery: 'automatic', spares: { data: 3, parity: 2 } });\n"
        "const c = lab.client('alice'); c.run({ do: 'insert', count: 10 });\n"
        "const name = lab.bucket(lab.data(0)).process;\n"
        "const fault = lab.kill(lab.data(0), { at: 'RecordInserted', count: 2 });\n"
        "c.run({ do: 'insert', count: 3 });\n"
        "lab.waitFor('RecoveryFinished', { timeout: 30 }); lab.settle();\n"
        "lab.expect(lab.bucket(lab.data(0)).process !== name, 'another holds its place');\n"
        "lab.expectEqual(c.verify().missing, 0, 'nothing is missing');\n"
        "const paused = lab.pause(lab.data(0), { lease: 3600 });\n"
        "lab.expectEqual(lab.faults().map(f => [f.kind, f.processes]), [['pause', paused.victims]], 'it stands "
        "still');\n"
        "lab.expectEqual(lab.resume(paused).victims, paused.victims, 'and goes on');\n"
        "lab.expectEqual(lab.faults(), [], 'nothing is armed');\n"
        "lab.expectError('Refused', () => lab.resume(lab.data(0)));\n"
        "lab.expectEqual(lab.restart(lab.coordinator()).processes, ['coordinator'], 'another coordinator');\n"
        "lab.kill(lab.data(0)); lab.waitFor('RecoveryFinished', { timeout: 30 }); lab.settle();\n"
        "lab.expectEqual(c.verify().missing, 0, 'all there');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    int ended = 0;
    for (const KnownProcess& known : stage.session.control().directory())
        ended += known.hasEnded ? 1 : 0;
    QVERIFY(ended >= 2);
}

void SimProcessTest::whoIsKilledByOneCallDiesAtOneInstant()
{
    SimulatedStage stage({ 1, 0 }); // as fast as possible: much happens between two commands
    const ScriptResult result = stage.play(
        "lab.cluster({ m: 2, k: 2, b: 5, recovery: 'off', spares: { data: 3, parity: 3 } });\n"
        "lab.client('alice').run({ do: 'insert', count: 6 }); lab.waitFor('SplitFinished'); lab.settle();\n"
        // Events are checked at once, as they arrive: at this speed they are not kept for long.
        "const told = calls => { const from = lab.here(); calls(); return lab.waitFor('FaultBegun', { count: 2, since: "
        "from }).map(e => e.t_s); };\n"
        "for (let i = 0; i < 10; ++i) { // two commands come together by chance, too\n"
        "    const paused = told(() => lab.pause(lab.data([0, 1]), { lease: 0.05 })); lab.settle();\n"
        "    lab.expectEqual([paused.length, paused[0]], [2, paused[1]], 'two pauses, one instant');\n"
        "}\n"
        "const killed = told(() => { const two = lab.kill([lab.data(1), lab.parity(0, 0), lab.data(1)]); "
        "lab.expectEqual(two.victims.length, 2, 'each once'); });\n"
        "lab.expectEqual([killed.length, killed[0]], [2, killed[1]], 'two kills, one instant');\n"
        "lab.expectEqual([lab.clock().paused, lab.clock().speed], [false, 0], 'and time goes on as fast as before');\n"
        "let said = ''; try { lab.kill([lab.data(0), 7]); } catch (e) { said = e.message; }\n"
        "lab.expect(said.indexOf('a list of targets') >= 0, said);");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void SimProcessTest::aSlowClockHasPatientScripts()
{
    SimulatedStage stage({ 1, 0.05 });
    const ScriptResult result = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 5, spares: { data: 3, parity: 2 } });\n"
        "const c = lab.client('alice'), began = lab.now(); c.run({ do: 'insert', count: 6, timeout: 2 });\n"
        "lab.waitFor('SplitFinished', { timeout: 1 });\n"
        "lab.expectWithin(lab.now() - began, 0, 1, 'virtual seconds');\n"
        "const inserts = lab.events({ kind: 'RecordInserted' });\n"
        "lab.expectWithin(inserts[5].t_s - inserts[0].t_s, 0.001, 0.1, 'times of events are virtual');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void SimProcessTest::whatIsMeasuredAndRecordedSaysThatItIsSimulated()
{
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("lab.cluster({ k: 0, b: 50, spares: { data: 1, parity: 0 } }); const c = lab.client('alice');\n"
                 "lab.measure({ name: 'numbers', cases: [{}], repetitions: 1, warmUp: 0, run: () => c.run({ do: "
                 "'insert', count: 5 }) });");
    script.close();
    const PlayRun run = runPlay({ "--sim", "--seed", "23", "--csv", directory.filePath("out"), "--record",
        directory.filePath("run.lhrun"), script.fileName() });
    QVERIFY2(run.code == 0, qPrintable(run.out));
    const QStringList rows = textOf(directory.filePath("out/numbers.csv")).split("\r\n");
    QCOMPARE(rows.value(1).section(',', 1, 1), QString("true"));
    const auto recording = Recording::open(directory.filePath("run.lhrun"));
    QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
    QVERIFY((*recording)->isSimulated());
    QCOMPARE((*recording)->meta("seed"), QString("23"));
}

void SimProcessTest::aSecondClusterOfTheSameSeedIsSeen()
{
    SimulatedStage stage;
    for (int round = 0; round < 2; ++round) {
        const ScriptResult result = stage.play(
            "lab.cluster({ m: 2, k: 1, b: 5, spares: { data: 3, parity: 2 } });\n"
            "lab.client('alice').run({ do: 'insert', count: 6 }); lab.waitFor('SplitFinished'); lab.settle();\n"
            "lab.expectEqual(lab.file().M, 2, 'two buckets');");
        QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
        const ClusterState seen = stage.session.ingest().state();
        QVERIFY(seen.isSimulated);
        QCOMPARE(seen.processes.size(), std::size_t(7));
    }
    stage.session.local().stop();
    QCOMPARE(stage.session.local().processes(), std::size_t(0));
}

void SimProcessTest::aSimulatedClusterIsConnectedToAsAnyOther()
{
    test::Program program("lhrs-sim", { "-m", "2", "-b", "10", "--data-spares", "3", "--parity-spares", "2" });
    QVERIFY(program.isReady());
    QTemporaryDir directory;
    QFile script(directory.filePath("s.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("const c = lab.cluster({ m: 2, k: 1, b: 10 });\n"
                 "lab.expect(c.simulated, 'it says that it is simulated');\n"
                 "lab.expectEqual(lab.spares(), { data: 2, parity: 1 }, 'its spares');\n"
                 "lab.waitUntil(() => lab.now() > 0);");
    script.close();
    const QString endpoint = QString::fromStdString(program.at("control")).section('/', -1);
    const PlayRun run = runPlay({ "--connect", endpoint, script.fileName() });
    QVERIFY2(run.code == 0, qPrintable(run.out));
}

void SimProcessTest::aThousandBucketsAreSimulated()
{
    PausedSim sim(1, { "-k", "0", "-b", "2", "--data-spares", "1030", "--parity-spares", "0", "--recovery", "off" });
    QVERIFY(sim.asked);
    sim.watcher.reset(); // without a watcher no time is spent waiting
    sim.stepMs(500);
    const std::uint64_t alice = sim.start(pb::CLIENT, "alice");
    sim.stepMs(10);
    pb::Command work;
    work.mutable_run_workload()->set_kind(pb::INSERT);
    work.mutable_run_workload()->set_count(2'100);
    work.mutable_run_workload()->set_window(8);
    work.set_process(alice);
    work.set_ticket(1);
    sim.asked->send(work);
    pb::Command run;
    run.set_ticket(2);
    run.mutable_set_clock()->set_factor(0);
    sim.asked->send(run);
    // The clock is set at once; the work takes time on a busy machine.
    constexpr std::chrono::seconds kBusy(100);
    QVERIFY(sim.asked->receive(kBusy));
    QVERIFY(sim.asked->receive(kBusy));
    pb::Command command;
    command.mutable_describe_file();
    QTRY_VERIFY_WITH_TIMEOUT(sim.ask(command).file().buckets() >= 1'024, 120'000);
}

void SimProcessTest::theCaseOfASeedIsPlayed()
{
    test::Program program("lhrs-sim", { "--case", "--seed", "3", "--speed", "max" });
    QVERIFY(program.isReady());
    test::ControlSocket asked(program.at("control"));
    pb::Command command;
    command.mutable_describe_simulation();
    pb::SimulationState state;
    QTRY_VERIFY_WITH_TIMEOUT((state = asked.call(command)->simulation()).is_over(), 60'000);
    QCOMPARE(state.plays(), std::string("the case of seed 3"));
    QCOMPARE(state.violation(), std::string());
    command.mutable_describe_file();
    QVERIFY(asked.call(command)->file().exists());
    command.mutable_force_split();
    QCOMPARE(asked.call(command)->refusal(), pb::REFUSED);
    command.mutable_shutdown();
    QVERIFY(asked.call(command));
    QVERIFY(program.waitForEnd());
    QCOMPARE(program.exitCode(), 0);
    QVERIFY(program.output().contains("the case of seed 3: everything held after "));
}

void SimProcessTest::aWrongLineEndsWithASentence_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* words, const char* says) {
        QTest::newRow(words) << QString::fromUtf8(words).split(' ') << QString::fromUtf8(says);
    };
    row("--speed 0", "\"0\" is not max or a factor from 0.001 to 100");
    row("--speed 101", "from 0.001 to 100");
    row("--speed fast", "\"fast\" is not");
    row("--seed -1", "\"-1\" is not a seed");
    row("--data-spares 100000", "from 0 to 2000");
    row("--delay 0", "from 1 to");
    row("-m 33", "from 1 to 32");
    row("--case-file missing.case", "missing.case cannot be read");
    row("--coordinator 127.0.0.1:1", "--coordinator");
}

void SimProcessTest::aWrongLineEndsWithASentence()
{
    QFETCH(const QStringList, words);
    QFETCH(const QString, says);
    test::Program program("lhrs-sim", words);
    QVERIFY(program.waitForEnd());
    QCOMPARE(program.exitCode(), kExitUsage);
    const QString said = program.errors();
    QVERIFY2(said.startsWith("lhrs-sim: ") && said.contains(says) && said.trimmed().count('\n') == 0, qPrintable(said));
}

void SimProcessTest::itEndsWithWhoStartedIt()
{
    pid_t simulator = 0;
    {
        SimulatedStage stage;
        QVERIFY(
            stage.play("lab.cluster({ k: 0, b: 10, spares: { data: 1, parity: 0 } });").outcome == ScriptOutcome::Held);
        simulator = pid_t(stage.session.control().directory().front().info.pid());
        QVERIFY(signalOne(simulator, 0));
    }
    QVERIFY(!signalOne(simulator, 0));
}

QTEST_GUILESS_MAIN(SimProcessTest)
#include "tst_sim_process.moc"
