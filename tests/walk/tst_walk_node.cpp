// SPDX-License-Identifier: GPL-3.0-or-later
// A node of the ring, driven by hand: each order, each of its late copies, and queries at every moment of a handover.
#include "tests/rigs/walk/walk_driven.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

using Rig = WalkNodeRig;
using Codes = std::vector<pb::ResultCode>;

class TestWalkNode : public QObject {
    Q_OBJECT

private slots:
    void aNodeThatWasNeverInARingSendsClientsAway();
    void itAnswersFromYoursOn();
    void theFirstNodeOwnsEverythingFromOverOn();
    void theFirstNodeIsInWhenItIsToGive();
    void itServesItsRangeAndPassesTheRestOn();
    void aQueryAdriftIsDroppedLoudly();
    void whatIsNoQueryIsDropped();
    void aRepeatIsAnsweredWithTheSameResult();
    void theGiverHoldsChangesAfterTheLastBlockAndPassesThemOnAfterTheDecision();
    void theGiverDoesNotPassAQueryBackToTheReceiver();
    void aStopBeforeTheDecisionUndoes();
    void aStopAfterTheDecisionIsAcknowledgedOnly();
    void aStopThatOvertakesItsGiveUndoesItToo();
    void aRangeThatIsNotItsOwnIsNotGiven();
    void aNodeThatLeavesPassesEverythingOn();
    void theReceiverOfALeaveStagesUntilYours();
    void heldQueriesHaveABound();
    void lateCopiesOfOrdersDoNothing_data();
    void lateCopiesOfOrdersDoNothing();
    void anOrderForAnotherProcessIsDropped();
    void commandsAreForOthers();
    void watchersSeeWhatItIs();
};

void TestWalkNode::aNodeThatWasNeverInARingSendsClientsAway()
{
    Rig rig;
    const Step step = rig.driven.message(rig.query(pb::WALK_GET, 5));
    QCOMPARE(sentOf(step, Walk::kAstray, Rig::kClient).size(), std::size_t(1));
    QCOMPARE(rig.node.state(), pb::WALK_SPARE);
    rig.driven.message(rig.admit(1)); // while it joins, it passes queries on
    QCOMPARE(
        sentOf(rig.driven.message(rig.query(pb::WALK_GET, rig.keyIn(50, 100))), Walk::kQuery, Rig::kSuccessor).size(),
        std::size_t(1));
}

void TestWalkNode::itAnswersFromYoursOn()
{
    Rig rig;
    const std::uint64_t key = rig.keyIn(50, 100);
    const pb::Message admit = rig.admit(1);
    QVERIFY(rig.driven.message(admit).acknowledges(admit));
    QCOMPARE(rig.node.state(), pb::WALK_JOINING);
    rig.driven.message(rig.keys(1, 0, false, { key }));
    rig.driven.message(rig.keys(1, 1, true));
    QVERIFY(!rig.node.answersFor(rig.ring.idOf(Key(key))));
    Step step = rig.driven.message(rig.query(pb::WALK_PUT, key, "mine"));
    QVERIFY(step.sent.empty() && rig.node.held() == 1); // it waits
    step = rig.driven.message(rig.yours(1));
    QCOMPARE(Rig::results(step), Codes { pb::OK });
    QCOMPARE(rig.valueOf(key), std::string("mine"));
    QCOMPARE(toldOf(step, Told::kRangeTaken).at(0).range_taken().keys(), 1u);
    QVERIFY(rig.node.answersFor(RingId(100)) && rig.node.answersFor(RingId(51)) && !rig.node.answersFor(RingId(50)));
    QCOMPARE(rig.node.state(), pb::WALK_IN);
}

void TestWalkNode::theFirstNodeOwnsEverythingFromOverOn()
{
    Rig rig;
    pb::Message admit = rig.admit(1, 100, 100);
    *admit.mutable_walk()->mutable_admit()->mutable_successor() = walkNode(Rig::kSelf, 100);
    rig.driven.message(admit);
    QCOMPARE(sentOf(rig.driven.message(rig.query(pb::WALK_GET, 5)), Walk::kAstray).size(), std::size_t(1));
    rig.driven.message(rig.over(1, true));
    QCOMPARE(Rig::results(rig.driven.message(rig.query(pb::WALK_GET, 5))), Codes { pb::NOT_FOUND });
    for (std::uint64_t id = 0; id < 256; ++id)
        QVERIFY(rig.node.answersFor(RingId(id)));
}

// Its Over is lost, and the master continues: an order to give keys away implies that it owns them.
void TestWalkNode::theFirstNodeIsInWhenItIsToGive()
{
    for (const bool isStopped : { false, true }) {
        Rig rig;
        pb::Message admit = rig.admit(1, 100, 100);
        *admit.mutable_walk()->mutable_admit()->mutable_successor() = walkNode(Rig::kSelf, 100);
        rig.driven.message(admit);
        const Step step = rig.driven.message(isStopped ? rig.stop(2) : rig.give(2, 75, false, 100));
        QCOMPARE(sentOf(step, Walk::kKeys, Rig::kJoins).size(), std::size_t(isStopped ? 0 : 1));
        const pb::Message late = rig.over(1, true);
        QVERIFY(rig.driven.message(late).acknowledges(late));
        for (std::uint64_t id = 0; id < 256; ++id)
            QVERIFY(rig.node.answersFor(RingId(id)));
    }
}

void TestWalkNode::itServesItsRangeAndPassesTheRestOn()
{
    Rig rig;
    rig.joins();
    const std::uint64_t mine = rig.keyIn(50, 100), other = rig.keyIn(100, 50);
    QCOMPARE(Rig::results(rig.driven.message(rig.query(pb::WALK_GET, mine))), Codes { pb::NOT_FOUND });
    Step step = rig.driven.message(rig.query(pb::WALK_PUT, mine, "one"));
    QCOMPARE(Rig::results(step), Codes { pb::OK });
    QVERIFY(toldOf(step, Told::kKeyStored).at(0).key_stored().is_new());
    step = rig.driven.message(rig.query(pb::WALK_PUT, mine, "two")); // a second PUT replaces the value
    QVERIFY(Rig::results(step) == Codes { pb::OK } && !toldOf(step, Told::kKeyStored).at(0).key_stored().is_new());
    step = rig.driven.message(rig.query(pb::WALK_GET, mine));
    QCOMPARE(sentOf(step, Walk::kAnswer).at(0).walk().answer().value(), std::string("two"));
    QCOMPARE(sentOf(step, Walk::kAnswer).at(0).walk().answer().owner(), std::uint64_t(Rig::kSelf));
    QCOMPARE(Rig::results(rig.driven.message(rig.query(pb::WALK_DELETE, mine))), Codes { pb::OK });
    QCOMPARE(Rig::results(rig.driven.message(rig.query(pb::WALK_DELETE, mine))), Codes { pb::NOT_FOUND });

    const std::string value(500, 'v');
    pb::Message asked = rig.query(pb::WALK_PUT, other, value);
    asked.mutable_walk()->mutable_query()->set_steps(7);
    asked.mutable_walk()->mutable_query()->set_copy(3);
    step = rig.driven.message(asked);
    pb::WalkQuery expected = asked.walk().query();
    expected.set_steps(8);
    const pb::Message passed = sentOf(step, Walk::kQuery, Rig::kSuccessor).at(0);
    QCOMPARE(passed.walk().query().SerializeAsString(), expected.SerializeAsString());
    QCOMPARE(passed.operation().number(), asked.operation().number());
    QCOMPARE(toldOf(step, Told::kQueryPassed).at(0).query_passed().steps(), 8u);
}

void TestWalkNode::aQueryAdriftIsDroppedLoudly()
{
    Rig rig;
    rig.joins();
    pb::Message asked = rig.query(pb::WALK_GET, rig.keyIn(100, 50));
    asked.mutable_walk()->mutable_query()->set_steps(kStepsMax - 1);
    QCOMPARE(rig.driven.message(asked).sent.size(), std::size_t(1));
    asked.mutable_walk()->mutable_query()->set_steps(kStepsMax);
    const Step step = rig.driven.message(asked);
    QVERIFY(step.sent.empty());
    QCOMPARE(toldOf(step, Told::kQueryAdrift).at(0).query_adrift().steps(), kStepsMax);
}

void TestWalkNode::whatIsNoQueryIsDropped()
{
    Rig rig;
    rig.joins();
    const std::uint64_t mine = rig.keyIn(50, 100);
    const auto isDropped = [&](const std::function<void(pb::WalkQuery&)>& spoil) {
        pb::Message asked = rig.query(pb::WALK_PUT, mine, "v");
        spoil(*asked.mutable_walk()->mutable_query());
        const Step step = rig.driven.message(asked);
        return step.sent.empty() && rig.valueOf(mine) == "(none)";
    };
    QVERIFY(isDropped([](pb::WalkQuery& q) { q.mutable_request()->set_number(0); }));
    QVERIFY(isDropped([](pb::WalkQuery& q) { q.mutable_request()->set_client(0); }));
    QVERIFY(isDropped([](pb::WalkQuery& q) { q.set_operation(pb::WalkOperation(9)); }));
    QVERIFY(isDropped([](pb::WalkQuery& q) { q.set_operation(pb::WALK_UNKNOWN); }));
    QVERIFY(isDropped([](pb::WalkQuery& q) { q.set_id(q.id() + 256); }));
    QVERIFY(isDropped([](pb::WalkQuery& q) { q.set_id(q.id() == 100 ? 99 : 100); })); // not the id of the key
    QVERIFY(isDropped([](pb::WalkQuery& q) { q.set_value(std::string(65'536, 'v')); }));
}

void TestWalkNode::aRepeatIsAnsweredWithTheSameResult()
{
    Rig rig;
    rig.joins();
    const std::uint64_t mine = rig.keyIn(50, 100);
    const pb::Message removal = rig.query(pb::WALK_DELETE, mine, {}, 1),
                      put = rig.query(pb::WALK_PUT, mine, "first", 2),
                      later = rig.query(pb::WALK_PUT, mine, "later", 3);
    QCOMPARE(Rig::results(rig.driven.message(removal)), Codes { pb::NOT_FOUND });
    rig.driven.message(put);
    QCOMPARE(Rig::results(rig.driven.message(removal)), Codes { pb::NOT_FOUND }); // and it removes nothing
    rig.driven.message(later);
    QCOMPARE(Rig::results(rig.driven.message(put)), Codes { pb::OK });
    QCOMPARE(rig.valueOf(mine), std::string("later"));
    rig.driven.message(rig.query(pb::WALK_PUT, rig.keyIn(50, 100, 1), "x", 9, 9)); // it releases the earlier results
    QVERIFY(rig.driven.message(put).sent.empty());
    QCOMPARE(rig.node.bygone(), std::uint64_t(1));
    QCOMPARE(rig.valueOf(mine), std::string("later"));
}

void TestWalkNode::theGiverHoldsChangesAfterTheLastBlockAndPassesThemOnAfterTheDecision()
{
    Rig rig;
    const std::uint64_t moves = rig.keyIn(50, 75), stays = rig.keyIn(75, 100);
    rig.joins({ moves, stays });
    Step step = rig.driven.message(rig.give(2, 75));
    const pb::Message block = sentOf(step, Walk::kKeys, Rig::kJoins).at(0);
    QVERIFY(block.walk().keys().is_last() && block.walk().keys().entries_size() == 1
        && block.walk().keys().entries(0).key() == moves);
    QCOMPARE(rig.node.state(), pb::WALK_IN);
    QVERIFY(rig.driven.message(rig.query(pb::WALK_PUT, moves, "new")).sent.empty()); // held
    QCOMPARE(Rig::results(rig.driven.message(rig.query(pb::WALK_GET, moves))), Codes { pb::OK });
    QCOMPARE(Rig::results(rig.driven.message(rig.query(pb::WALK_PUT, stays, "new"))), Codes { pb::OK });

    step = rig.driven.message(rig.joiner.ack(block)); // the handover is decided
    const pb::Message yours = sentOf(step, Walk::kYours, Rig::kJoins).at(0);
    QCOMPARE(sentOf(step, Walk::kQuery, Rig::kJoins).size(), std::size_t(1));
    QCOMPARE(toldOf(step, Told::kKeysGiven).at(0).keys_given().keys(), 1u);
    QVERIFY(!rig.node.answersFor(RingId(75)) && rig.node.answersFor(RingId(76)) && rig.node.from() == RingId(75));
    QCOMPARE(sentOf(rig.driven.message(rig.query(pb::WALK_GET, moves)), Walk::kQuery, Rig::kJoins).size(),
        std::size_t(1)); // directly to the receiver
    QCOMPARE(
        sentOf(rig.driven.message(rig.query(pb::WALK_GET, rig.keyIn(100, 50))), Walk::kQuery, Rig::kSuccessor).size(),
        std::size_t(1));

    step = rig.driven.message(rig.joiner.ack(yours));
    const pb::Message given = sentOf(step, Walk::kGiven, Rig::kMaster).at(0);
    QCOMPARE(given.walk().given().keys(), 1u);
    QVERIFY(rig.valueOf(moves) == "(none)" && rig.valueOf(stays) == "new");
    rig.driven.message(rig.master.ack(given));
    rig.driven.message(rig.over(2, true));
    QCOMPARE(rig.node.state(), pb::WALK_IN);
    QCOMPARE(sentOf(rig.driven.message(rig.query(pb::WALK_GET, moves)), Walk::kQuery, Rig::kSuccessor).size(),
        std::size_t(1)); // round the ring again
    QVERIFY(sentOf(rig.driven.pass(5s), Walk::kKeys).empty());
}

// The receiver has meanwhile given a part of the range to another node, and Over is late: a query for that part must
// not be sent back to the receiver.
void TestWalkNode::theGiverDoesNotPassAQueryBackToTheReceiver()
{
    Rig rig;
    rig.joins();
    Step step = rig.driven.message(rig.give(2, 75));
    for (const Walk::BodyCase body : { Walk::kKeys, Walk::kYours }) {
        pb::Message ack = rig.joiner.message();
        ack.set_answers(sentOf(step, body, Rig::kJoins).at(0).id());
        ack.mutable_ack();
        step = rig.driven.message(ack);
    }
    pb::Message query = rig.query(pb::WALK_GET, rig.keyIn(50, 75));
    QCOMPARE(sentOf(rig.driven.message(query), Walk::kQuery, Rig::kJoins).size(), std::size_t(1));
    query.set_sender(Rig::kJoins);
    step = rig.driven.message(query);
    QCOMPARE(sentOf(step, Walk::kQuery, Rig::kJoins).size(), std::size_t(0));
    QCOMPARE(sentOf(step, Walk::kQuery, Rig::kSuccessor).size(), std::size_t(1));
}

void TestWalkNode::aStopBeforeTheDecisionUndoes()
{
    Rig rig;
    const std::uint64_t moves = rig.keyIn(50, 75);
    rig.joins({ moves });
    const pb::Message block = sentOf(rig.driven.message(rig.give(2, 75)), Walk::kKeys).at(0);
    rig.driven.message(rig.query(pb::WALK_PUT, moves, "new"));
    const pb::Message stop = rig.stop(2);
    Step step = rig.driven.message(stop);
    const pb::Message undone = sentOf(step, Walk::kUndone, Rig::kMaster).at(0);
    QCOMPARE(undone.answers(), stop.id());
    QCOMPARE(sentOf(step, Walk::kUndone, Rig::kJoins).size(), std::size_t(1));
    QCOMPARE(Rig::results(step), Codes { pb::OK }); // the query that was held
    QCOMPARE(rig.valueOf(moves), std::string("new"));
    step = rig.driven.message(rig.joiner.ack(block)); // too late
    QVERIFY(step.sent.empty() && rig.node.answersFor(RingId(75)));
    QCOMPARE(sentOf(rig.driven.message(rig.stop(2)), Walk::kUndone, Rig::kMaster).size(), std::size_t(1)); // again
    rig.driven.message(rig.over(2, true));
    QVERIFY(rig.node.answersFor(RingId(75)) && rig.node.openChange() == 0);
    QVERIFY(sentOf(rig.driven.pass(5s), Walk::kKeys).empty());
}

void TestWalkNode::aStopAfterTheDecisionIsAcknowledgedOnly()
{
    Rig rig;
    rig.joins();
    const pb::Message block = sentOf(rig.driven.message(rig.give(2, 75)), Walk::kKeys).at(0);
    const pb::Message yours = sentOf(rig.driven.message(rig.joiner.ack(block)), Walk::kYours).at(0);
    const pb::Message stop = rig.stop(2);
    Step step = rig.driven.message(stop);
    QVERIFY(step.acknowledges(stop) && sentOf(step, Walk::kUndone).empty());
    QVERIFY(!rig.node.answersFor(RingId(75)));
    step = rig.driven.message(rig.joiner.ack(yours));
    QCOMPARE(sentOf(step, Walk::kGiven).size(), std::size_t(1));
}

void TestWalkNode::aStopThatOvertakesItsGiveUndoesItToo()
{
    Rig rig;
    rig.joins();
    QCOMPARE(sentOf(rig.driven.message(rig.stop(2)), Walk::kUndone, Rig::kMaster).size(), std::size_t(1));
    const pb::Message give = rig.give(2, 75);
    const Step step = rig.driven.message(give);
    QCOMPARE(sentOf(step, Walk::kUndone, Rig::kMaster).at(0).answers(), give.id());
    QVERIFY(sentOf(step, Walk::kKeys).empty() && rig.node.answersFor(RingId(75)));
}

void TestWalkNode::aRangeThatIsNotItsOwnIsNotGiven()
{
    Rig rig;
    rig.joins();
    std::uint64_t change = 1;
    for (const auto& [from, to, isLeave] : { std::tuple(40, 75, false), std::tuple(50, 100, false),
             std::tuple(50, 120, false), std::tuple(50, 75, true) }) {
        const pb::Message give = rig.give(++change, std::uint64_t(to), isLeave, std::uint64_t(from));
        const Step step = rig.driven.message(give);
        QCOMPARE(sentOf(step, Walk::kUndone, Rig::kMaster).at(0).answers(), give.id());
        QVERIFY(sentOf(step, Walk::kKeys).empty() && rig.node.answersFor(RingId(75)));
        // That answer is lost, and the master asks again: a plain acknowledgement would mean that the keys are on their
        // way.
        QCOMPARE(sentOf(rig.driven.message(give), Walk::kUndone, Rig::kMaster).at(0).answers(), give.id());
    }
}

void TestWalkNode::aNodeThatLeavesPassesEverythingOn()
{
    Rig rig;
    const std::uint64_t mine = rig.keyIn(50, 100);
    rig.joins({ mine });
    Step step = rig.driven.message(rig.give(2, 100, true));
    QCOMPARE(rig.node.state(), pb::WALK_LEAVING);
    const pb::Message block = sentOf(step, Walk::kKeys, Rig::kSuccessor).at(0);
    QCOMPARE(Rig::results(rig.driven.message(rig.query(pb::WALK_GET, mine))), Codes { pb::OK });
    step = rig.driven.message(rig.successor.ack(block));
    const pb::Message yours = sentOf(step, Walk::kYours, Rig::kSuccessor).at(0);
    QCOMPARE(sentOf(rig.driven.message(rig.query(pb::WALK_GET, mine)), Walk::kQuery, Rig::kSuccessor).size(),
        std::size_t(1));
    rig.driven.message(rig.successor.ack(yours));
    QCOMPARE(rig.node.store().size(), std::size_t(0));
    rig.driven.message(rig.over(2, false));
    QCOMPARE(rig.node.state(), pb::WALK_SPARE);
    QCOMPARE(sentOf(rig.driven.message(rig.query(pb::WALK_GET, mine)), Walk::kQuery, Rig::kSuccessor).size(),
        std::size_t(1));
    rig.driven.message(rig.admit(3, 70, 20)); // it may join again at another id
    rig.driven.message(rig.keys(3, 0, true, {}, 20, 70));
    rig.driven.message(rig.yours(3));
    QVERIFY(rig.node.answersFor(RingId(21)) && rig.node.answersFor(RingId(70)) && !rig.node.answersFor(RingId(100)));
}

void TestWalkNode::theReceiverOfALeaveStagesUntilYours()
{
    Rig rig;
    rig.joins();
    const std::uint64_t comes = rig.keyIn(10, 50);
    // Its predecessor leaves and gives it (10, 50].
    const pb::Message elsewhere = rig.keys(2, 0, true, {}, 10, 40);
    QVERIFY(!rig.driven.message(elsewhere).acknowledges(elsewhere)); // this range does not end where its own begins
    rig.driven.message(rig.keys(2, 0, true, { comes }, 10, 50));
    QVERIFY(rig.node.answersFor(RingId(100)) && !rig.node.answersFor(RingId(50)) && rig.valueOf(comes) == "(none)");
    QVERIFY(rig.driven.message(rig.query(pb::WALK_GET, comes)).sent.empty()); // it waits
    Step step = rig.driven.message(rig.yours(2));
    QCOMPARE(Rig::results(step), Codes { pb::OK });
    QVERIFY(rig.node.answersFor(RingId(50)) && rig.node.answersFor(RingId(11)) && rig.node.from() == RingId(10));
    rig.driven.message(rig.over(2, true));
    // Another leave is undone: the staged keys are dropped, and the held query is passed on.
    const std::uint64_t other = rig.keyIn(250, 10);
    rig.driven.message(rig.keys(3, 0, true, { other }, 250, 10));
    rig.driven.message(rig.query(pb::WALK_GET, other));
    pb::Message undone = rig.successor.message();
    undone.mutable_walk()->mutable_undone()->set_change(3);
    step = rig.driven.message(undone);
    QCOMPARE(sentOf(step, Walk::kQuery, Rig::kSuccessor).size(), std::size_t(1));
    const pb::Message late = rig.yours(3);
    QVERIFY(rig.driven.message(late).acknowledges(late) && !rig.node.answersFor(RingId(10)));
}

void TestWalkNode::heldQueriesHaveABound()
{
    Rig rig;
    rig.joins();
    pb::Message welcome = rig.master.message();
    welcome.mutable_walk()->mutable_welcome()->mutable_config()->set_bits(8);
    welcome.mutable_walk()->mutable_welcome()->mutable_timers()->set_held_max(10);
    rig.driven.message(welcome);
    rig.driven.message(rig.give(2, 75));
    for (int i = 0; i < 30; ++i)
        rig.driven.message(rig.query(pb::WALK_PUT, rig.keyIn(50, 75), "v"));
    QCOMPARE(rig.node.held(), std::size_t(10));
}

void TestWalkNode::lateCopiesOfOrdersDoNothing_data()
{
    QTest::addColumn<int>("until");
    for (int until = 1; until <= 8; ++until)
        QTest::addRow("after %d", until) << until;
}

// A join, a join before it, and a leave; after each step all earlier orders arrive again.
void TestWalkNode::lateCopiesOfOrdersDoNothing()
{
    QFETCH(const int, until);
    Rig rig;
    const std::uint64_t moves = rig.keyIn(50, 75), stays = rig.keyIn(75, 100);
    std::vector<pb::Message> all;
    const auto step = [&](const pb::Message& message) {
        all.push_back(message);
        return rig.driven.message(message);
    };
    int count = 0;
    const auto isEnough = [&] { return ++count == until; };
    const auto play = [&] {
        step(rig.admit(1));
        if (isEnough())
            return;
        step(rig.keys(1, 0, false, { moves }));
        step(rig.keys(1, 1, true, { stays }));
        if (isEnough())
            return;
        step(rig.yours(1));
        if (isEnough())
            return;
        step(rig.over(1, true));
        step(rig.link(1, 30));
        if (isEnough())
            return;
        const pb::Message block = sentOf(step(rig.give(2, 75)), Walk::kKeys).at(0);
        if (isEnough())
            return;
        const pb::Message yours = sentOf(step(rig.joiner.ack(block)), Walk::kYours).at(0);
        if (isEnough())
            return;
        step(rig.joiner.ack(yours));
        step(rig.over(2, true));
        if (isEnough())
            return;
        step(rig.link(3, 31));
        isEnough();
    };
    play();
    QCOMPARE(count, until);
    const auto shown = [&] {
        pb::Snapshot snapshot;
        rig.node.snapshot(snapshot);
        return snapshot.ShortDebugString();
    };
    const std::string before = shown();
    for (int round = 0; round < 2; ++round) {
        for (const pb::Message& message : all) {
            const Step again = rig.driven.message(message);
            if (message.has_walk())
                QVERIFY(again.acknowledges(message));
            QVERIFY(sentOf(again, Walk::kKeys).empty() && sentOf(again, Walk::kYours).empty()
                && sentOf(again, Walk::kGiven).empty());
            QCOMPARE(shown(), before);
        }
        std::reverse(all.begin(), all.end());
    }
}

void TestWalkNode::anOrderForAnotherProcessIsDropped()
{
    Rig rig;
    rig.joins();
    pb::Message give = rig.give(2, 75), over = rig.over(2, false), link = rig.link(2, 9), stop = rig.stop(2),
                admit = rig.admit(2);
    give.mutable_walk()->mutable_give()->set_node(77);
    over.mutable_walk()->mutable_over()->set_node(77);
    link.mutable_walk()->mutable_link()->set_node(77);
    stop.mutable_walk()->mutable_stop()->set_node(77);
    admit.mutable_walk()->mutable_admit()->set_node(77);
    for (const pb::Message& order : { give, over, link, stop, admit }) {
        const Step step = rig.driven.message(order);
        QVERIFY(step.sent.empty());
        QCOMPARE(step.count(Happened::kMessageDropped), std::size_t(1));
    }
    QVERIFY(rig.node.state() == pb::WALK_IN && rig.node.successor().node() == Rig::kSuccessor);
}

void TestWalkNode::commandsAreForOthers()
{
    Rig rig;
    pb::Command command;
    command.mutable_walk()->mutable_describe_ring();
    QCOMPARE(rig.driven.command(command).replies.at(0).refusal(), pb::WRONG_PROCESS);
}

void TestWalkNode::watchersSeeWhatItIs()
{
    Rig rig;
    const std::uint64_t one = rig.keyIn(50, 100, 0), two = rig.keyIn(50, 100, 1);
    rig.joins({ one, two });
    pb::Snapshot snapshot;
    rig.node.snapshot(snapshot);
    QVERIFY(snapshot.walk().id() == 100 && snapshot.walk().from() == 50
        && snapshot.walk().successor().node() == Rig::kSuccessor);
    QVERIFY(snapshot.walk().keys() == 2 && snapshot.walk().ids_size() == 2 && snapshot.walk().state() == pb::WALK_IN);
    pb::Gauges gauges;
    rig.node.gauges(gauges);
    QVERIFY(gauges.records() == 2 && gauges.store_bytes() == 10);
    rig.driven.message(rig.give(2, 75));
    pb::NodeSample sample;
    rig.node.inspect(rig.driven.now(), sample);
    QCOMPARE(sample.awaited_count(), 1u);
    QCOMPARE(sample.awaited(0).kind(), std::string("keys"));
    QCOMPARE(sample.under_way(), std::string("gives a range"));
    const Step step = rig.driven.pass(600ms);
    QVERIFY(step.of(Body::kAlive, Rig::kMaster).size() >= 1);
    QCOMPARE(step.of(Body::kAlive, Rig::kMaster).at(0).message.alive().number(), 2u);
}

QTEST_APPLESS_MAIN(TestWalkNode)
#include "tst_walk_node.moc"
