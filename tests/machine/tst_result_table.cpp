// SPDX-License-Identifier: GPL-3.0-or-later
// Exactly once: results of requests, and the blocks in which records and results travel.
#include "node/machine/requests/result_table.h"

#include "common/lhrs/record_block.h"
#include "common/resize_uninitialized.h"
#include "node/machine/requests/workload.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

#include <map>
#include <string>
#include <vector>

using namespace lhrs;
using lhrs::test::checkFails;
using namespace std::chrono_literals;

namespace {

pb::RequestId requestId(std::uint64_t client, std::uint64_t number)
{
    pb::RequestId id;
    id.set_client(client);
    id.set_number(number);
    return id;
}

ResultTable::Entry resultOf(std::uint64_t number, std::uint64_t key, pb::ResultCode result = pb::OK)
{
    return { number, Key(key), 1, result };
}

std::string blockOf(const std::vector<BlockEntry>& entries)
{
    std::string block;
    BlockWriter writer(block);
    for (const BlockEntry& entry : entries)
        writer.add(entry);
    return block;
}

std::vector<BlockEntry> someEntries()
{
    static const std::string kLong(300, 'x');
    return {
        { .kind = BlockEntry::Kind::Insert, .key = Key(0), .rank = Rank(1), .length = 0, .version = 1, .bytes = {} },
        { .kind = BlockEntry::Kind::Update,
            .key = Key(~0ULL),
            .rank = Rank(~0u),
            .length = 65535,
            .version = ~0ULL,
            .bytes = "abc" },
        { .kind = BlockEntry::Kind::Delete, .key = Key(7), .rank = Rank(3), .length = 0, .version = 9, .bytes = kLong },
        BlockEntry::ofResult(Key(7), 0xfedcba9876543210, 42, std::uint8_t(pb::OK)), BlockEntry::ofDoneBelow(~0ULL, 43)
    };
}

bool areSame(const BlockEntry& a, const BlockEntry& b)
{
    if (a.kind != b.kind || a.key != b.key)
        return false;
    if (a.isOfRequests())
        return a.client == b.client && a.number == b.number && a.result == b.result;
    return a.rank == b.rank && a.length == b.length && a.version == b.version && a.bytes == b.bytes;
}

} // namespace

class TestResultTable : public QObject {
    Q_OBJECT

private slots:
    // results
    void aRepeatFindsTheResultThatWasKept();
    void whatTheClientLetGoIsForgottenAndBygone();
    void aLateDoneBelowTakesNothingBack();
    void clientsThatAreSilentLoseTheirEntriesAndWhatTheyAskedIsBygone();
    void entriesLeaveWithTheirKeys();
    void beyondItsBoundTheTableForgetsWhoWasSilentLongest();
    // blocks
    void aStringThatGrowsUninitializedKeepsWhatItHas();
    void entriesComeBackAsTheyWereWritten();
    void everyTruncationOfABlockIsMalformedOrAPrefix();
    void aBlockThatLiesIsMalformed();
    void aRunIsReadAsItsRecords();
    void aRunThatLiesIsMalformed();
    void randomBytesAreReadWithinTheirBounds();
};

// ---- results

void TestResultTable::aRepeatFindsTheResultThatWasKept()
{
    ResultTable table;
    QVERIFY(!table.find(requestId(1, 5)));
    table.keep(1, resultOf(5, 50, pb::RESULT_UNKNOWN), 0ns);
    QCOMPARE(table.find(requestId(1, 5))->result, pb::RESULT_UNKNOWN); // in work
    table.keep(1, resultOf(5, 50, pb::OK), 0ns);
    table.keep(1, resultOf(3, 30, pb::EXISTS), 0ns);
    table.keep(2, resultOf(5, 99, pb::NOT_FOUND), 0ns);
    QCOMPARE(table.find(requestId(1, 5))->result, pb::OK);
    QCOMPARE(table.find(requestId(1, 3))->result, pb::EXISTS);
    QCOMPARE(table.find(requestId(2, 5))->key, Key(99));
    QVERIFY(!table.find(requestId(1, 4)) && !table.find(requestId(2, 3)) && !table.find(requestId(3, 5)));
    QCOMPARE(table.size(), std::size_t(3));
}

void TestResultTable::whatTheClientLetGoIsForgottenAndBygone()
{
    ResultTable table;
    for (std::uint64_t n = 1; n <= 6; ++n)
        table.keep(1, resultOf(n, n), 0ns);
    table.keep(2, resultOf(1, 1), 0ns);
    table.forget(1, 4, 0ns);
    QVERIFY(!table.find(requestId(1, 3)) && table.find(requestId(1, 4)));
    QVERIFY(table.isBygone(requestId(1, 3)) && !table.isBygone(requestId(1, 4)));
    QVERIFY(!table.isBygone(requestId(2, 0)) && !table.isBygone(requestId(9, 1)));
    QCOMPARE(table.size(), std::size_t(4));
    table.keep(1, resultOf(2, 2), 0ns); // its answer comes when the client no longer needs it
    QVERIFY(!table.find(requestId(1, 2)));
}

void TestResultTable::aLateDoneBelowTakesNothingBack()
{
    ResultTable table;
    table.forget(1, 10, 0ns);
    table.forget(1, 4, 0ns); // an older copy of a message arrives late
    QVERIFY(table.isBygone(requestId(1, 9)));
    QVERIFY(!table.isBygone(requestId(1, 10)));
}

void TestResultTable::clientsThatAreSilentLoseTheirEntriesAndWhatTheyAskedIsBygone()
{
    ResultTable table;
    table.keep(1, resultOf(5, 50), 1s);
    table.keep(2, resultOf(8, 80), 3s);
    table.expire(2s);
    QVERIFY(!table.find(requestId(1, 5)));
    QVERIFY(table.isBygone(requestId(1, 5)) && !table.isBygone(requestId(1, 6)));
    QVERIFY(table.find(requestId(2, 8)));
    QCOMPARE(table.size(), std::size_t(1));
}

void TestResultTable::entriesLeaveWithTheirKeys()
{
    ResultTable table;
    for (std::uint64_t n = 1; n <= 6; ++n)
        table.keep(1 + n % 2, resultOf(n, n), 0ns);
    ResultTable target;
    table.take([](Key key) { return key.value >= 4; },
        [&](std::uint64_t client, const ResultTable::Entry& e) { target.keep(client, e, 0ns); });
    QCOMPARE(table.size(), std::size_t(3));
    QCOMPARE(target.size(), std::size_t(3));
    for (std::uint64_t n = 1; n <= 6; ++n)
        QCOMPARE((n >= 4 ? target : table).find(requestId(1 + n % 2, n))->key, Key(n));
    std::size_t seen = 0;
    target.each([&](std::uint64_t, const ResultTable::Entry& e) { seen += e.key.value; });
    QCOMPARE(seen, std::size_t(4 + 5 + 6));
}

void TestResultTable::beyondItsBoundTheTableForgetsWhoWasSilentLongest()
{
    // I20: result tables stay below their limits. Each request first lets go of older results, then its own is kept.
    constexpr std::uint64_t kBound = 65536;
    ResultTable table;
    for (std::uint64_t client = 1; client <= kBound + 50; ++client) {
        table.forget(client, 1, Time(client));
        table.keep(client, resultOf(1, client), Time(client));
    }
    QCOMPARE(table.size(), std::size_t(kBound));
    QVERIFY(!table.find(requestId(1, 1)) && !table.find(requestId(50, 1)));
    QVERIFY(table.find(requestId(51, 1)) && table.find(requestId(kBound + 50, 1)));
}

// ---- blocks

void TestResultTable::entriesComeBackAsTheyWereWritten()
{
    const std::vector<BlockEntry> entries = someEntries();
    const std::string block = blockOf(entries);
    BlockReader reader(block);
    BlockEntry entry;
    for (const BlockEntry& wanted : entries) {
        QVERIFY(reader.isWellFormed()); // does not advance the reader
        QVERIFY(reader.next(entry));
        QVERIFY(areSame(entry, wanted));
    }
    QVERIFY(!reader.next(entry));
    QVERIFY(!reader.isMalformed());
    BlockReader empty("");
    QVERIFY(!empty.next(entry) && !empty.isMalformed() && empty.isWellFormed());
}

void TestResultTable::aStringThatGrowsUninitializedKeepsWhatItHas()
{
    std::string text, expected;
    for (std::size_t step = 1; step < 200; ++step) { // sometimes within its capacity, sometimes beyond it
        resizeUninitialized(text, text.size() + step);
        QCOMPARE(text.size(), expected.size() + step);
        std::fill_n(text.end() - std::ptrdiff_t(step), step, char('a' + step % 26));
        expected.append(step, char('a' + step % 26));
        QCOMPARE(text, expected);
        QCOMPARE(text.c_str()[text.size()], '\0');
    }
    resizeUninitialized(text, 7);
    QCOMPARE(text, expected.substr(0, 7));
    resizeUninitialized(text, 0);
    QVERIFY(text.empty());
}

void TestResultTable::everyTruncationOfABlockIsMalformedOrAPrefix()
{
    const std::vector<BlockEntry> entries = someEntries();
    std::map<std::size_t, std::size_t> ends { { 0, 0 } }; // length -> whole entries
    for (std::size_t n = 1; n <= entries.size(); ++n)
        ends[blockOf({ entries.begin(), entries.begin() + std::ptrdiff_t(n) }).size()] = n;
    const std::string block = blockOf(entries);
    for (std::size_t length = 0; length <= block.size(); ++length) {
        const std::string cut = block.substr(0, length); // an own buffer, so that a sanitizer sees a read beyond it
        BlockReader reader(cut);
        QCOMPARE(reader.isWellFormed(), ends.contains(length));
        BlockEntry entry;
        std::size_t count = 0;
        while (reader.next(entry))
            QVERIFY(areSame(entry, entries[count++]));
        QCOMPARE(reader.isMalformed(), !ends.contains(length));
        QCOMPARE(count, std::prev(ends.upper_bound(length))->second);
        QVERIFY(!reader.next(entry)); // and it stays so
    }
}

void TestResultTable::aBlockThatLiesIsMalformed()
{
    const std::string good = blockOf({ { .kind = BlockEntry::Kind::Insert,
        .key = Key(7),
        .rank = Rank(1),
        .length = 3,
        .version = 1,
        .bytes = "abc" } });
    const auto isMalformedWith = [&](std::size_t at, std::initializer_list<int> bytes) {
        std::string bad = good;
        for (const int byte : bytes)
            bad[at++] = char(byte);
        return !BlockReader(bad).isWellFormed();
    };
    QVERIFY(BlockReader(good).isWellFormed());
    QVERIFY(isMalformedWith(0, { 0 })); // no such kind
    QVERIFY(isMalformedWith(0, { 7 }));
    QVERIFY(isMalformedWith(0, { 255 }));
    QVERIFY(isMalformedWith(9, { 0, 0, 0, 0 })); // rank 0
    QVERIFY(isMalformedWith(25, { 4, 0, 0, 0 })); // one byte more than the block has
    QVERIFY(isMalformedWith(25, { 255, 255, 255, 255 }));
    QVERIFY(isMalformedWith(25, { 2, 0, 0, 0 })); // one byte less: the rest is no valid entry
}

void TestResultTable::aRunIsReadAsItsRecords()
{
    for (const std::uint32_t length : { 0u, 1u, 100u, 65'536u }) {
        std::string block;
        BlockWriter writer(block);
        std::vector<BlockEntry> expected;
        std::vector<std::string> values;
        const auto expect = [&](std::uint64_t key, std::uint32_t rank, const std::string& value) {
            expected.push_back({ .kind = BlockEntry::Kind::Insert,
                .key = Key(key),
                .rank = Rank(rank),
                .length = std::uint32_t(value.size()),
                .version = key + 1,
                .bytes = {} });
            values.push_back(value);
        };
        // Other entries come before and after. Two runs are filled in when both are there, and the string may have
        // moved.
        writer.add({ .key = Key(1), .rank = Rank(9), .length = 2, .version = 2, .bytes = "ab" });
        expect(1, 9, "ab");
        BlockRun first = writer.addRun(Rank(10), 3, length);
        BlockRun second = writer.addRun(Rank(7), 1, length);
        for (std::uint32_t i = 0; i < 4; ++i) {
            BlockRun& run = i < 3 ? first : second;
            run.setHead(i % 3, Key(50 + i), 51 + i);
            QCOMPARE(run.bytes(i % 3).size(), std::size_t(length));
            std::ranges::fill(run.bytes(i % 3), std::byte('a' + i));
            expect(50 + i, i < 3 ? 10 + i : 7, std::string(length, char('a' + i)));
        }
        writer.add(BlockEntry::ofDoneBelow(3, 4));
        std::map<std::size_t, std::size_t> ends; // length of the block -> entries
        BlockReader reader(block);
        BlockEntry entry;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QVERIFY(reader.isWellFormed()); // does not advance the reader, also within a run
            QVERIFY(reader.next(entry));
            expected[i].bytes = values[i];
            QVERIFY(areSame(entry, expected[i]));
        }
        QVERIFY(reader.next(entry) && entry.kind == BlockEntry::Kind::DoneBelow && entry.number == 4);
        QVERIFY(!reader.next(entry) && !reader.isMalformed());
        // A run that is cut anywhere is not there at all.
        for (std::size_t cut = block.size(); cut-- > 31;) {
            const std::string part = block.substr(0, cut);
            BlockReader shorter(part);
            std::size_t count = 0;
            while (shorter.next(entry))
                ++count;
            const std::size_t runBytes = 13 + 3 * (16 + length), bothBytes = runBytes + 13 + 16 + length;
            QCOMPARE(count,
                cut < 31 + runBytes        ? std::size_t(1)
                    : cut < 31 + bothBytes ? std::size_t(4)
                                           : std::size_t(5));
            QCOMPARE(shorter.isMalformed(), cut != 31 && cut != 31 + runBytes && cut != 31 + bothBytes);
            if (cut > 500)
                cut -= 450; // not every byte of long values
        }
    }
}

void TestResultTable::aRunThatLiesIsMalformed()
{
    std::string good;
    BlockRun run = BlockWriter(good).addRun(Rank(5), 2, 3);
    run.setHead(0, Key(1), 1);
    run.setHead(1, Key(2), 2);
    std::ranges::fill(run.bytes(0), std::byte('a'));
    std::ranges::fill(run.bytes(1), std::byte('b'));
    QVERIFY(BlockReader(good).isWellFormed());
    const auto isMalformedWith = [&](std::size_t at, std::uint32_t number) {
        std::string bad = good;
        std::memcpy(bad.data() + at, &number, sizeof number);
        BlockReader reader(bad);
        BlockEntry entry;
        return !reader.next(entry) && reader.isMalformed() && !BlockReader(bad).isWellFormed();
    };
    QVERIFY(isMalformedWith(1, 0)); // no such rank
    QVERIFY(isMalformedWith(1, ~0u)); // the second rank does not exist
    QVERIFY(isMalformedWith(5, 0)); // no rank
    QVERIFY(isMalformedWith(5, 3)); // one more than the run has
    QVERIFY(isMalformedWith(5, ~0u));
    QVERIFY(isMalformedWith(5, 0x0d79435f)); // so many that the length of their bytes overflows to a small number
    QVERIFY(isMalformedWith(9, 4)); // longer than the bytes
    QVERIFY(isMalformedWith(9, 65'537)); // longer than any value
    QVERIFY(isMalformedWith(9, ~0u));
    std::string shorter = good; // one byte too many at the end is no valid entry
    shorter.push_back('x');
    QVERIFY(!BlockReader(shorter).isWellFormed());
    QVERIFY(checkFails([] {
        std::string block;
        BlockWriter(block).addRun(Rank(0), 1, 1);
    }));
    QVERIFY(checkFails([] {
        std::string block;
        BlockWriter(block).addRun(Rank(1), 0, 1);
    }));
}

void TestResultTable::randomBytesAreReadWithinTheirBounds()
{
    SeededNumbers numbers(1);
    std::uint64_t read = 0;
    for (int round = 0; round < 200000; ++round) {
        std::string bytes(numbers.below(80), '\0');
        for (char& byte : bytes)
            byte = numbers.below(2) == 0 ? char(numbers.below(8)) : char(numbers.next());
        if (numbers.below(3) == 0 && bytes.size() > 13) // a run whose counts may be correct
            bytes.replace(0, 13,
                std::string("\7\1\0\0\0", 5) + char(numbers.below(4)) + std::string(3, '\0') + char(numbers.below(20))
                    + std::string(3, '\0'));
        BlockReader reader(bytes);
        BlockEntry entry;
        while (reader.next(entry)) {
            QVERIFY(entry.bytes.empty()
                || (entry.bytes.data() >= bytes.data()
                    && entry.bytes.data() + entry.bytes.size() <= bytes.data() + bytes.size()));
            ++read;
        }
        QCOMPARE(BlockReader(bytes).isWellFormed(), !reader.isMalformed());
    }
    QVERIFY(read > 100); // some of the bytes were entries
}

QTEST_APPLESS_MAIN(TestResultTable)
#include "tst_result_table.moc"
