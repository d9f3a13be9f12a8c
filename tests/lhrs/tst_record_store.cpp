// SPDX-License-Identifier: GPL-3.0-or-later
// The records of a bucket: by key and by rank, with the index of keys.
#include "node/lhrs/store/record_store.h"

#include "node/lhrs/group/member_record.h"
#include "node/machine/requests/workload.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace lhrs;
using namespace std::chrono_literals;

class TestRecordStore : public QObject {
    Q_OBJECT

private slots:
    // records
    void ranksAreGivenFromOneUpwards();
    void aRecordIsFoundByItsKeyAndByItsRank();
    void aDeletedRankIsRetiredUntilItIsReleased();
    void theRankThatWasFreedLastIsUsedFirst();
    void valuesOfEveryLengthComeBackByteByByte();
    void theVersionIsThatOfTheLastChange();
    void aRecordMovesToAnotherRankWithItsValue();
    void truncateForgetsTheRanksAbove();
    void ranksThatAreSkippedAreFree();
    void randomOperationsAgreeWithAModel_data();
    void randomOperationsAgreeWithAModel();
    void memoryOfDeletedRecordsIsUsedAgain();
    void whatARecordWillTakeIsKnownBefore_data();
    void whatARecordWillTakeIsKnownBefore();
    void aMistakeOfTheCallerEndsTheProcess();
    // their serialized form
    void aBlockHasTheRecordsOfItsRanks_data();
    void aBlockHasTheRecordsOfItsRanks();
    void aBlockTakesNoMoreRoomThanItIsTold();
    // the index
    void theIndexAgreesWithAMapWhateverTheKeysAreLike_data();
    void theIndexAgreesWithAMapWhateverTheKeysAreLike();
    void theIndexOutlivesChosenKeys();
    void noInsertWaitsForAllKeysOfTheIndex();
    void anIndexWhoseKeysWereAnnouncedDoesNotGrow();
};

// ---- records

void TestRecordStore::ranksAreGivenFromOneUpwards()
{
    RecordStore store;
    QCOMPARE(store.rankMax(), Rank(0));
    QCOMPARE(store.insert(Key(70), "a", 1), Rank(1));
    QCOMPARE(store.insert(Key(60), "b", 2), Rank(2));
    QCOMPARE(store.insert(Key(50), "c", 3), Rank(3));
    QCOMPARE(store.rankMax(), Rank(3));
    QCOMPARE(store.count(), 3u);
}

void TestRecordStore::aRecordIsFoundByItsKeyAndByItsRank()
{
    RecordStore store;
    store.insert(Key(0), "zero", 5);
    store.insert(Key(~0ULL), "last", 6);
    QCOMPARE(store.find(Key(0)), Rank(1));
    QCOMPARE(store.find(Key(~0ULL)), Rank(2));
    QCOMPARE(store.find(Key(1)), Rank(0));
    const RecordStore::Record record = store.at(Rank(2));
    QCOMPARE(record.key, Key(~0ULL));
    QCOMPARE(record.rank, Rank(2));
    QCOMPARE(record.value, std::string_view("last"));
    QCOMPARE(record.version, Sequence(6));
    QVERIFY(store.has(Rank(1)) && !store.has(Rank(0)) && !store.has(Rank(3)));
}

void TestRecordStore::aDeletedRankIsRetiredUntilItIsReleased()
{
    RecordStore store;
    store.insert(Key(1), "a", 1);
    store.insert(Key(2), "b", 2);
    store.remove(Rank(1), 3);
    QCOMPARE(store.find(Key(1)), Rank(0));
    QVERIFY(!store.has(Rank(1)));
    QCOMPARE(store.count(), 1u);
    QVERIFY(store.freeRanks().empty());
    QCOMPARE(store.insert(Key(3), "c", 4), Rank(3)); // not 1: not every parity bucket has acknowledged the delete
    store.release(Rank(1));
    QCOMPARE(store.insert(Key(4), "d", 5), Rank(1));
}

void TestRecordStore::theRankThatWasFreedLastIsUsedFirst()
{
    RecordStore store;
    for (std::uint64_t c = 1; c <= 5; ++c)
        store.insert(Key(c), "v", c);
    for (const std::uint32_t r : { 2u, 5u, 3u }) {
        store.remove(Rank(r), 9);
        store.release(Rank(r));
    }
    QCOMPARE(store.insert(Key(11), "v", 10), Rank(3));
    QCOMPARE(store.insert(Key(12), "v", 11), Rank(5));
    QCOMPARE(store.insert(Key(13), "v", 12), Rank(2));
    QCOMPARE(store.insert(Key(14), "v", 13), Rank(6));
}

void TestRecordStore::valuesOfEveryLengthComeBackByteByByte()
{
    RecordStore store;
    const std::vector<std::uint32_t> lengths { 0, 1, 2, 15, 16, 17, 127, 128, 129, 160, 161, 1399, 4096, 4097, 65534,
        65535 };
    for (const std::uint32_t length : lengths)
        store.insert(Key(length), makeValue(1, Key(length), 1, length), 1);
    for (const std::uint32_t length : lengths)
        QVERIFY(store.at(store.find(Key(length))).value == makeValue(1, Key(length), 1, length));
    // Each record takes the length of another in turn: it grows, shrinks, becomes empty.
    for (std::size_t shift = 1; shift < lengths.size(); ++shift) {
        for (std::size_t at = 0; at < lengths.size(); ++at) {
            const std::uint32_t length = lengths[(at + shift) % lengths.size()];
            store.update(store.find(Key(lengths[at])), makeValue(2, Key(lengths[at]), shift, length), shift);
        }
        for (std::size_t at = 0; at < lengths.size(); ++at) {
            const std::uint32_t length = lengths[(at + shift) % lengths.size()];
            QVERIFY(store.at(store.find(Key(lengths[at]))).value == makeValue(2, Key(lengths[at]), shift, length));
        }
    }
}

void TestRecordStore::theVersionIsThatOfTheLastChange()
{
    RecordStore store;
    const Rank rank = store.insert(Key(1), "a", 10);
    store.update(rank, "b", 11);
    QCOMPARE(store.at(rank).version, Sequence(11));
    store.insertAt(Rank(4), Key(2), "c", 12);
    store.move(Rank(4), Rank(2), 13);
    QCOMPARE(store.at(Rank(2)).version, Sequence(13));
}

void TestRecordStore::aRecordMovesToAnotherRankWithItsValue()
{
    RecordStore store;
    store.insert(Key(1), "one", 1);
    store.insert(Key(2), std::string(1000, 'b'), 2);
    store.insert(Key(3), "three", 3);
    store.remove(Rank(1), 4);
    store.move(Rank(2), Rank(1), 5);
    QCOMPARE(store.find(Key(2)), Rank(1));
    QVERIFY(store.at(Rank(1)).value == std::string(1000, 'b'));
    QVERIFY(!store.has(Rank(2)));
    QVERIFY(store.at(Rank(3)).value == "three");
    QCOMPARE(store.count(), 2u);
}

void TestRecordStore::truncateForgetsTheRanksAbove()
{
    RecordStore store;
    for (std::uint64_t c = 1; c <= 6; ++c)
        store.insert(Key(c), "v", c);
    for (const std::uint32_t r : { 2u, 4u, 6u })
        store.remove(Rank(r), 7);
    store.release(Rank(6));
    store.release(Rank(2));
    store.move(Rank(5), Rank(2), 8);
    store.truncate(Rank(3));
    QCOMPARE(store.rankMax(), Rank(3));
    QVERIFY(store.freeRanks().empty()); // 2 is reused, 6 no longer exists
    QCOMPARE(store.insert(Key(10), "v", 9), Rank(4));
}

void TestRecordStore::ranksThatAreSkippedAreFree()
{
    RecordStore store;
    store.insertAt(Rank(3), Key(1), "v", 1);
    QCOMPARE(store.rankMax(), Rank(3));
    QCOMPARE(store.freeRanks(), (std::vector<std::uint32_t> { 1, 2 }));
    store.insertAt(Rank(1), Key(2), "v", 2);
    QCOMPARE(store.freeRanks(), (std::vector<std::uint32_t> { 2 }));
}

void TestRecordStore::randomOperationsAgreeWithAModel_data()
{
    QTest::addColumn<quint64>("seed");
    for (quint64 seed = 1; seed <= 12; ++seed)
        QTest::addRow("seed %llu", seed) << seed;
}

void TestRecordStore::randomOperationsAgreeWithAModel()
{
    QFETCH(quint64, seed);
    SeededNumbers numbers(seed);
    RecordStore store;
    struct Model {
        std::uint64_t key;
        std::string value;
        Sequence version;
    };
    std::map<std::uint32_t, Model> used; // by rank
    std::map<std::uint64_t, std::uint32_t> ranks;
    std::vector<std::uint32_t> free;
    std::set<std::uint32_t> retired;
    std::uint32_t rankMax = 0;
    const auto valueNow = [&] {
        return makeValue(
            seed, Key(numbers.next()), 1, std::uint32_t(numbers.below(numbers.below(20) == 0 ? 65536 : 200)));
    };
    for (Sequence version = 1; version <= 3000; ++version) {
        const std::uint64_t key = numbers.below(60);
        const auto known = ranks.find(key);
        switch (numbers.below(8)) {
        case 0:
        case 1:
        case 2:
            if (known == ranks.end()) {
                const std::string value = valueNow();
                const std::uint32_t wanted = free.empty() ? rankMax + 1 : free.back();
                QCOMPARE(store.insert(Key(key), value, version).value, wanted);
                free.empty() ? void(++rankMax) : free.pop_back();
                used[wanted] = { key, value, version };
                ranks[key] = wanted;
            }
            break;
        case 3:
        case 4:
            if (known != ranks.end()) {
                used[known->second] = { key, valueNow(), version };
                store.update(Rank(known->second), used[known->second].value, version);
            }
            break;
        case 5:
            if (known != ranks.end()) {
                store.remove(Rank(known->second), version);
                used.erase(known->second);
                retired.insert(known->second);
                ranks.erase(known);
            }
            break;
        case 6:
            if (!retired.empty()) {
                const auto it = std::next(retired.begin(), std::ptrdiff_t(numbers.below(retired.size())));
                store.release(Rank(*it));
                free.push_back(*it);
                retired.erase(it);
            }
            break;
        default: // what a split does: fill the holes from above, then cut off the end
            if (numbers.below(20) == 0) {
                const auto count = std::uint32_t(used.size());
                for (std::uint32_t hole = 1; hole <= count; ++hole) {
                    if (used.contains(hole))
                        continue;
                    const std::uint32_t from = used.rbegin()->first;
                    store.move(Rank(from), Rank(hole), version);
                    used[hole] = used[from];
                    used[hole].version = version;
                    used.erase(from);
                    ranks[used[hole].key] = hole;
                }
                store.truncate(Rank(count));
                free.clear();
                retired.clear();
                rankMax = count;
            }
            break;
        }
        QCOMPARE(store.count(), std::uint32_t(used.size()));
        QCOMPARE(store.rankMax().value, rankMax);
        QCOMPARE(store.freeRanks(), free);
        if (version % 50 != 0)
            continue;
        for (std::uint32_t r = 1; r <= rankMax; ++r) {
            QCOMPARE(store.has(Rank(r)), used.contains(r));
            if (!used.contains(r))
                continue;
            const RecordStore::Record record = store.at(Rank(r));
            QVERIFY(
                record.key.value == used[r].key && record.value == used[r].value && record.version == used[r].version);
        }
        for (std::uint64_t c = 0; c < 60; ++c)
            QCOMPARE(store.find(Key(c)).value, ranks.contains(c) ? ranks[c] : 0);
    }
}

void TestRecordStore::memoryOfDeletedRecordsIsUsedAgain()
{
    RecordStore store;
    for (std::uint64_t c = 0; c < 1000; ++c)
        store.insert(Key(c), std::string(100, 'v'), c);
    const std::size_t before = store.bytes();
    for (int round = 0; round < 20; ++round) {
        for (std::uint64_t c = 0; c < 1000; ++c) {
            const Rank rank = store.find(Key(c));
            store.remove(rank, 1);
            store.release(rank);
        }
        for (std::uint64_t c = 0; c < 1000; ++c)
            store.insert(Key(c), std::string(100, 'w'), c);
    }
    // Only the list of free ranks is new.
    QVERIFY2(store.bytes() <= before + 2048 * sizeof(std::uint32_t), qPrintable(QString::number(store.bytes())));
}

void TestRecordStore::whatARecordWillTakeIsKnownBefore_data()
{
    QTest::addColumn<std::uint32_t>("length");
    QTest::newRow("no value") << 0U;
    QTest::newRow("tiny") << 8U;
    QTest::newRow("usual") << 100U;
}

// A bucket with little memory relies on this estimate. With tiny values the index is a large part of a store, and grows
// in jumps.
void TestRecordStore::whatARecordWillTakeIsKnownBefore()
{
    QFETCH(const std::uint32_t, length);
    constexpr std::size_t kOfList = 128 * 64; // the list of pages is not counted
    const std::string value(length, 'v');
    RecordStore store;
    std::size_t most = 0; // the largest need that the last insert reported, deletes included
    for (std::uint32_t key = 1; key <= 20'000; ++key) {
        const std::size_t allowed = store.bytes() + store.growthOfInsert(length, false) + store.growthBesides(false);
        store.insert(Key(key), value, Sequence { key }, false);
        QVERIFY2(store.bytes() <= allowed + kOfList, qPrintable(QString::number(key)));
        most = allowed + kOfList;
    }
    for (std::uint32_t rank = 1; rank <= 20'000; ++rank) {
        store.remove(Rank(rank), Sequence { 20'000 + rank });
        store.release(Rank(rank));
        QVERIFY2(store.bytes() <= most, qPrintable(QString::number(rank)));
    }
    // The row of a deleted record takes no memory.
    QCOMPARE(store.growthBesides(false), std::size_t(0));
}

void TestRecordStore::aMistakeOfTheCallerEndsTheProcess()
{
    RecordStore store;
    store.insert(Key(1), "a", 1);
    store.insert(Key(2), "b", 2);
    QVERIFY(test::checkFails([&] { store.insertAt(Rank(3), Key(1), "again", 3); }));
    store = RecordStore();
    store.insert(Key(1), "a", 1);
    store.insert(Key(2), "b", 2);
    QVERIFY(test::checkFails([&] { store.insertAt(Rank(2), Key(3), "there", 3); }));
    QVERIFY(test::checkFails([&] { store.move(Rank(1), Rank(2), 3); }));
    QVERIFY(test::checkFails([&] { store.release(Rank(1)); }));
    QVERIFY(test::checkFails([&] { store.at(Rank(3)); }));
    QVERIFY(test::checkFails([&] { store.truncate(Rank(1)); }));
    store.remove(Rank(1), 3);
    QVERIFY(test::checkFails([&] { store.remove(Rank(1), 4); }));
    QVERIFY(test::checkFails([&] { store.update(Rank(1), "x", 4); }));
    store.release(Rank(1));
    QVERIFY(test::checkFails([&] { store.release(Rank(1)); }));
}

// ---- the index

void TestRecordStore::theIndexAgreesWithAMapWhateverTheKeysAreLike_data()
{
    QTest::addColumn<quint64>("stride");
    QTest::addColumn<quint64>("seed");
    for (const quint64 stride : { 1ULL, 2ULL, 1ULL << 20, 1ULL << 58, 0x9e3779b97f4a7c15ULL })
        for (const quint64 seed : { 0ULL, 7ULL })
            QTest::addRow("stride %llx, seed %llu", stride, seed) << stride << seed;
}

void TestRecordStore::theIndexAgreesWithAMapWhateverTheKeysAreLike()
{
    QFETCH(quint64, stride);
    QFETCH(quint64, seed);
    KeyIndex index(seed);
    std::map<std::uint64_t, std::uint32_t> model;
    std::vector<Key> keys(1'001);
    const auto keyAt = [&](std::uint32_t place) { return keys[place]; };
    SeededNumbers numbers(stride + seed);
    for (int step = 0; step < 20'000; ++step) {
        const std::uint64_t key = (numbers.below(300) - 1) * stride;
        auto place = std::uint32_t(1 + numbers.below(1'000));
        while (std::any_of(model.begin(), model.end(), [&](const auto& known) { return known.second == place; }))
            place = place % 1'000 + 1;
        if (!model.contains(key)) {
            keys[place] = Key(key);
            index.insert(Key(key), place, keyAt);
            model[key] = place;
        } else if (numbers.below(4) == 0) {
            keys[place] = Key(key);
            index.move(Key(key), model[key], place);
            model[key] = place;
        } else {
            keys[model[key]] = Key(~key); // the key of a removed entry is not read
            index.erase(Key(key), model[key]);
            model.erase(key);
        }
        const std::uint64_t asked = (numbers.below(300) - 1) * stride;
        QCOMPARE(index.find(Key(asked), keyAt), model.contains(asked) ? model[asked] : 0);
        QCOMPARE(index.count(), model.size());
    }
    for (const auto& [key, place] : model)
        QCOMPARE(index.find(Key(key), keyAt), place);
    index.erase(Key(1), 7'777); // not in
    QCOMPARE(index.count(), model.size());
    index.clear();
    QCOMPARE(index.count(), std::size_t(0));
    QCOMPARE(index.find(Key(0), keyAt), 0u);
    index.erase(Key(0), 1);
}

// Keys chosen by an attacker: with the initial hash seed, all of them have one home slot, however large the index is.
void TestRecordStore::theIndexOutlivesChosenKeys()
{
    const auto original = [](std::uint64_t hash) { // inverts the hash of a key
        const auto unshift = [](std::uint64_t x, int bits) {
            for (int shift = bits; shift < 64; shift *= 2)
                x ^= x >> shift;
            return x;
        };
        const auto inverse = [](std::uint64_t odd) {
            std::uint64_t x = odd;
            for (int round = 0; round < 6; ++round)
                x *= 2 - odd * x;
            return x;
        };
        std::uint64_t x = unshift(hash, 31) * inverse(0x94d049bb133111eb);
        x = unshift(x, 27) * inverse(0xbf58476d1ce4e5b9);
        return Key(unshift(x, 30) ^ kHashSeed);
    };
    KeyIndex index;
    std::vector<Key> keys(1);
    const auto keyAt = [&](std::uint32_t place) { return keys[place]; };
    for (std::uint64_t low = 1; low <= 5'000; ++low) {
        keys.push_back(original(low));
        QCOMPARE(hashOf(keys.back(), kHashSeed), low);
        index.insert(keys.back(), std::uint32_t(low), keyAt);
    }
    for (std::uint32_t place = 1; place <= 5'000; ++place)
        QCOMPARE(index.find(keys[place], keyAt), place);
    QVERIFY2(index.bytes() <= 5 * 32'768, qPrintable(QString::number(index.bytes())));
}

void TestRecordStore::noInsertWaitsForAllKeysOfTheIndex()
{
    KeyIndex index;
    std::vector<Key> keys(1);
    std::size_t looks = 0, most = 0;
    const auto keyAt = [&](std::uint32_t place) { return ++looks, keys[place]; };
    for (std::uint32_t place = 1; place <= 200'000; ++place) {
        keys.emplace_back(std::uint64_t(place) << 20);
        looks = 0;
        index.insert(keys.back(), place, keyAt);
        most = std::max(most, looks);
        const std::uint32_t asked = 1 + std::uint32_t(place * 7919ull % place); // in both tables, while there are two
        QCOMPARE(index.find(keys[asked], keyAt), asked);
    }
    QVERIFY2(most <= 400, qPrintable(QString::number(most))); // a cluster or two, where all would be 114,000
    for (std::uint32_t place = 1; place <= 200'000; ++place)
        QCOMPARE(index.find(keys[place], keyAt), place);
}

void TestRecordStore::anIndexWhoseKeysWereAnnouncedDoesNotGrow()
{
    for (const std::uint32_t count : { 1u, 7u, 8u, 1'000u, 31'250u }) {
        KeyIndex index;
        index.reserve(count);
        const std::size_t bytes = index.bytes();
        std::vector<Key> keys(1);
        std::size_t looks = 0;
        const auto keyAt = [&](std::uint32_t place) { return ++looks, keys[place]; };
        for (std::uint32_t place = 1; place <= count; ++place) {
            keys.emplace_back(std::uint64_t(place) << 20);
            index.insert(keys.back(), place, keyAt);
        }
        QCOMPARE(looks, std::size_t(0)); // no entry was moved
        QCOMPARE(index.bytes(), bytes);
        QVERIFY(bytes <= 5 * (count + count / 7 + 2));
        index.reserve(10 * count); // it has entries: no effect
        QCOMPARE(index.bytes(), bytes);
        keys.emplace_back(std::uint64_t(count + 1) << 20); // one more than was reserved
        index.insert(keys.back(), count + 1, keyAt);
        for (std::uint32_t place = 1; place <= count + 1; ++place)
            QCOMPARE(index.find(keys[place], keyAt), place);
    }
}

// ---- their serialized form

void TestRecordStore::aBlockHasTheRecordsOfItsRanks_data()
{
    QTest::addColumn<std::vector<std::uint32_t>>("lengths"); // random choices from these
    QTest::addColumn<int>("holes"); // one rank in this many; 0: none
    QTest::newRow("one length: pages are copied whole") << std::vector<std::uint32_t> { 100 } << 0;
    QTest::newRow("one length, holes") << std::vector<std::uint32_t> { 100 } << 9;
    QTest::newRow("an odd length, for which cells are too wide") << std::vector<std::uint32_t> { 33 } << 0;
    QTest::newRow("no bytes at all") << std::vector<std::uint32_t> { 0 } << 5;
    QTest::newRow("some are longer") << std::vector<std::uint32_t> { 100, 100, 100, 100, 40, 3'000 } << 7;
    QTest::newRow("all are different") << std::vector<std::uint32_t> { 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 0 } << 3;
    QTest::newRow("longer than a run") << std::vector<std::uint32_t> { 40'000, 65'535 } << 4;
}

void TestRecordStore::aBlockHasTheRecordsOfItsRanks()
{
    QFETCH(const std::vector<std::uint32_t>, lengths);
    QFETCH(const int, holes);
    const std::uint32_t kRanks = lengths.back() > 1'000 && lengths.size() == 2 ? 60 : 300;
    SeededNumbers numbers(3);
    RecordStore store;
    for (std::uint32_t r = 1; r <= kRanks; ++r)
        store.insert(Key(1'000 + r), std::string(lengths[numbers.below(lengths.size())], char('a' + r % 26)), 2 * r);
    for (std::uint32_t r = 1; holes > 0 && r <= kRanks; ++r) {
        if (numbers.below(std::uint64_t(holes)) == 0)
            store.remove(Rank(r), 9'000 + r);
    }
    for (int round = 0; round < 60; ++round) {
        Rank from(1 + std::uint32_t(numbers.below(kRanks))), to(from.value + std::uint32_t(numbers.below(kRanks)));
        if (round == 0)
            from = Rank(1), to = Rank(~0u - 1);
        std::string block;
        writeRecords(store, from, to, block);
        BlockReader reader(block);
        BlockEntry entry;
        for (Rank r = from; r <= std::min(to, store.rankMax()); r = r.next()) {
            if (!store.has(r))
                continue;
            const RecordStore::Record record = store.at(r);
            QVERIFY(reader.next(entry));
            QVERIFY(entry.kind == BlockEntry::Kind::Insert && entry.rank == r && entry.key == record.key
                && entry.version == record.version);
            QVERIFY(entry.bytes == record.value && entry.length == record.value.size());
        }
        QVERIFY(!reader.next(entry) && !reader.isMalformed());
    }
}

void TestRecordStore::aBlockTakesNoMoreRoomThanItIsTold()
{
    RecordStore store;
    for (std::uint32_t r = 1; r <= 5'000; ++r)
        store.insert(Key(r), std::string(100, 'x'), r);
    std::string block;
    Rank next(1);
    for (constexpr std::size_t kRoom = 20'000; block.size() < kRoom - 10'000;)
        next = writeRun(store, next, store.rankMax(), kRoom, block);
    QVERIFY(block.capacity() >= 20'000 && block.capacity() < 22'000); // all records would take 585,000
    std::string whole;
    writeRecords(store, Rank(1), Rank(5'000), whole);
    QVERIFY(whole.capacity() < whole.size() + whole.size() / 50); // it grew once
}

QTEST_APPLESS_MAIN(TestRecordStore)
#include "tst_record_store.moc"
