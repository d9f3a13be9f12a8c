// SPDX-License-Identifier: GPL-3.0-or-later
// Each check of the walk's oracle finds its error: a liar joins a correct run and sends what the master, a giver or a
// client would send; or the oracle is told of steps that never happened.
#include "node/sim/walk/walk_simulation.h"

#include <QTest>

#include <memory>

using namespace lhrs;
using namespace std::chrono_literals;

namespace {

// Sends the given messages, and acknowledges everything that arrives.
class Liar : public Machine {
public:
    struct Lie {
        Address to;
        pb::Message message;
    };
    explicit Liar(std::vector<Lie> lies) : m_lies(std::move(lies)) { }

    void onMessage(const pb::Message& message, Time, Effects& out) override
    {
        pb::Message& answer = out.send(Address::from(message.from()));
        answer.set_answers(message.id());
        answer.mutable_ack();
    }
    void onCommand(const pb::Command&, Time, Effects&) override { }
    void onTime(Time, Effects& out) override
    {
        for (const Lie& lie : std::exchange(m_lies, {}))
            out.send(lie.to).MergeFrom(lie.message);
        m_isDone = true;
    }
    Time deadline() const override { return m_isDone ? Time::max() : Time(); }
    void snapshot(pb::Snapshot&) const override { }
    void gauges(pb::Gauges&) const override { }

private:
    std::vector<Lie> m_lies;
    bool m_isDone = false;
};

// A ring of five nodes and a spare, at rest, with forty keys, one of which was removed.
class Rig {
public:
    Rig() : simulation(told())
    {
        isRight = simulation.run();
        for (const auto& [id, node] : simulation.master().ring())
            ring.push_back(node);
        for (const auto& process : simulation.cluster().processes())
            if (const auto* node = dynamic_cast<const WalkNode*>(process->machine.get());
                node != nullptr && node->state() == pb::WALK_SPARE)
                spare = process.get();
    }

    static WalkCase told()
    {
        WalkCase told;
        told.seed = 7;
        told.nodes = 5;
        told.spares = 1;
        told.network.set_delay_us(50);
        for (std::uint64_t key = 0; key < 40; ++key)
            told.operations.push_back({ 0, pb::INSERT, key, 8 });
        told.operations.push_back({ 0, pb::DELETE, 39, 0 });
        return told;
    }

    const SimProcess& processOf(std::size_t place) const
    {
        return *simulation.cluster().numbered(NodeId(ring.at(place).node()));
    }
    const WalkNode& nodeAt(std::size_t place) const { return dynamic_cast<const WalkNode&>(*processOf(place).machine); }
    IdRing ids() const { return simulation.master().ids(); }
    // The place in the ring of the key's owner.
    std::size_t ownerOf(std::uint64_t key) const
    {
        std::size_t place = 0;
        while (!nodeAt(place).answersFor(ids().idOf(Key(key))))
            ++place;
        return place;
    }
    static pb::WalkNode asNode(const SimProcess& process, std::uint64_t id)
    {
        pb::WalkNode node;
        node.set_id(id);
        node.set_node(process.info.node());
        *node.mutable_address() = process.info.address();
        return node;
    }

    // The liar sends this, and the cluster continues, but not so long that the master notices and corrects it.
    void lie(const SimProcess& to, std::vector<pb::WalkMessage> messages)
    {
        std::vector<Liar::Lie> lies;
        for (const pb::WalkMessage& message : messages) {
            lies.push_back({ Address::from(to.info.address()), {} });
            lies.back().message.set_id(++m_lies);
            *lies.back().message.mutable_walk() = message;
        }
        SimCluster& cluster = simulation.steeredCluster();
        cluster.start(cluster.identity(pb::COORDINATOR, "liar", pb::NO_ROLE), std::make_unique<Liar>(std::move(lies)));
        cluster.runUntil([this] { return simulation.failure().has_value(); }, 100ms);
    }
    // Tells the oracle that the process has taken a step with these events.
    void pretend(const SimProcess& process, const std::vector<pb::WalkEvent>& events, pb::RequestId request = {})
    {
        Effects effects;
        for (const pb::WalkEvent& event : events) {
            pb::Event& told = effects.event();
            *told.mutable_walk() = event;
            *told.mutable_operation() = request;
        }
        simulation.oracle().onStep(process, effects, simulation.cluster().now());
    }
    pb::OperationResult done(
        std::uint64_t number, std::uint64_t key, pb::ResultCode result, const std::string& value = {})
    {
        pb::OperationResult done;
        done.mutable_operation()->set_client(kStranger);
        done.mutable_operation()->set_number(number);
        done.set_key(key);
        done.set_result(result);
        done.set_value(value);
        return done;
    }
    // Tells the oracle that a client sends a query for the first time.
    void ask(std::uint64_t number, pb::WalkOperation operation, std::uint64_t key)
    {
        const SimProcess* client = nullptr;
        for (const auto& process : simulation.cluster().processes())
            if (process->info.kind() == pb::CLIENT)
                client = process.get();
        Effects effects;
        pb::WalkQuery& query = *effects.send({}).mutable_walk()->mutable_query();
        query.set_operation(operation);
        query.set_key(key);
        query.set_value("a new value");
        query.mutable_request()->set_client(kStranger);
        query.mutable_request()->set_number(number);
        simulation.oracle().onStep(*client, effects, simulation.cluster().now());
    }

    QString failure() const
    {
        return simulation.failure() ? QString::fromStdString(simulation.failure()->text) : QString();
    }

    static constexpr std::uint64_t kStranger = 4711;
    WalkSimulation simulation;
    std::vector<pb::WalkNode> ring;
    const SimProcess* spare = nullptr;
    bool isRight = false;

private:
    std::uint64_t m_lies = 1'000'000;
};

#define BITES(rig, words) QVERIFY2((rig).failure().contains(words), qPrintable((rig).failure()))

} // namespace

class TestWalkOracle : public QObject {
    Q_OBJECT

private slots:
    void aRightRunPasses();
    void twoOwnersOfAnIdAreSeen();
    void aKeyThatIsNowhereIsSeen();
    void aKeyThatIsGivenAwayAndNotTakenIsSeen();
    void handoversAreSeen_data();
    void handoversAreSeen();
    void whatIsToldOfKeysIsSeen_data();
    void whatIsToldOfKeysIsSeen();
    void aQueryThatIsAdriftFailsTheRun();
    void theRingAtRestIsThatOfTheMaster_data();
    void theRingAtRestIsThatOfTheMaster();
    void lookUpsAreJudged_data();
    void lookUpsAreJudged();
    void anAcknowledgementWithoutEffectIsSeen();
    void historiesAreJudged();
    void whatEndsTakesItsKeysWithIt();
};

void TestWalkOracle::aRightRunPasses()
{
    Rig rig;
    QVERIFY2(rig.isRight, qPrintable(rig.failure()));
    QCOMPARE(rig.ring.size(), std::size_t(5));
    QVERIFY(rig.spare != nullptr);
    QCOMPARE(rig.simulation.oracle().keys().size(), std::size_t(40));
    QCOMPARE(rig.simulation.oracle().counts().removed, std::uint64_t(1));
    rig.pretend(rig.processOf(0), {});
    rig.simulation.oracle().checkAtRest(rig.simulation.master());
    rig.simulation.oracle().checkHistories();
    QCOMPARE(rig.failure(), QString());
}

// A spare is told that it is the first node of a separate ring.
void TestWalkOracle::twoOwnersOfAnIdAreSeen()
{
    Rig rig;
    pb::WalkMessage admit, over;
    admit.mutable_admit()->set_change(100);
    admit.mutable_admit()->set_node(rig.spare->info.node());
    admit.mutable_admit()->set_id(1);
    admit.mutable_admit()->set_from(1);
    *admit.mutable_admit()->mutable_successor() = Rig::asNode(*rig.spare, 1);
    over.mutable_over()->set_change(100);
    over.mutable_over()->set_node(rig.spare->info.node());
    over.mutable_over()->set_is_in(true);
    rig.lie(*rig.spare, { admit, over });
    BITES(rig, "both answer for the id");
}

// A node gives half of its range to the liar, which acknowledges everything. After Yours, the giver drops the keys.
void TestWalkOracle::aKeyThatIsNowhereIsSeen()
{
    Rig rig;
    const std::size_t owner = rig.ownerOf(0);
    const WalkNode& node = rig.nodeAt(owner);
    pb::WalkMessage message;
    pb::WalkGive& give = *message.mutable_give();
    give.set_change(100);
    give.set_node(rig.processOf(owner).info.node());
    give.set_from(node.from().value);
    give.set_to(rig.ids().wrap(node.id().value - 1).value);
    const auto next = std::uint32_t(rig.simulation.cluster().processes().size() + 1); // the liar
    give.mutable_receiver()->set_node(1); // a process that the oracle does not know
    Address { next, 0, 0 }.to(*give.mutable_receiver()->mutable_address());
    rig.lie(rig.processOf(owner), { message });
    QVERIFY(rig.simulation.oracle().isAnythingLost()); // the receiver no longer exists
    QCOMPARE(rig.failure(), QString());

    Rig other; // the same, with a receiver that exists and is silent
    give.mutable_receiver()->set_node(other.spare->info.node());
    other.lie(other.processOf(owner), { message });
    BITES(other, "has nothing");
}

void TestWalkOracle::aKeyThatIsGivenAwayAndNotTakenIsSeen()
{
    Rig rig;
    const std::size_t owner = rig.ownerOf(0);
    pb::WalkEvent event;
    event.mutable_keys_given()->set_change(100);
    event.mutable_keys_given()->set_from(rig.nodeAt(owner).from().value);
    event.mutable_keys_given()->set_to(rig.nodeAt(owner).id().value);
    event.mutable_keys_given()->set_receiver(rig.spare->info.node());
    rig.pretend(rig.processOf(owner), { event }); // and the giver continues to answer
    rig.simulation.oracle().checkAtRest(rig.simulation.master());
    BITES(rig, "keys of change 100 are under way although nothing is");

    Rig another;
    another.pretend(another.processOf(owner), { event });
    pb::WalkEvent stored;
    stored.mutable_key_stored()->set_key(0);
    another.pretend(another.processOf(owner), { stored });
    BITES(another, "answers for key 0, which is under way in change 100");
}

void TestWalkOracle::handoversAreSeen_data()
{
    QTest::addColumn<int>("givens");
    QTest::addColumn<quint64>("taken"); // in this change
    QTest::addColumn<QString>("said");
    QTest::newRow("two at once") << 2 << quint64(0) << "while those of change 100 are under way";
    QTest::newRow("taken before it is given") << 0 << quint64(100) << "change 100, and nobody has given it";
    QTest::newRow("taken in another change") << 1 << quint64(101) << "change 101, and nobody has given it";
    QTest::newRow("as it should be") << 1 << quint64(100) << QString();
}

void TestWalkOracle::handoversAreSeen()
{
    QFETCH(int, givens);
    QFETCH(quint64, taken);
    QFETCH(QString, said);
    Rig rig;
    std::vector<pb::WalkEvent> events;
    for (int i = 0; i < givens; ++i) {
        events.emplace_back().mutable_keys_given()->set_change(100);
        events.back().mutable_keys_given()->set_from(5);
        events.back().mutable_keys_given()->set_to(6);
        events.back().mutable_keys_given()->set_receiver(rig.processOf(1).info.node());
    }
    rig.pretend(rig.processOf(0), events);
    pb::WalkEvent event;
    event.mutable_range_taken()->set_change(taken);
    event.mutable_range_taken()->set_from(5);
    event.mutable_range_taken()->set_to(6);
    if (taken != 0)
        rig.pretend(rig.processOf(1), { event });
    if (said.isEmpty())
        QCOMPARE(rig.failure(), QString());
    else
        BITES(rig, said);
}

void TestWalkOracle::whatIsToldOfKeysIsSeen_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("said");
    QTest::newRow("found") << "read -39"
                           << "finds key 39, which was removed";
    QTest::newRow("not found") << "read 1"
                               << "does not find key 1, which was stored";
    QTest::newRow("by another") << "other"
                                << "answers for key 1, which it does not own";
    QTest::newRow("twice") << "twice"
                           << "request 5 of process 4711 took effect twice";
    QTest::newRow("removed twice") << "remove -39"
                                   << "removes key 39, which is not there";
    QTest::newRow("not removed") << "remove 1"
                                 << "says that key 1 is removed, and it is not";
    QTest::newRow("not stored") << "store -39"
                                << "says that key 39 is stored, and it is not";
}

void TestWalkOracle::whatIsToldOfKeysIsSeen()
{
    QFETCH(QString, what);
    QFETCH(QString, said);
    Rig rig;
    const std::uint64_t key = what.endsWith("39") ? 39 : 1;
    const std::size_t owner = rig.ownerOf(key);
    pb::RequestId request;
    request.set_client(Rig::kStranger);
    request.set_number(5);
    pb::WalkEvent event;
    if (what.startsWith("read")) {
        event.mutable_key_read()->set_key(key);
        event.mutable_key_read()->set_is_found(key == 39);
    } else if (what.startsWith("remove")) {
        event.mutable_key_removed()->set_key(key);
    } else {
        event.mutable_key_stored()->set_key(key);
    }
    rig.pretend(rig.processOf(what == "other" ? (owner + 1) % rig.ring.size() : owner), { event }, request);
    if (what == "twice") {
        QCOMPARE(rig.failure(), QString());
        rig.pretend(rig.processOf(owner), { event }, request);
    }
    BITES(rig, said);
}

// A query that has already gone round too often arrives at a node that does not own its id.
void TestWalkOracle::aQueryThatIsAdriftFailsTheRun()
{
    Rig rig;
    pb::WalkMessage message;
    pb::WalkQuery& query = *message.mutable_query();
    query.set_operation(pb::WALK_GET);
    query.mutable_request()->set_client(Rig::kStranger);
    query.mutable_request()->set_number(1);
    query.set_id(rig.ids().idOf(Key(0)).value);
    query.set_steps(kStepsMax);
    rig.lie(rig.processOf((rig.ownerOf(0) + 1) % rig.ring.size()), { message });
    BITES(rig, "the ring leads past the owner");

    Rig another; // the simulator's limit is lower
    query.set_steps(100);
    another.lie(another.processOf((rig.ownerOf(0) + 1) % rig.ring.size()), { message });
    BITES(another, "goes round and round: 101 steps");
}

void TestWalkOracle::theRingAtRestIsThatOfTheMaster_data()
{
    QTest::addColumn<QString>("lie");
    QTest::addColumn<QString>("said");
    QTest::newRow("linked to another") << "link"
                                       << "the successor of ";
    QTest::newRow("no longer in") << "out"
                                  << "does not answer, and the master has it in the ring";
    QTest::newRow("it joins") << "admit"
                              << "takes part in change 100";
}

void TestWalkOracle::theRingAtRestIsThatOfTheMaster()
{
    QFETCH(QString, lie);
    QFETCH(QString, said);
    Rig rig;
    const std::size_t place = 0;
    pb::WalkMessage message;
    const SimProcess* to = &rig.processOf(place);
    if (lie == "link") {
        message.mutable_link()->set_change(100);
        message.mutable_link()->set_node(rig.ring[place].node());
        *message.mutable_link()->mutable_successor() = rig.ring[3];
    } else if (lie == "out") {
        message.mutable_over()->set_change(100);
        message.mutable_over()->set_node(rig.ring[place].node());
    } else {
        to = rig.spare;
        message.mutable_admit()->set_change(100);
        message.mutable_admit()->set_node(rig.spare->info.node());
        message.mutable_admit()->set_id(rig.ids().wrap(rig.ring[0].id() - 1).value);
        message.mutable_admit()->set_from(rig.ring[4].id());
        *message.mutable_admit()->mutable_successor() = rig.ring[0];
    }
    rig.lie(*to, { message });
    if (lie == "out")
        BITES(rig, "nobody answers for key");
    Rig again; // its oracle sees nothing before the ring is at rest
    again.simulation.steeredCluster().setObserver(nullptr);
    again.lie(lie == "admit" ? *again.spare : again.processOf(place), { message });
    again.simulation.oracle().checkAtRest(again.simulation.master());
    BITES(again, said);
}

void TestWalkOracle::lookUpsAreJudged_data()
{
    QTest::addColumn<int>("key");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("said");
    QTest::newRow("right") << 1 << "" << QString();
    QTest::newRow("rightly absent") << 39 << "absent" << QString();
    QTest::newRow("absent") << 1 << "absent"
                            << "there, and the answer is NOT_FOUND";
    QTest::newRow("there") << 39 << ""
                           << "is not there, and the answer is OK";
    QTest::newRow("another value") << 1 << "value"
                                   << "has another value";
    QTest::newRow("too few steps") << 1 << "steps"
                                   << "was answered after 1 steps and not after 2";
    QTest::newRow("another owner") << 1 << "owner"
                                   << "which is not its owner";
}

void TestWalkOracle::lookUpsAreJudged()
{
    QFETCH(int, key);
    QFETCH(QString, what);
    QFETCH(QString, said);
    Rig rig;
    const std::size_t owner = rig.ownerOf(std::uint64_t(key)), entry = (owner + rig.ring.size() - 2) % rig.ring.size();
    pb::LookUpResult result;
    result.set_result(what == "absent" ? pb::NOT_FOUND : pb::OK);
    if (what != "absent" && what != "value")
        result.set_value(walkValue(std::size_t(key), 8));
    result.set_owner(rig.ring[what == "owner" ? entry : owner].node());
    result.set_steps(what == "steps" ? 1 : 2);
    const WalkSimulation& simulation = rig.simulation;
    rig.simulation.oracle().lookedUp(simulation.master(), std::uint64_t(key), NodeId(rig.ring[entry].node()), result);
    if (said.isEmpty())
        QCOMPARE(rig.failure(), QString());
    else
        BITES(rig, said);
}

void TestWalkOracle::anAcknowledgementWithoutEffectIsSeen()
{
    Rig rig;
    rig.ask(1, pb::WALK_PUT, 1);
    rig.simulation.oracle().finished(rig.done(1, 1, pb::UNKNOWN_OUTCOME));
    QCOMPARE(rig.failure(), QString());
    rig.ask(2, pb::WALK_PUT, 1);
    rig.simulation.oracle().finished(rig.done(2, 1, pb::OK));
    BITES(rig, "a put of key 1 was acknowledged and has not been carried out");

    Rig another;
    another.simulation.oracle().finished(another.done(1, 1, pb::RESULT_UNKNOWN));
    BITES(another, "ended without a result");
}

void TestWalkOracle::historiesAreJudged()
{
    for (const bool isRight : { true, false }) {
        Rig rig;
        rig.ask(1, pb::WALK_GET, 1);
        rig.simulation.oracle().finished(rig.done(1, 1, pb::OK, walkValue(isRight ? 1 : 2, 8)));
        rig.simulation.oracle().checkHistories();
        if (isRight)
            QCOMPARE(rig.failure(), QString());
        else
            BITES(rig, "nobody wrote");
    }
    Rig rig;
    rig.ask(1, pb::WALK_GET, 1);
    rig.simulation.oracle().finished(rig.done(1, 1, pb::NOT_FOUND));
    rig.simulation.oracle().checkHistories();
    BITES(rig, "no order of the operations explains this answer");
}

// When a node of the ring ends, its keys are lost and nothing else: all others are judged as before.
void TestWalkOracle::whatEndsTakesItsKeysWithIt()
{
    Rig rig;
    const std::size_t owner = rig.ownerOf(1);
    std::uint64_t other = 2;
    while (rig.ownerOf(other) == owner)
        ++other;
    const std::size_t living = rig.ownerOf(other);
    rig.simulation.oracle().willEnd(rig.processOf(owner));
    rig.simulation.steeredCluster().kill(rig.processOf(owner).index);
    QVERIFY(rig.simulation.oracle().isAnythingLost());
    pb::WalkEvent event;
    event.mutable_key_stored()->set_key(other);
    rig.pretend(rig.processOf(living), { event });
    rig.simulation.steeredCluster().runUntil([&] { return !rig.simulation.master().broken().empty(); }, 10s);
    QVERIFY(!rig.simulation.master().broken().empty());
    QCOMPARE(rig.failure(), QString());
    event.mutable_key_read()->set_key(other);
    rig.pretend(rig.processOf(living), { event });
    BITES(rig, "does not find key");
}

QTEST_APPLESS_MAIN(TestWalkOracle)
#include "tst_walk_oracle.moc"
