// SPDX-License-Identifier: GPL-3.0-or-later
// The gates of a simulated cluster, by the commands that real processes take: what is held where, that no protocol
// clock advances meanwhile, and that only messages dropped on purpose are lost.
#include "tests/sim/gated_site_rig.h"

#include <map>

using namespace lhrs;
using namespace lhrs::test;

class SimGateTest : public QObject {
    Q_OBJECT

private slots:
    void whatArrivesIsHeldAndEachReleaseIsOneStep();
    void noLeaseAndNoResendRunsOut();
    void aLostMessageIsSentAgain();
    void clocksGoOnToTheNextTimerByHand();
    void whatIsHeldIsDeliveredInItsOrder();
    void aStreamIsHeldAsSuch();
    void aMulticastIsHeldAtEachReceiver();
    void aKilledProcessTakesWhatItHeldWithIt();
    void whoJoinsMeanwhileIsGatedToo();
    void whoStartsAgainMeanwhileIsGatedToo();
    void aPausedProcessKeepsWhatItHas();
    void rulesOfTheNetworkHoldBeforeTheGate();
    void closedTwiceIsClosedOnce();
    void aGateThatNobodyRenewsInRealTimeOpens();
    void stepsOfVirtualTimeEndBehindAClosedGate();
    void asFastAsPossibleGoesAsRealTimeWhileItIsClosed();
    void halfWayThrough_data();
    void halfWayThrough();
    void watchersSeeIt();
    void theSameCommandsBringTheSameEvents();
};

void SimGateTest::whatArrivesIsHeldAndEachReleaseIsOneStep()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    site.gate(true);
    QCOMPARE(site.count(pb::Event::kGateClosed), site.living().size());
    site.stepNs(5ms); // the messages under way are held now
    const std::uint64_t insert = site.begin(pb::INSERT, 2);
    QVERIFY(site.until([&] { return site.heldOf("insert").has_value(); }));
    const HeldThere request = *site.heldOf("insert");
    QCOMPARE(request.at, bucket);
    QCOMPARE(request.message.from(), site.alice);
    QCOMPARE(request.message.transport(), pb::UDP);
    QVERIFY(request.message.bytes() > 0 && request.message.has_operation());
    QVERIFY(request.message.since_ns() > 0 && request.message.since_ns() <= site.cluster.now().count());
    site.stepNs(500ms);
    QVERIFY(!site.replies.contains(insert));
    for (const char* kind : { "insert", "delta", "delta_ack", "reply" }) {
        QVERIFY2(site.until([&] { return site.heldOf(kind).has_value(); }, 1s), kind);
        const HeldThere one = *site.heldOf(kind);
        const std::size_t received = site.count(pb::Event::kMessageReceived);
        const pb::CommandReply reply = site.release(one.at, one.message.number());
        QCOMPARE(reply.gate().released_size(), 1);
        QCOMPARE(reply.gate().released(0).id(), one.message.id());
        QCOMPARE(site.count(pb::Event::kMessageReceived), received + 1);
    }
    QCOMPARE(site.replies[insert].operation().result(), pb::OK);
    QVERIFY(site.cluster.isGated());
    // It refuses what real processes refuse.
    QCOMPARE(site.release(bucket, 987'654).refusal(), pb::REFUSED);
    pb::Command many;
    many.mutable_release_held()->set_count(1'001);
    QCOMPARE(site.replies[site.give(many, bucket)].refusal(), pb::BAD_ARGUMENT);
    site.gate(false);
    QCOMPARE(site.count(pb::Event::kGateOpened), site.count(pb::Event::kGateClosed));
    QCOMPARE(site.release(bucket, 1).refusal(), pb::REFUSED);
    QCOMPARE(site.operate(site.alice, pb::SEARCH, 2).value(), std::string("v"));
    QCOMPARE(site.trouble(), std::size_t(0));
}

void SimGateTest::noLeaseAndNoResendRunsOut()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    site.gate(true);
    site.stepNs(5ms);
    const std::uint64_t insert = site.begin(pb::INSERT, 2);
    site.stepNs(5ms);
    const std::size_t sent = site.count(pb::Event::kMessageSent), held = site.held().size();
    pb::Command watch;
    watch.mutable_watch();
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    const std::int64_t lease = site.replies[site.give(watch, bucket)].sample().lease_left_ns();
    QVERIFY(lease > 0);
    site.stepNs(60s);
    QCOMPARE(site.count(pb::Event::kMessageSent), sent);
    QCOMPARE(site.held().size(), held);
    const pb::NodeSample sample = site.replies[site.give(watch, bucket)].sample();
    QCOMPARE(sample.lease_left_ns(), lease);
    QCOMPARE(sample.time_ns(), site.cluster.now().count()); // watchers see gated time pass
    site.gate(false);
    site.stepNs(1s);
    QCOMPARE(site.replies[insert].operation().result(), pb::OK);
    site.stepNs(5s);
    QCOMPARE(site.trouble(), std::size_t(0));
    std::int64_t gated = 0;
    for (const pb::Event& event : site.events)
        if (event.has_gate_opened())
            gated = event.gate_opened().gated_ns();
    QCOMPARE(gated, std::int64_t(60'010'000'000)); // the total of all
}

void SimGateTest::aLostMessageIsSentAgain()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    site.gate(true);
    const std::uint64_t insert = site.begin(pb::INSERT, 2);
    QVERIFY(site.until([&] { return site.heldOf("insert").has_value(); }));
    const HeldThere request = *site.heldOf("insert");
    const pb::CommandReply lost = site.release(request.at, request.message.number(), true);
    QCOMPARE(lost.gate().released(0).id(), request.message.id());
    QCOMPARE(lost.gate().dropped(), std::uint64_t(1));
    const pb::Event& said = site.events.at(site.events.size() - 2); // the gauges follow it
    QCOMPARE(said.message_dropped().reason(), std::string(kDroppedAtGate));
    site.stepNs(10ms);
    QVERIFY(!site.heldOf("insert"));
    site.gate(false);
    QVERIFY(site.until([&] { return site.replies.contains(insert); }));
    QCOMPARE(site.replies[insert].operation().result(), pb::OK);
    QVERIFY(std::count_if(site.events.begin(), site.events.end(), [&](const pb::Event& event) {
        return event.has_message_sent() && event.message_sent().id() == request.message.id();
    }) > 1);
}

void SimGateTest::clocksGoOnToTheNextTimerByHand()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    site.gate(true);
    site.stepNs(5ms);
    while (site.releaseOldest()) { }
    QVERIFY(site.held().empty());
    for (int i = 0; i < 50 && site.held().empty(); ++i)
        site.passToTimer();
    QVERIFY(!site.held().empty());
    // One second of timers, step by step: no process is suspected.
    for (int i = 0; i < 300; ++i)
        if (!site.releaseOldest())
            site.passToTimer();
    QCOMPARE(site.trouble(), std::size_t(0));
    site.gate(false);
    site.stepNs(3s);
    QCOMPARE(site.trouble(), std::size_t(0));
    QCOMPARE(site.operate(site.alice, pb::SEARCH, 1).result(), pb::OK);
}

void SimGateTest::whatIsHeldIsDeliveredInItsOrder()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 100).result(), pb::OK);
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    site.gate(true);
    std::vector<std::uint64_t> tickets;
    for (std::uint64_t key = 0; key < 8; ++key) {
        tickets.push_back(site.begin(pb::INSERT, key));
        site.stepNs(2ms);
    }
    const pb::GateState state = site.state(bucket);
    std::vector<std::uint64_t> ids, received;
    for (const pb::HeldMessage& message : state.messages())
        ids.push_back(message.id());
    QVERIFY(ids.size() >= 8);
    const std::size_t before = site.events.size();
    site.gate(false);
    // A message that is sent to it now comes after the held ones.
    const std::uint64_t later = site.begin(pb::INSERT, 50);
    site.stepNs(1s);
    for (std::size_t i = before; i < site.events.size(); ++i)
        if (site.events[i].has_message_received() && site.tellers[i] == bucket)
            received.push_back(site.events[i].message_received().id());
    QVERIFY(received.size() > ids.size());
    received.resize(ids.size());
    QCOMPARE(received, ids);
    tickets.push_back(later);
    for (const std::uint64_t ticket : tickets)
        QCOMPARE(site.replies[ticket].operation().result(), pb::OK);
}

void SimGateTest::aStreamIsHeldAsSuch()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 100).result(), pb::OK);
    site.gate(true);
    const std::string large(5'000, 'x');
    const std::uint64_t first = site.begin(pb::INSERT, 1, large), second = site.begin(pb::INSERT, 2, large);
    site.stepNs(10ms);
    std::vector<HeldThere> streams;
    for (const HeldThere& one : site.held())
        if (one.message.transport() == pb::STREAM)
            streams.push_back(one);
    QCOMPARE(streams.size(), std::size_t(2));
    QVERIFY(streams[0].message.bytes() > 5'000);
    // Out of order by command: that is what a person asked for.
    QCOMPARE(site.release(streams[1].at, streams[1].message.number()).gate().released_size(), 1);
    site.gate(false);
    site.stepNs(1s);
    QCOMPARE(site.replies[first].operation().result(), pb::OK);
    QCOMPARE(site.replies[second].operation().result(), pb::OK);
    QCOMPARE(site.operate(site.alice, pb::SEARCH, 1).value(), large);
}

void SimGateTest::aMulticastIsHeldAtEachReceiver()
{
    GatedSite site;
    for (std::uint64_t key = 0; key < 9; ++key)
        QCOMPARE(site.operate(site.alice, pb::INSERT, key).result(), pb::OK);
    site.gate(true);
    pb::Command split;
    split.mutable_force_split();
    const std::uint64_t wanted = site.give(split);
    const auto invited = [&] {
        std::map<std::uint64_t, std::size_t> receivers;
        std::size_t most = 0;
        for (const HeldThere& one : site.held())
            if (one.message.transport() == pb::MULTICAST)
                most = std::max(most, ++receivers[one.message.id()]);
        return most;
    };
    site.stepNs(2ms);
    for (int i = 0; i < 200 && invited() < 2; ++i)
        if (!site.releaseOldest())
            site.passToTimer();
    QVERIFY2(invited() >= 2, "one invitation waits at several spares");
    // One of them is lost; the others are enough.
    for (const HeldThere& one : site.held())
        if (one.message.transport() == pb::MULTICAST) {
            QCOMPARE(site.release(one.at, one.message.number(), true).gate().dropped() > 0, true);
            break;
        }
    site.gate(false);
    QVERIFY(site.until([&] { return site.replies.contains(wanted); }));
    QCOMPARE(site.replies[wanted].refusal(), pb::NOT_REFUSED);
    site.awaitRest();
    for (std::uint64_t key = 0; key < 9; ++key)
        QCOMPARE(site.operate(site.alice, pb::SEARCH, key).result(), pb::OK);
}

void SimGateTest::aKilledProcessTakesWhatItHeldWithIt()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    site.awaitRest();
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    site.gate(true);
    const std::uint64_t insert = site.begin(pb::INSERT, 2);
    QVERIFY(site.until([&] { return site.heldOf("insert").has_value(); }));
    const std::size_t held = std::size_t(site.state(bucket).held());
    const std::uint64_t number = site.heldOf("insert")->message.number();
    site.arm(bucket, [](pb::Fault& fault) { fault.mutable_crash(); });
    const auto said = std::find_if(
        site.events.begin(), site.events.end(), [](const pb::Event& event) { return event.has_message_dropped(); });
    QVERIFY(said != site.events.end());
    QCOMPARE(site.tellers[std::size_t(said - site.events.begin())], bucket);
    QCOMPARE(std::size_t(said->message_dropped().count()), held);
    QVERIFY(said->message_dropped().reason().find("ended") != std::string::npos);
    QVERIFY(!site.heldOf("insert"));
    QVERIFY(site.release(bucket, number).text().find("has ended") != std::string::npos);
    site.stepNs(10s); // it is not missed while all clocks stand still
    QCOMPARE(site.trouble(), std::size_t(0));
    site.gate(false);
    QVERIFY(site.until([&] { return site.replies.contains(insert); }));
    QCOMPARE(site.replies[insert].operation().result(), pb::OK);
    site.awaitRest();
    QCOMPARE(site.count(pb::Event::kRecoveryFinished), std::size_t(1));
    QCOMPARE(site.operate(site.alice, pb::SEARCH, 1).result(), pb::OK);
}

void SimGateTest::whoJoinsMeanwhileIsGatedToo()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    site.gate(true);
    const std::size_t closed = site.count(pb::Event::kGateClosed);
    const std::uint64_t bob = site.started(pb::CLIENT, pb::NO_ROLE, { "bob" }).front();
    QVERIFY2(site.state(bob).is_closed(), "already before its first step");
    pb::Command pass;
    pass.mutable_release_held()->set_advance_ns(1);
    QCOMPARE(site.replies[site.give(pass, bob)].refusal(), pb::NOT_REFUSED);
    site.stepNs(20ms);
    QCOMPARE(site.count(pb::Event::kGateClosed), closed + 1);
    QVERIFY(site.state(bob).is_closed());
    const std::vector<HeldThere> all = site.held();
    QVERIFY2(std::any_of(all.begin(), all.end(), [bob](const HeldThere& one) { return one.message.from() == bob; }),
        "what it said first is held");
    pb::Command snapshot;
    snapshot.mutable_take_snapshot();
    QVERIFY(site.replies[site.give(snapshot, bob)].snapshot().is_gated());
    const std::size_t sent = site.cluster.numbered(NodeId(bob))->messagesOut();
    site.stepNs(5s);
    QCOMPARE(site.cluster.numbered(NodeId(bob))->messagesOut(), sent);
    site.gate(false);
    QVERIFY(!site.state(bob).is_closed());
    QCOMPARE(site.operate(bob, pb::SEARCH, 1).result(), pb::OK);
}

void SimGateTest::whoStartsAgainMeanwhileIsGatedToo()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    site.awaitRest();
    site.gate(true);
    site.stepNs(5ms);
    pb::Command again;
    again.mutable_start_processes()->add_again(site.place(pb::DATA, 0));
    const std::uint64_t other = Site::nodesOf(site.replies[site.give(again)]).front();
    site.stepNs(20ms);
    QVERIFY(site.state(other).is_closed());
    QCOMPARE(site.state(other).dropped(), std::uint64_t(0));
    site.gate(false);
    site.awaitRest();
    QCOMPARE(site.operate(site.alice, pb::SEARCH, 1).result(), pb::OK);
}

void SimGateTest::aPausedProcessKeepsWhatItHas()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    site.gate(true);
    const std::uint64_t insert = site.begin(pb::INSERT, 2);
    QVERIFY(site.until([&] { return site.heldOf("insert").has_value(); }));
    const std::uint64_t number = site.heldOf("insert")->message.number();
    site.arm(bucket, [](pb::Fault& fault) { fault.mutable_pause(); });
    QVERIFY(site.release(bucket, number).text().find("stands still by a fault") != std::string::npos);
    QCOMPARE(site.state(bucket).next_timer_ns(), std::int64_t(-1));
    site.passToTimer(); // of the other processes, which a paused one does not hold up
    const std::uint32_t held = site.state(bucket).held();
    const std::uint64_t second = site.begin(pb::INSERT, 3);
    site.stepNs(20ms);
    QCOMPARE(site.state(bucket).held(), held); // it waits before the gate of the paused process
    pb::Command heal;
    heal.mutable_heal_faults();
    site.give(heal, bucket);
    site.stepNs(20ms);
    QCOMPARE(site.state(bucket).held(), held + 1);
    // If the gate opens during the pause, the process takes its messages when it continues.
    site.arm(bucket, [](pb::Fault& fault) { fault.mutable_pause(); });
    site.gate(false);
    QVERIFY(!site.state(bucket).is_closed());
    site.stepNs(10ms);
    QVERIFY(!site.replies.contains(insert));
    site.give(heal, bucket);
    site.stepNs(1s);
    QCOMPARE(site.replies[insert].operation().result(), pb::OK);
    QCOMPARE(site.replies[second].operation().result(), pb::OK);
}

void SimGateTest::rulesOfTheNetworkHoldBeforeTheGate()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    site.gate(true);
    site.stepNs(5ms);
    site.arm(bucket, [](pb::Fault& fault) {
        fault.mutable_network()->set_delay_ms(40);
        fault.mutable_network()->set_way(pb::INCOMING);
        fault.mutable_network()->add_kinds("insert");
    });
    const std::uint64_t slow = site.begin(pb::INSERT, 2);
    site.stepNs(20ms);
    QVERIFY(!site.heldOf("insert"));
    QCOMPARE(site.state(bucket).coming(), 1u);
    site.stepNs(30ms);
    QVERIFY(site.heldOf("insert").has_value());
    QCOMPARE(site.state(bucket).coming(), 0u);
    // A message that a rule loses never reaches the gate.
    pb::Command heal;
    heal.mutable_heal_faults();
    site.give(heal, bucket);
    site.arm(bucket, [](pb::Fault& fault) { fault.mutable_network()->set_drop(1); });
    const std::uint32_t held = site.state(bucket).held();
    const std::uint64_t lost = site.begin(pb::INSERT, 3);
    site.stepNs(100ms);
    QCOMPARE(site.state(bucket).held(), held);
    site.give(heal, bucket);
    site.gate(false);
    QVERIFY(site.until([&] { return site.replies.contains(slow) && site.replies.contains(lost); }));
    QCOMPARE(site.replies[slow].operation().result(), pb::OK);
    QCOMPARE(site.replies[lost].operation().result(), pb::OK);
}

void SimGateTest::closedTwiceIsClosedOnce()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 2).result(), pb::OK);
    site.gate(true);
    const std::size_t closed = site.count(pb::Event::kGateClosed);
    site.stepNs(50ms);
    const std::int64_t stopped = site.state(site.alice).stopped_ns();
    site.begin(pb::INSERT, 1);
    for (int i = 0; i < 500 && !site.heldOf("insert"); ++i) // no step ends here, which would tell how many are held
        site.cluster.happenNext();
    QVERIFY(site.heldOf("insert"));
    const std::size_t events = site.events.size();
    site.gate(true);
    QCOMPARE(site.events.size(), events); // a renewal emits no event
    QCOMPARE(site.count(pb::Event::kGateClosed), closed);
    QCOMPARE(site.state(site.alice).stopped_ns(), stopped);
    site.gate(false);
    QCOMPARE(site.count(pb::Event::kGateOpened), closed);
    site.gate(false);
    QCOMPARE(site.count(pb::Event::kGateOpened), closed);
    // Once more: the clocks leave out both times.
    site.gate(true);
    site.stepNs(10s);
    site.gate(false);
    site.stepNs(5s);
    QCOMPARE(site.trouble(), std::size_t(0));
}

void SimGateTest::aGateThatNobodyRenewsInRealTimeOpens()
{
    GatedSite site;
    site.real = 10s;
    site.gate(true, 5'000);
    QCOMPARE(site.state(site.alice).lease_left_ms(), 5'000u);
    site.stepNs(3600s); // virtual time does not count for the lease
    QVERIFY(site.cluster.isGated());
    site.real = 14s;
    site.gate(true, 5'000); // renewed
    site.real = 18s;
    site.stepNs(1ms);
    QVERIFY(site.cluster.isGated());
    site.real = 19s;
    site.stepNs(1ms);
    QVERIFY(!site.cluster.isGated());
    QVERIFY(std::any_of(site.events.begin(), site.events.end(),
        [](const pb::Event& event) { return event.gate_opened().reason() == "nobody has renewed it"; }));
    site.stepNs(3s);
    QCOMPARE(site.trouble(), std::size_t(0));
}

void SimGateTest::stepsOfVirtualTimeEndBehindAClosedGate()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    site.gate(true);
    pb::StepClock until;
    until.set_messages(1'000'000); // a limit beyond all that is under way
    QVERIFY(site.step(until).is_paused());
    for (const std::uint64_t process : site.living())
        QCOMPARE(site.state(process).coming(), 0u);
    const Time quiet = site.cluster.now();
    until.set_events(1);
    QVERIFY(site.step(until).is_paused());
    QVERIFY(site.cluster.now() - quiet < 1s);
    // A message that arrives at a closed gate counts as arrived.
    const std::size_t held = site.held().size();
    site.begin(pb::SEARCH, 1);
    until.set_messages(1);
    QVERIFY(site.step(until).is_paused());
    QCOMPARE(site.held().size(), held + 1);
    QVERIFY(site.heldOf("search").has_value());
    const std::int64_t before = site.control.state({}).virtual_ns();
    QCOMPARE(site.stepNs(1ms).virtual_ns() - before, std::int64_t(1'000'000));
    // A message may pass even in paused time: it takes one step, at once, and the messages of that step are under way.
    const HeldThere search = *site.heldOf("search");
    QCOMPARE(site.release(search.at, search.message.number()).gate().released_size(), 1);
    QCOMPARE(site.state(site.alice).coming(), 1u);
    QVERIFY(!site.heldOf("reply"));
    site.stepNs(1ms);
    QVERIFY(site.heldOf("reply").has_value());
}

void SimGateTest::asFastAsPossibleGoesAsRealTimeWhileItIsClosed()
{
    SimClock clock;
    clock.run(0, 2s, 10s);
    QCOMPARE(clock.limit(11s), Time::max());
    clock.setGated(true, 2s, 11s);
    QCOMPARE(clock.limit(12s), Time(3s));
    QVERIFY(clock.realTimeOf(4s) && *clock.realTimeOf(4s) >= 13s);
    QCOMPARE(clock.factor(), 0.0);
    clock.setGated(false, 3s, 12s);
    QCOMPARE(clock.limit(12s), Time::max());
    // At any other speed it has no effect.
    clock.run(2, 3s, 12s);
    clock.setGated(true, 3s, 12s);
    QCOMPARE(clock.limit(13s), Time(5s));
}

void SimGateTest::halfWayThrough_data()
{
    QTest::addColumn<int>("what");
    QTest::newRow("a split") << int(pb::Event::kSplitPrepared);
    QTest::newRow("a recovery") << int(pb::Event::kRecoveryStarted);
}

void SimGateTest::halfWayThrough()
{
    QFETCH(const int, what);
    for (std::uint64_t seed = kGatedSeeds; seed < kGatedSeeds + 5; ++seed) {
        GatedSite site(seed);
        for (std::uint64_t key = 0; key < 10; ++key)
            QCOMPARE(site.operate(site.alice, pb::INSERT, key).result(), pb::OK);
        std::vector<std::uint64_t> keys;
        if (what == int(pb::Event::kRecoveryStarted)) {
            site.awaitRest();
            site.arm(site.place(pb::DATA, 0), [](pb::Fault& fault) { fault.mutable_crash(); });
            keys.push_back(site.begin(pb::SEARCH, 1)); // its absence is noticed
        } else {
            keys.push_back(site.begin(pb::INSERT, 10));
            keys.push_back(site.begin(pb::INSERT, 11));
        }
        QVERIFY(site.until([&] { return site.count(pb::Event::BodyCase(what)) > 0; }));
        const std::size_t suspected = site.trouble();
        site.gate(true);
        site.stepNs(20s);
        for (int i = 0; i < 10; ++i)
            if (!site.releaseOldest())
                site.passToTimer();
        site.stepNs(20s);
        QCOMPARE(site.trouble(), suspected);
        site.gate(false);
        site.awaitRest();
        QCOMPARE(site.trouble(), suspected);
        for (const std::uint64_t ticket : keys)
            QCOMPARE(site.replies[ticket].operation().result(), pb::OK);
        for (std::uint64_t key = 0; key < 10; ++key)
            QCOMPARE(site.operate(site.alice, pb::SEARCH, key).result(), pb::OK);
    }
}

void SimGateTest::watchersSeeIt()
{
    GatedSite site;
    QCOMPARE(site.operate(site.alice, pb::INSERT, 1).result(), pb::OK);
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    site.gate(true);
    site.begin(pb::INSERT, 2);
    site.stepNs(5ms);
    // While time stands still, the number of held messages is updated without the next gauges.
    std::map<std::uint64_t, std::uint32_t> told;
    for (std::size_t i = 0; i < site.events.size(); ++i)
        if (site.events[i].has_gauges())
            told[site.tellers[i]] = site.events[i].gauges().gate_held();
    for (const std::uint64_t process : site.living())
        QCOMPARE(told[process], site.state(process).held());
    QVERIFY(told[bucket] > 0);
    pb::Command watch;
    watch.mutable_watch();
    const pb::NodeSample sample = site.replies[site.give(watch, bucket)].sample();
    QVERIFY(sample.gate().is_closed());
    QCOMPARE(sample.gate().messages_size(), int(told[bucket]));
    QVERIFY(std::any_of(sample.queues().begin(), sample.queues().end(),
        [&](const auto& queue) { return queue.name() == "Held by the gate" && queue.length() == told[bucket]; }));
    // Questions have no effect.
    const std::size_t before = site.events.size();
    site.held();
    QCOMPARE(site.events.size(), before);
}

void SimGateTest::theSameCommandsBringTheSameEvents()
{
    const auto play = [](std::uint64_t seed, bool asks) {
        GatedSite site(seed);
        for (std::uint64_t key = 0; key < 12; ++key)
            site.begin(pb::INSERT, key), site.stepNs(1ms);
        site.gate(true);
        site.begin(pb::INSERT, 100);
        site.stepNs(3ms);
        for (int i = 0; i < 20; ++i) {
            if (asks)
                site.held(), site.place(pb::DATA, 0);
            if (!site.releaseOldest())
                site.passToTimer();
        }
        if (const auto lost = site.heldOf("insert"))
            site.release(lost->at, lost->message.number(), true);
        site.arm(site.place(pb::DATA, 0), [](pb::Fault& fault) { fault.mutable_crash(); });
        site.gate(false);
        site.stepNs(5s);
        return site.stream;
    };
    const std::string first = play(kGatedSeeds + 1, false);
    QVERIFY(first.size() > 10'000);
    QVERIFY(play(kGatedSeeds + 1, false) == first);
    QVERIFY2(play(kGatedSeeds + 1, true) == first, "whoever asks changes the run");
    QVERIFY(play(kGatedSeeds + 2, false) != first);
}

QTEST_APPLESS_MAIN(SimGateTest)
#include "tst_sim_gate.moc"
