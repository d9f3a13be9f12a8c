// SPDX-License-Identifier: GPL-3.0-or-later
// The index of a position's keys: made at the first lookup, updated by all changes, then dropped.
#include "node/lhrs/store/parity_store.h"

#include "node/lhrs/group/group_decoder.h"
#include "node/lhrs/group/member_record.h"

#include "tests/rigs/core/core_harness.h"

#include <QTest>

#include <map>
#include <random>
#include <set>
#include <string>

using namespace lhrs;

class TestParityStore : public QObject {
    Q_OBJECT

private slots:
    void theIndexIsRightWheneverItIsMade_data();
    void theIndexIsRightWheneverItIsMade();
    void anIndexIsMadeInPartsWhileChangesCome();
    void onePositionKnowsNothingOfAnother();
    void aKeyThatIsThereTwiceIsNotIndexed();
    void noIndexTakesNoMemory();
    void membersAreKnownByTheirState();
    void aSliceOfParityIsReadRankByRank();
};

namespace {

constexpr std::uint32_t kM = 4;

ParityStore storeOf(FieldWidth field = FieldWidth::Gf16)
{
    return ParityStore(field, kM, ParityColumn(1), FieldOptions());
}

using Change = ParityStore::Change;

} // namespace

void TestParityStore::theIndexIsRightWheneverItIsMade_data()
{
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 6; ++seed)
        QTest::addRow("seed %u", seed) << seed;
}

void TestParityStore::theIndexIsRightWheneverItIsMade()
{
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    ParityStore store = storeOf(seed % 2 != 0 ? FieldWidth::Gf8 : FieldWidth::Gf16);
    std::map<std::uint64_t, std::uint32_t> rankOf[kM]; // the model, by key
    std::map<std::uint32_t, std::uint64_t> keyAt[kM];
    Sequence sequence = 0;
    std::size_t looks = 0;
    for (int i = 0; i < 6'000; ++i) {
        const Position q(std::uint32_t(random() % kM));
        const std::uint32_t rank = 1 + std::uint32_t(random() % 300);
        const std::uint64_t key = random() % 1'000;
        auto& ranks = rankOf[q.value];
        auto& keys = keyAt[q.value];
        if (const auto there = keys.find(rank); there != keys.end()) {
            QVERIFY(store.apply(Change::Delete, q, Rank(rank), Key(there->second), 0, ++sequence, "value"));
            ranks.erase(there->second);
            keys.erase(there);
        } else if (!ranks.contains(key)) {
            QVERIFY(store.apply(Change::Insert, q, Rank(rank), Key(key), 5, ++sequence, "value"));
            ranks[key] = rank;
            keys[rank] = key;
        }
        if (i % 500 == 250) {
            store.forgetIndex(q);
            QVERIFY(!store.isIndexed(q));
        } else if (i % 500 == 0) {
            QVERIFY(store.index(q));
        }
        if (i % 50 != 0)
            continue;
        for (Position p; p.value < kM; p = p.next()) {
            if (!store.isIndexed(p))
                continue;
            ++looks;
            for (std::uint64_t k = 0; k < 1'000; ++k) {
                const auto known = rankOf[p.value].find(k);
                QCOMPARE(store.find(p, Key(k)), known == rankOf[p.value].end() ? Rank() : Rank(known->second));
            }
        }
    }
    QVERIFY(looks > 20);
}

void TestParityStore::anIndexIsMadeInPartsWhileChangesCome()
{
    ParityStore store = storeOf();
    const Position q(2);
    Sequence sequence = 0;
    for (std::uint32_t r = 1; r <= 1'000; ++r)
        QVERIFY(store.apply(Change::Insert, q, Rank(r), Key(r), 4, ++sequence, "four"));
    QVERIFY(store.index(q, 300));
    QVERIFY(!store.isIndexed(q));
    for (const std::uint32_t r : { 7u, 300u, 301u, 900u }) { // below and above its rank
        QVERIFY(store.apply(Change::Delete, q, Rank(r), Key(r), 0, ++sequence, "four"));
        QVERIFY(store.apply(Change::Insert, q, Rank(r), Key(10'000 + r), 4, ++sequence, "four"));
    }
    QVERIFY(store.apply(Change::Insert, q, Rank(1'001), Key(1'001), 4, ++sequence, "four"));
    QVERIFY(store.index(q, 300) && !store.isIndexed(q));
    QVERIFY(store.apply(Change::Delete, q, Rank(650), Key(650), 0, ++sequence, "four"));
    QVERIFY(store.index(q, 1'000) && store.isIndexed(q));
    QVERIFY(store.apply(Change::Insert, q, Rank(1'002), Key(1'002), 4, ++sequence, "four")); // behind its end
    for (std::uint32_t r = 1; r <= 1'002; ++r) {
        const bool isChanged = r == 7 || r == 300 || r == 301 || r == 900;
        QCOMPARE(store.find(q, Key(r)), isChanged || r == 650 ? Rank() : Rank(r));
        QCOMPARE(store.find(q, Key(10'000 + r)), isChanged ? Rank(r) : Rank());
    }
}

void TestParityStore::onePositionKnowsNothingOfAnother()
{
    ParityStore store = storeOf();
    QVERIFY(store.apply(Change::Insert, Position(0), Rank(1), Key(7), 1, 1, "a"));
    QVERIFY(store.apply(Change::Insert, Position(2), Rank(3), Key(7), 1, 1, "b")); // not of this file, but harmless
    for (const Position q : { Position(0), Position(1), Position(2) })
        QVERIFY(store.index(q));
    QCOMPARE(store.find(Position(0), Key(7)), Rank(1));
    QCOMPARE(store.find(Position(1), Key(7)), Rank());
    QCOMPARE(store.find(Position(2), Key(7)), Rank(3));
}

void TestParityStore::aKeyThatIsThereTwiceIsNotIndexed()
{
    ParityStore store = storeOf();
    QVERIFY(store.apply(Change::Insert, Position(1), Rank(1), Key(7), 1, 1, "a"));
    QVERIFY(store.apply(Change::Insert, Position(1), Rank(2), Key(7), 1, 2, "b")); // allowed while contents arrive
    QVERIFY(!store.index(Position(1)));
    QVERIFY(!store.isIndexed(Position(1)));
    QVERIFY(store.apply(Change::Delete, Position(1), Rank(1), Key(7), 0, 3, "a"));
    QVERIFY(store.index(Position(1)));
    QVERIFY(!store.apply(Change::Insert, Position(1), Rank(1), Key(7), 1, 4, "a")); // now it is detected
    QCOMPARE(store.find(Position(1), Key(7)), Rank(2));
}

void TestParityStore::noIndexTakesNoMemory()
{
    ParityStore store = storeOf();
    for (std::uint32_t r = 1; r <= 10'000; ++r)
        QVERIFY(store.apply(Change::Insert, Position(r % kM), Rank(1 + r / kM), Key(r), 4, r, "four"));
    const std::size_t without = store.bytes();
    QVERIFY(store.index(Position(0)));
    QVERIFY(store.bytes() >= without + 2'500 * 5);
    store.forgetIndex(Position(0));
    QCOMPARE(store.bytes(), without);
}

// A member's key, version, presence and position all count; its length follows from its version.
void TestParityStore::membersAreKnownByTheirState()
{
    using Member = ParityStore::Member;
    const Member some { Key(5), 7, 10, true };
    std::vector<std::vector<Member>> states { {}, { some }, { Member(), some }, { some, some },
        { some, Member(), some } };
    for (const Member other : { Member { Key(6), 7, 10, true }, Member { Key(5), 8, 10, true },
             Member { Key(7), 5, 10, true }, Member { Key(0), 0, 0, true } }) {
        states.push_back({ other });
        states.push_back({ some, other });
        states.push_back({ other, some }); // changed places
    }
    std::set<std::uint64_t> numbers;
    for (const auto& state : states)
        numbers.insert(stateOf(state));
    QCOMPARE(numbers.size(), states.size());
    QCOMPARE(stateOf(states[1]), stateOf(std::vector<Member> { some, Member() })); // an absent member does not count
    QCOMPARE(stateOf(states[1]), stateOf(std::vector<Member> { some, { Key(9), 9, 0, false } }));
    std::mt19937_64 draw(1);
    for (int i = 0; i < 100'000; ++i) { // small versions and keys, as in real files
        std::vector<Member> state(4);
        for (Member& member : state)
            member = { Key(draw() % 1'000'000), (draw() % 1'000) & kSequenceMax, 10, true };
        numbers.insert(stateOf(state));
    }
    QCOMPARE(numbers.size(), states.size() + 100'000);
}

void TestParityStore::aSliceOfParityIsReadRankByRank()
{
    ParityStore store = storeOf();
    for (const std::uint32_t r : { 2u, 3u, 5u, 9u })
        QVERIFY(
            store.apply(Change::Insert, Position(r % kM), Rank(r), Key(100 + r), r, r, std::string(r, char('a' + r))));
    std::string block;
    writeParityRecords(store, Rank(2), Rank(8), block);
    RankReader reader(block);
    for (Rank r(1); r.value <= 9; r = r.next()) {
        const BlockEntry* entry = reader.at(r);
        QCOMPARE(entry != nullptr, r.value == 2 || r.value == 3 || r.value == 5);
        if (!entry)
            continue;
        QCOMPARE(entry->key.value, stateOf(store.members(r)));
        const ByteSpan parity = store.parity(r);
        QCOMPARE(entry->bytes, std::string_view(reinterpret_cast<const char*>(parity.data()), parity.size()));
        QCOMPARE(reader.at(r), entry); // again
    }
    QVERIFY(RankReader(std::string_view(block).substr(0, 20)).at(Rank(2)) == nullptr);
    QVERIFY(RankReader("").at(Rank(1)) == nullptr);
}

QTEST_APPLESS_MAIN(TestParityStore)
#include "tst_parity_store.moc"
