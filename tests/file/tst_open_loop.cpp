// SPDX-License-Identifier: GPL-3.0-or-later
// Workloads whose operations have due times, keys by Zipf's law, how long a client waits for an answer, and which
// errors reading back distinguishes.
#include "tests/rigs/core/workload_rig.h"

#include <QTest>

#include <cmath>

using namespace lhrs;
using namespace lhrs::test;

namespace {

pb::RunWorkload paced(std::uint64_t count, double rate, std::uint32_t window = 64)
{
    pb::RunWorkload order = workload(pb::INSERT, count, window);
    order.set_rate(rate);
    return order;
}

pb::Command patience(std::uint32_t ms)
{
    pb::Command command;
    command.mutable_set_patience()->set_request_ms(ms);
    return command;
}

} // namespace

class TestOpenLoop : public QObject {
    Q_OBJECT

private slots:
    void operationsBeginWhenTheyAreDue();
    void aStallIsInTheTimesOfThoseThatWereDueMeanwhile();
    void aHoldMovesDueTimes();
    void ordersOutOfBoundsAreRefused_data();
    void ordersOutOfBoundsAreRefused();

    void ranksFollowZipfsLaw_data();
    void ranksFollowZipfsLaw();
    void ranksStayInBounds();
    void popularKeysAreThoseThatWereStoredFirst();
    void insertsByZipfComeFromTheKeySpace();

    void aClientWaitsAsLongAsItIsTold_data();
    void aClientWaitsAsLongAsItIsTold();
    void patienceEndsBeforeTheOperation();

    void readingBackIsLimitedToABucket();
    void olderNewerAndWrongValuesAreToldApart();
};

// ---- due times

void TestOpenLoop::operationsBeginWhenTheyAreDue()
{
    WorkloadRig rig;
    rig.start(paced(5, 1000));
    QCOMPARE(rig.open.size(), std::size_t(1)); // the first is due at once
    rig.take(rig.driven.pass(999us));
    QCOMPARE(rig.open.size(), std::size_t(1));
    rig.take(rig.driven.pass(1us));
    QCOMPARE(rig.open.size(), std::size_t(2));
    rig.take(rig.driven.pass(3ms)); // no answer has arrived: they start nevertheless
    QCOMPARE(rig.open.size(), std::size_t(5));
    const pb::WorkloadResult result = rig.serveAll();
    QCOMPARE(result.results().at("OK"), 5u);
    QCOMPARE(result.behind_max_ns(), 0);
}

void TestOpenLoop::aStallIsInTheTimesOfThoseThatWereDueMeanwhile()
{
    // Ten operations, one each millisecond, one under way at a time; the bucket answers the first after 20 ms, the
    // others after 1 ms each. In a closed loop nine of ten would have taken 1 ms.
    WorkloadRig rig;
    pb::RunWorkload order = paced(10, 1000, 1);
    order.set_record_times_every(1);
    rig.start(order);
    rig.take(rig.driven.pass(19ms));
    QCOMPARE(rig.open.size(), std::size_t(1));
    const pb::WorkloadResult result = rig.serveAll();
    QCOMPARE(result.operations(), 10u);
    for (int i = 0; i < 10; ++i) // answered at 20 + i ms, due at i ms
        QCOMPARE(result.times_ns(i) / 1'000'000, 20);
    QCOMPARE(result.behind_max_ns(), 19'000'000); // the second began at 20 ms, and so on
    QCOMPARE(result.p50_ns() / 1'000'000, 20);
}

void TestOpenLoop::aHoldMovesDueTimes()
{
    WorkloadRig rig;
    rig.start(paced(3, 100));
    rig.serve(); // 1 ms
    rig.hold(true, 60'000);
    rig.take(rig.driven.pass(100ms));
    QVERIFY(rig.open.empty());
    rig.hold(false);
    QVERIFY(rig.open.empty()); // 10 ms after the start; without the hold, 1 ms of it has passed
    rig.take(rig.driven.pass(9ms));
    QCOMPARE(rig.open.size(), std::size_t(1));
    rig.serve();
    rig.take(rig.driven.pass(10ms));
    const pb::WorkloadResult result = rig.serveAll();
    QCOMPARE(result.results().at("OK"), 3u);
    QVERIFY(result.max_ns() < 5'000'000);
    QCOMPARE(result.behind_max_ns(), 0);
}

void TestOpenLoop::ordersOutOfBoundsAreRefused_data()
{
    QTest::addColumn<double>("rate");
    QTest::addColumn<double>("skew");
    QTest::addColumn<bool>("isBulk");
    QTest::addColumn<QString>("word");
    QTest::newRow("negative rate") << -1.0 << 0.0 << false << "rate";
    QTest::newRow("no number") << std::nan("") << 0.0 << false << "rate";
    QTest::newRow("infinite") << HUGE_VAL << 0.0 << false << "rate";
    QTest::newRow("skew") << 0.0 << 11.0 << false << "skew";
    QTest::newRow("bulk insert") << 5.0 << 0.0 << true << "bulk insert";
}

void TestOpenLoop::ordersOutOfBoundsAreRefused()
{
    QFETCH(const double, rate);
    QFETCH(const double, skew);
    QFETCH(const bool, isBulk);
    QFETCH(const QString, word);
    WorkloadRig rig;
    pb::RunWorkload order = paced(1, rate);
    order.set_skew(skew);
    order.set_without_acknowledgement(isBulk);
    const Step step = rig.start(order);
    QCOMPARE(step.replies.at(0).refusal(), pb::BAD_ARGUMENT);
    QVERIFY(QString::fromStdString(step.replies.at(0).text()).contains(word));
}

// ---- Zipf's law

void TestOpenLoop::ranksFollowZipfsLaw_data()
{
    QTest::addColumn<double>("skew");
    for (const double skew : { 0.5, 0.99, 1.0, 2.0 })
        QTest::addRow("skew %g", skew) << skew;
}

void TestOpenLoop::ranksFollowZipfsLaw()
{
    QFETCH(const double, skew);
    constexpr std::uint64_t kRanks = 12, kDraws = 200'000;
    const ZipfNumbers ranks(skew);
    SeededNumbers numbers(7), same(7);
    std::vector<double> seen(kRanks + 1);
    for (std::uint64_t i = 0; i < kDraws; ++i)
        ++seen.at(std::size_t(ranks.draw(kRanks, numbers)));
    for (std::uint64_t i = 0; i < 100; ++i) { // one seed gives one run
        SeededNumbers again = same;
        QCOMPARE(ranks.draw(kRanks, again), ranks.draw(kRanks, same));
    }
    double sum = 0;
    for (std::uint64_t r = 1; r <= kRanks; ++r)
        sum += std::pow(double(r), -skew);
    for (std::uint64_t r = 1; r <= kRanks; ++r) {
        const double wanted = std::pow(double(r), -skew) / sum * double(kDraws);
        QVERIFY2(std::abs(seen[r] - wanted) < 5 * std::sqrt(wanted),
            qPrintable(QString("rank %1: %2, not %3").arg(r).arg(seen[r]).arg(wanted)));
    }
}

void TestOpenLoop::ranksStayInBounds()
{
    SeededNumbers numbers(3);
    for (const double skew : { 0.01, 1.0, 10.0 }) {
        const ZipfNumbers ranks(skew);
        for (const std::uint64_t count : { std::uint64_t(1), std::uint64_t(2), std::uint64_t(1'000'000'000'000) })
            for (int i = 0; i < 1000; ++i) {
                const std::uint64_t rank = ranks.draw(count, numbers);
                QVERIFY(rank >= 1 && rank <= count);
            }
    }
}

void TestOpenLoop::popularKeysAreThoseThatWereStoredFirst()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 50));
    const std::uint64_t first = rig.client.ledger().keys().front().value;
    pb::RunWorkload order = workload(pb::SEARCH, 1000, 1);
    order.set_keys(pb::ZIPF);
    order.set_skew(1.5);
    std::map<std::uint64_t, int> asked;
    rig.start(order);
    while (!rig.open.empty()) {
        ++asked[keyRequestOf(rig.open.front()).key()];
        rig.serve();
    }
    for (const auto& [key, count] : asked) {
        QVERIFY(rig.records.contains(key));
        QVERIFY(count <= asked[first]);
    }
    QVERIFY(asked[first] > 300); // 1 / 2.3 of them
}

void TestOpenLoop::insertsByZipfComeFromTheKeySpace()
{
    WorkloadRig rig;
    pb::RunWorkload order = workload(pb::INSERT, 300, 1);
    order.set_keys(pb::ZIPF);
    order.set_key_space(20);
    const pb::WorkloadResult result = rig.run(order);
    QVERIFY(rig.records.rbegin()->first < 20);
    QCOMPARE(result.results().at("OK"), std::uint64_t(rig.records.size()));
    QCOMPARE(result.results().at("OK") + result.results().at("EXISTS"), 300u);
}

// ---- time limits

void TestOpenLoop::aClientWaitsAsLongAsItIsTold_data()
{
    QTest::addColumn<int>("told");
    QTest::addColumn<int>("waits");
    QTest::newRow("as the file says") << 0 << 210; // 30 + 60 + 120 ms
    QTest::newRow("less") << 70 << 70;
    QTest::newRow("more") << 1400 << 1400;
}

void TestOpenLoop::aClientWaitsAsLongAsItIsTold()
{
    QFETCH(const int, told);
    QFETCH(const int, waits);
    ClientRig rig;
    rig.knows(1);
    const Step set = rig.command(patience(std::uint32_t(told)));
    QCOMPARE(set.replies.at(0).client().request_ms(), std::uint32_t(waits));
    rig.operate(pb::SEARCH, 0);
    Step step = rig.driven.pass(std::chrono::milliseconds(waits) - 11ms); // checked every 10 ms
    QCOMPARE(step.count(Body::kSearch), std::size_t(2)); // two retransmissions
    QCOMPARE(step.count(Body::kAlarm), std::size_t(0));
    step = rig.driven.pass(41ms);
    QCOMPARE(step.count(Body::kAlarm), std::size_t(1));
}

void TestOpenLoop::patienceEndsBeforeTheOperation()
{
    ClientRig rig;
    const Step step = rig.command(patience(2501));
    QCOMPARE(step.replies.at(0).refusal(), pb::BAD_ARGUMENT);
    QVERIFY(QString::fromStdString(step.replies.at(0).text()).contains("2500"));
}

// ---- reading back

void TestOpenLoop::readingBackIsLimitedToABucket()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 40));
    pb::Command order;
    order.mutable_verify()->set_only_bucket(true);
    order.mutable_verify()->set_bucket(3);
    order.mutable_verify()->mutable_file()->set_i(3);
    rig.take(rig.command(order));
    const pb::WorkloadResult result = rig.serveAll();
    QCOMPARE(result.operations(), 5u); // 3, 11, 19, 27, 35
    QCOMPARE(result.results().at("OK"), 5u);
}

void TestOpenLoop::olderNewerAndWrongValuesAreToldApart()
{
    WorkloadRig rig;
    rig.run(workload(pb::INSERT, 10));
    const std::string before = rig.records[4];
    pb::RunWorkload change = workload(pb::UPDATE, 1);
    change.set_keys(pb::LISTED);
    change.add_key_list(4);
    rig.run(change);
    rig.records[4] = before; // an acknowledged change is gone
    rig.records[5] = makeValue(4711, Key(5), 1, 40); // another client was here
    rig.records[6] = makeValue(4711, Key(7), 1, 40); // the value belongs to another key
    rig.records[7] = makeValue(ClientRig::kSelf, Key(7), 9'999, 40); // the client has no acknowledgement for this value
    rig.verify();
    const pb::WorkloadResult result = rig.serveAll();
    QCOMPARE(result.results().at("OK"), 10u);
    QCOMPARE(result.newer(), 1u);
    QCOMPARE(result.older(), 1u);
    QCOMPARE(result.wrong(), 3u); // the stale value counts too
}

QTEST_APPLESS_MAIN(TestOpenLoop)
#include "tst_open_loop.moc"
