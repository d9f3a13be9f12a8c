// SPDX-License-Identifier: GPL-3.0-or-later
// A machine that wakes its processes late: the delay is measured, the timeouts are chosen by it, and a bucket that was
// only late is not shown as failed.
#include "common/lhrs/failure_reasons.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/words/lhrs/failure_cause.h"
#include "gui/lab/state/keyframe.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/machine_patience.h"
#include "gui/lab/export/play_printer.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/recording/recording.h"
#include "gui/lab/replay/recording_observer.h"
#include "gui/lab/words/sentences.h"
#include "gui/lab/local/session.h"
#include "node/runtime/wake_meter.h"
#include "tests/rigs/lab/signals.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <limits>
#include <set>
#include <thread>

using namespace lhrs;
using namespace lhrs::gui;
using namespace std::chrono_literals;

namespace {

constexpr ProcessId kFilesCoordinator = 1, kBucket = 2, kParity = 3, kFilesClient = 4;
const std::string kLateWords = "this machine wakes processes up to 81 ms late; failures are declared after 0.96 s";
constexpr std::int64_t kSecond = 1'000'000'000, kFailedNs = 10 * kSecond;

// A file of one group on this machine, at the moment when its data bucket 0 is declared failed.
struct Failing {
    ClusterState state;
    pb::Event failed;

    explicit Failing(const char* reason = kAnswersNoProbes)
    {
        for (const auto& [process, name, kind] :
            { std::tuple(kFilesCoordinator, "coordinator", pb::COORDINATOR), std::tuple(kBucket, "data-1", pb::NODE),
                std::tuple(kParity, "parity-1", pb::NODE), std::tuple(kFilesClient, "alice", pb::CLIENT) }) {
            pb::ProcessInfo info;
            info.set_node(process);
            info.set_kind(kind);
            info.set_name(name);
            info.mutable_address()->set_ip(0x7f000001);
            state.introduce(info);
        }
        failed.set_sequence(7);
        pb::BucketFailed& e = *failed.mutable_bucket_failed();
        e.set_role(pb::DATA);
        e.set_process(kBucket);
        e.set_k_left(1);
        e.set_reason(reason);
    }

    void suspectAndFail(std::int64_t suspectedNs = kFailedNs - 3 * kSecond / 10)
    {
        pb::Event suspected;
        suspected.set_sequence(6);
        suspected.mutable_member_suspected()->set_role(pb::DATA);
        suspected.mutable_member_suspected()->set_reason("a member of its group has not heard of it");
        state.apply(kFilesCoordinator, suspected, suspectedNs);
        state.apply(kFilesCoordinator, failed, kFailedNs);
    }
    void hear(ProcessId process, std::int64_t ns)
    {
        pb::Event event;
        event.mutable_gauges()->set_records(1);
        state.apply(process, event, ns);
    }
    void pause(ProcessId process, bool isPaused, std::int64_t ns)
    {
        pb::Told told;
        told.mutable_paused()->set_is_paused(isPaused);
        state.apply(process, told, ns);
    }
    void fault(ProcessId process, const std::function<void(pb::Fault&)>& fill, std::int64_t ns)
    {
        pb::Event event;
        pb::Fault& fault = *event.mutable_fault_begun()->mutable_fault();
        fault.set_number(5);
        fill(fault);
        state.apply(process, event, ns);
    }
    std::string shown() const { return shownReason(state, kFilesCoordinator, failed); }
};

void loses(pb::Fault& fault) { fault.mutable_network()->set_drop(1); }
void cutsOff(pb::Fault& fault) { fault.mutable_partition()->add_peers()->set_node(kFilesCoordinator); }
void crashes(pb::Fault& fault) { fault.mutable_crash()->set_at("split_committed"); }

LocalOptions smallFile()
{
    LocalOptions options;
    options.config.set_m(4);
    options.config.set_availability(1);
    options.config.set_b(50);
    options.dataServers = 1;
    options.parityServers = 3;
    return options;
}

// The chosen scale fits the measurement, and the coordinator has the timeouts.
void checkChoice(const MachinePatience& patience)
{
    QVERIFY(patience.wakeLateNs > 0);
    QCOMPARE(patience.timeScale, timeScaleFor(patience.wakeLateNs));
    if (patience.timeScale > 1) {
        QCOMPARE(patience.timers.suspect_ms(), 150 * patience.timeScale);
        QCOMPARE(patience.timers.probes_max(), 3u);
    }
}

} // namespace

class PatienceTest : public QObject {
    Q_OBJECT

private slots:
    void theScaleFollowsTheLateness();
    void thePatienceIsSaidInWords();
    void theMeterKeepsTheWorstTimeOut();
    void aProcessThatStoodStillSaysHowLateItWas();
    void aScenarioThatStoodStillHasLostNoTime();
    void aClusterBesideBusyLoopsMeasuresItself();
    void aClusterOfLateProcessesIsMorePatient();
    void aFailureKeepsItsCause_data();
    void aFailureKeepsItsCause();
    void theCauseOutlivesAKeyframe();
    void theRecordingAndThePlayerSayIt();
};

void PatienceTest::theScaleFollowsTheLateness()
{
    QCOMPARE(timeScaleFor(0), 1u);
    QCOMPARE(timeScaleFor(5'000'000), 1u); // a calm machine
    QCOMPARE(timeScaleFor(40'000'000), 2u);
    QCOMPARE(timeScaleFor(std::numeric_limits<std::int64_t>::max()), 8u);
    unsigned before = 1;
    std::set<unsigned> steps;
    for (std::int64_t ns = 0; ns < kSecond; ns += 1'000'000) {
        const unsigned scale = timeScaleFor(ns);
        QVERIFY2(scale >= before && scale <= 8, qPrintable(QString::number(ns)));
        steps.insert(before = scale);
    }
    QCOMPARE(steps, (std::set<unsigned> { 1, 2, 4, 8 }));
}

void PatienceTest::thePatienceIsSaidInWords()
{
    QCOMPARE(patienceWords({ 3'000'000, 1, {} }), std::string());
    MachinePatience late { 80'400'000, 4, {} };
    late.timers.set_suspect_ms(600);
    late.timers.set_probe_ms(120);
    late.timers.set_probes_max(3);
    QCOMPARE(declaredAfterMs(late.timers), 960);
    QCOMPARE(patienceWords(late), kLateWords);
}

void PatienceTest::theMeterKeepsTheWorstTimeOut()
{
    const WakeMeter::Clock::time_point start {};
    WakeMeter meter(start);
    QCOMPARE(meter.wait(-1, start), 5);
    meter.onTimeout(start + 5ms);
    QCOMPARE(meter.worst(), 0ns);
    QCOMPARE(meter.wait(3, start + 10ms), 3); // an earlier deadline is not put off
    meter.onTimeout(start + 10ms + 3ms + 7ms);
    QCOMPARE(meter.worst(), 7ms);
    QCOMPARE(meter.wait(60'000, start + 30ms), 5);
    meter.onTimeout(start + 30ms + 5ms + 2ms);
    QCOMPARE(meter.worst(), 7ms);
    QCOMPARE(meter.wait(-1, start + 2s), -1); // later only its work wakes the process
    QCOMPARE(meter.wait(100, start + 2s), 100);
    meter.onTimeout(start + 2s + 100ms + 40ms);
    QCOMPARE(meter.worst(), 40ms);
}

// In its first second a process waits in short intervals. If this test misses that second, it tries another process.
void PatienceTest::aProcessThatStoodStillSaysHowLateItWas()
{
    Session session;
    for (int tries = 0; tries < 60; ++tries) {
        QProcess process;
        process.start(QStringLiteral(LHRS_BIN_DIR "/lhrs-coordinator"), { "--new", "--name", "sleeper" });
        QVERIFY(process.waitForReadyRead(30'000));
        const QString ready = QString::fromUtf8(process.readAllStandardOutput());
        const QString control = ready.mid(ready.indexOf("control=") + 8).section(' ', 0, 0);
        QVERIFY(signalOne(process.processId(), SIGSTOP));
        for (const auto end = std::chrono::steady_clock::now() + 300ms; std::chrono::steady_clock::now() < end;)
            std::this_thread::sleep_for(10ms);
        QVERIFY(signalOne(process.processId(), SIGCONT));
        pb::Command command;
        command.mutable_statistics();
        std::int64_t late = 0;
        for (int asked = 0; asked < 10 && late < 250'000'000; ++asked) { // the main thread may be the last one to go on
            const Answer answer = session.control().callAndWait(control.toStdString(), command, 30s);
            QVERIFY2(bool(answer), answer.text.c_str());
            late = std::int64_t(answer.reply.gauges().wake_late_ns());
            std::this_thread::sleep_for(5ms);
        }
        process.kill();
        QVERIFY(process.waitForFinished(30'000));
        if (late >= 250'000'000)
            return;
    }
    QFAIL("no process that stood still for 300 ms measured it");
}

// Stopped for longer than the script's timeout of 10 s.
void PatienceTest::aScenarioThatStoodStillHasLostNoTime()
{
    QTemporaryDir folder;
    QFile script(folder.filePath("waits.js"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("let looks = 0;\nlab.print('begins');\nlab.waitUntil(() => ++looks > 20, { timeout: 10 "
                 "});\nlab.print('ends');\n");
    script.close();
    QProcess play;
    play.start(QStringLiteral(LHRS_BIN_DIR "/lhrs-play"), { script.fileName() });
    QByteArray said;
    QTRY_VERIFY_WITH_TIMEOUT((said += play.readAllStandardOutput()).contains("begins"), 30'000);
    QVERIFY(signalOne(play.processId(), SIGSTOP));
    for (const auto end = std::chrono::steady_clock::now() + 11s; std::chrono::steady_clock::now() < end;)
        std::this_thread::sleep_for(10ms);
    QVERIFY(signalOne(play.processId(), SIGCONT));
    QVERIFY(play.waitForFinished(60'000));
    said += play.readAllStandardOutput();
    QVERIFY2(play.exitCode() == 0 && said.contains("ends"), said + play.readAllStandardError());
}

void PatienceTest::aClusterBesideBusyLoopsMeasuresItself()
{
    std::vector<std::jthread> loops;
    for (unsigned i = 0; i < 2 * std::max(1u, std::thread::hardware_concurrency()); ++i)
        loops.emplace_back([](const std::stop_token& stop) {
            for (std::atomic<std::uint64_t> number = 0; !stop.stop_requested();)
                ++number;
        });
    Session session;
    session.local().setProgramDirectory(LHRS_BIN_DIR);
    QVERIFY(!session.local().patience());
    const auto started = session.local().start(smallFile());
    QVERIFY2(bool(started), started ? "" : started.error().text.c_str());
    loops.clear();
    const auto patience = session.local().patience();
    QVERIFY(patience.has_value());
    checkChoice(*patience);
    session.local().stop();
    QVERIFY(!session.local().patience());
}

// Servers that are paused most of the time. A start during which all of them happen to run proves nothing, and is
// repeated.
void PatienceTest::aClusterOfLateProcessesIsMorePatient()
{
    QTemporaryDir directory;
    QVERIFY(QFile::link(QStringLiteral(LHRS_BIN_DIR "/lhrs-coordinator"), directory.filePath("lhrs-coordinator")));
    QFile script(directory.filePath("lhrs-node"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\n"
                 "(for i in $(seq 40); do\n"
                 "  sleep 0.01; kill -STOP $$ || exit; sleep 0.06; kill -CONT $$ || exit\n"
                 "done) >/dev/null 2>&1 &\n"
                 "exec " LHRS_BIN_DIR "/lhrs-node \"$@\"\n");
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
    for (int tries = 0; tries < 60; ++tries) {
        Session session;
        session.local().setProgramDirectory(directory.path().toStdString());
        const auto started = session.local().start(smallFile());
        QVERIFY2(bool(started), started ? "" : started.error().text.c_str());
        const auto patience = session.local().patience();
        QVERIFY(patience.has_value());
        checkChoice(*patience);
        if (patience->timeScale > 1) {
            QVERIFY(patienceWords(*patience).starts_with("this machine wakes processes up to "));
            return;
        }
    }
    QFAIL("no server that stood still was late");
}

void PatienceTest::aFailureKeepsItsCause_data()
{
    QTest::addColumn<std::function<void(Failing&)>>("story");
    QTest::addColumn<QString>("shown");
    const QString told = kAnswersNoProbes, late = "no answer for 0.3 s: this machine is busy";
    const auto row = [](const char* name, const QString& shown, const std::function<void(Failing&)>& story) {
        QTest::newRow(name) << story << shown;
    };
    row("it answers again, and nothing was done", late, [](Failing& f) {
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("nobody was suspected before", "no answer: this machine is busy", [](Failing& f) {
        f.state.apply(kFilesCoordinator, f.failed, kFailedNs);
        f.hear(kBucket, kFailedNs + 1);
    });
    row("it was silent for long", "no answer for 12 s: this machine is busy", [](Failing& f) {
        f.suspectAndFail(kFailedNs - 12 * kSecond);
        f.hear(kBucket, kFailedNs + 1);
    });
    row("no sign of life yet", told, [](Failing& f) {
        f.hear(kBucket, kFailedNs - 1);
        f.suspectAndFail();
    });
    row("it was killed, and that is known at once", told, [](Failing& f) {
        f.hear(kBucket, kFailedNs - kSecond);
        f.state.markEnded(kBucket, "killed on request", kFailedNs - kSecond / 2);
        f.suspectAndFail();
    });
    row("its end is known only later", told, [](Failing& f) {
        f.suspectAndFail();
        f.state.markEnded(kBucket, "ended by itself", kFailedNs + kSecond);
    });
    row("it was killed after it had answered again", late, [](Failing& f) {
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + kSecond);
        f.state.markEnded(kBucket, "killed on request", kFailedNs + 2 * kSecond);
    });
    row("it was paused", told, [](Failing& f) {
        f.pause(kBucket, true, kFailedNs - kSecond);
        f.suspectAndFail();
        f.pause(kBucket, false, kFailedNs + kSecond);
        f.hear(kBucket, kFailedNs + 2 * kSecond);
    });
    row("its pause was just over", told, [](Failing& f) {
        f.pause(kBucket, true, kFailedNs - 2 * kSecond);
        f.pause(kBucket, false, kFailedNs - kSecond);
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("it was paused long before, and after", late, [](Failing& f) {
        f.pause(kBucket, true, kSecond);
        f.pause(kBucket, false, 2 * kSecond);
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
        f.pause(kBucket, true, kFailedNs + kSecond);
    });
    row("another member was paused", late, [](Failing& f) {
        f.pause(kParity, true, kFailedNs - kSecond);
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("another member was killed", late, [](Failing& f) {
        f.state.markEnded(kParity, "killed on request", kFailedNs - kSecond);
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("the coordinator was paused", told, [](Failing& f) {
        f.pause(kFilesCoordinator, true, kFailedNs - 2 * kSecond);
        f.pause(kFilesCoordinator, false, kFailedNs - kSecond);
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("a fault cuts it off", told, [](Failing& f) {
        f.fault(kBucket, cutsOff, kFailedNs - kSecond);
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("a fault at another loses messages", told, [](Failing& f) {
        f.fault(kParity, loses, kFailedNs - kSecond);
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("a fault waits to end another", late, [](Failing& f) {
        f.fault(kFilesClient, crashes, kFailedNs - kSecond);
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("a gate was closed", told, [](Failing& f) {
        pb::Event event;
        event.mutable_gate_closed();
        f.state.apply(kParity, event, kFailedNs - kSecond);
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("time is virtual", told, [](Failing& f) {
        f.state.isSimulated = true;
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("it is on another machine", told, [](Failing& f) {
        f.state.processes.at(kBucket).address = "10.0.0.7:4711";
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("it was no silence", "it lacks a change that nobody has any more", [](Failing& f) {
        f.failed.mutable_bucket_failed()->set_reason("it lacks a change that nobody has any more");
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
    });
    row("it failed again since, so that nothing is known of this failure", told, [](Failing& f) {
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
        pb::Event again = f.failed;
        again.set_sequence(8);
        f.state.apply(kFilesCoordinator, again, kFailedNs + 5 * kSecond);
    });
}

void PatienceTest::aFailureKeepsItsCause()
{
    QFETCH(const std::function<void(Failing&)>, story);
    QFETCH(const QString, shown);
    Failing f;
    story(f);
    QCOMPARE(QString::fromStdString(f.shown()), shown);
    QCOMPARE(QString::fromStdString(sentence(kFilesCoordinator, f.failed, f.state)),
        "The coordinator declares data bucket 0 failed: " + shown + ". The group survives 1 failure more.");
    const auto down = f.state.groups.at(0).down.at({ pb::DATA, 0 });
    if (down.sinceNs == kFailedNs)
        QCOMPARE(QString::fromStdString(shownReason(f.state, down)), shown);
}

void PatienceTest::theCauseOutlivesAKeyframe()
{
    for (const bool isPaused : { false, true }) {
        Failing f;
        if (isPaused) {
            f.pause(kBucket, true, kFailedNs - 2 * kSecond);
            f.pause(kBucket, false, kFailedNs - kSecond);
        }
        f.suspectAndFail();
        f.hear(kBucket, kFailedNs + 1);
        const auto read = stateOf(
            keyframeOf(f.state, true), [](std::int64_t, std::uint32_t) { return std::optional<pb::RankPage>(); });
        QVERIFY(bool(read));
        QCOMPARE(shownReason(*read, kFilesCoordinator, f.failed),
            std::string(isPaused ? kAnswersNoProbes : "no answer for 0.3 s: this machine is busy"));
    }
}

void PatienceTest::theRecordingAndThePlayerSayIt()
{
    QTemporaryDir directory;
    for (const unsigned scale : { 1u, 4u }) {
        ClusterFacts facts { .number = 1, .parameters = {} };
        facts.parameters["wake_late_ms"] = 12.5;
        facts.parameters["time_scale"] = scale;
        facts.patience = scale == 1 ? QString() : QString::fromStdString(kLateWords);

        QFile printed(directory.filePath(QString::number(scale)));
        std::FILE* out = std::fopen(qPrintable(printed.fileName()), "w");
        QVERIFY(out != nullptr);
        PlayPrinter printer(out);
        const QString path = directory.filePath(QString("%1.lhrun").arg(scale));
        auto recorder = Recorder::start(path, {}, [] { return std::int64_t(1); });
        QVERIFY2(bool(recorder), recorder ? "" : recorder.error().text.c_str());
        RecordingObserver(**recorder, printer).onCluster(facts);
        QCOMPARE((*recorder)->finish(), QString());
        QCOMPARE(std::fclose(out), 0);
        QVERIFY(printed.open(QIODevice::ReadOnly));

        QCOMPARE(QString::fromUtf8(printed.readAll()).trimmed(), scale == 1 ? QString() : "-- " + facts.patience);
        auto recording = Recording::open(path);
        QVERIFY2(bool(recording), recording ? "" : recording.error().text.c_str());
        QCOMPARE((*recording)->meta("wake_late_ms"), QString("12.5"));
        QCOMPARE((*recording)->meta("time_scale"), QString::number(scale));
        QVERIFY((*recording)->meta("cluster/1").contains(QString("\"time_scale\":%1").arg(scale)));
    }
}

QTEST_GUILESS_MAIN(PatienceTest)
#include "tst_patience.moc"
