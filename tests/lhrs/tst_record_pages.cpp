// SPDX-License-Identifier: GPL-3.0-or-later
// The storage of the buckets: rows, pages of heads and bytes, blocks.
#include "node/lhrs/store/record_pages.h"

#include "node/lhrs/store/rows.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace lhrs;

class TestRecordPages : public QObject {
    Q_OBJECT

private slots:
    void rowsStayWhereTheyAre();
    void bytesOfPagesComeBackWhateverTheirLengths_data();
    void bytesOfPagesComeBackWhateverTheirLengths();
    void rowsOfOneLengthTakeNoMoreAndStandInOneRow();
    void aLongValueCostsItsOwnLengthOnly();
    void aPageThatBecameTooWideIsNarrowed();
    void whatARowWillTakeIsKnownBefore_data();
    void whatARowWillTakeIsKnownBefore();
    void aBlockHasRoomForItsSizeAndLittleMore();
    void blocksAreAlignedAndDoNotOverlap();
    void aBlockThatWasGivenBackIsTakenAgain();
};

void TestRecordPages::rowsStayWhereTheyAre()
{
    Rows<int> rows(3);
    rows.resize(1);
    int* const first = rows.row(0);
    for (std::size_t i = 0; i < 1'000; ++i) {
        rows.resize(i + 1);
        for (int column = 0; column < 3; ++column)
            rows.row(i)[column] = int(10 * i) + column;
    }
    QCOMPARE(rows.row(0), first);
    for (std::size_t i = 0; i < 1'000; ++i)
        QVERIFY(rows[i] == int(10 * i) && rows.row(i)[2] == int(10 * i) + 2);
    for (const std::size_t size : { 70, 0, 130, 129 }) { // within a segment, and at its ends
        rows.resize(size);
        QCOMPARE(rows.size(), size);
        rows.resize(200);
        for (std::size_t i = size; i < 200; ++i)
            QVERIFY(rows.row(i)[0] == 0 && rows.row(i)[1] == 0 && rows.row(i)[2] == 0);
        for (std::size_t i = 0; i < 200; ++i)
            rows.row(i)[0] = rows.row(i)[1] = rows.row(i)[2] = 7;
    }
    QVERIFY(rows.bytes() >= 200 * 3 * sizeof(int));
}

// The head of a row of pages: its length, and a field that must not change.
struct PageHead {
    std::uint32_t length : kLengthBits = 0;
    std::uint32_t mark : 15 = 0;
};

void TestRecordPages::bytesOfPagesComeBackWhateverTheirLengths_data()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("all alike") << 0;
    QTest::newRow("any up to 200") << 1;
    QTest::newRow("short and very long") << 2;
    QTest::newRow("a few bytes") << 3;
    QTest::newRow("longer and longer, then short again") << 4;
}

void TestRecordPages::bytesOfPagesComeBackWhateverTheirLengths()
{
    QFETCH(int, kind);
    RecordPages<PageHead> pages;
    std::vector<std::string> model;
    std::vector<std::uint32_t> marks;
    SeededNumbers numbers(std::uint64_t(kind) + 1);
    const auto lengthAt = [&](int step) -> std::uint64_t {
        switch (kind) {
        case 0: return 100;
        case 1: return numbers.below(201);
        case 2: return numbers.below(20) == 0 ? 1 + numbers.below(65'536) : 1 + numbers.below(30);
        case 3: return numbers.below(10);
        default: return step % 5'000 < 4'000 ? std::uint64_t(step % 5'000) / 4 : 1 + numbers.below(3);
        }
    };
    std::size_t most = 0;
    for (int step = 0; step < 20'000; ++step) {
        if (model.size() < 5 || (model.size() < 400 && numbers.below(8) == 0)) {
            model.resize(model.size() + 1 + numbers.below(5));
            pages.resize(model.size());
            marks.resize(model.size());
        } else if (numbers.below(500) == 0) {
            model.resize(numbers.below(model.size()));
            pages.resize(model.size());
            marks.resize(model.size());
        }
        if (model.empty())
            continue;
        const std::size_t row = numbers.below(model.size());
        const std::size_t length = numbers.below(10) == 0 ? 0 : lengthAt(step);
        const std::size_t kept = std::min(length, model[row].size());
        std::byte* const bytes = pages.setLength(row, std::uint32_t(length));
        QVERIFY(std::memcmp(bytes, model[row].data(), kept) == 0); // the former bytes stay
        QCOMPARE(std::size_t(pages[row].length), length);
        model[row].resize(length);
        for (char& c : model[row])
            c = char(numbers.next());
        if (length > 0)
            std::memcpy(bytes, model[row].data(), length);
        marks[row] = std::uint32_t(numbers.below(1u << 15));
        pages[row].mark = marks[row] & 0x7fff;
        most = std::max(most, model.size());
        if (step % 50 != 0)
            continue;
        QCOMPARE(pages.size(), model.size());
        for (std::size_t i = 0; i < model.size(); ++i) {
            QCOMPARE(std::size_t(pages[i].length), model[i].size());
            QCOMPARE(std::uint32_t(pages[i].mark), marks[i]);
            QVERIFY(std::memcmp(pages.bytes(i), model[i].data(), model[i].size()) == 0);
        }
    }
    QVERIFY(most > 300);
}

void TestRecordPages::rowsOfOneLengthTakeNoMoreAndStandInOneRow()
{
    RecordPages<PageHead> pages;
    for (std::size_t row = 0; row < 6'400; ++row) {
        pages.resize(row + 1);
        std::memset(pages.setLength(row, 100), int(row % 251), 100);
    }
    for (std::size_t row = 0; row < 6'400; ++row) {
        if (row % 64 != 63)
            QCOMPARE(pages.bytes(row + 1) - pages.bytes(row), std::ptrdiff_t(100));
    }
    const std::size_t least = 6'400 * (100 + sizeof(PageHead));
    QVERIFY2(pages.memory() <= least + least / 50, qPrintable(QString::number(pages.memory())));
    pages.resize(0);
    QVERIFY(pages.memory() <= 128 * 64); // the list of pages
}

void TestRecordPages::aLongValueCostsItsOwnLengthOnly()
{
    RecordPages<PageHead> pages;
    pages.resize(64);
    pages.setLength(0, 60'000); // the first long row
    for (std::size_t row = 1; row < 64; ++row)
        pages.setLength(row, 100);
    pages.setLength(40, 50'000);
    // Pool and cells together: two long rows, each at most a quarter larger, and as many slabs as there may be.
    QVERIFY2(pages.memory() <= 2'400'000, qPrintable(QString::number(pages.memory())));
    for (std::size_t row = 1; row < 39; ++row)
        QCOMPARE(pages.bytes(row + 1) - pages.bytes(row), std::ptrdiff_t(100));
}

void TestRecordPages::aPageThatBecameTooWideIsNarrowed()
{
    RecordPages<PageHead> pages;
    pages.resize(64);
    for (std::size_t row = 0; row < 64; ++row)
        pages.setLength(row, 1'000);
    const std::size_t wide = pages.memory();
    QCOMPARE(pages.bytes(1) - pages.bytes(0), std::ptrdiff_t(1'000));
    for (std::size_t row = 0; row < 64; ++row)
        std::memset(pages.setLength(row, 10), int(row), 10);
    QCOMPARE(pages.bytes(1) - pages.bytes(0), std::ptrdiff_t(10));
    // Rows that waited outside have left their slabs.
    QVERIFY2(pages.memory() < wide, qPrintable(QString::number(pages.memory())));
    for (std::size_t row = 0; row < 64; ++row)
        QVERIFY(pages.bytes(row)[0] == std::byte(row) && pages.bytes(row)[9] == std::byte(row));
    for (std::size_t row = 0; row < 64; ++row)
        pages.setLength(row, 0);
    QCOMPARE(pages.bytes(1) - pages.bytes(0), std::ptrdiff_t(0));
}

void TestRecordPages::whatARowWillTakeIsKnownBefore_data()
{
    QTest::addColumn<int>("shortest");
    QTest::addColumn<int>("longest");
    QTest::addColumn<int>("longOnes"); // per mille that have the full length
    QTest::newRow("of one length") << 100 << 100 << 0;
    QTest::newRow("of all lengths") << 1 << 400 << 0;
    QTest::newRow("tiny") << 1 << 8 << 0;
    QTest::newRow("one in ten is long") << 1 << 20'000 << 100;
    QTest::newRow("one in a hundred is long") << 10 << 60'000 << 10;
}

// A bucket with little memory relies on this estimate: for rows that arrive one by one, and for a block of rows.
void TestRecordPages::whatARowWillTakeIsKnownBefore()
{
    QFETCH(const int, shortest);
    QFETCH(const int, longest);
    QFETCH(const int, longOnes);
    constexpr std::size_t kOfList = 128 * 64; // the list of pages is not counted
    std::mt19937 draw(7);
    RecordPages<PageHead> pages;
    std::size_t before = 0, block = 0;
    const auto checkBlock = [&] {
        QVERIFY2(pages.memory() <= before + block + kOfList, qPrintable(QString::number(pages.size())));
    };
    for (std::size_t row = 0; row < 2'000; ++row) {
        if (row % 100 == 0 || row == 7 || row == 30) { // the end of one block, the beginning of the next
            checkBlock();
            before = pages.memory();
            block = 0;
        }
        const bool isLong = longOnes > 0 && int(draw() % 1'000) < longOnes;
        const auto length = std::uint32_t(isLong ? longest
                : longOnes > 0                   ? shortest + int(draw() % 50)
                                                 : shortest + int(draw() % std::uint32_t(longest - shortest + 1)));
        const std::size_t taken = pages.memory(), told = pages.growthFor(row, length);
        if (block == 0) {
            const std::size_t rows = row < 7 ? 7 - row : row < 30 ? 30 - row : 100 - row % 100;
            block = pages.growthForRows(rows, rows * std::size_t(longest), std::uint32_t(longest));
        }
        pages.resize(row + 1);
        pages.setLength(row, length);
        QVERIFY2(pages.memory() <= taken + told + kOfList,
            qPrintable(
                QString("row %1 of %2 bytes: %3, told %4").arg(row).arg(length).arg(pages.memory() - taken).arg(told)));
        if (told == 0)
            QVERIFY(pages.memory() <= taken);
    }
    checkBlock();
}

void TestRecordPages::aBlockHasRoomForItsSizeAndLittleMore()
{
    QCOMPARE(BytePool::capacity(0), std::size_t(0));
    std::size_t before = 0;
    for (std::size_t size = 1; size <= BytePool::kLargest; ++size) {
        const std::size_t capacity = BytePool::capacity(size);
        QVERIFY(capacity >= size && capacity >= before && capacity % 16 == 0);
        QVERIFY(capacity <= std::max(size + 15, size + size / 4));
        QCOMPARE(BytePool::capacity(capacity), capacity);
        before = capacity;
    }
    QCOMPARE(before, BytePool::kLargest);
    BytePool pool;
    QVERIFY(test::checkFails([&] { pool.take(BytePool::kLargest + 1); }));
}

void TestRecordPages::blocksAreAlignedAndDoNotOverlap()
{
    BytePool pool;
    SeededNumbers numbers(1);
    struct Taken {
        std::byte* block;
        std::size_t size;
        std::byte mark;
    };
    std::vector<Taken> taken;
    for (int step = 0; step < 4000; ++step) {
        if (taken.size() < 200 || numbers.below(2) == 0) {
            const std::size_t size = 1 + numbers.below(numbers.below(10) == 0 ? 65536 : 600);
            Taken t { pool.take(size), size, std::byte(numbers.next()) };
            QCOMPARE(reinterpret_cast<std::uintptr_t>(t.block) % 16, std::uintptr_t(0));
            std::memset(t.block, int(t.mark), size);
            taken.push_back(t);
        } else {
            const std::size_t at = numbers.below(taken.size());
            const Taken t = taken[at];
            QVERIFY(std::all_of(t.block, t.block + t.size, [&](std::byte b) { return b == t.mark; }));
            pool.giveBack(t.block, t.size);
            taken[at] = taken.back();
            taken.pop_back();
        }
    }
    for (const Taken& t : taken)
        QVERIFY(std::all_of(t.block, t.block + t.size, [&](std::byte b) { return b == t.mark; }));
    QCOMPARE(pool.take(0), static_cast<std::byte*>(nullptr));
}

void TestRecordPages::aBlockThatWasGivenBackIsTakenAgain()
{
    BytePool pool;
    std::byte* block = pool.take(100);
    const std::size_t bytes = pool.bytes();
    for (int round = 0; round < 1000; ++round) {
        pool.giveBack(block, 100);
        QCOMPARE(pool.take(97), block); // same class
    }
    QCOMPARE(pool.bytes(), bytes);
}

QTEST_APPLESS_MAIN(TestRecordPages)
#include "tst_record_pages.moc"
