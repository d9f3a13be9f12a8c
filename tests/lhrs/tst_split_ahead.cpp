// SPDX-License-Identifier: GPL-3.0-or-later
// A source that continues to serve while it copies: changes behind its marks reach both the target and the parity
// buckets.
#include "tests/lhrs/split_rigs.h"

#include <QTest>

#include <random>

using namespace lhrs;
using namespace lhrs::test;

namespace {

struct Stored {
    std::uint64_t key = 0;
    std::string value = {};
    bool operator==(const Stored&) const = default;
};
using Ranks = std::map<std::uint32_t, Stored>;

Ranks ranksOf(const RecordStore& store)
{
    Ranks ranks;
    for (Rank r(1); r <= store.rankMax(); r = r.next()) {
        if (store.has(r))
            ranks[r.value] = { store.at(r).key.value, std::string(store.at(r).value) };
    }
    return ranks;
}

// The last entry for one rank: a delete, and the insert of the same key that belongs to it if the record moves; an
// insert; or no change.
struct Word {
    BlockEntry first;
    std::optional<BlockEntry> to;
};

// Applies the batch to the records; returns why it does not fit them, or "".
std::string carryOut(const std::vector<std::string>& blocks, Ranks& ranks)
{
    std::map<std::uint32_t, Word> words;
    std::uint32_t last = 0;
    for (const std::string& block : blocks) {
        for (const BlockEntry& entry : entriesOf(block)) {
            if (entry.isOfRequests())
                continue;
            Word* before = words.contains(last) ? &words.at(last) : nullptr;
            if (entry.kind == BlockEntry::Kind::Insert && before && before->first.kind == BlockEntry::Kind::Delete
                && before->first.key == entry.key) {
                before->to = entry;
                continue;
            }
            last = entry.rank.value;
            words[last] = { entry, {} };
        }
    }
    std::vector<BlockEntry> come;
    for (const auto& [rank, word] : words) {
        if (word.first.kind == BlockEntry::Kind::Void)
            continue;
        if (word.first.kind == BlockEntry::Kind::Insert) {
            come.push_back(word.first);
            continue;
        }
        if (!ranks.contains(rank) || ranks[rank] != Stored { word.first.key.value, std::string(word.first.bytes) })
            return "what leaves rank " + std::to_string(rank) + " is not what is there";
        ranks.erase(rank);
        if (word.to)
            come.push_back(*word.to);
    }
    for (const BlockEntry& entry : come) {
        if (!ranks.emplace(entry.rank.value, Stored { entry.key.value, std::string(entry.bytes) }).second)
            return "two records come to rank " + std::to_string(entry.rank.value);
    }
    return {};
}

// A source whose messages are kept until the test delivers them.
struct BusyRig : SourceRig {
    using SourceRig::SourceRig;
    void keep(const Step& step)
    {
        for (const Step::Sent& sent : step.sent) {
            if (sent.message.has_move_records()) {
                moves[sent.message.move_records().block()] = sent.message.move_records().records();
                open.push_back(sent);
            }
            if (sent.message.has_prepare_batch()) {
                batch[sent.message.prepare_batch().block()] = sent.message.prepare_batch();
                open.push_back(sent);
            }
        }
        prepared += step.count(Body::kPrepared);
        overloads += step.count(Body::kOverload);
    }
    void acknowledge()
    {
        for (std::uint32_t p = 0; p < options.k; ++p)
            keep(deltaAck(p, data().link().sequence()));
    }
    void take(std::size_t which)
    {
        const Step::Sent sent = open[which];
        open.erase(open.begin() + std::ptrdiff_t(which));
        keep(ack(sent.message, sent.to));
    }
    void change(std::uint64_t key, std::optional<std::string> value)
    {
        if (!value)
            keep(erase(key));
        else
            keep(values.contains(key) ? update(key, *value) : insert(key, *value));
        if (value)
            values[key] = *value;
        else
            values.erase(key);
    }
    void finishAll()
    {
        acknowledge();
        while (!open.empty())
            take(0);
    }
    // The records of the target at the end, and the number of records that were sent more than once.
    std::map<std::uint64_t, std::string> arrived()
    {
        std::map<std::uint64_t, std::string> records;
        for (const auto& [block, bytes] : moves) {
            for (const BlockEntry& entry : entriesOf(bytes)) {
                if (entry.isOfRequests())
                    continue;
                toldAgain += records.contains(entry.key.value) ? 1 : 0;
                if (entry.kind == BlockEntry::Kind::Delete)
                    records.erase(entry.key.value);
                else
                    records[entry.key.value] = std::string(entry.bytes);
            }
        }
        return records;
    }

    std::map<std::uint32_t, std::string> moves;
    std::map<std::uint32_t, pb::PrepareBatch> batch;
    std::vector<Step::Sent> open;
    std::size_t prepared = 0;
    std::size_t overloads = 0;
    std::size_t toldAgain = 0;
};

DataRig::Options with(int rerank)
{
    DataRig::Options options;
    options.config.set_rerank(pb::Rerank(rerank));
    return options;
}

// The number of a block, of either kind.
std::uint32_t blockNumber(const Step::Sent& sent)
{
    return sent.message.has_move_records() ? sent.message.move_records().block() : sent.message.prepare_batch().block();
}

DataRig::Options withCapacity(std::uint32_t b)
{
    DataRig::Options options;
    options.config.set_b(b);
    return options;
}

} // namespace

class TestSplitAhead : public QObject {
    Q_OBJECT

private slots:
    void changesGoOnWhileItCopies();
    void whateverChangesMeanwhileBothEndsAgree_data();
    void whateverChangesMeanwhileBothEndsAgree();
    void aLeaverThatWasDeletedAndComesAgainStaysAtTheTarget();
    void changesFasterThanBlocksEndItAllTheSame();
    void anAbortWhileItCopiesCostsNoNumber();
    void anAcknowledgementThatIsLostIsInALaterOne();
    void insertsAreRefusedWhenThereAreNoMoreRanks();
    void itReportsNoOverloadBeforeItsSplitIsFinished_data();
    void itReportsNoOverloadBeforeItsSplitIsFinished();
    void afterAnAbortItReportsAnOverloadOnce_data();
    void afterAnAbortItReportsAnOverloadOnce();
};

void TestSplitAhead::changesGoOnWhileItCopies()
{
    BusyRig rig(44, 50000);
    rig.keep(rig.order());
    QCOMPARE(rig.data().state(), pb::UP);
    for (const std::uint64_t c : { 1u, 2u }) { // one that leaves, one that stays
        const Step step = rig.update(c, "new");
        QCOMPARE(step.count(Body::kDelta), std::size_t(2));
        rig.keep(step);
        rig.acknowledge();
        QCOMPARE(replyOf(rig.search(c)).value(), "new");
    }
    rig.finishAll();
    QCOMPARE(rig.data().state(), pb::SPLITTING);
    QCOMPARE(rig.prepared, std::size_t(1));
    QCOMPARE(rig.update(1, "newer").sent.size(), std::size_t(0)); // held
}

void TestSplitAhead::whateverChangesMeanwhileBothEndsAgree_data()
{
    QTest::addColumn<int>("rerank");
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 25; ++seed) {
        QTest::addRow("fill holes, %d", seed) << int(pb::FILL_HOLES) << seed;
        QTest::addRow("keep, %d", seed) << int(pb::KEEP) << seed;
    }
}

void TestSplitAhead::whateverChangesMeanwhileBothEndsAgree()
{
    QFETCH(int, rerank);
    QFETCH(int, seed);
    std::mt19937_64 random(std::uint64_t(seed) * 977);
    const auto below = [&random](std::uint64_t limit) { return random() % limit; };
    BusyRig rig(90, 14000, with(rerank));
    for (const std::uint64_t c : { 4u, 7u, 30u, 31u }) // holes from before
        rig.change(c, std::nullopt);
    rig.acknowledge();
    rig.keep(rig.order());
    int changes = 0;
    while (rig.data().state() == pb::UP && changes < 400) {
        if (below(4) == 0 && !rig.open.empty()) {
            rig.take(below(rig.open.size()));
            continue;
        }
        const std::uint64_t key = below(130);
        if (rig.values.contains(key) && below(3) == 0)
            rig.change(key, std::nullopt);
        else
            rig.change(key, makeValue(1, Key(key), std::uint32_t(++changes), 2 + 2 * std::uint32_t(below(7000))));
        if (below(3) == 0)
            rig.acknowledge();
    }
    rig.finishAll();
    QCOMPARE(rig.prepared, std::size_t(1));

    std::map<std::uint64_t, std::string> leavers;
    for (const auto& [key, value] : rig.values) {
        if (key % 2 == 1)
            leavers[key] = value;
    }
    QVERIFY(rig.arrived() == leavers);
    QVERIFY(rig.toldAgain > 0);

    Ranks ranks = ranksOf(rig.data().store());
    std::vector<std::string> blocks;
    for (const auto& [number, part] : rig.batch) {
        QCOMPARE(number, std::uint32_t(blocks.size()));
        QCOMPARE(part.sequence(), part.is_last() ? rig.data().link().sequence() : 0);
        blocks.push_back(part.changes());
    }
    QVERIFY(rig.batch.rbegin()->second.is_last());
    QCOMPARE(QString::fromStdString(carryOut(blocks, ranks)), QString());
    rig.commit();
    QVERIFY(ranks == ranksOf(rig.data().store()));
    QCOMPARE(ranks.size(), rig.values.size() - leavers.size());
    for (const auto& [rank, stored] : ranks)
        QVERIFY(rig.values.at(stored.key) == stored.value && stored.key % 2 == 0);
    if (rerank == pb::FILL_HOLES)
        QCOMPARE(rig.data().store().rankMax().value, rig.data().store().count());
}

void TestSplitAhead::aLeaverThatWasDeletedAndComesAgainStaysAtTheTarget()
{
    BusyRig rig(44, 50000);
    rig.keep(rig.order());
    rig.change(1, std::nullopt);
    rig.acknowledge();
    rig.change(1, "more");
    rig.change(3, std::nullopt);
    rig.finishAll();
    const std::map<std::uint64_t, std::string> arrived = rig.arrived();
    QCOMPARE(arrived.at(1), "more");
    QVERIFY(!arrived.contains(3));
    QCOMPARE(arrived.size(), std::size_t(21));
}

void TestSplitAhead::changesFasterThanBlocksEndItAllTheSame()
{
    BusyRig rig(200, 3000);
    rig.keep(rig.order());
    int rounds = 0;
    for (; rig.data().state() == pb::UP && rounds < 500; ++rounds) {
        for (std::uint64_t c = 0; c < 200; ++c)
            rig.change(c, makeValue(1, Key(c), std::uint32_t(rounds + 2), 3000));
        rig.acknowledge();
        for (int taken = 0; taken < 10 && !rig.open.empty(); ++taken)
            rig.take(0);
    }
    QVERIFY(rounds > 10 && rounds < 500);
    rig.finishAll();
    QCOMPARE(rig.prepared, std::size_t(1));
}

void TestSplitAhead::anAbortWhileItCopiesCostsNoNumber()
{
    BusyRig rig(44, 50000);
    rig.keep(rig.order());
    const Sequence before = rig.data().link().sequence();
    rig.change(2, std::nullopt);
    rig.change(44, "new");
    rig.acknowledge();
    const Step step = rig.abort();
    QCOMPARE(step.count(Body::kApplied), std::size_t(1));
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(rig.data().link().sequence(), before + 2);
    QCOMPARE(step.count(Body::kPrepareBatch), std::size_t(0));
    // The reserved rank is free again.
    rig.change(46, "newer");
    QCOMPARE(rig.data().store().find(Key(46)), Rank(3));
}

void TestSplitAhead::anAcknowledgementThatIsLostIsInALaterOne()
{
    BusyRig rig(44, 50000);
    rig.keep(rig.order());
    const auto openBlock = [&rig](std::uint32_t block, std::uint64_t to) {
        const auto found = std::find_if(rig.open.begin(), rig.open.end(),
            [&](const Step::Sent& sent) { return blockNumber(sent) == block && sent.to == to; });
        return std::size_t(found - rig.open.begin());
    };
    const std::uint64_t target = DataRig::kData + 1, first = DataRig::kParity, second = DataRig::kParity + 1;
    for (const std::uint64_t to : { target, first, second })
        rig.take(openBlock(0, to));
    // All acknowledgements of block 1 are lost. The one of a parity bucket does not count for another.
    rig.take(openBlock(2, second));
    const auto again = [](const Step& step, Body body, std::uint64_t to) {
        const std::vector<Step::Sent> sent = step.of(body, to);
        return std::count_if(sent.begin(), sent.end(), [](const Step::Sent& s) { return blockNumber(s) == 1; });
    };
    Step step = rig.driven.pass(3s);
    QVERIFY(again(step, Body::kMoveRecords, target) > 0);
    QVERIFY(again(step, Body::kPrepareBatch, first) > 0);
    QCOMPARE(again(step, Body::kPrepareBatch, second), 0);
    std::size_t lost = 0; // they are first, and stay there
    while (lost < rig.open.size()) {
        if (blockNumber(rig.open[lost]) == 1)
            ++lost;
        else
            rig.take(lost);
    }
    QCOMPARE(lost, std::size_t(3));
    QCOMPARE(rig.prepared, std::size_t(1));
    step = rig.driven.pass(10s);
    QCOMPARE(step.count(Body::kMoveRecords) + step.count(Body::kPrepareBatch), std::size_t(0));
    rig.commit();
    rig.acknowledge();
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(rig.data().store().count(), 22u);
}

void TestSplitAhead::insertsAreRefusedWhenThereAreNoMoreRanks()
{
    // The target never acknowledges the first block, so the split does not end while records come and go.
    DataRig::Options options = withCapacity(1);
    options.k = 1;
    BusyRig rig(2, 20000, options);
    rig.order();
    const RecordStore& store = rig.data().store();
    const Rank limit = rankLimit(options.config);
    std::size_t changes = 0, answers = 0;
    while (store.rankMax() < limit) {
        const std::uint64_t key = 2 + store.rankMax().value % 2; // one that stays, one that leaves
        answers += rig.insert(key, "v").count(Body::kReply);
        answers += rig.erase(key).count(Body::kReply);
        changes += 2;
        if (changes % 256 == 0)
            answers += rig.allAcked().count(Body::kReply);
    }
    answers += rig.allAcked().count(Body::kReply);
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(store.rankMax(), limit); // the parity buckets know this rank
    QCOMPARE(answers, changes);
    QCOMPARE(rig.data().link().heldByAll(), Sequence(2 + changes));

    const Step step = rig.insert(4, "one too many");
    QCOMPARE(replyOf(step).result(), pb::RETRY);
    QCOMPARE(step.count(Body::kDelta), std::size_t(0));
    QCOMPARE(store.count(), 2u);
    QCOMPARE(store.rankMax(), limit);
    QCOMPARE(rig.data().link().sequence(), Sequence(2 + changes));
    QCOMPARE(rig.update(0, "what needs no rank").count(Body::kDelta), std::size_t(1));
    rig.erase(0);
    rig.allAcked();
    QCOMPARE(replyOf(rig.insert(0, "x")).result(), pb::RETRY); // the rank is reserved

    rig.abort();
    QCOMPARE(rig.insert(4, "now").count(Body::kDelta), std::size_t(1));
    QCOMPARE(replyOf(rig.allAcked()).result(), pb::OK);
    QVERIFY(store.find(Key(4)).value != 0 && store.find(Key(4)) <= limit);
    QCOMPARE(store.rankMax(), limit);
}

void TestSplitAhead::itReportsNoOverloadBeforeItsSplitIsFinished_data()
{
    QTest::addColumn<int>("before"); // records at the order; every second one stays
    QTest::addColumn<int>("more"); // records that stay, inserted while it copies
    QTest::addColumn<bool>("reports"); // an overload report when it is finished
    QTest::newRow("ordered below its capacity, ends at it") << 6 << 3 << false;
    QTest::newRow("ordered below its capacity, ends above it") << 6 << 4 << true;
    QTest::newRow("ordered when it had reported, ends at its capacity") << 8 << 2 << false;
    QTest::newRow("ordered when it had reported, ends above it") << 8 << 3 << true;
}

void TestSplitAhead::itReportsNoOverloadBeforeItsSplitIsFinished()
{
    QFETCH(int, before);
    QFETCH(int, more);
    QFETCH(bool, reports);
    BusyRig rig(std::uint64_t(before), 20000, withCapacity(6));
    rig.keep(rig.order());
    for (int round = 0; round < 2; ++round) { // far above b, and below it again
        for (std::uint64_t c = 100; c < 112; ++c)
            rig.change(c, "v");
        rig.acknowledge();
        for (std::uint64_t c = 100; c < 112; ++c)
            rig.change(c, std::nullopt);
        rig.change(0, std::nullopt);
        rig.change(1, std::nullopt);
        rig.acknowledge();
        rig.change(0, "v");
        rig.change(1, "v");
    }
    for (std::uint64_t c = 0; c < std::uint64_t(more); ++c)
        rig.change(200 + 2 * c, "v");
    QCOMPARE(rig.data().state(), pb::UP);
    rig.finishAll();
    QCOMPARE(rig.prepared, std::size_t(1));
    rig.keep(rig.commit());
    rig.acknowledge();
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(rig.data().store().count(), std::uint32_t(before / 2 + more));
    rig.change(0, "still");
    QCOMPARE(rig.overloads, std::size_t(0));
    rig.keep(rig.finish());
    QCOMPARE(rig.overloads, std::size_t(reports ? 1 : 0));
    rig.change(300, "v");
    QCOMPARE(rig.overloads, std::size_t(1));
}

void TestSplitAhead::afterAnAbortItReportsAnOverloadOnce_data()
{
    QTest::addColumn<int>("before");
    QTest::addColumn<int>("more"); // inserted while it copies; below 0: deleted
    QTest::addColumn<int>("reports"); // with the abort
    QTest::addColumn<int>("inAll"); // after one more insert
    QTest::newRow("at its capacity") << 6 << 0 << 0 << 1;
    QTest::newRow("above it since it copied") << 6 << 2 << 1 << 1;
    QTest::newRow("it had reported") << 8 << 0 << 0 << 0;
    QTest::newRow("it had reported, and has no more than its capacity now") << 8 << -2 << 0 << 1;
    QTest::newRow("it had reported, and has more now") << 8 << 2 << 0 << 0;
}

void TestSplitAhead::afterAnAbortItReportsAnOverloadOnce()
{
    QFETCH(int, before);
    QFETCH(int, more);
    QFETCH(int, reports);
    QFETCH(int, inAll);
    BusyRig rig(std::uint64_t(before), 20000, withCapacity(6));
    rig.keep(rig.order());
    for (int c = 0; c < more; ++c)
        rig.change(200 + std::uint64_t(c), "v");
    for (int c = 0; c < -more; ++c)
        rig.change(std::uint64_t(c), std::nullopt);
    rig.acknowledge();
    QCOMPARE(rig.data().state(), pb::UP);
    QCOMPARE(rig.overloads, std::size_t(0));
    rig.keep(rig.abort());
    QCOMPARE(rig.overloads, std::size_t(reports));
    rig.keep(rig.abort()); // a late copy
    rig.change(300, "v");
    rig.change(301, "v");
    rig.acknowledge();
    QCOMPARE(rig.overloads, std::size_t(inAll));
}

QTEST_APPLESS_MAIN(TestSplitAhead)
#include "tst_split_ahead.moc"
