// SPDX-License-Identifier: GPL-3.0-or-later
// Named workloads of a client.
#include "tests/rigs/core/workload_rig.h"

#include <QTest>

#include <map>
#include <set>

using namespace lhrs;
using namespace lhrs::test;

class TestWorkload : public QObject {
    Q_OBJECT

private slots:
    void insertsUseKeysThatWereNeverUsed();
    void eachClientHasItsOwnKeys();
    void theWindowBoundsWhatIsUnderWay_data();
    void theWindowBoundsWhatIsUnderWay();
    void aBatchBeginsWhenThereIsRoomForAllOfIt();
    void oneSeedIsOneRun();
    void presentKeysAreThoseThatAreThere();
    void uniformKeysComeFromTheirSpace();
    void listedKeysAreTakenInTurn();
    void aMixHasItsWeights();
    void nothingFitsAnyMore();
    void aMixThatDeletesMoreThanItInsertsGoesOn();
    void theTimesOfAMixAreToldByKind();
    void aWorkloadOfNothingIsDoneAtOnce();
    void aWorkloadCanBeStopped();
    void progressIsSaidWhileItRuns();
    void progressNamesWhoIsFull();
    void theReportCountsWhatCameOut();
    void timesAreThoseOfTheOperations();
    void badOrdersAreRefused();
    void aHeldWorkloadEndsWhatIsUnderWayAndBeginsNothingNew();
    void aHoldThatNobodyRenewsEndsByItself();
    void whatIsCommandedDuringAHoldBeginsAtItsEnd();
    void whoeverWatchesSeesWhatTheClientWaitsFor();
};

void TestWorkload::insertsUseKeysThatWereNeverUsed()
{
    WorkloadRig rig;
    rig.take(rig.operate(pb::INSERT, 2, "by hand"));
    rig.serveAll();
    QCOMPARE(rig.run(workload(pb::INSERT, 5)).results().at("OK"), 5u);
    std::set<std::uint64_t> keys;
    for (const auto& [key, value] : rig.records)
        keys.insert(key);
    QCOMPARE(keys, (std::set<std::uint64_t> { 2, 3, 4, 5, 6, 7 }));
    QCOMPARE(rig.run(workload(pb::INSERT, 2)).results().at("OK"), 2u);
    QVERIFY(rig.records.contains(9));
}

void TestWorkload::eachClientHasItsOwnKeys()
{
    WorkloadRig rig(3);
    rig.run(workload(pb::INSERT, 2));
    QCOMPARE(rig.records.begin()->first, std::uint64_t(3) << 32);
    QCOMPARE(rig.records.rbegin()->first, (std::uint64_t(3) << 32) + 1);
}

void TestWorkload::theWindowBoundsWhatIsUnderWay_data()
{
    QTest::addColumn<quint32>("window");
    for (const quint32 window : { 0u, 1u, 7u, 64u })
        QTest::addRow("window %u", window) << window;
}

void TestWorkload::theWindowBoundsWhatIsUnderWay()
{
    QFETCH(quint32, window);
    WorkloadRig rig;
    const pb::WorkloadResult result = rig.run(workload(pb::INSERT, 200, window));
    QCOMPARE(result.operations(), 200u);
    QCOMPARE(result.results().at("OK"), 200u);
    QCOMPARE(rig.widest, std::size_t(std::max(window, 1u))); // 1: synchronised
}

void TestWorkload::aBatchBeginsWhenThereIsRoomForAllOfIt()
{
    // With a window of 8: includes a batch that does not divide it, and a batch of the whole window.
    for (const std::uint32_t batch : { 1u, 3u, 4u, 8u }) {
        WorkloadRig rig;
        pb::RunWorkload order = workload(pb::INSERT, 50, 8); // its last batch is incomplete
        order.set_batch(batch);
        rig.start(order);
        QCOMPARE(rig.open.size(), std::size_t(8 / batch * batch));
        std::size_t begun = rig.open.size();
        while (!rig.open.empty()) {
            const std::size_t left = rig.open.size() - 1;
            rig.serve();
            const bool hasRoom = left + batch <= 8;
            QCOMPARE(rig.open.size() - left, hasRoom ? std::min(std::size_t(batch), 50 - begun) : 0u);
            begun += rig.open.size() - left;
        }
        QCOMPARE(rig.records.size(), std::size_t(50));
    }
}

void TestWorkload::oneSeedIsOneRun()
{
    std::vector<std::vector<std::uint64_t>> runs;
    for (const std::uint64_t seed : { 1u, 1u, 2u }) {
        WorkloadRig rig;
        pb::RunWorkload order = workload(pb::INSERT, 60, 3);
        order.set_keys(pb::UNIFORM);
        order.set_key_space(1000);
        order.set_seed(seed);
        for (int weight = 0; weight < 4; ++weight)
            order.add_mix(1);
        std::vector<std::uint64_t> keys;
        rig.start(order);
        while (!rig.open.empty()) {
            keys.push_back(keyRequestOf(rig.open.front()).key() * 8 + std::uint64_t(rig.open.front().body_case()));
            rig.serve();
        }
        runs.push_back(keys);
    }
    QVERIFY(runs[0] == runs[1]);
    QVERIFY(runs[0] != runs[2]);
}

void TestWorkload::presentKeysAreThoseThatAreThere()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 30));
    pb::RunWorkload order = workload(pb::SEARCH, 200, 5);
    order.set_keys(pb::PRESENT);
    order.set_seed(9);
    pb::WorkloadResult result = rig.run(order);
    QCOMPARE(result.results().at("OK"), 200u);
    QCOMPARE(result.wrong() + result.missing(), 0u);
    order = workload(pb::DELETE, 30, 1);
    order.set_keys(pb::PRESENT);
    result = rig.run(order);
    QCOMPARE(result.results().at("OK"), 30u); // each once
    QVERIFY(rig.records.empty());
    QVERIFY(rig.client.ledger().keys().empty());
}

void TestWorkload::uniformKeysComeFromTheirSpace()
{
    WorkloadRig rig;
    pb::RunWorkload order = workload(pb::SEARCH, 500, 1);
    order.set_keys(pb::UNIFORM);
    order.set_key_space(10);
    std::set<std::uint64_t> keys;
    rig.start(order);
    while (!rig.open.empty()) {
        keys.insert(keyRequestOf(rig.open.front()).key());
        rig.serve();
    }
    QCOMPARE(keys.size(), std::size_t(10));
    QCOMPARE(*keys.rbegin(), std::uint64_t(9));
}

void TestWorkload::listedKeysAreTakenInTurn()
{
    WorkloadRig rig;
    pb::RunWorkload order = workload(pb::SEARCH, 5, 1);
    order.set_keys(pb::LISTED);
    for (const std::uint64_t key : { 7ULL, ~0ULL })
        order.add_key_list(key);
    std::vector<std::uint64_t> keys;
    rig.start(order);
    while (!rig.open.empty()) {
        keys.push_back(keyRequestOf(rig.open.front()).key());
        rig.serve();
    }
    QCOMPARE(keys, (std::vector<std::uint64_t> { 7, ~0ULL, 7, ~0ULL, 7 }));
}

void TestWorkload::aMixHasItsWeights()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 200));
    rig.served.clear();
    pb::RunWorkload order = workload(pb::SEARCH, 2000, 4);
    order.set_seed(3);
    for (const std::uint32_t weight : { 4u, 2u, 1u, 3u })
        order.add_mix(weight);
    rig.run(order);
    QVERIFY(rig.served[Body::kInsert] > 700 && rig.served[Body::kInsert] < 900);
    QVERIFY(rig.served[Body::kUpdate] > 320 && rig.served[Body::kUpdate] < 480);
    QVERIFY(rig.served[Body::kDelete] > 140 && rig.served[Body::kDelete] < 260);
    QVERIFY(rig.served[Body::kSearch] > 520 && rig.served[Body::kSearch] < 680);
}

void TestWorkload::nothingFitsAnyMore()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 3));
    pb::RunWorkload order = workload(pb::DELETE, 10, 1);
    order.set_keys(pb::PRESENT);
    const pb::WorkloadResult result = rig.run(order);
    QCOMPARE(result.operations(), 3u); // no key is left to delete: it ends, and reports how far it came
    QVERIFY(!result.is_running());
    QCOMPARE(result.of(), 10u);
    QCOMPARE(result.ended_early(), std::string("no key that this client stored is left"));
    // A workload that was stopped by command, or completed, did not end early.
    rig.run(workload(pb::INSERT, 3));
    QVERIFY(rig.run(workload(pb::INSERT, 3)).ended_early().empty());
}

void TestWorkload::aMixThatDeletesMoreThanItInsertsGoesOn()
{
    for (const pb::KeyOrder keys : { pb::PRESENT, pb::NEXT, pb::ZIPF }) {
        WorkloadRig rig;
        rig.run(workload(pb::INSERT, 100));
        pb::RunWorkload order = workload(pb::SEARCH, 3000, 4);
        order.set_keys(keys);
        order.set_key_space(50); // without effect: no keys are drawn from it
        order.set_seed(3);
        for (const std::uint32_t weight : { 2u, 1u, 4u, 1u })
            order.add_mix(weight);
        const pb::WorkloadResult result = rig.run(order);
        QCOMPARE(result.operations(), 3000u);
        QVERIFY(result.ended_early().empty());
        QVERIFY(!result.results().contains("EXISTS")); // each insert has a new key
        QCOMPARE(result.wrong() + result.missing(), 0u);
    }
}

void TestWorkload::theTimesOfAMixAreToldByKind()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 100));
    rig.served.clear();
    pb::RunWorkload order = workload(pb::SEARCH, 400, 1);
    order.set_record_times_every(1);
    order.set_seed(5);
    for (const std::uint32_t weight : { 2u, 2u, 0u, 1u })
        order.add_mix(weight);
    rig.start(order);
    std::map<Body, std::vector<std::int64_t>> times; // by kind, in the order of service
    Step last;
    for (int n = 0; !rig.open.empty(); ++n) {
        const Body kind = rig.open.front().body_case();
        const Time longer = std::chrono::microseconds(100 * int(kind) + n); // each kind has its own delay
        rig.driven.sleep(longer);
        times[kind].push_back((1ms + longer).count());
        last = rig.serve();
    }
    const pb::WorkloadResult& result = last.replies.at(0).workload();
    QCOMPARE(result.kinds_size(), 4);
    const std::pair<Body, pb::OperationKind> kinds[] = { { Body::kInsert, pb::INSERT }, { Body::kUpdate, pb::UPDATE },
        { Body::kDelete, pb::DELETE }, { Body::kSearch, pb::SEARCH } };
    for (int i = 0; i < 4; ++i) {
        const pb::KindTimes& told = result.kinds(i);
        std::vector<std::int64_t> own = times[kinds[i].first];
        QCOMPARE(told.kind(), kinds[i].second);
        QCOMPARE(told.operations(), own.size());
        if (own.empty())
            continue;
        std::sort(own.begin(), own.end());
        // Times are kept in units of 16 ns.
        const auto isNear = [](std::int64_t a, std::int64_t b) { return std::abs(a - b) <= 16; };
        // The smallest value that at least this many of a hundred do not exceed.
        QVERIFY(isNear(told.p50_ns(), own[(own.size() * 50 + 99) / 100 - 1]));
        QVERIFY(isNear(told.p99_ns(), own[(own.size() * 99 + 99) / 100 - 1]));
        QVERIFY(isNear(told.max_ns(), own.back()));
    }
    QCOMPARE(result.kinds(2).operations(), 0u);
    QCOMPARE(rig.run(workload(pb::INSERT, 2)).kinds_size(), 0); // with one kind only, its times are those of the whole
}

void TestWorkload::aWorkloadOfNothingIsDoneAtOnce()
{
    WorkloadRig rig;
    const Step step = rig.start(workload(pb::INSERT, 0));
    QCOMPARE(step.replies.size(), std::size_t(1));
    QCOMPARE(step.replies[0].workload().operations(), 0u);
    QCOMPARE(rig.verify().replies.size(), std::size_t(1)); // nothing to read back
}

void TestWorkload::aWorkloadCanBeStopped()
{
    WorkloadRig rig;
    rig.start(workload(pb::INSERT, 1000, 4));
    const std::uint64_t ticket = rig.tickets;
    for (int n = 0; n < 10; ++n)
        rig.serve();
    pb::Command stop;
    stop.mutable_stop_workload();
    QCOMPARE(rig.command(stop).replies.at(0).client().under_way(), 4u);
    Step last;
    while (!rig.open.empty())
        last = rig.serve(); // operations under way are still answered
    QCOMPARE(last.replies.size(), std::size_t(1));
    QCOMPARE(last.replies[0].ticket(), ticket);
    QCOMPARE(last.replies[0].workload().done(), 14u);
    QCOMPARE(rig.run(workload(pb::INSERT, 2)).done(), 2u); // now another may run
}

void TestWorkload::progressIsSaidWhileItRuns()
{
    WorkloadRig rig;
    rig.start(workload(pb::INSERT, 100, 2));
    for (int n = 0; n < 30; ++n)
        rig.serve();
    pb::Command ask;
    ask.mutable_workload_progress();
    pb::WorkloadResult progress = rig.command(ask).replies.at(0).workload();
    QVERIFY(progress.is_running());
    QCOMPARE(progress.done(), 30u);
    QCOMPARE(progress.of(), 100u);
    QCOMPARE(rig.command(orderOf(workload(pb::INSERT, 5))).replies.at(0).refusal(), pb::REFUSED); // one at a time
    rig.serveAll();
    QVERIFY(!rig.command(ask).replies.at(0).workload().is_running());
}

// It is known which server is full while the operations are still being retried, not only when they have ended.
void TestWorkload::progressNamesWhoIsFull()
{
    WorkloadRig rig;
    rig.start(workload(pb::INSERT, 4, 2));
    pb::Command ask;
    ask.mutable_workload_progress();
    QCOMPARE(rig.command(ask).replies.at(0).workload().full_size(), 0);
    const std::vector<pb::Message> requests(rig.open.begin(), rig.open.end());
    rig.open.clear();
    QCOMPARE(requests.size(), std::size_t(2));
    for (std::uint32_t bucket : { 7u, 5u }) {
        rig.take(rig.reply(requests[bucket == 7 ? 0 : 1], pb::RETRY, [bucket](pb::Reply& reply) {
            reply.set_retry_after_ms(100);
            reply.mutable_full()->set_role(bucket == 7 ? pb::DATA : pb::PARITY);
            reply.mutable_full()->set_number(bucket);
        }));
    }
    const pb::WorkloadResult progress = rig.command(ask).replies.at(0).workload();
    QVERIFY(progress.is_running());
    QCOMPARE(progress.done(), 0u);
    QCOMPARE(progress.refused_full(), 0u); // no operation has ended yet
    QCOMPARE(progress.full_size(), 2);
    QCOMPARE(progress.full(0).number() + progress.full(1).number(), 12u);
}

void TestWorkload::theReportCountsWhatCameOut()
{
    WorkloadRig rig;
    rig.start(workload(pb::INSERT, 4, 1));
    pb::Message request = rig.open.front();
    rig.open.clear();
    const auto forwarded = [](pb::Reply& reply) {
        reply.set_forwards(2);
        reply.set_image_adjustment(true);
    };
    rig.take(rig.reply(request, pb::OK, forwarded));
    request = rig.open.front();
    rig.open.clear();
    rig.take(rig.reply(request, pb::EXISTS));
    request = rig.open.front();
    rig.open.clear();
    rig.driven.pass(40ms); // a retransmission
    rig.take(rig.reply(request, pb::OK));
    rig.open.clear();
    const Step step = rig.driven.pass(6s); // the last one is never answered
    QCOMPARE(step.replies.size(), std::size_t(1));
    const pb::WorkloadResult result = step.replies[0].workload();
    QCOMPARE(result.results().at("OK"), 2u);
    QCOMPARE(result.results().at("EXISTS"), 1u);
    QCOMPARE(result.results().at("UNKNOWN_OUTCOME"), 1u);
    QCOMPARE(result.unanswered(), 1u);
    QCOMPARE(result.forwards(), 2u);
    QCOMPARE(result.image_adjustments(), 1u);
    QVERIFY(result.resends() >= 1);
    QVERIFY(result.total_ns() > 5'000'000'000);
}

void TestWorkload::timesAreThoseOfTheOperations()
{
    WorkloadRig rig;
    pb::RunWorkload order = workload(pb::INSERT, 100, 1);
    order.set_record_times_every(10);
    rig.start(order);
    pb::WorkloadResult result;
    for (int n = 0; n < 100; ++n) {
        if (n == 50)
            rig.driven.sleep(20ms); // one operation is slow
        const Step step = rig.serve();
        if (!step.replies.empty())
            result = step.replies[0].workload();
    }
    QCOMPARE(result.times_ns_size(), 10);
    QVERIFY(std::abs(result.p50_ns() - 1'000'000) < 32); // kept in units of 16 ns
    QVERIFY(std::abs(result.max_ns() - 21'000'000) < 32);
    QVERIFY(result.p99_ns() >= 1'000'000 - 32 && result.p99_ns() <= result.max_ns());
    QVERIFY(result.total_ns() >= 120'000'000);
}

void TestWorkload::badOrdersAreRefused()
{
    WorkloadRig rig;
    const auto refusal = [&rig](const pb::RunWorkload& order) {
        const Step step = rig.command(orderOf(order));
        return step.sent.empty() && !step.replies.empty() && !step.replies[0].text().empty() ? step.replies[0].refusal()
                                                                                             : pb::NOT_REFUSED;
    };
    pb::RunWorkload order = workload(pb::INSERT, 5);
    order.set_length(65536);
    QCOMPARE(refusal(order), pb::BAD_ARGUMENT);
    order = workload(pb::INSERT, 5);
    order.add_mix(1);
    QCOMPARE(refusal(order), pb::BAD_ARGUMENT);
    order = workload(pb::INSERT, 5, 4);
    order.set_batch(5);
    QCOMPARE(refusal(order), pb::BAD_ARGUMENT);
    order = workload(pb::INSERT, 5, 4);
    order.set_batch(4);
    order.set_rate(100);
    QCOMPARE(refusal(order), pb::BAD_ARGUMENT);
    QCOMPARE(refusal(workload(pb::OPERATION_UNKNOWN, 5)), pb::BAD_ARGUMENT);
    QCOMPARE(refusal(workload(pb::OperationKind(7), 5)), pb::BAD_ARGUMENT);
    order = workload(pb::SEARCH, 5);
    order.set_keys(pb::LISTED);
    QCOMPARE(refusal(order), pb::BAD_ARGUMENT);
    ClientRig unregistered(false);
    QCOMPARE(unregistered.command(orderOf(workload(pb::INSERT, 5))).replies.at(0).refusal(), pb::REFUSED);
}

// ---- values

void TestWorkload::aHeldWorkloadEndsWhatIsUnderWayAndBeginsNothingNew()
{
    WorkloadRig rig;
    rig.start(workload(pb::INSERT, 10, 3));
    QCOMPARE(rig.open.size(), std::size_t(3));
    const Step held = rig.hold(true);
    QVERIFY(held.replies.at(0).client().is_held());
    QCOMPARE(held.count(Happened::kWorkloadHeld), std::size_t(1));
    QVERIFY(held.of(Happened::kWorkloadHeld).at(0).workload_held().is_held());
    QCOMPARE(rig.hold(true).count(Happened::kWorkloadHeld), std::size_t(0)); // a renewal emits no event
    while (!rig.open.empty())
        rig.serve(); // answered, and no further request
    QCOMPARE(rig.records.size(), std::size_t(3));
    rig.driven.pass(2s);
    QVERIFY(rig.open.empty());

    const Step released = rig.hold(false);
    QVERIFY(!released.replies.at(0).client().is_held());
    QVERIFY(!released.of(Happened::kWorkloadHeld).at(0).workload_held().is_held());
    QCOMPARE(rig.open.size(), std::size_t(3));
    const pb::WorkloadResult result = rig.serveAll();
    QCOMPARE(result.operations(), std::uint64_t(10));
    QVERIFY(Time(result.held_ns()) >= 2s);
    QVERIFY2(Time(result.total_ns()) < 2s, "the time of the hold is none of the workload's");
}

void TestWorkload::aHoldThatNobodyRenewsEndsByItself()
{
    WorkloadRig rig;
    rig.hold(true); // without a duration: 5 s
    rig.start(workload(pb::INSERT, 4));
    QVERIFY(rig.open.empty());
    QCOMPARE(rig.take(rig.driven.pass(4900ms)).count(Happened::kWorkloadHeld), std::size_t(0));
    rig.hold(true, 1'000); // the holder must renew it
    QCOMPARE(rig.take(rig.driven.pass(900ms)).count(Happened::kWorkloadHeld), std::size_t(0));
    QVERIFY(rig.open.empty());
    const Step over = rig.take(rig.driven.pass(200ms));
    QCOMPARE(over.count(Happened::kWorkloadHeld), std::size_t(1));
    QVERIFY(!over.of(Happened::kWorkloadHeld).at(0).workload_held().is_held());
    QCOMPARE(
        over.of(Happened::kWorkloadHeld).at(0).workload_held().reason(), std::string("nobody has renewed the hold"));
    QCOMPARE(rig.serveAll().operations(), std::uint64_t(4));
}

void TestWorkload::whatIsCommandedDuringAHoldBeginsAtItsEnd()
{
    WorkloadRig rig;
    rig.hold(true);
    QVERIFY(rig.take(rig.operate(pb::INSERT, 7, "seven")).replies.empty());
    QVERIFY(rig.open.empty());
    pb::Command ask;
    ask.mutable_describe_client();
    const pb::ClientDescription client = rig.command(ask).replies.at(0).client();
    QVERIFY(client.is_held());
    QCOMPARE(client.waiting(), std::uint64_t(1));
    // It also ends when the workload is stopped meanwhile.
    QVERIFY(rig.start(workload(pb::INSERT, 5)).replies.empty());
    pb::Command stop;
    stop.mutable_stop_workload();
    const Step stopped = rig.take(rig.command(stop));
    QVERIFY(std::any_of(
        stopped.replies.begin(), stopped.replies.end(), [](const auto& reply) { return reply.has_workload(); }));
    // Values beyond the limits are refused, with a sentence.
    Step last;
    for (int i = 0; i < 300 && last.replies.empty(); ++i)
        last = rig.take(rig.operate(pb::SEARCH, 7));
    QCOMPARE(last.replies.at(0).refusal(), pb::REFUSED);
    QVERIFY(last.replies.at(0).text().find("held") != std::string::npos);

    rig.hold(false);
    QCOMPARE(rig.open.size(), std::size_t(1)); // all operations use one key: in turn
    rig.serveAll();
    QCOMPARE(rig.records.at(7), std::string("seven"));
    QCOMPARE(rig.served[Body::kSearch], std::size_t(255));
}

void TestWorkload::whoeverWatchesSeesWhatTheClientWaitsFor()
{
    WorkloadRig rig;
    rig.start(workload(pb::INSERT, 2, 2));
    rig.take(rig.driven.pass(100ms)); // retransmitted
    pb::NodeSample sample;
    rig.client.inspect(rig.driven.now(), sample);
    QCOMPARE(sample.awaited_count(), 2u);
    const auto& wait = sample.awaited(0);
    QCOMPARE(wait.kind(), std::string("insert"));
    QCOMPARE(wait.to(), ClientRig::kData);
    QVERIFY(wait.tries() > 0 && wait.tries() <= wait.tries_max());
    QVERIFY(wait.due_ns() > wait.sent_ns());
}

QTEST_APPLESS_MAIN(TestWorkload)
#include "tst_workload.moc"
