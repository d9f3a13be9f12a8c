// SPDX-License-Identifier: GPL-3.0-or-later
// The master of a ring, driven by hand: its orders in sequence, and what it concludes from silence.
#include "tests/rigs/walk/walk_driven.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class TestWalkMaster : public QObject {
    Q_OBJECT

private slots:
    void whoRegistersIsWelcome();
    void aJoinStepByStep();
    void aLeaveStepByStep();
    void nodesJoinByThemselvesUpToTheirNumber();
    void aNodeThatIsSilentBeforeTheGiveIsLeftOut();
    void aStopIsSentOnce();
    void aGiveThatIsRefusedIsUndone();
    void whoseOverWasLostIsToldAgain();
    void clientsHearOfTheRing();
    void sleepIsNoSilence();
    void itAnswersWhatStartersAsk();
    void aRingHasNoFile();
};

namespace {

class Rig {
public:
    static constexpr std::uint64_t kMaster = 1, kNode = 10, kClient = 1000;

    explicit Rig(std::uint32_t nodes = 0)
        : info(process(kMaster, pb::COORDINATOR)), master({ info, 8, nodes, {} }), driven(master, info)
    {
        driven.pass(0ns);
    }

    Peer& peer(std::uint64_t node) { return peers.try_emplace(node, node).first->second; }
    Step registers(std::uint64_t node, pb::ProcessKind kind = pb::NODE)
    {
        pb::Message message = peer(node).message();
        *message.mutable_register_()->mutable_process() = process(node, kind);
        return driven.message(message);
    }
    Step alive(std::uint64_t node, std::uint64_t change = 0, pb::ProcessKind kind = pb::NODE)
    {
        pb::Message message = peer(node).message();
        *message.mutable_alive()->mutable_process() = process(node, kind);
        message.mutable_alive()->set_number(std::uint32_t(change));
        return driven.message(message);
    }
    // Time passes while messages of these processes arrive.
    Step pass(int ms, std::vector<std::uint64_t> heard)
    {
        Step all;
        for (int i = 0; i < ms; i += 250) {
            const auto add = [&all](Step step) {
                std::move(step.sent.begin(), step.sent.end(), std::back_inserter(all.sent));
                std::move(step.events.begin(), step.events.end(), std::back_inserter(all.events));
                std::move(step.replies.begin(), step.replies.end(), std::back_inserter(all.replies));
            };
            for (const std::uint64_t node : heard)
                add(alive(node));
            add(driven.pass(250ms));
        }
        return all;
    }
    Step command(const std::function<void(pb::Command&)>& fill)
    {
        pb::Command command;
        command.set_ticket(++tickets);
        fill(command);
        return driven.command(command);
    }
    Step join(std::uint64_t node)
    {
        return command([node](pb::Command& c) { c.mutable_walk()->mutable_join_ring()->set_node(node); });
    }
    Step leave(std::uint64_t node)
    {
        return command([node](pb::Command& c) { c.mutable_walk()->mutable_leave_ring()->set_node(node); });
    }
    Step ack(const pb::Message& order, std::uint64_t by) { return driven.message(peer(by).ack(order)); }
    Step given(std::uint64_t change, std::uint64_t by, std::uint32_t keys = 3)
    {
        pb::Message message = peer(by).message();
        message.mutable_walk()->mutable_given()->set_change(change);
        message.mutable_walk()->mutable_given()->set_keys(keys);
        return driven.message(message);
    }
    Step undone(const pb::Message& order, std::uint64_t change, std::uint64_t by)
    {
        pb::Message message = peer(by).message();
        message.set_answers(order.id());
        message.mutable_walk()->mutable_undone()->set_change(change);
        message.mutable_walk()->mutable_undone()->set_reason("no");
        return driven.message(message);
    }
    std::uint64_t idOf(std::uint64_t node) const
    {
        return master.ids().idOf("0.0.0." + std::to_string(node) + ":0").value;
    }
    // These nodes are in the ring; each joined in the ordinary way.
    void ring(std::vector<std::uint64_t> nodes)
    {
        for (const std::uint64_t node : nodes) {
            registers(node);
            Step step = join(node);
            const pb::Message admit = sentOf(step, Walk::kAdmit, node).at(0);
            step = ack(admit, node);
            if (const auto gives = sentOf(step, Walk::kGive); !gives.empty()) {
                const std::uint64_t giver = admit.walk().admit().successor().node();
                ack(gives.at(0), giver);
                step = given(admit.walk().admit().change(), giver);
                const auto link = std::find_if(step.sent.begin(), step.sent.end(),
                    [](const Step::Sent& s) { return s.message.walk().has_link(); });
                step = ack(link->message, link->to);
            }
            for (const Step::Sent& sent : step.sent)
                if (sent.message.walk().has_over())
                    ack(sent.message, sent.to);
        }
    }

    pb::ProcessInfo info;
    WalkMaster master;
    Driven driven;
    std::map<std::uint64_t, Peer> peers;
    std::uint64_t tickets = 0;
};

} // namespace

void TestWalkMaster::whoRegistersIsWelcome()
{
    Rig rig;
    Step step = rig.registers(Rig::kNode);
    pb::WalkWelcome welcome = sentOf(step, Walk::kWelcome, Rig::kNode).at(0).walk().welcome();
    QVERIFY(welcome.config().bits() == 8 && welcome.timers().alive_ms() == 500 && welcome.ring_size() == 0);
    for (const std::uint64_t client : { Rig::kClient, Rig::kClient + 1 })
        QCOMPARE(sentOf(rig.registers(client, pb::CLIENT), Walk::kWelcome, client).at(0).walk().welcome().ordinal(),
            std::uint32_t(client - Rig::kClient));
    QCOMPARE(sentOf(rig.registers(Rig::kClient, pb::CLIENT), Walk::kWelcome).at(0).walk().welcome().ordinal(),
        0u); // repeated
    pb::Message other = rig.peer(5).message();
    *other.mutable_register_()->mutable_process() = process(5, pb::COORDINATOR);
    QCOMPARE(rig.driven.message(other).count(Happened::kMessageDropped), std::size_t(1));
}

void TestWalkMaster::aJoinStepByStep()
{
    Rig rig;
    rig.registers(10);
    rig.registers(11);
    Step step = rig.join(10);
    const pb::Message first = sentOf(step, Walk::kAdmit, 10).at(0);
    QVERIFY(first.walk().admit().successor().node() == 10 && first.walk().admit().from() == rig.idOf(10)
        && first.walk().admit().id() == rig.idOf(10));
    QVERIFY(rig.master.ring().empty());
    step = rig.ack(first, 10);
    QCOMPARE(toldOf(step, Told::kRingBegun).size(), std::size_t(1));
    QCOMPARE(step.replies.at(0).walk().change().change(), std::uint64_t(1));
    QVERIFY(sentOf(step, Walk::kOver, 10).at(0).walk().over().is_in());

    step = rig.join(11);
    const pb::Message admit = sentOf(step, Walk::kAdmit, 11).at(0);
    QVERIFY(admit.walk().admit().change() == 2 && admit.walk().admit().node() == 11
        && admit.walk().admit().from() == rig.idOf(10) && admit.walk().admit().successor().node() == 10);
    QVERIFY(sentOf(step, Walk::kGive).empty()); // not before the joining node has acknowledged
    step = rig.ack(admit, 11);
    const pb::Message give = sentOf(step, Walk::kGive, 10).at(0);
    QVERIFY(give.walk().give().receiver().node() == 11 && give.walk().give().to() == rig.idOf(11)
        && !give.walk().give().is_leave());
    step = rig.ack(give, 10);
    QVERIFY(
        sentOf(step, Walk::kLink).empty() && rig.master.ring().size() == 1); // the giver has only received the order
    step = rig.given(2, 10, 7);
    const pb::Message link = sentOf(step, Walk::kLink, 10).at(0);
    QVERIFY(link.walk().link().successor().node() == 11 && rig.master.ring().size() == 2);
    QVERIFY(sentOf(rig.given(2, 10, 7), Walk::kLink).empty()); // a late copy
    step = rig.ack(link, 10);
    QVERIFY(sentOf(step, Walk::kOver, 10).at(0).walk().over().is_in()
        && sentOf(step, Walk::kOver, 11).at(0).walk().over().is_in());
    QCOMPARE(toldOf(step, Told::kNodeJoined).at(0).node_joined().keys(), 7u);
    QCOMPARE(step.replies.at(0).walk().change().keys(), 7u);
    QVERIFY(rig.master.isAtRest());
}

void TestWalkMaster::aLeaveStepByStep()
{
    Rig rig;
    rig.ring({ 10, 11, 12 });
    QCOMPARE(rig.master.ring().size(), std::size_t(3));
    const auto place = rig.master.ring().find(RingId(rig.idOf(11)));
    const auto next = std::next(place) == rig.master.ring().end() ? rig.master.ring().begin() : std::next(place);
    const auto before = place == rig.master.ring().begin() ? std::prev(rig.master.ring().end()) : std::prev(place);
    const std::uint64_t successor = next->second.node(), predecessor = before->second.node();
    Step step = rig.leave(11);
    const pb::Message give = sentOf(step, Walk::kGive, 11).at(0);
    QVERIFY(give.walk().give().is_leave() && give.walk().give().receiver().node() == successor);
    QVERIFY(give.walk().give().from() == rig.idOf(predecessor) && give.walk().give().to() == rig.idOf(11));
    rig.ack(give, 11);
    step = rig.given(4, 11);
    const pb::Message link = sentOf(step, Walk::kLink, predecessor).at(0);
    QCOMPARE(link.walk().link().successor().node(), successor);
    step = rig.ack(link, predecessor);
    QVERIFY(!sentOf(step, Walk::kOver, 11).at(0).walk().over().is_in()
        && sentOf(step, Walk::kOver, successor).at(0).walk().over().is_in());
    QCOMPARE(toldOf(step, Told::kNodeLeft).at(0).node_left().node().node(), std::uint64_t(11));
}

void TestWalkMaster::nodesJoinByThemselvesUpToTheirNumber()
{
    Rig rig(2);
    QCOMPARE(rig.master.underWay(), std::string("the ring waits for 2 more nodes"));
    QCOMPARE(sentOf(rig.registers(10), Walk::kAdmit, 10).size(), std::size_t(1));
    QVERIFY(sentOf(rig.registers(11), Walk::kAdmit).empty()); // one change after the other
    QVERIFY(sentOf(rig.registers(12), Walk::kAdmit).empty());
    QCOMPARE(rig.master.underWay(), std::string("process 10 joins, 1 change waits"));
}

void TestWalkMaster::aNodeThatIsSilentBeforeTheGiveIsLeftOut()
{
    Rig rig;
    rig.ring({ 10 });
    rig.registers(11);
    const pb::Message admit = sentOf(rig.join(11), Walk::kAdmit, 11).at(0);
    const Step step = rig.pass(2'500, { 10 });
    QCOMPARE(toldOf(step, Told::kChangeUndone).at(0).change_undone().reason(), std::string("process 11 is silent"));
    QVERIFY(sentOf(step, Walk::kGive).empty() && sentOf(step, Walk::kStop).empty());
    QVERIFY(!sentOf(step, Walk::kOver, 11).at(0).walk().over().is_in());
    QCOMPARE(toldOf(step, Told::kRingNodeLost).size(), std::size_t(0));
    QVERIFY(sentOf(rig.ack(admit, 11), Walk::kGive).empty()); // too late
    QCOMPARE(rig.join(11).replies.at(0).text(), std::string("process 11 is silent"));
    rig.alive(11);
    QCOMPARE(sentOf(rig.join(11), Walk::kAdmit, 11).size(), std::size_t(1));
}

void TestWalkMaster::aStopIsSentOnce()
{
    Rig rig;
    rig.ring({ 10 });
    rig.registers(11);
    const pb::Message admit = sentOf(rig.join(11), Walk::kAdmit, 11).at(0);
    const pb::Message give = sentOf(rig.ack(admit, 11), Walk::kGive, 10).at(0);
    rig.ack(give, 10);
    Step step = rig.pass(2'000, { 10 });
    const std::vector<pb::Message> stops = sentOf(step, Walk::kStop, 10);
    QVERIFY(!stops.empty());
    for (const pb::Message& stop : stops)
        QCOMPARE(stop.id(), stops.front().id()); // retransmissions of one order
    step = rig.undone(stops.front(), 2, 10);
    QCOMPARE(step.replies.at(0).walk().change().undone(), std::string("no"));
    QVERIFY(rig.master.underWay().empty() && rig.master.ring().size() == 1 && rig.master.undone() == 1);
    QVERIFY(sentOf(rig.undone(stops.front(), 2, 10), Walk::kOver).empty()); // a late copy
}

void TestWalkMaster::aGiveThatIsRefusedIsUndone()
{
    Rig rig;
    rig.ring({ 10, 11 });
    const pb::Message give = sentOf(rig.leave(11), Walk::kGive, 11).at(0);
    const Step step = rig.undone(give, 3, 11);
    QCOMPARE(step.replies.at(0).walk().change().undone(), std::string("no"));
    QVERIFY(sentOf(step, Walk::kOver, 11).at(0).walk().over().is_in());
    QVERIFY(rig.master.ring().size() == 2 && rig.master.isAtRest());
}

void TestWalkMaster::whoseOverWasLostIsToldAgain()
{
    Rig rig;
    rig.ring({ 10, 11 });
    QVERIFY(sentOf(rig.alive(11, 0), Walk::kOver).empty());
    const Step step = rig.alive(11, 2);
    QVERIFY(sentOf(step, Walk::kOver, 11).at(0).walk().over().is_in());
    QVERIFY(sentOf(rig.alive(11, 2), Walk::kOver).empty()); // the message is already on its way
    rig.registers(12);
    QVERIFY(!sentOf(rig.alive(12, 1), Walk::kOver, 12).at(0).walk().over().is_in());
}

void TestWalkMaster::clientsHearOfTheRing()
{
    Rig rig;
    rig.registers(Rig::kClient, pb::CLIENT);
    rig.registers(10);
    const pb::Message admit = sentOf(rig.join(10), Walk::kAdmit).at(0);
    pb::WalkWelcome welcome = sentOf(rig.ack(admit, 10), Walk::kWelcome, Rig::kClient).at(0).walk().welcome();
    QVERIFY(welcome.change() == 1 && welcome.ring_size() == 1 && welcome.ring(0).node() == 10
        && welcome.ring(0).id() == rig.idOf(10));
    QCOMPARE(sentOf(rig.alive(Rig::kClient, 0, pb::CLIENT), Walk::kWelcome, Rig::kClient).size(),
        std::size_t(1)); // the first Welcome was lost
    QVERIFY(sentOf(rig.alive(Rig::kClient, 1, pb::CLIENT), Walk::kWelcome).empty());
    pb::Message asks = rig.peer(Rig::kClient).message();
    asks.mutable_walk()->mutable_who_is_in();
    QCOMPARE(sentOf(rig.driven.message(asks), Walk::kWelcome, Rig::kClient).at(0).answers(), asks.id());
}

// The whole machine was suspended: the master has heard no process, and must not conclude anything from it.
void TestWalkMaster::sleepIsNoSilence()
{
    Rig rig;
    rig.ring({ 10, 11 });
    rig.pass(1'000, { 10, 11 });
    rig.driven.sleep(60s);
    const Step step = rig.pass(1'000, { 10, 11 });
    QVERIFY(toldOf(step, Told::kRingNodeLost).empty() && rig.master.broken().empty());
    QCOMPARE(
        toldOf(rig.pass(2'000, { 10 }), Told::kRingNodeLost).at(0).ring_node_lost().node().node(), std::uint64_t(11));
    QCOMPARE(toldOf(rig.alive(11), Told::kRingNodeBack).size(), std::size_t(1));
}

void TestWalkMaster::itAnswersWhatStartersAsk()
{
    Rig rig(1);
    rig.registers(Rig::kClient, pb::CLIENT);
    const auto scale = [&](double factor) {
        return rig.command([factor](pb::Command& c) { c.mutable_set_time_scale()->set_factor(factor); });
    };
    QCOMPARE(scale(0.5).replies.at(0).refusal(), pb::BAD_ARGUMENT);
    Step step = scale(3);
    QCOMPARE(step.replies.at(0).timers().alive_ms(), 1'500u);
    QCOMPARE(sentOf(step, Walk::kWelcome, Rig::kClient).at(0).walk().welcome().timers().alive_ms(), 1'500u);
    const Step waits = rig.command([](pb::Command& c) { c.mutable_await_rest()->set_timeout_ms(10'000); });
    QVERIFY(waits.replies.empty());
    const pb::Message admit = sentOf(rig.registers(10), Walk::kAdmit).at(0);
    step = rig.ack(admit, 10);
    QVERIFY(step.replies.size() == 1 && step.replies.at(0).walk().ring().at_rest()
        && step.replies.at(0).walk().ring().ring_size() == 1);
    QCOMPARE(scale(2).replies.at(0).refusal(), pb::REFUSED);
    rig.registers(11);
    step = rig.command([](pb::Command& c) { c.mutable_list_processes(); });
    QCOMPARE(step.replies.at(0).processes().processes_size(), 4); // includes spares, clients and the master itself
    step = rig.command([](pb::Command& c) { c.mutable_walk()->mutable_describe_ring(); });
    QVERIFY(step.replies.at(0).walk().ring().spares_size() == 1 && step.replies.at(0).walk().ring().spares(0) == 11);
}

void TestWalkMaster::aRingHasNoFile()
{
    Rig rig;
    for (const auto& fill : { std::function<void(pb::Command&)>([](pb::Command& c) { c.mutable_describe_file(); }),
             std::function<void(pb::Command&)>([](pb::Command& c) { c.mutable_force_split(); }),
             std::function<void(pb::Command&)>([](pb::Command& c) { c.mutable_operate(); }),
             std::function<void(pb::Command&)>([](pb::Command& c) { c.mutable_walk()->mutable_look_up(); }),
             std::function<void(pb::Command&)>([](pb::Command&) {}) })
        QCOMPARE(rig.command(fill).replies.at(0).refusal(), pb::WRONG_PROCESS);
}

QTEST_APPLESS_MAIN(TestWalkMaster)
#include "tst_walk_master.moc"
