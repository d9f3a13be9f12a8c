// SPDX-License-Identifier: GPL-3.0-or-later
// The pages Update and Compare of a record group: the effect of one change on the parity, and computed bytes beside
// those that were read before.
#include "gui/view/lhrs/records/group_pages.h"

#include "gui/lab/tables/qt_text.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr TextStyle kParticipantName { TextSize::Strong, true };
constexpr TextStyle kDump { TextSize::Body, false, true };
constexpr std::size_t kDumpLinesMax = 12;

ByteSpan spanOf(const std::string& bytes) { return { reinterpret_cast<const std::byte*>(bytes.data()), bytes.size() }; }
QString hexWord(std::byte b) { return QStringLiteral("%1").arg(std::to_integer<unsigned>(b), 2, 16, QLatin1Char('0')); }

// Two versions of a record side by side, byte by byte; differing bytes are marked.
void drawDump(GroupPageDrawing& page, ByteSpan computed, ByteSpan known, bool hasKnown, const QString& knownName)
{
    const Theme& theme = page.theme();
    Sheet& sheet = page.sheet;
    const qreal cell = theme.width(kDump, QStringLiteral("00")) + page.px(5),
                high = theme.lineHeight(kDump) + page.px(2);
    const qreal offset = theme.width(kDump, QStringLiteral("0000")) + page.px(8), gap = page.px(18);
    std::size_t perLine = 16;
    while (perLine > 2 && offset + gap + 2 * cell * qreal(perLine) > sheet.width)
        perLine /= 2;
    const qreal right = sheet.left + offset + cell * qreal(perLine) + gap;
    sheet.out.text(QRectF(sheet.left + offset, sheet.y, cell * qreal(perLine), theme.lineHeight(kSmallBold)),
        QStringLiteral("computed"), kSmallBold, theme.muted);
    sheet.out.text(QRectF(right, sheet.y, cell * qreal(perLine), theme.lineHeight(kSmallBold)), knownName, kSmallBold,
        theme.muted);
    sheet.y += theme.lineHeight(kSmallBold) + page.px(1);
    const std::size_t size = std::max(computed.size(), hasKnown ? known.size() : 0),
                      lines = (size + perLine - 1) / perLine;
    std::size_t firstDifferent = size;
    for (std::size_t i = 0; hasKnown && i < size && firstDifferent == size; ++i) {
        if (i >= computed.size() || i >= known.size() || computed[i] != known[i])
            firstDifferent = i;
    }
    // The lines around the first difference; without one, the first lines.
    const std::size_t differentLine = firstDifferent < size ? firstDifferent / perLine : 0;
    const std::size_t begin = differentLine < kDumpLinesMax ? 0 : differentLine - kDumpLinesMax / 2;
    const std::size_t end = std::min(lines, begin + kDumpLinesMax);
    for (std::size_t line = begin; line < end; ++line, sheet.y += high) {
        sheet.out.text(
            QRectF(sheet.left, sheet.y, offset, high), QStringLiteral("%1").arg(line * perLine, 4), kDump, theme.muted);
        for (std::size_t i = line * perLine; i < std::min(size, (line + 1) * perLine); ++i) {
            const qreal x = cell * qreal(i - line * perLine);
            const auto draw = [&](qreal left, ByteSpan bytes, bool isMarked) {
                const QRectF box(left + x, sheet.y, cell, high);
                if (isMarked)
                    sheet.out.add(DisplayList::Box { box.adjusted(1, 0, -1, 0), Outline::Rectangle, 0, theme.bad,
                        i == firstDifferent ? theme.text : QColor(), i == firstDifferent ? page.px(2) : 1, false,
                        false });
                sheet.out.text(box, i < bytes.size() ? hexWord(bytes[i]) : QStringLiteral("··"), kDump,
                    isMarked ? inkOn(theme.bad) : theme.text, Qt::AlignCenter);
            };
            const bool differs = hasKnown && (i >= computed.size() || i >= known.size() || computed[i] != known[i]);
            draw(sheet.left + offset, computed, differs);
            if (hasKnown)
                draw(right, known, differs);
        }
    }
    if (!hasKnown)
        sheet.out.text(QRectF(right, sheet.y - high, sheet.left + sheet.width - right, high),
            { QStringLiteral("gone: no witness"), QStringLiteral("gone") }, kBody, theme.muted);
    if (end - begin < lines)
        sheet.line({ QStringLiteral("lines %1 to %2 of %3; “Copy as text” has all of them")
                           .arg(begin + 1)
                           .arg(end)
                           .arg(lines) },
            { TextSize::Small }, theme.muted);
    sheet.space(5);
}

} // namespace

void drawComparePage(GroupPageDrawing& page)
{
    using Verdict = Decoding::Verdict;
    const Decoding& d = page.decoding;
    const Theme& theme = page.theme();
    page.title(0, 1,
        d.lost.empty() ? QStringLiteral("Nothing is lost") : QStringLiteral("What was computed, beside what was there"),
        d.whyThese);
    if (d.story && !d.story->isSolvable()) {
        page.verdict(Glyph::DoubleCross, theme.bad, d.whyThese);
        return;
    }
    for (std::size_t i = 0; i < d.outcomes.size(); ++i) {
        const Decoding::Outcome& outcome = d.outcomes[i];
        const GroupMember& member = *d.group.find(outcome.member);
        const auto listed = outcome.member.kind == Participant::Kind::Data ? d.group.listed(outcome.member.index)
                                                                           : std::nullopt;
        QString name = QStringLiteral("%1, %2").arg(text(shortName(outcome.member)), text(nameOf(member.place)));
        if (listed)
            name += QStringLiteral(": key %1, %2 bytes").arg(listed->key).arg(listed->length);
        page.sheet.line({ name }, kParticipantName, theme.text);
        page.verdict(outcome.verdict == Verdict::Equal ? Glyph::Ack
                : outcome.verdict == Verdict::Differs  ? Glyph::Cross
                                                       : Glyph::Question,
            outcome.verdict == Verdict::Equal         ? theme.good
                : outcome.verdict == Verdict::Differs ? theme.bad
                                                      : theme.caution,
            outcome.sentence);
        const bool isCompared = outcome.verdict == Verdict::Equal || outcome.verdict == Verdict::Differs;
        if (!outcome.bytes.empty() && outcome.hasRecord)
            drawDump(page, outcome.bytes, spanOf(outcome.known), isCompared,
                outcome.isKnownLive         ? QStringLiteral("in the bucket")
                    : outcome.isKnownPinned ? QStringLiteral("witness")
                                            : QStringLiteral("read before"));
        page.sheet.space(4);
    }
    if (!d.managerSentence.isEmpty())
        page.verdict(
            d.managerDiffers ? Glyph::Cross : Glyph::Ack, d.managerDiffers ? theme.bad : theme.good, d.managerSentence);
}

void drawUpdatePage(GroupPageDrawing& page)
{
    const Decoding& d = page.decoding;
    const Theme& theme = page.theme();
    Sheet& sheet = page.sheet;
    const Change change = changeOf(d.group, d.wish.changed);
    const GroupMember& member = *d.group.find(Participant::data(Position(d.wish.changed)));
    const QString place = text(nameOf(member.place));
    if (!change.isKnown) {
        page.title(0, 1, QStringLiteral("A change of D%1, %2").arg(d.wish.changed).arg(place),
            QStringLiteral("What a change of one record does to the parity of its group."));
        page.verdict(Glyph::Question, theme.caution, change.words);
        return;
    }
    const ErasureCode code(d.group.field, d.group.m);
    const Field& field = code.field();
    const SymbolBase base = d.wish.base;
    const std::size_t at = std::min(d.wish.updateStep, change.steps.size() - 1);
    page.title(at, change.steps.size(), change.steps[at].title, change.steps[at].sentence);
    const QStringList names { QStringLiteral("B before"),
        QStringLiteral("%1 · D").arg(symbolWords(field, base, field.symbolMax())) };
    const SymbolWindow window = symbolWindow(page, field, names, symbolsOf(field, change.delta.size()),
        std::min(d.wish.symbol, symbolsOf(field, change.delta.size())));
    if (change.delta.empty()) {
        page.verdict(Glyph::Question, theme.caution,
            QStringLiteral("The record is empty, and so is the delta: only the key lists change."));
        return;
    }
    const std::size_t chosen = std::min(d.wish.symbol, symbolsOf(field, change.delta.size()) - 1);
    drawSymbols(
        page, field, window, { QStringLiteral("old"), spanOf(change.before), nullptr, false, change.isInsert }, chosen);
    drawSymbols(page, field, window, { QStringLiteral("new"), spanOf(change.after), nullptr, false, false }, chosen);
    sheet.rule();
    sheet.space(1);
    drawSymbols(page, field, window, { QStringLiteral("D"), change.delta, nullptr, true, false }, chosen);
    sheet.space(5);
    if (at == 0) {
        const Symbol before = symbolAt(field, spanOf(change.before), chosen),
                     after = symbolAt(field, spanOf(change.after), chosen);
        page.formula({ QStringLiteral("symbol %1:  %2 ^ %3 = %4")
                           .arg(chosen)
                           .arg(symbolWords(field, base, before), symbolWords(field, base, after),
                               symbolWords(field, base, before ^ after)) });
        sheet.space(3);
        sheet.paragraph(change.words, kBody, theme.muted);
        return;
    }
    const Change::Column& column = change.columns[at - 1];
    if (!column.isRead) {
        page.verdict(Glyph::Question, theme.caution,
            QStringLiteral("The parity record of this bucket is not read: it is gone, or is being read."));
        return;
    }
    std::vector<std::byte> product(change.delta.size());
    code.addDelta(ParityColumn(column.column), Position(change.position), change.delta, product);
    drawSymbols(page, field, window, { QStringLiteral("B before"), column.before, nullptr, false, false }, chosen);
    drawSymbols(page, field, window,
        { column.coefficient == 1 ? QStringLiteral("D")
                                  : QStringLiteral("%1 · D").arg(symbolWords(field, base, column.coefficient)),
            product, nullptr, false, false },
        chosen);
    sheet.rule();
    sheet.space(1);
    drawSymbols(page, field, window, { QStringLiteral("B now"), column.after, nullptr, true, false }, chosen);
    sheet.space(5);
    const Symbol before = symbolAt(field, column.before, chosen);
    const Term term = termOf(field, column.coefficient, symbolAt(field, change.delta, chosen), before);
    const auto s = [&](Symbol symbol) { return symbolWords(field, base, symbol); };
    const auto l = [&](Symbol log) { return logWords(field, base, log); };
    const QString times = term.isZero ? QStringLiteral("%1 · %2 = 0").arg(s(term.coefficient), s(term.symbol))
        : term.isCopy
        ? QStringLiteral("1 · %1 = %1").arg(s(term.symbol))
        : QStringLiteral("%1 · %2 = alog(%3 + %4) = %5")
              .arg(s(term.coefficient), s(term.symbol), l(term.logCoefficient), l(term.logSymbol), s(term.product));
    page.formula({ QStringLiteral("symbol %1:  %2,   %3 ^ %4 = %5")
                       .arg(chosen)
                       .arg(times, s(before), s(term.product), s(term.sum)),
        times });
    sheet.space(3);
    sheet.paragraph(
        QStringLiteral(
            "“B before” is computed back from what the parity bucket holds now; adding the same twice takes it away."),
        kBody, theme.muted);
}

} // namespace lhrs::gui
