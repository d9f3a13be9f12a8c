// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals on a ring, against their definition on every small ring; and the hash that gives names their place.
#include "node/walk/id_ring.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

#include <string>

using namespace lhrs;

class TestRing : public QObject {
    Q_OBJECT

private slots:
    void sha1OfTheStandard();
    void intervalsAreWhatTheyAreOnEverySmallRing();
    void aRangeAndTheRestOfTheRingArePartsOfIt();
    void theWholeRingOfSixtyFourBits();
    void idsAreTheLastBitsOfTheHash();
};

static QByteArray hex(const std::string& text)
{
    const auto digest = sha1(text);
    return QByteArray(reinterpret_cast<const char*>(digest.data()), qsizetype(digest.size())).toHex();
}

// FIPS 180-4 examples, and lengths around the end of a block.
void TestRing::sha1OfTheStandard()
{
    QCOMPARE(hex("abc"), QByteArray("a9993e364706816aba3e25717850c26c9cd0d89d"));
    QCOMPARE(hex(""), QByteArray("da39a3ee5e6b4b0d3255bfef95601890afd80709"));
    QCOMPARE(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
        QByteArray("84983e441c3bd26ebaae4aa1f95129e5e54670f1"));
    QCOMPARE(hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopq"
                 "rstnopqrstu"),
        QByteArray("a49b2446a02c645bf419f995b67091253a04a259"));
    QCOMPARE(hex(std::string(1'000'000, 'a')), QByteArray("34aa973cd4c4daa4f61eeb2bdbad27316534016f"));
    for (const auto& [length, expected] : { std::pair(55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
             std::pair(56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
             std::pair(63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
             std::pair(64, "0098ba824b5c16427bd7a1122a5a442a25ec644d") })
        QCOMPARE(hex(std::string(std::size_t(length), 'a')), QByteArray(expected));
}

// Counted step by step: from a on, one id after the other, up to b.
void TestRing::intervalsAreWhatTheyAreOnEverySmallRing()
{
    for (unsigned bits = 1; bits <= 5; ++bits) {
        const IdRing ring(bits);
        const std::uint64_t size = 1u << bits;
        for (std::uint64_t a = 0; a < size; ++a) {
            for (std::uint64_t b = 0; b < size; ++b) {
                std::vector<bool> right(size, false), open(size, false);
                std::uint64_t steps = 0;
                for (std::uint64_t x = (a + 1) % size;; x = (x + 1) % size) {
                    ++steps;
                    right[x] = true;
                    if (x == b)
                        break;
                    open[x] = true;
                }
                QCOMPARE(ring.clockwise(RingId(a), RingId(b)), a == b ? 0 : steps);
                for (std::uint64_t x = 0; x < size; ++x) {
                    QCOMPARE(ring.inRight(RingId(x), RingId(a), RingId(b)), bool(right[x]));
                    QCOMPARE(ring.inOpen(RingId(x), RingId(a), RingId(b)), bool(open[x]));
                }
            }
        }
    }
}

void TestRing::aRangeAndTheRestOfTheRingArePartsOfIt()
{
    const IdRing ring(5);
    for (std::uint64_t a = 0; a < 32; ++a)
        for (std::uint64_t b = 0; b < 32; ++b)
            for (std::uint64_t x = 0; a != b && x < 32; ++x)
                QVERIFY(ring.inRight(RingId(x), RingId(a), RingId(b)) != ring.inRight(RingId(x), RingId(b), RingId(a)));
}

void TestRing::theWholeRingOfSixtyFourBits()
{
    const IdRing ring(64);
    const RingId top(~0ULL), zero(0), one(1);
    QCOMPARE(ring.wrap(~0ULL), top);
    QCOMPARE(ring.clockwise(top, one), std::uint64_t(2));
    QVERIFY(ring.inRight(zero, top, one) && ring.inRight(one, top, one) && !ring.inRight(top, top, one));
    QVERIFY(ring.inOpen(zero, top, one) && !ring.inOpen(one, top, one));
}

void TestRing::idsAreTheLastBitsOfTheHash()
{
    QCOMPARE(IdRing(64).idOf("abc"), RingId(0x7850c26c9cd0d89d));
    QCOMPARE(IdRing(32).idOf("abc"), RingId(0x9cd0d89d));
    QCOMPARE(IdRing(8).idOf("abc"), RingId(0x9d));
    // A key is hashed as its eight bytes, the highest first.
    QCOMPARE(IdRing(32).idOf(Key(0x6162630000000000)), IdRing(32).idOf(std::string_view("abc\0\0\0\0\0", 8)));
    QVERIFY(IdRing(32).idOf(Key(1)) != IdRing(32).idOf(Key(2)));
}

QTEST_APPLESS_MAIN(TestRing)
#include "tst_id_ring.moc"
