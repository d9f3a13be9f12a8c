// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of a local cluster that cannot be started are named, and what is asked of no cluster is refused in words.
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/session.h"
#include "gui/lab/local/local_options.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::gui;

class LocalClusterTest : public QObject {
    Q_OBJECT
private slots:
    void programsThatAreMissingAreNamed();
    void aProgramThatEndsAtOnceIsNamedWithItsLastWords();
    void withoutAClusterEachCallSaysWhy();
    void timeoutsAreScaledByTheTimersAndTheMachine();
    void aCaseBringsItsOwnServers();
};

void LocalClusterTest::programsThatAreMissingAreNamed()
{
    Session session;
    session.local().setProgramDirectory("/nonexistent");
    LocalOptions options;
    options.config.set_m(4);
    options.config.set_b(10);
    const auto started = session.local().start(options);
    QVERIFY(!started);
    QVERIFY2(started.error().text.find("lhrs-coordinator is not in /nonexistent") != std::string::npos,
        started.error().text.c_str());
    QCOMPARE(session.local().processes(), 0u);
}

void LocalClusterTest::aProgramThatEndsAtOnceIsNamedWithItsLastWords()
{
    QTemporaryDir directory;
    QFile program(directory.filePath("lhrs-coordinator"));
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write("#!/bin/sh\necho 'the port 4711 is in use' >&2\nexit 1\n");
    program.close();
    program.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    Session session;
    session.local().setProgramDirectory(directory.path().toStdString());
    const auto started = session.local().start(LocalOptions());
    QVERIFY(!started);
    QVERIFY2(started.error().text.find(
                 "coordinator did not start: it ended with exit code 1; it says: the port 4711 is in use")
            != std::string::npos,
        started.error().text.c_str());
    QCOMPARE(session.local().processes(), 0u);
}

void LocalClusterTest::withoutAClusterEachCallSaysWhy()
{
    Session session;
    LocalCluster& local = session.local();
    const auto why = [](const auto& result) {
        return result ? QString() : QString::fromStdString(result.error().text);
    };
    QVERIFY(!local.isRunning() && !local.options() && !local.patience());
    QCOMPARE(why(local.addServers(pb::DATA, 1)),
        QStringLiteral("No cluster of this program runs, so no server can be added."));
    QCOMPARE(why(local.startClient("alice")),
        QStringLiteral("No cluster of this program runs, so no client can be started."));
    for (const auto& refused : { local.kill({ 7 }), local.pause({ 7 }, std::chrono::seconds(1)), local.resume({ 7 }) })
        QCOMPARE(why(refused), QStringLiteral("There is no such process."));
    QCOMPARE(why(local.restart({ 7 })),
        QStringLiteral("Only a process that this program has started can be started again."));
    QCOMPARE(local.paused().size() + local.ended() + local.resumeAll() + local.processes(), std::size_t(0));
}

void LocalClusterTest::timeoutsAreScaledByTheTimersAndTheMachine()
{
    const auto scale = [](const LocalOptions& options, unsigned ofMachine) {
        const std::vector<std::string> arguments = linesOf(options, ofMachine).coordinator;
        const auto at = std::find(arguments.begin(), arguments.end(), "--time-scale");
        return at == arguments.end() ? std::string() : *std::next(at);
    };
    LocalOptions options;
    QCOMPARE(scale(options, 1), std::string());
    QCOMPARE(scale(options, 4), std::string("4"));
    options.slowTimers = true;
    QCOMPARE(scale(options, 1), std::string("5"));
    options.ring = RingOptions();
    QCOMPARE(scale(options, 2), std::string("10"));
}

void LocalClusterTest::aCaseBringsItsOwnServers()
{
    LocalOptions options;
    options.simulated = SimulatedOptions();
    QCOMPARE(linesOf(options).servers(), options.dataServers + options.parityServers);
    options.simulated->isCase = true;
    QCOMPARE(linesOf(options).servers(), 0u);
}

QTEST_GUILESS_MAIN(LocalClusterTest)
#include "tst_local_cluster.moc"
