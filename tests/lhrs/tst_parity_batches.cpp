// SPDX-License-Identifier: GPL-3.0-or-later
// A parity bucket in a split: batches staged, committed, aborted. And the pages that it shows.
#include "node/lhrs/store/digest.h"
#include "tests/rigs/core/bucket_rigs.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

using Change = ParityRig::Change;

BlockEntry entry(BlockEntry::Kind kind, std::uint64_t key, std::uint32_t rank, std::string_view value)
{
    return { .kind = kind,
        .key = Key(key),
        .rank = Rank(rank),
        .length = kind == BlockEntry::Kind::Delete ? 0 : std::uint32_t(value.size()),
        .version = 1,
        .bytes = value };
}

ParityRig::Options with(std::uint32_t column, pb::Field field)
{
    ParityRig::Options options;
    options.column = column;
    options.config.set_field(field);
    return options;
}

pb::RequestId requestId(std::uint64_t number)
{
    pb::RequestId id;
    id.set_client(NodeRig::kClient);
    id.set_number(number);
    return id;
}

} // namespace

class TestParityBatches : public QObject {
    Q_OBJECT

private slots:
    void aBatchIsStagedUntilItsDecision();
    void aCommittedBatchIsOneChangeInTheSequence();
    void anAbortedBatchIsAnEmptyChange();
    void anAbortedBatchOfWhichNothingArrivedIsAnEmptyChangeToo();
    void theLastWordAboutARankCounts();
    void blocksOfABatchAreTakenInOrderAndOnce();
    void aMalformedBlockIsNotAcknowledged();
    void lateWordsAboutADecidedSplitChangeNothing();
    void blocksOfAnUndoneSplitDoNothingToTheNext_data();
    void blocksOfAnUndoneSplitDoNothingToTheNext();
    void aSplitWithinTheGroupMovesMembersFromOnePositionToAnother();
    void theTargetOfAnUndoneSplitLeavesNothingBehind();
    void aBatchHandsOverResultsAndDropsThoseOfKeysThatLeft();

    void theDigestOfTheParityIsTheParityOfTheDigests_data();
    void theDigestOfTheParityIsTheParityOfTheDigests();
    void contentsAreShownPageByPage();
};

// ---- batches

void TestParityBatches::aBatchIsStagedUntilItsDecision()
{
    ParityRig rig;
    rig.delta(rig.insert(0, 1, 70, "a"));
    const Step step = rig.batch({ .q = 0, .sequence = 2, .entries = { entry(BlockEntry::Kind::Delete, 70, 1, "a") } });
    QCOMPARE(step.count(Body::kAck, ParityRig::nodeOf(0)), std::size_t(1));
    QCOMPARE(step.of(Happened::kSplitPrepared).at(0).split_prepared().sequence(), 2u);
    QCOMPARE(rig.parity().applied(Position(0)), Sequence(1));
    QCOMPARE(rig.differenceToModel(), ""); // nothing has changed
}

void TestParityBatches::aCommittedBatchIsOneChangeInTheSequence()
{
    ParityRig rig;
    rig.delta(rig.insert(0, 1, 70, "a"));
    rig.delta(rig.insert(0, 2, 71, "b"));
    rig.delta(rig.insert(0, 3, 72, "c"));
    // 70 leaves, 72 moves from rank 3 to rank 1.
    rig.batch({ .q = 0,
        .sequence = 4,
        .entries = { entry(BlockEntry::Kind::Delete, 70, 1, "a"), entry(BlockEntry::Kind::Delete, 72, 3, "c"),
            entry(BlockEntry::Kind::Insert, 72, 1, "c") } });
    rig.sequences[0] = 4;
    auto& records = rig.model.positions[0];
    records = { { 1, { 72, "c", 4 } }, { 2, { 71, "b", 2 } } };
    const Change after = rig.update(0, 1, "see");
    QCOMPARE(appliedSaid(rig.delta(after), 0), 3); // waits for the decision as for any predecessor
    const Step step = rig.commit(9, 0);
    QCOMPARE(appliedSaid(step, 0), 5);
    QCOMPARE(rig.differenceToModel(), "");
    const pb::BatchApplied event = step.of(Happened::kBatchApplied).at(0).batch_applied();
    QCOMPARE(event.sequence(), 4u);
    QCOMPARE(event.level(), 3u);
    QCOMPARE(event.ranks_size(), 3);
    QCOMPARE(step.of(Body::kApplied, ParityRig::kCoordinator).at(0).message.applied().bucket(), 0u);
    QCOMPARE(step.of(Body::kApplied, ParityRig::kCoordinator).at(0).message.applied().role(), pb::PARITY);
}

void TestParityBatches::anAbortedBatchIsAnEmptyChange()
{
    for (const bool isComplete : { true, false }) {
        ParityRig rig;
        rig.delta(rig.insert(0, 1, 70, "a"));
        rig.batch({ .q = 0,
            .sequence = isComplete ? 2u : 0u,
            .isLast = isComplete,
            .entries = { entry(BlockEntry::Kind::Delete, 70, 1, "a") } });
        if (isComplete)
            rig.sequences[0] = 2; // the number counts, and is not used again
        const Change after = rig.insert(0, 2, 71, "b");
        rig.delta(after);
        const Step step = rig.abort(9, 0);
        QCOMPARE(rig.parity().applied(Position(0)), rig.sequences[0]);
        QCOMPARE(step.count(Happened::kBatchApplied), std::size_t(0));
        QCOMPARE(step.count(Body::kApplied), std::size_t(1));
        QCOMPARE(rig.differenceToModel(), "");
    }
}

void TestParityBatches::anAbortedBatchOfWhichNothingArrivedIsAnEmptyChangeToo()
{
    ParityRig rig;
    rig.delta(rig.insert(0, 1, 70, "a"));
    rig.sequences[0] = 2;
    rig.delta(rig.insert(0, 2, 71, "b")); // sequence 3 waits for 2
    QCOMPARE(appliedSaid(rig.abort(9, 0), 0), 1); // the parity bucket does not know which number the batch had
    QCOMPARE(appliedSaid(rig.batch({ .q = 0, .sequence = 2, .asksOnly = true }), 0), 3); // the data bucket says so
    QCOMPARE(rig.differenceToModel(), "");
    // Asked before the decision arrives, it reports only what is applied.
    ParityRig other;
    QCOMPARE(appliedSaid(other.batch({ .q = 0, .sequence = 1, .asksOnly = true }), 0), 0);
    other.abort(9, 0);
    QCOMPARE(appliedSaid(other.batch({ .q = 0, .sequence = 1, .asksOnly = true }), 0), 1);
}

void TestParityBatches::theLastWordAboutARankCounts()
{
    // The source went on while it was copied: 70 was announced as leaving, then deleted; 71 was announced as leaving,
    // then updated; the move of 72 to rank 1 was announced, then 72 was updated; 73 was to move to rank 2 and was
    // deleted.
    ParityRig rig;
    for (std::uint32_t rank = 1; rank <= 4; ++rank)
        rig.delta(rig.insert(0, rank, 69 + rank, std::string(1, char('a' + rank - 1))));
    using Kind = BlockEntry::Kind;
    rig.batch({ .q = 0,
        .sequence = 0,
        .isLast = false,
        .entries = { entry(Kind::Delete, 70, 1, "a"), entry(Kind::Delete, 71, 2, "b"), entry(Kind::Delete, 73, 4, "d"),
            entry(Kind::Insert, 73, 2, "d"), entry(Kind::Delete, 72, 3, "c"), entry(Kind::Insert, 72, 1, "c") } });
    rig.delta(rig.erase(0, 1));
    rig.delta(rig.update(0, 2, "bb"));
    rig.delta(rig.update(0, 3, "cc"));
    rig.delta(rig.erase(0, 4));
    const Sequence sequence = rig.sequences[0] + 1;
    rig.batch({ .q = 0,
        .sequence = sequence,
        .block = 1,
        .entries = { entry(Kind::Void, 0, 1, ""), entry(Kind::Delete, 71, 2, "bb"), entry(Kind::Delete, 72, 3, "cc"),
            entry(Kind::Insert, 72, 1, "cc"), entry(Kind::Void, 0, 4, "") } });
    const Step step = rig.commit(9, 0);
    rig.sequences[0] = sequence;
    rig.model.positions[0] = { { 1, { 72, "cc", sequence } } };
    QCOMPARE(rig.differenceToModel(), "");
    const pb::BatchApplied event = step.of(Happened::kBatchApplied).at(0).batch_applied();
    QCOMPARE(event.ranks_size(), 3); // two deletes, one insert
}

void TestParityBatches::blocksOfABatchAreTakenInOrderAndOnce()
{
    ParityRig rig;
    rig.delta(rig.insert(0, 1, 70, "a"));
    rig.delta(rig.insert(0, 2, 71, "b"));
    const ParityRig::Batch first {
        .q = 0, .sequence = 3, .block = 0, .isLast = false, .entries = { entry(BlockEntry::Kind::Delete, 70, 1, "a") }
    };
    const ParityRig::Batch last {
        .q = 0, .sequence = 3, .block = 1, .isLast = true, .entries = { entry(BlockEntry::Kind::Delete, 71, 2, "b") }
    };
    QCOMPARE(rig.batch(last).count(Body::kAck), std::size_t(0)); // waits for its turn
    Step step = rig.batch(first);
    QCOMPARE(step.count(Body::kAck), std::size_t(2)); // now it is next
    QCOMPARE(step.count(Happened::kSplitPrepared), std::size_t(1));
    QCOMPARE(rig.batch(first).count(Body::kAck), std::size_t(1));
    QCOMPARE(rig.batch(last).count(Happened::kSplitPrepared), std::size_t(0));
    rig.commit(9, 0);
    rig.model.positions[0].clear();
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBatches::aMalformedBlockIsNotAcknowledged()
{
    ParityRig rig;
    pb::Message message = rig.batchMessage(
        { .q = 0, .sequence = 1, .entries = { entry(BlockEntry::Kind::Insert, 70, 1, "abc") } });
    const std::string whole = message.prepare_batch().changes();
    for (std::size_t length = 1; length < whole.size(); ++length) {
        message.mutable_prepare_batch()->set_changes(whole.substr(0, length));
        const Step step = rig.driven.message(message);
        QVERIFY(!step.acknowledges(message));
        QCOMPARE(step.count(Happened::kSplitPrepared), std::size_t(0));
    }
    message.mutable_prepare_batch()->set_changes(whole);
    QVERIFY(rig.driven.message(message).acknowledges(message));
}

void TestParityBatches::lateWordsAboutADecidedSplitChangeNothing()
{
    for (const bool isCommitted : { true, false }) {
        ParityRig rig;
        rig.delta(rig.insert(0, 1, 70, "a"));
        const pb::Message block = rig.batchMessage(
            { .q = 0, .sequence = 2, .entries = { entry(BlockEntry::Kind::Delete, 70, 1, "a") } });
        rig.driven.message(block);
        isCommitted ? rig.commit(9, 0) : rig.abort(9, 0);
        rig.sequences[0] = 2;
        if (isCommitted)
            rig.model.positions[0].clear();
        for (int round = 0; round < 2; ++round) {
            QVERIFY(rig.driven.message(block).acknowledges(block));
            QCOMPARE(
                (isCommitted ? rig.commit(9, 0) : rig.abort(9, 0)).count(Body::kApplied), std::size_t(1)); // said again
            QCOMPARE(appliedSaid(rig.batch({ .q = 0, .sequence = 2, .asksOnly = true }), 0), 2);
            QCOMPARE(rig.differenceToModel(), "");
            QCOMPARE(rig.parity().held(), 0u);
        }
        rig.delta(rig.insert(0, 5, 75, "next"));
        QCOMPARE(rig.differenceToModel(), "");
    }
}

void TestParityBatches::blocksOfAnUndoneSplitDoNothingToTheNext_data()
{
    // The number of the undone split if its source was closed; such a number is an empty change.
    QTest::addColumn<quint32>("sequence");
    QTest::newRow("it was closed") << 4u;
    QTest::newRow("it was not") << 0u;
}

void TestParityBatches::blocksOfAnUndoneSplitDoNothingToTheNext()
{
    QFETCH(quint32, sequence);
    ParityRig rig;
    for (std::uint32_t rank = 1; rank <= 3; ++rank)
        rig.delta(rig.insert(0, rank, 69 + rank, std::string(1, char('a' + rank - 1))));
    using Kind = BlockEntry::Kind;
    // One block of the first split arrived in time. The second split has other entries for the same ranks.
    const ParityRig::Batch came {
        .q = 0, .split = 9, .sequence = 0, .isLast = false, .entries = { entry(Kind::Delete, 70, 1, "a") }
    };
    rig.batch(came);
    rig.abort(9, 0);
    rig.sequences[0] = std::max<Sequence>(3, sequence);
    const Sequence last = rig.sequences[0] + 2;
    const auto comeLate = [&] {
        for (const std::uint32_t block : { 0u, 1u, 2u }) {
            const bool isLast = block == 2 && sequence != 0;
            const Step step = rig.batch({ .q = 0,
                .split = 9,
                .sequence = isLast ? sequence : 0,
                .block = block,
                .isLast = isLast,
                .entries = { entry(Kind::Delete, 72, 3, "c"), entry(Kind::Void, 0, 2, "") } });
            QCOMPARE(step.count(Happened::kSplitPrepared) + step.count(Happened::kBatchApplied), std::size_t(0));
        }
    };
    comeLate();
    if (sequence != 0)
        rig.batch({ .q = 0, .split = 9, .sequence = sequence, .asksOnly = true });
    QCOMPARE(rig.parity().applied(Position(0)), rig.sequences[0]);
    comeLate();
    rig.batch({ .q = 0, .split = 10, .sequence = 0, .isLast = false, .entries = { entry(Kind::Delete, 71, 2, "b") } });
    comeLate();
    rig.delta(rig.update(0, 1, "aa"));
    rig.batch({ .q = 0,
        .split = 10,
        .sequence = 0,
        .block = 1,
        .isLast = false,
        .entries = { entry(Kind::Insert, 90, 5, "new") } });
    comeLate();
    QCOMPARE(
        rig.batch({ .q = 0, .split = 10, .sequence = last, .block = 2, .entries = {} }).count(Happened::kSplitPrepared),
        std::size_t(1));
    comeLate();
    QCOMPARE(rig.commit(10, 0).of(Happened::kBatchApplied).at(0).batch_applied().ranks_size(), 2);
    comeLate();
    rig.model.positions[0].erase(2);
    rig.model.positions[0][5] = { 90, "new", last };
    QCOMPARE(rig.differenceToModel(), "");
    QCOMPARE(rig.parity().applied(Position(0)), last);
    QCOMPARE(rig.parity().held(), 0u);
}

void TestParityBatches::aSplitWithinTheGroupMovesMembersFromOnePositionToAnother()
{
    ParityRig::Options options;
    options.data = { 0 };
    ParityRig rig(options);
    for (std::uint32_t r = 1; r <= 4; ++r)
        rig.delta(rig.insert(0, r, r, "value " + std::to_string(r)));
    rig.options.data = { 0, 1 };
    rig.epoch(rig.view(2));
    // Odd keys leave for position 1; key 4 takes the rank of key 1.
    rig.batch({ .q = 0,
        .sequence = 5,
        .level = 1,
        .entries = { entry(BlockEntry::Kind::Delete, 1, 1, "value 1"), entry(BlockEntry::Kind::Delete, 3, 3, "value 3"),
            entry(BlockEntry::Kind::Delete, 4, 4, "value 4"), entry(BlockEntry::Kind::Insert, 4, 1, "value 4") },
        .epoch = 2 });
    rig.batch({ .q = 1,
        .sequence = 1,
        .level = 1,
        .entries = { entry(BlockEntry::Kind::Insert, 1, 1, "value 1"),
            entry(BlockEntry::Kind::Insert, 3, 2, "value 3") },
        .epoch = 2 });
    QCOMPARE(rig.differenceToModel(), "");
    QCOMPARE(rig.commit(9, 0).count(Happened::kBatchApplied), std::size_t(1)); // only the source's
    rig.model.positions[0] = { { 1, { 4, "value 4", 5 } }, { 2, { 2, "value 2", 2 } } };
    QCOMPARE(rig.differenceToModel(), "");
    QCOMPARE(rig.commit(9, 1).count(Happened::kBatchApplied), std::size_t(1));
    rig.model.positions[1] = { { 1, { 1, "value 1", 1 } }, { 2, { 3, "value 3", 1 } } };
    QCOMPARE(rig.differenceToModel(), "");
    QCOMPARE(rig.parity().applied(Position(0)), Sequence(5));
    QCOMPARE(rig.parity().applied(Position(1)), Sequence(1));
}

void TestParityBatches::theTargetOfAnUndoneSplitLeavesNothingBehind()
{
    ParityRig::Options options;
    options.data = { 0 };
    ParityRig rig(options);
    rig.delta(rig.insert(0, 1, 1, "one"));
    rig.options.data = { 0, 1 };
    rig.epoch(rig.view(2));
    rig.batch(
        { .q = 1, .sequence = 1, .level = 1, .entries = { entry(BlockEntry::Kind::Insert, 1, 1, "one") }, .epoch = 2 });
    rig.abort(9, 0);
    rig.abort(9, 1);
    rig.options.data = { 0 };
    rig.epoch(rig.view(3));
    QCOMPARE(rig.parity().applied(Position(1)), Sequence(0));
    QCOMPARE(rig.parity().held(), 0u);
    // The next target is another process with another incarnation, and starts at sequence 1.
    pb::View view = rig.view(4);
    *view.add_members() = memberOf(pb::DATA, 1, holderOf(30, 999), pb::INIT, 1);
    rig.epoch(view);
    Change change {
        .q = 1, .sequence = 1, .rank = 1, .key = 5, .delta = "five", .length = 4, .epoch = 4, .incarnation = 999
    };
    QCOMPARE(appliedSaid(rig.delta(change), 1), 1);
    rig.model.positions[1][1] = { 5, "five", 1 };
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBatches::aBatchHandsOverResultsAndDropsThoseOfKeysThatLeft()
{
    ParityRig::Options options;
    options.data = { 0, 1 };
    ParityRig rig(options);
    rig.delta(rig.insert(0, 1, 2, "stays"));
    rig.delta(rig.insert(0, 2, 1, "leaves"));
    rig.batch({ .q = 0, .sequence = 3, .level = 1, .entries = { entry(BlockEntry::Kind::Delete, 1, 2, "leaves") } });
    rig.batch({ .q = 1,
        .sequence = 1,
        .level = 1,
        .entries = { entry(BlockEntry::Kind::Insert, 1, 1, "leaves"),
            BlockEntry::ofResult(Key(1), NodeRig::kClient, 2, std::uint8_t(pb::OK)),
            BlockEntry::ofDoneBelow(NodeRig::kClient, 2) } });
    rig.commit(9, 0);
    rig.commit(9, 1);
    QVERIFY(rig.parity().results(Position(0)).find(requestId(1)));
    QVERIFY(!rig.parity().results(Position(0)).find(requestId(2)));
    QCOMPARE(rig.parity().results(Position(1)).find(requestId(2))->result, pb::OK);
    QVERIFY(rig.parity().results(Position(1)).isBygone(requestId(1)));
}

// ---- what it shows

void TestParityBatches::theDigestOfTheParityIsTheParityOfTheDigests_data()
{
    QTest::addColumn<int>("field");
    QTest::addColumn<quint32>("column");
    for (const pb::Field field : { pb::GF_16, pb::GF_8 })
        for (quint32 column = 0; column < 3; ++column)
            QTest::addRow("%s, parity bucket %u", field == pb::GF_16 ? "GF(2^16)" : "GF(2^8)", column)
                << int(field) << column;
}

void TestParityBatches::theDigestOfTheParityIsTheParityOfTheDigests()
{
    QFETCH(int, field);
    QFETCH(quint32, column);
    ParityRig rig(with(column, pb::Field(field)));
    const Field calculates(field == pb::GF_16 ? FieldWidth::Gf16 : FieldWidth::Gf8);
    std::map<std::uint32_t, std::string> digests;
    for (const auto& [q, length] :
        std::map<std::uint32_t, std::uint32_t> { { 0, 33 }, { 1, 0 }, { 2, 1000 }, { 3, 7 } }) {
        const std::string value = makeValue(q, Key(q), 1, length);
        rig.delta(rig.insert(q, 1, q, value));
        const std::uint64_t digest = linearDigest(calculates, value);
        digests[q] = std::string(reinterpret_cast<const char*>(&digest), 8);
    }
    pb::Command command;
    command.mutable_audit()->set_rank_from(1);
    const pb::AuditPage page = rig.driven.command(command).replies.at(0).audit();
    QCOMPARE(page.ranks_size(), 1);
    QCOMPARE(page.applied_size(), 4);
    const std::uint64_t found = page.ranks(0).digest();
    std::string bytes(reinterpret_cast<const char*>(&found), 8);
    while (!bytes.empty() && bytes.back() == '\0')
        bytes.pop_back();
    QVERIFY(bytes == expectedParity(digests, column, field == pb::GF_16));
    QVERIFY(linearDigest(calculates, std::string("ab\0\0\0\0", 6)) == linearDigest(calculates, "ab"));
}

void TestParityBatches::contentsAreShownPageByPage()
{
    ParityRig rig;
    for (std::uint32_t r = 1; r <= 20; ++r)
        rig.delta(rig.insert(r % 4, r, 100 + r, "v" + std::to_string(r)));
    std::uint32_t from = 1, seen = 0;
    for (int pages = 0; from != 0; ++pages) {
        QVERIFY(pages < 4);
        pb::Command command;
        command.set_ticket(5);
        command.mutable_read_contents()->set_rank_from(from);
        command.mutable_read_contents()->set_count(7);
        const pb::CommandReply reply = rig.driven.command(command).replies.at(0);
        QCOMPARE(reply.ticket(), 5u);
        for (const auto& row : reply.contents().parity()) {
            QCOMPARE(row.rank(), ++seen);
            QCOMPARE(row.members(0).key(), 100u + seen);
            QCOMPARE(row.members(0).position(), seen % 4);
            QVERIFY(!row.parity().empty());
        }
        from = reply.contents().next_rank();
    }
    QCOMPARE(seen, 20u);
}

QTEST_APPLESS_MAIN(TestParityBatches)
#include "tst_parity_batches.moc"
