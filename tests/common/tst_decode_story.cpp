// SPDX-License-Identifier: GPL-3.0-or-later
// The decoding that the window shows: every step of it leads to the bytes that the nodes compute.
#include "common/lhrs/decode_story.h"

#include <QTest>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace lhrs;

namespace {

using Bytes = std::vector<std::byte>;
using Symbols = std::vector<Symbol>;

constexpr FieldWidth kBothWidths[] = { FieldWidth::Gf8, FieldWidth::Gf16 };
constexpr std::uint32_t kM = 4, kK = 3;

std::vector<Participant> members(std::uint32_t m, std::uint32_t k)
{
    std::vector<Participant> all;
    for (std::uint32_t q = 0; q < m; ++q)
        all.push_back(Participant::data(Position(q)));
    for (std::uint32_t p = 0; p < k; ++p)
        all.push_back(Participant::parity(ParityColumn(p)));
    return all;
}

Participant d(std::uint32_t q) { return Participant::data(Position(q)); }
Participant p(std::uint32_t column) { return Participant::parity(ParityColumn(column)); }

DecodeStory told(
    FieldWidth width, std::vector<Participant> survivors, std::vector<Participant> lost, std::uint32_t m = kM)
{
    const auto story = tellDecoding(ErasureCode(width, m), kK, survivors, lost);
    if (!story)
        qFatal("%s", story.error().text.c_str());
    return *story;
}

QString hex(const SymbolMatrix& matrix)
{
    QStringList rows;
    for (std::uint32_t row = 0; row < matrix.rows; ++row) {
        QStringList cells;
        for (std::uint32_t column = 0; column < matrix.columns; ++column)
            cells << QStringLiteral("%1").arg(matrix.at(row, column), 4, 16, QLatin1Char('0'));
        rows << cells.join(' ');
    }
    return rows.join("; ");
}

} // namespace

class DecodeStoryTest : public QObject {
    Q_OBJECT
private slots:
    void all245PairsEndInTheBytesThatWereLost();
    void theInversesOfTheSpecificationAppearLiterally();
    void theStagesLeadFromHToItsInverse();
    void theLastSumOfASymbolIsTheSymbol();
    void aZeroHasNoLogarithmAndAOneIsPlainXor();
    void tooFewSurvivorsStopWhereThereIsNoPivot();
    void whatCannotBeIsRefusedInWords();
    void theChoicesAreAllDifferentAndBeginWithTheNodesOwn();
};

void DecodeStoryTest::all245PairsEndInTheBytesThatWereLost()
{
    std::mt19937 random(245);
    const std::vector<Participant> all = members(kM, kK);
    for (const FieldWidth width : kBothWidths) {
        const ErasureCode code(width, kM);
        const Field& field = code.field();
        std::vector<Bytes> bytes;
        for (const std::size_t length : { 17u, 9u, 0u, 12u }) {
            bytes.emplace_back(length);
            for (std::byte& b : bytes.back())
                b = std::byte(random());
        }
        const std::vector<ByteSpan> data(bytes.begin(), bytes.end());
        for (std::uint32_t column = 0; column < kK; ++column)
            bytes.push_back(code.encode(ParityColumn(column), data));
        int pairs = 0;
        for (unsigned lostSet = 1; lostSet < 1u << all.size(); ++lostSet) {
            std::vector<Participant> lost, available;
            for (std::size_t i = 0; i < all.size(); ++i)
                (lostSet & (1u << i) ? lost : available).push_back(all[i]);
            if (lost.size() > kK)
                continue;
            for (std::uint32_t choice = 0; choice < choicesOf(available.size(), kM); ++choice) {
                ++pairs;
                const DecodeStory story = told(width, choiceAt(available, kM, choice), lost);
                std::vector<ByteSpan> contributions;
                for (const Participant survivor : story.survivors)
                    contributions.push_back(bytes[std::size_t(std::ranges::find(all, survivor) - all.begin())]);
                for (const LostMember& member : story.lost) {
                    const Bytes& expected = bytes[std::size_t(std::ranges::find(all, member.member) - all.begin())];
                    QCOMPARE(story.bytes(member, contributions, expected.size()), expected);
                    for (std::size_t i = 0; i < symbolsOf(field, 17); ++i)
                        QCOMPARE(story.terms(member, contributions, i).back().sum, symbolAt(field, expected, i));
                }
            }
        }
        QCOMPARE(pairs, 245);
    }
}

void DecodeStoryTest::theInversesOfTheSpecificationAppearLiterally()
{
    const DecodeStory three = told(FieldWidth::Gf16, { d(3), p(0), p(1), p(2) }, { d(0), d(1), d(2) });
    QCOMPARE(hex(three.elimination.inverse),
        QStringLiteral("0001 79cc 79cc 0001; 452d b431 f11d 0000; b431 5170 e541 0000; f11d e541 145c 0000"));
    QCOMPARE(hex(three.whole),
        QStringLiteral("0001 0000 0000 0000 0001 0001 0001; 0000 0001 0000 0000 0001 eb9b 2284; 0000 0000 0001 0000 "
                       "0001 2284 9e74; 0000 0000 0000 0001 0001 9e44 d7f1"));
    QCOMPARE(told(FieldWidth::Gf16, { d(1), d(2), d(3), p(1) }, { d(0) }).lost[0].coefficients,
        (Symbols { 0xeb9b, 0x2284, 0x9e44, 0x0001 }));
    QCOMPARE(told(FieldWidth::Gf16, { d(0), d(2), d(3), p(1) }, { d(1) }).lost[0].coefficients,
        (Symbols { 0x91a0, 0xd3de, 0x79cc, 0x91a0 }));
    const DecodeStory two = told(FieldWidth::Gf16, { d(2), d(3), p(0), p(1) }, { d(0), d(1) });
    QCOMPARE(two.lost[0].coefficients, (Symbols { 0x3197, 0xc005, 0x0401, 0x0400 }));
    QCOMPARE(two.lost[1].coefficients, (Symbols { 0x3196, 0xc004, 0x0400, 0x0400 }));
    QVERIFY(told(FieldWidth::Gf16, { d(0), d(2), d(3), p(0) }, { d(1) }).lost[0].isXorOnly);
}

void DecodeStoryTest::theStagesLeadFromHToItsInverse()
{
    const DecodeStory story = told(FieldWidth::Gf16, { d(3), p(0), p(1), p(2) }, { d(0), d(1), d(2) });
    QCOMPARE(story.stageAfter(0).left, story.elimination.h);
    QCOMPARE(story.stageAfter(0).right, SymbolMatrix::identity(kM));
    for (std::size_t step = 1; step <= story.elimination.steps.size(); ++step) // every step changes something
        QVERIFY(story.stageAfter(step).left != story.stageAfter(step - 1).left);
    const auto end = story.stageAfter(1'000);
    QCOMPARE(end.left, SymbolMatrix::identity(kM));
    QCOMPARE(end.right, story.elimination.inverse);
}

void DecodeStoryTest::theLastSumOfASymbolIsTheSymbol()
{
    // Data 0001 0203 abcd ffff -> parity 5630 994d 209c; D1 = 0203 from (D0, D2, D3, P1).
    const Bytes d0 { std::byte { 0x01 }, std::byte { 0 } }, d2 { std::byte { 0xcd }, std::byte { 0xab } },
        d3 { std::byte { 0xff }, std::byte { 0xff } }, p1 { std::byte { 0x4d }, std::byte { 0x99 } };
    const DecodeStory story = told(FieldWidth::Gf16, { d(0), d(2), d(3), p(1) }, { d(1) });
    const std::vector<ByteSpan> contributions { d0, d2, d3, p1 };
    const std::vector<Term> terms = story.terms(story.lost[0], contributions, 0);
    const Field& field = story.code.field();
    Symbol sum = 0;
    for (const Term& term : terms) {
        QCOMPARE(term.product, field.multiply(term.coefficient, term.symbol));
        QCOMPARE(term.logSum, (field.log(term.coefficient) + field.log(term.symbol)) % 65535);
        sum ^= term.product;
        QCOMPARE(term.sum, sum);
    }
    QCOMPARE(sum, Symbol(0x0203));
    QCOMPARE(terms[2].logSymbol, Symbol(0x59f1)); // log ffff
}

void DecodeStoryTest::aZeroHasNoLogarithmAndAOneIsPlainXor()
{
    const Field field(FieldWidth::Gf8);
    const Term zero = termOf(field, 0x1a, 0, 0x55);
    QVERIFY(zero.isZero);
    QCOMPARE(zero.sum, Symbol(0x55));
    QVERIFY(termOf(field, 0, 0x1a, 0).isZero);
    const Term copy = termOf(field, 1, 0xa7, 0x55);
    QVERIFY(copy.isCopy);
    QCOMPARE(copy.product, Symbol(0xa7));
    QCOMPARE(copy.sum, Symbol(0xa7 ^ 0x55));
    QCOMPARE(termOf(field, 0x80, 0x80, 0).product, field.multiply(0x80, 0x80)); // the sum of logarithms wraps at 255
}

void DecodeStoryTest::tooFewSurvivorsStopWhereThereIsNoPivot()
{
    const DecodeStory story = told(FieldWidth::Gf16, { d(3), p(0), p(1) }, { d(0), d(1), d(2), p(2) });
    QVERIFY(!story.isSolvable());
    QVERIFY(story.elimination.columnStopped < kM);
    QVERIFY(story.lost[0].coefficients.empty());
    QCOMPARE(story.lost.size(), std::size_t(4));
}

void DecodeStoryTest::whatCannotBeIsRefusedInWords()
{
    const ErasureCode code(FieldWidth::Gf16, kM);
    const auto refusal = [&](std::vector<Participant> survivors, std::vector<Participant> lost) {
        const auto story = tellDecoding(code, kK, survivors, lost);
        return QString::fromStdString(story ? std::string() : story.error().text);
    };
    QVERIFY(refusal({ d(0), d(1), d(2), d(3), p(0) }, {}).contains("not from 5"));
    QVERIFY(refusal({ d(0), d(1), d(2), p(0) }, { d(1) }).contains("data position 1 is named twice"));
    QVERIFY(refusal({ d(0), d(1), d(2), p(3) }, { d(3) }).contains("parity column 3 is not in a group of 4 with 3"));
    QVERIFY(refusal({ d(0), d(1), d(2), p(0) }, { d(4) }).contains("data position 4 is not in"));
}

void DecodeStoryTest::theChoicesAreAllDifferentAndBeginWithTheNodesOwn()
{
    const ErasureCode code(FieldWidth::Gf16, kM);
    const std::vector<Participant> available { d(0), d(2), d(3), p(0), p(1), p(2) };
    QCOMPARE(choicesOf(available.size(), kM), 15u);
    QCOMPARE(choiceAt(available, kM, 0), *chooseParticipants(code, available));
    std::vector<std::vector<Participant>> seen;
    for (std::uint32_t number = 0; number < 15; ++number) {
        seen.push_back(choiceAt(available, kM, number));
        QCOMPARE(seen.back().size(), std::size_t(kM));
        QVERIFY(std::ranges::is_sorted(seen.back()));
        QCOMPARE(numberOfChoice(available, seen.back()), number);
    }
    std::ranges::sort(seen);
    QVERIFY(std::ranges::adjacent_find(seen) == seen.end());
    QCOMPARE(choicesOf(3, 4), 0u);
    QCOMPARE(choicesOf(64, 32), 0xffffffffu); // counted up to there
}

QTEST_APPLESS_MAIN(DecodeStoryTest)
#include "tst_decode_story.moc"
