// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/galois.h"

#include <QTest>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace lhrs;

namespace {

// The field again, bit by bit and without tables, so that the test shares nothing with what it tests.
Symbol referenceMultiply(FieldWidth width, Symbol x, Symbol y)
{
    const Symbol polynomial = width == FieldWidth::Gf8 ? 0x11d : 0x1100b;
    const Symbol overflow = width == FieldWidth::Gf8 ? 0x100 : 0x10000;
    Symbol product = 0;
    for (; y; y >>= 1) {
        if (y & 1)
            product ^= x;
        x <<= 1;
        if (x & overflow)
            x ^= polynomial;
    }
    return product;
}

using Bytes = std::vector<std::byte>;

Bytes randomBytes(std::size_t size, std::mt19937& random)
{
    Bytes bytes(size);
    for (std::byte& byte : bytes)
        byte = std::byte(random());
    return bytes;
}

// coefficient * source in whole symbols, low byte first.
Bytes referenceProduct(FieldWidth width, const Bytes& source, Symbol coefficient)
{
    Bytes product(source.size());
    if (width == FieldWidth::Gf8) {
        for (std::size_t at = 0; at < source.size(); ++at)
            product[at] = std::byte(referenceMultiply(width, Symbol(source[at]), coefficient));
    } else {
        for (std::size_t at = 0; at + 1 < source.size(); at += 2) {
            const Symbol s = Symbol(source[at]) + 256 * Symbol(source[at + 1]);
            const Symbol p = referenceMultiply(width, s, coefficient);
            product[at] = std::byte(p % 256);
            product[at + 1] = std::byte(p / 256);
        }
    }
    return product;
}

// Few in GF(2^16): both ends, the smallest, and some of the demo matrix.
std::vector<Symbol> someCoefficients(FieldWidth width)
{
    if (width == FieldWidth::Gf8)
        return {0, 1, 2, 3, 0x1a, 0x80, 0xfd, 0xff};
    return {0, 1, 2, 3, 0x100, 0x8000, 0xeb9b, 0x2284, 0xffff};
}

void eachBackend()
{
    QTest::addColumn<FieldWidth>("width");
    QTest::addColumn<FieldOptions>("options");
    for (const FieldWidth width : {FieldWidth::Gf8, FieldWidth::Gf16}) {
        const std::string field = width == FieldWidth::Gf8 ? "GF(2^8)" : "GF(2^16)";
        for (const bool rowOfOnes : {true, false}) {
            const std::string ones = rowOfOnes ? "" : ", pure RS";
            QTest::newRow((field + " gf-complete" + ones).c_str())
                << width << FieldOptions {Backend::GfComplete, true, rowOfOnes};
            QTest::newRow((field + " log with pre-calculus" + ones).c_str())
                << width << FieldOptions {Backend::Log, true, rowOfOnes};
            QTest::newRow((field + " log without pre-calculus" + ones).c_str())
                << width << FieldOptions {Backend::Log, false, rowOfOnes};
        }
    }
}

} // namespace

Q_DECLARE_METATYPE(lhrs::FieldWidth)
Q_DECLARE_METATYPE(lhrs::FieldOptions)

class TestGalois : public QObject {
    Q_OBJECT

private slots:
    void theCheckValuesOfTheDemoPapersFieldAppear();
    void theFieldOfEightBitsIsTheOneOf0x11d();
    void everyProductInGf8IsTheBitwiseOne();
    void sampledProductsInGf16AreTheBitwiseOnes();
    void logarithmAndAntilogarithmAreInverseForEveryElement();
    void theAxiomsOfAFieldHold_data();
    void theAxiomsOfAFieldHold();
    void aLengthIsPaddedToWholeSymbols();
    void aRegionIsMultipliedSymbolBySymbolAtEveryAlignmentAndLength_data();
    void aRegionIsMultipliedSymbolBySymbolAtEveryAlignmentAndLength();
    void everyCoefficientOfGf8MultipliesARegion();
    void longRegionsCrossTheBlocksOfTheCopy_data();
    void longRegionsCrossTheBlocksOfTheCopy();
    void xorTakesAnyAlignmentAndLength();
};

void TestGalois::theCheckValuesOfTheDemoPapersFieldAppear()
{
    const Field field(FieldWidth::Gf16);
    QCOMPARE(field.symbolBytes(), std::size_t(2));
    QCOMPARE(field.symbolMax(), Symbol(0xffff));
    QCOMPARE(field.alog(0), Symbol(1));
    QCOMPARE(field.alog(16), Symbol(0x100b));
    QCOMPARE(field.alog(17), Symbol(0x2016));
    QCOMPARE(field.log(3), Symbol(0xc1ba));
    QCOMPARE(field.log(0xffff), Symbol(0x59f1));
    // Q = log P of the demo paper, entry by entry.
    const std::map<Symbol, Symbol> logs = {{0x0001, 0x0000}, {0xeb9b, 0x5ab5}, {0x2284, 0xe267}, {0x9e74, 0x0dce},
        {0x9e44, 0x784d}, {0xd7f1, 0x2b66}, {0x75ee, 0xa3b3}};
    for (const auto& [x, e] : logs) {
        QCOMPARE(field.log(x), e);
        QCOMPARE(field.alog(e), x);
    }
}

void TestGalois::theFieldOfEightBitsIsTheOneOf0x11d()
{
    const Field field(FieldWidth::Gf8);
    QCOMPARE(field.symbolBytes(), std::size_t(1));
    QCOMPARE(field.symbolMax(), Symbol(0xff));
    QCOMPARE(field.multiply(0x80, 2), Symbol(0x1d));
    QCOMPARE(field.alog(8), Symbol(0x1d));
    // And gf-complete's default is the same field: 80 * 2 as a region of one byte.
    std::byte destination {};
    const std::byte source {0x80};
    Field(FieldWidth::Gf8, {.backend = Backend::GfComplete}).multiplyAdd(&destination, &source, 1, 2);
    QCOMPARE(int(destination), 0x1d);
}

void TestGalois::everyProductInGf8IsTheBitwiseOne()
{
    const Field field(FieldWidth::Gf8);
    for (Symbol x = 0; x < 256; ++x) {
        for (Symbol y = 0; y < 256; ++y)
            QCOMPARE(field.multiply(x, y), referenceMultiply(FieldWidth::Gf8, x, y));
    }
}

void TestGalois::sampledProductsInGf16AreTheBitwiseOnes()
{
    const Field field(FieldWidth::Gf16);
    std::mt19937 random(1);
    for (int sample = 0; sample < 200000; ++sample) {
        const Symbol x = Symbol(random()) & 0xffff;
        const Symbol y = sample % 100 ? Symbol(random()) & 0xffff : 0;
        QCOMPARE(field.multiply(x, y), referenceMultiply(FieldWidth::Gf16, x, y));
        QCOMPARE(field.multiply(y, x), field.multiply(x, y));
    }
}

void TestGalois::logarithmAndAntilogarithmAreInverseForEveryElement()
{
    for (const FieldWidth width : {FieldWidth::Gf8, FieldWidth::Gf16}) {
        const Field field(width);
        Symbol power = 1;
        for (Symbol e = 0; e < field.symbolMax(); ++e) {
            QCOMPARE(field.alog(e), power);
            QCOMPARE(field.log(power), e);
            QCOMPARE(field.alog(e + field.symbolMax()), power);
            power = referenceMultiply(width, power, 2);
            QCOMPARE(power == 1, e + 1 == field.symbolMax()); // 2 is a generator
        }
    }
}

void TestGalois::theAxiomsOfAFieldHold_data()
{
    QTest::addColumn<FieldWidth>("width");
    QTest::newRow("GF(2^8)") << FieldWidth::Gf8;
    QTest::newRow("GF(2^16)") << FieldWidth::Gf16;
}

void TestGalois::theAxiomsOfAFieldHold()
{
    QFETCH(FieldWidth, width);
    const Field field(width);
    std::mt19937 random(2);
    for (int sample = 0; sample < 50000; ++sample) {
        const Symbol x = Symbol(random()) & field.symbolMax();
        const Symbol y = Symbol(random()) & field.symbolMax();
        const Symbol z = Symbol(random()) & field.symbolMax();
        QCOMPARE(field.multiply(x, field.multiply(y, z)), field.multiply(field.multiply(x, y), z));
        QCOMPARE(field.multiply(x, y ^ z), field.multiply(x, y) ^ field.multiply(x, z));
        QCOMPARE(field.multiply(x, 1), x);
        QCOMPARE(field.multiply(x, 0), Symbol(0));
        if (y == 0)
            continue;
        QCOMPARE(field.multiply(y, field.inverse(y)), Symbol(1));
        QCOMPARE(field.multiply(field.divide(x, y), y), x);
        QCOMPARE(field.divide(0, y), Symbol(0));
    }
}

void TestGalois::aLengthIsPaddedToWholeSymbols()
{
    const Field narrow(FieldWidth::Gf8);
    const Field wide(FieldWidth::Gf16);
    for (const std::size_t length : {0u, 1u, 2u, 3u, 100u, 65535u}) {
        QCOMPARE(narrow.paddedLength(length), length);
        QCOMPARE(wide.paddedLength(length), (length + 1) / 2 * 2);
    }
}

void TestGalois::aRegionIsMultipliedSymbolBySymbolAtEveryAlignmentAndLength_data()
{
    eachBackend();
}

void TestGalois::aRegionIsMultipliedSymbolBySymbolAtEveryAlignmentAndLength()
{
    QFETCH(FieldWidth, width);
    QFETCH(FieldOptions, options);
    constexpr std::size_t kLengthMax = 130;
    constexpr std::size_t kRoom = kLengthMax + 32;
    const Field field(width, options);
    std::mt19937 random(3);
    Bytes factor = randomBytes(kLengthMax, random);
    std::fill_n(factor.begin() + 20, 6, std::byte {}); // zero symbols too
    const Bytes before = randomBytes(kRoom, random);
    alignas(16) std::byte source[kRoom];
    alignas(16) std::byte destination[kRoom];
    for (const Symbol coefficient : someCoefficients(width)) {
        const Bytes product = referenceProduct(width, factor, coefficient);
        for (std::size_t place = 0; place < 256; ++place) {
            const std::size_t from = place % 16;
            const std::size_t to = place / 16;
            std::memcpy(source + from, factor.data(), kLengthMax);
            Bytes expected = before;
            for (std::size_t length = 0; length <= kLengthMax; length += field.symbolBytes()) {
                std::memcpy(destination, before.data(), kRoom);
                field.multiplyAdd(destination + to, source + from, length, coefficient);
                // Also what lies before and behind is as it was.
                if (!std::equal(expected.begin(), expected.end(), destination)) {
                    const QString where = QString("coefficient %1, length %2, from %3, to %4");
                    QFAIL(qPrintable(where.arg(coefficient).arg(length).arg(from).arg(to)));
                }
                for (std::size_t at = length; at < std::min(length + field.symbolBytes(), kLengthMax); ++at)
                    expected[to + at] ^= product[at];
            }
            QVERIFY(std::equal(factor.begin(), factor.end(), source + from));
        }
    }
}

void TestGalois::everyCoefficientOfGf8MultipliesARegion()
{
    std::mt19937 random(4);
    const Bytes factor = randomBytes(67, random);
    for (Symbol coefficient = 0; coefficient < 256; ++coefficient) {
        const Bytes product = referenceProduct(FieldWidth::Gf8, factor, coefficient);
        for (const Backend backend : {Backend::GfComplete, Backend::Log}) {
            Bytes sum(factor.size());
            const Field field(FieldWidth::Gf8, {.backend = backend});
            field.multiplyAdd(sum.data(), factor.data(), sum.size(), coefficient);
            QCOMPARE(sum, product);
        }
    }
}

void TestGalois::longRegionsCrossTheBlocksOfTheCopy_data()
{
    eachBackend();
}

void TestGalois::longRegionsCrossTheBlocksOfTheCopy()
{
    QFETCH(FieldWidth, width);
    QFETCH(FieldOptions, options);
    const Field field(width, options);
    std::mt19937 random(5);
    const Bytes source = randomBytes(70001, random);
    const Bytes before = randomBytes(70001, random);
    for (const Symbol coefficient : {1u, 0x1au, 0xffu}) {
        const Bytes product = referenceProduct(width, source, coefficient);
        for (const std::size_t size : {4094u, 4096u, 4098u, 8192u, 12290u, 65536u, 70000u}) {
            for (const std::size_t to : {0u, 1u}) { // suitable as it lies, and not
                Bytes destination = before;
                field.multiplyAdd(destination.data() + to, source.data(), size, coefficient);
                Bytes expected = before;
                for (std::size_t at = 0; at < size; ++at)
                    expected[to + at] ^= product[at];
                QVERIFY(destination == expected);
            }
        }
    }
}

void TestGalois::xorTakesAnyAlignmentAndLength()
{
    std::mt19937 random(6);
    const Bytes source = randomBytes(200, random);
    const Bytes before = randomBytes(200, random);
    for (std::size_t from = 0; from < 16; ++from) {
        for (std::size_t to = 0; to < 16; ++to) {
            for (std::size_t size = 0; size <= 180; ++size) {
                Bytes destination = before;
                Field::xorInto(destination.data() + to, source.data() + from, size);
                Bytes expected = before;
                for (std::size_t at = 0; at < size; ++at)
                    expected[to + at] ^= source[from + at];
                QVERIFY(destination == expected);
            }
        }
    }
}

QTEST_APPLESS_MAIN(TestGalois)
#include "tst_galois.moc"
