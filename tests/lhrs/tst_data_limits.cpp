// SPDX-License-Identifier: GPL-3.0-or-later
// A data bucket at its limits, with parity buckets that are slow or new, and with silent clients.
#include "tests/rigs/core/bucket_rigs.h"

#include <QTest>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::test;

namespace {

DataRig::Options withParity(std::uint32_t k)
{
    DataRig::Options options;
    options.k = k;
    return options;
}

} // namespace

class TestDataLimits : public QObject {
    Q_OBJECT

private slots:
    void anOverloadIsReportedOnce();
    void anOverloadIsReportedAgainAfterTheBucketWasBelow();
    void aBucketThatIsToldToWaitReportsAgainWhenItHoldsMore();
    void theHardLimitRefusesBeforeAnyEffect();
    void aQueueThatIsFullRefuses();
    void aValueThatIsTooLongIsInvalid();

    void deltasAreSentAgainToWhoLacksThemWithDoublingIntervals();
    void whatFollowsALostBurstGoesWithTheFirstWordOfIt();
    void aParityBucketThatStoodStillIsNotAskedMoreSeldom();
    void aRefusedDeltaGoesAgainUnderTheNewEpoch();
    void anEpochIsAcknowledgedOnlyWhenNewlyUpParityHasEverything();
    void anEpochAfterOneThatIsOwedAsksForTheSameAndAReportTells();
    void anOldEpochIsNoNewsAndARepeatedOneIsAcknowledgedAgain();
    void silentClientsAreForgotten();

    void contentsGoInBlocksWhileChangesGoOn();
    void contentsAreSentOnlyToWhoIsInTheView();
};

void TestDataLimits::anOverloadIsReportedOnce()
{
    DataRig::Options options;
    options.config.set_b(5);
    DataRig rig(options);
    for (std::uint64_t c = 0; c < 5; ++c)
        QCOMPARE(rig.insert(c, "v").count(Body::kOverload), std::size_t(0));
    Step step = rig.insert(5, "v");
    const auto reports = step.of(Body::kOverload, DataRig::kCoordinator);
    QCOMPARE(reports.size(), std::size_t(1));
    QCOMPARE(reports[0].message.overload().count(), 6u);
    QCOMPARE(step.count(Happened::kBucketOverflowed), std::size_t(1));
    QCOMPARE(step.count(Body::kDelta), std::size_t(2)); // b is a soft limit: the record is stored first
    for (std::uint64_t c = 6; c < 10; ++c)
        QCOMPARE(rig.insert(c, "v").count(Body::kOverload), std::size_t(0));
    const auto again = rig.driven.pass(40ms).of(Body::kOverload);
    QCOMPARE(again.size(), std::size_t(1)); // not acknowledged: the same report is retransmitted
    QCOMPARE(again[0].message.id(), reports[0].message.id());
    rig.ack(reports[0].message, DataRig::kCoordinator);
    rig.allAcked();
    QCOMPARE(rig.driven.pass(10s).count(Body::kOverload), std::size_t(0));
}

void TestDataLimits::anOverloadIsReportedAgainAfterTheBucketWasBelow()
{
    DataRig::Options options;
    options.config.set_b(2);
    DataRig rig(options);
    for (std::uint64_t c = 0; c < 3; ++c)
        rig.put(c, "v");
    rig.erase(0);
    QCOMPARE(rig.insert(7, "v").count(Body::kOverload), std::size_t(1));
    rig.erase(1);
    rig.erase(2);
    rig.insert(8, "v");
    QCOMPARE(rig.insert(9, "v").count(Body::kOverload), std::size_t(1));
}

void TestDataLimits::aBucketThatIsToldToWaitReportsAgainWhenItHoldsMore()
{
    DataRig::Options options;
    options.config.set_b(5);
    DataRig rig(options);
    const auto rearm = [&](std::uint32_t count) {
        pb::Message message = rig.coordinator.message();
        message.mutable_rearm()->set_count(count);
        const Step step = rig.driven.message(message);
        QVERIFY(step.acknowledges(message));
        QCOMPARE(step.count(Body::kOverload), std::size_t(0));
    };
    for (std::uint64_t c = 0; c < 6; ++c)
        rig.put(c, "v");
    rearm(8); // although its report may still wait for the acknowledgement
    QCOMPARE(rig.insert(6, "v").count(Body::kOverload), std::size_t(0));
    QCOMPARE(rig.insert(7, "v").count(Body::kOverload), std::size_t(1));
    QCOMPARE(rig.insert(8, "v").count(Body::kOverload), std::size_t(0));
    for (std::uint64_t c = 0; c < 4; ++c) // the overload ends below b
        rig.erase(c);
    QCOMPARE(rig.insert(9, "v").count(Body::kOverload), std::size_t(1));
}

void TestDataLimits::theHardLimitRefusesBeforeAnyEffect()
{
    DataRig::Options options;
    options.config.set_b(2);
    DataRig rig(options);
    for (std::uint64_t c = 0; c < 8; ++c)
        rig.put(c, "v");
    const DataRig::Ask ask { .kind = pb::INSERT, .key = 8, .value = "v", .number = 100 };
    Step step = rig.ask(ask);
    QCOMPARE(replyOf(step).result(), pb::RETRY);
    QVERIFY(replyOf(step).retry_after_ms() > 0);
    QCOMPARE(step.count(Body::kDelta), std::size_t(0));
    QCOMPARE(replyOf(rig.search(8)).result(), pb::NOT_FOUND);
    rig.insert(3, "x");
    QCOMPARE(replyOf(rig.allAcked()).result(), pb::EXISTS); // true whatever the limit is
    QCOMPARE(rig.update(3, "x").count(Body::kDelta), std::size_t(2));
    rig.erase(3);
    rig.allAcked();
    QCOMPARE(rig.ask(ask).count(Body::kDelta), std::size_t(2)); // the same request, now carried out
}

void TestDataLimits::aQueueThatIsFullRefuses()
{
    DataRig::Options options = withParity(1);
    options.timers.set_held_max(2);
    DataRig rig(options);
    rig.insert(1, "v");
    rig.ask({ .kind = pb::SEARCH, .key = 1, .number = 10 });
    rig.ask({ .kind = pb::SEARCH, .key = 1, .number = 11 });
    QCOMPARE(replyOf(rig.ask({ .kind = pb::SEARCH, .key = 1, .number = 12 })).result(), pb::RETRY);
    // An insert that finds the key is a mutation without effect: it waits for acknowledgements, not in the queue.
    QCOMPARE(rig.ask({ .kind = pb::INSERT, .key = 1, .value = "x", .number = 13 }).count(Body::kDelta), std::size_t(1));
    QCOMPARE(rig.ask({ .kind = pb::SEARCH, .key = 1, .number = 10 }).sent.size(),
        std::size_t(0)); // it waits and was not refused
    QCOMPARE(rig.deltaAck(0, 1).count(Body::kReply), std::size_t(3));
}

void TestDataLimits::aValueThatIsTooLongIsInvalid()
{
    DataRig rig;
    const std::string longest(65535, 'x');
    QCOMPARE(rig.insert(1, longest).count(Body::kDelta), std::size_t(2));
    for (const pb::OperationKind kind : { pb::INSERT, pb::UPDATE }) {
        const Step step = rig.ask({ .kind = kind, .key = 1, .value = longest + "x" });
        QCOMPARE(replyOf(step).result(), pb::INVALID);
        QVERIFY(replyOf(step).text().find("65,535") != std::string::npos);
    }
    QCOMPARE(rig.data().link().sequence(), Sequence(1));
}

// ---- parity buckets that are slow, and epochs

void TestDataLimits::deltasAreSentAgainToWhoLacksThemWithDoublingIntervals()
{
    DataRig rig;
    rig.insert(1, "one");
    rig.insert(2, "two");
    rig.deltaAck(0, 2);
    rig.deltaAck(1, 1);
    std::vector<std::int64_t> at;
    std::uint32_t alarms = 0;
    const Time start = rig.driven.now();
    while (rig.driven.now() < start + 3s) {
        const Step step = rig.driven.pass(1ms);
        QCOMPARE(step.count(Body::kDelta, DataRig::kParity), std::size_t(0)); // it has both changes
        for (const Step::Sent& sent : step.of(Body::kDelta, DataRig::kParity + 1)) {
            QCOMPARE(sent.message.delta().sequence(), 2u); // the change that it lacks
            at.push_back((rig.driven.now() - start).count() / 1'000'000);
            QCOMPARE(sent.tries, std::uint32_t(at.size()));
        }
        alarms += std::uint32_t(step.of(Body::kAlarm, DataRig::kCoordinator).size());
    }
    QVERIFY(at.size() >= 6);
    QVERIFY2(at[0] >= 28 && at[0] <= 40, qPrintable(QString::number(at[0])));
    for (std::size_t n = 1; n < at.size(); ++n) {
        const std::int64_t gap = at[n] - at[n - 1], before = n > 1 ? at[n - 1] - at[n - 2] : at[0];
        QVERIFY2(gap >= std::min<std::int64_t>(2 * before - 5, 990) && gap <= 1010, qPrintable(QString::number(gap)));
    }
    QVERIFY(alarms >= 1); // demo paper 4(d): the coordinator is told
    QCOMPARE(replyOf(rig.deltaAck(1, 2)).request().number(), 2u);
    QCOMPARE(rig.driven.pass(10s).count(Body::kDelta), std::size_t(0));
}

// A whole burst of changes is lost. Retransmissions go in smaller bursts; each acknowledgement triggers the next one.
void TestDataLimits::whatFollowsALostBurstGoesWithTheFirstWordOfIt()
{
    DataRig::Options options = withParity(1);
    options.config.set_b(10'000);
    DataRig rig(options);
    constexpr std::uint64_t kChanges = 500;
    for (std::uint64_t c = 1; c <= kChanges; ++c)
        rig.insert(c, "lost");
    const Time start = rig.driven.now();
    Sequence applied = 0;
    std::size_t sent = 0;
    while (applied < kChanges && rig.driven.now() < start + 10s) {
        for (const Step::Sent& again : rig.driven.pass(1ms).of(Body::kDelta)) {
            ++sent;
            if (again.message.delta().sequence() == applied + 1)
                rig.deltaAck(0, ++applied);
        }
    }
    QCOMPARE(applied, Sequence(kChanges));
    const auto took = (rig.driven.now() - start).count() / 1'000'000;
    QVERIFY2(took < 100, qPrintable(QString::number(took)));
    QVERIFY2(sent < 2 * kChanges, qPrintable(QString::number(sent))); // an acknowledgement retransmits only a part
}

// The bucket was paused and now acknowledges one after the other what has arrived meanwhile. That took seconds, but it
// is no round trip.
void TestDataLimits::aParityBucketThatStoodStillIsNotAskedMoreSeldom()
{
    DataRig::Options options = withParity(1);
    options.config.set_b(10'000);
    DataRig rig(options);
    std::uint64_t key = 0;
    for (int sleep = 0; sleep < 5; ++sleep) {
        const Sequence before = rig.data().link().sequence();
        for (int i = 0; i < 300; ++i)
            rig.insert(++key, "slept");
        rig.driven.pass(3s);
        for (Sequence applied = before + 1; applied <= rig.data().link().sequence(); ++applied)
            rig.deltaAck(0, applied);
    }
    QVERIFY(rig.data().link().isIdle());
    rig.insert(++key, "lost");
    const Time start = rig.driven.now();
    while (rig.driven.pass(1ms).count(Body::kDelta) == 0 && rig.driven.now() < start + 60s)
        ;
    const auto took = (rig.driven.now() - start).count() / 1'000'000;
    QVERIFY2(took <= 1'001, qPrintable(QString::number(took)));
}

void TestDataLimits::aRefusedDeltaGoesAgainUnderTheNewEpoch()
{
    DataRig rig;
    rig.insert(1, "one");
    rig.insert(2, "two");
    rig.deltaAck(0, 1);
    pb::Message nak = Peer(DataRig::kParity).message();
    nak.mutable_delta_nak()->set_epoch(2);
    nak.mutable_delta_nak()->set_applied(1);
    QCOMPARE(rig.driven.message(nak).sent.size(), std::size_t(0)); // the epoch is already on its way
    const Step step = rig.epoch(rig.view(2));
    QCOMPARE(step.count(Body::kDelta, DataRig::kParity), std::size_t(1));
    QCOMPARE(step.count(Body::kDelta, DataRig::kParity + 1), std::size_t(2));
    for (const Step::Sent& sent : step.of(Body::kDelta))
        QCOMPARE(sent.message.delta().epoch(), 2u);
    QCOMPARE(step.of(Body::kEpochAck, DataRig::kCoordinator).at(0).message.epoch_ack().epoch(), 2u);
}

void TestDataLimits::anEpochIsAcknowledgedOnlyWhenNewlyUpParityHasEverything()
{
    DataRig::Options options = withParity(2);
    options.init = { 1 };
    DataRig rig(options);
    for (std::uint64_t c = 1; c <= 3; ++c)
        rig.insert(c, "v");
    QCOMPARE(rig.deltaAck(0, 3).count(Body::kReply), std::size_t(3)); // one that is being filled is not waited for
    rig.deltaAck(1, 1);
    rig.options.init.clear();
    pb::Message up = rig.coordinator.message();
    *up.mutable_epoch()->mutable_view() = rig.view(2);
    QVERIFY(!rig.driven.message(up).acknowledges(up));
    rig.insert(4, "v"); // from now on it counts
    QCOMPARE(rig.deltaAck(0, 4).count(Body::kReply), std::size_t(0));
    QVERIFY(!rig.driven.message(up).acknowledges(up));
    QVERIFY(!rig.deltaAck(1, 2).acknowledges(up));
    const Step step = rig.deltaAck(1, 3); // all changes up to the moment when it was declared UP
    QVERIFY(step.acknowledges(up));
    QCOMPARE(step.count(Body::kReply), std::size_t(0));
    QCOMPARE(rig.deltaAck(1, 4).count(Body::kReply), std::size_t(1));
}

void TestDataLimits::anEpochAfterOneThatIsOwedAsksForTheSameAndAReportTells()
{
    DataRig::Options options = withParity(2);
    options.init = { 1 };
    DataRig rig(options);
    for (std::uint64_t c = 1; c <= 3; ++c)
        rig.insert(c, "v");
    rig.deltaAck(0, 3);
    rig.deltaAck(1, 1);
    const auto lacking = [&rig] {
        pb::StateReport report;
        rig.data().report(report);
        return std::vector<std::uint64_t>(report.lacking().begin(), report.lacking().end());
    };
    QVERIFY(lacking().empty()); // no epoch declares it UP
    rig.options.init.clear();
    QCOMPARE(rig.epoch(rig.view(2)).count(Body::kEpochAck), std::size_t(0));
    const std::uint64_t second = rig.data().link().column(ParityColumn(1))->holder.incarnation.value;
    QCOMPARE(lacking(), std::vector { second });
    QCOMPARE(rig.epoch(rig.view(3)).count(Body::kEpochAck), std::size_t(0)); // from a coordinator started since
    QCOMPARE(lacking(), std::vector { second });
    rig.deltaAck(1, 2);
    QCOMPARE(lacking(), std::vector { second });
    QCOMPARE(rig.deltaAck(1, 3).of(Body::kEpochAck).at(0).message.epoch_ack().epoch(), 3u);
    QVERIFY(lacking().empty());
    rig.insert(4, "v");
    QVERIFY(lacking().empty()); // no parity bucket has acknowledged the new change
    QCOMPARE(rig.epoch(rig.view(4)).count(Body::kEpochAck), std::size_t(1));
}

void TestDataLimits::anOldEpochIsNoNewsAndARepeatedOneIsAcknowledgedAgain()
{
    DataRig rig;
    QCOMPARE(rig.epoch(rig.view(3)).count(Body::kEpochAck), std::size_t(1));
    QCOMPARE(rig.epoch(rig.view(3)).count(Body::kEpochAck), std::size_t(1));
    QCOMPARE(rig.epoch(rig.view(2)).count(Body::kEpochAck), std::size_t(0));
    QCOMPARE(rig.data().view().epoch(), 3u);
}

void TestDataLimits::silentClientsAreForgotten()
{
    DataRig rig;
    rig.put(1, "one");
    rig.driven.pass(50s);
    QCOMPARE(rig.data().results().size(), std::size_t(1));
    rig.driven.pass(30s);
    QCOMPARE(rig.data().results().size(), std::size_t(0));
    QCOMPARE(rig.ask({ .kind = pb::INSERT, .key = 1, .value = "late", .number = 1 }).sent.size(),
        std::size_t(0)); // but its old requests are still dropped
}

// ---- a further parity bucket

void TestDataLimits::contentsGoInBlocksWhileChangesGoOn()
{
    DataRig::Options options;
    options.init = { 1 };
    DataRig rig(options);
    for (std::uint64_t c = 0; c < 24; ++c)
        rig.put(c, makeValue(1, Key(c), 1, 60000));
    pb::Message ask = Peer(DataRig::kParity + 1).message();
    ask.mutable_send_contents()->set_column(1);
    ask.mutable_send_contents()->set_epoch(1);
    ask.mutable_send_contents()->set_incarnation(501);
    Step step = rig.driven.message(ask);
    QVERIFY(step.acknowledges(ask));
    QCOMPARE(rig.driven.message(ask).count(Body::kContents), std::size_t(0)); // a copy does not start it twice
    std::uint32_t expectedFirst = 1;
    std::set<std::uint64_t> keys;
    std::size_t later = 0; // after the last block, changes travel only as Deltas
    std::deque<std::pair<pb::Message, Sequence>> underWay; // with the sequence number at the time of sending
    const auto look = [&] {
        for (const Step::Sent& sent : step.of(Body::kContents, DataRig::kParity + 1))
            underWay.emplace_back(sent.message, rig.data().link().sequence());
    };
    look();
    QCOMPARE(underWay.size(), std::size_t(kBlocksUnderWay));
    for (std::uint32_t block = 0;; ++block) {
        QVERIFY(!underWay.empty() && underWay.size() <= kBlocksUnderWay);
        const auto [message, sequence] = underWay.front();
        const pb::Contents contents = message.contents();
        QCOMPARE(contents.block(), block);
        QCOMPARE(contents.snap(), sequence);
        QCOMPARE(contents.rank_first(), expectedFirst);
        QCOMPARE(contents.asker(), 501u);
        for (const BlockEntry& entry : entriesOf(contents.records())) {
            if (!entry.isOfRequests()) {
                keys.insert(entry.key.value);
                QVERIFY(entry.rank.value >= contents.rank_first() && entry.rank.value <= contents.rank_last());
            }
        }
        if (contents.is_last()) {
            QCOMPARE(contents.rank_last(), ~0u);
            QVERIFY(block > kBlocksUnderWay);
            break;
        }
        expectedFirst = contents.rank_last() + 1;
        later += underWay.back().first.contents().is_last() ? 1 : 0;
        // Changes go on meanwhile. They are sent to the new one too, but answered without it.
        QCOMPARE(rig.insert(100 + block, "meanwhile").count(Body::kDelta), std::size_t(2));
        QCOMPARE(rig.deltaAck(0, rig.data().link().sequence()).count(Body::kReply), std::size_t(1));
        step = rig.ack(message, DataRig::kParity + 1);
        underWay.pop_front();
        look();
    }
    QCOMPARE(keys.size() + later, std::size_t(rig.data().store().count()));
    QCOMPARE(rig.data().state(), pb::UP);
}

void TestDataLimits::contentsAreSentOnlyToWhoIsInTheView()
{
    DataRig::Options options;
    options.init = { 1 };
    DataRig rig(options);
    for (std::uint64_t c = 0; c < 3; ++c)
        rig.put(c, "v");
    const auto ask = [&](std::uint64_t epoch, std::uint64_t incarnation, std::uint32_t column) {
        pb::Message message = Peer(DataRig::kParity + 1).message();
        message.mutable_send_contents()->set_column(column);
        message.mutable_send_contents()->set_epoch(epoch);
        message.mutable_send_contents()->set_incarnation(incarnation);
        return rig.driven.message(message);
    };
    QCOMPARE(ask(2, 501, 1).sent.size(), std::size_t(0)); // our epoch is on its way: the request is repeated
    QCOMPARE(ask(1, 499, 1).count(Body::kContents), std::size_t(0));
    QCOMPARE(ask(1, 501, 4).count(Body::kContents), std::size_t(0));
    QCOMPARE(ask(1, 501, 1).count(Body::kContents), std::size_t(1));
    rig.options.k = 1; // the new parity bucket is given up
    rig.options.init.clear();
    rig.epoch(rig.view(2));
    QCOMPARE(rig.driven.pass(5s).count(Body::kContents), std::size_t(0));
    QCOMPARE(rig.insert(50, "x").count(Body::kDelta), std::size_t(1));
}

QTEST_APPLESS_MAIN(TestDataLimits)
#include "tst_data_limits.moc"
