// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/cluster_picture.h"

#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace lhrs::gui {

namespace {

constexpr TextStyle kNumber { TextSize::Title, true, false };

QColor blend(QColor from, QColor to, qreal t)
{
    const auto part = [t](float a, float b) { return float(a + (b - a) * float(t)); };
    return QColor::fromRgbF(
        part(from.redF(), to.redF()), part(from.greenF(), to.greenF()), part(from.blueF(), to.blueF()));
}

// Colours for empty cells, for shades up to the full colour, and for incoming records.
std::vector<QColor> cellPalette(const Theme& theme, QColor full)
{
    std::vector<QColor> palette { theme.empty };
    for (int shade = 1; shade < kCellShades; ++shade)
        palette.push_back(blend(theme.empty, full, 0.35 + 0.65 * (shade - 1) / (kCellShades - 2)));
    palette.push_back(theme.incoming);
    return palette;
}

// What a data and a parity card have in common.
struct Card {
    QRectF rect;
    Look look;
    QColor kind; // colour of the kind: data or parity
    QStringList title; // wordings, longest first
    QStringList corner; // right end of the header
    QString process;
    qreal fill = 0; // share of the capacity; above 1: overload
    bool hasLimit = true; // whether the mark at b is drawn
    bool isOverflowed = false;
    QStringList amount;
    QStringList stateWords {}; // replace the wordings of the look, longest first
    QStringList note {}; // beside the process name, while the process is up
    bool isNoteUrgent = false;
    // The glossary terms that explain the parts; empty: the part needs no explanation.
    std::string_view cornerTerm {}, amountTerm {}, stateTerm {}, noteTerm {};
};

// The glossary term for the word of a state; empty: the word is plain English.
std::string_view termOfLook(Look look)
{
    if (look == Look { ObjectKind::Data, Condition::Starting })
        return "split";
    static constexpr std::pair<Condition, std::string_view> kTerms[] = { { Condition::Busy, "split" },
        { Condition::Suspect, "suspect" }, { Condition::Rebuilding, "slice" }, { Condition::Lost, "lost-group" } };
    const auto* found = std::ranges::find(kTerms, look.condition, &std::pair<Condition, std::string_view>::first);
    return found == std::end(kTerms) ? std::string_view() : found->second;
}

// A narrow card has room for a short word only, and half of a long word says nothing.
QStringList wordingsOf(Look look)
{
    QStringList wordings { lookWord(look) };
    if (look.condition == Condition::Gone)
        wordings << QStringLiteral("gone");
    if (look.condition == Condition::Rebuilding)
        wordings << QStringLiteral("rebuild");
    return wordings;
}

// A card that has room for its number at most.
void drawTile(const PictureInput& in, const Card& card, CardDetail detail, qreal cut, DisplayList& out)
{
    const Theme& theme = in.theme;
    const LookStyle style = styleOf(theme, card.look);
    const qreal u = theme.px(1);
    const bool isQuiet = style.glyph == Glyph::None;
    const QColor shade = isQuiet ? blend(theme.empty, card.kind, 0.25 + 0.75 * std::min(1.0, card.fill)) : style.colour;
    const bool hasOutline = detail == CardDetail::Tile;
    out.add(DisplayList::Box { card.rect, detail == CardDetail::Tile ? style.outline : Outline::Rectangle, cut, shade,
        hasOutline ? (card.isOverflowed ? theme.text : theme.outline) : QColor(), card.isOverflowed ? 2.0 : 1.0,
        style.isDashed, style.isHatched });
    if (detail == CardDetail::Heat)
        return;
    const QRectF inside = card.rect.adjusted(2, 1, -2, -1);
    if (!isQuiet) {
        const qreal side = std::min({ inside.width(), inside.height(), 14 * u });
        out.add(DisplayList::Mark { QRectF(inside.center().x() - side / 2, inside.center().y() - side / 2, side, side),
            style.glyph, inkOn(shade), {} });
    } else if (in.layers.labels && inside.height() >= theme.lineHeight(kSmallBold)
        && theme.width(kSmallBold, card.title.back()) <= inside.width()) {
        const qreal line = theme.lineHeight(kSmallBold);
        const bool hasAmount = inside.height() >= 2 * line && theme.width(kSmall, card.amount.back()) <= inside.width();
        const qreal top = inside.center().y() - (hasAmount ? line : line / 2);
        out.text(QRectF(inside.left(), top, inside.width(), line), card.title.back(), kSmallBold, inkOn(shade),
            Qt::AlignCenter);
        if (hasAmount)
            out.text(QRectF(inside.left(), top + line, inside.width(), line), card.amount.back(), kSmall, inkOn(shade),
                Qt::AlignCenter);
    }
}

// The shape of a card, and its header with the kind's colour.
void drawShape(const PictureInput& in, const Card& card, const QRectF& header, qreal cut, DisplayList& out)
{
    const Theme& theme = in.theme;
    const LookStyle style = styleOf(theme, card.look);
    const qreal u = theme.px(1);
    const bool isQuiet = style.glyph == Glyph::None;
    out.add(DisplayList::Box { card.rect.translated(0, 2 * u), style.outline, cut, theme.shadow, {}, 1, false, false });
    out.add(DisplayList::Box {
        card.rect, style.outline, cut, theme.card, theme.outline, 1.2, style.isDashed, style.isHatched });
    // The header takes the outline's upper corners.
    if (style.outline == Outline::CutCorners) {
        const QRectF wedge(header.left() + cut, header.top(), header.width() - 2 * cut, cut + 1);
        out.add(DisplayList::Box { QRectF(header.left(), header.top() + cut, header.width(), header.height() - cut),
            Outline::Rectangle, 0, card.kind, {}, 1, false, false });
        out.add(DisplayList::Box { wedge, Outline::Rectangle, 0, card.kind, {}, 1, false, false });
        out.add(DisplayList::Box { QRectF(header.left(), header.top(), 2 * cut, 2 * cut), Outline::Diamond, 0,
            card.kind, {}, 1, false, false });
        out.add(DisplayList::Box { QRectF(header.right() - 2 * cut, header.top(), 2 * cut, 2 * cut), Outline::Diamond,
            0, card.kind, {}, 1, false, false });
    } else {
        out.add(DisplayList::Box { header, Outline::Rectangle, 0, card.kind, {}, 1, false, false });
    }
    out.add(DisplayList::Box { card.rect, style.outline, cut, {}, isQuiet ? theme.outline : style.colour,
        isQuiet ? 1.2 : 2.5 * u, style.isDashed, false });
}

void drawTitle(const PictureInput& in, const Card& card, bool isFull, const QRectF& header, qreal cut, DisplayList& out)
{
    const Theme& theme = in.theme;
    const qreal u = theme.px(1);
    const QColor ink = inkOn(card.kind);
    const qreal side = isFull ? 8 * u : 4 * u;
    const TextStyle titleStyle = isFull ? kNumber : kSmallBold;
    const TextStyle cornerStyle = isFull ? TextStyle { TextSize::Strong, true, false } : kSmall;
    const QRectF line = header.adjusted(
        side + (styleOf(theme, card.look).outline == Outline::CutCorners ? cut / 3 : 0), 0, -side, 0);
    // The title has priority: it is written in smaller letters before it is shortened.
    const auto cornerBeside = [&](const QString& title, const TextStyle& letters) -> std::optional<QString> {
        const qreal left = line.width() - theme.metrics(letters).horizontalAdvance(title) - 6 * u;
        for (const QString& wording : card.corner)
            if (theme.metrics(cornerStyle).horizontalAdvance(wording) <= left)
                return wording;
        return std::nullopt;
    };
    TextStyle written = titleStyle;
    if (!card.corner.isEmpty() && cornerBeside(card.title.front(), titleStyle) != card.corner.front())
        written = isFull && cornerBeside(card.title.front(), cornerStyle) ? cornerStyle : titleStyle;
    std::optional<QString> corner = cornerBeside(card.title.front(), written);
    if (!corner)
        corner = cornerBeside(card.title.back(), written);
    qreal cornerWidth = 0;
    if (corner) {
        cornerWidth = theme.metrics(cornerStyle).horizontalAdvance(*corner) + 1;
        const QRectF place(line.right() - cornerWidth, line.top(), cornerWidth, line.height());
        out.text(place, *corner, cornerStyle, ink, Qt::AlignRight | Qt::AlignVCenter);
        out.explain(card.cornerTerm);
    }
    if (in.layers.labels)
        out.text(line.adjusted(0, 0, -cornerWidth - (cornerWidth > 0 ? 6 * u : 0), 0), card.title, written, ink);
}

// Process name on the left, state in a chip on the right: colour, glyph and word.
void drawStateRow(const PictureInput& in, const Card& card, const QRectF& row, DisplayList& out)
{
    const Theme& theme = in.theme;
    const LookStyle style = styleOf(theme, card.look);
    const qreal u = theme.px(1);
    const bool isQuiet = style.glyph == Glyph::None;
    qreal chipWidth = 0;
    if (!isQuiet) {
        const qreal glyph = 11 * u, beside = glyph + 12 * u;
        const QStringList words = card.stateWords.isEmpty() ? wordingsOf(card.look) : card.stateWords;
        const auto widthOf = [&](const QString& word) {
            return theme.metrics(kSmallBold).horizontalAdvance(word) + beside;
        };
        const auto fitting = std::find_if(
            words.begin(), words.end() - 1, [&](const QString& word) { return widthOf(word) <= row.width(); });
        const QString word = *fitting; // the shortest if none fits
        chipWidth = std::min(row.width(), widthOf(word));
        const QRectF chip(row.right() - chipWidth, row.top() + 1, chipWidth, row.height() - 2);
        out.add(DisplayList::Box { chip, Outline::Rounded, 3 * u, style.colour, {}, 1, false, false });
        out.add(DisplayList::Mark { QRectF(chip.left() + 4 * u, chip.center().y() - glyph / 2, glyph, glyph),
            style.glyph, inkOn(style.colour), {} });
        out.text(chip.adjusted(8 * u + glyph, 0, -3 * u, 0), word, kSmallBold, inkOn(style.colour));
        out.explain(chip, card.stateTerm);
    }
    if (isQuiet && in.layers.labels) {
        const TextStyle noteStyle = card.isNoteUrgent ? kSmallBold : kSmall;
        for (const QString& words : card.note) {
            const qreal width = theme.width(noteStyle, words) + 1;
            // The note is shown only beside the whole name; only an urgent note may shorten the name.
            if (width
                > (card.isNoteUrgent ? row.width() * 0.62 : row.width() - theme.width(kSmall, card.process) - 5 * u))
                continue;
            out.text(QRectF(row.right() - width, row.top(), width, row.height()), words, noteStyle,
                card.isNoteUrgent ? theme.text : theme.muted, Qt::AlignRight | Qt::AlignVCenter);
            out.explain(card.noteTerm);
            chipWidth = width;
            break;
        }
    }
    if (in.layers.labels && row.width() - chipWidth > 30 * u)
        out.text(row.adjusted(0, 0, -chipWidth - (chipWidth > 0 ? 4 * u : 0), 0), card.process, kSmall, theme.muted);
}

CardDetail drawFrame(const PictureInput& in, ObjectRef object, const Card& card, DisplayList& out)
{
    const Theme& theme = in.theme;
    const LookStyle style = styleOf(theme, card.look);
    const qreal u = theme.px(1);
    const CardDetail detail = detailOf(in, card.rect.size());
    const qreal cut = std::min(9 * u, card.rect.width() * 0.16);
    if (in.selected == object || in.hovered == object) {
        const qreal grow = detail >= CardDetail::Tile ? 1.5 : 2 * u;
        out.add(DisplayList::Box { card.rect.adjusted(-grow, -grow, grow, grow), style.outline, cut + grow, {},
            in.selected == object ? theme.selection : theme.outline, in.selected == object ? 3 * u : 2, false, false });
    }
    if (detail == CardDetail::Heat || detail == CardDetail::Tile) {
        drawTile(in, card, detail, cut, out);
        return detail;
    }

    const bool isFull = detail == CardDetail::Full;
    const qreal headerHeight = isFull ? theme.lineHeight(kNumber) + 6 * u : theme.lineHeight(kSmallBold) + 4 * u;
    const QRectF header(card.rect.left(), card.rect.top(), card.rect.width(), headerHeight);
    drawShape(in, card, header, cut, out);
    drawTitle(in, card, isFull, header, cut, out);
    if (isFull) {
        const qreal pad = 7 * u;
        drawStateRow(in, card,
            QRectF(card.rect.left() + pad, header.bottom() + 1 * u, card.rect.width() - 2 * pad,
                theme.lineHeight(kSmall) + 3 * u),
            out);
    }
    return detail;
}

void drawFill(const PictureInput& in, const Card& card, CardDetail detail, DisplayList& out)
{
    const Theme& theme = in.theme;
    const qreal u = theme.px(1);
    const bool isFull = detail == CardDetail::Full;
    const qreal pad = isFull ? 7 * u : 3 * u;
    const qreal lineHeight = theme.lineHeight(kSmall) + 3 * u;
    const qreal headerHeight = isFull ? theme.lineHeight(kNumber) + 6 * u : theme.lineHeight(kSmallBold) + 4 * u;
    const qreal top = card.rect.top() + headerHeight + 1 * u + (isFull ? lineHeight : 0);
    const QRectF row(card.rect.left() + pad, top, card.rect.width() - 2 * pad, lineHeight);
    const auto fits = [&](const QString& wording) { return theme.metrics(kSmallBold).horizontalAdvance(wording); };
    QRectF bar = row.adjusted(0, row.height() * 0.22, 0, -row.height() * 0.22);
    out.explain(row, card.amountTerm);
    if (isFull) {
        QString amount = card.amount.front();
        for (const QString& wording : card.amount) {
            amount = wording;
            if (fits(wording) < row.width() * 0.62)
                break;
        }
        const qreal width = std::min(fits(amount) + 1, row.width());
        out.text(QRectF(row.right() - width, row.top(), width, row.height()), amount, kSmallBold, theme.text,
            Qt::AlignRight | Qt::AlignVCenter);
        bar.setRight(row.right() - width - 6 * u);
    } else {
        bar = QRectF(row.left(), row.top() + 2 * u, row.width(), 6 * u);
        const QRectF below(row.left(), bar.bottom() + 1 * u, row.width(), card.rect.bottom() - bar.bottom() - 3 * u);
        if (in.layers.labels && below.height() >= theme.lineHeight(kSmall)) {
            const bool hasGlyph = styleOf(theme, card.look).glyph != Glyph::None;
            const qreal glyph = hasGlyph ? std::min(13 * u, below.height()) : 0;
            if (hasGlyph)
                out.add(DisplayList::Mark { QRectF(below.left(), below.center().y() - glyph / 2, glyph, glyph),
                    styleOf(theme, card.look).glyph, theme.text, {} });
            const QRectF rest = below.adjusted(hasGlyph ? glyph + 2 * u : 0, 0, 0, 0);
            if (fits(card.amount.back()) <= rest.width())
                out.text(rest, card.amount, kSmallBold, theme.text,
                    hasGlyph ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter);
        } else if (styleOf(theme, card.look).glyph != Glyph::None) {
            const qreal side = std::min(12 * u, below.height());
            out.add(DisplayList::Mark { QRectF(below.center().x() - side / 2, below.top(), side, side),
                styleOf(theme, card.look).glyph, theme.text, {} });
        }
    }
    if (bar.width() < 8)
        return;
    // The bar ends at 1.25 b, so that an overload is visible; the mark is at b.
    const qreal scale = card.hasLimit ? 1.25 : 1, share = std::min(card.fill, scale) / scale;
    const qreal markX = bar.left() + bar.width() / scale;
    out.add(DisplayList::Box { bar, Outline::Rectangle, 0, theme.empty, {}, 1, false, false });
    out.add(DisplayList::Box { QRectF(bar.left(), bar.top(), bar.width() * share, bar.height()), Outline::Rectangle, 0,
        card.kind, {}, 1, false, false });
    if (!card.hasLimit)
        return;
    if (card.fill > 1)
        out.add(DisplayList::Box { QRectF(markX, bar.top(), bar.left() + bar.width() * share - markX, bar.height()),
            Outline::Rectangle, 0, theme.bad, {}, 1, false, false });
    out.add(DisplayList::Line {
        { QPointF(markX, bar.top() - 2 * u), QPointF(markX, bar.bottom() + 2 * u) }, theme.text, 1.5 * u, false, 0 });
    if (card.isOverflowed && isFull) {
        const qreal side = row.height() * 0.86;
        out.add(DisplayList::Mark { QRectF(markX - side - 3 * u, row.center().y() - side / 2, side, side),
            Glyph::Warning, theme.caution, theme.card });
    }
}

// `words` of a rank are written into its cell if the cells have room; empty: nothing is written.
// `covered`: an area that something else occupies.
template <class Words>
void drawCells(const PictureInput& in, const CellGeometry& geometry, const QRectF& covered,
    std::vector<std::uint8_t> values, QColor full, std::string_view term, DisplayList& out, Words&& words)
{
    DisplayList::Cells cells;
    const int rows = (int(values.size()) + geometry.columns - 1) / geometry.columns;
    cells.rect = QRectF(
        geometry.area.left(), geometry.area.top(), geometry.columns * geometry.pitchX, rows * geometry.pitchY);
    cells.columns = geometry.columns;
    cells.pitchX = geometry.pitchX;
    cells.pitchY = geometry.pitchY;
    cells.gap = 1;
    cells.palette = cellPalette(in.theme, full);
    cells.gapColour = in.theme.card;
    out.explain(cells.rect, term);
    std::vector<QColor> inks;
    for (const QColor& shade : cells.palette)
        inks.push_back(inkOn(shade));
    if (geometry.hasKeys && in.layers.labels) {
        cells.values = values;
        out.add(std::move(cells));
        for (std::uint32_t rank = 1; rank <= values.size(); ++rank) {
            const std::uint8_t value = values[rank - 1];
            if (value > 0 && !covered.intersects(geometry.cellOf(rank)))
                out.text(geometry.cellOf(rank), words(rank), geometry.keyStyle, inks[value], Qt::AlignCenter);
        }
        return;
    }
    cells.values = std::move(values);
    out.add(std::move(cells));
}

// The contents on the card are those of a running process.
bool isThere(Look look)
{
    return look.condition != Condition::Gone && look.condition != Condition::Failed
        && look.condition != Condition::Lost;
}

// For a bucket that failed before anything observed it.
const QStringList kUnknown { QStringLiteral("contents unknown"), QStringLiteral("unknown"), QStringLiteral("?") };

// `count` records are known nevertheless: the card is filled to the height that they would have.
void drawUnobserved(const PictureInput& in, Look look, bool isOnlyDeclared, std::uint32_t count, QColor full,
    const QRectF& area, DisplayList& out)
{
    const std::uint32_t most = std::max(std::max(in.plan.ranks, count), 1U);
    if (count > 0 && isThere(look) && !isOnlyDeclared) {
        full.setAlphaF(0.35F);
        const qreal high = area.height() * count / most;
        out.add(DisplayList::Box { QRectF(area.left(), area.bottom() - high, area.width(), high), Outline::Rectangle, 0,
            full, {}, 1, false, false });
    }
    const QStringList words = isOnlyDeclared
        ? QStringList { QStringLiteral("it ended before this window watched"), QStringLiteral("never seen") }
        : QStringList { QStringLiteral("ranks: not observed at this detail"), QStringLiteral("not observed") };
    const qreal line = in.theme.lineHeight(kSmall);
    out.text(QRectF(area.left(), area.top(), area.width(), line), words, kSmall, in.theme.muted,
        Qt::AlignHCenter | Qt::AlignTop);
    drawDamage(in, look, area.adjusted(0, line, 0, 0), out);
}

// A bucket that does not serve has last words at the foot of its card: what is known of it, since when, and from which
// process.
struct LastWords {
    std::vector<QStringList> lines;
    QRectF rect; // null: there are no last words, or no room for them
};

LastWords lastWords(const PictureInput& in, ObjectRef object, Look look, const QRectF& card)
{
    if ((isThere(look) && look.condition != Condition::Suspect) || !in.layers.labels)
        return {};
    LastWords last { lastWordsOf(in.state, object), {} };
    const qreal u = in.theme.px(1), line = in.theme.lineHeight(kSmall);
    const qreal head = in.theme.lineHeight(kNumber) + 2 * line + 14 * u, cross = 26 * u;
    const ClusterLayout::Item* item = in.layout.find(object);
    const auto process = item ? in.state.processes.find(item->process) : in.state.processes.end();
    const bool hasBadge = in.layers.faults && process != in.state.processes.end() && !process->second.faults.empty();
    const qreal foot = hasBadge ? line + 12 * u : 4 * u; // drawFaults() writes there
    // The cross has priority over the words, and the last line over the lines before it.
    const auto high = [&] { return qreal(last.lines.size()) * line + 6 * u; };
    while (last.lines.size() > 1 && card.height() - head - foot < high() + cross)
        last.lines.erase(last.lines.begin());
    if (!last.lines.empty() && card.height() - head - foot >= high())
        last.rect = QRectF(card.left() + 4 * u, card.bottom() - foot - high(), card.width() - 8 * u, high());
    return last;
}

void drawLastWords(const PictureInput& in, const LastWords& last, DisplayList& out)
{
    if (last.rect.isNull())
        return;
    const qreal u = in.theme.px(1), line = in.theme.lineHeight(kSmall);
    out.add(DisplayList::Box { last.rect, Outline::Rounded, 3 * u, in.theme.card, in.theme.outline, 1, false, false });
    qreal y = last.rect.top() + 3 * u;
    for (const QStringList& wordings : last.lines) {
        out.text(QRectF(last.rect.left() + 5 * u, y, last.rect.width() - 8 * u, line), wordings, kSmall, in.theme.text);
        y += line;
    }
}

// The part of the area of the cells that is above the last words.
QRectF above(const QRectF& area, const LastWords& last)
{
    return last.rect.isNull()
        ? area
        : QRectF(area.left(), area.top(), area.width(), std::max(0.0, last.rect.top() - area.top()));
}

QString processNameOf(const ClusterState& state, ProcessId id)
{
    const auto found = state.processes.find(id);
    return found == state.processes.end() ? QString() : QString::fromStdString(found->second.name);
}

void drawDataCells(const PictureInput& in, const DataBucketState& bucket, Look look, const LastWords& last,
    const QRectF& rect, DisplayList& out)
{
    const CellGeometry geometry = cellGeometry(in.theme, rect, in.plan);
    if (!geometry.isValid() || !in.layers.parts)
        return;
    if (!bucket.ranksAreObserved) {
        drawUnobserved(in, look, bucket.isOnlyDeclared, bucket.count, dataFill(), above(geometry.area, last), out);
        return;
    }
    drawCells(in, geometry, last.rect, in.cells.data(bucket, geometry, in.plan.ranks),
        isThere(look) ? dataFill() : in.theme.outline, "rank", out, [&](std::uint32_t rank) {
            return QString::number(bucket.ranks.has(rank) ? bucket.ranks.at(rank) : bucket.incoming.at(rank));
        });
    drawDamage(in, look, above(geometry.area, last), out);
}

void drawParityCells(const PictureInput& in, const ParityBucketState& bucket, Look look, const LastWords& last,
    const QRectF& rect, DisplayList& out)
{
    const CellGeometry geometry = cellGeometry(in.theme, rect, in.plan);
    if (!geometry.isValid() || !in.layers.parts)
        return;
    if (!bucket.ranksAreObserved) {
        drawUnobserved(
            in, look, bucket.isOnlyDeclared, bucket.recordGroups, parityFill(), above(geometry.area, last), out);
        return;
    }
    // The number of records that each parity record covers.
    drawCells(in, geometry, last.rect, in.cells.parity(bucket, geometry, in.plan.ranks, in.state.m()),
        isThere(look) ? parityFill() : in.theme.outline, "record-group", out,
        [&](std::uint32_t rank) { return QString::number(bucket.ranks.at(rank)); });
    drawDamage(in, look, above(geometry.area, last), out);
}

} // namespace

std::vector<QRectF> wordsOfCard(const PictureInput& in, const ClusterLayout::Item& item)
{
    const bool isData = item.object.kind == ObjectKind::Data;
    const CardDetail detail = detailOf(in, item.rect.size());
    if (detail >= CardDetail::Tile || (!isData && item.object.kind != ObjectKind::Parity)
        || !in.layout.groupsArea.intersects(item.rect))
        return {};
    const qreal u = in.theme.px(1), line = in.theme.lineHeight(kSmall);
    std::vector<QRectF> words;
    if (detail == CardDetail::Compact) { // down to the amount, which drawFill() centres below the bar
        const qreal bar = item.rect.top() + in.theme.lineHeight(kSmallBold) + 14 * u;
        const qreal end = (bar + item.rect.bottom() - 2 * u + in.theme.lineHeight(kSmallBold)) / 2;
        words.emplace_back(item.rect.topLeft(), QPointF(item.rect.right(), std::min(end, item.rect.bottom())));
    } else {
        const qreal head = in.theme.lineHeight(kNumber) + 7 * u + 2 * (line + 3 * u);
        words.emplace_back(item.rect.left(), item.rect.top(), item.rect.width(), head);
        if (const LastWords last = lastWords(in, item.object, lookOf(in.state, item.object, in.silent), item.rect);
            !last.rect.isNull())
            words.push_back(last.rect);
    }
    const auto process = in.state.processes.find(item.process);
    const auto group = in.state.groups.find(std::uint32_t(isData ? item.object.a / in.state.m() : item.object.a));
    const bool hasBadge = in.layers.faults && process != in.state.processes.end() && !process->second.faults.empty();
    const bool hasRole = group != in.state.groups.end() && group->second.recovery.isUnderWay()
        && group->second.recovery.decoder;
    const qreal foot = in.theme.lineHeight(kSmallBold) + 9 * u; // as in drawFaults() and drawRecoveryRoles()
    const qreal feet = (hasBadge ? foot : 0) + (hasRole ? foot : 0);
    if (feet > 0)
        words.emplace_back(item.rect.left(), item.rect.bottom() - feet, item.rect.width(), feet);
    return words;
}

CardDetail detailOf(const PictureInput& in, QSizeF card)
{
    return std::max(detailFor(card, in.theme), in.layout.detail);
}

void drawDataCard(const PictureInput& in, const DataBucketState& bucket, const QRectF& rect, DisplayList& out)
{
    const ObjectRef object { ObjectKind::Data, bucket.number, 0 };
    out.setObject(object);
    const std::uint32_t b = capacityOf(in.state, bucket);
    Card card;
    card.rect = rect;
    card.look = lookOf(in.state, object, in.silent);
    card.kind = dataFill();
    card.title = { QStringLiteral("Bucket %1").arg(bucket.number), QString::number(bucket.number) };
    card.corner = { QStringLiteral("j = %1").arg(bucket.level), QStringLiteral("j%1").arg(bucket.level) };
    card.process = processNameOf(in.state, bucket.process);
    card.fill = qreal(bucket.count) / b;
    card.isOverflowed = bucket.isOverflowed;
    card.cornerTerm = "j";
    card.amountTerm = bucket.isOverflowed ? "overflow" : "b";
    card.stateTerm = termOfLook(card.look);
    card.noteTerm = "lease";
    card.amount = { QStringLiteral("%1 / %2").arg(grouped(bucket.count), grouped(b)), grouped(bucket.count),
        bucket.count >= 1000 ? QStringLiteral("%1k").arg(qRound(bucket.count / 1000.0))
                             : QString::number(bucket.count) };
    if (bucket.isOnlyDeclared)
        card.amount = kUnknown;
    for (const auto& [id, split] : in.state.splits) {
        if (!split.isOrdered || !split.isUnderWay()
            || (card.look.condition != Condition::Busy && card.look.condition != Condition::Starting))
            continue;
        if (split.bucket == bucket.number)
            card.stateWords = { QStringLiteral("splitting → %1").arg(split.newBucket),
                QStringLiteral("→ %1").arg(split.newBucket) };
        else if (split.newBucket == bucket.number)
            card.stateWords = { QStringLiteral("new ← %1").arg(split.bucket),
                QStringLiteral("← %1").arg(split.bucket) };
    }
    if (const auto lease = leaseOf(in.state, bucket, in.nowNs)) {
        card.isNoteUrgent = lease->leftNs <= 0 && lease->hadOne;
        card.note = card.isNoteUrgent ? QStringList { QStringLiteral("lease run out"), QStringLiteral("no lease") }
            : lease->leftNs <= 0      ? QStringList { QStringLiteral("no lease yet"), QStringLiteral("no lease") }
                                      : QStringList { QStringLiteral("lease %1").arg(durationWords(lease->leftNs)),
                                       QStringLiteral("lease %1 s").arg(double(lease->leftNs) / 1e9, 0, 'f', 1) };
    }
    if (card.look.condition == Condition::Rebuilding && bucket.slicesStored > 0)
        card.stateWords = { QStringLiteral("rebuilt: %1").arg(countedWords(bucket.slicesStored, "slice", "slices")),
            countedWords(bucket.slicesStored, "slice", "slices") };
    if (!isThere(card.look))
        card.kind = in.theme.outline;
    const CardDetail detail = drawFrame(in, object, card, out);
    if (detail >= CardDetail::Tile)
        return;
    drawFill(in, card, detail, out);
    const LastWords last = detail == CardDetail::Full ? lastWords(in, object, card.look, rect) : LastWords();
    drawDataCells(in, bucket, card.look, last, rect, out);
    drawLastWords(in, last, out);
}

void drawParityCard(const PictureInput& in, const ParityBucketState& bucket, const QRectF& rect, DisplayList& out)
{
    const ObjectRef object { ObjectKind::Parity, bucket.group, bucket.column };
    out.setObject(object);
    Card card;
    card.rect = rect;
    card.look = lookOf(in.state, object, in.silent);
    card.kind = parityFill();
    const QString place = QStringLiteral("%1.%2").arg(bucket.group).arg(bucket.column);
    card.title = { QStringLiteral("Parity %1").arg(place), QStringLiteral("P %1").arg(place), place };
    card.process = processNameOf(in.state, bucket.process);
    card.fill = qreal(bucket.recordGroups) / std::max(1U, in.plan.ranks);
    card.hasLimit = false;
    card.amount = { countedWords(bucket.recordGroups, "record group", "record groups"),
        countedWords(bucket.recordGroups, "group", "groups"), grouped(bucket.recordGroups),
        bucket.recordGroups >= 1000 ? QStringLiteral("%1k").arg(qRound(bucket.recordGroups / 1000.0))
                                    : QString::number(bucket.recordGroups) };
    card.cornerTerm = "delta"; // a delta that waits for its predecessor
    card.amountTerm = "record-group";
    card.stateTerm = termOfLook(card.look);
    if (bucket.isOnlyDeclared)
        card.amount = kUnknown;
    std::uint32_t held = 0;
    for (std::uint32_t waiting : bucket.held)
        held += waiting;
    const auto contents = std::count(bucket.contentsIn.begin(), bucket.contentsIn.end(), true);
    if (card.look.condition == Condition::Starting && contents > 0)
        card.stateWords = { QStringLiteral("filling %1 of %2").arg(contents).arg(bucket.contentsIn.size()),
            QStringLiteral("%1 of %2").arg(contents).arg(bucket.contentsIn.size()) };
    if (held > 0)
        card.corner = { QStringLiteral("holds %1").arg(held) };
    if (!isThere(card.look))
        card.kind = in.theme.outline;
    const CardDetail detail = drawFrame(in, object, card, out);
    if (detail >= CardDetail::Tile)
        return;
    drawFill(in, card, detail, out);
    const LastWords last = detail == CardDetail::Full ? lastWords(in, object, card.look, rect) : LastWords();
    drawParityCells(in, bucket, card.look, last, rect, out);
    drawLastWords(in, last, out);
}

void drawDummy(const PictureInput& in, std::uint32_t number, const QRectF& rect, DisplayList& out)
{
    const ObjectRef object { ObjectKind::Dummy, number, 0 };
    out.setObject(object);
    const CardDetail detail = detailOf(in, rect.size());
    if (detail == CardDetail::Heat)
        return;
    const bool isMarked = in.selected == object || in.hovered == object;
    out.add(DisplayList::Box { rect.adjusted(1, 1, -1, -1), Outline::Rectangle, 0, QColor(in.theme.canvas),
        isMarked ? in.theme.selection : in.theme.outline, isMarked ? 2.0 : 1.0, true, false });
    if (!in.layers.labels)
        return;
    const qreal u = in.theme.px(1);
    const QRectF inside = rect.adjusted(4 * u, 3 * u, -4 * u, -3 * u);
    if (detail == CardDetail::Full) {
        const qreal line = in.theme.lineHeight(kNumber);
        out.text(QRectF(inside.left(), inside.center().y() - line, inside.width(), line),
            { QStringLiteral("Bucket %1").arg(number), QString::number(number) }, kNumber, in.theme.muted,
            Qt::AlignCenter);
        out.text(QRectF(inside.left(), inside.center().y() + 2 * u, inside.width(), in.theme.lineHeight(kSmall)),
            { QStringLiteral("does not exist yet: zeros"), QStringLiteral("not yet: zeros"),
                QStringLiteral("not yet") },
            kSmall, in.theme.muted, Qt::AlignCenter);
    } else if (detail == CardDetail::Compact) {
        out.text(inside, QString::number(number), kSmallBold, in.theme.muted, Qt::AlignCenter);
    }
}

} // namespace lhrs::gui
