// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/lhrs/bitwise_field.h"
#include "common/check/lhrs/invariants.h"
#include "common/check/lhrs/request_ledger.h"

#include <QTest>

#include <array>
#include <functional>

using namespace lhrs::check;

namespace {

std::string bytesOf16(std::initializer_list<std::uint32_t> symbols)
{
    std::string bytes;
    for (const std::uint32_t symbol : symbols) {
        bytes += char(symbol & 0xff);
        bytes += char(symbol >> 8);
    }
    return bytes;
}

// A file of one group with three data buckets at (1,1) and two parity buckets, all correct. Each test breaks one thing.
struct SmallFile {
    FileSettings settings { 4, FieldKind::Gf16, false };
    FileState file { 1, 1 };
    std::vector<DataBucket> data;
    std::vector<ParityBucket> parity;

    SmallFile()
    {
        // Levels: bucket 0 has split, so 0 and 2 have level 2, bucket 1 still 1.
        data.push_back({ 0, 2, 4, { { 1, 4, 1, "four" }, { 3, 8, 4, std::string(7, 'x') } }, 3, { 2 }, {} });
        data.push_back({ 1, 1, 2, { { 1, 1, 1, "" }, { 2, 3, 2, "three" } }, 2, {}, {} });
        data.push_back({ 2, 2, 1, { { 1, 2, 1, "two" } }, 1, {}, {} });
        for (std::uint32_t p = 0; p < 2; ++p)
            parity.push_back(encoded(p));
    }

    ParityBucket encoded(std::uint32_t column) const
    {
        ParityBucket bucket { 0, column, { 4, 2, 1, 0 }, { 0, 0, 0, 0 }, {} };
        for (std::uint32_t rank = 1; rank <= 3; ++rank) {
            ParityRecord record { rank, {}, {} };
            for (const DataBucket& source : data)
                for (const DataRecord& member : source.records)
                    if (member.rank == rank) {
                        const auto length = std::uint32_t(member.value.size());
                        record.members.push_back({ source.number, member.key, length, member.version });
                        addMember(settings.field, source.number, column, member.value, record.parity);
                    }
            bucket.records.push_back(std::move(record));
        }
        return bucket;
    }

    std::map<std::uint64_t, std::string> contents() const
    {
        std::map<std::uint64_t, std::string> all;
        for (const DataBucket& bucket : data)
            for (const DataRecord& record : bucket.records)
                all.emplace(record.key, record.value);
        return all;
    }

    Violations check() const
    {
        Violations found;
        const std::array<const DataBucket*, 4> members { &data[0], &data[1], &data[2], nullptr };
        const auto add = [&found](const Violations& more) { found.insert(found.end(), more.begin(), more.end()); };
        for (const ParityBucket& bucket : parity)
            add(checkGroup(settings, members, bucket));
        add(checkKeyLists(parity[0], parity[1]));
        for (const DataBucket& bucket : data)
            add(checkRanks(bucket));
        add(checkPlacement(settings, file, data));
        return found;
    }
};

bool names(const Violations& violations, int invariant)
{
    for (const Violation& violation : violations)
        if (violation.invariant == invariant)
            return true;
    return false;
}

// True if exactly this invariant is reported, whatever the wording.
bool namesOnly(const Violations& violations, int invariant)
{
    for (const Violation& violation : violations)
        if (violation.invariant != invariant)
            return false;
    return !violations.empty();
}

constexpr RequestName kFirst { 7, 1 };
constexpr RequestName kSecond { 7, 2 };
constexpr RequestName kOther { 9, 1 };

} // namespace

class TestCheck : public QObject {
    Q_OBJECT

private slots:
    void theFieldIsThatOfThePaper();
    void theMatrixIsThatOfThePaper();
    void testVectorsOfTheProtocolTextAreMet();
    void everySymbolHasItsInverse();
    void manySymbolsAreMultipliedLikeOne();
    void aRightFileHasNoViolation();
    void aSeededMistakeIsFound_data();
    void aSeededMistakeIsFound();
    void parityMayBeTrimmedOrPadded();
    void contentsAreComparedByteByByte();
    void mixedKeysHaveMixedAddresses();
    void hopsAreCounted();
    void anImageIsNeverAhead();
    void anOkNeedsAllParityBuckets();
    void aKeyHasOneOwner();
    void splitsAreDecidedInOrder();
    void availabilityIsOneOfTwo();
    void theLedgerPassesARightStory();
    void theLedgerFindsAMistake_data();
    void theLedgerFindsAMistake();
    void anUnknownOutcomeStaysOpen();
    void aReadMayShowWhatWasCurrentWhileItRan();
};

void TestCheck::theFieldIsThatOfThePaper()
{
    // Powers of the generator 2 of GF(2^16).
    std::uint32_t power = 1;
    for (int exponent = 0; exponent < 16; ++exponent)
        power = multiply(FieldKind::Gf16, power, 2);
    QCOMPARE(power, 0x100bU);
    QCOMPARE(multiply(FieldKind::Gf16, power, 2), 0x2016U);
    std::uint32_t three = 1;
    for (int exponent = 0; exponent < 0xc1ba; ++exponent)
        three = multiply(FieldKind::Gf16, three, 2);
    QCOMPARE(three, 3U);
    QCOMPARE(multiply(FieldKind::Gf8, 0x80, 2), 0x1dU);
}

void TestCheck::theMatrixIsThatOfThePaper()
{
    const std::uint32_t printed[8][3] = { { 1, 1, 1 }, { 1, 0xeb9b, 0x2284 }, { 1, 0x2284, 0x9e74 },
        { 1, 0x9e44, 0xd7f1 }, { 1, 0xf91c, 0x0fe3 }, { 1, 0x7ab9, 0x79bb }, { 1, 0x2897, 0x5658 },
        { 1, 0x41f6, 0xefa6 } };
    for (std::uint32_t q = 0; q < 8; ++q)
        for (std::uint32_t p = 0; p < 3; ++p)
            QCOMPARE(coefficient(FieldKind::Gf16, q, p), printed[q][p]);
    const std::uint32_t small[4][3] = { { 1, 1, 1 }, { 1, 0x1a, 0x1c }, { 1, 0x3b, 0x37 }, { 1, 0xff, 0xfd } };
    for (std::uint32_t q = 0; q < 4; ++q)
        for (std::uint32_t p = 0; p < 3; ++p)
            QCOMPARE(coefficient(FieldKind::Gf8, q, p), small[q][p]);
}

void TestCheck::testVectorsOfTheProtocolTextAreMet()
{
    const auto encode = [](FieldKind field, const std::array<std::string, 4>& data, std::uint32_t column) {
        std::string sum;
        for (std::uint32_t q = 0; q < 4; ++q)
            addMember(field, q, column, data[q], sum);
        return sum;
    };
    const auto four = [](std::array<std::uint32_t, 4> symbols) {
        return std::array<std::string, 4> { bytesOf16({ symbols[0] }), bytesOf16({ symbols[1] }),
            bytesOf16({ symbols[2] }), bytesOf16({ symbols[3] }) };
    };
    const std::array<std::string, 4> a = four({ 0x0001, 0x0203, 0xabcd, 0xffff });
    QCOMPARE(encode(FieldKind::Gf16, a, 0), bytesOf16({ 0x5630 }));
    QCOMPARE(encode(FieldKind::Gf16, a, 1), bytesOf16({ 0x994d }));
    QCOMPARE(encode(FieldKind::Gf16, a, 2), bytesOf16({ 0x209c }));
    const std::array<std::string, 4> b = four({ 0x1234, 0x5678, 0x9abc, 0xdef0 });
    QCOMPARE(encode(FieldKind::Gf16, b, 0), bytesOf16({ 0x0000 }));
    QCOMPARE(encode(FieldKind::Gf16, b, 1), bytesOf16({ 0x9e64 }));
    QCOMPARE(encode(FieldKind::Gf16, b, 2), bytesOf16({ 0xe16b }));
    const std::array<std::string, 4> c { "\x12", "\x34", "\x56", "\x78" };
    QCOMPARE(encode(FieldKind::Gf8, c, 0), std::string("\x08"));
    QCOMPARE(encode(FieldKind::Gf8, c, 1), std::string("\x8c"));
    QCOMPARE(encode(FieldKind::Gf8, c, 2), std::string("\x0b"));
}

void TestCheck::everySymbolHasItsInverse()
{
    for (std::uint32_t x = 1; x < 256; ++x)
        QCOMPARE(multiply(FieldKind::Gf8, x, inverse(FieldKind::Gf8, x)), 1U);
    for (std::uint32_t x = 1; x < 65536; x += 37)
        QCOMPARE(multiply(FieldKind::Gf16, x, inverse(FieldKind::Gf16, x)), 1U);
}

void TestCheck::manySymbolsAreMultipliedLikeOne()
{
    for (const FieldKind field : { FieldKind::Gf16, FieldKind::Gf8 }) {
        const std::size_t symbolBytes = field == FieldKind::Gf16 ? 2 : 1;
        for (std::size_t length = 0; length < 40; ++length) {
            std::string value;
            for (std::size_t i = 0; i < length; ++i)
                value += char(i * 73 + length * 31 + 5);
            std::string sum;
            addMember(field, 3, 2, value, sum);
            QCOMPARE(sum.size(), (length + symbolBytes - 1) / symbolBytes * symbolBytes);
            value.resize(sum.size(), '\0');
            for (std::size_t i = 0; i < sum.size(); i += symbolBytes) {
                const auto symbol = [&](const std::string& bytes) {
                    std::uint32_t s = std::uint8_t(bytes[i]);
                    if (symbolBytes == 2)
                        s |= std::uint32_t(std::uint8_t(bytes[i + 1])) << 8;
                    return s;
                };
                QCOMPARE(symbol(sum), multiply(field, coefficient(field, 3, 2), symbol(value)));
            }
        }
    }
}

void TestCheck::aRightFileHasNoViolation()
{
    const SmallFile file;
    const Violations found = file.check();
    QVERIFY2(found.empty(), found.empty() ? "" : found.front().text.c_str());
    QVERIFY(checkContents(file.contents(), file.data).empty());
}

void TestCheck::aSeededMistakeIsFound_data()
{
    using Break = std::function<void(SmallFile&)>;
    QTest::addColumn<Break>("mistake");
    QTest::addColumn<int>("invariant");
    const auto row = [](const char* name, int invariant, Break mistake) {
        QTest::newRow(name) << mistake << invariant;
    };
    row("one bit of parity", 1, [](SmallFile& f) { f.parity[1].records[0].parity[1] ^= 0x10; });
    row("one bit of data", 1, [](SmallFile& f) { f.data[0].records[1].value[6] ^= 1; });
    row("the column of another parity bucket", 1, [](SmallFile& f) { f.parity[1].records = f.parity[0].records; });
    row("a parity record is missing", 1, [](SmallFile& f) { f.parity[0].records.pop_back(); });
    row("a parity record too many", 1, [](SmallFile& f) { f.parity[0].records.push_back({ 9, {}, "ab" }); });
    row("a parity record without members is kept", 1, [](SmallFile& f) {
        f.parity[0].records.push_back({ 9, {}, "" });
    });
    row("a change is not applied", 1, [](SmallFile& f) { f.parity[0].applied[0] = 3; });
    row("a change is held", 1, [](SmallFile& f) { f.parity[0].held[2] = 1; });
    row("a member is not in the key list", 2, [](SmallFile& f) { f.parity[0].records[0].members.pop_back(); });
    row("another key in the list", 2, [](SmallFile& f) { f.parity[1].records[0].members[0].key = 12; });
    row("another length in the list", 2, [](SmallFile& f) { f.parity[1].records[2].members[0].length = 8; });
    row("another version in the list", 2, [](SmallFile& f) { f.parity[0].records[2].members[0].version = 3; });
    row("a deleted member is still in the list", 2, [](SmallFile& f) {
        f.parity[0].records[1].members.push_back({ 0, 16, 0, 3 });
    });
    row("a key twice in a group", 2, [](SmallFile& f) { f.data[2].records[0].key = 1; });
    row("two records of one rank", 3, [](SmallFile& f) { f.data[1].records[1].rank = 1; });
    row("rank 0", 3, [](SmallFile& f) { f.data[1].records[1].rank = 0; });
    row("a rank above the highest", 3, [](SmallFile& f) { f.data[1].rankMax = 1; });
    row("a used rank is free", 3, [](SmallFile& f) { f.data[0].freeRanks.push_back(3); });
    row("a free rank waits", 3, [](SmallFile& f) { f.data[0].waitingRanks.push_back(2); });
    row("a rank is nowhere", 3, [](SmallFile& f) { f.data[0].freeRanks.clear(); });
    row("a version from the future", 3, [](SmallFile& f) { f.data[2].records[0].version = 2; });
    row("a level too high", 4, [](SmallFile& f) { f.data[1].level = 2; });
    row("a key in the wrong bucket", 4, [](SmallFile& f) { f.data[1].records[0].key = 6; });
    row("a bucket is missing", 4, [](SmallFile& f) { f.file = { 2, 0 }; });
    row("a bucket too many", 4, [](SmallFile& f) { f.file = { 1, 0 }; });
}

void TestCheck::aSeededMistakeIsFound()
{
    QFETCH(const std::function<void(SmallFile&)>, mistake);
    QFETCH(const int, invariant);
    SmallFile file;
    mistake(file);
    QVERIFY(names(file.check(), invariant));
}

void TestCheck::parityMayBeTrimmedOrPadded()
{
    SmallFile file;
    file.parity[0].records[0].parity += std::string(6, '\0');
    QVERIFY(file.check().empty());
    QVERIFY(equalPadded("", std::string(3, '\0')));
    QVERIFY(!equalPadded("ab", "a"));
    QVERIFY(!equalPadded("ab", "b"));
}

void TestCheck::contentsAreComparedByteByByte()
{
    const SmallFile file;
    std::map<std::uint64_t, std::string> expected = file.contents();
    expected[8].back() = 'y';
    QVERIFY(namesOnly(checkContents(expected, file.data), 7));
    expected = file.contents();
    expected[8] += '\0'; // the length counts too
    QVERIFY(namesOnly(checkContents(expected, file.data), 7));
    expected = file.contents();
    expected.erase(3);
    QVERIFY(namesOnly(checkContents(expected, file.data), 4));
    expected = file.contents();
    expected.emplace(44, "");
    QVERIFY(namesOnly(checkContents(expected, file.data), 4));
    SmallFile twice;
    twice.data[1].records.push_back({ 3, 4, 2, "four" });
    QVERIFY(namesOnly(checkContents(file.contents(), twice.data), 4));
}

void TestCheck::mixedKeysHaveMixedAddresses()
{
    const FileSettings plain { 4, FieldKind::Gf16, false };
    const FileSettings mixed { 4, FieldKind::Gf16, true };
    const FileState file { 3, 2 };
    QCOMPARE(addressOf(plain, 17, file), std::uint64_t(1)); // 17 mod 8 = 1 < 2, then mod 16
    QCOMPARE(addressOf(plain, 9, file), std::uint64_t(9));
    std::array<int, 10> hits {};
    for (std::uint64_t key = 0; key < 8000; key += 8) // without mixing, all are in buckets 0 and 8
        ++hits[addressOf(mixed, key, file)];
    for (const int hit : hits)
        QVERIFY(hit > 20);
}

void TestCheck::hopsAreCounted()
{
    QVERIFY(checkHops({ 1, 2, true, 0 }).empty());
    QVERIFY(checkHops({ 1, 3, true, 1 }).empty());
    QVERIFY(namesOnly(checkHops({ 1, 3, true, 0 }), 5));
    QVERIFY(namesOnly(checkHops({ 1, 0, true, 0 }), 5));
}

void TestCheck::anImageIsNeverAhead()
{
    QVERIFY(checkImage({ 2, 1 }, { 2, 1 }).empty());
    QVERIFY(checkImage({ 1, 1 }, { 2, 0 }).empty());
    QVERIFY(namesOnly(checkImage({ 2, 2 }, { 2, 1 }), 5));
    QVERIFY(namesOnly(checkImage({ 1, 2 }, { 4, 0 }), 5)); // no image: n < 2^i
}

void TestCheck::anOkNeedsAllParityBuckets()
{
    AckSituation situation { kFirst, 5, 1, 10, false, { { 0, 10 }, { 1, 12 } } };
    QVERIFY(checkAckOrder(situation).empty());
    situation.columns[1].applied = 9;
    QVERIFY(namesOnly(checkAckOrder(situation), 6));
    situation.columns.clear(); // k = 0: there is no parity bucket to wait for
    QVERIFY(checkAckOrder(situation).empty());
}

void TestCheck::aKeyHasOneOwner()
{
    const FileSettings settings { 4, FieldKind::Gf16, false };
    const std::array<std::uint64_t, 2> keys { 4, 6 };
    const auto everywhere = [](std::uint32_t, std::uint64_t) { return true; };
    const FileState before { 1, 0 };
    const FileState after { 1, 1 };
    // Before the decision the source answers for both keys, the target is INIT.
    const std::array<Authority, 3> staged { Authority { 0, 1, true }, { 1, 1, true }, { 2, 2, false } };
    QVERIFY(checkAuthority(settings, before, staged, keys, everywhere).empty());
    // Decided; the source has committed and the target has not: no bucket answers for 6, but bucket 2 has it.
    const std::array<Authority, 3> between { Authority { 0, 2, true }, { 1, 1, true }, { 2, 2, false } };
    QVERIFY(checkAuthority(settings, after, between, keys, everywhere).empty());
    // The target is enabled before the source has committed: two buckets answer for 6.
    const std::array<Authority, 3> both { Authority { 0, 1, true }, { 1, 1, true }, { 2, 2, true } };
    QVERIFY(namesOnly(checkAuthority(settings, after, both, keys, everywhere), 11));
    // The source has freed its copies and the target has no copy.
    const auto lost = [](std::uint32_t bucket, std::uint64_t) { return bucket == 0; };
    QVERIFY(namesOnly(checkAuthority(settings, after, between, keys, lost), 11));
}

void TestCheck::splitsAreDecidedInOrder()
{
    QVERIFY(checkSplitOrder({ 2, 1 }, 1, 5, { 2, 2 }).empty());
    QVERIFY(checkSplitOrder({ 2, 3 }, 3, 7, { 3, 0 }).empty());
    QVERIFY(namesOnly(checkSplitOrder({ 2, 1 }, 2, 6, { 2, 2 }), 11));
    QVERIFY(namesOnly(checkSplitOrder({ 2, 1 }, 1, 6, { 2, 2 }), 11));
    QVERIFY(namesOnly(checkSplitOrder({ 2, 3 }, 3, 7, { 2, 4 }), 11));
}

void TestCheck::availabilityIsOneOfTwo()
{
    const auto check = [](FileState file, std::uint32_t k0, std::uint32_t k1) {
        const std::array<GroupAvailability, 2> groups { GroupAvailability { 0, k0 }, { 1, k1 } };
        return checkAvailability(file, 2, groups);
    };
    QVERIFY(check({ 2, 1 }, 2, 1).empty());
    QVERIFY(check({ 3, 0 }, 2, 2).empty());
    QVERIFY(namesOnly(check({ 3, 0 }, 2, 1), 12));
    QVERIFY(namesOnly(check({ 2, 1 }, 2, 0), 12));
    QVERIFY(namesOnly(check({ 2, 1 }, 3, 2), 12));
    QVERIFY(namesOnly(check({ 2, 1 }, 2, 3), 12));
}

void TestCheck::theLedgerPassesARightStory()
{
    RequestLedger ledger;
    Version* shown = nullptr;
    QVERIFY(ledger.issued(kFirst, RequestKind::Insert, 5, "one", 10).empty());
    QVERIFY(ledger.issued(kFirst, RequestKind::Insert, 5, "one", 40).empty()); // retransmitted
    QVERIFY(ledger.applied(kFirst, RequestKind::Insert, 5, 0, 1, 50).empty());
    QVERIFY(ledger.replied(kFirst, Outcome::Ok, "", 60, &shown).empty());
    QVERIFY(shown && shown->value == "one" && !shown->isAcknowledged);
    QVERIFY(ledger.replied(kFirst, Outcome::Ok, "", 61, &shown).empty()); // a repeat
    QVERIFY(ledger.finished(kFirst, Outcome::Ok, "").empty());
    QVERIFY(ledger.issued(kOther, RequestKind::Search, 5, "", 70).empty());
    QVERIFY(ledger.replied(kOther, Outcome::Ok, "one", 80, &shown).empty());
    QVERIFY(ledger.finished(kOther, Outcome::Ok, "one").empty());
    QVERIFY(ledger.issued(kSecond, RequestKind::Insert, 5, "two", 90).empty());
    QVERIFY(ledger.replied(kSecond, Outcome::Exists, "", 95, &shown).empty());
    QVERIFY(shown && shown->value == "one");
    QVERIFY(ledger.finished(kSecond, Outcome::Exists, "").empty());
    const RequestName gone { 7, 3 };
    QVERIFY(ledger.issued(gone, RequestKind::Delete, 5, "", 100).empty());
    QVERIFY(ledger.applied(gone, RequestKind::Delete, 5, 2, 9, 110).empty());
    QVERIFY(ledger.contents().empty());
    QCOMPARE(ledger.keys().size(), std::size_t(1));
    QCOMPARE(ledger.latest(5)->writer, gone);
    QCOMPARE(ledger.writtenBy(kFirst)->until, std::int64_t(110));
}

void TestCheck::theLedgerFindsAMistake_data()
{
    // Each begins with key 5 inserted as "one" by kFirst (applied at 20, answered at 30) and kSecond's update to "two"
    // issued at 40.
    using Story = std::function<Violations(RequestLedger&, Version*&)>;
    QTest::addColumn<Story>("story");
    QTest::addColumn<int>("invariant");
    const auto row = [](const char* name, int invariant, Story story) { QTest::newRow(name) << story << invariant; };
    row("OK without effect", 6,
        [](RequestLedger& l, Version*& s) { return l.replied(kSecond, Outcome::Ok, "", 50, &s); });
    row("NOT_FOUND for a key that is there", 8,
        [](RequestLedger& l, Version*& s) { return l.replied(kSecond, Outcome::NotFound, "", 50, &s); });
    row("twice", 10, [](RequestLedger& l, Version*&) {
        (void)l.applied(kSecond, RequestKind::Update, 5, 0, 2, 50);
        return l.applied(kSecond, RequestKind::Update, 5, 1, 1, 60);
    });
    row("under another key", 19,
        [](RequestLedger& l, Version*&) { return l.applied(kSecond, RequestKind::Update, 6, 0, 2, 50); });
    row("as another kind", 19,
        [](RequestLedger& l, Version*&) { return l.applied(kSecond, RequestKind::Delete, 5, 0, 2, 50); });
    row("never asked for", 19,
        [](RequestLedger& l, Version*&) { return l.applied(kOther, RequestKind::Update, 5, 0, 2, 50); });
    row("an insert over a record", 8, [](RequestLedger& l, Version*&) {
        (void)l.issued(kOther, RequestKind::Insert, 5, "x", 45);
        return l.applied(kOther, RequestKind::Insert, 5, 0, 2, 50);
    });
    row("after RETRY", 10, [](RequestLedger& l, Version*&) {
        (void)l.finished(kSecond, Outcome::Retry, "");
        return l.applied(kSecond, RequestKind::Update, 5, 0, 2, 50);
    });
    row("RETRY after the effect", 10, [](RequestLedger& l, Version*&) {
        (void)l.applied(kSecond, RequestKind::Update, 5, 0, 2, 50);
        return l.finished(kSecond, Outcome::Retry, "");
    });
    row("a result that no bucket gave", 10,
        [](RequestLedger& l, Version*&) { return l.finished(kSecond, Outcome::Ok, ""); });
    row("two results", 10, [](RequestLedger& l, Version*&) {
        (void)l.finished(kSecond, Outcome::Unknown, "");
        return l.finished(kSecond, Outcome::Unknown, "");
    });
    row("a number used again", 10,
        [](RequestLedger& l, Version*&) { return l.issued(kSecond, RequestKind::Update, 5, "three", 50); });
    row("a stale read", 8, [](RequestLedger& l, Version*& s) {
        (void)l.applied(kSecond, RequestKind::Update, 5, 0, 2, 50);
        (void)l.issued(kOther, RequestKind::Search, 5, "", 60);
        return l.replied(kOther, Outcome::Ok, "one", 70, &s);
    });
    row("a read of what comes later", 19, [](RequestLedger& l, Version*& s) {
        (void)l.issued(kOther, RequestKind::Search, 5, "", 45);
        return l.replied(kOther, Outcome::Ok, "two", 49, &s);
    });
    row("an invented value", 19, [](RequestLedger& l, Version*& s) {
        (void)l.issued(kOther, RequestKind::Search, 5, "", 45);
        return l.replied(kOther, Outcome::Ok, "nobody wrote this", 49, &s);
    });
    row("found nothing where there was always something", 8, [](RequestLedger& l, Version*& s) {
        (void)l.issued(kOther, RequestKind::Search, 5, "", 45);
        return l.replied(kOther, Outcome::NotFound, "", 49, &s);
    });
}

void TestCheck::theLedgerFindsAMistake()
{
    using Story = std::function<Violations(RequestLedger&, Version*&)>;
    QFETCH(const Story, story);
    QFETCH(const int, invariant);
    RequestLedger ledger;
    Version* shown = nullptr;
    QVERIFY(ledger.issued(kFirst, RequestKind::Insert, 5, "one", 10).empty());
    QVERIFY(ledger.applied(kFirst, RequestKind::Insert, 5, 0, 1, 20).empty());
    QVERIFY(ledger.replied(kFirst, Outcome::Ok, "", 30, &shown).empty());
    QVERIFY(ledger.issued(kSecond, RequestKind::Update, 5, "two", 40).empty());
    const Violations found = story(ledger, shown);
    QVERIFY(names(found, invariant));
}

void TestCheck::anUnknownOutcomeStaysOpen()
{
    RequestLedger ledger;
    QVERIFY(ledger.issued(kFirst, RequestKind::Insert, 5, "one", 10).empty());
    QVERIFY(ledger.finished(kFirst, Outcome::Unknown, "").empty());
    QVERIFY(ledger.contents().empty());
    QVERIFY(ledger.applied(kFirst, RequestKind::Insert, 5, 0, 1, 9000).empty());
    QCOMPARE(ledger.contents().at(5), std::string("one"));
    // A copy that the network made does not count among the copies that the client had sent when it got RETRY.
    QVERIFY(ledger.issued(kSecond, RequestKind::Delete, 5, "", 9001).empty());
    ledger.copied(kSecond);
    QVERIFY(ledger.finished(kSecond, Outcome::Retry, "").empty());
    QVERIFY(ledger.applied(kSecond, RequestKind::Delete, 5, 0, 2, 9002).empty());
}

void TestCheck::aReadMayShowWhatWasCurrentWhileItRan()
{
    RequestLedger ledger;
    Version* shown = nullptr;
    QVERIFY(ledger.issued(kFirst, RequestKind::Insert, 5, "one", 10).empty());
    QVERIFY(ledger.issued(kOther, RequestKind::Search, 5, "", 15).empty());
    QVERIFY(ledger.applied(kFirst, RequestKind::Insert, 5, 0, 1, 20).empty());
    QVERIFY(ledger.replied(kOther, Outcome::NotFound, "", 30, &shown).empty());
    QVERIFY(ledger.replied(kOther, Outcome::Ok, "one", 31, &shown).empty());
    QVERIFY(shown && !shown->isAcknowledged);
}

QTEST_APPLESS_MAIN(TestCheck)
#include "tst_check.moc"
