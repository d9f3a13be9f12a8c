// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/records/group_pages.h"

#include "gui/lab/tables/qt_text.h"
#include "gui/view/lhrs/words/object_words.h"
#include "gui/view/lhrs/records/record_table.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr TextStyle kTitle { TextSize::Title, true };
constexpr TextStyle kStepTitle { TextSize::Title, true };
constexpr TextStyle kSentence { TextSize::Strong };
constexpr TextStyle kMono { TextSize::Small, false, true };

ObjectRef objectOf(const GroupMember& member)
{
    if (member.standing == GroupMember::Standing::Dummy)
        return { ObjectKind::Dummy, member.place.number(), 0 };
    return member.member.kind == Participant::Kind::Data
        ? ObjectRef { ObjectKind::Data, member.place.number(), 0 }
        : ObjectRef { ObjectKind::Parity, member.place.number(), member.place.column() };
}

// The member's role in the decoding, in one or two words.
QString roleWords(const Decoding& d, const GroupMember& member)
{
    const auto has = [&](const std::vector<Participant>& in) {
        return std::find(in.begin(), in.end(), member.member) != in.end();
    };
    if (has(d.supposed))
        return d.wish.page == GroupPage::Update ? QString() : QStringLiteral("as if lost");
    if (has(d.lost))
        return text(member.words);
    if (d.wish.page == GroupPage::Update)
        return {};
    if (d.story && has(d.story->survivors)) {
        const auto at = std::find(d.story->survivors.begin(), d.story->survivors.end(), member.member)
            - d.story->survivors.begin();
        return QStringLiteral("survivor %1").arg(at + 1);
    }
    return QStringLiteral("not needed");
}

// A shorter form, for narrow places.
QString shortRole(const QString& role)
{
    if (role.startsWith(QLatin1String("survivor ")))
        return QStringLiteral("S %1").arg(role.section(QLatin1Char(' '), 1));
    return role == QLatin1String("as if lost") ? QStringLiteral("lost?")
        : role == QLatin1String("not needed")  ? QStringLiteral("unused")
                                               : role;
}

// The bytes from the chosen symbol onwards.
QString bytesFrom(const std::string& bytes, std::size_t from)
{
    constexpr std::size_t kShown = 8;
    if (from == 0 || from >= bytes.size())
        return from >= bytes.size() && !bytes.empty() ? QStringLiteral("… 00") : hexOf(bytes, kShown);
    return QStringLiteral("… %1").arg(hexOf(bytes.substr(from), kShown));
}

constexpr QLatin1StringView kWas("was "); // as it was read before the loss; a narrow card leaves the word out

QStringList contentWords(const Decoding& d, const GroupMember& member)
{
    const bool isData = member.member.kind == Participant::Kind::Data;
    if (member.standing == GroupMember::Standing::Dummy)
        return { QStringLiteral("no bucket yet"), QStringLiteral("zeros") };
    if (member.isRead && !member.record.isPresent)
        return { QStringLiteral("no record"), QStringLiteral("zeros") };
    const bool isDown = member.standing == GroupMember::Standing::Down;
    const MemberRecord* record = member.isRead ? &member.record
        : member.witness && isDown             ? &member.witness->record
                                               : nullptr;
    const auto listed = isData ? d.group.listed(member.member.index) : std::nullopt;
    QString first, second;
    if (isData)
        first = record ? QStringLiteral("key %1").arg(record->key)
            : listed   ? QStringLiteral("key %1").arg(listed->key)
                       : QString();
    else if (record)
        first = countedWords(record->members.size(), "key", "keys");
    if (record)
        second = (isDown ? QString(kWas) : QString())
            + bytesFrom(record->bytes, d.wish.symbol * (d.group.field == FieldWidth::Gf8 ? 1 : 2));
    else if (isDown)
        second = QStringLiteral("gone: no witness");
    else
        second = member.trouble.empty() ? QStringLiteral("reading …") : QStringLiteral("cannot be read");
    return { first, second };
}

void drawMember(GroupPageDrawing& page, const GroupMember& member, const QRectF& rect)
{
    const Decoding& d = page.decoding;
    const Theme& theme = page.theme();
    DisplayList& out = page.sheet.out;
    const qreal u = theme.px(1), header = theme.lineHeight(kSmallBold) + 4 * u, line = theme.lineHeight(kSmall);
    const bool isData = member.member.kind == Participant::Kind::Data,
               isDummy = member.standing == GroupMember::Standing::Dummy;
    const bool isDown = member.standing == GroupMember::Standing::Down,
               isSupposed = !isDown && d.wish.page != GroupPage::Update && d.wish.supposed.contains(member.member);
    const bool isSurvivor = d.story
        && std::find(d.story->survivors.begin(), d.story->survivors.end(), member.member) != d.story->survivors.end();
    const bool isChanged = d.wish.page == GroupPage::Update && isData && member.member.index == d.wish.changed;
    const QColor kind = isDown || isSupposed ? theme.bad : isData ? dataFill() : parityFill();
    const Outline outline = isData ? Outline::Rectangle : Outline::CutCorners;
    const qreal cut = std::min(8 * u, rect.width() * 0.12);
    out.setObject(objectOf(member));
    if (isChanged || (isSurvivor && d.wish.page == GroupPage::Decode))
        out.add(DisplayList::Box { rect.adjusted(-2 * u, -2 * u, 2 * u, 2 * u), outline, cut + 2 * u, {},
            theme.selection, 3 * u, false, false });
    out.add(DisplayList::Box { rect, outline, cut, theme.card, kind, 1.5 * u, isDummy || isSupposed, isDown });
    const QRectF top(rect.left() + cut * (isData ? 0 : 1), rect.top(), rect.width() - cut * (isData ? 0 : 2), header);
    if (!isDummy && !isSupposed)
        out.add(DisplayList::Box { top.adjusted(isData ? 0 : -cut + 2 * u, 0, isData ? 0 : cut - 2 * u, 0), outline,
            isData ? 0 : cut - 2 * u, kind, {}, 1, false, false });
    const QColor ink = isDummy || isSupposed ? theme.text : inkOn(kind);
    const QString shortWords = text(shortName(member.member)), place = text(nameOf(member.place));
    const qreal glyph = isDown || isSupposed ? header - 6 * u : 0;
    out.text(top.adjusted(5 * u, 0, -glyph - 5 * u, 0), { QStringLiteral("%1  %2").arg(shortWords, place), shortWords },
        kSmallBold, ink);
    if (glyph > 0 && rect.width() > 50 * u)
        out.add(DisplayList::Mark { QRectF(top.right() - glyph - 3 * u, top.top() + 3 * u, glyph, glyph),
            isSupposed ? Glyph::Question : Glyph::Cross, ink, {} });
    qreal y = rect.top() + header + 2 * u;
    const QRectF inside = rect.adjusted(6 * u, 0, -4 * u, 0);
    const QStringList contents = contentWords(d, member);
    const bool areBytes = (member.isRead && member.record.isPresent) || (isDown && member.witness);
    for (int i = 0; i < contents.size(); ++i, y += line)
        out.text(QRectF(inside.left(), y, inside.width(), line),
            { contents[i], contents[i].startsWith(kWas) ? contents[i].mid(kWas.size()) : contents[i] },
            i == 1 && areBytes ? kMono : kSmall, i == 0 ? theme.text : theme.muted);
    const QString role = roleWords(d, member);
    if (!role.isEmpty())
        out.text(QRectF(inside.left(), y, inside.width(), line), { role, shortRole(role) }, kSmallBold,
            isDown || isSupposed || isSurvivor ? theme.text : theme.muted);
    out.setObject({});
}

void drawMembers(GroupPageDrawing& page)
{
    const Decoding& d = page.decoding;
    const Theme& theme = page.theme();
    const qreal u = theme.px(1), gap = 7 * u, between = 16 * u, least = 62 * u;
    const auto count = qreal(d.group.members.size());
    // In one row if the members are legible there; else data in rows, then parity.
    const int columns = std::max(1, std::min(int(count), int((page.sheet.width - between + gap) / (least + gap))));
    const qreal wide = std::min(150 * u, (page.sheet.width - between - gap * (columns - 1)) / columns);
    const qreal high = theme.lineHeight(kSmallBold) + 3 * theme.lineHeight(kSmall) + 12 * u;
    qreal x = page.sheet.left + 2 * u, y = page.sheet.y;
    int column = 0;
    for (const GroupMember& member : d.group.members) {
        const bool isFirstParity = member.member == Participant::parity(ParityColumn(0));
        if (column == columns || (isFirstParity && count > columns && column > 0)) {
            column = 0;
            x = page.sheet.left + 2 * u;
            y += high + gap;
        } else if (isFirstParity && column > 0) {
            x += between;
        }
        drawMember(page, member, QRectF(x, y, wide, high));
        x += wide + gap;
        ++column;
    }
    page.sheet.y = y + high + 6 * u;
}

} // namespace

void GroupPageDrawing::title(std::size_t step, std::size_t steps, const QString& words, const QString& sentence)
{
    const Theme& t = theme();
    if (steps > 1) {
        // One tick for each step, if the ticks can be told apart.
        const qreal high = px(7), pitch = std::min(px(18), sheet.width / qreal(steps));
        for (std::size_t i = 0; i < steps; ++i) {
            const QRectF tick(sheet.left + qreal(i) * pitch, sheet.y, std::max(1.0, pitch - px(2)), high);
            const bool isNow = i == step;
            sheet.out.add(DisplayList::Box { isNow ? tick : tick.adjusted(0, px(2), 0, -px(1)), Outline::Rectangle, 0,
                isNow          ? t.focus
                    : i < step ? t.outline
                               : t.grid,
                {}, 1, false, false });
            picture.spots.push_back({ GroupSpot::Kind::Step, i, tick.adjusted(0, -px(3), px(2), px(3)) });
        }
        sheet.space(12);
    }
    sheet.paragraph(words, kStepTitle, t.text);
    sheet.paragraph(sentence, kSentence, t.muted);
    sheet.space(7);
}

void GroupPageDrawing::formula(const QStringList& wordings)
{
    for (const TextSize size : { TextSize::Title, TextSize::Strong, TextSize::Body }) {
        const TextStyle style { size, false, true };
        if (size != TextSize::Body && theme().width(style, wordings.front()) > sheet.width)
            continue;
        sheet.line(wordings, style, theme().text);
        return;
    }
}

void GroupPageDrawing::verdict(Glyph glyph, QColor colour, const QString& sentence)
{
    const Theme& t = theme();
    const qreal side = t.lineHeight(kSentence) + px(2);
    const QRectF box(sheet.left, sheet.y, side, side);
    sheet.out.add(DisplayList::Box { box, Outline::Rounded, px(3), colour, {}, 1, false, false });
    sheet.out.add(DisplayList::Mark { box.adjusted(px(3), px(3), -px(3), -px(3)), glyph, inkOn(colour), {} });
    sheet.y += px(1);
    const qreal bottom = sheet.y + side;
    sheet.paragraph(sentence, { TextSize::Strong, true }, t.text, side + px(7));
    sheet.y = std::max(sheet.y, bottom) + px(3);
}

SymbolWindow symbolWindow(
    const GroupPageDrawing& page, const Field& field, const QStringList& names, std::size_t symbols, std::size_t chosen)
{
    const Theme& theme = page.theme();
    SymbolWindow window;
    window.style = { TextSize::Strong, false, true };
    const QString widest = page.decoding.wish.base == SymbolBase::Hex
        ? QString(qsizetype(2 * field.symbolBytes()), QLatin1Char('0'))
        : QString::number(field.symbolMax());
    window.cellWidth = theme.width(window.style, widest) + page.px(8);
    for (const QString& name : names)
        window.nameWidth = std::max(window.nameWidth, theme.width({ TextSize::Small, true }, name) + page.px(10));
    window.count = std::max<std::size_t>(
        1, std::size_t(std::max(0.0, page.sheet.width - window.nameWidth) / window.cellWidth));
    window.count = std::min(window.count, symbols);
    window.first = chosen < window.count / 2 ? 0 : std::min(chosen - window.count / 2, symbols - window.count);
    return window;
}

void drawSymbols(
    GroupPageDrawing& page, const Field& field, const SymbolWindow& window, const SymbolRow& row, std::size_t chosen)
{
    const Theme& theme = page.theme();
    Sheet& sheet = page.sheet;
    const qreal high = theme.lineHeight(window.style) + page.px(5);
    sheet.out.text(QRectF(sheet.left, sheet.y, window.nameWidth - page.px(6), high), row.name,
        { TextSize::Small, true }, theme.text);
    for (std::size_t i = window.first; i < window.first + window.count; ++i) {
        const QRectF cell(sheet.left + window.nameWidth + qreal(i - window.first) * window.cellWidth, sheet.y,
            window.cellWidth, high);
        const Symbol symbol = symbolAt(field, row.bytes, i);
        const bool differs = row.against && symbol != symbolAt(field, *row.against, i), isChosen = i == chosen;
        const QColor fill = differs ? theme.bad : isChosen ? theme.selection : QColor();
        if (fill.isValid())
            sheet.out.add(
                DisplayList::Box { cell.adjusted(1, 0, -1, 0), Outline::Rectangle, 0, fill, {}, 1, false, false });
        TextStyle style = window.style;
        style.isBold = row.isStrong;
        sheet.out.text(cell, symbolWords(field, page.decoding.wish.base, symbol), style,
            fill.isValid()                   ? inkOn(fill)
                : row.isDummy || symbol == 0 ? theme.muted
                                             : theme.text,
            Qt::AlignCenter);
        page.picture.spots.push_back({ GroupSpot::Kind::Symbol, i, cell });
    }
    sheet.y += high;
}

GroupPicture drawRecordGroup(
    const Decoding& decoding, const QString& note, const Theme& theme, qreal width, DisplayList& out)
{
    GroupPicture picture;
    const qreal margin = theme.px(10);
    GroupPageDrawing page { decoding, { theme, out, margin, std::max(width - 2 * margin, theme.px(200)), theme.px(7) },
        picture };
    Sheet& sheet = page.sheet;
    out.setObject({});
    const RecordGroup& group = decoding.group;
    const QString name = QStringLiteral("Record group (%1, %2)").arg(group.group).arg(group.rank);
    const qreal high = theme.lineHeight(kTitle), wide = theme.width(kTitle, name);
    out.text(QRectF(sheet.left, sheet.y, sheet.width, high), name, kTitle, theme.text);
    const QString shape = QStringLiteral("m = %1, k = %2").arg(group.m).arg(group.k);
    out.text(QRectF(sheet.left + wide + theme.px(14), sheet.y, std::max(0.0, sheet.width - wide - theme.px(14)), high),
        { QStringLiteral("group %1, rank %2,  %3,  %4")
                .arg(group.group)
                .arg(group.rank)
                .arg(shape, fieldWords(group.field)),
            QStringLiteral("%1,  %2").arg(shape, fieldWords(group.field)),
            QStringLiteral("%1, %2").arg(shape, fieldWords(group.field).section(QLatin1Char(','), 0, 0)), shape },
        kSmall, theme.muted, Qt::AlignRight | Qt::AlignVCenter);
    sheet.y += high + theme.px(5);
    drawMembers(page);
    if (!note.isEmpty())
        sheet.paragraph(note, kSmall, theme.muted);
    sheet.rule();
    sheet.space(7);
    if (!decoding.trouble.isEmpty()) {
        page.verdict(Glyph::Warning, theme.caution, decoding.trouble);
    } else {
        switch (decoding.wish.page) {
        case GroupPage::Update: drawUpdatePage(page); break;
        case GroupPage::Decode: drawDecodePage(page); break;
        case GroupPage::Compare: drawComparePage(page); break;
        }
    }
    picture.height = sheet.y + margin;
    return picture;
}

GroupPicture drawNoGroup(const QString& title, const QString& words, const Theme& theme, qreal width, DisplayList& out)
{
    GroupPicture picture;
    const qreal margin = theme.px(10);
    Sheet sheet { theme, out, margin, std::max(width - 2 * margin, theme.px(100)), theme.px(8) };
    out.setObject({});
    sheet.paragraph(title, kTitle, theme.text);
    sheet.space(4);
    sheet.paragraph(words, kBody, theme.muted);
    picture.height = sheet.y + margin;
    return picture;
}

} // namespace lhrs::gui
