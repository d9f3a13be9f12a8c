// SPDX-License-Identifier: GPL-3.0-or-later
// A client of the ring, driven by hand: entry nodes, retransmissions, the order of operations on a key, workloads and
// holds.
#include "tests/rigs/walk/walk_driven.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class TestWalkClient : public QObject {
    Q_OBJECT

private slots:
    void operationsWaitForARing();
    void insertAndUpdateAreAPut();
    void itSendsAgainByAnotherNodeUntilItsTimeIsOver();
    void operationsOnOneKeyAreDoneInTurn();
    void whatIsAnsweredIsLetGoOf();
    void lateAnswersChangeNothing();
    void anAstrayQueryTakesAnotherEntry();
    void anEarlierRingThatComesLateIsNotTaken();
    void lookUpsGoByTheNodeThatWasAskedFor();
    void aWorkloadIsRunAndVerified();
    void aWorkloadThatCannotBeIsRefused();
    void aHoldLetsNothingBegin();
    void whatItDoesNotDoIsRefused();
    void watchersSeeWhatIsUnderWay();
};

namespace {

class Rig {
public:
    static constexpr std::uint64_t kMaster = 1, kNode = 10, kSelf = 1000;

    explicit Rig(std::uint32_t nodes = 4, std::uint32_t ordinal = 0)
        : info(process(kSelf, pb::CLIENT)), client({ info, addressOfProcess(kMaster), 5 }), driven(client, info)
    {
        const Step step = driven.pass(0ns);
        driven.message(welcome(nodes, 1, step.of(Body::kRegister).at(0).message.id(), ordinal));
    }
    pb::Message welcome(std::uint32_t nodes, std::uint64_t change, std::uint64_t answers = 0, std::uint32_t ordinal = 0)
    {
        pb::Message message = master.message();
        message.set_answers(answers);
        pb::WalkWelcome& welcome = *message.mutable_walk()->mutable_welcome();
        welcome.mutable_config()->set_bits(32);
        welcome.set_ordinal(ordinal);
        welcome.set_change(change);
        for (std::uint32_t n = 0; n < nodes; ++n)
            *welcome.add_ring() = walkNode(kNode + n, n * 100);
        return message;
    }
    Step command(const std::function<void(pb::Command&)>& fill)
    {
        pb::Command command;
        command.set_ticket(++tickets);
        fill(command);
        return take(driven.command(command));
    }
    Step operate(pb::OperationKind kind, std::uint64_t key, const std::string& value = {})
    {
        return command([&](pb::Command& c) {
            c.mutable_operate()->set_kind(kind);
            c.mutable_operate()->set_key(key);
            c.mutable_operate()->set_value(value);
        });
    }
    Step take(Step step)
    {
        for (const Step::Sent& sent : step.sent)
            if (sent.message.walk().has_query())
                open.push_back(sent);
        return step;
    }
    // A store in the test answers the oldest open query.
    Step serve(std::uint32_t steps = 2)
    {
        const pb::WalkQuery query = open.front().message.walk().query();
        open.erase(open.begin());
        pb::Message message = Peer(kNode).message();
        pb::WalkAnswer& answer = *message.mutable_walk()->mutable_answer();
        *answer.mutable_request() = query.request();
        answer.set_steps(steps);
        answer.set_owner(kNode + 1);
        answer.set_copy(query.copy());
        const auto known = store.find(query.key());
        answer.set_result(query.operation() == pb::WALK_PUT || known != store.end() ? pb::OK : pb::NOT_FOUND);
        if (query.operation() == pb::WALK_PUT)
            store[query.key()] = query.value();
        else if (query.operation() == pb::WALK_DELETE)
            store.erase(query.key());
        else if (known != store.end())
            answer.set_value(known->second);
        driven.sleep(1ms);
        return take(driven.message(message));
    }
    pb::WorkloadResult serveAll()
    {
        pb::WorkloadResult result;
        while (!open.empty())
            for (const pb::CommandReply& reply : serve().replies)
                if (reply.has_workload())
                    result = reply.workload();
        return result;
    }

    pb::ProcessInfo info;
    WalkClient client;
    Driven driven;
    Peer master { kMaster };
    std::vector<Step::Sent> open;
    std::map<std::uint64_t, std::string> store;
    std::uint64_t tickets = 0;
};

pb::RunWorkload workload(std::uint64_t count, std::uint32_t window)
{
    pb::RunWorkload order;
    order.set_kind(pb::INSERT);
    order.set_count(count);
    order.set_window(window);
    order.set_length(40);
    return order;
}

} // namespace

void TestWalkClient::operationsWaitForARing()
{
    Rig rig(0);
    Step step = rig.operate(pb::INSERT, 5, "v");
    QVERIFY(rig.open.empty());
    QCOMPARE(sentOf(step, Walk::kWhoIsIn, Rig::kMaster).size(), std::size_t(1));
    step = rig.driven.pass(500ms); // it asks repeatedly, but not all the time
    QVERIFY(sentOf(step, Walk::kWhoIsIn).size() >= 4 && sentOf(step, Walk::kWhoIsIn).size() <= 10);
    rig.take(rig.driven.message(rig.welcome(3, 2)));
    QCOMPARE(rig.open.size(), std::size_t(1));
    QCOMPARE(rig.serve().replies.at(0).operation().result(), pb::OK);
    Rig never(0);
    never.operate(pb::INSERT, 5, "v");
    step = never.driven.pass(6s);
    QCOMPARE(step.replies.at(0).operation().result(), pb::RETRY); // certainly not carried out
}

void TestWalkClient::insertAndUpdateAreAPut()
{
    Rig rig;
    Step step = rig.operate(pb::INSERT, 5, "one");
    pb::WalkQuery query = rig.open.at(0).message.walk().query();
    QVERIFY(query.operation() == pb::WALK_PUT && query.key() == 5 && query.value() == "one"
        && query.id() == IdRing(32).idOf(Key(5)).value);
    QVERIFY(query.client().ip() == Rig::kSelf && query.request().client() == Rig::kSelf
        && rig.open.at(0).message.operation().number() == 1);
    QCOMPARE(step.count(Happened::kOperationStarted), std::size_t(1));
    step = rig.serve(3);
    const pb::OperationDone done = step.of(Happened::kOperationDone).at(0).operation_done();
    QVERIFY(done.kind() == pb::INSERT && done.result() == pb::OK && done.forwards() == 3 && done.path() == pb::FORWARDED
        && done.time_ns() > 0);
    rig.operate(pb::UPDATE, 5, "two");
    QCOMPARE(rig.open.at(0).message.walk().query().operation(), pb::WALK_PUT);
    rig.serve(0);
    rig.operate(pb::SEARCH, 5);
    QCOMPARE(rig.open.at(0).message.walk().query().operation(), pb::WALK_GET);
    QCOMPARE(rig.serve().replies.at(0).operation().value(), std::string("two"));
    rig.operate(pb::DELETE, 5);
    QCOMPARE(rig.open.at(0).message.walk().query().operation(), pb::WALK_DELETE);
    rig.serve();
    rig.operate(pb::DELETE, 5);
    QCOMPARE(rig.serve().replies.at(0).operation().result(), pb::NOT_FOUND);
}

void TestWalkClient::itSendsAgainByAnotherNodeUntilItsTimeIsOver()
{
    Rig rig;
    rig.operate(pb::INSERT, 5, "v");
    Step step = rig.take(rig.driven.pass(6s));
    QVERIFY(rig.open.size() >= 5 && rig.open.size() <= 12); // 30 ms, doubling up to 64 times that
    std::set<std::uint64_t> entries;
    for (std::size_t i = 0; i < rig.open.size(); ++i) {
        QCOMPARE(rig.open[i].message.walk().query().copy(), std::uint32_t(i));
        QVERIFY(i == 0 || rig.open[i].to != rig.open[i - 1].to);
        entries.insert(rig.open[i].to);
    }
    QVERIFY(entries.size() >= 3);
    QVERIFY(!sentOf(step, Walk::kWhoIsIn).empty());
    QCOMPARE(step.replies.at(0).operation().result(), pb::UNKNOWN_OUTCOME);
    QCOMPARE(step.replies.at(0).operation().resends(), std::uint32_t(rig.open.size() - 1));
    rig.operate(pb::SEARCH, 6);
    QCOMPARE(rig.driven.pass(6s).replies.at(0).operation().result(), pb::RETRY);
}

void TestWalkClient::operationsOnOneKeyAreDoneInTurn()
{
    Rig rig;
    rig.operate(pb::INSERT, 5, "one");
    rig.operate(pb::UPDATE, 5, "two");
    rig.operate(pb::SEARCH, 5);
    rig.operate(pb::SEARCH, 6);
    QCOMPARE(rig.open.size(), std::size_t(2)); // one for each of two keys
    rig.serve();
    QCOMPARE(rig.open.back().message.walk().query().value(), std::string("two"));
    std::swap(rig.open.front(), rig.open.back());
    rig.serve();
    QCOMPARE(rig.open.back().message.walk().query().operation(), pb::WALK_GET);
    std::swap(rig.open.front(), rig.open.back());
    QCOMPARE(rig.serve().replies.at(0).operation().value(), std::string("two"));
    // When all of them time out, they end in any order.
    rig.operate(pb::UPDATE, 7, "a");
    rig.driven.pass(2s);
    rig.operate(pb::UPDATE, 7, "b");
    rig.operate(pb::UPDATE, 7, "c");
    const Step step = rig.driven.pass(20s);
    QCOMPARE(step.replies.size(), std::size_t(4)); // includes the search for key 6
    pb::ClientDescription shown
        = rig.command([](pb::Command& c) { c.mutable_describe_client(); }).replies.at(0).client();
    QVERIFY(shown.under_way() == 0 && shown.operations() == 7);
}

void TestWalkClient::whatIsAnsweredIsLetGoOf()
{
    Rig rig;
    rig.operate(pb::INSERT, 1, "v");
    rig.operate(pb::INSERT, 2, "v");
    rig.operate(pb::INSERT, 3, "v");
    QCOMPARE(rig.open.back().message.walk().query().done_below(), std::uint64_t(1));
    rig.serve();
    rig.serve();
    rig.operate(pb::INSERT, 4, "v");
    QCOMPARE(rig.open.back().message.walk().query().done_below(), std::uint64_t(3));
    rig.serve();
    rig.serve();
    rig.operate(pb::INSERT, 5, "v");
    QCOMPARE(rig.open.back().message.walk().query().done_below(), std::uint64_t(5));
}

void TestWalkClient::lateAnswersChangeNothing()
{
    Rig rig;
    rig.operate(pb::INSERT, 1, "v");
    const Step::Sent first = rig.open.front();
    rig.serve();
    rig.open.push_back(first);
    QVERIFY(rig.serve().events.empty());
    pb::Message other = Peer(Rig::kNode).message();
    other.mutable_walk()->mutable_answer()->mutable_request()->set_client(77);
    other.mutable_walk()->mutable_answer()->mutable_request()->set_number(2);
    rig.operate(pb::INSERT, 2, "v");
    QVERIFY(rig.driven.message(other).replies.empty());
    QCOMPARE(rig.open.size(), std::size_t(1));
}

void TestWalkClient::anAstrayQueryTakesAnotherEntry()
{
    Rig rig;
    rig.operate(pb::SEARCH, 1);
    const std::uint64_t entry = rig.open.at(0).to;
    pb::Message astray = Peer(entry).message();
    *astray.mutable_walk()->mutable_astray()->mutable_request() = rig.open.at(0).message.walk().query().request();
    QCOMPARE(sentOf(rig.driven.message(astray), Walk::kWhoIsIn, Rig::kMaster).size(), std::size_t(1));
    rig.take(rig.driven.pass(12ms)); // earlier than its regular retransmission
    QCOMPARE(rig.open.size(), std::size_t(2));
    QVERIFY(rig.open.at(1).to != entry);
    rig.driven.message(astray); // a late copy, from the former entry node
    rig.take(rig.driven.pass(12ms));
    QCOMPARE(rig.open.size(), std::size_t(2));
}

void TestWalkClient::anEarlierRingThatComesLateIsNotTaken()
{
    Rig rig;
    rig.driven.message(rig.welcome(6, 5));
    rig.driven.message(rig.welcome(2, 3));
    QCOMPARE(rig.client.entries().size(), std::size_t(6));
    const Step step = rig.driven.pass(600ms);
    QCOMPARE(step.of(Body::kAlive).at(0).message.alive().number(), 5u);
    pb::Message wrong = rig.welcome(1, 9);
    wrong.mutable_walk()->mutable_welcome()->mutable_config()->set_bits(65);
    QCOMPARE(rig.driven.message(wrong).count(Happened::kMessageDropped), std::size_t(1));
    QCOMPARE(rig.client.entries().size(), std::size_t(6));
}

void TestWalkClient::lookUpsGoByTheNodeThatWasAskedFor()
{
    Rig rig;
    rig.store[9] = "nine";
    const auto lookUp = [&](std::uint64_t via) {
        return rig.command([via](pb::Command& c) {
            c.mutable_walk()->mutable_look_up()->set_key(9);
            c.mutable_walk()->mutable_look_up()->set_via(via);
        });
    };
    lookUp(12);
    rig.take(rig.driven.pass(200ms));
    for (const Step::Sent& sent : rig.open)
        QCOMPARE(sent.to, std::uint64_t(12)); // every copy goes there
    const pb::LookUpResult found = rig.serve(1).replies.at(0).walk().looked_up();
    QVERIFY(found.result() == pb::OK && found.value() == "nine" && found.steps() == 1 && found.owner() == 11
        && found.time_ns() > 0);
    QCOMPARE(lookUp(99).replies.at(0).refusal(), pb::BAD_ARGUMENT);
}

void TestWalkClient::aWorkloadIsRunAndVerified()
{
    Rig rig(4, 3);
    rig.command([](pb::Command& c) { *c.mutable_run_workload() = workload(50, 7); });
    QCOMPARE(rig.open.size(), std::size_t(7));
    QVERIFY(rig.open.at(0).message.walk().query().key() >> 32 == 3); // its own keys
    const pb::WorkloadResult done = rig.serveAll();
    QVERIFY(done.operations() == 50 && done.results().at("OK") == 50 && done.forwards() == 100);
    const auto verify = [&] { return rig.command([](pb::Command& c) { c.mutable_verify()->set_window(4); }); };
    verify();
    pb::WorkloadResult found = rig.serveAll();
    QVERIFY(found.operations() == 50 && found.wrong() == 0 && found.missing() == 0);
    rig.store.begin()->second += "x";
    rig.store.erase(std::prev(rig.store.end()));
    verify();
    found = rig.serveAll();
    QVERIFY(found.wrong() == 1 && found.missing() == 1);
    const Step bad = rig.command([](pb::Command& c) { c.mutable_verify()->set_only_bucket(true); });
    QCOMPARE(bad.replies.at(0).refusal(), pb::BAD_ARGUMENT);
    // A mix, stopped before its end.
    pb::RunWorkload order = workload(1'000, 5);
    for (const std::uint32_t weight : { 30, 30, 20, 20 })
        order.add_mix(weight);
    rig.command([&](pb::Command& c) { *c.mutable_run_workload() = order; });
    for (int i = 0; i < 100; ++i)
        rig.serve();
    QVERIFY(rig.command([](pb::Command& c) { c.mutable_workload_progress(); }).replies.at(0).workload().is_running());
    rig.command([](pb::Command& c) { c.mutable_stop_workload(); });
    found = rig.serveAll();
    QVERIFY(found.operations() == 105 && !found.is_running() && found.kinds_size() == 4);
}

void TestWalkClient::aWorkloadThatCannotBeIsRefused()
{
    Rig rig;
    const auto refusal = [&](const std::function<void(pb::RunWorkload&)>& spoil) {
        pb::RunWorkload order = workload(10, 1);
        spoil(order);
        return rig.command([&](pb::Command& c) { *c.mutable_run_workload() = order; }).replies.at(0).refusal();
    };
    QCOMPARE(refusal([](pb::RunWorkload& w) { w.set_length(70'000); }), pb::BAD_ARGUMENT);
    QCOMPARE(refusal([](pb::RunWorkload& w) { w.set_without_acknowledgement(true); }), pb::BAD_ARGUMENT);
    QCOMPARE(refusal([](pb::RunWorkload& w) { w.add_mix(1); }), pb::BAD_ARGUMENT);
    rig.command([](pb::Command& c) { *c.mutable_run_workload() = workload(10, 1); });
    QCOMPARE(refusal([](pb::RunWorkload&) {}), pb::REFUSED);
    QCOMPARE(rig.operate(pb::OPERATION_UNKNOWN, 1).replies.at(0).operation().result(), pb::INVALID);
    QCOMPARE(rig.operate(pb::INSERT, 1, std::string(65'536, 'v')).replies.at(0).operation().result(), pb::INVALID);
    rig.serveAll();
}

void TestWalkClient::aHoldLetsNothingBegin()
{
    Rig rig;
    const auto hold = [&](bool isHeld, std::uint32_t leaseMs = 0) {
        return rig.command([=](pb::Command& c) {
            c.mutable_hold_workload()->set_is_held(isHeld);
            c.mutable_hold_workload()->set_lease_ms(leaseMs);
        });
    };
    rig.command([](pb::Command& c) { *c.mutable_run_workload() = workload(10, 2); });
    QCOMPARE(hold(true).count(Happened::kWorkloadHeld), std::size_t(1));
    QCOMPARE(hold(true).count(Happened::kWorkloadHeld), std::size_t(0)); // renewed
    rig.serve();
    rig.serve();
    QVERIFY(rig.open.empty()); // what was under way has ended
    rig.operate(pb::INSERT, 5, "v");
    QVERIFY(rig.open.empty());
    rig.driven.sleep(1s);
    const Step step = hold(false);
    QVERIFY(step.count(Happened::kWorkloadHeld) == 1 && rig.open.size() == 3);
    const pb::WorkloadResult done = rig.serveAll();
    QVERIFY(done.held_ns() >= 1'000'000'000 && done.total_ns() < 1'000'000'000);
    hold(true, 300);
    QCOMPARE(rig.driven.pass(400ms).count(Happened::kWorkloadHeld), std::size_t(1)); // the hold was not renewed
}

void TestWalkClient::whatItDoesNotDoIsRefused()
{
    Rig rig;
    for (const auto& fill : { std::function<void(pb::Command&)>([](pb::Command& c) { c.mutable_run_scan(); }),
             std::function<void(pb::Command&)>([](pb::Command& c) { c.mutable_set_image(); }),
             std::function<void(pb::Command&)>([](pb::Command& c) { c.mutable_walk()->mutable_join_ring(); }),
             std::function<void(pb::Command&)>([](pb::Command&) {}) })
        QCOMPARE(rig.command(fill).replies.at(0).refusal(), pb::WRONG_PROCESS);
}

void TestWalkClient::watchersSeeWhatIsUnderWay()
{
    Rig rig;
    rig.operate(pb::SEARCH, 1);
    pb::NodeSample sample;
    rig.client.inspect(rig.driven.now(), sample);
    QVERIFY(sample.awaited_count() == 1 && sample.awaited(0).kind() == "get"
        && sample.awaited(0).to() == rig.open.at(0).to);
    pb::Snapshot snapshot;
    rig.client.snapshot(snapshot);
    QVERIFY(snapshot.client().under_way() == 1 && snapshot.info().node() == Rig::kSelf);
    pb::Gauges gauges;
    rig.client.gauges(gauges);
    QCOMPARE(gauges.unacknowledged(), 1u);
}

QTEST_APPLESS_MAIN(TestWalkClient)
#include "tst_walk_client.moc"
