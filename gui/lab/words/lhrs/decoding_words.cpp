// SPDX-License-Identifier: GPL-3.0-or-later
// The text form of a decoding: single symbols, and a complete text for copying.
#include "gui/lab/words/lhrs/decoding.h"

#include "gui/lab/tables/qt_text.h"

namespace lhrs::gui {

namespace {

constexpr std::size_t kSymbolsOfLine = 8;

QString hexWords(ByteSpan bytes)
{
    QStringList pairs;
    for (const std::byte b : bytes)
        pairs << QStringLiteral("%1").arg(std::to_integer<unsigned>(b), 2, 16, QLatin1Char('0'));
    return pairs.join(' ');
}

QString rowWords(const Field& field, SymbolBase base, const SymbolMatrix& matrix, std::uint32_t row)
{
    QStringList cells;
    for (std::uint32_t column = 0; column < matrix.columns; ++column)
        cells << symbolWords(field, base, matrix.at(row, column));
    return cells.join(' ');
}

void addMatrix(
    QStringList& lines, const Field& field, SymbolBase base, const SymbolMatrix& matrix, const QStringList& names = {})
{
    for (std::uint32_t row = 0; row < matrix.rows; ++row)
        lines << QStringLiteral("  %1%2").arg(
            int(row) < names.size() ? QStringLiteral("%1: ").arg(names[int(row)], -4) : QString(),
            rowWords(field, base, matrix, row));
}

} // namespace

QString symbolWords(const Field& field, SymbolBase base, Symbol symbol)
{
    switch (base) {
    case SymbolBase::Hex: return QStringLiteral("%1").arg(symbol, int(2 * field.symbolBytes()), 16, QLatin1Char('0'));
    case SymbolBase::Decimal: return QString::number(symbol);
    case SymbolBase::Log: return symbol == 0 ? QStringLiteral("–") : QString::number(field.log(symbol));
    }
    return {};
}

QString logWords(const Field& field, SymbolBase base, Symbol log)
{
    return base == SymbolBase::Hex ? QStringLiteral("%1").arg(log, int(2 * field.symbolBytes()), 16, QLatin1Char('0'))
                                   : QString::number(log);
}

QString fieldWords(FieldWidth width)
{
    return width == FieldWidth::Gf8 ? QStringLiteral("GF(2^8), polynomial 11d")
                                    : QStringLiteral("GF(2^16), polynomial 1100b");
}

QString gaussWords(const Field& field, SymbolBase base, const GaussStep& step)
{
    const QString factor = symbolWords(field, base, step.factor);
    switch (step.kind) {
    case GaussStep::Kind::Swap: return QStringLiteral("row %1 ↔ row %2").arg(step.row).arg(step.other);
    case GaussStep::Kind::Scale: return QStringLiteral("row %1 = %2 · row %1").arg(step.row).arg(factor);
    case GaussStep::Kind::Add:
        return step.factor == 1 ? QStringLiteral("row %1 += row %2").arg(step.row).arg(step.other)
                                : QStringLiteral("row %1 += %2 · row %3").arg(step.row).arg(factor).arg(step.other);
    }
    return {};
}

namespace {

QString memberWords(const Decoding& d, const GroupMember& member)
{
    QString what;
    if (member.standing == GroupMember::Standing::Dummy)
        what = QStringLiteral("does not exist yet: zeros");
    else if (member.standing == GroupMember::Standing::Down)
        what = text(member.words);
    else if (!member.isRead)
        what = QStringLiteral("not read");
    else if (!member.record.isPresent)
        what = QStringLiteral("no record: zeros");
    else if (member.member.kind == Participant::Kind::Data)
        what = QStringLiteral("key %1, %2 bytes").arg(member.record.key).arg(member.record.bytes.size());
    else
        what = QStringLiteral("%1 records listed, %2 bytes")
                   .arg(member.record.members.size())
                   .arg(member.record.bytes.size());
    if (d.wish.supposed.contains(member.member))
        what += QStringLiteral(" (supposed lost)");
    return QStringLiteral("  %1 %2: %3").arg(text(shortName(member.member)), text(nameOf(member.place)), what);
}

// The matrices, up to the inverse of H, or up to the column where the elimination stopped.
void addElimination(QStringList& lines, const Decoding& d, const QStringList& survivors)
{
    const DecodeStory& story = *d.story;
    const Field& field = story.code.field();
    const SymbolBase base = d.wish.base;
    QStringList names;
    for (std::uint32_t q = 0; q < d.group.m; ++q)
        names << QStringLiteral("D%1").arg(q);
    lines << QString() << QStringLiteral("(I|P)");
    addMatrix(lines, field, base, story.whole, names);
    lines << QString()
          << QStringLiteral("H: the columns of %1. %2").arg(survivors.join(QStringLiteral(", ")), d.whyThese);
    addMatrix(lines, field, base, story.elimination.h, names);
    lines << QString() << QStringLiteral("(H|I), eliminated:");
    for (std::size_t i = 0; i < story.elimination.steps.size(); ++i) {
        lines << QStringLiteral("%1. %2").arg(i + 1).arg(gaussWords(field, base, story.elimination.steps[i]));
        const auto stage = story.stageAfter(i + 1);
        for (std::uint32_t row = 0; row < stage.left.rows; ++row)
            lines << QStringLiteral("  %1 | %2")
                         .arg(rowWords(field, base, stage.left, row), rowWords(field, base, stage.right, row));
    }
    if (!story.isSolvable()) {
        lines
            << QStringLiteral("Column %1 has no pivot: too few members are left.").arg(story.elimination.columnStopped);
        return;
    }
    lines << QString() << QStringLiteral("The inverse of H");
    addMatrix(lines, field, base, story.elimination.inverse, survivors);
}

// The sum that gives one symbol of the lost member, term by term.
void addTerms(QStringList& lines, const Decoding& d, const LostMember& lost)
{
    const Field& field = d.story->code.field();
    const SymbolBase base = d.wish.base;
    lines << QStringLiteral("symbol %1:").arg(d.wish.symbol);
    for (const Term& term : d.story->terms(lost, d.spans(), d.wish.symbol)) {
        const QString product = term.isZero ? QStringLiteral("0")
            : term.isCopy                   ? symbolWords(field, base, term.product)
                                            : QStringLiteral("alog(%1 + %2 = %3) = %4")
                                .arg(logWords(field, base, term.logCoefficient), logWords(field, base, term.logSymbol),
                                    logWords(field, base, term.logSum), symbolWords(field, base, term.product));
        lines << QStringLiteral("  %1 · %2 = %3, sum %4")
                     .arg(symbolWords(field, base, term.coefficient), symbolWords(field, base, term.symbol), product,
                         symbolWords(field, base, term.sum));
    }
}

void addLost(QStringList& lines, const Decoding& d, std::size_t number, const QStringList& survivors)
{
    const Field& field = d.story->code.field();
    const LostMember& lost = d.story->lost[number];
    QStringList parts;
    for (std::size_t t = 0; t < lost.coefficients.size(); ++t)
        parts << QStringLiteral("%1 · %2").arg(
            symbolWords(field, d.wish.base, lost.coefficients[t]), survivors[int(t)]);
    lines << QString()
          << QStringLiteral("%1 = %2").arg(text(shortName(lost.member)), parts.join(QStringLiteral(" ^ ")));
    if (d.hasBytes && d.symbols > 0)
        addTerms(lines, d, lost);
    const std::vector<std::byte>& bytes = d.outcomes[number].bytes;
    const std::size_t perLine = kSymbolsOfLine * field.symbolBytes();
    for (std::size_t at = 0; at < bytes.size(); at += perLine)
        lines << QStringLiteral("  %1: %2")
                     .arg(at, 4)
                     .arg(hexWords(ByteSpan(bytes).subspan(at, std::min(perLine, bytes.size() - at))));
    lines << d.outcomes[number].sentence;
}

} // namespace

QString textOf(const Decoding& d)
{
    QStringList lines { QStringLiteral("Record group (%1, %2): m = %3, k = %4, %5")
                            .arg(d.group.group)
                            .arg(d.group.rank)
                            .arg(d.group.m)
                            .arg(d.group.k)
                            .arg(fieldWords(d.group.field)) };
    for (const GroupMember& member : d.group.members)
        lines << memberWords(d, member);
    if (!d.story) {
        lines << d.trouble;
        return lines.join('\n') + '\n';
    }
    QStringList survivors;
    for (const Participant survivor : d.story->survivors)
        survivors << text(shortName(survivor));
    addElimination(lines, d, survivors);
    for (std::size_t i = 0; d.story->isSolvable() && i < d.story->lost.size(); ++i)
        addLost(lines, d, i, survivors);
    if (d.story->isSolvable() && !d.managerSentence.isEmpty())
        lines << QString() << d.managerSentence;
    return lines.join('\n') + '\n';
}

} // namespace lhrs::gui
