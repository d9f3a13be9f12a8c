// SPDX-License-Identifier: GPL-3.0-or-later
// A ring in memory: every key is found from every node, and joins and leaves lose nothing, even with late or repeated
// messages.
#include "tests/rigs/walk/walk_rig.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class TestWalk : public QObject {
    Q_OBJECT

private slots:
    void everyKeyIsFoundFromEveryNode_data();
    void everyKeyIsFoundFromEveryNode();
    void joinsAndLeavesUnderLoadLoseNothing_data();
    void joinsAndLeavesUnderLoadLoseNothing();
    void twoJoinsAtOnceAreDoneOneAfterTheOther();
    void joinAndLeaveOfOneNode();
    void idsThatCollideAreRefused();
    void theLastNodeDoesNotLeave();
    void queriesPassALeavingNode();
    void nobodyAnswersBeforeYours();
    void aChangeWaitsWhileTheLastBlockIsUnderWay();
    void aLateCopyOfAPutDoesNotOverwriteANewerOne();
    void everyMessageMayComeAgainLate();
};

static constexpr std::uint64_t kFirst = WalkRig::kNode;

void TestWalk::everyKeyIsFoundFromEveryNode_data()
{
    QTest::addColumn<std::uint32_t>("nodes");
    for (std::uint32_t n = 1; n <= 16; ++n)
        QTest::addRow("%u", n) << n;
}

// From each node once, a key is 0, 1, ..., N - 1 steps away: (N - 1) / 2 on average.
void TestWalk::everyKeyIsFoundFromEveryNode()
{
    QFETCH(const std::uint32_t, nodes);
    WalkRig rig(WalkRig::of(nodes));
    QUIET(rig);
    QCOMPARE(rig.master().ring().size(), std::size_t(nodes));
    QCOMPARE(rig.insertMany(60).results().at("OK"), std::uint64_t(60));
    std::uint64_t steps = 0;
    for (const Key key : rig.client().ledger().keys()) {
        std::set<std::uint32_t> seen;
        for (const std::uint64_t via : rig.nodes) {
            const pb::LookUpResult found = rig.lookUp(key.value, via);
            QCOMPARE(found.result(), pb::OK);
            QCOMPARE(found.owner(), rig.ownerOf(rig.master().ids().idOf(key)));
            QCOMPARE(found.value().size(), std::size_t(20));
            seen.insert(found.steps());
            steps += found.steps();
        }
        QVERIFY(seen.size() == nodes && *seen.rbegin() == nodes - 1);
    }
    QCOMPARE(2 * steps, std::uint64_t(60) * nodes * (nodes - 1));
    READS_BACK(rig);
    QCOMPARE(rig.lookUp(987'654'321, 0).result(), pb::NOT_FOUND);
}

void TestWalk::joinsAndLeavesUnderLoadLoseNothing_data()
{
    QTest::addColumn<std::uint64_t>("seed");
    const int more = qEnvironmentVariableIntValue("LHRS_SEEDS");
    for (std::uint64_t seed = 1; seed <= std::uint64_t(more > 0 ? more : 16); ++seed)
        QTest::addRow("%d", int(seed)) << seed;
}

void TestWalk::joinsAndLeavesUnderLoadLoseNothing()
{
    QFETCH(const std::uint64_t, seed);
    WalkRig::Options options = WalkRig::of(3, 5, 3);
    options.network.seed = seed;
    if (seed % 2 == 0) {
        options.network.jitter = 3ms;
        options.network.loss = 20;
        options.network.doubled = 50;
    }
    WalkRig rig(options);
    QVERIFY(rig.waitForRest());
    std::vector<std::uint64_t> tickets;
    for (const std::uint64_t client : rig.clients) {
        pb::RunWorkload order;
        order.set_count(600);
        order.set_length(seed % 3 == 0 ? 3'000 : 30); // several blocks, or one
        order.set_window(6);
        order.set_seed(seed * 10 + client);
        for (const std::uint32_t weight : { 40, 20, 10, 30 })
            order.add_mix(weight);
        order.set_rate(1'500);
        tickets.push_back(rig.beginWorkload(order, client));
    }
    SeededNumbers numbers(seed);
    std::vector<std::uint64_t> changes;
    for (int change = 0; change < 10; ++change) {
        rig.run(Time(numbers.below(60'000'000)));
        const std::uint64_t node = kFirst + numbers.below(8);
        if (seed % 3 == 1) // any node; the pause is too short to be noticed
            rig.cluster.pause(kFirst + numbers.below(8), Time(numbers.below(800'000'000)));
        changes.push_back(
            rig.master().ring().contains(rig.node(node).id()) ? rig.orderLeave(node) : rig.orderJoin(node));
    }
    for (const std::uint64_t ticket : tickets) {
        const pb::WorkloadResult done = rig.await(ticket).workload();
        QCOMPARE(done.operations(), std::uint64_t(600));
        QCOMPARE(done.wrong() + done.missing() + done.unanswered(), std::uint64_t(0));
    }
    std::size_t made = 0;
    for (const std::uint64_t ticket : changes)
        made += rig.await(ticket).refusal() == pb::NOT_REFUSED ? 1 : 0;
    QVERIFY(made >= 3);
    QUIET(rig);
    for (const std::uint64_t client : rig.clients) {
        const pb::WorkloadResult found = rig.verify(client);
        QVERIFY(found.operations() > 0);
        QCOMPARE(found.wrong() + found.missing() + found.unanswered(), std::uint64_t(0));
    }
}

void TestWalk::twoJoinsAtOnceAreDoneOneAfterTheOther()
{
    WalkRig rig(WalkRig::of(1, 2)); // there is only one gap
    QUIET(rig);
    rig.insertMany(100);
    const std::uint64_t one = rig.orderJoin(kFirst + 1), two = rig.orderJoin(kFirst + 2);
    QCOMPARE(rig.master().underWay(), std::string("process 11 joins, 1 change waits"));
    const pb::RingChangeResult first = rig.await(one).walk().change(), second = rig.await(two).walk().change();
    QVERIFY(first.change() + 1 == second.change() && first.undone().empty() && second.undone().empty());
    QUIET(rig);
    QCOMPARE(rig.master().ring().size(), std::size_t(3));
    QCOMPARE(first.keys() + second.keys() + rig.node(kFirst).store().size() >= 100, true);
    READS_BACK(rig);
}

void TestWalk::joinAndLeaveOfOneNode()
{
    WalkRig rig(WalkRig::of(2, 2));
    QUIET(rig);
    rig.insertMany(50);
    // The leave waits for the join that is under way.
    const std::uint64_t joins = rig.orderJoin(kFirst + 2), leaves = rig.orderLeave(kFirst + 2);
    QCOMPARE(rig.await(joins).refusal(), pb::NOT_REFUSED);
    QCOMPARE(rig.await(leaves).refusal(), pb::NOT_REFUSED);
    QUIET(rig);
    QCOMPARE(rig.master().ring().size(), std::size_t(2));
    // A node whose join still waits is told to leave: it never joins.
    const std::uint64_t other = rig.orderJoin(kFirst + 2), waits = rig.orderJoin(kFirst + 3),
                        back = rig.orderLeave(kFirst + 3);
    QCOMPARE(rig.await(back).refusal(), pb::NOT_REFUSED);
    QCOMPARE(rig.await(waits).refusal(), pb::REFUSED);
    QCOMPARE(rig.await(other).refusal(), pb::NOT_REFUSED);
    QUIET(rig);
    QCOMPARE(rig.master().ring().size(), std::size_t(3));
    // Impossible changes are refused.
    QCOMPARE(rig.join(kFirst).text(), std::string("process 10 is in the ring already"));
    QCOMPARE(rig.leave(kFirst + 3).text(), std::string("process 13 is not in the ring"));
    QCOMPARE(rig.join(77).text(), std::string("there is no such node"));
    QCOMPARE(rig.join(0).refusal(), pb::NOT_REFUSED);
    QCOMPARE(rig.join(0).text(), std::string("no node waits outside the ring"));
    READS_BACK(rig);
}

void TestWalk::idsThatCollideAreRefused()
{
    const IdRing ids(8);
    std::map<std::uint64_t, std::uint64_t> seen; // id -> node
    std::uint64_t one = 0, two = 0;
    for (std::uint64_t node = kFirst; two == 0; ++node) {
        const auto [other, isNew] = seen.try_emplace(ids.idOf("0.0.0." + std::to_string(node) + ":0").value, node);
        if (!isNew) {
            one = other->second;
            two = node;
        }
    }
    WalkRig rig({ .nodes = 1, .joined = 1, .clients = 1, .bits = 8 });
    rig.addNode(one);
    rig.addNode(two);
    QVERIFY(rig.waitForRest()
        && rig.runUntil([&] { return rig.node(two).isRegistered() && rig.node(one).isRegistered(); }));
    QCOMPARE(rig.join(one).refusal(), one == kFirst ? pb::REFUSED : pb::NOT_REFUSED);
    const pb::CommandReply refused = rig.join(two);
    QCOMPARE(refused.refusal(), pb::REFUSED);
    QVERIFY2(refused.text().ends_with("is taken by process " + std::to_string(one)), refused.text().c_str());
}

void TestWalk::theLastNodeDoesNotLeave()
{
    WalkRig rig(WalkRig::of(2));
    QUIET(rig);
    rig.insertMany(40);
    QCOMPARE(rig.leave(kFirst).refusal(), pb::NOT_REFUSED);
    QCOMPARE(rig.leave(kFirst + 1).text(), std::string("the last node of a ring cannot leave it"));
    QUIET(rig);
    QCOMPARE(rig.node(kFirst + 1).store().size(), std::size_t(40));
    READS_BACK(rig);
}

// Queries through a node that is leaving, or has left, are answered, even after its process has ended.
void TestWalk::queriesPassALeavingNode()
{
    WalkRig rig(WalkRig::of(4));
    QUIET(rig);
    rig.insertMany(80);
    const std::uint64_t left = kFirst + 2;
    // The client is told of no change, so it continues to ask the leaving node.
    rig.cluster.onPacket = [](const MemoryCluster::Packet& packet) {
        return packet.to != WalkRig::kClient || !isBody(packet, Walk::kWelcome);
    };
    const std::uint64_t leaves = rig.orderLeave(left);
    for (std::uint64_t key = 0; key < 80; ++key)
        QCOMPARE(rig.lookUp(key, left).result(), pb::OK);
    QCOMPARE(rig.await(leaves).refusal(), pb::NOT_REFUSED);
    QCOMPARE(rig.node(left).state(), pb::WALK_SPARE);
    for (std::uint64_t key = 0; key < 80; ++key)
        QCOMPARE(rig.lookUp(key, left).result(), pb::OK); // it passes queries on to its last successor
    rig.kill(left);
    READS_BACK(rig); // a copy that is sent there is lost, and the next one takes another path
}

// Between the last block and its acknowledgement the receiver has everything and the giver answers.
void TestWalk::nobodyAnswersBeforeYours()
{
    WalkRig rig(WalkRig::of(3, 1));
    QUIET(rig);
    const std::uint64_t joins = kFirst + 3, key = keyThatMovesTo(rig, joins);
    QCOMPARE(rig.operate(pb::INSERT, key, "before").result(), pb::OK);
    bool isHeldBack = true;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return !isHeldBack || packet.from != joins || packet.to == WalkRig::kMaster || !packet.message->has_ack();
    };
    const std::uint64_t ticket = rig.orderJoin(joins);
    rig.run(300ms);
    const RingId id = rig.master().ids().idOf(Key(key));
    QVERIFY(!rig.node(joins).answersFor(id) && rig.ownerOf(id) != 0);
    QCOMPARE(QString::fromStdString(rig.violation), QString());
    for (const std::uint64_t via : { kFirst, kFirst + 1, kFirst + 2 }) // reads continue
        QCOMPARE(rig.lookUp(key, via).value(), std::string("before"));
    isHeldBack = false;
    QCOMPARE(rig.await(ticket).walk().change().undone(), std::string());
    QUIET(rig);
    QCOMPARE(rig.ownerOf(id), joins);
    QCOMPARE(rig.lookUp(key, 0).value(), std::string("before"));
}

void TestWalk::aChangeWaitsWhileTheLastBlockIsUnderWay()
{
    WalkRig rig(WalkRig::of(3, 1));
    QUIET(rig);
    const std::uint64_t joins = kFirst + 3, key = keyThatMovesTo(rig, joins);
    rig.operate(pb::INSERT, key, "before");
    bool isHeldBack = true;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return !isHeldBack || packet.from != joins || packet.to == WalkRig::kMaster || !packet.message->has_ack();
    };
    const std::uint64_t ticket = rig.orderJoin(joins);
    rig.run(100ms);
    const std::uint64_t put = rig.begin(pb::INSERT, key, "after");
    rig.run(200ms);
    QVERIFY(rig.cluster.reply(put) == nullptr); // the receiver has the earlier value
    isHeldBack = false;
    QCOMPARE(rig.await(put).operation().result(), pb::OK);
    rig.await(ticket);
    QUIET(rig);
    QCOMPARE(rig.ownerOf(rig.master().ids().idOf(Key(key))), joins);
    QCOMPARE(rig.lookUp(key, 0).value(), std::string("after"));
}

// A copy of a PUT is delayed for a long time. Meanwhile the client overwrites the key, and its range moves twice.
void TestWalk::aLateCopyOfAPutDoesNotOverwriteANewerOne()
{
    WalkRig rig(WalkRig::of(2, 1));
    QUIET(rig);
    const std::uint64_t joins = kFirst + 2, key = keyThatMovesTo(rig, joins);
    std::vector<MemoryCluster::Packet> copies;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (isBody(packet, Walk::kQuery) && packet.message->walk().query().operation() == pb::WALK_PUT)
            copies.push_back(packet);
        return true;
    };
    const std::uint64_t reads = rig.begin(pb::SEARCH, key ^ 1); // it stays open, so that no result may be dropped
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (isBody(packet, Walk::kAnswer) && packet.message->walk().answer().request().number() == 1)
            return false;
        if (isBody(packet, Walk::kQuery) && packet.message->walk().query().operation() == pb::WALK_PUT)
            copies.push_back(packet);
        return true;
    };
    QCOMPARE(rig.operate(pb::INSERT, key, "old").result(), pb::OK);
    QVERIFY(!copies.empty());
    const std::vector<MemoryCluster::Packet> late = copies;
    QCOMPARE(rig.operate(pb::UPDATE, key, "new").result(), pb::OK);
    QVERIFY(rig.cluster.reply(reads) == nullptr);
    const auto comeAgain = [&] {
        for (const MemoryCluster::Packet& packet : late)
            for (const std::uint64_t node : rig.nodes)
                rig.cluster.inject(node, *packet.message);
        rig.run(10ms);
    };
    comeAgain();
    QCOMPARE(rig.lookUp(key, 0).value(), std::string("new"));
    QCOMPARE(rig.join(joins).refusal(), pb::NOT_REFUSED);
    comeAgain();
    QCOMPARE(rig.lookUp(key, 0).value(), std::string("new"));
    QCOMPARE(rig.ownerOf(rig.master().ids().idOf(Key(key))), joins);
    QCOMPARE(rig.leave(joins).refusal(), pb::NOT_REFUSED);
    comeAgain();
    QCOMPARE(rig.lookUp(key, 0).value(), std::string("new"));
    // The same after the client has released the result.
    rig.await(reads);
    rig.cluster.onPacket = nullptr;
    rig.operate(pb::UPDATE, key, "newest");
    QCOMPARE(rig.join(joins).refusal(), pb::NOT_REFUSED);
    comeAgain();
    QCOMPARE(rig.lookUp(key, 0).value(), std::string("newest"));
}

// All messages of a run with changes arrive once more, in any order, after its end.
void TestWalk::everyMessageMayComeAgainLate()
{
    WalkRig rig(WalkRig::of(3, 2));
    std::vector<MemoryCluster::Packet> seen;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_walk() || packet.message->has_ack())
            seen.push_back(packet);
        return true;
    };
    QUIET(rig);
    rig.insertMany(60);
    rig.join(kFirst + 3);
    rig.join(kFirst + 4);
    rig.leave(kFirst);
    rig.leave(kFirst + 3);
    rig.join(kFirst);
    QUIET(rig);
    std::set<Walk::BodyCase> kinds;
    for (const MemoryCluster::Packet& packet : seen)
        kinds.insert(packet.message->walk().body_case());
    QVERIFY(kinds.contains(Walk::kAdmit) && kinds.contains(Walk::kGive) && kinds.contains(Walk::kKeys)
        && kinds.contains(Walk::kYours) && kinds.contains(Walk::kGiven) && kinds.contains(Walk::kLink)
        && kinds.contains(Walk::kOver));
    rig.cluster.onPacket = nullptr;
    const auto ring = rig.master().ring();
    SeededNumbers numbers(3);
    for (std::size_t i = seen.size(); i > 1; --i)
        std::swap(seen[i - 1], seen[numbers.below(i)]);
    for (const MemoryCluster::Packet& packet : seen) {
        rig.cluster.inject(packet.to, *packet.message);
        if (numbers.below(4) == 0)
            rig.run(100us);
    }
    rig.run(2s);
    QUIET(rig);
    QVERIFY(rig.master().ring().size() == ring.size() && rig.master().changes() == 8);
    READS_BACK(rig);
}

QTEST_APPLESS_MAIN(TestWalk)
#include "tst_walk.moc"
