// SPDX-License-Identifier: GPL-3.0-or-later
// The data bucket machine alone: key operations, their Deltas, exactly once, forwarding. Limits, slow parity buckets
// and epochs are in tst_data_limits.cpp, splits in tst_data_split.cpp.
#include "common/lhrs/linear_hash.h"
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

pb::Delta deltaOf(const Step& step, std::uint32_t p = 0)
{
    const auto deltas = step.of(Body::kDelta, DataRig::kParity + p);
    return deltas.empty() ? pb::Delta() : deltas.front().message.delta();
}

} // namespace

class TestDataBucket : public QObject {
    Q_OBJECT

private slots:
    void aChangeGoesToAllParityBucketsAndIsAnsweredAfterAll_data();
    void aChangeGoesToAllParityBucketsAndIsAnsweredAfterAll();
    void aDeltaSaysTheChange();
    void theDeltaIsOldXorNew_data();
    void theDeltaIsOldXorNew();
    void changesUnderWayAreAnsweredInTurnByCumulativeAcknowledgements();
    void acknowledgementsOfOthersCountForNothing();
    void anOperationWithoutEffectIsAChangeOfNothing();

    void aSearchWaitsForAChangeUnderWay();
    void existsAndNotFoundAreReads();
    void aReadThatWaitsIsAnsweredOnceHoweverOftenItComes();

    void aRepeatGetsTheStoredResult();
    void aRepeatOfOneInWorkIsDropped();
    void aRepeatOfAResultWithoutEffectStaysWithoutEffect();
    void whatTheClientLetGoIsDropped();
    void anUnknownClientsNumbersMayStartAnywhere();

    void aRankIsFreeOnlyWhenAllParityKnows();

    void aRequestForAnotherBucketOrIncarnationIsDisplaced();
    void aSpareIsNoBucket();
    void aKeyOfElsewhereIsForwarded();
    void whereTheOtherBucketIsIsAskedOnce();
    void theAnswerToAForwardedRequestNamesTheLastForwarder();
    void theAddressMayBeThatOfTheMixedKey();
    void eventsOfOperationsAreMadeForWhoeverGetsThem();
    void aSpareBelievesTheLaterRecoveryOnly();
    void aSliceWithARankThatCannotBeIsRefused();
};

void TestDataBucket::aChangeGoesToAllParityBucketsAndIsAnsweredAfterAll_data()
{
    QTest::addColumn<quint32>("k");
    QTest::addColumn<int>("kind");
    for (quint32 k = 0; k <= 3; ++k)
        for (const auto& [kind, name] :
            { std::pair { pb::INSERT, "insert" }, { pb::UPDATE, "update" }, { pb::DELETE, "delete" } })
            QTest::addRow("%s, k = %u", name, k) << k << int(kind);
}

void TestDataBucket::aChangeGoesToAllParityBucketsAndIsAnsweredAfterAll()
{
    QFETCH(quint32, k);
    QFETCH(int, kind);
    std::vector<std::uint32_t> order(k);
    for (std::uint32_t p = 0; p < k; ++p)
        order[p] = p;
    do {
        DataRig rig(withParity(k));
        if (kind != pb::INSERT)
            rig.put(7, "seven");
        Step step = rig.ask({ .kind = pb::OperationKind(kind), .key = 7, .value = "new" });
        QCOMPARE(step.count(Body::kDelta), std::size_t(k));
        for (std::uint32_t p = 0; p < k; ++p)
            QCOMPARE(step.count(Body::kDelta, DataRig::kParity + p), std::size_t(1));
        const Sequence sequence = rig.data().link().sequence();
        for (const std::uint32_t p : order) {
            QCOMPARE(step.count(Body::kReply), std::size_t(0));
            QCOMPARE(step.count(Happened::kChangeAcknowledged), std::size_t(0));
            step = rig.deltaAck(p, sequence);
        }
        QCOMPARE(replyOf(step).result(), pb::OK);
        QCOMPARE(step.of(Body::kReply).at(0).to, DataRig::kClient);
        QCOMPARE(replyOf(step).request().number(), rig.lastNumber);
        QCOMPARE(step.count(Happened::kChangeAcknowledged), std::size_t(1));
        for (const std::uint32_t p : order)
            QCOMPARE(rig.deltaAck(p, sequence).sent.size(), std::size_t(0)); // a copy
        const Step found = rig.search(7);
        QCOMPARE(replyOf(found).result(), kind == pb::DELETE ? pb::NOT_FOUND : pb::OK);
        QCOMPARE(replyOf(found).value(), kind == pb::DELETE ? "" : "new");
        QCOMPARE(found.count(Body::kDelta), std::size_t(0)); // a search touches no parity bucket
    } while (std::next_permutation(order.begin(), order.end()));
}

void TestDataBucket::aDeltaSaysTheChange()
{
    DataRig::Options options = withParity(2);
    options.bucket = 6; // group 1, position 2
    options.level = 3;
    DataRig rig(options);
    rig.put(6, "first");
    const Step step = rig.ask({ .kind = pb::UPDATE, .key = 6, .value = "f", .number = 12, .doneBelow = 5 });
    const pb::Delta delta = deltaOf(step, 1);
    QCOMPARE(delta.group(), 1u);
    QCOMPARE(delta.position(), 2u);
    QCOMPARE(delta.incarnation(), DataRig::kIncarnation);
    QCOMPARE(delta.epoch(), 1u);
    QCOMPARE(delta.sequence(), 2u);
    QCOMPARE(delta.stable(), 1u);
    QCOMPARE(delta.kind(), pb::CHANGE_UPDATE);
    QCOMPARE(delta.rank(), 1u);
    QCOMPARE(delta.key(), 6u);
    QCOMPARE(delta.length(), 1u);
    QCOMPARE(delta.request().number(), 12u);
    QCOMPARE(delta.request().client(), DataRig::kClient);
    QCOMPARE(delta.done_below(), 5u);
    const pb::RecordUpdated event = step.of(Happened::kRecordUpdated).at(0).record_updated();
    QCOMPARE(event.sequence(), 2u);
    QCOMPARE(step.events.at(0).operation().number(), 12u);
    QCOMPARE(step.events.at(0).place().number(), 6u);
}

void TestDataBucket::theDeltaIsOldXorNew_data()
{
    QTest::addColumn<quint32>("before");
    QTest::addColumn<quint32>("after");
    for (const quint32 before : { 0u, 1u, 2u, 33u, 65535u })
        for (const quint32 after : { 0u, 1u, 2u, 99u, 65535u })
            QTest::addRow("%u to %u bytes", before, after) << before << after;
}

void TestDataBucket::theDeltaIsOldXorNew()
{
    QFETCH(quint32, before);
    QFETCH(quint32, after);
    DataRig rig;
    const std::string old = makeValue(1, Key(1), 1, before);
    const std::string now = makeValue(1, Key(1), 2, after);
    pb::Delta delta = deltaOf(rig.insert(1, old));
    QVERIFY(delta.delta() == old); // an insert changes a zero record
    QCOMPARE(delta.length(), before);
    rig.allAcked();
    QVERIFY(replyOf(rig.search(1)).value() == old);
    delta = deltaOf(rig.update(1, now));
    QVERIFY(delta.delta() == difference(old, now));
    QCOMPARE(delta.length(), after);
    rig.allAcked();
    QVERIFY(replyOf(rig.search(1)).value() == now); // an empty value is a valid value
    QCOMPARE(replyOf(rig.search(1)).result(), pb::OK);
    delta = deltaOf(rig.erase(1));
    QVERIFY(delta.delta() == now);
    QCOMPARE(delta.length(), 0u);
    rig.allAcked();
    QCOMPARE(replyOf(rig.search(1)).result(), pb::NOT_FOUND);
}

void TestDataBucket::changesUnderWayAreAnsweredInTurnByCumulativeAcknowledgements()
{
    DataRig rig;
    for (std::uint64_t c = 1; c <= 4; ++c)
        rig.insert(c, "v");
    QCOMPARE(rig.deltaAck(0, 4).count(Body::kReply), std::size_t(0));
    Step step = rig.deltaAck(1, 2);
    QCOMPARE(step.count(Body::kReply), std::size_t(2));
    QCOMPARE(step.of(Body::kReply)[0].message.reply().request().number(), 1u);
    QCOMPARE(step.of(Body::kReply)[1].message.reply().request().number(), 2u);
    QCOMPARE(rig.deltaAck(1, 1).count(Body::kReply), std::size_t(0)); // an older acknowledgement arrives late
    step = rig.deltaAck(1, 4);
    QCOMPARE(step.count(Body::kReply), std::size_t(2));
    QCOMPARE(deltaOf(rig.insert(9, "v")).stable(), 4u);
}

void TestDataBucket::acknowledgementsOfOthersCountForNothing()
{
    DataRig rig(withParity(1));
    rig.insert(1, "v");
    QCOMPARE(rig.deltaAck(0, 1, 76).count(Body::kReply), std::size_t(0)); // of our predecessor's changes
    QCOMPARE(rig.deltaAck(0, 1, DataRig::kIncarnation, 499).count(Body::kReply),
        std::size_t(0)); // from a withdrawn parity bucket
    QCOMPARE(rig.deltaAck(0, 2).count(Body::kReply), std::size_t(0)); // for a change that was never sent
    QCOMPARE(rig.deltaAck(7, 1).count(Body::kReply), std::size_t(0)); // from a column that does not exist
    QCOMPARE(rig.deltaAck(0, 1).count(Body::kReply), std::size_t(1));
}

void TestDataBucket::anOperationWithoutEffectIsAChangeOfNothing()
{
    DataRig rig;
    rig.put(1, "one");
    Sequence sequence = 1;
    for (const auto& [ask, result] :
        { std::pair { DataRig::Ask { .kind = pb::INSERT, .key = 1, .value = "other" }, pb::EXISTS },
            { DataRig::Ask { .kind = pb::UPDATE, .key = 2, .value = "x" }, pb::NOT_FOUND },
            { DataRig::Ask { .kind = pb::DELETE, .key = 2 }, pb::NOT_FOUND } }) {
        Step step = rig.ask(ask);
        const pb::Delta delta = deltaOf(step, 0);
        QCOMPARE(delta.kind(), pb::CHANGE_NOTHING);
        QCOMPARE(delta.result(), result);
        QCOMPARE(delta.sequence(), ++sequence);
        QCOMPARE(delta.request().number(), rig.lastNumber);
        QCOMPARE(delta.delta(), "");
        QCOMPARE(step.of(Happened::kResultKept).at(0).result_kept().sequence(), sequence);
        QCOMPARE(step.count(Body::kReply), std::size_t(0));
        QCOMPARE(rig.deltaAck(0, sequence).count(Body::kReply), std::size_t(0));
        step = rig.deltaAck(1, sequence);
        QCOMPARE(replyOf(step).result(), result);
        QCOMPARE(replyOf(step).value(), "");
    }
    const Step found = rig.search(2); // a search has no Delta
    QCOMPARE(found.count(Body::kDelta), std::size_t(0));
    QCOMPARE(replyOf(found).result(), pb::NOT_FOUND);
    QCOMPARE(replyOf(rig.search(1)).value(), "one");
    QCOMPARE(rig.data().link().sequence(), sequence);
    QCOMPARE(rig.data().store().count(), 1u);
}

// ---- reads

void TestDataBucket::aSearchWaitsForAChangeUnderWay()
{
    DataRig rig;
    rig.put(1, "one");
    rig.put(2, "two");
    rig.update(1, "uno"); // sequence 3
    QCOMPARE(rig.search(1).count(Body::kReply), std::size_t(0));
    QCOMPARE(replyOf(rig.search(2)).value(), "two"); // another key does not wait
    rig.erase(2); // sequence 4
    QCOMPARE(rig.search(2).count(Body::kReply), std::size_t(0));
    QCOMPARE(rig.data().held(), 2u);
    QCOMPARE(rig.deltaAck(0, 4).count(Body::kReply), std::size_t(0));
    Step step = rig.deltaAck(1, 3);
    QCOMPARE(step.count(Body::kReply), std::size_t(2)); // of the update, and of the search that waited for it
    QCOMPARE(step.of(Body::kReply)[1].message.reply().value(), "uno");
    step = rig.deltaAck(1, 4);
    QCOMPARE(step.count(Body::kReply), std::size_t(2));
    QCOMPARE(step.of(Body::kReply)[1].message.reply().result(), pb::NOT_FOUND);
    QCOMPARE(rig.data().held(), 0u);
}

void TestDataBucket::existsAndNotFoundAreReads()
{
    // H5: they reveal the bucket's contents, so they wait for the changes on which they depend.
    DataRig rig(withParity(1));
    rig.insert(1, "one");
    QCOMPARE(rig.insert(1, "other").count(Body::kReply), std::size_t(0));
    QCOMPARE(rig.deltaAck(0, 1).count(Body::kReply), std::size_t(1));
    QCOMPARE(replyOf(rig.deltaAck(0, 2)).result(), pb::EXISTS);
    rig.erase(1);
    QCOMPARE(rig.update(1, "x").count(Body::kReply), std::size_t(0));
    QCOMPARE(rig.erase(1).count(Body::kReply), std::size_t(0));
    const Step step = rig.deltaAck(0, 5);
    QCOMPARE(step.count(Body::kReply), std::size_t(3));
    QCOMPARE(step.of(Body::kReply)[1].message.reply().result(), pb::NOT_FOUND);
    QCOMPARE(step.of(Body::kReply)[2].message.reply().result(), pb::NOT_FOUND);
}

void TestDataBucket::aReadThatWaitsIsAnsweredOnceHoweverOftenItComes()
{
    DataRig rig(withParity(1));
    rig.insert(1, "one");
    for (int copy = 0; copy < 3; ++copy) {
        rig.ask({ .kind = pb::SEARCH, .key = 1, .number = 50 });
        rig.ask({ .kind = pb::INSERT, .key = 1, .value = "x", .number = 51 });
    }
    QCOMPARE(rig.deltaAck(0, 2).count(Body::kReply), std::size_t(3));
}

// ---- exactly once

void TestDataBucket::aRepeatGetsTheStoredResult()
{
    DataRig rig;
    const DataRig::Ask insert { .kind = pb::INSERT, .key = 1, .value = "one", .number = 1 };
    const DataRig::Ask update { .kind = pb::UPDATE, .key = 1, .value = "two", .number = 2 };
    const DataRig::Ask erase { .kind = pb::DELETE, .key = 1, .number = 3 };
    for (const DataRig::Ask& ask : { insert, update, erase }) {
        rig.ask(ask);
        rig.allAcked();
    }
    for (int round = 0; round < 2; ++round) {
        for (const DataRig::Ask& ask : { erase, insert, update }) {
            const Step step = rig.ask(ask);
            QCOMPARE(replyOf(step).result(), pb::OK);
            QCOMPARE(replyOf(step).request().number(), ask.number);
            QCOMPARE(step.count(Body::kDelta), std::size_t(0));
        }
    }
    QCOMPARE(rig.data().store().count(), 0u);
    QCOMPARE(rig.data().link().sequence(), Sequence(3));
}

void TestDataBucket::aRepeatOfOneInWorkIsDropped()
{
    DataRig rig;
    const DataRig::Ask insert { .kind = pb::INSERT, .key = 1, .value = "one", .number = 1 };
    rig.ask(insert);
    for (int copy = 0; copy < 3; ++copy)
        QCOMPARE(rig.ask(insert).sent.size(), std::size_t(0));
    QCOMPARE(rig.allAcked().count(Body::kReply), std::size_t(1));
    QCOMPARE(rig.data().link().sequence(), Sequence(1));
}

void TestDataBucket::aRepeatOfAResultWithoutEffectStaysWithoutEffect()
{
    DataRig rig;
    const DataRig::Ask update { .kind = pb::UPDATE, .key = 1, .value = "late", .number = 50 };
    rig.ask(update);
    QCOMPARE(rig.ask(update).sent.size(), std::size_t(0)); // it is in work
    QCOMPARE(replyOf(rig.allAcked()).result(), pb::NOT_FOUND);
    rig.put(1, "one");
    // A late copy: its client was told NOT_FOUND and may have inserted the key since.
    QCOMPARE(replyOf(rig.ask(update)).result(), pb::NOT_FOUND);
    QCOMPARE(replyOf(rig.search(1)).value(), "one");
}

void TestDataBucket::whatTheClientLetGoIsDropped()
{
    DataRig rig;
    const DataRig::Ask insert { .kind = pb::INSERT, .key = 1, .value = "one", .number = 1 };
    rig.ask(insert);
    rig.allAcked();
    rig.ask({ .kind = pb::DELETE, .key = 1, .number = 2, .doneBelow = 2 });
    rig.allAcked();
    QCOMPARE(rig.ask(insert).sent.size(), std::size_t(0)); // minutes late
    QCOMPARE(rig.data().store().count(), 0u);
    QCOMPARE(rig.data().results().size(), std::size_t(1));
    // Another client's number 1 is another request.
    QCOMPARE(rig.ask({ .kind = pb::INSERT, .key = 1, .value = "b", .number = 1, .client = 1001 }).count(Body::kDelta),
        std::size_t(2));
}

void TestDataBucket::anUnknownClientsNumbersMayStartAnywhere()
{
    DataRig rig;
    QCOMPARE(
        rig.ask({ .kind = pb::INSERT, .key = 1, .value = "a", .number = 900, .doneBelow = 899 }).count(Body::kDelta),
        std::size_t(2));
    QCOMPARE(
        rig.ask({ .kind = pb::INSERT, .key = 2, .value = "a", .number = 899, .doneBelow = 899 }).count(Body::kDelta),
        std::size_t(2));
    QCOMPARE(
        rig.ask({ .kind = pb::INSERT, .key = 3, .value = "a", .number = 898, .doneBelow = 890 }).count(Body::kDelta),
        std::size_t(0));
}

// ---- ranks

void TestDataBucket::aRankIsFreeOnlyWhenAllParityKnows()
{
    // H14: a delete, then an insert that would take the rank, while one parity bucket is late.
    DataRig rig;
    rig.put(1, "one");
    rig.erase(1);
    rig.deltaAck(0, 2);
    QCOMPARE(deltaOf(rig.insert(2, "two")).rank(), 2u);
    rig.deltaAck(1, 2);
    QCOMPARE(deltaOf(rig.insert(3, "three")).rank(), 1u);
    QCOMPARE(rig.data().store().rankMax(), Rank(2));
}

// ---- addresses

void TestDataBucket::aRequestForAnotherBucketOrIncarnationIsDisplaced()
{
    DataRig rig;
    Step step = rig.ask({ .kind = pb::INSERT, .key = 1, .value = "x", .number = 4, .target = 3 });
    QCOMPARE(step.count(Body::kReply) + step.count(Body::kDelta), std::size_t(0));
    const pb::Displaced displaced = step.of(Body::kDisplaced, DataRig::kClient).at(0).message.displaced();
    QCOMPARE(displaced.bucket(), 3u);
    QCOMPARE(displaced.request().number(), 4u);
    step = rig.ask({ .kind = pb::SEARCH, .key = 1, .incarnation = 76 });
    QCOMPARE(step.of(Body::kDisplaced).at(0).message.displaced().incarnation(), 76u);
    QCOMPARE(rig.data().store().count(), 0u);
    QCOMPARE(rig.ask({ .kind = pb::SEARCH, .key = 1, .incarnation = 0 }).count(Body::kReply),
        std::size_t(1)); // the sender does not know this bucket
}

void TestDataBucket::aSpareIsNoBucket()
{
    NodeRig spare(pb::DATA);
    Peer client(NodeRig::kClient);
    for (const pb::OperationKind kind : { pb::INSERT, pb::UPDATE, pb::DELETE, pb::SEARCH }) {
        const Step step = spare.driven.message(DataRig::requestOf(client, { .kind = kind, .key = 1, .number = 1 }, 0));
        QCOMPARE(step.count(Body::kDisplaced, NodeRig::kClient), std::size_t(1));
    }
}

void TestDataBucket::aKeyOfElsewhereIsForwarded()
{
    DataRig::Options options;
    options.bucket = 1;
    options.level = 3;
    options.table = { { 5, holderOf(15, 205) }, { 3, holderOf(13, 203) } };
    DataRig rig(options);
    // h_3(13) = 5, h_2(13) = 1, so it goes to 5; h_3(7) = 7, h_2(7) = 3: to 3, never to a bucket that does not exist.
    Step step = rig.ask({ .kind = pb::UPDATE, .key = 13, .value = "v", .number = 8, .doneBelow = 7 });
    QCOMPARE(step.sent.size(), std::size_t(1));
    const auto passed = step.of(Body::kUpdate, 15);
    QCOMPARE(passed.size(), std::size_t(1));
    const pb::KeyRequest request = passed[0].message.update();
    QCOMPARE(request.target(), 5u);
    QCOMPARE(request.incarnation(), 205u);
    QCOMPARE(request.forwards(), 1u);
    QCOMPARE(request.forwarder(), 1u);
    QCOMPARE(request.forwarder_level(), 3u);
    QCOMPARE(request.request().number(), 8u);
    QCOMPARE(request.done_below(), 7u);
    QCOMPARE(request.value(), "v");
    QCOMPARE(request.client().ip(), std::uint32_t(DataRig::kClient));
    QCOMPARE(step.of(Happened::kOperationForwarded).at(0).operation_forwarded().to(), 5u);
    step = rig.ask({ .kind = pb::SEARCH, .key = 7, .forwards = 1, .forwarder = 0, .forwarderLevel = 3 });
    QCOMPARE(step.of(Body::kSearch, 13).at(0).message.search().forwards(), 2u);
    QCOMPARE(step.of(Body::kSearch, 13).at(0).message.search().forwarder(), 1u); // the last forwarder
    QCOMPARE(rig.insert(9, "mine").count(Body::kDelta), std::size_t(2));
}

void TestDataBucket::whereTheOtherBucketIsIsAskedOnce()
{
    DataRig::Options options;
    options.level = 1;
    DataRig rig(options);
    Step step = rig.insert(1, "one");
    QCOMPARE(step.of(Body::kWhereIs, DataRig::kCoordinator).at(0).message.where_is().bucket(), 1u);
    QCOMPARE(rig.search(3).count(Body::kWhereIs), std::size_t(0)); // already asked
    QCOMPARE(rig.ask({ .kind = pb::INSERT, .key = 1, .value = "one", .number = 1 }).sent.size(),
        std::size_t(0)); // a copy waits once
    QCOMPARE(rig.driven.pass(150ms).count(Body::kWhereIs), std::size_t(1)); // no answer
    pb::Message answer = rig.coordinator.message();
    answer.mutable_location()->set_bucket(1);
    rig.driven.message(answer); // the bucket does not exist yet
    QVERIFY(rig.driven.pass(600ms).count(Body::kWhereIs) >= 1);
    answer = rig.coordinator.message();
    answer.mutable_location()->set_bucket(1);
    answer.mutable_location()->set_exists(true);
    answer.mutable_location()->mutable_file()->set_i(1);
    holderOf(11, 201).to(*answer.mutable_location()->mutable_holder());
    step = rig.driven.message(answer);
    QCOMPARE(step.count(Body::kInsert, 11), std::size_t(1));
    QCOMPARE(step.count(Body::kSearch, 11), std::size_t(1));
    QCOMPARE(rig.search(5).count(Body::kSearch, 11), std::size_t(1)); // known from now on
    QCOMPARE(rig.driven.pass(2s).count(Body::kWhereIs), std::size_t(0));
    QCOMPARE(rig.data().held(), 0u);
}

void TestDataBucket::theAnswerToAForwardedRequestNamesTheLastForwarder()
{
    DataRig::Options options;
    options.bucket = 3;
    options.level = 2;
    DataRig rig(options);
    const auto check = [](const Step& step, pb::ResultCode result) {
        const pb::Reply reply = replyOf(step);
        QCOMPARE(reply.result(), result);
        QVERIFY(reply.image_adjustment());
        QCOMPARE(reply.iam_bucket(), 1u);
        QCOMPARE(reply.iam_level(), 2u);
        QCOMPARE(reply.forwards(), 2u);
        QCOMPARE(reply.bucket(), 3u);
        QCOMPARE(reply.holder().incarnation(), DataRig::kIncarnation);
        QCOMPARE(reply.holder().address().ip(), std::uint32_t(DataRig::kSelf));
    };
    const auto forwarded = [](pb::OperationKind kind) {
        return DataRig::Ask {
            .kind = kind, .key = 7, .value = "v", .forwards = 2, .forwarder = 1, .forwarderLevel = 2
        };
    };
    check(rig.ask(forwarded(pb::SEARCH)), pb::NOT_FOUND);
    rig.ask(forwarded(pb::INSERT));
    check(rig.allAcked(), pb::OK);
    rig.ask(forwarded(pb::INSERT));
    check(rig.allAcked(), pb::EXISTS);
    check(rig.ask(forwarded(pb::SEARCH)), pb::OK);
    QVERIFY(!replyOf(rig.search(7)).image_adjustment()); // only after a forward
}

void TestDataBucket::theAddressMayBeThatOfTheMixedKey()
{
    DataRig::Options options;
    options.level = 1;
    options.config.set_mix_keys(true);
    options.table = { { 1, holderOf(11, 201) } };
    DataRig rig(options);
    int here = 0;
    for (std::uint64_t c = 0; c < 64; ++c) {
        const bool isHere = mix64(Key(c * 2)).value % 2 == 0; // all these keys are even
        here += isHere ? 1 : 0;
        QCOMPARE(rig.search(c * 2).count(Body::kReply), std::size_t(isHere));
    }
    QVERIFY(here > 16 && here < 48);
}

void TestDataBucket::eventsOfOperationsAreMadeForWhoeverGetsThem()
{
    DataRig rig(withParity(0));
    const auto told = [&rig](std::uint64_t number) {
        const Step step = rig.ask({ .kind = pb::INSERT, .key = 100 + number, .value = "a", .number = number });
        return step.count(Happened::kRecordInserted) + step.count(Happened::kChangeAcknowledged);
    };
    QCOMPARE(told(1), std::size_t(2));
    rig.driven.tellOperations(0);
    QCOMPARE(told(2), std::size_t(0));
    QCOMPARE(rig.search(102).count(Happened::kRecordRead), std::size_t(0));
    rig.driven.tellOperations(3);
    QCOMPARE(told(5), std::size_t(0));
    QCOMPARE(told(6), std::size_t(2));
    rig.driven.tellOperations(1);
    QCOMPARE(told(7), std::size_t(2));
    QCOMPARE(rig.data().store().count(), 5u); // changes without events take effect as well
}

void TestDataBucket::aSpareBelievesTheLaterRecoveryOnly()
{
    // I13: a manager that starts over sends everything again; earlier slices belong to another cut.
    DataRig::Options options;
    options.state = pb::RECOVERING;
    DataRig rig(options);
    const auto slice = [&](std::uint64_t recovery, std::uint32_t number, bool isLast,
                           const std::vector<BlockEntry>& entries, Sequence cut,
                           std::uint64_t manager = DataRig::kParity) {
        pb::Message message = Peer(manager).message();
        auto* sent = message.mutable_spare_slice();
        sent->set_recovery(recovery);
        sent->set_number(number);
        sent->set_is_last(isLast);
        sent->set_records(blockOf(entries));
        sent->set_cut(cut);
        rig.driven.message(message);
    };
    const auto record = [](std::uint64_t key, std::uint32_t rank, std::string_view value, Sequence version) {
        return BlockEntry { .kind = BlockEntry::Kind::Insert,
            .key = Key(key),
            .rank = Rank(rank),
            .length = std::uint32_t(value.size()),
            .version = version,
            .bytes = value };
    };
    const auto result = [](std::uint64_t number) {
        return BlockEntry::ofResult(Key(1), DataRig::kClient, number, std::uint8_t(pb::OK));
    };
    slice(7, 0, false, { record(1, 1, "old", 1), record(2, 2, "of nobody", 2), result(4) }, 2);
    slice(8, 0, true, { record(1, 1, "new", 3), result(5) }, 3);
    slice(7, 1, true, { record(3, 3, "late", 1) }, 2);
    slice(9, 0, true, { record(4, 4, "of a manager that is none any more", 1) }, 4, DataRig::kParity + 7);
    QCOMPARE(rig.data().store().count(), 1u);
    QCOMPARE(std::string(rig.data().store().at(Rank(1)).value), std::string("new"));
    QCOMPARE(rig.data().results().size(), std::size_t(1));
    QCOMPARE(rig.data().link().sequence(), Sequence(3));
}

void TestDataBucket::aSliceWithARankThatCannotBeIsRefused()
{
    // Memory grows with the highest rank.
    DataRig::Options options;
    options.state = pb::RECOVERING;
    DataRig rig(options);
    for (const std::uint32_t rank : { 0u, 0xFFFF'FFF0u, rankLimit(options.config).value + 1 }) {
        pb::Message message = Peer(DataRig::kParity).message();
        auto* sent = message.mutable_spare_slice();
        sent->set_recovery(7);
        sent->set_records(blockOf({ { .kind = BlockEntry::Kind::Insert,
            .key = Key(1),
            .rank = Rank(rank),
            .length = 1,
            .version = 1,
            .bytes = "a" } }));
        QCOMPARE(rig.driven.message(message).count(Body::kAck), std::size_t(0));
        QCOMPARE(rig.data().store().rankMax(), Rank());
    }
}

QTEST_APPLESS_MAIN(TestDataBucket)
#include "tst_data_bucket.moc"
