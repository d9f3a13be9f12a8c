// SPDX-License-Identifier: GPL-3.0-or-later
// A ring in memory in which processes die, pause or cannot be heard: changes are undone where possible, and losses are
// reported.
#include "tests/rigs/walk/walk_rig.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class TestWalkFailures : public QObject {
    Q_OBJECT

private slots:
    void aReceiverThatDiesBeforeItHasAllIsUndone();
    void aReceiverThatWakesAfterStopIsASpare();
    void aStopThatComesAfterTheDecisionUndoesNothing();
    void aLeaveIsUndoneWhenItsReceiverIsSilent();
    void aReceiverThatDiesAfterTheDecisionIsLoud();
    void aGiverThatDiesBeforeYoursIsLoud();
    void aDeadNodeOfTheRingIsLoud();
    void aPausedNodeOfTheRingComesBack();
    void aFirstNodeThatWasSilentOwnsNothing();
    void theRingAnswersWithoutItsMaster();
    void anOrderIsForOneProcess();
};

static constexpr std::uint64_t kFirst = WalkRig::kNode;

void TestWalkFailures::aReceiverThatDiesBeforeItHasAllIsUndone()
{
    WalkRig rig(WalkRig::of(3, 1));
    QUIET(rig);
    Events events(rig);
    rig.insertMany(200, 3'000);
    const std::uint64_t joins = kFirst + 3, key = keyThatMovesTo(rig, joins);
    rig.operate(pb::INSERT, key, "before");
    // It takes everything, and ends before any other process knows.
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.from != joins || packet.to == WalkRig::kMaster || !packet.message->has_ack();
    };
    const std::uint64_t ticket = rig.orderJoin(joins);
    rig.run(500ms);
    const std::uint64_t put = rig.begin(pb::INSERT, key, "after");
    rig.kill(joins);
    QCOMPARE(rig.await(ticket).walk().change().undone(), std::string("the receiver is silent"));
    QCOMPARE(rig.await(put).operation().result(), pb::OK); // it was held; the unchanged owner carries it out
    QUIET(rig);
    QCOMPARE(events[Told::kChangeUndone], 1);
    QCOMPARE(events[Told::kRingNodeLost], 0);
    QCOMPARE(rig.master().ring().size(), std::size_t(3));
    QCOMPARE(rig.lookUp(key, 0).value(), std::string("after"));
    READS_BACK(rig);
}

void TestWalkFailures::aReceiverThatWakesAfterStopIsASpare()
{
    WalkRig rig(WalkRig::of(3, 1));
    QUIET(rig);
    rig.insertMany(200);
    const std::uint64_t joins = kFirst + 3;
    bool hasPaused = false;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.to != joins || !isBody(packet, Walk::kKeys) || std::exchange(hasPaused, true))
            return true;
        rig.cluster.pause(joins, 15s); // long enough that the master forgets it
        return false; // this copy is lost; the next ones wait until it wakes
    };
    const pb::CommandReply undone = rig.join(joins);
    QVERIFY(hasPaused && !undone.walk().change().undone().empty());
    READS_BACK(rig);
    rig.run(20s);
    QUIET(rig);
    QCOMPARE(rig.node(joins).state(), pb::WALK_SPARE);
    QCOMPARE(rig.join(joins).walk().change().undone(), std::string());
    QUIET(rig);
    READS_BACK(rig);
}

// The master does not receive the receiver's messages, but the giver does.
void TestWalkFailures::aStopThatComesAfterTheDecisionUndoesNothing()
{
    WalkRig rig(WalkRig::of(3, 1));
    QUIET(rig);
    rig.insertMany(200);
    const std::uint64_t joins = kFirst + 3;
    bool isHeldBack = true;
    int stops = 0;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        stops += isBody(packet, Walk::kStop) ? 1 : 0;
        if (isHeldBack && packet.from == joins && packet.to == WalkRig::kMaster && packet.message->has_alive())
            return false;
        return !isHeldBack || !isBody(packet, Walk::kGiven);
    };
    const std::uint64_t ticket = rig.orderJoin(joins);
    QVERIFY(rig.runUntil([&] { return stops > 0; }));
    rig.run(1s);
    QVERIFY(!rig.master().broken().empty() && rig.node(joins).state() == pb::WALK_IN);
    isHeldBack = false;
    QCOMPARE(rig.await(ticket).walk().change().undone(), std::string());
    QUIET(rig);
    QCOMPARE(rig.master().ring().size(), std::size_t(4));
    READS_BACK(rig);
}

void TestWalkFailures::aLeaveIsUndoneWhenItsReceiverIsSilent()
{
    WalkRig rig(WalkRig::of(3));
    QUIET(rig);
    Events events(rig);
    rig.insertMany(100);
    const std::uint64_t leaves = kFirst, receiver = rig.node(kFirst).successor().node();
    rig.cluster.pause(receiver, 4s);
    const pb::CommandReply undone = rig.leave(leaves);
    QCOMPARE(undone.walk().change().undone(), std::string("the receiver is silent"));
    QCOMPARE(events[Told::kRingNodeLost], 1);
    rig.run(5s);
    QUIET(rig);
    QCOMPARE(events[Told::kRingNodeBack], 1);
    QCOMPARE(rig.master().ring().size(), std::size_t(3));
    READS_BACK(rig);
    QCOMPARE(rig.leave(leaves).walk().change().undone(), std::string());
    QUIET(rig);
    READS_BACK(rig);
}

void TestWalkFailures::aReceiverThatDiesAfterTheDecisionIsLoud()
{
    WalkRig rig(WalkRig::of(3, 2));
    QUIET(rig);
    Events events(rig);
    rig.insertMany(100);
    const std::uint64_t joins = kFirst + 3;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (!isBody(packet, Walk::kYours) || !rig.nodes.contains(joins))
            return true;
        rig.kill(joins);
        return false;
    };
    const std::uint64_t ticket = rig.orderJoin(joins);
    QVERIFY(rig.runUntil([&] { return events[Told::kRingNodeLost] == 1; }));
    QVERIFY(!rig.master().broken().empty() && rig.cluster.reply(ticket) == nullptr);
    QVERIFY(rig.master().underWay().starts_with("process 13 joins"));
    QCOMPARE(rig.join(kFirst + 4).refusal(), pb::REFUSED);
}

void TestWalkFailures::aGiverThatDiesBeforeYoursIsLoud()
{
    WalkRig rig(WalkRig::of(3));
    QUIET(rig);
    Events events(rig);
    rig.insertMany(100);
    const std::uint64_t leaves = kFirst, receiver = rig.node(kFirst).successor().node();
    const RingId id = rig.node(leaves).id();
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (isBody(packet, Walk::kYours) && rig.nodes.contains(leaves))
            rig.kill(leaves);
        return !isBody(packet, Walk::kYours);
    };
    rig.orderLeave(leaves);
    QVERIFY(rig.runUntil([&] { return events[Told::kRingNodeLost] == 1; }));
    QVERIFY(!rig.node(receiver).answersFor(id)); // it has the keys and must not answer
    pb::Command rest;
    rest.mutable_await_rest()->set_timeout_ms(100);
    const pb::CommandReply late = rig.await(rig.cluster.command(WalkRig::kMaster, rest));
    QCOMPARE(late.refusal(), pb::TIMED_OUT);
    QCOMPARE(late.text(), std::string("process 10 leaves"));
    QVERIFY(!late.walk().ring().broken().empty() && !late.walk().ring().at_rest());
}

void TestWalkFailures::aDeadNodeOfTheRingIsLoud()
{
    WalkRig rig(WalkRig::of(3, 1));
    QUIET(rig);
    Events events(rig);
    rig.insertMany(100);
    const std::uint64_t dead = kFirst + 1;
    const RingId id = rig.node(dead).id();
    std::uint64_t key = 0;
    while (!rig.node(dead).answersFor(rig.master().ids().idOf(Key(key))))
        ++key;
    const std::uint64_t waits = rig.orderJoin(kFirst + 3), queued = rig.orderLeave(kFirst);
    Q_UNUSED(waits);
    rig.await(queued);
    rig.waitForRest();
    rig.kill(dead);
    QVERIFY(rig.runUntil([&] { return events[Told::kRingNodeLost] == 1; }));
    QCOMPARE(rig.master().broken(),
        std::string("the ring is broken at process 11, which is silent: its keys cannot be reached, and they are lost "
                    "if it has ended"));
    QCOMPARE(rig.join(kFirst).refusal(), pb::REFUSED);
    QCOMPARE(rig.leave(kFirst + 2).refusal(), pb::REFUSED);
    QVERIFY(rig.master().ring().contains(id)); // no other node takes its place
    QCOMPARE(rig.operate(pb::INSERT, key, "x").result(), pb::UNKNOWN_OUTCOME);
    QCOMPARE(rig.operate(pb::SEARCH, key).result(), pb::RETRY);
}

void TestWalkFailures::aPausedNodeOfTheRingComesBack()
{
    WalkRig rig(WalkRig::of(3, 1));
    QUIET(rig);
    Events events(rig);
    rig.insertMany(100);
    rig.cluster.pause(kFirst + 1, 3s);
    QVERIFY(rig.runUntil([&] { return events[Told::kRingNodeBack] == 1; }));
    QUIET(rig);
    QCOMPARE(rig.join(kFirst + 3).refusal(), pb::NOT_REFUSED);
    QUIET(rig);
    READS_BACK(rig);
}

void TestWalkFailures::aFirstNodeThatWasSilentOwnsNothing()
{
    WalkRig rig(WalkRig::of(0, 2));
    QVERIFY(rig.runUntil([&] { return rig.node(kFirst).isRegistered() && rig.node(kFirst + 1).isRegistered(); }));
    rig.cluster.pause(kFirst, 5s);
    QVERIFY(!rig.join(kFirst).walk().change().undone().empty());
    QCOMPARE(rig.join(kFirst + 1).walk().change().undone(), std::string());
    rig.run(10s);
    QUIET(rig);
    QCOMPARE(rig.master().ring().size(), std::size_t(1));
    QCOMPARE(rig.node(kFirst).state(), pb::WALK_SPARE);
    QCOMPARE(rig.join(kFirst).walk().change().undone(), std::string());
    QUIET(rig);
}

void TestWalkFailures::theRingAnswersWithoutItsMaster()
{
    WalkRig rig(WalkRig::of(4));
    QUIET(rig);
    rig.insertMany(50);
    rig.cluster.kill(WalkRig::kMaster);
    QCOMPARE(rig.insertMany(50).results().at("OK"), std::uint64_t(50));
    READS_BACK(rig);
}

// Another process has taken over the address of a node that has ended: the order is not for it.
void TestWalkFailures::anOrderIsForOneProcess()
{
    WalkRig rig(WalkRig::of(2, 1));
    QUIET(rig);
    rig.kill(kFirst + 2);
    rig.addNode(kFirst + 2, NodeId(99));
    int dropped = 0;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        dropped += event.has_message_dropped() ? 1 : 0;
    };
    const pb::CommandReply undone = rig.join(kFirst + 2); // the master has not noticed
    QVERIFY(dropped > 0);
    QVERIFY(!undone.walk().change().undone().empty());
    QUIET(rig);
    QCOMPARE(rig.join(99).walk().change().undone(), std::string());
}

QTEST_APPLESS_MAIN(TestWalkFailures)
#include "tst_walk_failures.moc"
