// SPDX-License-Identifier: GPL-3.0-or-later
// The page Decode of a record group: from the survivors to the lost bytes, step by step.
#include "gui/view/lhrs/records/group_pages.h"

#include "gui/lab/tables/qt_text.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace lhrs::gui {

namespace {

using StepKind = DecodingStep::Kind;

constexpr TextStyle kFormula { TextSize::Strong, false, true };

QStringList positionNames(std::uint32_t m)
{
    QStringList names;
    for (std::uint32_t q = 0; q < m; ++q)
        names << QStringLiteral("D%1").arg(q);
    return names;
}

QStringList namesOf(const std::vector<Participant>& members)
{
    QStringList names;
    for (const Participant member : members)
        names << text(shortName(member));
    return names;
}

// Two matrices side by side if there is room, else one below the other.
void drawPair(GroupPageDrawing& page, const Field& field, const MatrixDrawing& first, const MatrixDrawing* second,
    const SymbolFace& face, bool hasArrow)
{
    const Theme& theme = page.theme();
    Sheet& sheet = page.sheet;
    const SymbolBase base = page.decoding.wish.base;
    const QSizeF one = matrixSize(theme, first, face);
    drawMatrix(sheet.out, first, face, field, base, QPointF(sheet.left, sheet.y));
    if (second) {
        const QSizeF two = matrixSize(theme, *second, face);
        const qreal gap = page.px(34);
        if (one.width() + gap + two.width() <= sheet.width) {
            if (hasArrow) {
                const qreal middle = sheet.y + one.height() - face.cellHeight * first.matrix->rows / 2,
                            x = sheet.left + one.width() + page.px(6);
                sheet.out.add(DisplayList::Line { { QPointF(x, middle), QPointF(x + page.px(22), middle) }, theme.text,
                    page.px(1.5), false, page.px(7) });
            }
            drawMatrix(sheet.out, *second, face, field, base, QPointF(sheet.left + one.width() + gap, sheet.y));
            sheet.y += std::max(one.height(), two.height());
        } else {
            sheet.y += one.height() + page.px(9);
            drawMatrix(sheet.out, *second, face, field, base, QPointF(sheet.left, sheet.y));
            sheet.y += two.height();
        }
    } else {
        sheet.y += one.height();
    }
    sheet.space(6);
    if (!face.hasDigits)
        sheet.paragraph(QStringLiteral("No room for digits here: grey is 1, blue any other symbol, nothing is 0. “Copy "
                                       "as text” has them all."),
            kBody, theme.muted);
}

void drawColumns(GroupPageDrawing& page, bool areTaken)
{
    const Decoding& d = page.decoding;
    const DecodeStory& story = *d.story;
    const Theme& theme = page.theme();
    const auto isSurvivor = [&](std::uint32_t column) {
        const Participant member = column < d.group.m ? Participant::data(Position(column))
                                                      : Participant::parity(ParityColumn(column - d.group.m));
        return std::find(story.survivors.begin(), story.survivors.end(), member) != story.survivors.end();
    };
    const auto isLost = [&](std::uint32_t column) {
        const Participant member = column < d.group.m ? Participant::data(Position(column))
                                                      : Participant::parity(ParityColumn(column - d.group.m));
        return std::find(d.lost.begin(), d.lost.end(), member) != d.lost.end();
    };
    MatrixDrawing whole;
    whole.matrix = &story.whole;
    whole.name = QStringLiteral("(I|P)");
    whole.rowNames = positionNames(d.group.m);
    whole.columnNames = whole.rowNames;
    for (std::uint32_t p = 0; p < d.group.k; ++p)
        whole.columnNames << QStringLiteral("P%1").arg(p);
    whole.look = [&](std::uint32_t, std::uint32_t column) {
        if (areTaken && isSurvivor(column))
            return CellLook { theme.selection, true, false, {} };
        if (isLost(column))
            return CellLook { theme.empty, false, true, {} };
        return CellLook { {}, false, areTaken, {} };
    };
    MatrixDrawing h;
    h.matrix = &story.elimination.h;
    h.name = QStringLiteral("H");
    h.columnNames = namesOf(story.survivors);
    // Both in one row if their digits are legible there.
    SymbolFace face = symbolFace(theme, story.code.field(), d.wish.base, page.sheet.width - page.px(50),
        story.whole.columns + d.group.m, whole.rowNames);
    if (!face.hasDigits || face.style.size == TextSize::Small)
        face = symbolFace(
            theme, story.code.field(), d.wish.base, page.sheet.width, story.whole.columns, whole.rowNames);
    drawPair(page, story.code.field(), whole, areTaken ? &h : nullptr, face, true);
    if (!areTaken && d.choices > 1)
        page.sheet.paragraph(
            QStringLiteral("There are %1 ways to choose %2 of the %3 members that are left; this is number %4.")
                .arg(d.choices)
                .arg(d.group.m)
                .arg(d.available.size())
                .arg(d.choice + 1),
            kBody, theme.muted);
}

void drawElimination(GroupPageDrawing& page, std::size_t done, bool isStuck)
{
    const Decoding& d = page.decoding;
    const DecodeStory& story = *d.story;
    const Theme& theme = page.theme();
    const Field& field = story.code.field();
    const DecodeStory::Stage stage = story.stageAfter(done);
    const auto& steps = story.elimination.steps;
    const GaussStep* step = done > 0 && done <= steps.size() && !isStuck ? &steps[done - 1] : nullptr;
    MatrixDrawing drawing;
    drawing.matrix = &stage.left;
    drawing.beside = &stage.right;
    drawing.name = done == steps.size() && story.isSolvable()
        ? QStringLiteral("(I|H⁻¹)")
        : QStringLiteral("(H|I), after %1 of %2 steps").arg(done).arg(steps.size());
    drawing.columnNames = namesOf(story.survivors);
    for (std::uint32_t row = 0; row < stage.left.rows; ++row)
        drawing.rowNames << QString::number(row);
    const std::uint32_t pivot = isStuck ? story.elimination.columnStopped : step ? step->other : 0;
    drawing.look = [&](std::uint32_t row, std::uint32_t column) {
        CellLook look;
        const bool isChanged = step
            && (row == step->row || (step->kind == GaussStep::Kind::Swap && row == step->other));
        if (isChanged)
            look = { theme.selection, true, false, {} };
        if (step && step->kind == GaussStep::Kind::Add && row == pivot)
            look.fill = theme.empty;
        if (step && step->kind != GaussStep::Kind::Swap && row == pivot && column == pivot)
            look.frame = theme.caution;
        if (isStuck && column == pivot)
            look = { row >= pivot ? theme.bad : QColor(), true, false, {} };
        return look;
    };
    drawPair(page, field, drawing, nullptr,
        symbolFace(theme, field, d.wish.base, page.sheet.width, 2 * stage.left.columns, drawing.rowNames), false);
    if (isStuck)
        page.verdict(Glyph::DoubleCross, theme.bad, d.whyNoBytes);
    else if (step && step->kind != GaussStep::Kind::Swap && step->factor > 1 && step->row < stage.left.rows) {
        // One cell of the row, with its logarithms.
        const DecodeStory::Stage before = story.stageAfter(done - 1);
        const std::uint32_t column = pivot;
        const Symbol source = before.left.at(step->other, column);
        const Symbol old = step->kind == GaussStep::Kind::Add ? before.left.at(step->row, column) : 0;
        const Term term = termOf(field, step->factor, source, old);
        const auto s = [&](Symbol symbol) { return symbolWords(field, SymbolBase::Hex, symbol); };
        const auto l = [&](Symbol log) { return logWords(field, SymbolBase::Hex, log); };
        const QString product = QStringLiteral("%1 · %2 = alog(%3 + %4) = %5")
                                    .arg(s(term.coefficient), s(term.symbol), l(term.logCoefficient), l(term.logSymbol),
                                        s(term.product));
        page.formula({ step->kind == GaussStep::Kind::Add ? QStringLiteral("column %1:  %2,   %3 ^ %4 = %5")
                                                                .arg(column)
                                                                .arg(product, s(old), s(term.product), s(term.sum))
                                                          : QStringLiteral("column %1:  %2").arg(column).arg(product),
            product });
    }
}

// "D1 = 91a0·D0 ^ d3de·D2 ^ P1".
QString formulaOf(const Decoding& d, const LostMember& lost)
{
    QStringList parts;
    for (std::size_t t = 0; t < lost.coefficients.size(); ++t) {
        const QString name = text(shortName(d.story->survivors[t]));
        if (lost.coefficients[t] != 0)
            parts << (lost.coefficients[t] == 1
                    ? name
                    : QStringLiteral("%1·%2").arg(
                        symbolWords(d.story->code.field(), d.wish.base, lost.coefficients[t]), name));
    }
    return QStringLiteral("%1 = %2").arg(
        text(shortName(lost.member)), parts.isEmpty() ? QStringLiteral("0") : parts.join(QStringLiteral(" ^ ")));
}

void sayManager(GroupPageDrawing& page)
{
    const Decoding& d = page.decoding;
    if (!d.managerSentence.isEmpty())
        page.verdict(d.managerDiffers ? Glyph::Cross : Glyph::Ack,
            d.managerDiffers ? page.theme().bad : page.theme().good, d.managerSentence);
}

void drawInverse(GroupPageDrawing& page)
{
    const Decoding& d = page.decoding;
    const DecodeStory& story = *d.story;
    const Theme& theme = page.theme();
    const auto isLost = [&](std::uint32_t q) {
        return std::find(d.lost.begin(), d.lost.end(), Participant::data(Position(q))) != d.lost.end();
    };
    MatrixDrawing inverse;
    inverse.matrix = &story.elimination.inverse;
    inverse.name = QStringLiteral("H⁻¹");
    inverse.rowNames = namesOf(story.survivors);
    inverse.columnNames = positionNames(d.group.m);
    inverse.look = [&](std::uint32_t, std::uint32_t column) {
        return isLost(column) ? CellLook { theme.selection, true, false, {} } : CellLook();
    };
    MatrixDrawing h;
    h.matrix = &story.elimination.h;
    h.name = QStringLiteral("H");
    h.columnNames = inverse.rowNames;
    h.rowNames = inverse.columnNames;
    SymbolFace face = symbolFace(
        theme, story.code.field(), d.wish.base, page.sheet.width - page.px(80), 2 * d.group.m, inverse.rowNames);
    if (!face.hasDigits)
        face = symbolFace(theme, story.code.field(), d.wish.base, page.sheet.width, d.group.m, inverse.rowNames);
    drawPair(page, story.code.field(), h, &inverse, face, true);
    for (const LostMember& lost : story.lost)
        page.sheet.paragraph(formulaOf(d, lost), kFormula, theme.text);
    if (std::all_of(story.lost.begin(), story.lost.end(), [](const LostMember& lost) { return lost.isXorOnly; })
        && !story.lost.empty())
        page.sheet.paragraph(QStringLiteral("No coefficient is other than 0 and 1: XOR alone."), kBody, theme.muted);
    page.sheet.space(4);
    sayManager(page);
}

// The columns of the table of products; in a narrow view the logarithms may be left out.
struct TermTable {
    std::array<const char*, 8> heads { "survivor", "coefficient", "symbol", "log", "+ log", "mod", "product",
        "XOR so far" };
    std::vector<int> shown;
    std::vector<qreal> widths;
    TextStyle style { TextSize::Strong, false, true };
};

TermTable tableFor(const GroupPageDrawing& page, const Field& field)
{
    const Theme& theme = page.theme();
    TermTable table;
    const QString widest = page.decoding.wish.base == SymbolBase::Hex
        ? QString(qsizetype(2 * field.symbolBytes()), QLatin1Char('0'))
        : QString::number(field.symbolMax());
    // In a narrow view the logarithms are only in the line below the table.
    const std::initializer_list<std::pair<TextSize, std::vector<int>>> ways { { TextSize::Strong, {} },
        { TextSize::Body, {} }, { TextSize::Body, { 5 } }, { TextSize::Small, { 3, 4, 5 } } };
    for (const auto& [size, without] : ways) {
        table.style.size = size;
        table.shown.clear();
        table.widths.clear();
        qreal all = 0;
        for (int column = 0; column < 8; ++column) {
            if (std::find(without.begin(), without.end(), column) != without.end())
                continue;
            table.shown.push_back(column);
            table.widths.push_back(std::max(theme.width(table.style, widest),
                                       theme.width(kSmallBold, QString::fromLatin1(table.heads[std::size_t(column)])))
                + page.px(12));
            all += table.widths.back();
        }
        if (all <= page.sheet.width) {
            const qreal more = std::min(page.px(16), (page.sheet.width - all) / qreal(table.shown.size()));
            for (qreal& width : table.widths)
                width += more;
            break;
        }
    }
    return table;
}

enum class TermRow { Head, Done, Now, Future };

void drawTermRow(GroupPageDrawing& page, const TermTable& table, const QStringList& cells, TermRow kind)
{
    Sheet& sheet = page.sheet;
    const Theme& theme = page.theme();
    const qreal high = theme.lineHeight(table.style) + page.px(6);
    qreal x = sheet.left;
    if (kind == TermRow::Now) {
        const qreal all = std::accumulate(table.widths.begin(), table.widths.end(), qreal(0));
        sheet.out.add(DisplayList::Box {
            QRectF(x, sheet.y, all, high), Outline::Rectangle, 0, theme.selection, {}, 1, false, false });
    }
    const QColor ink = kind == TermRow::Now ? inkOn(theme.selection) : kind == TermRow::Done ? theme.text : theme.muted;
    for (std::size_t i = 0; i < table.shown.size(); ++i) {
        const QString& words = cells[table.shown[i]];
        const bool isName = table.shown[i] == 0;
        if (!words.isEmpty())
            sheet.out.text(QRectF(x + page.px(4), sheet.y, table.widths[i] - page.px(6), high), words,
                kind == TermRow::Head || isName ? kSmallBold : table.style, ink,
                isName ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
        x += table.widths[i];
    }
    sheet.y += high;
}

// The sum of one symbol up to a term: symbols and logarithms in words.
struct TermWords {
    const Field& field;
    SymbolBase base;

    QString symbol(Symbol s) const { return symbolWords(field, base, s); }
    QString log(Symbol l) const { return logWords(field, base, l); }
    QString product(const Term& term) const
    {
        if (term.isZero)
            return QStringLiteral("%1 · %2 = 0").arg(symbol(term.coefficient), symbol(term.symbol));
        if (term.isCopy)
            return QStringLiteral("1 · %1 = %1").arg(symbol(term.symbol));
        return QStringLiteral("%1 · %2 = alog(%3 + %4) = alog(%5) = %6")
            .arg(symbol(term.coefficient), symbol(term.symbol), log(term.logCoefficient), log(term.logSymbol),
                log(term.logSum), symbol(term.product));
    }
};

void drawTermTable(GroupPageDrawing& page, const std::vector<Term>& terms, std::size_t upTo, const TermWords& words)
{
    const TermTable table = tableFor(page, words.field);
    QStringList heads;
    for (const char* head : table.heads)
        heads << QString::fromLatin1(head);
    heads[5] = QStringLiteral("mod %1").arg(words.log(words.field.symbolMax()));
    drawTermRow(page, table, heads, TermRow::Head);
    page.sheet.rule();
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const Term& term = terms[t];
        QStringList cells { text(shortName(page.decoding.story->survivors[t])), words.symbol(term.coefficient),
            words.symbol(term.symbol), {}, {}, {}, {}, {} };
        if (t <= upTo) {
            if (!term.isZero && !term.isCopy) {
                cells[3] = words.log(term.logCoefficient);
                cells[4] = words.log(term.logSymbol);
                cells[5] = words.log(term.logSum);
            }
            cells[6] = words.symbol(term.product);
            cells[7] = words.symbol(term.sum);
        }
        drawTermRow(page, table, cells, t == upTo ? TermRow::Now : t > upTo ? TermRow::Future : TermRow::Done);
    }
    page.sheet.rule();
}

// The computed symbol beside the one that is known from elsewhere.
void drawSymbolVerdict(GroupPageDrawing& page, Symbol result, const TermWords& words)
{
    const Decoding& d = page.decoding;
    const Theme& theme = page.theme();
    const Decoding::Outcome& outcome = d.outcomes[d.wish.target];
    const QString what = QStringLiteral("Symbol %1 of %2 is %3")
                             .arg(d.wish.symbol)
                             .arg(text(shortName(d.target()->member)), words.symbol(result));
    if (outcome.verdict != Decoding::Verdict::Equal && outcome.verdict != Decoding::Verdict::Differs)
        return page.verdict(Glyph::Question, theme.caution, QStringLiteral("%1. %2").arg(what, outcome.sentence));
    const ByteSpan known { reinterpret_cast<const std::byte*>(outcome.known.data()), outcome.known.size() };
    const Symbol was = symbolAt(words.field, known, d.wish.symbol);
    if (was == result)
        page.verdict(Glyph::Ack, theme.good,
            outcome.isKnownLive ? QStringLiteral("%1, and so it is in the bucket.").arg(what)
                                : QStringLiteral("%1, as it was before.").arg(what));
    else
        page.verdict(Glyph::Cross, theme.bad,
            QStringLiteral("%1, but it is %2 in what is known of it.").arg(what, words.symbol(was)));
}

void drawTerms(GroupPageDrawing& page, std::size_t upTo)
{
    const Decoding& d = page.decoding;
    Sheet& sheet = page.sheet;
    if (!d.hasBytes || d.symbols == 0) {
        sheet.paragraph(formulaOf(d, *d.target()), kFormula, page.theme().text);
        sheet.space(5);
        page.verdict(Glyph::Hourglass, page.theme().caution,
            d.hasBytes ? QStringLiteral("No member has any bytes at this rank.") : d.whyNoBytes);
        return;
    }
    const std::vector<Term> terms = d.story->terms(*d.target(), d.spans(), d.wish.symbol);
    const TermWords words { d.story->code.field(), d.wish.base };
    drawTermTable(page, terms, upTo, words);
    sheet.space(6);
    const Term& now = terms[upTo];
    const Symbol before = upTo == 0 ? 0 : terms[upTo - 1].sum;
    const QString product = words.product(now);
    page.formula({ QStringLiteral("%1,    %2 ^ %3 = %4")
                       .arg(product, words.symbol(before), words.symbol(now.product), words.symbol(now.sum)),
        product });
    if (upTo + 1 < terms.size())
        return;
    sheet.space(4);
    drawSymbolVerdict(page, terms.back().sum, words);
}

void drawBytes(GroupPageDrawing& page)
{
    const Decoding& d = page.decoding;
    const DecodeStory& story = *d.story;
    const Theme& theme = page.theme();
    const Field& field = story.code.field();
    const LostMember& target = *d.target();
    const Decoding::Outcome& outcome = d.outcomes[d.wish.target];
    page.sheet.paragraph(formulaOf(d, target), kFormula, theme.text);
    page.sheet.space(3);
    if (!d.hasBytes || d.symbols == 0) {
        page.verdict(Glyph::Hourglass, theme.caution,
            d.hasBytes ? QStringLiteral("No member has any bytes at this rank.") : d.whyNoBytes);
        return;
    }
    QStringList names;
    for (std::size_t t = 0; t < story.survivors.size(); ++t)
        names << QStringLiteral("%1 · %2").arg(
            symbolWords(field, d.wish.base, target.coefficients[t]), text(shortName(story.survivors[t])));
    names << QStringLiteral("before the failure");
    const SymbolWindow window = symbolWindow(page, field, names, d.symbols, d.wish.symbol);
    // Each row shows the products, so that the column adds up to the result.
    const auto spans = d.spans();
    for (std::size_t t = 0; t < spans.size(); ++t) {
        std::vector<std::byte> padded(field.paddedLength(spans[t].size())), product(padded.size());
        std::copy(spans[t].begin(), spans[t].end(), padded.begin());
        field.multiplyAdd(product.data(), padded.data(), padded.size(), target.coefficients[t]);
        drawSymbols(page, field, window, { names[int(t)], product, nullptr, false, target.coefficients[t] == 0 },
            d.wish.symbol);
    }
    page.sheet.rule();
    page.sheet.space(2);
    const ByteSpan known { reinterpret_cast<const std::byte*>(outcome.known.data()), outcome.known.size() };
    const bool isCompared = outcome.verdict == Decoding::Verdict::Equal
        || outcome.verdict == Decoding::Verdict::Differs;
    drawSymbols(page, field, window,
        { QStringLiteral("^  %1").arg(text(shortName(target.member))), outcome.bytes, isCompared ? &known : nullptr,
            true, false },
        d.wish.symbol);
    if (isCompared)
        drawSymbols(page, field, window,
            { outcome.isKnownLive ? QStringLiteral("in the bucket") : QStringLiteral("before"), known, nullptr, false,
                false },
            d.wish.symbol);
    page.sheet.space(2);
    page.sheet.line({ QStringLiteral("symbols %1 to %2 of %3; arrow keys choose another")
                            .arg(window.first)
                            .arg(window.first + window.count - 1)
                            .arg(d.symbols) },
        { TextSize::Small }, theme.muted);
    page.sheet.space(4);
    page.verdict(outcome.verdict == Decoding::Verdict::Equal ? Glyph::Ack
            : outcome.verdict == Decoding::Verdict::Differs  ? Glyph::Cross
                                                             : Glyph::Question,
        outcome.verdict == Decoding::Verdict::Equal         ? theme.good
            : outcome.verdict == Decoding::Verdict::Differs ? theme.bad
                                                            : theme.caution,
        outcome.sentence);
}

} // namespace

void drawDecodePage(GroupPageDrawing& page)
{
    const Decoding& d = page.decoding;
    const DecodingStep& step = d.step();
    page.title(d.wish.step, d.steps.size(), step.title, step.sentence);
    switch (step.kind) {
    case StepKind::Members: drawColumns(page, false); break;
    case StepKind::Columns: drawColumns(page, true); break;
    case StepKind::Gauss: drawElimination(page, step.index, false); break;
    case StepKind::Stuck: drawElimination(page, step.index, true); break;
    case StepKind::Inverse: drawInverse(page); break;
    case StepKind::Term: drawTerms(page, step.index); break;
    case StepKind::Bytes: drawBytes(page); break;
    }
    if (d.managerDiffers && step.kind != StepKind::Inverse)
        sayManager(page);
}

} // namespace lhrs::gui
