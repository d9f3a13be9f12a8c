// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of a split while the source continues to serve: how the target treats repeated records, blocks of an undone
// split, and the whole split between real buckets.
#include "common/lhrs/linear_hash.h"
#include "node/machine/requests/ledger.h"
#include "tests/rigs/core/file_check.h"
#include "tests/lhrs/split_rigs.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

BlockEntry takenBack(std::uint64_t key)
{
    return { .kind = BlockEntry::Kind::Delete, .key = Key(key), .rank = Rank(1), .bytes = {} };
}

// A target that takes blocks, and the entries that it sends to its first parity bucket.
struct HearingRig : TargetRig {
    using TargetRig::TargetRig;
    Step take(bool isLast, const std::vector<BlockEntry>& entries)
    {
        const Step step = driven.message(moveMessage(blocks++, isLast, entries, options.creation));
        for (const Step::Sent& sent : step.of(Body::kPrepareBatch)) {
            if (sent.to == kParity)
                staged.push_back(sent.message.prepare_batch().changes());
            ack(sent.message, sent.to);
        }
        return step;
    }
    void commit()
    {
        driven.message(commitOrder(options.creation));
        allAcked();
    }
    QStringList words() const
    {
        QStringList words;
        for (const std::string& block : staged) {
            for (const BlockEntry& entry : entriesOf(block)) {
                const QString what = entry.kind == BlockEntry::Kind::Insert ? "insert"
                    : entry.kind == BlockEntry::Kind::Void                  ? "void"
                                                                            : "other";
                const QString value = QString::fromStdString(std::string(entry.bytes));
                words << QString("%1 %2 at %3 '%4'").arg(what).arg(entry.key.value).arg(entry.rank.value).arg(value);
            }
        }
        return words;
    }
    // The difference between the target's records and a parity bucket that applies these entries; "" if there is none.
    std::string parityProblem() const
    {
        ParityRig parity;
        ParityRig::Batch batch { .q = 1, .split = options.creation, .sequence = 1, .level = 1 };
        for (const std::string& block : staged) {
            for (const BlockEntry& entry : entriesOf(block))
                batch.entries.push_back(entry);
        }
        parity.batch(batch);
        parity.commit(options.creation, 1);
        for (Rank r(1); r <= data().store().rankMax(); r = r.next()) {
            if (!data().store().has(r))
                continue;
            const RecordStore::Record record = data().store().at(r);
            parity.model.positions[1][r.value] = { record.key.value, std::string(record.value), record.version };
        }
        return parity.differenceToModel();
    }

    std::uint32_t blocks = 0;
    std::vector<std::string> staged;
};

} // namespace

class TestSplitEnds : public QObject {
    Q_OBJECT

private slots:
    void aRecordThatComesAgainIsUpdatedAtItsRank();
    void aRecordThatIsTakenBackLeavesItsRankUnusedToTheEnd();
    void aRecordThatComesAgainAfterItWasTakenBackHasAnotherRank();
    void takingBackWhatNeverCameSaysNothing();
    void blocksOfAnUndoneSplitDoNothingAtTheNextTarget();

    void theFileIsRightWhateverChangesMeanwhile_data();
    void theFileIsRightWhateverChangesMeanwhile();
};

// ---- the target

void TestSplitEnds::aRecordThatComesAgainIsUpdatedAtItsRank()
{
    HearingRig rig;
    rig.take(false, { leaver(1, 1, "one"), leaver(3, 2, "three") });
    const Step step = rig.take(false, { leaver(1, 1, "one, and longer") });
    const pb::RecordsMoved event = step.of(Happened::kRecordsMoved).at(0).records_moved();
    QCOMPARE(event.keys_size(), 1);
    QCOMPARE(event.new_ranks(0), 1u);
    rig.take(true, { leaver(3, 2, ""), leaver(3, 2, "3") }); // also twice in one block
    QCOMPARE(rig.words(),
        (QStringList { "insert 1 at 1 'one'", "insert 3 at 2 'three'", "insert 1 at 1 'one, and longer'",
            "insert 3 at 2 ''", "insert 3 at 2 '3'" }));
    QCOMPARE(rig.parityProblem(), "");
    rig.commit();
    QCOMPARE(rig.data().store().count(), 2u);
    QCOMPARE(replyOf(rig.search(1)).value(), "one, and longer");
    QCOMPARE(replyOf(rig.search(3)).value(), "3");
}

void TestSplitEnds::aRecordThatIsTakenBackLeavesItsRankUnusedToTheEnd()
{
    HearingRig rig;
    rig.take(false, { leaver(1, 1, "one"), leaver(3, 2, "three") });
    const Step step = rig.take(false, { takenBack(1), leaver(5, 7, "five") });
    const pb::RecordsMoved event = step.of(Happened::kRecordsMoved).at(0).records_moved();
    QCOMPARE(event.gone_ranks_size(), 1);
    QCOMPARE(event.gone_ranks(0), 1u);
    rig.take(true, { leaver(7, 8, "seven") });
    QCOMPARE(rig.words(),
        (QStringList { "insert 1 at 1 'one'", "insert 3 at 2 'three'", "void 1 at 1 ''", "insert 5 at 3 'five'",
            "insert 7 at 4 'seven'" }));
    QCOMPARE(rig.parityProblem(), "");
    rig.commit();
    QCOMPARE(replyOf(rig.search(1)).result(), pb::NOT_FOUND);
    QCOMPARE(rig.data().store().count(), 3u);
    // No parity bucket knows a record at this rank any more.
    rig.put(9, "nine");
    QCOMPARE(rig.data().store().find(Key(9)), Rank(1));
}

void TestSplitEnds::aRecordThatComesAgainAfterItWasTakenBackHasAnotherRank()
{
    HearingRig rig;
    rig.take(false, { leaver(1, 1, "one"), leaver(3, 2, "three") });
    rig.take(false, { takenBack(1) });
    rig.take(false, { leaver(1, 30, "one again") }); // deleted and inserted at the source, which gave it a new rank
    rig.take(false, { takenBack(3), leaver(3, 31, "three again") });
    rig.take(true, { takenBack(1), leaver(1, 32, "the third one") });
    QCOMPARE(rig.words(),
        (QStringList { "insert 1 at 1 'one'", "insert 3 at 2 'three'", "void 1 at 1 ''", "insert 1 at 3 'one again'",
            "void 3 at 2 ''", "insert 3 at 4 'three again'", "void 1 at 3 ''", "insert 1 at 5 'the third one'" }));
    QCOMPARE(rig.parityProblem(), "");
    rig.commit();
    QCOMPARE(rig.data().store().count(), 2u);
    QCOMPARE(replyOf(rig.search(1)).value(), "the third one");
    QCOMPARE(replyOf(rig.search(3)).value(), "three again");
}

void TestSplitEnds::takingBackWhatNeverCameSaysNothing()
{
    HearingRig rig;
    rig.take(false, { takenBack(9) }); // also as the very first entry
    QCOMPARE(rig.take(false, { leaver(1, 1, "one"), takenBack(3), takenBack(1), takenBack(1) })
                 .count(Happened::kRecordsMoved),
        std::size_t(1));
    rig.take(true, { leaver(5, 3, "five") });
    QCOMPARE(rig.words(), (QStringList { "insert 1 at 1 'one'", "void 1 at 1 ''", "insert 5 at 2 'five'" }));
    QCOMPARE(rig.parityProblem(), "");
    rig.commit();
    QCOMPARE(rig.data().store().count(), 1u);
    for (const std::uint64_t key : { 1u, 3u, 9u })
        QCOMPARE(replyOf(rig.search(key)).result(), pb::NOT_FOUND);
}

void TestSplitEnds::blocksOfAnUndoneSplitDoNothingAtTheNextTarget()
{
    // The source began its second attempt, whose target is this bucket; blocks of the first attempt are still on their
    // way. Each has the block number that is expected next here.
    DataRig::Options options = target();
    options.creation = kSplit + 1;
    HearingRig rig(options);
    const auto comeLate = [&rig] {
        for (const bool isLast : { false, true }) {
            const std::vector<BlockEntry> undone { leaver(1, 1, "undone"), leaver(99, 9, "undone"), takenBack(3) };
            const Step step = rig.driven.message(rig.moveMessage(rig.blocks, isLast, undone, kSplit));
            QCOMPARE(step.count(Body::kPrepareBatch) + step.count(Body::kPrepared), std::size_t(0));
        }
    };
    comeLate();
    rig.take(false, { leaver(1, 1, "one"), leaver(3, 2, "three") });
    comeLate();
    rig.take(true, { leaver(5, 3, "five") });
    comeLate();
    QCOMPARE(rig.words(), (QStringList { "insert 1 at 1 'one'", "insert 3 at 2 'three'", "insert 5 at 3 'five'" }));
    rig.commit();
    comeLate();
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(rig.data().store().count(), 3u);
    QCOMPARE(replyOf(rig.search(1)).value(), "one");
    QCOMPARE(replyOf(rig.search(3)).value(), "three");
}

// ---- both, with their parity buckets

void TestSplitEnds::theFileIsRightWhateverChangesMeanwhile_data()
{
    QTest::addColumn<quint32>("m");
    QTest::addColumn<quint32>("k");
    QTest::addColumn<int>("rerank");
    QTest::addColumn<int>("seed");
    for (quint32 m : { 2u, 4u }) {
        for (quint32 k = 0; k <= 2; ++k) {
            for (int seed = 1; seed <= 3; ++seed) {
                QTest::addRow("m = %u, k = %u, fill holes, %d", m, k, seed) << m << k << int(pb::FILL_HOLES) << seed;
                QTest::addRow("m = %u, k = %u, keep, %d", m, k, seed) << m << k << int(pb::KEEP) << seed;
            }
        }
    }
}

void TestSplitEnds::theFileIsRightWhateverChangesMeanwhile()
{
    QFETCH(quint32, m);
    QFETCH(quint32, k);
    QFETCH(int, rerank);
    QFETCH(int, seed);
    FileRig::Options options;
    options.config = fileConfig(m, k, 40); // four buckets of at most forty keys
    options.config.set_rerank(pb::Rerank(rerank));
    options.dataSpares = options.paritySpares = 6;
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    SeededNumbers numbers(std::uint64_t(seed) * 977);

    // Blocks arrive in order, but acknowledgements come back late and in any order: each is delayed again and again.
    std::set<std::pair<std::uint64_t, std::uint64_t>> blocks; // sender and message
    std::map<std::uint64_t, std::set<std::uint64_t>> told; // split -> keys
    std::size_t toldAgain = 0, tookBack = 0;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        const pb::Message& message = *packet.message;
        if (message.has_ack() && blocks.contains({ packet.to, message.answers() }) && numbers.below(16) != 0) {
            rig.cluster.inject(packet.to, message);
            return false;
        }
        if (message.has_prepare_batch() || message.has_move_records())
            blocks.emplace(packet.from, message.id());
        if (message.has_move_records()) {
            for (const BlockEntry& entry : entriesOf(message.move_records().records())) {
                if (entry.kind == BlockEntry::Kind::Delete)
                    ++tookBack;
                else if (entry.kind == BlockEntry::Kind::Insert
                    && !told[message.move_records().split()].insert(entry.key.value).second)
                    ++toldAgain;
            }
        }
        return true;
    };

    std::map<std::uint64_t, std::string> model; // the client does operations on one key in turn
    std::vector<std::uint64_t> tickets;
    const auto change = [&](pb::OperationKind kind, std::uint64_t key, const std::string& value) {
        pb::Command command;
        command.mutable_operate()->set_kind(kind);
        command.mutable_operate()->set_key(key);
        command.mutable_operate()->set_value(value);
        tickets.push_back(rig.cluster.command(FileRig::kClient, command));
        if (kind == pb::DELETE)
            model.erase(key);
        else
            model[key] = value;
    };
    for (std::uint32_t n = 0; n < 450; ++n) {
        const std::uint64_t key = numbers.below(160);
        const std::string value = makeValue(1, Key(key), n, 2 + 2 * std::uint32_t(numbers.below(800)));
        if (!model.contains(key)) {
            change(pb::INSERT, key, value);
        } else if (numbers.below(2) == 0) {
            change(pb::UPDATE, key, value);
        } else {
            change(pb::DELETE, key, {});
            if (numbers.below(2) == 0)
                change(pb::INSERT, key, value);
        }
        if (numbers.below(6) == 0)
            rig.cluster.run(Time(numbers.below(300'000)));
    }
    const auto isAnswered = [&rig](std::uint64_t ticket) { return rig.cluster.reply(ticket) != nullptr; };
    QVERIFY(rig.cluster.runUntil([&] { return std::all_of(tickets.begin(), tickets.end(), isAnswered); }, 60s));
    for (const std::uint64_t ticket : tickets)
        QCOMPARE(rig.cluster.reply(ticket)->operation().result(), pb::OK);
    QVERIFY(rig.waitForRest());

    const FileState& file = rig.coordinator().file();
    QVERIFY(file.buckets() > 2 && toldAgain > 0 && tookBack > 0);
    std::size_t records = 0;
    for (std::uint32_t a = 0; a < file.buckets(); ++a)
        records += rig.data(a)->store().count();
    QCOMPARE(records, model.size());
    for (const auto& [key, value] : model) {
        const RecordStore& store = rig.data(addressOf(Key(key), file.image()).value)->store();
        QVERIFY2(store.find(Key(key)).value != 0, qPrintable(QString::number(key)));
        QVERIFY2(store.at(store.find(Key(key))).value == value, qPrintable(QString::number(key)));
    }
    QCOMPARE(parityProblem(rig), "");
}

QTEST_APPLESS_MAIN(TestSplitEnds)
#include "tst_split_ends.moc"
