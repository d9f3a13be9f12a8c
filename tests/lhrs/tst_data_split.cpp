// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of a split at the data buckets.
#include "tests/lhrs/split_rigs.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class TestDataSplit : public QObject {
    Q_OBJECT

private slots:
    void theSourceStartsWhenAllItsDeltasAreAcknowledged();
    void theSourceHoldsChangesAndAnswersSearches();
    void leaversTravelInBlocksOfWhichAFewAreUnderWay();
    void theBatchGoesToAllParityBucketsAndPreparedIsSaidLast();
    void withoutParityOnlyTheTargetHasToKnow();
    void staysAndLeaversAfterTheCommit_data();
    void staysAndLeaversAfterTheCommit();
    void whereRecordsAreNotToldTheyAreCounted();
    void afterTheCommitLeaversAreForwardedAndOwnChangesWaitForParity();
    void anAbortChangesNothingButTheSequence();
    void anAbortBeforeTheStartCostsNothing();
    void anOverloadIsCheckedAtTheFinishAndNotReportedTwiceByAnAbort();
    void theNextSplitWaitsUntilThisOneIsDoneHereToo();
    void lateCopiesOfOrdersAreHarmless();
    void ordersForAFormerHolderOfThePlaceAreHarmless();
    void resultsAndWhatClientsLetGoTravelWithTheLeavers();
    void afterAMergeWhatWasParkedGoesTheWayOfTheNewLevel();
    void aLateBlockOfAMergeIsAcknowledgedAndTakenOnce();

    void theTargetQueuesEverythingUntilTheCommit();
    void theTargetGivesRanksInTheOrderOfArrival();
    void theTargetTakesBlocksInOrderOnceAndOnlyWellFormed();
    void theTargetKnowsOldRequests();
    void theTargetsQueueIsBounded();
    void theTargetOfAnUndoneSplitIsASpareAgain();
};

// ---- the source

void TestDataSplit::theSourceStartsWhenAllItsDeltasAreAcknowledged()
{
    SourceRig rig(4);
    rig.insert(4, "under way");
    Step step = rig.order();
    QCOMPARE(rig.data().state(), pb::SPLITTING);
    QCOMPARE(step.count(Body::kAck, DataRig::kCoordinator), std::size_t(1));
    QCOMPARE(step.count(Body::kMoveRecords) + step.count(Body::kPrepareBatch), std::size_t(0));
    QCOMPARE(rig.deltaAck(0, 5).count(Body::kMoveRecords), std::size_t(0));
    step = rig.deltaAck(1, 5);
    QCOMPARE(step.count(Body::kReply), std::size_t(1));
    QCOMPARE(step.count(Body::kMoveRecords, DataRig::kData + 1), std::size_t(1));
    QCOMPARE(step.count(Body::kPrepareBatch), std::size_t(2));
    QCOMPARE(step.of(Body::kMoveRecords)[0].way, Way::Stream);
}

void TestDataSplit::theSourceHoldsChangesAndAnswersSearches()
{
    SourceRig rig(6);
    rig.order();
    for (const std::uint64_t c : { 2u, 3u }) { // one record that stays, one that leaves
        QCOMPARE(replyOf(rig.search(c)).value(), rig.values[c]);
        QCOMPARE(rig.update(c, "held").sent.size(), std::size_t(0));
    }
    QCOMPARE(rig.insert(100, "held").sent.size(), std::size_t(0));
    QCOMPARE(replyOf(rig.search(3)).value(), rig.values[3]); // still the old value
    QCOMPARE(rig.data().held(), 3u);
    QCOMPARE(rig.ask({ .kind = pb::INSERT, .key = 100, .value = "held", .number = rig.lastNumber - 1 }).sent.size(),
        std::size_t(0));
    QCOMPARE(rig.data().held(), 3u); // a copy is held once
}

void TestDataSplit::leaversTravelInBlocksOfWhichAFewAreUnderWay()
{
    DataRig::Options options;
    options.k = 0;
    SourceRig rig(44, 50000, options);
    Step step = rig.order();
    std::map<std::uint64_t, std::string> moved;
    std::uint32_t block = 0;
    auto sent = step.of(Body::kMoveRecords);
    QCOMPARE(sent.size(), std::size_t(2)); // a few at a time; with each that arrives two, until enough are under way
    std::size_t mostUnderWay = 0;
    for (;; ++block) {
        const pb::MoveRecords move = sent.at(block).message.move_records();
        QCOMPARE(move.block(), block);
        QCOMPARE(move.target(), 1u);
        QCOMPARE(move.level(), 1u);
        QCOMPARE(move.split(), kSplit);
        QVERIFY(move.records().size() < 256 * 1024);
        for (const BlockEntry& entry : entriesOf(move.records())) {
            if (!entry.isOfRequests())
                moved[entry.key.value] = std::string(entry.bytes);
        }
        if (move.is_last())
            break;
        if (block == 0) {
            // No further block is sent before one is acknowledged.
            QCOMPARE(rig.driven.pass(500ms).count(Body::kMoveRecords), std::size_t(0));
            QCOMPARE(rig.driven.pass(600ms).count(Body::kMoveRecords), std::size_t(2)); // but they are retransmitted
        }
        for (const Step::Sent& next : rig.ack(sent[block].message, DataRig::kData + 1).of(Body::kMoveRecords))
            sent.push_back(next);
        mostUnderWay = std::max(mostUnderWay, sent.size() - block - 1);
        // A repeated acknowledgement.
        QCOMPARE(rig.ack(sent[block].message, DataRig::kData + 1).count(Body::kMoveRecords), std::size_t(0));
    }
    QCOMPARE(mostUnderWay, std::size_t(kBlocksUnderWay));
    QCOMPARE(moved.size(), std::size_t(22));
    for (const auto& [key, value] : moved)
        QVERIFY(key % 2 == 1 && value == rig.values[key]);
}

void TestDataSplit::theBatchGoesToAllParityBucketsAndPreparedIsSaidLast()
{
    SourceRig rig(44, 50000);
    Step step = rig.order();
    const auto blocks = step.of(Body::kPrepareBatch);
    QVERIFY(blocks.size() >= 4 && blocks.size() <= 2 * kBlocksUnderWay);
    QCOMPARE(blocks[0].message.prepare_batch().sequence(), 0u); // only the last block has the sequence number
    QCOMPARE(blocks[0].message.prepare_batch().level(), 1u);
    QCOMPARE(blocks[0].message.prepare_batch().changes(), blocks[1].message.prepare_batch().changes());
    // One parity bucket acknowledges all, the other nothing.
    std::vector<Step::Sent> open = step.sent, other;
    while (!open.empty()) {
        const Step::Sent sent = open.back();
        open.pop_back();
        if (sent.message.has_prepare_batch() && sent.to == DataRig::kParity + 1)
            other.push_back(sent);
        if ((sent.message.has_prepare_batch() && sent.to == DataRig::kParity) || sent.message.has_move_records()) {
            const Step next = rig.ack(sent.message, sent.to);
            open.insert(open.end(), next.sent.begin(), next.sent.end());
        }
    }
    QCOMPARE(other.size(), std::size_t(2 * kBlocksUnderWay - 1));
    for (const Step::Sent& sent : other)
        QVERIFY(!sent.message.prepare_batch().is_last());
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(rig.ack(other[0].message, DataRig::kParity + 1).count(Body::kPrepareBatch), std::size_t(2));

    SourceRig small(8);
    step = small.order();
    const auto batch = step.of(Body::kPrepareBatch);
    const auto move = step.of(Body::kMoveRecords);
    QVERIFY(batch[0].message.prepare_batch().is_last());
    QCOMPARE(batch[0].message.prepare_batch().sequence(), 9u);
    // 1, 3, 5, 7 leave (ranks 2, 4, 6, 8); 6 and 4 (ranks 7 and 5) take ranks 2 and 4.
    std::map<std::pair<int, std::uint32_t>, std::uint64_t> changes;
    for (const BlockEntry& entry : entriesOf(batch[0].message.prepare_batch().changes())) {
        changes[{ int(entry.kind), entry.rank.value }] = entry.key.value;
        QVERIFY(entry.bytes == small.values[entry.key.value]);
    }
    const int gone = int(BlockEntry::Kind::Delete), come = int(BlockEntry::Kind::Insert);
    QCOMPARE(changes,
        (std::map<std::pair<int, std::uint32_t>, std::uint64_t> { { { gone, 2 }, 1 }, { { gone, 4 }, 3 },
            { { gone, 6 }, 5 }, { { gone, 8 }, 7 }, { { gone, 5 }, 4 }, { { gone, 7 }, 6 }, { { come, 2 }, 6 },
            { { come, 4 }, 4 } }));
    QCOMPARE(small.ack(batch[0].message, DataRig::kParity).count(Body::kPrepared), std::size_t(0));
    QCOMPARE(small.ack(move[0].message, DataRig::kData + 1).count(Body::kPrepared), std::size_t(0));
    step = small.ack(batch[1].message, DataRig::kParity + 1);
    const auto prepared = step.of(Body::kPrepared, DataRig::kCoordinator);
    QCOMPARE(prepared.size(), std::size_t(1));
    QCOMPARE(prepared[0].message.prepared().moved(), 4u);
    QCOMPARE(prepared[0].message.prepared().bucket(), 0u);
    QCOMPARE(small.driven.pass(40ms).count(Body::kPrepared), std::size_t(1)); // until the coordinator has it
}

void TestDataSplit::withoutParityOnlyTheTargetHasToKnow()
{
    DataRig::Options options;
    options.k = 0;
    SourceRig rig(300, 2000, options);
    const Step step = rig.stageAll();
    QCOMPARE(step.count(Body::kPrepared), std::size_t(1));
    rig.commit();
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(rig.data().store().count(), 150u);
}

void TestDataSplit::staysAndLeaversAfterTheCommit_data()
{
    QTest::addColumn<int>("rerank");
    QTest::newRow("fill holes") << int(pb::FILL_HOLES);
    QTest::newRow("keep") << int(pb::KEEP);
}

void TestDataSplit::whereRecordsAreNotToldTheyAreCounted()
{
    SourceRig rig(9);
    rig.allAcked();
    rig.stageAll();
    rig.driven.tellOperations(0);
    const pb::SplitApplied event = rig.commit().of(Happened::kSplitApplied).at(0).split_applied();
    QCOMPARE(event.left_ranks_size() + event.from_ranks_size() + event.to_ranks_size(), 0);
    QCOMPARE(event.left(), 4u); // 1, 3, 5, 7
    QCOMPARE(event.moved(), 2u); // from ranks 7 and 9, as five stay
    QCOMPARE(rig.data().store().count(), event.count());
}

void TestDataSplit::staysAndLeaversAfterTheCommit()
{
    QFETCH(int, rerank);
    DataRig::Options options;
    options.config.set_rerank(pb::Rerank(rerank));
    SourceRig rig(9, 10, options);
    rig.erase(2); // a hole before the split: rank 3
    rig.allAcked();
    rig.stageAll();
    const Step step = rig.commit();
    const RecordStore& store = rig.data().store();
    QCOMPARE(rig.data().level(), 1u);
    QCOMPARE(store.count(), 4u); // 0, 4, 6, 8 at ranks 1, 5, 7, 9
    const pb::SplitApplied event = step.of(Happened::kSplitApplied).at(0).split_applied();
    QCOMPARE(event.left_ranks_size(), 4);
    QCOMPARE(event.left(), 4u);
    QCOMPARE(event.moved(), std::uint32_t(event.to_ranks_size()));
    QCOMPARE(event.count(), 4u);
    if (rerank == pb::FILL_HOLES) {
        QCOMPARE(store.rankMax(), Rank(4));
        QVERIFY(store.freeRanks().empty());
        QCOMPARE(event.from_ranks_size(), 3); // only those above the new count have moved
        QCOMPARE(store.find(Key(0)), Rank(1));
    } else {
        QCOMPARE(store.rankMax(), Rank(9));
        QCOMPARE(event.from_ranks_size(), 0);
        for (const std::uint64_t c : { 0u, 4u, 6u, 8u })
            QCOMPARE(store.find(Key(c)), Rank(std::uint32_t(c + 1)));
        std::vector<std::uint32_t> free = store.freeRanks();
        std::sort(free.begin(), free.end());
        QCOMPARE(free, (std::vector<std::uint32_t> { 2, 3, 4, 6, 8 }));
    }
    for (const std::uint64_t c : { 0u, 4u, 6u, 8u })
        QVERIFY(store.at(store.find(Key(c))).value == rig.values[c]);
}

void TestDataSplit::afterTheCommitLeaversAreForwardedAndOwnChangesWaitForParity()
{
    SourceRig rig(6);
    rig.order();
    rig.update(3, "held leaver");
    rig.update(2, "held stayer");
    rig.finishStaging(rig.driven.pass(1100ms)); // the blocks are retransmitted and acknowledged
    Step step = rig.commit();
    QCOMPARE(step.count(Body::kApplied, DataRig::kCoordinator), std::size_t(1));
    QCOMPARE(rig.data().state(), pb::SPLITTING); // until its parity buckets have the batch
    step = rig.search(3);
    QCOMPARE(step.of(Body::kSearch, DataRig::kData + 1).at(0).message.search().forwarder_level(), 1u);
    QCOMPARE(rig.search(4).count(Body::kReply), std::size_t(0)); // moved by the batch, which could still die with us
    QCOMPARE(replyOf(rig.search(0)).value(), rig.values[0]);
    QCOMPARE(rig.deltaAck(0, 7).count(Body::kDelta), std::size_t(0));
    step = rig.deltaAck(1, 7);
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(step.count(Body::kUpdate, DataRig::kData + 1), std::size_t(1));
    QCOMPARE(step.count(Body::kDelta), std::size_t(2));
    QCOMPARE(step.of(Body::kDelta)[0].message.delta().sequence(), 8u);
    QCOMPARE(step.count(Body::kReply), std::size_t(1)); // the search for 4
}

void TestDataSplit::anAbortChangesNothingButTheSequence()
{
    SourceRig rig(6);
    rig.order();
    rig.update(3, "held");
    Step step = rig.abort();
    QCOMPARE(step.count(Body::kApplied, DataRig::kCoordinator), std::size_t(1));
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(rig.data().level(), 0u);
    QCOMPARE(rig.data().store().count(), 6u);
    // The batch's number counts as an empty change and is not used again.
    QCOMPARE(step.of(Body::kDelta).at(0).message.delta().sequence(), 8u);
    step = rig.driven.pass(100ms);
    QVERIFY(step.count(Body::kPrepareBatch) >= 2);
    for (const Step::Sent& sent : step.of(Body::kPrepareBatch)) {
        QVERIFY(sent.message.prepare_batch().asks_only());
        QCOMPARE(sent.message.prepare_batch().sequence(), 7u);
    }
    QCOMPARE(step.count(Body::kMoveRecords), std::size_t(0));
    QCOMPARE(rig.deltaAck(0, 8).count(Body::kReply), std::size_t(0));
    QCOMPARE(rig.deltaAck(1, 8).count(Body::kReply), std::size_t(1));
    QCOMPARE(replyOf(rig.search(3)).value(), "held");
    // The next attempt starts from here.
    step = rig.order(kSplit + 1);
    QCOMPARE(step.of(Body::kPrepareBatch).at(0).message.prepare_batch().sequence(), 9u);
}

void TestDataSplit::anAbortBeforeTheStartCostsNothing()
{
    SourceRig rig(2);
    rig.insert(5, "under way");
    rig.order();
    rig.abort();
    rig.allAcked();
    QCOMPARE(rig.insert(6, "x").of(Body::kDelta).at(0).message.delta().sequence(), 4u);
    QCOMPARE(rig.order().count(Body::kMoveRecords), std::size_t(0)); // a late copy of the order
    QCOMPARE(rig.data().state(), pb::UP);
}

void TestDataSplit::anOverloadIsCheckedAtTheFinishAndNotReportedTwiceByAnAbort()
{
    DataRig::Options options;
    options.config.set_b(3);
    SourceRig rig(10, 10, options); // reported when the fourth came
    rig.order();
    QCOMPARE(rig.abort().count(Body::kOverload), std::size_t(0)); // the first report is still valid
    rig.allAcked();
    QCOMPARE(rig.insert(20, "x").count(Body::kOverload), std::size_t(0));
    rig.allAcked();
    rig.finishStaging(rig.order(kSplit + 1));
    QCOMPARE(rig.commit(kSplit + 1).count(Body::kOverload), std::size_t(0));
    QCOMPARE(rig.allAcked().count(Body::kOverload), std::size_t(0));
    const Step step = rig.finish(kSplit + 1);
    QCOMPARE(step.count(Body::kOverload), std::size_t(1)); // six records remain
    QCOMPARE(step.count(Body::kAck, DataRig::kCoordinator), std::size_t(1));
}

void TestDataSplit::theNextSplitWaitsUntilThisOneIsDoneHereToo()
{
    // A parity bucket's acknowledgement of the batch is lost. All others are done, and bucket 0 splits twice in a row.
    SourceRig rig(8);
    rig.stageAll();
    rig.commit();
    rig.deltaAck(0, 9);
    pb::Message finish = rig.finishOrder(kSplit);
    Step step = rig.driven.message(finish);
    pb::Message next = rig.coordinator.message();
    *next.mutable_split() = rig.splitOrder(kSplit + 1, 2, holderOf(12, 202)).split();
    if (step.acknowledges(finish)) // then the coordinator may go on
        QVERIFY(!rig.driven.message(next).acknowledges(next));
    QCOMPARE(rig.data().state(), pb::SPLITTING);
    QVERIFY(rig.driven.pass(100ms).count(Body::kPrepareBatch, DataRig::kParity + 1) >= 1); // it asks
    rig.deltaAck(1, 9);
    QVERIFY(rig.driven.message(finish).acknowledges(finish));
    QVERIFY(rig.driven.message(next).acknowledges(next));
    QCOMPARE(rig.data().state(), pb::SPLITTING);
}

void TestDataSplit::ordersForAFormerHolderOfThePlaceAreHarmless()
{
    // The same process held the same bucket before: a merge emptied it, or it was declared failed.
    DataRig::Options options;
    options.bucket = 1;
    options.level = 1;
    options.lastSplit = kSplit;
    DataRig rig(options);
    const pb::Message split = rig.splitOrder(kSplit, 3, kTarget);
    pb::Message merge = rig.splitOrder(kSplit - 1, 0, kTarget);
    const pb::Split order = merge.split();
    *merge.mutable_merge() = order;
    merge.mutable_merge()->set_level(1);
    for (const pb::Message& late : { split, merge }) {
        QVERIFY(rig.driven.message(late).acknowledges(late));
        QCOMPARE(rig.data().state(), pb::UP);
    }
    const pb::Message next = rig.splitOrder(kSplit + 1, 3, kTarget);
    QVERIFY(rig.driven.message(next).acknowledges(next));
    QCOMPARE(rig.data().state(), pb::SPLITTING);
}

void TestDataSplit::lateCopiesOfOrdersAreHarmless()
{
    SourceRig rig(8);
    const pb::Message split = rig.splitOrder(kSplit, 1, kTarget);
    Step step = rig.driven.message(split);
    QVERIFY(rig.driven.message(split).acknowledges(split));
    rig.finishStaging(step);
    const pb::Message commit = rig.commitOrder(kSplit), finish = rig.finishOrder(kSplit),
                      abort = rig.abortOrder(kSplit - 1);
    rig.driven.message(commit);
    QCOMPARE(rig.driven.message(commit).count(Happened::kSplitApplied), std::size_t(0));
    rig.allAcked();
    rig.driven.message(finish);
    const auto records = rig.data().store().count();
    for (int round = 0; round < 2; ++round) {
        for (const pb::Message& late : { split, commit, finish, abort }) {
            QVERIFY(rig.driven.message(late).acknowledges(late));
            QCOMPARE(rig.data().state(), pb::UP);
            QCOMPARE(rig.data().level(), 1u);
            QCOMPARE(rig.data().store().count(), records);
            QCOMPARE(rig.data().link().sequence(), Sequence(9));
        }
    }
    QCOMPARE(rig.insert(100, "x").count(Body::kDelta), std::size_t(2));
}

void TestDataSplit::resultsAndWhatClientsLetGoTravelWithTheLeavers()
{
    SourceRig rig(0);
    rig.ask({ .kind = pb::INSERT, .key = 1, .value = "x", .number = 5, .doneBelow = 4 });
    rig.allAcked();
    rig.ask({ .kind = pb::INSERT, .key = 1, .value = "y", .number = 6, .doneBelow = 4 }); // EXISTS
    rig.allAcked();
    rig.ask({ .kind = pb::INSERT, .key = 2, .value = "z", .number = 7, .doneBelow = 4 });
    rig.allAcked();
    const auto blocks = rig.order().of(Body::kMoveRecords);
    std::map<std::uint64_t, int> results;
    std::map<std::uint64_t, std::uint64_t> doneBelow;
    for (const BlockEntry& entry : entriesOf(blocks.at(0).message.move_records().records())) {
        if (entry.kind == BlockEntry::Kind::Result)
            results[entry.number] = entry.result;
        else if (entry.kind == BlockEntry::Kind::DoneBelow)
            doneBelow[entry.client] = entry.number;
    }
    QCOMPARE(results, (std::map<std::uint64_t, int> { { 5, pb::OK }, { 6, pb::EXISTS } })); // those of key 1
    QCOMPARE(doneBelow, (std::map<std::uint64_t, std::uint64_t> { { DataRig::kClient, 4 } }));
}

// ---- the target

void TestDataSplit::afterAMergeWhatWasParkedGoesTheWayOfTheNewLevel()
{
    // By level 3 key 7 belongs to bucket 3, whose location is not known here. If bucket 4 is gone, bucket 3 may be gone
    // as well, and the location would never be learnt.
    DataRig::Options options;
    options.level = 3;
    options.k = 0;
    DataRig rig(options);
    QCOMPARE(rig.search(7).of(Body::kWhereIs).at(0).message.where_is().bucket(), 3u);
    pb::Message order = rig.coordinator.message();
    pb::Split& merge = *order.mutable_merge();
    merge.set_split(kSplit);
    merge.set_source(4);
    merge.set_target(0);
    merge.set_level(3);
    kTarget.to(*merge.mutable_target_holder());
    rig.driven.message(order);
    QCOMPARE(rig.data().state(), pb::MERGING);
    pb::Message last = Peer(DataRig::kData + 4).message();
    last.mutable_move_records()->set_split(kSplit);
    last.mutable_move_records()->set_target(0);
    last.mutable_move_records()->set_level(3);
    last.mutable_move_records()->set_is_last(true);
    QCOMPARE(rig.driven.message(last).count(Body::kPrepared), std::size_t(1));
    const Step step = rig.driven.message(rig.commitOrder(kSplit));
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(rig.data().level(), 2u);
    QCOMPARE(step.of(Body::kWhereIs).at(0).message.where_is().bucket(), 1u);
    QCOMPARE(rig.data().held(), 1u);
}

// The source resends a block whose acknowledgement was lost, perhaps after the merge was committed here.
void TestDataSplit::aLateBlockOfAMergeIsAcknowledgedAndTakenOnce()
{
    DataRig::Options options;
    options.level = 1;
    DataRig rig(options);
    pb::Message order = rig.coordinator.message();
    pb::Split& merge = *order.mutable_merge();
    merge.set_split(kSplit);
    merge.set_source(1);
    merge.set_target(0);
    merge.set_level(1);
    kTarget.to(*merge.mutable_target_holder());
    rig.driven.message(order);
    QCOMPARE(rig.data().state(), pb::MERGING);
    pb::Message block = Peer(DataRig::kData + 1).message();
    block.mutable_move_records()->set_split(kSplit);
    block.mutable_move_records()->set_level(1);
    block.mutable_move_records()->set_is_last(true);
    *block.mutable_move_records()->mutable_records() = blockOf({ leaver(1, 1, "one") });
    const Step step = rig.driven.message(block);
    QVERIFY(step.acknowledges(block));
    for (const Step::Sent& sent : step.of(Body::kPrepareBatch))
        rig.ack(sent.message, sent.to);
    rig.driven.message(rig.commitOrder(kSplit)); // the parity buckets have not heard of it yet
    QCOMPARE(rig.data().store().count(), 1u);
    QVERIFY(rig.driven.message(block).acknowledges(block));
    QCOMPARE(rig.data().store().count(), 1u);
}

void TestDataSplit::theTargetQueuesEverythingUntilTheCommit()
{
    TargetRig rig;
    for (const pb::OperationKind kind : { pb::SEARCH, pb::UPDATE, pb::SEARCH })
        QCOMPARE(rig.ask({ .kind = kind, .key = 1, .value = "new", .forwards = 1, .forwarder = 0, .forwarderLevel = 1 })
                     .sent.size(),
            std::size_t(0));
    QCOMPARE(rig.data().held(), 3u);
    Step step = rig.driven.message(rig.moveMessage(0, true, { leaver(1, 7, "one") }));
    const auto batch = step.of(Body::kPrepareBatch);
    QCOMPARE(batch.size(), std::size_t(2));
    QCOMPARE(batch[0].message.prepare_batch().sequence(), 1u);
    QCOMPARE(rig.ack(batch[0].message, DataRig::kParity).count(Body::kPrepared), std::size_t(0));
    step = rig.ack(batch[1].message, DataRig::kParity + 1);
    QCOMPARE(step.of(Body::kPrepared).at(0).message.prepared().bucket(), 1u);
    QCOMPARE(rig.search(1).count(Body::kReply), std::size_t(0));
    step = rig.driven.message(rig.commitOrder(kSplit));
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(step.count(Body::kApplied), std::size_t(1));
    QCOMPARE(step.count(Body::kDelta), std::size_t(2));
    QCOMPARE(step.count(Body::kReply), std::size_t(0)); // not before the parity buckets have the batch
    step = rig.allAcked();
    QCOMPARE(step.count(Body::kReply), std::size_t(4));
    QCOMPARE(rig.data().held(), 0u);
    QCOMPARE(replyOf(rig.search(1)).value(), "new");
}

void TestDataSplit::theTargetGivesRanksInTheOrderOfArrival()
{
    TargetRig rig;
    Step step = rig.driven.message(rig.moveMessage(0, false, { leaver(9, 30, "nine"), leaver(3, 2, "") }));
    const pb::RecordsMoved event = step.of(Happened::kRecordsMoved).at(0).records_moved();
    QCOMPARE(event.new_ranks(0), 1u);
    QCOMPARE(event.old_ranks(0), 30u);
    QCOMPARE(event.from(), 0u);
    rig.driven.message(rig.moveMessage(1, true, { leaver(5, 1, "five") }));
    QCOMPARE(rig.data().store().find(Key(9)), Rank(1));
    QCOMPARE(rig.data().store().find(Key(3)), Rank(2));
    QCOMPARE(rig.data().store().find(Key(5)), Rank(3));
}

void TestDataSplit::theTargetTakesBlocksInOrderOnceAndOnlyWellFormed()
{
    TargetRig rig;
    const pb::Message first = rig.moveMessage(0, false, { leaver(1, 1, "one") });
    const pb::Message last = rig.moveMessage(1, true, { leaver(3, 2, "three") });
    QVERIFY(!rig.driven.message(last).acknowledges(last));
    const std::string whole = first.move_records().records();
    for (std::size_t length = 1; length < whole.size(); ++length) {
        pb::Message cut = first;
        cut.mutable_move_records()->set_records(whole.substr(0, length));
        QVERIFY(!rig.driven.message(cut).acknowledges(cut));
    }
    const pb::Message other = rig.moveMessage(0, true, { leaver(99, 1, "of an undone split") }, kSplit - 1);
    QVERIFY(!rig.driven.message(other).acknowledges(other));
    QCOMPARE(rig.data().store().count(), 0u);
    for (const pb::Message& message : { first, first, last, last, first })
        QVERIFY(rig.driven.message(message).acknowledges(message));
    QCOMPARE(rig.data().store().count(), 2u);
}

void TestDataSplit::theTargetKnowsOldRequests()
{
    TargetRig rig;
    Step step = rig.driven.message(rig.moveMessage(0, true,
        { leaver(1, 1, "one"), BlockEntry::ofResult(Key(1), DataRig::kClient, 5, std::uint8_t(pb::OK)),
            BlockEntry::ofResult(Key(3), DataRig::kClient, 6, std::uint8_t(pb::NOT_FOUND)),
            BlockEntry::ofDoneBelow(DataRig::kClient, 5) }));
    std::map<std::uint64_t, int> told; // parity buckets hand the results to a spare
    for (const BlockEntry& entry : entriesOf(step.of(Body::kPrepareBatch).at(0).message.prepare_batch().changes()))
        if (entry.kind == BlockEntry::Kind::Result)
            told[entry.number] = entry.result;
    QCOMPARE(told, (std::map<std::uint64_t, int> { { 5, pb::OK }, { 6, pb::NOT_FOUND } }));
    for (const Step::Sent& sent : step.of(Body::kPrepareBatch))
        rig.ack(sent.message, sent.to);
    rig.driven.message(rig.commitOrder(kSplit));
    rig.allAcked();
    // Copies of requests that the source carried out get the stored answer, or none if the client needs none.
    QCOMPARE(replyOf(rig.ask({ .kind = pb::INSERT, .key = 1, .value = "one", .number = 5 })).result(), pb::OK);
    QCOMPARE(replyOf(rig.ask({ .kind = pb::DELETE, .key = 3, .number = 6 })).result(), pb::NOT_FOUND);
    QCOMPARE(rig.ask({ .kind = pb::DELETE, .key = 1, .number = 4, .doneBelow = 4 }).sent.size(), std::size_t(0));
    QCOMPARE(replyOf(rig.search(1)).value(), "one");
}

void TestDataSplit::theTargetsQueueIsBounded()
{
    DataRig::Options options = target();
    options.timers.set_held_max(2);
    TargetRig rig(options);
    QCOMPARE(rig.search(1).sent.size(), std::size_t(0));
    QCOMPARE(rig.insert(3, "x").sent.size(), std::size_t(0));
    QCOMPARE(replyOf(rig.insert(5, "x")).result(), pb::RETRY);
}

void TestDataSplit::theTargetOfAnUndoneSplitIsASpareAgain()
{
    TargetRig rig;
    rig.driven.message(rig.moveMessage(0, true, { leaver(1, 1, "one") }));
    const pb::Message abort = rig.abortOrder(kSplit);
    QVERIFY(rig.driven.message(abort).acknowledges(abort));
    QCOMPARE(rig.driven.pass(3s).count(Body::kPrepareBatch), std::size_t(0)); // its batch is discarded
    pb::Message cancel = rig.coordinator.message();
    cancel.mutable_cancel()->set_incarnation(DataRig::kIncarnation);
    const Step step = rig.driven.message(cancel);
    QVERIFY(step.acknowledges(cancel));
    QCOMPARE(step.joined, pb::DATA);
    QCOMPARE(step.count(Happened::kNodeReleased), std::size_t(1));
    QVERIFY(!rig.node.dataBucket());
    QVERIFY(rig.driven.message(cancel).acknowledges(cancel));
    QCOMPARE(rig.search(1).count(Body::kDisplaced), std::size_t(1));
}

QTEST_APPLESS_MAIN(TestDataSplit)
#include "tst_data_split.moc"
