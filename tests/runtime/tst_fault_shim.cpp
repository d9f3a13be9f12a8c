// SPDX-License-Identifier: GPL-3.0-or-later
// Injected faults: the shim with threads but no sockets, and whole processes over real sockets.
#include "node/transport/fault_shim.h"
#include "tests/runtime/process_rig.h"
#include "tests/rigs/core/station.h"

#include <QTest>

#include <algorithm>
#include <numeric>

using namespace lhrs;
using namespace lhrs::test;

namespace {

// The station's own coordinator; the speaker that talks to it is process 77 (tests/rigs/core/station.h).
constexpr std::uint64_t kSpeaker = 77;

pb::Fault fault(std::uint64_t number = 1, std::uint32_t leaseMs = 60'000)
{
    pb::Fault made;
    made.set_number(number);
    made.set_lease_ms(leaseMs);
    made.set_seed(4711);
    return made;
}

// A process under a shim, with commands as an operator sends them and its events as a watcher sees them.
struct Broken {
    Broken()
        : events(station.runtime->self().events_endpoint()), control(station.runtime->self().control_endpoint()) { }
    std::optional<pb::CommandReply> arm(const pb::Fault& wanted)
    {
        pb::Command command;
        *command.mutable_arm_fault()->mutable_fault() = wanted;
        return control.call(command);
    }
    pb::FaultList heal(std::uint64_t number = 0)
    {
        pb::Command command;
        command.mutable_heal_faults()->set_number(number);
        const auto reply = control.call(command);
        return reply ? reply->faults() : pb::FaultList();
    }
    pb::FaultList list()
    {
        pb::Command command;
        command.mutable_list_faults();
        const auto reply = control.call(command);
        return reply ? reply->faults() : pb::FaultList();
    }
    // The effect of the fault when it ended, from its event; empty: there is no such event.
    std::optional<pb::FaultEnded> ended(std::uint64_t number = 1)
    {
        std::optional<pb::FaultEnded> found;
        events.hears([&](const pb::Event& event) {
            if (event.has_fault_ended() && event.fault_ended().fault().number() == number)
                found = event.fault_ended();
            return found.has_value();
        });
        return found;
    }
    // Many requests, each in a datagram of its own.
    void ask(int count, const std::string& value = "?", Way way = Way::Auto)
    {
        for (int i = 0; i < count; ++i) {
            speaker.search(station.address(), value, way);
            QVERIFY(speaker.flush());
        }
    }
    bool isHealed()
    {
        return eventually([&] { return list().faults().empty(); }) && speaker.isAnswered(station.address())
            && speaker.isAnswered(station.address(), Way::Stream);
    }

    Station station;
    Speaker speaker { station.udp() };
    Watcher events;
    ControlSocket control;
};

// A shim without sockets: messages that it delivers later go into a list.
struct Bench {
    Bench()
    {
        FaultShim::Ways ways;
        ways.node = NodeId(1);
        ways.self = { kLoopback, 1 };
        ways.isAllowed = true;
        ways.sendDatagram = [this](Endpoint, const std::string& packet) { note(packet); };
        ways.sendFrame = [this](Endpoint, std::string packet, std::size_t) { note(packet); };
        ways.deliver = [this](std::string body, pb::Transport, NodeId) { note(body); };
        ways.tell = [this](const pb::FaultBegun* begun, const pb::FaultEnded*) {
            const std::lock_guard lock(mutex);
            told.push_back(begun != nullptr ? "begun" : "ended");
        };
        ways.crash = [this] { ++crashes; };
        shim.emplace(ways, counters);
    }
    ~Bench() { shim.reset(); } // its thread uses the other members
    pb::CommandReply arm(const pb::Fault& wanted)
    {
        pb::Command command;
        *command.mutable_arm_fault()->mutable_fault() = wanted;
        pb::CommandReply reply;
        shim->command(command, reply);
        return reply;
    }
    void heal()
    {
        pb::Command command;
        command.mutable_heal_faults();
        pb::CommandReply reply;
        shim->command(command, reply);
    }
    void note(const std::string& packet)
    {
        const std::lock_guard lock(mutex);
        passed.push_back(packet);
    }
    std::vector<std::string> seen()
    {
        const std::lock_guard lock(mutex);
        return passed;
    }

    Counters counters;
    std::mutex mutex;
    std::vector<std::string> passed;
    std::vector<std::string> told;
    std::atomic<int> crashes = 0;
    std::optional<FaultShim> shim;
};

} // namespace

class FaultShimTest : public QObject {
    Q_OBJECT

private slots:
    // the shim, without sockets
    void faultsAreRefusedWhereTheyAreNotAllowed();
    void zerosLeaveNoTrace();
    void delayedFramesKeepTheirOrderWhenTheFaultIsHealed();
    void aFaultEndsWithoutAnybodyWatching();
    void aPausedThreadWaitsForTheLeaseOnly();
    void tooMuchThatWaitsIsLostAndCounted();
    void theProcessCrashesOnceAtItsEvent();

    // processes
    void droppedAnswersComeAgainAfterTheLease();
    void everyFaultOfDatagramsIsSeenToAct_data();
    void everyFaultOfDatagramsIsSeenToAct();
    void aReorderedAnswerIsOvertaken();
    void whatIsSpoiledOnItsWayInIsDroppedAsAWrongTag();
    void aConnectionThatIsCutInsideAFrameDeliversItAfterAll();
    void framesAreDelayedAndLost();
    void aPartitionKeepsOutWhoItNames();
    void aPausedProcessNeitherAnswersNorWakesButTakesItsHealing();
    void aStoppedProcessDoesNotWaitForTheEndOfItsPause();
    void aProcessEndsItselfAtItsEvent();
};

// ---- the shim

void FaultShimTest::faultsAreRefusedWhereTheyAreNotAllowed()
{
    Counters counters;
    FaultShim::Ways ways;
    ways.self = { 0x0a000001, 4'711 };
    FaultShim shim(ways, counters);
    pb::Command command;
    *command.mutable_arm_fault()->mutable_fault() = fault();
    command.mutable_arm_fault()->mutable_fault()->mutable_pause();
    pb::CommandReply reply;
    QVERIFY(shim.command(command, reply));
    QCOMPARE(reply.refusal(), pb::NOT_ALLOWED);
    QVERIFY(QString::fromStdString(reply.text()).contains("10.0.0.1:4711"));
    QVERIFY(!shim.touches(FaultBook::Pause));
}

void FaultShimTest::zerosLeaveNoTrace()
{
    Bench bench;
    pb::Fault wanted = fault();
    QCOMPARE(bench.arm(wanted).refusal(), pb::BAD_ARGUMENT); // there is nothing to break
    wanted.mutable_network();
    QCOMPARE(bench.arm(wanted).refusal(), pb::NOT_REFUSED);
    QVERIFY(bench.told.empty());
    QVERIFY(!bench.shim->touches(FaultBook::Traffic));
    wanted.mutable_network()->set_drop(1);
    QCOMPARE(bench.arm(wanted).faults().faults_size(), 1);
    QVERIFY(bench.shim->touches(FaultBook::Traffic));
    wanted.mutable_network()->set_drop(0);
    const pb::CommandReply reply = bench.arm(wanted);
    QCOMPARE(reply.faults().faults_size(), 1); // the fault that ended
    QCOMPARE(bench.told, (std::vector<std::string> { "begun", "ended" }));
    QVERIFY(!bench.shim->touches(FaultBook::Traffic));
    QVERIFY(bench.shim->letOut({ { kLoopback, 5 }, NodeId(5) }, "datagram"));
}

void FaultShimTest::delayedFramesKeepTheirOrderWhenTheFaultIsHealed()
{
    Bench bench;
    pb::Fault wanted = fault();
    wanted.mutable_network()->set_delay_ms(60'000);
    wanted.mutable_network()->set_jitter_ms(60'000);
    bench.arm(wanted);
    std::vector<std::string> sent;
    const auto send = [&](int i) {
        std::string frame(kEnvelopeBytes, char('a' + i));
        sent.push_back(frame);
        std::size_t cutAfter = 0;
        if (bench.shim->letOut({ { kLoopback, 5 }, NodeId(5) }, frame, cutAfter))
            bench.note(frame);
    };
    for (int i = 0; i < 10; ++i)
        send(i);
    QVERIFY(bench.seen().empty());
    bench.heal();
    for (int i = 10; i < 20; ++i) // some of them while the first ones are being delivered
        send(i);
    QVERIFY(eventually([&] { return bench.seen().size() == 20; }));
    QCOMPARE(bench.seen(), sent);
    QVERIFY(eventually([&] { return !bench.shim->touches(FaultBook::Traffic); }));
}

void FaultShimTest::aFaultEndsWithoutAnybodyWatching()
{
    Bench bench;
    pb::Fault wanted = fault(1, 30);
    wanted.mutable_network()->set_drop(1);
    bench.arm(wanted);
    QVERIFY(eventually([&] { return !bench.shim->touches(FaultBook::Traffic); }));
    QVERIFY(eventually([&] {
        const std::lock_guard lock(bench.mutex);
        return bench.told == std::vector<std::string> { "begun", "ended" };
    }));
}

void FaultShimTest::aPausedThreadWaitsForTheLeaseOnly()
{
    Bench bench;
    pb::Fault wanted = fault(1, 100);
    wanted.mutable_pause();
    const auto begin = std::chrono::steady_clock::now();
    bench.arm(wanted);
    bench.shim->waitWhilePaused();
    QVERIFY(std::chrono::steady_clock::now() - begin >= 100ms);
    bench.shim->waitWhilePaused();
}

void FaultShimTest::tooMuchThatWaitsIsLostAndCounted()
{
    Bench bench;
    pb::Fault wanted = fault();
    wanted.mutable_network()->set_delay_ms(60'000);
    bench.arm(wanted);
    for (int i = 0; i < 70; ++i) {
        std::string frame(std::size_t(1) << 20, 'x');
        std::size_t cutAfter = 0;
        QVERIFY(!bench.shim->letOut({ { kLoopback, 5 }, NodeId(5) }, frame, cutAfter));
    }
    pb::Command command;
    command.mutable_list_faults();
    pb::CommandReply reply;
    bench.shim->command(command, reply);
    QCOMPARE(reply.faults().faults(0).achieved().waiting(), std::uint64_t(64));
    QCOMPARE(reply.faults().faults(0).achieved().overflowed(), std::uint64_t(6));
    QCOMPARE(bench.counters.of(Drop::Fault), std::uint64_t(6));
}

void FaultShimTest::theProcessCrashesOnceAtItsEvent()
{
    Bench bench;
    pb::Fault wanted = fault();
    wanted.mutable_crash()->set_at("split_prepared");
    bench.arm(wanted);
    pb::Event prepared, other;
    prepared.mutable_split_prepared();
    bench.shim->onEvents({ &other });
    QCOMPARE(bench.crashes, 0);
    bench.shim->onEvents({ &other, &prepared });
    QCOMPARE(bench.crashes, 1);
    bench.heal();
    wanted.mutable_crash()->clear_at();
    bench.arm(wanted); // takes effect at once
    QVERIFY(eventually([&] { return bench.crashes == 2; }));
}

// ---- processes

void FaultShimTest::droppedAnswersComeAgainAfterTheLease()
{
    Broken broken;
    QVERIFY(broken.speaker.isAnswered(broken.station.address()));
    pb::Fault wanted = fault(1, 300);
    wanted.mutable_network()->set_drop(1);
    wanted.mutable_network()->set_way(pb::OUTGOING);
    const auto reply = broken.arm(wanted);
    QVERIFY(reply && reply->refusal() == pb::NOT_REFUSED);
    const auto armed = std::chrono::steady_clock::now();
    // Any answer now comes after the end of the lease.
    QVERIFY(broken.speaker.isAnswered(broken.station.address()));
    QVERIFY(std::chrono::steady_clock::now() - armed > 200ms);
    const auto ended = broken.ended();
    QVERIFY(ended);
    QCOMPARE(ended->reason(), std::string("its lease ended"));
    QVERIFY(ended->achieved().dropped() > 0);
    QCOMPARE(ended->achieved().dropped(), ended->achieved().messages());
    QVERIFY(broken.isHealed());
}

void FaultShimTest::everyFaultOfDatagramsIsSeenToAct_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("answersMin"); // to 50 requests
    QTest::addColumn<int>("answersMax");
    QTest::addColumn<int>("lateMs");
    QTest::newRow("nothing is lost by chance") << "delay_ms" << 50 << 50 << 100;
    QTest::newRow("duplicate") << "duplicate" << 100 << 100 << 0;
    QTest::newRow("half is lost") << "drop" << 10 << 40 << 0;
    QTest::newRow("all is spoiled") << "corrupt" << 0 << 0 << 0;
    QTest::newRow("a slow link") << "bytes_per_second" << 50 << 50 << 100;
}

void FaultShimTest::everyFaultOfDatagramsIsSeenToAct()
{
    QFETCH(QString, kind);
    QFETCH(int, answersMin);
    QFETCH(int, answersMax);
    QFETCH(int, lateMs);
    Broken broken;
    pb::Fault wanted = fault();
    pb::NetworkFault& network = *wanted.mutable_network();
    network.set_way(pb::OUTGOING);
    if (kind == "delay_ms")
        network.set_delay_ms(100);
    else if (kind == "duplicate")
        network.set_duplicate(1);
    else if (kind == "drop")
        network.set_drop(0.5);
    else if (kind == "corrupt")
        network.set_corrupt(1);
    else
        network.set_bytes_per_second(50'000); // 50 answers have more than 5,000 bytes
    const auto reply = broken.arm(wanted);
    QVERIFY(reply && reply->refusal() == pb::NOT_REFUSED);
    const auto begin = std::chrono::steady_clock::now();
    broken.ask(50, std::string(60, 'x'));
    // The fault has acted on all answers.
    QVERIFY(eventually([&] {
        const pb::FaultEffect achieved = broken.list().faults(0).achieved();
        return achieved.messages() == 50 && achieved.waiting() == 0;
    }));
    QVERIFY(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(lateMs));
    const pb::FaultEffect achieved = broken.heal().faults(0).achieved();
    const auto count = [&] {
        const auto values = broken.speaker.values();
        return int(std::count(values.begin(), values.end(), std::string(60, 'x')));
    };
    // The answers that were not lost are on their way.
    const int coming = kind == "drop" ? 50 - int(achieved.dropped()) : answersMin;
    eventually([&] { return count() >= coming; });
    QVERIFY(broken.speaker.isAnswered(broken.station.address()));
    const int answers = count();
    QVERIFY2(answers >= answersMin && answers <= answersMax, qPrintable(QString::number(answers)));
    if (kind == "delay_ms" || kind == "bytes_per_second") {
        QCOMPARE(achieved.delayed(), std::uint64_t(50));
        QCOMPARE(
            std::accumulate(achieved.delays().begin(), achieved.delays().end(), std::uint64_t(0)), std::uint64_t(50));
        QVERIFY(achieved.delay_max_ns() >= lateMs * 1'000'000ll);
    } else if (kind == "duplicate") {
        QCOMPARE(achieved.duplicated(), std::uint64_t(50));
    } else if (kind == "drop") {
        QCOMPARE(int(achieved.dropped()), 50 - answers);
    } else {
        QCOMPARE(achieved.corrupted(), std::uint64_t(50));
    }
    const auto ended = broken.ended();
    QVERIFY(ended && ended->reason() == "healed");
    QVERIFY(broken.isHealed());
}

void FaultShimTest::aReorderedAnswerIsOvertaken()
{
    Broken broken;
    pb::Fault wanted = fault();
    wanted.mutable_network()->set_reorder(0.3);
    wanted.mutable_network()->set_way(pb::OUTGOING);
    broken.arm(wanted);
    broken.ask(200);
    QVERIFY(broken.speaker.hears(200));
    const auto answers = broken.speaker.answers();
    QVERIFY(!std::is_sorted(answers.begin(), answers.end()));
    QVERIFY(broken.heal().faults(0).achieved().reordered() > 20);
}

void FaultShimTest::whatIsSpoiledOnItsWayInIsDroppedAsAWrongTag()
{
    Broken broken;
    pb::Fault wanted = fault();
    wanted.mutable_network()->set_corrupt(1);
    wanted.mutable_network()->set_way(pb::INCOMING);
    broken.arm(wanted);
    broken.ask(20);
    QVERIFY(eventually([&] { return broken.station.runtime->counters().of(Drop::WrongTag) == 20; }));
    QCOMPARE(broken.station.heard->messages, std::uint64_t(0));
    broken.heal();
    QVERIFY(broken.isHealed());
}

void FaultShimTest::aConnectionThatIsCutInsideAFrameDeliversItAfterAll()
{
    Broken broken;
    pb::Fault wanted = fault();
    wanted.mutable_network()->set_cut(1);
    wanted.mutable_network()->set_way(pb::OUTGOING);
    broken.arm(wanted);
    // Each answer is too long for a datagram, and the fault breaks its connection once.
    const std::string value(100'000, 'x');
    for (std::size_t i = 1; i <= 5; ++i) {
        broken.ask(1, value, Way::Stream);
        QVERIFY(broken.speaker.hears(i));
    }
    QCOMPARE(broken.speaker.values(), std::vector<std::string>(5, value));
    QCOMPARE(broken.heal().faults(0).achieved().cut(), std::uint64_t(5));
    QVERIFY(broken.isHealed());
}

void FaultShimTest::framesAreDelayedAndLost()
{
    Broken broken;
    pb::Fault wanted = fault();
    wanted.mutable_network()->set_delay_ms(80);
    wanted.mutable_network()->set_jitter_ms(40);
    broken.arm(wanted); // both ways
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i)
        broken.ask(1, std::string(20'000, char('a' + i)), Way::Stream);
    QVERIFY(broken.speaker.hears(20));
    QVERIFY(std::chrono::steady_clock::now() - begin >= 160ms);
    broken.heal();
    wanted = fault(2);
    wanted.mutable_network()->set_drop(1);
    wanted.mutable_network()->set_way(pb::INCOMING);
    broken.arm(wanted);
    const std::uint64_t before = broken.station.heard->messages;
    broken.ask(10, std::string(20'000, 'z'), Way::Stream);
    QVERIFY(eventually([&] { return broken.list().faults(0).achieved().dropped() == 10; }));
    QCOMPARE(broken.station.heard->messages, before);
    broken.heal();
    QVERIFY(broken.isHealed());
}

void FaultShimTest::aPartitionKeepsOutWhoItNames()
{
    Broken broken;
    pb::Fault wanted = fault();
    wanted.mutable_partition()->add_peers()->set_node(kSpeaker + 1);
    broken.arm(wanted);
    QVERIFY(broken.speaker.isAnswered(broken.station.address())); // the partition does not name this one
    wanted = fault(2);
    auto* peer = wanted.mutable_partition()->add_peers();
    peer->set_node(kSpeaker);
    broken.speaker.address().to(*peer->mutable_address());
    broken.arm(wanted);
    const std::size_t before = broken.speaker.answers().size();
    broken.ask(10);
    broken.ask(10, std::string(5'000, 'x'), Way::Stream);
    QVERIFY(eventually([&] {
        const pb::FaultList list = broken.list();
        return list.faults_size() == 2 && list.faults(1).achieved().dropped() == 20;
    }));
    QCOMPARE(broken.speaker.answers().size(), before);
    QCOMPARE(broken.heal(2).faults_size(), 1);
    QCOMPARE(broken.list().faults_size(), 1);
    QVERIFY(broken.speaker.isAnswered(broken.station.address()));
    broken.heal();
}

void FaultShimTest::aPausedProcessNeitherAnswersNorWakesButTakesItsHealing()
{
    Broken broken;
    QVERIFY(broken.speaker.isAnswered(broken.station.address()));
    pb::Fault wanted = fault();
    wanted.mutable_pause();
    const auto reply = broken.arm(wanted);
    QVERIFY(reply && reply->refusal() == pb::NOT_REFUSED);
    const std::uint64_t before = broken.station.heard->messages;
    const std::uint64_t steps = broken.station.heard->timeSteps;
    const std::size_t answers = broken.speaker.answers().size();
    broken.station.heard->nextAlarm = 1; // an alarm that is long overdue
    broken.ask(10);
    broken.ask(10, std::string(5'000, 'x'), Way::Stream);
    for (int i = 0; i < 20; ++i) // meanwhile it still lists its faults
        QCOMPARE(broken.list().faults_size(), 1);
    QCOMPARE(broken.station.heard->messages, before);
    QCOMPARE(broken.station.heard->timeSteps, steps);
    QCOMPARE(broken.speaker.answers().size(), answers);
    broken.heal();
    QVERIFY(broken.speaker.hears(answers + 20)); // the messages that waited are answered now
    QTRY_VERIFY(broken.station.heard->timeSteps > steps); // the overdue alarm, in a thread of its own
    const auto ended = broken.ended();
    QVERIFY(ended && ended->achieved().lasted_ns() > 0);
    QVERIFY(broken.isHealed());
}

void FaultShimTest::aStoppedProcessDoesNotWaitForTheEndOfItsPause()
{
    const auto begin = std::chrono::steady_clock::now();
    {
        Broken broken;
        pb::Fault wanted = fault(1, FaultBook::kLeaseMax);
        wanted.mutable_pause();
        broken.arm(wanted);
        broken.ask(10);
    }
    QVERIFY(std::chrono::steady_clock::now() - begin < kPatience);
}

void FaultShimTest::aProcessEndsItselfAtItsEvent()
{
    Program coordinator("lhrs-coordinator", { "--listen", "127.0.0.1:0" });
    QVERIFY(coordinator.isReady());
    ControlSocket control(coordinator.at("control"));
    pb::Command command;
    pb::Fault& wanted = *command.mutable_arm_fault()->mutable_fault();
    wanted = fault();
    wanted.mutable_crash()->set_at("fault_ended");
    QVERIFY(control.call(command));
    wanted.set_number(2);
    wanted.clear_crash();
    wanted.mutable_network()->set_drop(1);
    QVERIFY(control.call(command));
    QVERIFY(control.call(who())); // the process is alive
    command.mutable_heal_faults()->set_number(2);
    command.set_ticket(9);
    control.send(command);
    QVERIFY(coordinator.waitForEnd());
    QCOMPARE(coordinator.exitCode(), -1); // killed by a signal
}

QTEST_GUILESS_MAIN(FaultShimTest)
#include "tst_fault_shim.moc"
