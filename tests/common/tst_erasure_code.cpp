// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/lhrs/erasure_code.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace lhrs;

namespace {

using Bytes = std::vector<std::byte>;
using Symbols = std::vector<Symbol>;

Bytes randomBytes(std::size_t size, std::mt19937& random)
{
    Bytes bytes(size);
    for (std::byte& byte : bytes)
        byte = std::byte(random());
    return bytes;
}

std::vector<ByteSpan> spansOf(const std::vector<Bytes>& members) { return { members.begin(), members.end() }; }

// Low byte first.
Bytes bytesOf(Symbol symbol, FieldWidth width)
{
    return width == FieldWidth::Gf8 ? Bytes { std::byte(symbol) } : Bytes { std::byte(symbol), std::byte(symbol >> 8) };
}

// The field again, bit by bit and without tables.
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

// By expansion along the first row; no division, no elimination.
Symbol determinant(FieldWidth width, const std::vector<Symbols>& matrix)
{
    if (matrix.size() == 1)
        return matrix[0][0];
    Symbol sum = 0;
    for (std::size_t column = 0; column < matrix.size(); ++column) {
        std::vector<Symbols> minor(matrix.begin() + 1, matrix.end());
        for (Symbols& row : minor)
            row.erase(row.begin() + std::ptrdiff_t(column));
        sum ^= referenceMultiply(width, matrix[0][column], determinant(width, minor));
    }
    return sum;
}

using Subset = std::vector<std::uint32_t>;

// Every subset of 0..size-1 with `count` members.
void forEachSubset(std::uint32_t size, std::uint32_t count, const std::function<void(const Subset&)>& visit)
{
    Subset subset(count);
    const std::function<void(std::uint32_t, std::uint32_t)> extend = [&](std::uint32_t at, std::uint32_t from) {
        if (at == count) {
            visit(subset);
            return;
        }
        for (subset[at] = from; subset[at] < size; ++subset[at])
            extend(at + 1, subset[at] + 1);
    };
    extend(0, 0);
}

// Of the columns of (I|P), 0..m-1 are data positions and those from m on parity columns.
std::vector<Participant> membersAt(const Subset& columns, std::uint32_t m)
{
    std::vector<Participant> members;
    for (const std::uint32_t c : columns)
        members.push_back(c < m ? Participant::data(Position(c)) : Participant::parity(ParityColumn(c - m)));
    return members;
}

// A record group whose members have the given lengths, with its parity records.
struct RecordGroup {
    RecordGroup(const ErasureCode& code, std::uint32_t k, const std::vector<std::size_t>& lengths, std::mt19937& random)
    {
        for (const std::size_t length : lengths)
            columns.push_back(randomBytes(length, random));
        for (ParityColumn p; p.value < k; p = p.next())
            parity.push_back(code.encode(p, spansOf(columns)));
        columns.insert(columns.end(), parity.begin(), parity.end());
    }
    std::vector<Bytes> columns; // m data records, then k parity fields
    std::vector<Bytes> parity;
};

// Decodes every data position that is not used, and re-encodes the lost parity columns; empty when all bytes are as
// before.
std::string decodeAll(const ErasureCode& code, const RecordGroup& group, const Subset& lost, const Subset& used)
{
    const std::uint32_t m = code.groupSize();
    std::string columns = "; used";
    for (const std::uint32_t column : used)
        columns += ' ' + std::to_string(column);
    std::vector<Position> wanted;
    for (Position q; q.value < m; q = q.next()) {
        if (!std::ranges::count(used, q.value))
            wanted.push_back(q);
    }
    const auto decoder = Decoder::create(code, membersAt(used, m), wanted);
    if (!decoder)
        return decoder.error().text + columns;
    std::vector<ByteSpan> contributions;
    for (const std::uint32_t column : used)
        contributions.push_back(group.columns[column]);
    std::vector<Bytes> data(group.columns.begin(), group.columns.begin() + m);
    std::vector<std::span<std::byte>> outs;
    for (const Position q : wanted) { // zeros follow the record
        const Bytes& expected = group.columns[q.value];
        Bytes out(expected.size() + 5, std::byte { 0xee });
        decoder->reconstruct(q, contributions, out);
        if (!std::ranges::equal(expected, std::span(out).first(expected.size()))
            || std::ranges::count(std::span(out).last(5), std::byte {}) != 5)
            return "data position " + std::to_string(q.value) + " differs" + columns;
        data[q.value].assign(expected.size(), std::byte { 0xee });
        outs.emplace_back(data[q.value]);
    }
    decoder->reconstructAll(contributions, outs);
    if (!std::ranges::all_of(wanted, [&](Position q) { return data[q.value] == group.columns[q.value]; }))
        return "the data differ when all are decoded together" + columns;
    for (const std::uint32_t column : lost) {
        if (column >= m && code.encode(ParityColumn(column - m), spansOf(data)) != group.columns[column])
            return "parity column " + std::to_string(column - m) + " differs" + columns;
    }
    return {};
}

struct Rows {
    std::uint32_t first, end;
};

// Row after row, `columns` symbols each, starting at column `first`.
Symbols partOf(const ErasureCode& code, Rows rows, std::uint32_t first, std::uint32_t columns, bool isLog = false)
{
    Symbols part;
    for (Position q(rows.first); q.value < rows.end; q = q.next()) {
        for (ParityColumn p(first); p.value < first + columns; p = p.next())
            part.push_back(isLog ? code.matrix().logAt(q, p) : code.coefficient(q, p));
    }
    return part;
}

const FieldWidth kBothWidths[] = { FieldWidth::Gf8, FieldWidth::Gf16 };

} // namespace

class TestErasureCode : public QObject {
    Q_OBJECT

private slots:
    void theDemoPapersMatrixAndItsLogarithmsAppear();
    void theClosedFormGoesOnBesideTheDemoPapersMatrix();
    void theMatrixInGf8AndItsLogarithmsAppear();
    void theClosedFormIsTheScaledCauchyMatrix();
    void firstRowAndFirstColumnAreOnes();
    void aNewParityColumnOrANewRowChangesNothingThatExists();
    void everyMinorIsNonZero();
    void theTestVectorsEncodeAsWritten();
    void theInversesAppearAsWritten();
    void parityColumn0DecodesByXorAlone();
    void all245PairsOfLostSetAndSurvivorsDecode();
    void sampledPairsDecodeForEightAndFour();
    void dummyBucketsTakePartAsZeros();
    void theEliminationCanBeReplayedStepByStep();
    void aSingularSystemSaysWhereItStops();
    void aDeltaGivesTheSameParityAsEncodingAgain();
    void oddLengthsEncodeAndDecode();
    void membersMayLieAtEveryAlignment();
    void bytesBehindADeltaStay();
    void verifyFindsEveryWrongByte();
    void backendsAndSwitchesGiveTheSameParity();
    void tooFewSurvivorsAreAnError();
    void participantsThatCannotDecodeAreAnError();
    void survivorsAreChosenDataFirstAndThenTheLowestParityColumns();
};

void TestErasureCode::theDemoPapersMatrixAndItsLogarithmsAppear()
{
    const ErasureCode code(FieldWidth::Gf16, 4);
    const Symbols p = { 0x0001, 0x0001, 0x0001, //
        0x0001, 0xeb9b, 0x2284, //
        0x0001, 0x2284, 0x9e74, //
        0x0001, 0x9e44, 0xd7f1 };
    const Symbols q = { 0x0000, 0x0000, 0x0000, //
        0x0000, 0x5ab5, 0xe267, //
        0x0000, 0xe267, 0x0dce, //
        0x0000, 0x784d, 0x2b66 };
    QCOMPARE(partOf(code, { 0, 4 }, 0, 3), p);
    QCOMPARE(partOf(code, { 0, 4 }, 0, 3, true), q);
}

void TestErasureCode::theClosedFormGoesOnBesideTheDemoPapersMatrix()
{
    const ErasureCode code(FieldWidth::Gf16, 8);
    QCOMPARE(partOf(code, { 0, 4 }, 3, 1), (Symbols { 0x0001, 0x9e44, 0xd7f1, 0x75ee }));
    QCOMPARE(partOf(code, { 0, 4 }, 3, 1, true), (Symbols { 0x0000, 0x784d, 0x2b66, 0xa3b3 }));
    QCOMPARE(partOf(code, { 4, 8 }, 0, 3),
        (Symbols { 0x0001, 0xf91c, 0x0fe3, 0x0001, 0x7ab9, 0x79bb, 0x0001, 0x2897, 0x5658, 0x0001, 0x41f6, 0xefa6 }));
}

void TestErasureCode::theMatrixInGf8AndItsLogarithmsAppear()
{
    const ErasureCode code(FieldWidth::Gf8, 4);
    const Symbols p = { 0x01, 0x01, 0x01, 0x01, 0x1a, 0x1c, 0x01, 0x3b, 0x37, 0x01, 0xff, 0xfd };
    const Symbols q = { 0, 0, 0, 0, 105, 200, 0, 120, 185, 0, 175, 80 };
    QCOMPARE(partOf(code, { 0, 4 }, 0, 3), p);
    QCOMPARE(partOf(code, { 0, 4 }, 0, 3, true), q);
}

void TestErasureCode::theClosedFormIsTheScaledCauchyMatrix()
{
    // The general recipe for the matrix with x_q = q and y_p = 32+p: t = 1/(x^y), each row divided by its first entry,
    // then each column by its first entry. Includes far columns, which are not stored but computed.
    const Field field(FieldWidth::Gf16);
    const ErasureCode code(FieldWidth::Gf16, 32);
    const auto t = [&](Symbol q, Symbol p) { return field.inverse(q ^ (32 + p)); };
    for (std::uint32_t q = 0; q < 32; ++q) {
        for (const std::uint32_t p : { 0u, 1u, 2u, 7u, 8u, 9u, 31u, 100u, 1000u, 65503u }) {
            const Symbol expected = field.divide(field.divide(t(q, p), t(q, 0)), field.divide(t(0, p), t(0, 0)));
            QCOMPARE(code.coefficient(Position(q), ParityColumn(p)), expected);
        }
    }
}

void TestErasureCode::firstRowAndFirstColumnAreOnes()
{
    for (const FieldWidth width : kBothWidths) {
        const std::uint32_t m = ParityMatrix::groupSizeMax(width);
        const std::uint32_t k = ParityMatrix::parityCountMax(width);
        const ErasureCode code(width, m);
        QCOMPARE(partOf(code, { 0, 1 }, 0, k), Symbols(k, 1));
        QCOMPARE(partOf(code, { 0, m }, 0, 1), Symbols(m, 1));
    }
}

void TestErasureCode::aNewParityColumnOrANewRowChangesNothingThatExists()
{
    for (const FieldWidth width : kBothWidths)
        QCOMPARE(partOf(ErasureCode(width, 4), { 0, 4 }, 0, 20), partOf(ErasureCode(width, 32), { 0, 4 }, 0, 20));
}

void TestErasureCode::everyMinorIsNonZero()
{
    const auto zeroMinors = [](const ErasureCode& code, std::uint32_t k) {
        int zeros = 0;
        for (std::uint32_t order = 1; order <= std::min(code.groupSize(), k); ++order) {
            forEachSubset(code.groupSize(), order, [&](const Subset& rows) {
                forEachSubset(k, order, [&](const Subset& columns) {
                    std::vector<Symbols> minor(order);
                    for (std::uint32_t row = 0; row < order; ++row) {
                        for (const std::uint32_t column : columns)
                            minor[row].push_back(code.coefficient(Position(rows[row]), ParityColumn(column)));
                    }
                    zeros += determinant(code.field().width(), minor) == 0;
                });
            });
        }
        return zeros;
    };
    for (const FieldWidth width : kBothWidths) {
        QCOMPARE(zeroMinors(ErasureCode(width, 4), 4), 0);
        QCOMPARE(zeroMinors(ErasureCode(width, 4), 8), 0);
        QCOMPARE(zeroMinors(ErasureCode(width, 8), 4), 0);
        QCOMPARE(zeroMinors(ErasureCode(width, 16), 4), 0);
        QCOMPARE(zeroMinors(ErasureCode(width, 32), 3), 0);
    }
}

void TestErasureCode::theTestVectorsEncodeAsWritten()
{
    const auto check = [](FieldWidth width, const Symbols& data, const Symbols& parity) {
        const ErasureCode code(width, 4);
        std::vector<Bytes> members;
        for (const Symbol symbol : data)
            members.push_back(bytesOf(symbol, width));
        for (std::uint32_t p = 0; p < 3; ++p)
            QCOMPARE(code.encode(ParityColumn(p), spansOf(members)), bytesOf(parity[p], width));
    };
    check(FieldWidth::Gf16, { 0x0001, 0x0203, 0xabcd, 0xffff }, { 0x5630, 0x994d, 0x209c });
    check(FieldWidth::Gf16, { 0x1234, 0x5678, 0x9abc, 0xdef0 }, { 0x0000, 0x9e64, 0xe16b });
    check(FieldWidth::Gf8, { 0x12, 0x34, 0x56, 0x78 }, { 0x08, 0x8c, 0x0b });
}

void TestErasureCode::theInversesAppearAsWritten()
{
    const ErasureCode code(FieldWidth::Gf16, 4);
    const auto decoderOf = [&](const Subset& used, const std::vector<Position>& lost) {
        return *Decoder::create(code, membersAt(used, 4), lost);
    };
    const Position d0(0), d1(1), d2(2);
    const Decoder three = decoderOf({ 3, 4, 5, 6 }, { d0, d1, d2 }); // from D3, P0, P1, P2
    const Symbols inverse = { 0x0001, 0x79cc, 0x79cc, 0x0001, //
        0x452d, 0xb431, 0xf11d, 0x0000, //
        0xb431, 0x5170, 0xe541, 0x0000, //
        0xf11d, 0xe541, 0x145c, 0x0000 };
    QCOMPARE(three.elimination().inverse.symbols, inverse);
    QCOMPARE(three.coefficients(d0), (Symbols { 0x0001, 0x452d, 0xb431, 0xf11d }));
    QCOMPARE(decoderOf({ 1, 2, 3, 5 }, { d0 }).coefficients(d0), (Symbols { 0xeb9b, 0x2284, 0x9e44, 0x0001 }));
    QVERIFY(!decoderOf({ 1, 2, 3, 5 }, { d0 }).isXorOnly(d0));
    QCOMPARE(decoderOf({ 0, 2, 3, 5 }, { d1 }).coefficients(d1), (Symbols { 0x91a0, 0xd3de, 0x79cc, 0x91a0 }));
    const Decoder two = decoderOf({ 2, 3, 4, 5 }, { d0, d1 });
    QCOMPARE(two.coefficients(d0), (Symbols { 0x3197, 0xc005, 0x0401, 0x0400 }));
    QCOMPARE(two.coefficients(d1), (Symbols { 0x3196, 0xc004, 0x0400, 0x0400 }));
}

void TestErasureCode::parityColumn0DecodesByXorAlone()
{
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, 4);
        for (Position q; q.value < 4; q = q.next()) {
            Subset used = { 0, 1, 2, 3, 4 };
            std::erase(used, q.value);
            const Decoder decoder = *Decoder::create(code, membersAt(used, 4), std::vector { q });
            QCOMPARE(decoder.coefficients(q), Symbols(4, 1));
            QVERIFY(decoder.isXorOnly(q));
        }
    }
}

void TestErasureCode::all245PairsOfLostSetAndSurvivorsDecode()
{
    std::mt19937 random(1);
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, 4);
        const RecordGroup group(code, 3, { 101, 7, 0, 64 }, random);
        int pairs = 0;
        for (std::uint32_t lostCount = 1; lostCount <= 3; ++lostCount) {
            forEachSubset(7, lostCount, [&](const Subset& lost) {
                forEachSubset(7, 4, [&](const Subset& used) {
                    if (std::ranges::any_of(used, [&](auto column) { return std::ranges::count(lost, column) != 0; }))
                        return;
                    ++pairs;
                    const std::string wrong = decodeAll(code, group, lost, used);
                    QVERIFY2(wrong.empty(), wrong.c_str());
                });
            });
        }
        QCOMPARE(pairs, 245);
    }
}

void TestErasureCode::sampledPairsDecodeForEightAndFour()
{
    constexpr unsigned kSeed = 8004;
    std::mt19937 random(kSeed);
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, 8);
        for (int sample = 0; sample < 2000; ++sample) {
            std::vector<std::size_t> lengths(8);
            for (std::size_t& length : lengths)
                length = random() % 40;
            const RecordGroup group(code, 4, lengths, random);
            Subset columns = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
            std::ranges::shuffle(columns, random);
            const Subset used(columns.begin(), columns.begin() + 8); // in any order
            const Subset lost(columns.begin() + 8, columns.end());
            const std::string wrong = decodeAll(code, group, lost, used);
            QVERIFY2(wrong.empty(), (wrong + "; sample " + std::to_string(sample)).c_str());
        }
    }
}

void TestErasureCode::dummyBucketsTakePartAsZeros()
{
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, 4);
        std::mt19937 random(3);
        const RecordGroup group(code, 2, { 50, 21, 0, 0 }, random); // buckets 2 and 3 do not exist yet
        const std::string wrong = decodeAll(code, group, { 0, 1 }, { 2, 3, 4, 5 });
        QVERIFY2(wrong.empty(), wrong.c_str());
        const std::vector<ByteSpan> existing(group.columns.begin(), group.columns.begin() + 2);
        QCOMPARE(code.encode(ParityColumn(1), existing), group.parity[1]);
    }
}

void TestErasureCode::theEliminationCanBeReplayedStepByStep()
{
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, 4);
        forEachSubset(7, 4, [&](const Subset& used) {
            const SymbolMatrix h = code.columnsOf(membersAt(used, 4));
            const Elimination elimination = eliminate(code.field(), h);
            QVERIFY(!elimination.isSingular);
            QCOMPARE(elimination.h, h);
            SymbolMatrix left = h;
            SymbolMatrix right = SymbolMatrix::identity(4);
            for (const GaussStep& step : elimination.steps) {
                const SymbolMatrix before = left;
                applyStep(code.field(), step, left);
                applyStep(code.field(), step, right);
                QVERIFY(left != before); // every step changes something
            }
            QCOMPARE(left, SymbolMatrix::identity(4));
            QCOMPARE(right, elimination.inverse);
        });
    }
    const ErasureCode code(FieldWidth::Gf16, 2);
    const Elimination swapped = eliminate(code.field(), code.columnsOf(membersAt({ 1, 0 }, 2)));
    QCOMPARE(swapped.steps, (std::vector<GaussStep> { { GaussStep::Kind::Swap, 0, 1, 1 } }));
}

void TestErasureCode::aSingularSystemSaysWhereItStops()
{
    const ErasureCode code(FieldWidth::Gf16, 4);
    // Three members where four are needed: the fourth column stays zero.
    const Elimination tooFew = eliminate(code.field(), code.columnsOf(membersAt({ 3, 4, 5 }, 4)));
    QVERIFY(tooFew.isSingular);
    QCOMPARE(tooFew.columnStopped, 3u);
}

void TestErasureCode::aDeltaGivesTheSameParityAsEncodingAgain()
{
    std::mt19937 random(4);
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, 4);
        for (int change = 0; change < 300; ++change) {
            std::vector<Bytes> members(4);
            for (Bytes& member : members)
                member = randomBytes(random() % 70, random);
            const Position q(random() % 4);
            std::vector<Bytes> changed = members;
            changed[q.value] = randomBytes(random() % 70, random); // longer, shorter or empty
            Bytes delta = members[q.value];
            delta.resize(std::max(delta.size(), changed[q.value].size()));
            Field::xorInto(delta.data(), changed[q.value].data(), changed[q.value].size());
            for (ParityColumn p; p.value < 10; p = p.next()) {
                Bytes parity = code.encode(p, spansOf(members));
                parity.resize(std::max(parity.size(), code.field().paddedLength(delta.size())));
                code.addDelta(p, q, delta, parity);
                QVERIFY(code.verify(p, spansOf(changed), parity));
            }
        }
    }
}

void TestErasureCode::oddLengthsEncodeAndDecode()
{
    std::mt19937 random(5);
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, 4);
        for (const std::size_t length : { 0u, 1u, 2u, 3u, 65535u, 65536u }) {
            const RecordGroup group(code, 3, { length, length, length / 2, length }, random);
            for (const Bytes& parity : group.parity)
                QCOMPARE(parity.size(), code.field().paddedLength(length));
            for (const Subset& used : { Subset { 3, 4, 5, 6 }, Subset { 1, 2, 3, 4 }, Subset { 0, 2, 5, 6 } }) {
                const std::string wrong = decodeAll(code, group, {}, used);
                QVERIFY2(wrong.empty(), wrong.c_str());
            }
        }
    }
}

void TestErasureCode::membersMayLieAtEveryAlignment()
{
    std::mt19937 random(6);
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, 4);
        const RecordGroup group(code, 2, { 61, 61, 61, 61 }, random);
        const Decoder decoder = *Decoder::create(code, membersAt({ 2, 3, 4, 5 }, 4), std::vector { Position(1) });
        const std::size_t parityBytes = group.parity[0].size();
        for (std::size_t from = 0; from < 16; ++from) {
            std::vector<Bytes> moved;
            std::vector<ByteSpan> members;
            for (const Bytes& column : group.columns) {
                Bytes& bytes = moved.emplace_back(from);
                bytes.insert(bytes.end(), column.begin(), column.end());
            }
            for (const Bytes& bytes : moved)
                members.push_back(ByteSpan(bytes).subspan(from));
            for (std::size_t to = 0; to < 16; ++to) {
                Bytes out(to + 100);
                const auto parity = std::span(out).subspan(to, parityBytes);
                for (Position q; q.value < 4; q = q.next())
                    code.addDelta(ParityColumn(1), q, members[q.value], parity);
                QVERIFY(std::ranges::equal(parity, group.parity[1]));
                const auto record = std::span(out).subspan(to, 61);
                decoder.reconstruct(Position(1), std::span(members).subspan(2), record);
                QVERIFY(std::ranges::equal(record, group.columns[1]));
            }
        }
    }
}

void TestErasureCode::bytesBehindADeltaStay()
{
    const ErasureCode code(FieldWidth::Gf16, 4);
    const Bytes delta = { std::byte { 1 }, std::byte { 2 }, std::byte { 3 } };
    Bytes parity(8, std::byte { 0xaa });
    code.addDelta(ParityColumn(1), Position(1), delta, parity);
    // The odd byte also changes the high byte of its symbol, and no further byte.
    const Symbol last = referenceMultiply(FieldWidth::Gf16, 3, 0xeb9b) ^ 0xaaaa;
    QCOMPARE(Bytes(parity.begin() + 2, parity.begin() + 4), bytesOf(last, FieldWidth::Gf16));
    QCOMPARE(Bytes(parity.begin() + 4, parity.end()), Bytes(4, std::byte { 0xaa }));
    code.addDelta(ParityColumn(1), Position(1), {}, {});
}

void TestErasureCode::verifyFindsEveryWrongByte()
{
    std::mt19937 random(7);
    const ErasureCode code(FieldWidth::Gf16, 4);
    const RecordGroup group(code, 3, { 9, 5, 12, 0 }, random);
    const std::vector<ByteSpan> members(group.columns.begin(), group.columns.begin() + 4);
    for (ParityColumn p; p.value < 3; p = p.next()) {
        Bytes parity = group.parity[p.value];
        QVERIFY(code.verify(p, members, parity));
        parity.resize(20); // trailing zeros do not count
        QVERIFY(code.verify(p, members, parity));
        for (std::byte& byte : parity) {
            byte ^= std::byte { 0x10 };
            QVERIFY(!code.verify(p, members, parity));
            byte ^= std::byte { 0x10 };
        }
        QVERIFY(!code.verify(p, members, {}));
    }
}

void TestErasureCode::backendsAndSwitchesGiveTheSameParity()
{
    std::mt19937 random(8);
    for (const FieldWidth width : kBothWidths) {
        const RecordGroup group(ErasureCode(width, 4), 4, { 333, 334, 0, 5 }, random);
        const std::vector<ByteSpan> members(group.columns.begin(), group.columns.begin() + 4);
        for (const int variant : { 0, 1, 2, 3, 4, 5, 6, 7, 8, 10 }) {
            const ErasureCode code(width, 4,
                { .backend = variant & 8 ? Backend::Simd
                        : variant & 4    ? Backend::Log
                                         : Backend::GfComplete,
                    .logPrecalculus = (variant & 1) != 0,
                    .rowOfOnes = (variant & 2) != 0 });
            for (ParityColumn p; p.value < 4; p = p.next())
                QVERIFY(code.verify(p, members, group.parity[p.value]));
            const std::string wrong = decodeAll(code, group, {}, { 1, 3, 5, 7 });
            QVERIFY2(wrong.empty(), wrong.c_str());
        }
    }
}

void TestErasureCode::tooFewSurvivorsAreAnError()
{
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, 4);
        QVERIFY(!chooseParticipants(code, {}).error().text.empty());
        QVERIFY(!chooseParticipants(code, membersAt({ 1, 4, 6 }, 4)));
        QVERIFY(!chooseParticipants(code, membersAt({ 1, 4, 6, 6, 1 }, 4))); // the same column twice
        QVERIFY(!Decoder::create(code, membersAt({ 1, 4, 6 }, 4), std::vector { Position(0) }));
        QVERIFY(!Decoder::create(code, {}, {}));
    }
}

void TestErasureCode::participantsThatCannotDecodeAreAnError()
{
    const ErasureCode code(FieldWidth::Gf8, 4);
    const auto errorOf = [&](const Subset& used, Position lost) {
        return QString::fromStdString(Decoder::create(code, membersAt(used, 4), std::vector { lost }).error().text);
    };
    QVERIFY(errorOf({ 1, 2, 3, 4, 5 }, Position(0)).contains("exactly 4"));
    QVERIFY(errorOf({ 1, 2, 4, 4 }, Position(0)).contains("parity column 0 is named twice"));
    QVERIFY(errorOf({ 0, 1, 2, 4 }, Position(0)).contains("data position 0 cannot be lost"));
    QVERIFY(errorOf({ 1, 2, 3, 4 }, Position(4)).contains("no data position 4"));
    QVERIFY(errorOf({ 1, 2, 3, 4 + 128 }, Position(0)).contains("no parity column 128")); // in GF(2^8) the last is 127
    QVERIFY(errorOf({ 1, 2, 3, 4 + 127 }, Position(0)).isEmpty());
}

void TestErasureCode::survivorsAreChosenDataFirstAndThenTheLowestParityColumns()
{
    const ErasureCode code(FieldWidth::Gf16, 4);
    const auto chosen = [&](const Subset& available) { return *chooseParticipants(code, membersAt(available, 4)); };
    // One data position lost and parity column 0 alive: XOR.
    QCOMPARE(chosen({ 6, 5, 4, 3, 2, 0 }), membersAt({ 0, 2, 3, 4 }, 4));
    // Parity column 0 lost as well: the next one.
    QCOMPARE(chosen({ 0, 2, 3, 6, 5 }), membersAt({ 0, 2, 3, 5 }, 4));
    QCOMPARE(chosen({ 3, 4, 5, 6 }), membersAt({ 3, 4, 5, 6 }, 4));
    QCOMPARE(chosen({ 0, 1, 2, 3, 4, 5, 6 }), membersAt({ 0, 1, 2, 3 }, 4));
}

QTEST_APPLESS_MAIN(TestErasureCode)
#include "tst_erasure_code.moc"
