// SPDX-License-Identifier: GPL-3.0-or-later
// The gate: its clock, its queue, the runtime around an echo machine, a cluster of real processes, and a simulated one.
#include "gui/lab/control/gate_orders.h"
#include "node/process/options.h"
#include "node/runtime/gate.h"
#include "tests/rigs/lab/lab_stage.h"
#include "tests/runtime/process_rig.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class GateTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();

    void clocksLeaveOutTheSameTimeHoweverLateTheyHearOfIt();
    void whoseClockWasAdvancedStandsUntilTheOthersAreThere();
    void messagesAreHeldInOrderAndNotBeyondTheBound();

    void whatArrivesIsHeldAndEachReleaseIsOneStep();
    void theMachinesTimersStandAndGoOnWhenAdvanced();
    void whatWasHeldIsDeliveredInItsOrder();
    void aMessageMayBeLostAtTheGate();
    void aGateThatNobodyRenewsOpens();
    void aProcessWithoutGateSaysHowToGetOne();
    void aPausedProcessKeepsWhatItsGateHeldUntilItGoesOn();

    void anInsertGoesThroughAClusterStepByStep();
    void oneProcessThatIsLateTakesTheGateBackEverywhere();
    void theGateOfAWindowThatIsGoneOpens();

    void aSimulatedClusterHoldsTheSameKinds_data();
    void aSimulatedClusterHoldsTheSameKinds();
    void theGateOfASimulatedClusterThatNobodyRenewsOpens();
    void pausedVirtualTimeGoesOnAsFarAsAMessageNeeds();
};

namespace {

using Instant = ProtocolClock::Instant;

Instant at(std::chrono::milliseconds time) { return Instant(1h + time); }

pb::Command closed(std::uint32_t leaseMs = 60'000)
{
    pb::Command command;
    command.mutable_set_gate()->set_is_closed(true);
    command.mutable_set_gate()->set_lease_ms(leaseMs);
    return command;
}

pb::Command opened()
{
    pb::Command command;
    command.mutable_set_gate();
    return command;
}

pb::Command describe()
{
    pb::Command command;
    command.mutable_describe_gate();
    return command;
}

// A station with a gate, and the processes that talk to it and operate it.
struct GatedStation {
    explicit GatedStation(bool hasGate = true)
        : station(options(hasGate)), speaker(station.udp()), operated(station.runtime->self().control_endpoint())
    {
    }
    static RuntimeOptions options(bool hasGate)
    {
        RuntimeOptions options;
        options.hasGate = hasGate;
        return options;
    }
    pb::GateState ask(const pb::Command& command)
    {
        const auto reply = operated.call(command);
        return reply ? reply->gate() : pb::GateState();
    }
    bool holds(std::uint32_t count)
    {
        return eventually([&] { return ask(describe()).held() == count; });
    }
    std::uint64_t say(const std::string& value, Way way = Way::Auto)
    {
        const std::uint64_t id = speaker.search(station.address(), value, way).id();
        [[maybe_unused]] const auto sent = speaker.flush();
        return id;
    }
    Station station;
    Speaker speaker;
    lhrs::test::ControlSocket operated;
};

} // namespace

void GateTest::initTestCase()
{
    ProcessOptions quiet;
    quiet.logLevel = "off";
    openLog(quiet);
}

// ---- the clock and the queue alone

void GateTest::clocksLeaveOutTheSameTimeHoweverLateTheyHearOfIt()
{
    ProtocolClock prompt(at(0ms)), late(at(0ms));
    prompt.stop(at(100ms), at(101ms));
    late.stop(at(100ms), at(150ms));
    QVERIFY(prompt.stands());
    QCOMPARE(prompt.at(at(400ms)), Time(101ms));
    QCOMPARE(late.at(at(400ms)), Time(150ms));
    QVERIFY(!late.when(Time(200ms)));
    prompt.go(at(1'000ms), at(1'002ms));
    late.go(at(1'000ms), at(1'030ms));
    // Both leave out 900 ms; the late clock waits until the other has reached its time.
    QCOMPARE(late.at(at(1'030ms)), Time(150ms));
    QCOMPARE(prompt.at(at(1'030ms)), Time(130ms));
    QCOMPARE(prompt.at(at(1'060ms)), Time(160ms));
    QCOMPARE(late.at(at(1'060ms)), Time(160ms));
    QCOMPARE(*late.when(Time(200ms)), at(1'100ms));
    // Again. A clock that hears of both in the wrong order of time does not run backwards.
    late.stop(at(2'000ms), at(1'900ms));
    late.go(at(1'500ms), at(1'950ms));
    QCOMPARE(late.at(at(1'950ms)), Time(1'050ms));
}

void GateTest::whoseClockWasAdvancedStandsUntilTheOthersAreThere()
{
    ProtocolClock clock(at(0ms));
    clock.stop(at(100ms), at(100ms));
    clock.advance(30ms);
    QCOMPARE(clock.at(at(500ms)), Time(130ms));
    clock.go(at(1'000ms), at(1'000ms));
    QCOMPARE(clock.at(at(1'010ms)), Time(140ms));
    clock.stop(at(1'010ms), at(1'010ms));
    clock.advance(1s); // further than real time has advanced
    clock.go(at(1'020ms), at(1'020ms));
    QCOMPARE(clock.at(at(1'020ms)), Time(1'140ms));
    QCOMPARE(clock.at(at(1'030ms)), Time(1'150ms));
}

void GateTest::messagesAreHeldInOrderAndNotBeyondTheBound()
{
    ProtocolClock clock(at(0ms));
    Gate gate(clock);
    QVERIFY(!gate.isClosed());
    QVERIFY(gate.close(at(10ms), at(11ms), 100ms));
    QVERIFY(!gate.close(at(50ms), at(51ms), 100ms)); // renewed
    QCOMPARE(*gate.leaseEnd(), at(150ms));
    pb::Message message;
    message.mutable_ack();
    for (std::size_t i = 0; i < kHeldMax; ++i) {
        message.set_id(i + 1);
        QVERIFY(gate.hold(message, 10, pb::UDP, {}, at(60ms)));
    }
    QVERIFY(!gate.hold(message, 10, pb::UDP, {}, at(60ms)));
    pb::GateState state;
    gate.describe(state, at(70ms));
    QCOMPARE(state.held(), std::uint32_t(kHeldMax));
    QCOMPARE(state.dropped(), 1u);
    QCOMPARE(state.lease_left_ms(), 80u);
    QCOMPARE(state.messages_size(), kHeldShownMax);
    QCOMPARE(state.messages(0).kind(), std::string("ack"));
    const auto third = gate.take(3);
    QVERIFY(third && third->message->id() == 3);
    QVERIFY(!gate.take(3));
    QCOMPARE(gate.open(at(100ms), at(100ms)), Time(89ms));
    QVERIFY(gate.isClosed() && gate.isOpening() && !gate.leaseEnd());
    QCOMPARE(gate.take()->message->id(), 1u);
    QCOMPARE(gate.take()->message->id(), 2u);
    QCOMPARE(gate.take()->message->id(), 4u);
    gate.finish();
    QVERIFY(!gate.isClosed());
}

// ---- the runtime

void GateTest::whatArrivesIsHeldAndEachReleaseIsOneStep()
{
    GatedStation rig;
    Watcher watcher(rig.station.runtime->self().events_endpoint());
    do { // a watcher receives nothing from before it has joined
        QVERIFY(rig.speaker.isAnswered(rig.station.address()));
    } while (!watcher.next(100ms));
    const std::size_t before = rig.speaker.answers().size();
    const std::uint64_t heard = rig.station.heard->messages;
    QVERIFY(rig.ask(closed()).is_closed());
    const std::uint64_t first = rig.say("a"), second = rig.say(std::string(60'000, 'b'), Way::Stream),
                        third = rig.say("c");
    QVERIFY(rig.holds(3));
    pb::GateState state = rig.ask(describe());
    QCOMPARE(rig.station.heard->messages.load(), heard);
    std::map<std::uint64_t, std::uint64_t> numbers; // by id
    for (const auto& held : state.messages()) {
        QCOMPARE(held.kind(), std::string("search"));
        QCOMPARE(held.from(), 77u);
        QCOMPARE(held.transport(), held.id() == second ? pb::STREAM : pb::UDP);
        numbers[held.id()] = held.number();
    }
    QCOMPARE(numbers.size(), std::size_t(3));

    // The second message, then the oldest one; each is answered before the reply to the command.
    pb::Command release;
    release.mutable_release_held()->set_number(numbers[second]);
    state = rig.ask(release);
    QCOMPARE(state.released_size(), 1);
    QCOMPARE(state.released(0).id(), second);
    QCOMPARE(state.held(), 2u);
    QVERIFY(rig.speaker.hears(before + 1));
    release.mutable_release_held()->Clear();
    QCOMPARE(rig.ask(release).released(0).id(), numbers[first] < numbers[third] ? first : third);
    QVERIFY(rig.speaker.hears(before + 2));
    QCOMPARE(rig.station.heard->messages.load(), heard + 2);
    QCOMPARE(rig.speaker.answers().size(), before + 2);
    pb::Command watch;
    watch.mutable_watch();
    const auto sample = rig.operated.call(watch);
    QCOMPARE(sample->sample().gate().messages_size(), 1);
    QVERIFY(std::any_of(sample->sample().queues().begin(), sample->sample().queues().end(),
        [](const auto& queue) { return queue.name() == "Held by the gate" && queue.length() == 1; }));

    QVERIFY(!rig.ask(opened()).is_closed());
    QVERIFY(rig.speaker.hears(before + 3));
    QStringList told;
    QVERIFY(watcher.hears([&](const pb::Event& event) {
        if (event.has_gate_closed())
            told << "closed";
        else if (event.has_message_received() && !told.empty())
            told << "received";
        return event.has_gate_opened() && event.gate_opened().held() == 1 && event.gate_opened().released() == 2
            && event.gate_opened().reason() == "released";
    }));
    QCOMPARE(told.join(' '), QString("closed received received"));
    const auto refused = rig.operated.call(release);
    QCOMPARE(refused->refusal(), pb::REFUSED);
}

void GateTest::theMachinesTimersStandAndGoOnWhenAdvanced()
{
    GatedStation rig;
    rig.ask(closed());
    rig.speaker.say(rig.station.address()).mutable_insert(); // the machine asks to be woken 20 ms after this step
    QVERIFY(rig.speaker.flush());
    QVERIFY(rig.holds(1));
    pb::Command release;
    release.mutable_release_held();
    const std::int64_t left = rig.ask(release).next_timer_ns();
    QCOMPARE(left, std::int64_t(20'000'000)); // no time passes within that step
    const auto until = std::chrono::steady_clock::now() + 60ms;
    QVERIFY(eventually([&] { return std::chrono::steady_clock::now() > until; }));
    QCOMPARE(rig.ask(describe()).next_timer_ns(), left);
    QCOMPARE(rig.station.heard->alarmedAt.load(), std::int64_t(0));
    release.mutable_release_held()->set_advance_ns(left - 1);
    QCOMPARE(rig.ask(release).next_timer_ns(), std::int64_t(1));
    QCOMPARE(rig.station.heard->alarmedAt.load(), std::int64_t(0));
    release.mutable_release_held()->set_advance_ns(1);
    QCOMPARE(rig.ask(release).next_timer_ns(), std::int64_t(-1));
    QVERIFY(rig.station.heard->alarmedAt > 0);
    // With the gate open, the manager's own sleep ends when the clock reaches the deadline.
    rig.station.heard->alarmedAt = 0;
    rig.speaker.say(rig.station.address()).mutable_insert();
    QVERIFY(rig.speaker.flush());
    QVERIFY(rig.holds(1));
    rig.ask(opened());
    QVERIFY(eventually([&] { return rig.station.heard->alarmedAt > 0; }));
}

void GateTest::whatWasHeldIsDeliveredInItsOrder()
{
    GatedStation rig;
    rig.ask(closed());
    std::vector<std::uint64_t> sent;
    for (std::uint32_t i = 0; i < 100; ++i) { // more than one turn of a working thread
        sent.push_back(rig.say("v"));
        QVERIFY(rig.holds(i + 1)); // datagrams have no order by themselves
    }
    rig.ask(opened());
    QVERIFY(rig.speaker.hears(sent.size()));
    QCOMPARE(rig.speaker.answers(), sent);
    QVERIFY(rig.speaker.isAnswered(rig.station.address()));
}

void GateTest::aMessageMayBeLostAtTheGate()
{
    GatedStation rig;
    Watcher watcher(rig.station.runtime->self().events_endpoint());
    rig.ask(closed());
    rig.say("lost");
    QVERIFY(rig.holds(1));
    const std::uint64_t second = rig.say("kept");
    QVERIFY(rig.holds(2));
    pb::Command release;
    release.mutable_release_held()->set_is_dropped(true);
    const pb::GateState state = rig.ask(release);
    QCOMPARE(state.released_size(), 1);
    QCOMPARE(state.dropped(), 1u);
    rig.ask(opened());
    QVERIFY(rig.speaker.hears(1));
    QCOMPARE(rig.speaker.answers(), (std::vector<std::uint64_t> { second }));
    QVERIFY(watcher.hears([](const pb::Event& event) {
        return event.has_message_dropped() && event.message_dropped().reason() == "dropped at the gate";
    }));
    release.mutable_release_held()->set_count(1'001);
    QCOMPARE(rig.operated.call(release)->refusal(), pb::BAD_ARGUMENT);
}

void GateTest::aGateThatNobodyRenewsOpens()
{
    GatedStation rig;
    Watcher watcher(rig.station.runtime->self().events_endpoint());
    rig.ask(closed(50));
    rig.say("held");
    QVERIFY(rig.speaker.hears(1)); // after the end of the lease
    QVERIFY(watcher.hears([](const pb::Event& event) {
        return event.has_gate_opened() && event.gate_opened().reason() == "nobody has renewed it";
    }));
    QVERIFY(!rig.ask(describe()).is_closed());
}

void GateTest::aProcessWithoutGateSaysHowToGetOne()
{
    GatedStation rig(false);
    for (const pb::Command& command : { closed(), describe() }) {
        const auto reply = rig.operated.call(command);
        QCOMPARE(reply->refusal(), pb::NOT_ALLOWED);
        QVERIFY(reply->text().find("--gate") != std::string::npos);
    }
    QVERIFY(rig.speaker.isAnswered(rig.station.address()));
}

void GateTest::aPausedProcessKeepsWhatItsGateHeldUntilItGoesOn()
{
    GatedStation rig;
    rig.ask(closed());
    const std::uint64_t id = rig.say("held");
    QVERIFY(rig.holds(1));
    pb::Command pause;
    pause.mutable_arm_fault()->mutable_fault()->set_number(5);
    pause.mutable_arm_fault()->mutable_fault()->set_lease_ms(60'000);
    pause.mutable_arm_fault()->mutable_fault()->mutable_pause();
    QCOMPARE(rig.operated.call(pause)->refusal(), pb::NOT_REFUSED);
    pb::Command release;
    release.mutable_release_held();
    QCOMPARE(rig.operated.call(release)->refusal(), pb::REFUSED);
    rig.ask(opened());
    QCOMPARE(rig.station.heard->messages.load(), std::uint64_t(0));
    pb::Command heal;
    heal.mutable_heal_faults();
    rig.operated.call(heal);
    QVERIFY(rig.speaker.hears(1));
    QCOMPARE(rig.speaker.answers(), (std::vector<std::uint64_t> { id }));
}

// ---- real processes

namespace {

// All its threads are stopped.
bool standsStill(std::uint32_t pid)
{
    const QDir tasks(QStringLiteral("/proc/%1/task").arg(pid));
    for (const QString& task : tasks.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile stat(tasks.filePath(task) + "/stat");
        if (!stat.open(QIODevice::ReadOnly) || !stat.readAll().contains(") T "))
            return false;
    }
    return true;
}

// The number of gates that opened because they were not renewed.
std::size_t unrenewed(gui::ClusterStage& stage)
{
    std::size_t count = 0;
    for (const gui::RunEvent& event : stage.session.ingest().eventsSince(0, 1'000'000).events)
        count += !event.isGap() && event.event->gate_opened().reason() == "nobody has renewed it" ? 1 : 0;
    return count;
}

const QString kCluster = QStringLiteral(
    "lab.cluster({ m: 2, k: 1, b: 1000, spares: { data: 2, parity: 2 }, gate: true }); const c = lab.client('alice');"
    "c.run({ do: 'insert', count: 20 }); lab.settle();\n");

} // namespace

void GateTest::anInsertGoesThroughAClusterStepByStep()
{
    gui::ClusterStage stage;
    const gui::ScriptResult result = stage.play(kCluster
        + "const k = lab.keysFor(lab.data(0), 1)[0];\n"
          "const g = lab.gate(true, { within: 10 });\n"
          "lab.expectEqual(g.closed, true, 'the gate is closed');\n"
          "const closed = lab.here();\n"
          "const h = c.start({ do: 'insert', keys: [k], count: 1 });\n"
          "lab.waitUntil(() => lab.held().some(m => m.kind === 'insert'));\n"
          // Three leases of real time, in which no lease expires and no process takes a step.
          "const begin = lab.now(); lab.waitUntil(() => lab.now() > begin + 0.9);\n"
          "lab.expectNone('MessageReceived', { since: closed });\n"
          "lab.expectNone('MemberSuspected', { since: closed });\n"
          "lab.expectEqual(h.progress().operations, 0, 'not done');\n"
          "lab.expectError('Refused', () => lab.measure({ name: 't', cases: [{ a: 1 }], run: () => ({ x: 1 }) }));\n"
          // One message at a time.
          "for (const kind of ['insert', 'delta', 'delta_ack', 'reply']) {\n"
          "    lab.waitUntil(() => lab.held().some(m => m.kind === kind));\n"
          "    const from = lab.here(), one = lab.held().find(m => m.kind === kind);\n"
          "    const gone = lab.release({ message: one });\n"
          "    lab.expectEqual(gone, [one], kind + ' is let through');\n"
          "    lab.expectEqual(lab.events({ kind: 'MessageReceived', since: from }).length, 1, 'one step');\n"
          "}\n"
          "lab.expectEqual(h.wait().operations, 1, 'the reply ends it, while the gate is still closed');\n"
          "lab.expectError('Refused', () => lab.release({ message: { to: 'alice', number: 987654 } }));\n"
          "lab.expectError('BadArgument', () => lab.release({ message: 7 }));\n"
          // Another workload begins, and the gate opens.
          "const more = c.start({ do: 'insert', count: 5, window: 5 });\n"
          "lab.waitUntil(() => lab.held().filter(m => m.kind === 'insert').length === 5);\n"
          "lab.expectEqual(lab.gate(false).closed, false, 'open');\n"
          "lab.expectEqual(more.wait().operations, 5, 'all done');\n"
          "lab.expectError('Refused', () => lab.held());\n"
          "lab.settle();\n"
          "lab.expectNone('MemberSuspected', { since: closed });\n"
          "lab.expectNone('BucketFailed', { since: closed });\n"
          "lab.expectEqual([lab.audit().unequal, c.verify().equal], [0, 26], 'all is there');\n"
          "lab.gate(true, { within: 10 });\n"
          // Only a timer is left: all clocks advance to it.
          "const passed = lab.release({ clock: true });\n"
          "lab.expectEqual(passed.length, 1, 'a message of a timer');\n"
          "lab.gate(false);\n");
    QVERIFY2(result.outcome == gui::ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void GateTest::oneProcessThatIsLateTakesTheGateBackEverywhere()
{
    gui::ClusterStage stage;
    const gui::ScriptResult result = stage.play(kCluster);
    QVERIFY2(result.outcome == gui::ScriptOutcome::Held, qPrintable(stage.story(result)));
    gui::ControlClient& control = stage.session.control();
    // A paused process does not confirm.
    const gui::ProcessId victim = stage.session.local().startClient("bob")->node();
    QVERIFY(bool(stage.session.local().pause({ victim }, 60s)));
    QVERIFY(eventually([&] { return standsStill(control.find(victim)->info.pid()); })); // a signal takes some time
    const gui::GateOutcome outcome = gui::closeGates(control, 2s);
    QVERIFY(!outcome.isClosed && outcome.hasGate);
    QVERIFY2(QString::fromStdString(outcome.text).startsWith("bob"), outcome.text.c_str());
    QVERIFY(!control.isGated());
    QVERIFY(bool(stage.session.local().resume({ victim })));
    for (const gui::KnownProcess& known : control.directory())
        QVERIFY(eventually([&] {
            const gui::Answer answer = control.callAndWait(known.info.node(), describe(), 5s);
            return answer && !answer.reply.gate().is_closed();
        }));
    // A process that starts while the gate is closed is gated too, and continues with the others.
    QVERIFY(gui::closeGates(control, 10s).isClosed);
    const gui::ProcessId late = stage.session.local().startClient("carol")->node();
    const auto isClosed = [&](gui::ProcessId process) {
        return control.callAndWait(process, describe(), 5s).reply.gate().is_closed();
    };
    QVERIFY(eventually([&] { return isClosed(late) && isClosed(victim); }));
    QVERIFY(gui::openGates(control).text.empty());
    QVERIFY(!isClosed(late) && !isClosed(victim));
    // A limit of no time at all is too short for every process.
    const gui::GateOutcome tight = gui::closeGates(control, 0ms);
    QVERIFY(tight.isClosed || tight.text.find("are allowed") != std::string::npos);
    gui::openGates(control);
}

void GateTest::theGateOfAWindowThatIsGoneOpens()
{
    gui::ClusterStage stage;
    const gui::ScriptResult result = stage.play(kCluster);
    QVERIFY2(result.outcome == gui::ScriptOutcome::Held, qPrintable(stage.story(result)));
    gui::ControlClient& control = stage.session.control();
    std::vector<std::pair<gui::CallTarget, pb::Command>> calls;
    for (const gui::KnownProcess& known : control.directory())
        calls.emplace_back(known.info.node(), closed(400)); // without renewal
    for (const gui::Answer& answer : control.callAllAndWait(calls, 10s))
        QVERIFY2(bool(answer), answer.text.c_str());
    QVERIFY(eventually([&] { return unrenewed(stage) == calls.size(); }));
    const gui::ScriptResult after = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 1000, spares: { data: 2, parity: 2 }, gate: true, reset: false }); const c = "
        "lab.client('carol');\n"
        "lab.expectEqual(c.run({ do: 'insert', count: 3 }).unanswered, 0, 'it serves');\n");
    QVERIFY2(after.outcome == gui::ScriptOutcome::Held, qPrintable(stage.story(after)));
}

// ---- a simulated cluster

namespace {

// How a lecture script uses the gate, and what it saw: kinds, receivers, and the outcome.
const QString kScript = kCluster
    + QStringLiteral(
        "const place = m => m.to === 'alice' ? 'client' : m.to === 'coordinator' ? 'coordinator' : 'server';\n"
        "const k = lab.keysFor(lab.data(0), 2);\n"
        "lab.expectError('Refused', () => lab.held());\n"
        "lab.expectError('Refused', () => lab.release());\n"
        "lab.expectEqual(lab.gate(true, { within: 10 }).closed, true, 'closed');\n"
        "const closed = lab.here();\n"
        "const h = c.start({ do: 'insert', keys: [k[0]], count: 1 });\n"
        "const begin = lab.now(); lab.waitUntil(() => lab.now() > begin + 0.5);\n"
        "lab.expectNone('MessageReceived', { since: closed });\n"
        "for (const kind of ['insert', 'delta', 'delta_ack', 'reply']) {\n"
        "    lab.waitUntil(() => lab.held().some(m => m.kind === kind));\n"
        "    const one = lab.held().find(m => m.kind === kind);\n"
        "    lab.expectEqual(lab.release({ message: one }), [one], kind);\n"
        "    lab.print('through ' + one.kind + ' to ' + place(one));\n"
        "}\n"
        "lab.expectEqual(h.wait().operations, 1, 'done');\n"
        "lab.expectError('Refused', () => lab.release({ message: { to: 'alice', number: 987654 } }));\n"
        "lab.expectError('BadArgument', () => lab.release({ message: 7 }));\n"
        "lab.expectError('Refused', () => lab.measure({ name: 't', cases: [{ a: 1 }], run: () => ({ x: 1 }) }));\n"
        // A lost message is retransmitted when the clocks run again.
        "const more = c.start({ do: 'insert', keys: [k[1]], count: 1 });\n"
        "lab.waitUntil(() => lab.held().some(m => m.kind === 'insert'));\n"
        "const lost = lab.release({ message: lab.held().find(m => m.kind === 'insert'), drop: true });\n"
        "lab.print('lost ' + lost.map(m => m.kind + ' to ' + place(m)));\n"
        "lab.expectEqual(more.progress().operations, 0, 'not done');\n"
        "lab.expectEqual(lab.gate(false).closed, false, 'open');\n"
        "lab.expectEqual(more.wait().operations, 1, 'sent again');\n"
        "lab.settle();\n"
        "lab.expectNone('MemberSuspected', { since: closed });\n"
        "lab.expectNone('BucketFailed', { since: closed });\n"
        "lab.print('audit ' + lab.audit().unequal + ', verified ' + c.verify().equal);\n"
        // Only timers are left: all clocks advance to the next one.
        "lab.gate(true, { within: 10 });\n"
        "for (let i = 0; lab.held().length > 0 && i < 100; i++) lab.release();\n"
        "lab.print('passed ' + lab.release({ clock: true }).length);\n"
        "lab.gate(false);\n");

} // namespace

void GateTest::aSimulatedClusterHoldsTheSameKinds_data()
{
    QTest::addColumn<double>("speed");
    QTest::addColumn<bool>("waitsForScript");
    QTest::newRow("in steps of the script") << 1.0 << true;
    QTest::newRow("as real time") << 1.0 << false;
    QTest::newRow("as fast as possible") << 0.0 << false;
}

void GateTest::aSimulatedClusterHoldsTheSameKinds()
{
    QFETCH(const double, speed);
    QFETCH(const bool, waitsForScript);
    const auto said = [](gui::ClusterStage& stage) {
        const gui::ScriptResult result = stage.play(kScript);
        QStringList lines = stage.listener.taken();
        lines.prepend(result.sentence());
        return lines;
    };
    static const QStringList kReal = [&] {
        gui::ClusterStage stage;
        return said(stage);
    }();
    gui::ClusterStage simulated;
    gui::SimulatedOptions options;
    options.seed = 4'500'200;
    options.speed = speed;
    options.waitsForScript = waitsForScript;
    simulated.session.local().preferSimulated(options);
    const QStringList seen = said(simulated);
    const auto printed = [](const QStringList& lines) { return lines.filter(QRegularExpression("^(print|no) ")); };
    QCOMPARE(printed(seen), printed(kReal));
    QVERIFY2(printed(seen).contains("print audit 0, verified 22"), qPrintable(seen.join('\n')));
    QCOMPARE(printed(seen).filter("print through").size(), 4);
}

void GateTest::theGateOfASimulatedClusterThatNobodyRenewsOpens()
{
    gui::ClusterStage stage;
    stage.session.local().preferSimulated(gui::SimulatedOptions { 4'500'201, 1 });
    const gui::ScriptResult result = stage.play(kCluster);
    QVERIFY2(result.outcome == gui::ScriptOutcome::Held, qPrintable(stage.story(result)));
    gui::ControlClient& control = stage.session.control();
    const gui::ProcessId coordinator = control.coordinator();
    QVERIFY(control.callAndWait(coordinator, closed(300), 5s).reply.gate().is_closed());
    // One command to one process gates all of them, and all gates open when it is not renewed.
    for (const gui::KnownProcess& known : control.directory())
        QVERIFY(eventually(
            [&] { return !control.callAndWait(known.info.node(), describe(), 5s).reply.gate().is_closed(); }));
    QVERIFY(eventually([&] { return unrenewed(stage) == control.directory().size(); }));
}

void GateTest::pausedVirtualTimeGoesOnAsFarAsAMessageNeeds()
{
    gui::ClusterStage stage;
    stage.session.local().preferSimulated(gui::SimulatedOptions { 4'500'202, 1 });
    const gui::ScriptResult result = stage.play(kCluster
        + "lab.clock({ paused: true });\n"
          "lab.gate(true);\n"
          "const stands = lab.now();\n"
          "const h = c.start({ do: 'insert', count: 1 });\n"
          "for (const kind of ['insert', 'delta', 'delta_ack', 'reply']) {\n"
          "    for (let i = 0; !lab.held().some(m => m.kind === kind) && i < 200; i++) lab.release({ clock: true });\n"
          "    lab.release({ message: lab.held().find(m => m.kind === kind) });\n"
          "}\n"
          "lab.expectEqual(h.progress().operations, 1, 'done, in paused time');\n"
          "lab.expect(lab.clock().paused, 'it is paused still');\n"
          "lab.expect(lab.now() > stands, 'each flight took its time');\n"
          "lab.gate(false);\n"
          "lab.expect(lab.clock().paused, 'an open gate does not let time go');\n"
          "lab.clock({ speed: 0 });\n"
          "lab.expectEqual(c.verify().equal, 21, 'and it goes on');\n");
    QVERIFY2(result.outcome == gui::ScriptOutcome::Held, qPrintable(stage.story(result)));
}

QTEST_GUILESS_MAIN(GateTest)
#include "tst_gate.moc"
