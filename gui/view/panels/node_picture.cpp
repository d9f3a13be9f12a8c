// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/panels/node_picture.h"

#include "gui/show/words/quantity_words.h"
#include "gui/view/paint/sheet.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lhrs::gui {

namespace {

using Sample = pb::NodeSample;

constexpr TextStyle kHeading { TextSize::Strong, true };
constexpr qreal kColumn = 310; // pixels that one process needs at 100 %
constexpr std::size_t kWaitsShown = 6;

// The texts of one line, each in its share of the width; changed ones are underlined.
struct Line {
    Sheet& sheet;
    qreal height;
    explicit Line(Sheet& on, TextStyle style) : sheet(on), height(on.theme.lineHeight(style) + on.theme.px(2)) { }

    void text(qreal left, qreal width, const QStringList& wordings, TextStyle style, QColor colour,
        bool isChanged = false, Qt::Alignment align = Qt::AlignLeft | Qt::AlignVCenter)
    {
        const QRectF box(left, sheet.y, std::max(0.0, width), height);
        if (!sheet.out.text(box, wordings, style, colour, align) || !isChanged)
            return;
        const auto* added = std::get_if<DisplayList::Text>(&sheet.out.items().back().primitive);
        const QRectF ink = added ? sheet.out.textRect(*added) : box;
        const qreal y = box.bottom() - 1.5;
        sheet.out.add(DisplayList::Line { { QPointF(ink.left(), y), QPointF(std::min(ink.right(), box.right()), y) },
            sheet.theme.selection, 2, false, 0 });
    }
    void end() { sheet.y += height; }
};

void heading(Sheet& sheet, const QStringList& wordings)
{
    sheet.space(5);
    sheet.rule();
    sheet.space(3);
    sheet.line(wordings, kBodyBold, sheet.theme.text);
}

QColor colourOf(const Theme& theme, Sample::ThreadState state)
{
    switch (static_cast<int>(state)) {
    case Sample::IN_HANDLER: return theme.good;
    case Sample::IN_CORE_WAIT: return theme.caution;
    case Sample::IN_SOCKET: return theme.selection;
    case Sample::IN_PAUSE: return theme.bad;
    default: return theme.muted;
    }
}

// One cell for each sample: height and hatching show the same as the colour.
void drawSamples(Sheet& sheet, const NodeFacts::Lane& lane, QRectF box)
{
    const Theme& theme = sheet.theme;
    if (!lane.closed.isEmpty()) {
        sheet.out.add(
            DisplayList::Line { { QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()) },
                theme.outline, 1, true, 0 });
        return;
    }
    const qreal pitch = box.width() / qreal(ProcessState::kSamples);
    qreal x = box.right() - pitch * qreal(lane.samples.size());
    for (const Sample::ThreadState state : lane.samples) {
        const qreal part = state == Sample::IN_HANDLER || state == Sample::IN_CORE_WAIT || state == Sample::IN_PAUSE ? 1
            : state == Sample::IN_SOCKET ? 0.6
            : state == Sample::WAITING   ? 0.22
                                         : 0;
        const bool isWaitingForCore = state == Sample::IN_CORE_WAIT, isPaused = state == Sample::IN_PAUSE;
        if (part > 0)
            sheet.out.add(DisplayList::Box {
                QRectF(x, box.bottom() - part * box.height(), std::max(1.0, pitch - 1), part * box.height()),
                Outline::Rectangle, 0, colourOf(theme, state), isWaitingForCore || isPaused ? theme.outline : QColor(),
                1, false, isWaitingForCore, isPaused });
        x += pitch;
    }
}

void drawLanes(Sheet& sheet, const NodeFacts& node)
{
    const Theme& theme = sheet.theme;
    const qreal u = theme.px(1);
    heading(sheet, { QStringLiteral("Threads") });
    if (!node.noLanes.isEmpty()) {
        sheet.paragraph(node.noLanes, kSmall, theme.muted);
        return;
    }
    const bool isWide = sheet.width > 430 * u;
    const qreal name = (isWide ? 174 : 92) * u, trail = qreal(ProcessState::kSamples) * (isWide ? 6 : 4) * u,
                share = 42 * u, gap = 6 * u;
    for (const NodeFacts::Lane& lane : node.lanes) {
        Line line(sheet, kSmall);
        line.text(
            sheet.left, name, { lane.name, lane.shortName }, kSmall, lane.closed.isEmpty() ? theme.text : theme.muted);
        drawSamples(sheet, lane, QRectF(sheet.left + name + gap, sheet.y + 2 * u, trail, line.height - 4 * u));
        const qreal words = sheet.left + name + trail + 2 * gap, right = sheet.left + sheet.width;
        const bool hasShare = lane.hasShare && lane.closed.isEmpty();
        if (lane.closed.isEmpty()) {
            QString brief = lane.words;
            brief.replace(QStringLiteral("in handler "), QString());
            line.text(words, right - words - (hasShare ? share + gap : 0), { lane.words, brief }, kSmall, theme.text,
                lane.isChanged);
        } else {
            line.text(words, right - words,
                { lane.closed, lane.closed.section(QLatin1Char(':'), 0, 0), QStringLiteral("closed") }, kSmall,
                theme.muted, lane.isChanged);
        }
        if (hasShare)
            line.text(right - share, share,
                { QStringLiteral("%1 %").arg(std::min(100.0, lane.share() * 100), 0, 'f',
                    lane.share() < 0.0995 && lane.share() >= 0.0005 ? 1 : 0) },
                kSmallBold, theme.text, false, Qt::AlignRight | Qt::AlignVCenter);
        line.end();
    }
    // The meaning of the cells, beside one cell of each kind.
    sheet.space(2);
    struct Key {
        Sample::ThreadState state;
        const char* words;
    };
    Line line(sheet, kSmall);
    qreal x = sheet.left;
    for (const Key& key :
        { Key { Sample::IN_HANDLER, "in a handler" }, Key { Sample::IN_CORE_WAIT, "waits for the core" },
            Key { Sample::IN_SOCKET, "reads or sends" }, Key { Sample::WAITING, "waits" } }) {
        const QString words = QString::fromLatin1(key.words);
        const qreal wide = 10 * u + theme.width(kSmall, words) + 10 * u;
        if (x > sheet.left && x + wide > sheet.left + sheet.width) {
            line.end();
            x = sheet.left;
        }
        NodeFacts::Lane one;
        one.samples = { key.state };
        drawSamples(sheet, one,
            QRectF(x + 6 * u - 6 * u * qreal(ProcessState::kSamples), sheet.y + 3 * u,
                6 * u * qreal(ProcessState::kSamples), line.height - 6 * u));
        line.text(x + 9 * u, wide - 10 * u, { words }, kSmall, theme.muted);
        x += wide;
    }
    line.end();
    sheet.line({ QStringLiteral("one cell a sample, the newest at the right; %: share of the last second"),
                   QStringLiteral("a cell is a sample; %: of the last second"),
                   QStringLiteral("%: share of the last second") },
        kSmall, theme.muted);
}

QString amount(std::uint64_t number, const QString& unit)
{
    if (unit != QLatin1String("bytes"))
        return grouped(number);
    return number < 100'000   ? QStringLiteral("%1 B").arg(grouped(number))
        : number < 10'000'000 ? QStringLiteral("%1 kB").arg(grouped(number / 1'000))
                              : QStringLiteral("%1 MB").arg(grouped(number / 1'000'000));
}

// The bar's length is the square root of the filling, so that a few messages in a queue for thousands are visible.
qreal filling(std::uint64_t number, std::uint64_t bound)
{
    return bound == 0 ? 0 : std::sqrt(std::min(1.0, double(number) / double(bound)));
}

void drawQueues(Sheet& sheet, const NodeFacts& node)
{
    const Theme& theme = sheet.theme;
    const qreal u = theme.px(1);
    if (node.queues.empty())
        return;
    heading(sheet, { QStringLiteral("Queues") });
    const bool isWide = sheet.width > 430 * u;
    const qreal name = (isWide ? 120 : 100) * u, bar = (isWide ? 130 : 66) * u, gap = 6 * u;
    for (const NodeFacts::Queue& queue : node.queues) {
        Line line(sheet, kSmall);
        line.text(sheet.left, name, { queue.name }, kSmall, theme.text);
        const QRectF whole(sheet.left + name + gap, sheet.y + 3 * u, bar, line.height - 6 * u);
        sheet.out.add(DisplayList::Box { whole, Outline::Rectangle, 0, theme.empty, theme.outline, 1, false, false });
        const qreal full = filling(queue.length, queue.bound);
        if (full > 0)
            sheet.out.add(DisplayList::Box {
                QRectF(whole.left(), whole.top(), std::max(2.0, full * whole.width()), whole.height()),
                Outline::Rectangle, 0, full > 0.9 ? theme.caution : theme.selection, {}, 1, false, false });
        if (queue.hasHighMark && queue.highMark > 0) {
            const qreal x = whole.left() + filling(queue.highMark, queue.bound) * whole.width();
            sheet.out.add(DisplayList::Line {
                { QPointF(x, whole.top() - 2 * u), QPointF(x, whole.bottom() + 2 * u) }, theme.text, 2, false, 0 });
        }
        const qreal words = whole.right() + gap;
        const QString length = amount(queue.length, queue.unit), bound = amount(queue.bound, queue.unit);
        const QString high = queue.hasHighMark ? QStringLiteral(", most %1").arg(amount(queue.highMark, queue.unit))
                                               : QString();
        const QString lost = queue.dropped > 0 ? QStringLiteral(", %1 dropped").arg(grouped(queue.dropped)) : QString();
        line.text(words, sheet.left + sheet.width - words,
            { QStringLiteral("%1 of %2%3%4").arg(length, bound, high, lost),
                QStringLiteral("%1%2%3").arg(length, high, lost), QStringLiteral("%1%2").arg(length, lost), length },
            kSmall, queue.dropped > 0 ? theme.bad : theme.text, queue.isChanged);
        line.end();
    }
    sheet.line({ QStringLiteral("bar: length (square root), end: bound, mark: the most so far"),
                   QStringLiteral("mark: the most so far") },
        kSmall, theme.muted);
}

void drawWaits(Sheet& sheet, const NodeFacts& node)
{
    const Theme& theme = sheet.theme;
    const qreal u = theme.px(1);
    if (node.watch == NodeFacts::Watch::NotWatched)
        return;
    const QString count = node.awaitedCount == 0 ? QStringLiteral("none") : QString::number(node.awaitedCount);
    heading(sheet,
        { QStringLiteral("Messages waiting for acknowledgement: %1").arg(count),
            QStringLiteral("Waiting for acknowledgement: %1").arg(count), QStringLiteral("Waiting: %1").arg(count) });
    if (node.awaited.empty())
        return;
    const qreal tries = 52 * u, next = 66 * u, sent = 94 * u, right = sheet.left + sheet.width;
    const bool hasSent = sheet.width > 400 * u;
    const qreal first = sheet.width - tries - next - (hasSent ? sent : 0);
    {
        Line line(sheet, kSmall);
        line.text(sheet.left, first - 4 * u, { QStringLiteral("message, id, destination"), QStringLiteral("message") },
            kSmall, theme.muted);
        if (hasSent)
            line.text(right - next - tries - sent, sent - 4 * u, { QStringLiteral("sent") }, kSmall, theme.muted);
        line.text(right - next - tries, tries - 4 * u, { QStringLiteral("resends") }, kSmall, theme.muted);
        line.text(right - next, next, { QStringLiteral("next") }, kSmall, theme.muted);
        line.end();
    }
    for (std::size_t i = 0; i < std::min(node.awaited.size(), kWaitsShown); ++i) {
        const NodeFacts::Awaited& wait = node.awaited[i];
        Line line(sheet, kSmall);
        line.text(sheet.left, first - 4 * u,
            { QStringLiteral("%1 %2 to %3").arg(wait.kind).arg(wait.id).arg(wait.to),
                QStringLiteral("%1 to %2").arg(wait.kind, wait.to), wait.kind },
            kSmall, theme.text, wait.isChanged);
        if (hasSent)
            line.text(right - next - tries - sent, sent - 4 * u, { wait.sent }, kSmall, theme.text);
        line.text(right - next - tries, tries - 4 * u, { wait.tries }, kSmall, theme.text);
        line.text(right - next, next, { wait.next }, kSmall, theme.text);
        line.end();
    }
    if (node.awaitedCount > kWaitsShown)
        sheet.line({ QStringLiteral("and %1 more, sent later")
                           .arg(node.awaitedCount - std::uint32_t(std::min(node.awaited.size(), kWaitsShown))) },
            kSmall, theme.muted);
}

void drawHeld(Sheet& sheet, const NodeFacts& node)
{
    if (!node.isGated)
        return;
    const Theme& theme = sheet.theme;
    const qreal u = theme.px(1), size = 60 * u, number = 34 * u;
    const QString count = node.heldCount == 0 ? QStringLiteral("none") : QString::number(node.heldCount);
    heading(sheet,
        { QStringLiteral("Messages held by the gate: %1").arg(count), QStringLiteral("Held by the gate: %1").arg(count),
            QStringLiteral("Held: %1").arg(count) });
    for (std::size_t i = 0; i < std::min(node.held.size(), kWaitsShown); ++i) {
        const NodeFacts::Held& held = node.held[i];
        Line line(sheet, kSmall);
        line.text(sheet.left, number - 4 * u, { QString::number(held.number) }, kSmall, theme.muted);
        line.text(sheet.left + number, sheet.width - number - size - 4 * u,
            { QStringLiteral("%1 from %2").arg(held.kind, held.from), held.kind }, kSmall, theme.text, held.isChanged);
        line.text(sheet.left + sheet.width - size, size, { held.size }, kSmall, theme.muted, false,
            Qt::AlignRight | Qt::AlignVCenter);
        line.end();
    }
    if (node.heldCount > std::min(node.held.size(), kWaitsShown))
        sheet.line({ QStringLiteral("and %1 more, which came later")
                           .arg(node.heldCount - std::uint32_t(std::min(node.held.size(), kWaitsShown))) },
            kSmall, theme.muted);
}

void drawFacts(Sheet& sheet, const NodeFacts& node)
{
    // In two columns if there is room, so that the content fits the height of a projector.
    const Theme& theme = sheet.theme;
    const qreal u = theme.px(1), name = 96 * u, gap = 14 * u, top = sheet.y;
    const std::size_t columns = sheet.width > 560 * u ? 2 : 1, rows = (node.facts.size() + columns - 1) / columns;
    const qreal width = (sheet.width - gap * qreal(columns - 1)) / qreal(columns);
    qreal end = top;
    for (std::size_t f = 0; f < node.facts.size(); ++f) {
        const NodeFact& fact = node.facts[f];
        const qreal left = sheet.left + qreal(f / rows) * (width + gap);
        if (f % rows == 0)
            sheet.y = top;
        bool isFirst = true;
        for (const QString& part : wrapped(theme, fact.value, kSmall, width - name)) {
            Line line(sheet, kSmall);
            if (std::exchange(isFirst, false))
                line.text(left, name - 4 * u, { fact.name }, kSmall, theme.muted);
            line.text(left + name, width - name, { part }, kSmall, theme.text, fact.isChanged);
            line.end();
        }
        end = std::max(end, sheet.y);
    }
    sheet.y = end;
}

void drawNode(Sheet& sheet, const NodeFacts& node)
{
    const Theme& theme = sheet.theme;
    sheet.line({ node.title }, kHeading, theme.text);
    if (!node.subtitle.isEmpty())
        sheet.line({ node.subtitle, node.subtitle.section(QLatin1Char(','), 0, 0) }, kSmall, theme.muted);
    const bool isOld = node.watch != NodeFacts::Watch::Now;
    for (const QString& part : wrapped(theme, node.sampling, kSmallBold, sheet.width))
        sheet.line({ part }, kSmallBold, isOld && node.watch != NodeFacts::Watch::NotWatched ? theme.bad : theme.text);
    sheet.space(3);
    drawFacts(sheet, node);
    if (!node.isThere)
        return;
    drawHeld(sheet, node);
    drawLanes(sheet, node);
    drawQueues(sheet, node);
    drawWaits(sheet, node);
    if (!node.columns.empty()) {
        heading(sheet, { node.columnsTitle });
        for (const NodeFact& column : node.columns) {
            Line line(sheet, kSmall);
            line.text(sheet.left, theme.px(78), { column.name }, kSmall, theme.muted);
            line.text(sheet.left + theme.px(82), sheet.width - theme.px(82), { column.value }, kSmall, theme.text,
                column.isChanged);
            line.end();
        }
    }
}

} // namespace

NodePicture drawNodes(
    const std::vector<NodeFacts>& nodes, const QString& since, const Theme& theme, qreal width, DisplayList& out)
{
    const qreal u = theme.px(1), margin = 10 * u;
    NodePicture picture;
    Sheet top { theme, out, margin, width - 2 * margin, 8 * u };
    out.setObject({});
    if (nodes.empty()) {
        top.line({ QStringLiteral("No process chosen.") }, kHeading, theme.text);
        top.paragraph(
            QStringLiteral("Click a server, a client or the coordinator in the picture, or choose a process in the "
                           "list above: its threads, queues and waiting messages are shown here."),
            kBody, theme.muted);
        picture.height = top.y + margin;
        return picture;
    }
    const std::size_t shown = std::min(nodes.size(), kNodesShown);
    picture.columns = int(std::clamp<qreal>(std::floor((width - margin) / (kColumn * u)), 1, qreal(shown)));
    if (!since.isEmpty()) {
        Line line(top, kSmall);
        line.text(top.left, top.width,
            { QStringLiteral("underlined: changed %1").arg(since), QStringLiteral("underlined: changed") }, kSmall,
            theme.muted, true);
        line.end();
        top.space(4);
    }
    const qreal each = (width - margin) / qreal(picture.columns) - margin;
    qreal rowTop = top.y, rowEnd = top.y;
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t column = i % std::size_t(picture.columns);
        if (column == 0 && i > 0) {
            rowTop = rowEnd + 10 * u;
            out.add(DisplayList::Line { { QPointF(margin, rowTop - 5 * u), QPointF(width - margin, rowTop - 5 * u) },
                theme.outline, 1, false, 0 });
        }
        Sheet sheet { theme, out, margin + qreal(column) * (each + margin), each, rowTop };
        drawNode(sheet, nodes[i]);
        rowEnd = std::max(rowEnd, sheet.y);
    }
    picture.height = rowEnd + margin;
    return picture;
}

} // namespace lhrs::gui
