// SPDX-License-Identifier: GPL-3.0-or-later
// The machines of a scan alone: the part of one bucket, and how the client knows that all parts have arrived. Scans of
// a whole file, with splits, losses and failures in between, are in tst_scan_file.cpp.
#include "tests/rigs/core/client_rig.h"
#include "tests/rigs/core/scan_rigs.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

// ---- a bucket alone

pb::Message scanMessage(
    DataRig& rig, std::uint64_t number = 1, std::uint32_t level = 0, const std::string& contains = {})
{
    pb::Message message = rig.client.message();
    auto* scan = message.mutable_scan();
    scan->mutable_request()->set_client(DataRig::kClient);
    scan->mutable_request()->set_number(number);
    scan->set_target(rig.options.bucket);
    scan->set_incarnation(DataRig::kIncarnation);
    scan->set_level(level);
    scan->set_contains(contains);
    addressOfProcess(DataRig::kClient).to(*scan->mutable_client());
    return message;
}

std::vector<pb::ScanReply> repliesOf(const Step& step)
{
    std::vector<pb::ScanReply> replies;
    for (const Step::Sent& sent : step.of(Body::kScanReply))
        replies.push_back(sent.message.scan_reply());
    return replies;
}

// ---- a client alone

std::vector<pb::Scan> queriesOf(const Step& step)
{
    std::vector<pb::Scan> queries;
    for (const Step::Sent& sent : step.of(Body::kScan))
        queries.push_back(sent.message.scan());
    return queries;
}

Step answer(ClientRig& rig, std::uint64_t number, std::uint32_t bucket, std::uint32_t level,
    const std::vector<std::uint64_t>& keys = {}, const std::function<void(pb::ScanReply&)>& fill = {})
{
    pb::Message message = Peer(ClientRig::kData + bucket).message();
    auto* reply = message.mutable_scan_reply();
    reply->mutable_request()->set_client(ClientRig::kSelf);
    reply->mutable_request()->set_number(number);
    reply->set_bucket(bucket);
    reply->set_level(level);
    holderOf(ClientRig::kData + bucket, 200 + bucket).to(*reply->mutable_holder());
    reply->set_result(pb::OK);
    reply->set_is_last(true);
    reply->set_hits(std::uint32_t(keys.size()));
    std::vector<BlockEntry> entries;
    for (const std::uint64_t key : keys)
        entries.push_back({ .kind = BlockEntry::Kind::Insert,
            .key = Key(key),
            .rank = Rank(1),
            .length = 1,
            .version = 1,
            .bytes = "x" });
    reply->set_records(blockOf(entries));
    if (fill)
        fill(*reply);
    return rig.driven.message(message);
}

// What a part of the process receives of a scan.
struct ListSink : RecordSink {
    bool wants(std::uint64_t) const override { return isWanting; }
    bool found(Key key, std::string_view value) override
    {
        keys.insert(key.value);
        areValuesRight = areValuesRight && value == "x";
        return key.value != 1; // this one does not count
    }
    void taken(std::uint64_t number) override { count = number; }
    bool isWanting = true, areValuesRight = true;
    std::multiset<std::uint64_t> keys;
    std::optional<std::uint64_t> count;
};

pb::ScanResult resultOfScan(const Step& step)
{
    return step.replies.size() == 1 ? step.replies.front().scan() : pb::ScanResult();
}

} // namespace

class TestScan : public QObject {
    Q_OBJECT

private slots:
    void aPartIsOfOneMomentAndShowsOnlyWhatAllParityHas();
    void onlyRecordsWhoseValueContainsTheBytesAreHits();
    void manyHitsComeInBlocks();
    void aClientThatTakesNoBlocksIsForgotten();
    void aCopyOfAQueryIsAnsweredOnce();
    void withoutALeaseNothingIsShown();
    void aBucketThatIsBeingCreatedAnswersAfterTheCommit();
    void aSourceAnswersForBothHalvesUntilItsCommit();
    void theWayOnIsAskedForWhereItIsNotKnown();
    void aScanForAnotherBucketIsDisplaced();
    void withTheProbabilisticEndWhoHasNothingIsSilent();

    void theEndIsCertainBecauseTheLevelsSayWhatIsMissing();
    void anAnswerThatComesTwiceCountsOnce();
    void aPartThatIsMissingIsAskedForAndThenAlarmed();
    void answersOfTwoTimesFitTogether();
    void aBucketThatTookAnotherBackAnswersForBoth();
    void blocksOfTwoPartsAreNotMixed();
    void anImageAheadOfTheFileStartsTheScanAgain();
    void aLostBucketIsNamedAndTheOthersAreAsked();
    void atTheDeadlineTheMissingBucketsAreNamed();
    void oneScanAtATime();
    void aSinkGetsEveryRecordAndTheirNumber();
};

// ---- a bucket

void TestScan::aPartIsOfOneMomentAndShowsOnlyWhatAllParityHas()
{
    DataRig rig;
    rig.put(1, "one");
    rig.insert(2, "two"); // under way
    QCOMPARE(repliesOf(rig.driven.message(scanMessage(rig))).size(), std::size_t(0));
    rig.update(1, "later"); // after that moment
    rig.insert(3, "three");
    QCOMPARE(repliesOf(rig.deltaAck(0, 2)).size(), std::size_t(0));
    const auto replies = repliesOf(rig.deltaAck(1, 2)); // later changes are still under way
    QCOMPARE(replies.size(), std::size_t(1));
    QCOMPARE(replies[0].hits(), 2u);
    QVERIFY(replies[0].is_last());
    const auto entries = entriesOf(replies[0].records());
    QCOMPARE(entries.size(), std::size_t(2));
    QCOMPARE(entries[0].bytes, std::string_view("one"));
    QCOMPARE(entries[1].bytes, std::string_view("two"));
    // Nothing is under way: answered at once. A delete is visible as soon as all parity buckets have it.
    rig.allAcked();
    rig.erase(1);
    QCOMPARE(repliesOf(rig.driven.message(scanMessage(rig, 2))).size(), std::size_t(0));
    QCOMPARE(repliesOf(rig.allAcked()).at(0).hits(), 2u);
    QCOMPARE(repliesOf(rig.driven.message(scanMessage(rig, 3))).at(0).hits(), 2u);
}

void TestScan::onlyRecordsWhoseValueContainsTheBytesAreHits()
{
    DataRig rig;
    rig.put(1, "a needle in hay");
    rig.put(2, "hay");
    rig.put(3, std::string("with \0 in it", 12));
    rig.put(4, "");
    QCOMPARE(repliesOf(rig.driven.message(scanMessage(rig, 1, 0, "needle"))).at(0).hits(), 1u);
    QCOMPARE(repliesOf(rig.driven.message(scanMessage(rig, 2, 0, "hay"))).at(0).hits(), 2u);
    QCOMPARE(repliesOf(rig.driven.message(scanMessage(rig, 3, 0, std::string("\0", 1)))).at(0).hits(), 1u);
    // The client needs the empty reply to know the end.
    QCOMPARE(repliesOf(rig.driven.message(scanMessage(rig, 4, 0, "nothing"))).at(0).hits(), 0u);
    QCOMPARE(repliesOf(rig.driven.message(scanMessage(rig, 5))).at(0).hits(), 4u);
}

void TestScan::manyHitsComeInBlocks()
{
    DataRig rig;
    for (std::uint64_t key = 0; key < 90; ++key)
        rig.put(key, std::string(4000, 'x'));
    Step step = rig.driven.message(scanMessage(rig));
    std::set<std::uint64_t> keys;
    std::uint32_t blocks = 0;
    for (;; ++blocks) {
        const auto replies = repliesOf(step);
        QCOMPARE(replies.size(), std::size_t(1));
        QCOMPARE(replies[0].block(), blocks);
        QCOMPARE(replies[0].hits(), 90u);
        QCOMPARE(replies[0].sequence(), 90u);
        QVERIFY(replies[0].records().size() < 140'000);
        for (const BlockEntry& entry : entriesOf(replies[0].records()))
            keys.insert(entry.key.value);
        if (replies[0].is_last())
            break;
        QVERIFY(step.of(Body::kScanReply)[0].way == Way::Stream);
        if (blocks == 0) { // changes from now on are not part of the scan
            rig.erase(89);
            rig.allAcked();
        }
        step = rig.ack(step.of(Body::kScanReply)[0].message, DataRig::kClient);
    }
    QCOMPARE(blocks, 2u);
    QCOMPARE(keys.size(), std::size_t(90));
}

void TestScan::aClientThatTakesNoBlocksIsForgotten()
{
    DataRig rig;
    for (std::uint64_t key = 0; key < 90; ++key)
        rig.put(key, std::string(4000, 'x'));
    const Step step = rig.driven.message(scanMessage(rig));
    QCOMPARE(step.count(Body::kScanReply), std::size_t(1));
    const Step later = rig.driven.pass(60s);
    QVERIFY(later.count(Body::kScanReply) <= 4);
    QCOMPARE(later.count(Happened::kMessageGivenUp), std::size_t(1));
    // The same query now is a new one.
    QCOMPARE(repliesOf(rig.driven.message(scanMessage(rig))).at(0).block(), 0u);
}

void TestScan::aCopyOfAQueryIsAnsweredOnce()
{
    DataRig rig;
    rig.insert(1, "one");
    rig.driven.message(scanMessage(rig));
    rig.driven.message(scanMessage(rig));
    QCOMPARE(repliesOf(rig.allAcked()).size(), std::size_t(1));
}

void TestScan::withoutALeaseNothingIsShown()
{
    DataRig::Options options;
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    DataRig rig(options);
    const auto replies = repliesOf(rig.driven.message(scanMessage(rig)));
    QCOMPARE(replies.size(), std::size_t(1));
    QCOMPARE(replies[0].result(), pb::RETRY);
    QVERIFY(replies[0].retry_after_ms() > 0);
    QVERIFY(replies[0].records().empty());
}

void TestScan::aBucketThatIsBeingCreatedAnswersAfterTheCommit()
{
    DataRig::Options options;
    options.bucket = 1;
    options.level = 1;
    options.k = 0;
    options.state = pb::INIT;
    options.creation = 7;
    DataRig rig(options);
    QCOMPARE(rig.driven.message(scanMessage(rig, 1, 1)).sent.size(), std::size_t(0));
    QCOMPARE(rig.driven.message(scanMessage(rig, 1, 1)).sent.size(), std::size_t(0)); // a copy
    pb::Message move = Peer(10).message();
    move.mutable_move_records()->set_split(7);
    move.mutable_move_records()->set_target(1);
    move.mutable_move_records()->set_level(1);
    move.mutable_move_records()->set_is_last(true);
    move.mutable_move_records()->set_records(blockOf({ { .kind = BlockEntry::Kind::Insert,
        .key = Key(5),
        .rank = Rank(1),
        .length = 4,
        .version = 1,
        .bytes = "five" } }));
    QCOMPARE(rig.driven.message(move).count(Body::kScanReply), std::size_t(0));
    const auto replies = repliesOf(rig.driven.message(rig.commitOrder(7)));
    QCOMPARE(replies.size(), std::size_t(1));
    QCOMPARE(replies[0].hits(), 1u);
    QCOMPARE(replies[0].level(), 1u);
}

void TestScan::aSourceAnswersForBothHalvesUntilItsCommit()
{
    DataRig::Options options;
    options.k = 0;
    DataRig rig(options);
    for (std::uint64_t key = 0; key < 10; ++key)
        rig.put(key, "x");
    Step step = rig.driven.message(rig.splitOrder(7, 1, holderOf(11, 300)));
    QCOMPARE(rig.data().state(), pb::SPLITTING);
    auto replies = repliesOf(rig.driven.message(scanMessage(rig)));
    QCOMPARE(replies.at(0).level(), 0u);
    QCOMPARE(replies.at(0).hits(), 10u);
    rig.ack(step.of(Body::kMoveRecords).at(0).message, 11);
    step = rig.driven.message(rig.commitOrder(7));
    step = rig.driven.message(scanMessage(rig, 2));
    replies = repliesOf(step);
    QCOMPARE(replies.at(0).level(), 1u);
    QCOMPARE(replies.at(0).hits(), 5u);
    QCOMPARE(queriesOf(step).size(), std::size_t(1)); // and the child bucket is asked
    QCOMPARE(queriesOf(step)[0].target(), 1u);
    QCOMPARE(queriesOf(step)[0].level(), 1u);
    QCOMPARE(queriesOf(step)[0].incarnation(), 300u);
    QCOMPARE(queriesOf(step)[0].forwards(), 1u);
    QCOMPARE(step.of(Body::kScan)[0].to, std::uint64_t(11));
}

void TestScan::theWayOnIsAskedForWhereItIsNotKnown()
{
    DataRig::Options options;
    options.level = 2;
    options.k = 0;
    options.table = { { 1, holderOf(11, 300) } };
    DataRig rig(options);
    Step step = rig.driven.message(scanMessage(rig));
    QCOMPARE(queriesOf(step).size(), std::size_t(1));
    QCOMPARE(step.of(Body::kWhereIs).at(0).message.where_is().bucket(), 2u);
    QCOMPARE(rig.driven.pass(150ms).count(Body::kWhereIs), std::size_t(1)); // the answer may be lost
    pb::Message location = rig.coordinator.message();
    location.mutable_location()->set_bucket(2);
    location.mutable_location()->set_exists(true);
    location.mutable_location()->mutable_file()->set_i(2);
    holderOf(12, 301).to(*location.mutable_location()->mutable_holder());
    step = rig.driven.message(location);
    QCOMPARE(queriesOf(step).at(0).target(), 2u);
    QCOMPARE(queriesOf(step).at(0).level(), 2u);
    QCOMPARE(rig.driven.pass(150ms).count(Body::kWhereIs), std::size_t(0));
}

void TestScan::aScanForAnotherBucketIsDisplaced()
{
    DataRig rig;
    pb::Message message = scanMessage(rig);
    message.mutable_scan()->set_incarnation(5);
    const Step step = rig.driven.message(message);
    QCOMPARE(step.count(Body::kScanReply), std::size_t(0));
    QCOMPARE(step.of(Body::kDisplaced, DataRig::kClient).at(0).message.displaced().incarnation(), 5u);
    NodeRig spare(pb::DATA);
    QCOMPARE(spare.driven.message(message).count(Body::kDisplaced, DataRig::kClient), std::size_t(1));
}

void TestScan::withTheProbabilisticEndWhoHasNothingIsSilent()
{
    DataRig rig;
    rig.put(1, "one");
    pb::Message message = scanMessage(rig, 1, 0, "one");
    message.mutable_scan()->set_only_hits(true);
    QCOMPARE(rig.driven.message(message).count(Body::kScanReply), std::size_t(1));
    message = scanMessage(rig, 2, 0, "two");
    message.mutable_scan()->set_only_hits(true);
    QCOMPARE(rig.driven.message(message).count(Body::kScanReply), std::size_t(0));
}

// ---- a client

void TestScan::theEndIsCertainBecauseTheLevelsSayWhatIsMissing()
{
    ClientRig rig;
    rig.knows(1);
    Step step = rig.command(scanOrder());
    QCOMPARE(queriesOf(step).size(), std::size_t(1));
    QCOMPARE(queriesOf(step)[0].level(), 0u);
    // M = 5: bucket 0 and 4 of level 3, the others of level 2.
    QCOMPARE(answer(rig, 1, 3, 2, { 3 }).replies.size(), std::size_t(0));
    QCOMPARE(answer(rig, 1, 0, 3, { 8 }).replies.size(), std::size_t(0));
    QCOMPARE(answer(rig, 1, 1, 2, { 1, 5 }).replies.size(), std::size_t(0));
    QCOMPARE(answer(rig, 1, 4, 3).replies.size(), std::size_t(0));
    step = answer(rig, 1, 2, 2, { 6 });
    const pb::ScanResult result = resultOfScan(step);
    QCOMPARE(result.result(), pb::OK);
    QVERIFY(result.complete() && result.guaranteed());
    QCOMPARE(result.records(), 5u);
    QCOMPARE(result.bytes(), 5u);
    QCOMPARE(result.buckets(), 5u);
    QCOMPARE(keysOf(result), (std::multiset<std::uint64_t> { 1, 3, 5, 6, 8 }));
    QCOMPARE(step.count(Happened::kScanDone), std::size_t(1));
    QCOMPARE(rig.client.image(), (FileImage { 0, 0 })); // a scan adjusts no image
}

void TestScan::anAnswerThatComesTwiceCountsOnce()
{
    ClientRig rig;
    rig.knows(1);
    rig.command(scanOrder());
    answer(rig, 1, 0, 1, { 2 });
    answer(rig, 1, 0, 1, { 2 });
    answer(rig, 2, 1, 1, { 1 }); // of an unknown scan
    const pb::ScanResult result = resultOfScan(answer(rig, 1, 1, 1, { 1 }));
    QCOMPARE(result.records(), 2u);
    QCOMPARE(answer(rig, 1, 1, 1, { 1 }).replies.size(), std::size_t(0));
}

void TestScan::aPartThatIsMissingIsAskedForAndThenAlarmed()
{
    ClientRig rig;
    rig.knows(1);
    rig.command(scanOrder());
    answer(rig, 1, 0, 2, { 0 });
    answer(rig, 1, 1, 2, { 1 });
    answer(rig, 1, 3, 2, { 3 });
    // Bucket 2 is missing. Its location is not known here, so the client asks for it first.
    Step step = rig.driven.pass(100ms);
    QCOMPARE(step.of(Happened::kScanPartMissing).at(0).scan_part_missing().bucket(), 2u);
    QCOMPARE(step.of(Happened::kScanPartMissing).at(0).scan_part_missing().level(), 2u);
    QVERIFY(step.count(Body::kWhereIs) >= 1);
    QCOMPARE(step.of(Body::kWhereIs)[0].message.where_is().bucket(), 2u);
    step = rig.location(2, { 2, 0 });
    QCOMPARE(queriesOf(step).at(0).target(), 2u);
    QCOMPARE(queriesOf(step).at(0).level(), 2u);
    step = rig.driven.pass(900ms);
    QCOMPARE(queriesOf(step).size(), std::size_t(1)); // the second retransmission
    QVERIFY(step.count(Body::kAlarm) >= 1);
    const pb::Alarm alarm = step.of(Body::kAlarm, ClientRig::kCoordinator)[0].message.alarm();
    QVERIFY(alarm.is_scan());
    QCOMPARE(alarm.suspect().index(), 2u);
    QCOMPARE(alarm.suspect().holder().incarnation(), 202u);
    // The bucket is being recovered; then it has another location.
    pb::Message failed = rig.coordinator.message();
    failed.mutable_location()->set_bucket(2);
    failed.mutable_location()->set_exists(true);
    failed.mutable_location()->mutable_file()->set_i(2);
    failed.mutable_location()->set_state(pb::FAILED);
    failed.mutable_location()->set_retry_after_ms(25);
    QCOMPARE(queriesOf(rig.driven.message(failed)).size(), std::size_t(0));
    QCOMPARE(rig.driven.pass(30ms).count(Body::kAlarm), std::size_t(1));
    step = rig.location(2, { 2, 0 }, 77, 300);
    QCOMPARE(step.of(Body::kScan, 77).size(), std::size_t(1));
    QCOMPARE(resultOfScan(answer(rig, 1, 2, 2, { 2 })).result(), pb::OK);
}

void TestScan::answersOfTwoTimesFitTogether()
{
    ClientRig rig;
    rig.knows(1);
    rig.command(scanOrder());
    // Asked twice, and bucket 0 was split in between: (0,0) was answered first, then (0,1) and (1,1).
    answer(rig, 1, 1, 1, { 1, 3 });
    QCOMPARE(answer(rig, 1, 1, 2, { 1 }).replies.size(), std::size_t(0)); // already covered
    const pb::ScanResult result = resultOfScan(answer(rig, 1, 0, 0, { 0, 1, 2, 3 }));
    QCOMPARE(result.records(), 4u);
    QCOMPARE(result.buckets(), 1u);
    QCOMPARE(keysOf(result), (std::multiset<std::uint64_t> { 0, 1, 2, 3 }));
}

void TestScan::aBucketThatTookAnotherBackAnswersForBoth()
{
    ClientRig rig;
    rig.knows(3);
    rig.location(0, { 1, 1 });
    // The client knows three buckets; 0 and 2 have merged.
    pb::Command command;
    command.mutable_set_image()->set_mode(pb::EXACT);
    rig.command(command);
    rig.operate(pb::SEARCH, 2);
    rig.location(0, { 1, 1 });
    QCOMPARE(rig.client.image(), (FileImage { 1, 1 }));
    const Step step = rig.command(scanOrder());
    QCOMPARE(queriesOf(step).size(), std::size_t(3));
    const std::uint64_t number = queriesOf(step)[0].request().number();
    answer(rig, number, 2, 2, { 2 });
    answer(rig, number, 1, 1, { 1 });
    const pb::ScanResult result = resultOfScan(answer(rig, number, 0, 1, { 0, 2 }));
    QCOMPARE(result.result(), pb::OK);
    QCOMPARE(keysOf(result), (std::multiset<std::uint64_t> { 0, 1, 2 }));
    QCOMPARE(result.buckets(), 2u);
}

void TestScan::blocksOfTwoPartsAreNotMixed()
{
    ClientRig rig;
    rig.knows(1);
    rig.command(scanOrder());
    const auto block = [&](Sequence sequence, std::uint32_t number, bool isLast,
                           const std::vector<std::uint64_t>& keys) {
        return answer(rig, 1, 0, 0, keys, [=](pb::ScanReply& reply) {
            reply.set_sequence(sequence);
            reply.set_block(number);
            reply.set_is_last(isLast);
            reply.set_hits(2);
        });
    };
    Step step = block(5, 0, false, { 1 });
    QCOMPARE(step.count(Body::kAck, ClientRig::kData), std::size_t(1));
    step = block(5, 0, false, { 1 }); // a copy
    QCOMPARE(step.count(Body::kAck, ClientRig::kData), std::size_t(1));
    QCOMPARE(block(6, 1, true, { 4 }).replies.size(), std::size_t(0)); // the end of another part
    block(6, 0, false, { 3 });
    QCOMPARE(block(5, 1, true, { 2 }).replies.size(), std::size_t(0));
    const pb::ScanResult result = resultOfScan(block(6, 1, true, { 4 }));
    QCOMPARE(keysOf(result), (std::multiset<std::uint64_t> { 3, 4 }));
}

void TestScan::anImageAheadOfTheFileStartsTheScanAgain()
{
    ClientRig rig;
    rig.knows(3);
    pb::Command command;
    command.mutable_set_image()->set_mode(pb::EXACT);
    rig.command(command);
    rig.operate(pb::SEARCH, 2);
    rig.location(0, { 2, 0 });
    QCOMPARE(rig.client.image(), (FileImage { 2, 0 }));
    Step step = rig.command(scanOrder());
    QCOMPARE(queriesOf(step).size(), std::size_t(3));
    answer(rig, queriesOf(step)[0].request().number(), 2, 2, { 2 });
    step = rig.location(3, { 1, 1 }, 0, 0, false); // beyond the file: the client adopts (i,n)
    QCOMPARE(rig.client.image(), (FileImage { 1, 1 }));
    QCOMPARE(queriesOf(step).size(), std::size_t(3));
    const std::uint64_t number = queriesOf(step)[0].request().number();
    answer(rig, number, 0, 2, { 0 });
    answer(rig, number, 1, 1, { 1 });
    const pb::ScanResult result = resultOfScan(answer(rig, number, 2, 2, { 2 }));
    QCOMPARE(result.restarts(), 1u);
    QCOMPARE(result.records(), 3u);
}

void TestScan::aLostBucketIsNamedAndTheOthersAreAsked()
{
    ClientRig rig;
    rig.knows(1);
    rig.command(scanOrder());
    rig.driven.pass(1s); // no answer: alarmed
    pb::Message lost = rig.coordinator.message();
    lost.mutable_location()->set_bucket(0);
    lost.mutable_location()->set_exists(true);
    lost.mutable_location()->mutable_file()->set_i(1);
    lost.mutable_location()->mutable_file()->set_n(1);
    lost.mutable_location()->set_state(pb::MEMBER_LOST);
    Step step = rig.driven.message(lost);
    QCOMPARE(step.replies.size(), std::size_t(0));
    step = rig.driven.pass(100ms);
    std::set<std::uint32_t> asked;
    for (const Step::Sent& sent : step.of(Body::kWhereIs))
        asked.insert(sent.message.where_is().bucket());
    QCOMPARE(asked, (std::set<std::uint32_t> { 1, 2 }));
    QCOMPARE(queriesOf(rig.location(1, { 1, 1 })).at(0).level(), 1u);
    QCOMPARE(queriesOf(rig.location(2, { 1, 1 })).at(0).level(), 2u);
    answer(rig, 1, 1, 1, { 1 });
    const pb::ScanResult result = resultOfScan(answer(rig, 1, 2, 2, { 2 }));
    QCOMPARE(result.result(), pb::LOST);
    QVERIFY(!result.complete());
    QCOMPARE(result.lost_size(), 1);
    QCOMPARE(result.lost(0), 0u);
    QCOMPARE(result.missing_size(), 0);
    QCOMPARE(result.records(), 2u);
}

void TestScan::atTheDeadlineTheMissingBucketsAreNamed()
{
    ClientRig rig;
    rig.knows(1);
    pb::Command command = scanOrder();
    command.mutable_run_scan()->set_timeout_ms(700);
    rig.command(command);
    answer(rig, 1, 0, 2, { 0 });
    answer(rig, 1, 2, 2, { 2 });
    QCOMPARE(rig.driven.pass(600ms).replies.size(), std::size_t(0));
    const pb::ScanResult result = resultOfScan(rig.driven.pass(200ms));
    QCOMPARE(result.result(), pb::RETRY);
    QVERIFY(!result.complete());
    QCOMPARE(result.records(), 2u);
    QCOMPARE(result.missing_size(), 1);
    QCOMPARE(result.missing(0), 1u);
}

void TestScan::oneScanAtATime()
{
    ClientRig unregistered(false);
    QCOMPARE(unregistered.command(scanOrder()).replies.at(0).refusal(), pb::REFUSED);
    ClientRig rig;
    rig.knows(1);
    QCOMPARE(rig.command(scanOrder(std::string(65536, 'x'))).replies.at(0).refusal(), pb::BAD_ARGUMENT);
    rig.command(scanOrder());
    QCOMPARE(rig.command(scanOrder()).replies.at(0).refusal(), pb::REFUSED);
    QCOMPARE(resultOfScan(answer(rig, 1, 0, 0)).result(), pb::OK);
    QCOMPARE(queriesOf(rig.command(scanOrder())).size(), std::size_t(1));
}

void TestScan::aSinkGetsEveryRecordAndTheirNumber()
{
    ListSink sink;
    ClientRig rig(true, fileConfig(), {}, 0, &sink);
    rig.knows(3);
    rig.location(0, { 1, 1 });
    pb::Command command;
    command.mutable_set_image()->set_mode(pb::EXACT);
    rig.command(command);
    rig.operate(pb::SEARCH, 2);
    rig.location(0, { 1, 1 });
    Step step = rig.command(scanOrder({}, 0)); // the result shows no records
    std::uint64_t number = queriesOf(step)[0].request().number();
    answer(rig, number, 2, 2, { 2 });
    answer(rig, number, 1, 1, { 1, 3 });
    QVERIFY(!sink.count);
    // Bucket 2 has been taken back meanwhile: its record comes again, and counts once.
    const pb::ScanResult result = resultOfScan(answer(rig, number, 0, 1, { 0, 2 }));
    QCOMPARE(result.result(), pb::OK);
    QCOMPARE(result.found_size(), 0);
    QCOMPARE(sink.keys, (std::multiset<std::uint64_t> { 0, 1, 2, 2, 3 }));
    QVERIFY(sink.areValuesRight);
    QCOMPARE(sink.count, std::optional<std::uint64_t>(3));
    // Scans of others are none of its business.
    sink = {};
    sink.isWanting = false;
    step = rig.command(scanOrder());
    number = queriesOf(step)[0].request().number();
    for (const pb::Scan& query : queriesOf(step))
        answer(rig, number, query.target(), query.level(), { query.target() });
    QVERIFY(sink.keys.empty() && !sink.count);
}

QTEST_APPLESS_MAIN(TestScan)
#include "tst_scan.moc"
