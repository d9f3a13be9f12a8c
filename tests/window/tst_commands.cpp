// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a window's commands, without a window: the worker, the report of what is said and answered, the lines of
// faults, and what each part does to a simulated cluster.
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/window/commands/cluster_commands.h"
#include "gui/window/commands/lhrs/file_commands.h"
#include "gui/window/commands/lhrs/file_line.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <vector>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 30'000;

// The commands of a window that has started a small simulated cluster with one client.
struct SimulatedRun {
    SimulatedRun()
    {
        LocalOptions options;
        options.config.set_m(2);
        options.config.set_availability(1);
        options.config.set_b(10);
        options.dataServers = 4;
        options.parityServers = 2;
        options.simulated = SimulatedOptions { .seed = 5, .speed = 1 };
        commands.link().start(options, fileLine(options, 100), 100, 1);
    }
    ClusterState state() { return commands.session().ingest().state(); }
    bool isThere()
    {
        return QTest::qWaitFor(
            [this] {
                return commands.link().state() == LinkState::Here && state().file.exists && !state().clients.empty();
            },
            kLimit);
    }
    // Waits for the next answer; empty: there is none.
    QList<QVariant> answer()
    {
        return QTest::qWaitFor([this] { return !answered.isEmpty(); }, kLimit) ? answered.takeFirst()
                                                                               : QList<QVariant>();
    }
    bool isGood() { return answer().value(2).toBool(); }
    ProcessId client() { return state().clients.begin()->first; }

    ClusterCommands commands;
    QSignalSpy answered { &commands.report(), &CommandReport::answered };
};

} // namespace

Q_DECLARE_METATYPE(lhrs::gui::FaultWish)

class CommandsTest : public QObject {
    Q_OBJECT
private slots:
    void tasksRunOneAfterTheOther();
    void atTheEndTasksAreToldToStop();
    void aCommandIsSaidThenAnswered();
    void aCommandToNobodyIsAnsweredToo();
    void faultsHaveTheirLines_data();
    void faultsHaveTheirLines();
    void clientsHaveNames();
    void anAddressThatIsNoneIsTrouble();
    void eachPartActsOnTheCluster();
    void theClockStandsAndGoes();
    void anotherClusterHasNoFaults();
};

void CommandsTest::tasksRunOneAfterTheOther()
{
    std::vector<int> order;
    std::vector<std::thread::id> threads;
    {
        CommandWorker worker;
        for (int i = 0; i < 20; ++i)
            worker.post([&, i](const std::stop_token&) {
                order.push_back(i);
                threads.push_back(std::this_thread::get_id());
            });
    }
    QCOMPARE(order.size(), std::size_t(20));
    QVERIFY(std::is_sorted(order.begin(), order.end()));
    QVERIFY(std::all_of(threads.begin(), threads.end(),
        [&](std::thread::id id) { return id == threads.front() && id != std::this_thread::get_id(); }));
}

void CommandsTest::atTheEndTasksAreToldToStop()
{
    bool isStopped = false, isNextStopped = false;
    {
        CommandWorker worker;
        worker.post([&](const std::stop_token& stop) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any().wait(lock, stop, [] { return false; }); // for ever, unless it is told
            isStopped = stop.stop_requested();
        });
        worker.post([&](const std::stop_token& stop) { isNextStopped = stop.stop_requested(); });
    }
    QVERIFY(isStopped && isNextStopped);
}

void CommandsTest::aCommandIsSaidThenAnswered()
{
    Session session;
    CommandWorker worker;
    CommandReport report(session.control(), worker);
    QStringList heard;
    connect(&report, &CommandReport::said, this, [&](const QString& line) { heard << "said " + line; });
    connect(&report, &CommandReport::answered, this, [&](const QString& line, const QString& words, bool isGood) {
        heard << "answered " + line + (isGood ? " good " : " bad ") + words;
    });
    report.work("a", [&](const std::stop_token&) { return CommandOutcome { "done", true, [&] { heard << "then"; } }; });
    QCOMPARE(heard, QStringList { "said a" }); // the answer comes from the event loop, whatever the worker does
    QTRY_COMPARE_WITH_TIMEOUT(heard, (QStringList { "said a", "answered a good done", "then" }), kLimit);
    heard.clear();
    report.tell("b", outcomeOf(Error { "no" }, "done"));
    QCOMPARE(heard, (QStringList { "said b", "answered b bad no" }));
    heard.clear();
    report.tell("c", outcomeOf({}, "done"));
    QCOMPARE(heard, (QStringList { "said c", "answered c good done" }));
}

void CommandsTest::aCommandToNobodyIsAnsweredToo()
{
    ClusterCommands commands;
    const QSignalSpy said(&commands.report(), &CommandReport::said);
    QSignalSpy answered(&commands.report(), &CommandReport::answered);
    (new FileCommands(commands))->file.split();
    QCOMPARE(said.size(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(answered.size(), 1, kLimit);
    QCOMPARE(answered[0][0].toString(), QStringLiteral("lab.split();"));
    QVERIFY(!answered[0][1].toString().isEmpty() && !answered[0][2].toBool());
    commands.faults().kill(7, QStringLiteral("lab.data(0)"));
    QTRY_COMPARE_WITH_TIMEOUT(answered.size(), 2, kLimit);
    QCOMPARE(answered[1][0].toString(), QStringLiteral("lab.kill(lab.data(0));"));
    QCOMPARE(answered[1][1].toString(), QStringLiteral("There is no such process."));
}

void CommandsTest::faultsHaveTheirLines_data()
{
    QTest::addColumn<FaultWish>("wish");
    QTest::addColumn<QString>("line");
    FaultWish wish;
    wish.second = { 3 };
    wish.network.set_drop(0.5);
    wish.network.add_kinds("delta");
    QTest::newRow("network") << wish << "lab.net({ to: lab.process('data-3'), kinds: 'delta', drop: 0.5, lease: 60 });";
    wish = FaultWish();
    wish.kind = FaultWish::Kind::Partition;
    wish.first = { 3, 4 };
    wish.secondIsRest = true;
    wish.direction = PartitionSides::Direction::BToA;
    QTest::newRow("partition") << wish
                               << "lab.partition([lab.process('data-3'), lab.process('4')], 'rest', { direction: "
                                  "'bToA', lease: 60 });";
    wish = FaultWish();
    wish.kind = FaultWish::Kind::Pause;
    wish.first = { 3 };
    wish.lease = std::chrono::seconds(5);
    QTest::newRow("pause") << wish << "lab.pause(lab.process('data-3'), { lease: 5 });";
    wish.kind = FaultWish::Kind::Kill;
    wish.first = { 3, 4 };
    QTest::newRow("kill") << wish << "lab.kill(lab.process('data-3')); lab.kill(lab.process('4'));";
    wish.kind = FaultWish::Kind::KillAtStep;
    wish.first = { 3 };
    wish.step = "SplitPrepared";
    wish.count = 2;
    QTest::newRow("step") << wish << "lab.kill(lab.process('data-3'), { at: 'SplitPrepared', count: 2, lease: 5 });";
}

void CommandsTest::faultsHaveTheirLines()
{
    QFETCH(FaultWish, wish);
    ClusterState state;
    state.processes[3].name = "data-3";
    QTEST(faultLine(wish, state), "line");
}

void CommandsTest::clientsHaveNames()
{
    QCOMPARE(clientNameOf(0), QStringLiteral("alice"));
    QCOMPARE(clientNameOf(7), QStringLiteral("heidi"));
    QCOMPARE(clientNameOf(8), QStringLiteral("client-9"));
}

void CommandsTest::anAddressThatIsNoneIsTrouble()
{
    ClusterCommands commands;
    const QSignalSpy changed(&commands.link(), &ClusterLink::changed),
        another(&commands.link(), &ClusterLink::clusterChanged);
    commands.link().connectTo(QStringLiteral("nowhere"));
    QCOMPARE(commands.link().state(), LinkState::None);
    QVERIFY(!commands.link().trouble().isEmpty());
    QCOMPARE(changed.size(), 1);
    QCOMPARE(another.size(), 0);
}

void CommandsTest::eachPartActsOnTheCluster()
{
    SimulatedRun run;
    ClusterCommands& commands = run.commands;
    QVERIFY(commands.link().isLocal());
    QVERIFY(run.isThere());
    QVERIFY(run.isGood()); // the start
    const ProcessId alice = run.client();
    QCOMPARE(commands.clients().name(alice), QStringLiteral("alice"));
    QCOMPARE(commands.clients().nextName(), QStringLiteral("bob"));

    // What a client has not stored itself it does not update; the reason is said.
    commands.clients().run(alice, { pb::UPDATE, 3, 1 });
    const QList<QVariant> refused = run.answer();
    QVERIFY(!refused.value(2).toBool() && refused.value(1).toString().startsWith("alice has stored no record itself"));
    commands.clients().run(alice, { pb::INSERT, 8, 1 });
    QVERIFY(run.isGood());
    auto& ofFile = *new FileCommands(commands);
    ofFile.clients.insert(alice, 12'345);
    QVERIFY(run.isGood());
    ofFile.clients.search(alice, 12'345);
    QVERIFY(run.isGood());

    const QSignalSpy started(&commands.clients(), &ClusterClients::started);
    commands.clients().start();
    QVERIFY(run.isGood());
    QTRY_COMPARE_WITH_TIMEOUT(started.size(), 1, kLimit);
    QCOMPARE(commands.clients().name(started[0][0].toULongLong()), QStringLiteral("bob"));

    ofFile.file.split();
    QVERIFY(run.isGood());
    ofFile.file.addSpares(1, 1);
    QCOMPARE(run.answer().value(1).toString(), QStringLiteral("1 more data and 1 more parity servers"));
    ofFile.audits.auditAll();
    QVERIFY(run.isGood());
    commands.link().setDetail(pb::FULL);
    QCOMPARE(run.answer().value(0).toString(), QStringLiteral("lab.detail('full');"));

    commands.gate().holdWorkload(true);
    QVERIFY(run.isGood() && commands.session().control().isWorkloadHeld());
    commands.gate().holdWorkload(false);
    QVERIFY(run.isGood() && !commands.session().control().isWorkloadHeld());
}

void CommandsTest::theClockStandsAndGoes()
{
    SimulatedRun run;
    QVERIFY(run.isThere() && run.isGood());
    const auto simulation = [&] { return run.commands.session().control().simulation(); };
    run.commands.clock().pause();
    QVERIFY(run.isGood() && simulation()->is_paused());
    run.commands.clock().run(0.5);
    QVERIFY(run.isGood() && !simulation()->is_paused() && simulation()->factor() == 0.5);
    run.commands.clock().step(ClockStep::Millisecond);
    QVERIFY(run.isGood() && simulation()->is_paused());
    QVERIFY(run.commands.clock().zeroNs());
}

void CommandsTest::anotherClusterHasNoFaults()
{
    SimulatedRun run;
    ClusterCommands& commands = run.commands;
    QVERIFY(run.isThere() && run.isGood());
    const QSignalSpy listed(&commands.faults(), &ClusterFaults::listed);
    FaultWish wish;
    wish.network.set_delay_ms(1);
    wish.second = { run.client() };
    wish.isKept = true;
    commands.faults().arm(wish);
    QVERIFY(run.isGood());
    QTRY_VERIFY_WITH_TIMEOUT(listed.size() > 0 && commands.faults().armed().size() == 1, kLimit); // it asks by itself
    QVERIFY(commands.faults().armed().front().isKept);
    commands.link().leave();
    QVERIFY(commands.faults().armed().empty());
    QVERIFY(!commands.link().isLocal());
    QCOMPARE(commands.link().state(), LinkState::None);
    QTRY_COMPARE_WITH_TIMEOUT(commands.session().local().processes(), std::size_t(0), kLimit);
}

QTEST_GUILESS_MAIN(CommandsTest)
#include "tst_commands.moc"
