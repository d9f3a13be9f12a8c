// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/field/galois.h"

#include <QTest>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace lhrs;

namespace {

// The field again, bit by bit and without tables, so that the test shares no code with what it tests.
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

// A small set for GF(2^16): both ends, the smallest, and some of the demo matrix.
std::vector<Symbol> someCoefficients(FieldWidth width)
{
    if (width == FieldWidth::Gf8)
        return { 0, 1, 2, 3, 0x1a, 0x80, 0xfd, 0xff };
    return { 0, 1, 2, 3, 0x100, 0x8000, 0xeb9b, 0x2284, 0xffff };
}

// The kernels that this processor has; the test skips the others with a message.
std::vector<FieldOptions> simdHere()
{
    std::vector<FieldOptions> found;
    for (const char* word : { "simd:portable", "simd:ssse3", "simd:avx2", "simd:gfni-avx2", "simd:gfni-avx512" }) {
        const auto options = fieldOptionsNamed(word);
        if (options)
            found.push_back(*options);
        else
            qInfo("%s", options.error().text.c_str());
    }
    return found;
}

const char* nameOf(FieldWidth width) { return width == FieldWidth::Gf8 ? "GF(2^8) " : "GF(2^16) "; }

void eachKernel()
{
    QTest::addColumn<FieldWidth>("width");
    QTest::addColumn<FieldOptions>("options");
    for (const FieldWidth width : { FieldWidth::Gf8, FieldWidth::Gf16 }) {
        for (const FieldOptions& options : simdHere())
            QTest::newRow((nameOf(width) + nameOf(options)).c_str()) << width << options;
    }
}

// Some bytes with others around them, at an address with this remainder modulo 64.
struct Guarded {
    Guarded(const Bytes& content, std::size_t offset)
        : all(content.size() + 192, std::byte { 0x5a }), size(content.size())
    {
        const auto address = reinterpret_cast<std::uintptr_t>(all.data());
        begin = 64 + (64 - address % 64) + offset % 64;
        std::ranges::copy(content, at());
    }
    std::byte* at() { return all.data() + begin; }
    bool holds(const Bytes& content) const
    {
        const auto isGuard = [](std::byte byte) { return byte == std::byte { 0x5a }; };
        const auto from = all.begin() + std::ptrdiff_t(begin);
        const auto to = from + std::ptrdiff_t(size);
        return std::all_of(all.begin(), from, isGuard) && std::equal(from, to, content.begin(), content.end())
            && std::all_of(to, all.end(), isGuard);
    }
    Bytes all;
    std::size_t size;
    std::size_t begin = 0;
};

void eachBackend()
{
    QTest::addColumn<FieldWidth>("width");
    QTest::addColumn<FieldOptions>("options");
    for (const FieldWidth width : { FieldWidth::Gf8, FieldWidth::Gf16 }) {
        const std::string field = width == FieldWidth::Gf8 ? "GF(2^8)" : "GF(2^16)";
        for (const bool rowOfOnes : { true, false }) {
            const std::string ones = rowOfOnes ? "" : ", pure RS";
            QTest::newRow((field + " gf-complete" + ones).c_str())
                << width << FieldOptions { Backend::GfComplete, true, rowOfOnes };
            QTest::newRow((field + " log with pre-calculus" + ones).c_str())
                << width << FieldOptions { Backend::Log, true, rowOfOnes };
            QTest::newRow((field + " log without pre-calculus" + ones).c_str())
                << width << FieldOptions { Backend::Log, false, rowOfOnes };
            for (FieldOptions options : simdHere()) {
                options.rowOfOnes = rowOfOnes;
                QTest::newRow((nameOf(width) + nameOf(options) + ones).c_str()) << width << options;
            }
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
    void everyKernelMultipliesByEveryCoefficientAsGfCompleteDoes_data();
    void everyKernelMultipliesByEveryCoefficientAsGfCompleteDoes();
    void everyKernelTakesAnyLengthAtAnyAddress_data();
    void everyKernelTakesAnyLengthAtAnyAddress();
    void everyKernelCombinesAnyNumberOfRegions_data();
    void everyKernelCombinesAnyNumberOfRegions();
    void everyBackendCombinesAsItMultiplies_data();
    void everyBackendCombinesAsItMultiplies();
    void aBackendIsKnownByItsWord();
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
    const std::map<Symbol, Symbol> logs = { { 0x0001, 0x0000 }, { 0xeb9b, 0x5ab5 }, { 0x2284, 0xe267 },
        { 0x9e74, 0x0dce }, { 0x9e44, 0x784d }, { 0xd7f1, 0x2b66 }, { 0x75ee, 0xa3b3 } };
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
    const std::byte source { 0x80 };
    Field(FieldWidth::Gf8, { .backend = Backend::GfComplete }).multiplyAdd(&destination, &source, 1, 2);
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
    for (const FieldWidth width : { FieldWidth::Gf8, FieldWidth::Gf16 }) {
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
    for (const std::size_t length : { 0u, 1u, 2u, 3u, 100u, 65535u }) {
        QCOMPARE(narrow.paddedLength(length), length);
        QCOMPARE(wide.paddedLength(length), (length + 1) / 2 * 2);
    }
}

void TestGalois::aRegionIsMultipliedSymbolBySymbolAtEveryAlignmentAndLength_data() { eachBackend(); }

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
                // The bytes before and after must be unchanged.
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
        for (const Backend backend : { Backend::GfComplete, Backend::Log }) {
            Bytes sum(factor.size());
            const Field field(FieldWidth::Gf8, { .backend = backend });
            field.multiplyAdd(sum.data(), factor.data(), sum.size(), coefficient);
            QCOMPARE(sum, product);
        }
    }
}

void TestGalois::longRegionsCrossTheBlocksOfTheCopy_data() { eachBackend(); }

void TestGalois::longRegionsCrossTheBlocksOfTheCopy()
{
    QFETCH(FieldWidth, width);
    QFETCH(FieldOptions, options);
    const Field field(width, options);
    std::mt19937 random(5);
    const Bytes source = randomBytes(70001, random);
    const Bytes before = randomBytes(70001, random);
    for (const Symbol coefficient : { 1u, 0x1au, 0xffu }) {
        const Bytes product = referenceProduct(width, source, coefficient);
        for (const std::size_t size : { 4094u, 4096u, 4098u, 8192u, 12290u, 65536u, 70000u }) {
            for (const std::size_t to : { 0u, 1u }) { // suitable as it lies, and not
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

void TestGalois::everyKernelMultipliesByEveryCoefficientAsGfCompleteDoes_data() { eachKernel(); }

void TestGalois::everyKernelMultipliesByEveryCoefficientAsGfCompleteDoes()
{
    QFETCH(FieldWidth, width);
    QFETCH(FieldOptions, options);
    const Field ours(width, options);
    const Field reference(width, { .backend = Backend::GfComplete });
    std::mt19937 random(7);
    constexpr std::size_t kBytes = 118; // a block of each kernel, and a remainder
    const Bytes source = randomBytes(kBytes, random);
    const Bytes before = randomBytes(kBytes, random);
    for (Symbol coefficient = 0; coefficient <= ours.symbolMax(); ++coefficient) {
        alignas(16) std::byte sums[2][kBytes];
        for (auto& sum : sums)
            std::ranges::copy(before, sum);
        reference.multiplyAdd(sums[0], source.data(), kBytes, coefficient);
        ours.multiplyAdd(sums[1], source.data(), kBytes, coefficient);
        if (std::memcmp(sums[0], sums[1], kBytes) != 0)
            QFAIL(qPrintable(QString("coefficient %1").arg(coefficient)));
    }
}

void TestGalois::everyKernelTakesAnyLengthAtAnyAddress_data() { eachKernel(); }

void TestGalois::everyKernelTakesAnyLengthAtAnyAddress()
{
    QFETCH(FieldWidth, width);
    QFETCH(FieldOptions, options);
    const Field ours(width, options);
    const Field reference(width, { .backend = Backend::GfComplete });
    std::mt19937 random(8);
    for (int draw = 0; draw < 2000; ++draw) {
        const std::size_t size = ours.paddedLength(random() % 1001);
        const Bytes source = randomBytes(size, random);
        Bytes expected = randomBytes(size, random);
        const Symbol coefficient = Symbol(random()) & ours.symbolMax();
        Guarded from(source, random());
        Guarded to(expected, random());
        ours.multiplyAdd(to.at(), from.at(), size, coefficient);
        reference.multiplyAdd(expected.data(), source.data(), size, coefficient);
        QVERIFY(to.holds(expected));
        QVERIFY(from.holds(source));
    }
}

// Random rows over random sources, some of which are missing, compared with one product after the other.
static void combineAtRandom(
    const Field& field, std::size_t size, std::size_t rowCount, std::size_t sourceCount, std::mt19937& random)
{
    const Field reference(field.width(), { .backend = Backend::GfComplete });
    std::vector<Bytes> sources;
    std::vector<Guarded> from;
    std::vector<const std::byte*> starts;
    for (std::size_t j = 0; j < sourceCount; ++j) {
        sources.push_back(randomBytes(size, random));
        from.emplace_back(sources.back(), random());
    }
    for (Guarded& source : from)
        starts.push_back(random() % 5 ? source.at() : nullptr);
    const bool isAdded = random() % 2;
    std::vector<std::vector<Multiplier>> multipliers(rowCount);
    std::vector<Bytes> expected;
    std::vector<Guarded> to;
    for (std::size_t i = 0; i < rowCount; ++i) {
        const Bytes before = randomBytes(size, random);
        to.emplace_back(before, random());
        expected.push_back(isAdded ? before : Bytes(size));
        for (std::size_t j = 0; j < sourceCount; ++j) {
            const Symbol coefficient = random() % 4 ? Symbol(random()) & field.symbolMax() : Symbol(random() % 3);
            multipliers[i].push_back(field.prepare(coefficient));
            QCOMPARE(multipliers[i].back().coefficient(), coefficient);
            if (starts[j])
                reference.multiplyAdd(expected[i].data(), sources[j].data(), size, coefficient);
        }
    }
    std::vector<Combination::Row> rows;
    for (std::size_t i = 0; i < rowCount; ++i)
        rows.push_back({ to[i].at(), multipliers[i].data() });
    field.combine({ .rows = rows, .sources = starts, .bytes = size, .isAdded = isAdded });
    for (std::size_t i = 0; i < rowCount; ++i)
        QVERIFY2(
            to[i].holds(expected[i]), qPrintable(QString("row %1 of %2, %3 bytes").arg(i).arg(rowCount).arg(size)));
    for (std::size_t j = 0; j < sourceCount; ++j)
        QVERIFY(from[j].holds(sources[j]));
}

void TestGalois::everyKernelCombinesAnyNumberOfRegions_data() { eachKernel(); }

void TestGalois::everyKernelCombinesAnyNumberOfRegions()
{
    QFETCH(FieldWidth, width);
    QFETCH(FieldOptions, options);
    const Field field(width, options);
    std::mt19937 random(9);
    for (int draw = 0; draw < 400; ++draw)
        combineAtRandom(field, field.paddedLength(random() % 400), random() % 10, random() % 10, random);
    // Longer than the block that is processed at once for many rows.
    for (const std::size_t size : { 8190u, 8192u, 8194u, 20002u, 65536u })
        combineAtRandom(field, size, 5, 3, random);
}

void TestGalois::everyBackendCombinesAsItMultiplies_data() { eachBackend(); }

void TestGalois::everyBackendCombinesAsItMultiplies()
{
    QFETCH(FieldWidth, width);
    QFETCH(FieldOptions, options);
    const Field field(width, options);
    std::mt19937 random(10);
    for (int draw = 0; draw < 20; ++draw)
        combineAtRandom(field, field.paddedLength(random() % 300), 1 + random() % 5, 1 + random() % 5, random);
}

void TestGalois::aBackendIsKnownByItsWord()
{
    QCOMPARE(fieldOptionsNamed("log")->backend, Backend::Log);
    QCOMPARE(fieldOptionsNamed("gf-complete")->backend, Backend::GfComplete);
    QCOMPARE(fieldOptionsNamed("")->backend, FieldOptions().backend);
    QCOMPARE(fieldOptionsNamed("simd")->kernel, Kernel::Best);
    QCOMPARE(fieldOptionsNamed("simd:portable")->kernel, Kernel::Portable);
    QCOMPARE(nameOf(*fieldOptionsNamed("simd:portable")), std::string("simd:portable"));
    QCOMPARE(
        nameOf(*fieldOptionsNamed("simd")), nameOf(FieldOptions { .backend = Backend::Simd, .kernel = bestKernel() }));
    for (const char* word : { "isa-l", "simd:", "simd:sse9", "simd:best", "simdavx2", ":avx2", "LOG" }) {
        const auto options = fieldOptionsNamed(word);
        QVERIFY2(!options && options.error().text.find("simd:portable") != std::string::npos, word);
    }
    // A kernel that the processor lacks is refused when it is requested by name, and replaced when it was only the
    // default.
    for (const Kernel kernel : { Kernel::Ssse3, Kernel::Avx2, Kernel::GfniAvx2, Kernel::GfniAvx512 }) {
        if (!isSupported(kernel))
            QCOMPARE(nameOf(FieldOptions { .backend = Backend::Simd, .kernel = kernel }),
                nameOf(*fieldOptionsNamed("simd")));
    }
}

QTEST_APPLESS_MAIN(TestGalois)
#include "tst_galois.moc"
