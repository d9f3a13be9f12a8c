// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/cluster_picture.h"

#include "gui/lab/state/lhrs/epoch_words.h"
#include "gui/view/lhrs/fault_marks.h"
#include "gui/view/lhrs/words/object_words.h"
#include "gui/view/lhrs/words/outside_places.h"

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr TextStyle kStrong { TextSize::Strong, true, false };

QString stageWord(SplitStage stage)
{
    switch (stage) {
    case SplitStage::Ordered: return QStringLiteral("ordered");
    case SplitStage::Moving: return QStringLiteral("records moving");
    case SplitStage::Prepared: return QStringLiteral("prepared");
    case SplitStage::Committed: return QStringLiteral("committed");
    case SplitStage::Finished: return QStringLiteral("finished");
    case SplitStage::Undone: return QStringLiteral("undone");
    }
    return {};
}

constexpr std::int64_t kUndoneShownNs = 5'000'000'000; // how long the picture reports that a split was undone

// The split of a bucket in this group: the one under way, else one that was undone a moment ago.
const SplitState* splitOf(const ClusterState& state, std::uint32_t group, std::int64_t nowNs)
{
    const SplitState* undone = nullptr;
    for (const auto& [id, split] : state.splits) {
        if (!split.isOrdered || split.bucket / state.m() != group)
            continue;
        if (split.isUnderWay())
            return &split;
        if (split.stage == SplitStage::Undone && nowNs - split.endedNs < kUndoneShownNs)
            undone = &split;
    }
    return undone;
}

// "split 1 → 5:" and its stages as a track; the present stage is filled.
void drawSplitTrack(const PictureInput& in, const SplitState& split, QRectF row, DisplayList& out)
{
    static constexpr SplitStage kStages[] = { SplitStage::Ordered, SplitStage::Moving, SplitStage::Prepared,
        SplitStage::Committed };
    const qreal u = in.theme.px(1);
    const QFontMetricsF& metrics = in.theme.metrics(kSmallBold);
    const QString title = (split.isMerge ? QStringLiteral("merge %1 → %2") : QStringLiteral("split %1 → %2"))
                              .arg(split.bucket)
                              .arg(split.newBucket);
    if (split.stage == SplitStage::Undone) {
        const QString why = QString::fromStdString(split.reason);
        const qreal side = 11 * u;
        for (const QString& words :
            { QStringLiteral("%1 undone: %2").arg(title, why), QStringLiteral("%1 undone").arg(title) }) {
            const qreal wide = metrics.horizontalAdvance(words) + side + 14 * u;
            if (wide > row.width() || (why.isEmpty() && words.endsWith(QLatin1Char(' '))))
                continue;
            const QRectF chip(row.right() - wide, row.top() + 1, wide, row.height() - 2);
            out.add(DisplayList::Box {
                chip, Outline::Rounded, 3 * u, in.theme.caution, in.theme.outline, 1, false, false });
            out.add(DisplayList::Mark { QRectF(chip.left() + 5 * u, chip.center().y() - side / 2, side, side),
                Glyph::Stop, inkOn(in.theme.caution), {} });
            out.text(chip.adjusted(side + 8 * u, 0, -4 * u, 0), words, kSmallBold, inkOn(in.theme.caution));
            return;
        }
        return;
    }
    qreal width = metrics.horizontalAdvance(title) + 8 * u;
    for (SplitStage stage : kStages)
        width += metrics.horizontalAdvance(stageWord(stage)) + 14 * u;
    const bool isShort = width > row.width();
    if (isShort)
        width = metrics.horizontalAdvance(title) + 8 * u + metrics.horizontalAdvance(stageWord(split.stage)) + 14 * u;
    if (width > row.width())
        return;
    qreal x = row.right() - width;
    out.explain(QRectF(x, row.top(), width, row.height()), "split");
    out.text(
        QRectF(x, row.top(), metrics.horizontalAdvance(title) + 1, row.height()), title, kSmallBold, in.theme.text);
    x += metrics.horizontalAdvance(title) + 8 * u;
    for (SplitStage stage : kStages) {
        if (isShort && stage != split.stage)
            continue;
        const qreal w = metrics.horizontalAdvance(stageWord(stage)) + 10 * u;
        const QRectF chip(x, row.top() + 1, w, row.height() - 2);
        const bool isNow = stage == split.stage, isPast = stage < split.stage;
        out.add(DisplayList::Box { chip, Outline::Rounded, 3 * u,
            isNow        ? in.theme.caution
                : isPast ? in.theme.cardHeader
                         : QColor(),
            isNow ? QColor() : in.theme.outline, 1, !isNow && !isPast, false });
        out.text(chip.adjusted(5 * u - 1, 0, -5 * u + 1, 0), stageWord(stage), kSmallBold,
            isNow        ? inkOn(in.theme.caution)
                : isPast ? in.theme.text
                         : in.theme.muted,
            Qt::AlignCenter);
        x += w + 4 * u;
    }
}

// What the header says of a group with k = 0. The split that opens a group is ordered before the group has its parity
// buckets, and these are there before the split is decided.
QString wordsWithoutParity(const PictureInput& in, std::uint32_t group)
{
    const auto isOfGroup = [group](const auto& entry) { return entry.first.first == group; };
    if (const auto parity = std::count_if(in.state.parity.begin(), in.state.parity.end(), isOfGroup); parity > 0)
        return QStringLiteral("k = %1, being made").arg(parity);
    const std::uint32_t m = in.state.m();
    const bool isMade = std::any_of(in.state.data.lower_bound(group * m), in.state.data.lower_bound((group + 1) * m),
        [](const auto& entry) { return entry.second.state != pb::INIT; });
    return isMade ? QStringLiteral("k = 0") : QStringLiteral("being made");
}

void drawGroup(const PictureInput& in, const ClusterLayout::Group& group, DisplayList& out)
{
    const qreal u = in.theme.px(1);
    if (in.layout.arrangement == Arrangement::Hosts) {
        out.setObject({});
        out.add(DisplayList::Box { group.frame, Outline::Rounded, 6 * u, {}, in.theme.grid, 1.2, false, false });
        QRectF words = group.header.adjusted(8 * u, 0, -8 * u, 0), warning = words;
        if (!group.crowded.isEmpty()) {
            words.setWidth(0.55 * words.width());
            warning.setLeft(words.right() + 8 * u);
            out.text(warning, { QStringLiteral("%1: more than its parity replaces").arg(group.crowded), group.crowded },
                kSmallBold, in.theme.badText, Qt::AlignRight | Qt::AlignVCenter);
        }
        const QString servers = countedWords(group.processes, "server", "servers");
        QStringList ways { QStringLiteral("Host %1: %2, in the order of their names").arg(group.host, servers),
            group.host };
        if (!group.clock.isEmpty()) {
            ways.insert(1, QStringLiteral("%1: %2; %3").arg(group.host, servers, group.clock));
            ways.insert(2, QStringLiteral("%1; %2").arg(group.host, group.clock));
            ways.front() += QStringLiteral("; ") + group.clock;
        }
        out.text(words, ways, kSmallBold, in.theme.text);
        return;
    }
    const ObjectRef object { ObjectKind::Group, group.number, 0 };
    out.setObject(object);
    const auto known = in.state.groups.find(group.number);
    if (group.header.height() < in.theme.lineHeight(kSmall) - 1 || !in.layers.labels) {
        if (known != in.state.groups.end())
            drawSmallGroupState(in, group, known->second, out);
        return;
    }
    const std::uint32_t k = known != in.state.groups.end() ? known->second.k : 0;
    const QString name = QStringLiteral("Group %1").arg(group.number);
    QRectF row = group.header.adjusted(2 * u, 0, -2 * u, 0);
    const auto put = [&](const QString& text, TextStyle style, QColor colour, std::string_view term = {}) {
        const qreal width = in.theme.metrics(style).horizontalAdvance(text) + 1;
        if (width > row.width())
            return;
        if (out.text(QRectF(row.left(), row.top(), width, row.height()), text, style, colour))
            out.explain(term);
        row.setLeft(row.left() + width + 12 * u);
    };
    put(name, kSmallBold, in.selected == object ? in.theme.focus : in.theme.text);
    const bool isBeingAdded = known != in.state.groups.end() && known->second.parityIsBeingAdded;
    put(k > 0 || isBeingAdded ? QStringLiteral("k = %1").arg(k) : wordsWithoutParity(in, group.number), kSmallBold,
        in.theme.text, "k");
    if (known != in.state.groups.end()) {
        drawGroupState(in, group, known->second, row, out);
        if (isBeingAdded)
            put(QStringLiteral("a parity bucket is being added"), kSmallBold, in.theme.text);
        put(QStringLiteral("epoch %1").arg(QString::fromStdString(epochText(known->second.epoch))), kSmall,
            in.theme.muted, "epoch");
    }
    if (const SplitState* split = splitOf(in.state, group.number, in.nowNs))
        drawSplitTrack(in, *split, row, out);
}

// The split pointer: an arrow under bucket n.
void drawPointer(const PictureInput& in, DisplayList& out)
{
    if (!in.state.file.exists)
        return;
    const ObjectRef next { ObjectKind::Data, in.state.file.n, 0 };
    const ClusterLayout::Item* item = in.layout.find(next);
    if (!item || item->isMoving)
        return;
    // Among tiles the arrow covers the neighbours, but what is under the mouse is still one of them.
    out.setObject(in.layout.detail >= CardDetail::Tile ? ObjectRef() : ObjectRef { ObjectKind::File, 0, 0 });
    const qreal u = in.theme.px(1);
    const QRectF under(item->rect.left(), item->rect.bottom() + 1, item->rect.width(), in.layout.pointerHeight - 1);
    // Below tiles and columns there is little room: the arrow overlaps the bucket that it points at.
    const bool isTight = in.layout.detail >= CardDetail::Tile || under.height() < 8 * u;
    const qreal side = isTight ? 11 * u : std::min(11 * u, under.height());
    const QString words = QStringLiteral("split pointer n = %1").arg(in.state.file.n);
    const QString shorter = QStringLiteral("n = %1").arg(in.state.file.n);
    const QFontMetricsF& metrics = in.theme.metrics(kSmallBold);
    QString label;
    if (in.layers.labels && under.height() >= in.theme.lineHeight(kSmallBold) - 1)
        label = metrics.horizontalAdvance(words) + side + 6 * u < under.width() ? words
            : metrics.horizontalAdvance(shorter) + side + 4 * u < under.width() ? shorter
                                                                                : QString();
    const qreal labelWidth = label.isEmpty() ? 0 : metrics.horizontalAdvance(label) + 4 * u;
    const qreal left = under.center().x() - (side + labelWidth) / 2;
    const QPointF tip(left + side / 2, std::min(under.top(), under.bottom() + 2 * u - side));
    if (side > under.height() + 2 * u)
        out.add(DisplayList::Line { { tip + QPointF(0, side), tip }, in.theme.card, 5 * u, false, side * 0.9 });
    out.add(DisplayList::Line { { tip + QPointF(0, side), tip }, in.theme.text, 2 * u, false, side * 0.8 });
    out.explain(QRectF(left, tip.y(), side + labelWidth + 3 * u, std::max(side, under.height())), "n");
    if (!label.isEmpty())
        out.text(
            QRectF(left + side + 3 * u, under.top(), labelWidth, under.height()), label, kSmallBold, in.theme.text);
}

void drawClient(const PictureInput& in, const ClusterLayout::Item& item, qreal right, DisplayList& out)
{
    const ObjectRef object = item.object;
    out.setObject(object);
    const LookStyle style = styleOf(in.theme, lookOf(in.state, object, in.silent));
    const qreal u = in.theme.px(1);
    const bool isMarked = in.selected == object || in.hovered == object;
    if (isMarked)
        out.add(DisplayList::Box { item.rect.adjusted(-3, -3, 3, 3), Outline::Circle, 0, {},
            in.selected == object ? in.theme.selection : in.theme.outline, in.selected == object ? 3 * u : 2.0, false,
            false });
    out.add(DisplayList::Box {
        item.rect, Outline::Circle, 0, style.colour, in.theme.outline, 1.2, false, style.isHatched });
    const auto process = in.state.processes.find(object.a);
    const QString name = process != in.state.processes.end() ? QString::fromStdString(process->second.name)
                                                             : QStringLiteral("client");
    if (style.glyph != Glyph::None)
        out.add(DisplayList::Mark {
            item.rect.adjusted(10 * u, 10 * u, -10 * u, -10 * u), style.glyph, inkOn(style.colour), {} });
    else
        out.text(item.rect, name.left(1).toUpper(), { TextSize::Title, true }, inkOn(style.colour), Qt::AlignCenter);
    const QRectF words(item.rect.right() + 7 * u, in.layout.clients.top(), right - item.rect.right() - 10 * u,
        in.layout.clients.height());
    const qreal line = in.theme.lineHeight(kSmall);
    const auto client = in.state.clients.find(object.a);
    const int lines = client == in.state.clients.end() ? 1 : 3;
    const qreal strong = in.theme.lineHeight(kStrong);
    qreal y = words.center().y() - (strong + (lines - 1) * line) / 2;
    out.text(QRectF(words.left(), y, words.width(), strong), name,
        in.theme.width(kStrong, name) <= words.width() ? kStrong : kSmallBold, in.theme.text);
    if (client == in.state.clients.end())
        return;
    y += strong;
    const pb::FileState& image = in.state.fileClient(object.a).image;
    const std::uint64_t believed = (1ULL << image.i()) + image.n();
    const bool hasImage = out.text(QRectF(words.left(), y, words.width(), line),
        { QStringLiteral("image (%1, %2): %3 of %4 buckets")
                .arg(image.i())
                .arg(image.n())
                .arg(believed)
                .arg(in.state.file.buckets),
            QStringLiteral("image (%1, %2)").arg(image.i()).arg(image.n()),
            QStringLiteral("(%1, %2)").arg(image.i()).arg(image.n()) },
        kSmall, in.theme.text);
    if (hasImage)
        out.explain("client-image");
    y += line;
    const QString forwarded = QStringLiteral("%1 forwarded").arg(grouped(client->second.forwards));
    out.text(QRectF(words.left(), y, words.width(), line),
        { QStringLiteral("%1, %2").arg(countedWords(client->second.done, "operation", "operations"), forwarded),
            countedWords(client->second.done, "operation", "operations"),
            countedWords(client->second.done, "op", "ops"), grouped(client->second.done) },
        kSmall, in.theme.muted);
    out.explain({ { forwarded, "forward" } });
}

void drawTop(const PictureInput& in, DisplayList& out)
{
    const qreal u = in.theme.px(1);
    std::vector<const ClusterLayout::Item*> clients;
    for (const ClusterLayout::Item& item : in.layout.items) {
        if (item.object.kind == ObjectKind::Client)
            clients.push_back(&item);
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
        const qreal moreLeft = in.layout.clientsHidden > 0 ? in.layout.clients.right() - kMoreClients * u
                                                           : in.layout.clients.right();
        drawClient(in, *clients[i],
            i + 1 < clients.size() ? clients[i + 1]->rect.left()
                                   : std::min(moreLeft, clients[i]->rect.left() + 240 * u),
            out);
    }
    out.setObject({});
    if (in.layout.clientsHidden > 0) {
        const QRectF more(in.layout.clients.right() - (kMoreClients - 4) * u, in.layout.clients.top(),
            (kMoreClients - 4) * u, in.layout.clients.height());
        const QString words = QStringLiteral("+%1").arg(in.layout.clientsHidden);
        out.text(more, words, in.theme.width(kStrong, words) <= more.width() ? kStrong : kSmallBold, in.theme.muted,
            Qt::AlignCenter);
    } else if (clients.empty() && !in.state.processes.empty()) {
        const QStringList words { QStringLiteral("No client yet: “Second client” starts one"),
            QStringLiteral("no client yet") };
        out.text(in.layout.clients, in.isRecorded ? words.mid(1) : words, kBody, in.theme.muted); // the run is past
    }
    for (const ClusterLayout::Item& item : in.layout.items) {
        if (item.object.kind != ObjectKind::Coordinator)
            continue;
        out.setObject(item.object);
        const Look look = lookOf(in.state, item.object, in.silent);
        const LookStyle style = styleOf(in.theme, look);
        const bool isMarked = in.selected == item.object || in.hovered == item.object;
        if (isMarked)
            out.add(DisplayList::Box { item.rect.adjusted(-5, -5, 5, 5), Outline::Diamond, 0, {},
                in.selected == item.object ? in.theme.selection : in.theme.outline,
                in.selected == item.object ? 3 * u : 2.0, false, false });
        out.add(DisplayList::Box {
            item.rect, Outline::Diamond, 0, style.colour, in.theme.outline, 1.2, false, style.isHatched });
        if (style.glyph != Glyph::None)
            out.add(DisplayList::Mark { item.rect.adjusted(item.rect.width() * 0.3, item.rect.height() * 0.3,
                                            -item.rect.width() * 0.3, -item.rect.height() * 0.3),
                style.glyph, inkOn(style.colour), {} });
        const qreal width = in.layout.file.left() - in.layout.clients.right() - 6 * u;
        const QRectF below(
            item.rect.center().x() - width / 2, item.rect.bottom() + 2 * u, width, in.theme.lineHeight(kSmall));
        const QString state = look.condition == Condition::Gone  ? QStringLiteral("gone")
            : look.condition == Condition::Paused                ? QStringLiteral("paused")
            : in.state.file.isBeingFound && in.state.file.exists ? QStringLiteral("listening")
                                                                 : QString();
        out.text(below,
            { QStringLiteral("coordinator%1").arg(state.isEmpty() ? QString() : QStringLiteral(" ") + state),
                state.isEmpty() ? QStringLiteral("coord.") : state },
            kSmallBold, in.theme.text, Qt::AlignCenter);
    }
}

void drawPool(const PictureInput& in, const ClusterLayout::Pool& pool, DisplayList& out)
{
    const qreal u = in.theme.px(1);
    const ObjectRef object { ObjectKind::Pool, std::uint64_t(pool.role), 0 };
    out.setObject(object);
    out.add(DisplayList::Box { pool.frame, Outline::Rounded, 6 * u, {}, in.theme.grid, 1.2, false, false });
    const bool isParity = pool.role == pb::PARITY;
    const QString kind = isParity ? QStringLiteral("parity") : QStringLiteral("data");
    const QString address = multicastWords(in.state, pool.role);
    const QString way = in.state.recruiting != pb::MULTICAST ? QStringLiteral("unicast registry")
        : address.isEmpty()                                  ? QStringLiteral("%1 buckets multicast group").arg(kind)
                                                             : QStringLiteral("multicast group %1").arg(address);
    const QString shortWay = address.isEmpty() ? way : address;
    const QString count = pool.spares == 0 ? QStringLiteral("none left")
                                           : QStringLiteral("%1 waiting").arg(pool.spares);
    const qreal side = 11 * u;
    out.add(DisplayList::Box { QRectF(pool.title.left(), pool.title.center().y() - side / 2, side, side),
        isParity ? Outline::CutCorners : Outline::Rectangle, 3 * u, isParity ? parityFill() : dataFill(),
        in.theme.outline, 1, false, false });
    out.text(pool.title.adjusted(side + 6 * u, 0, 0, 0),
        { QStringLiteral("Spare %1 servers: %2 (%3)").arg(kind, count, way),
            QStringLiteral("Spare %1 servers: %2 (%3)").arg(kind, count, shortWay),
            QStringLiteral("%1 spares: %2 (%3)")
                .arg(kind, pool.spares == 0 ? QStringLiteral("none") : QString::number(pool.spares), shortWay),
            QStringLiteral("Spare %1 servers: %2").arg(kind, count),
            QStringLiteral("%1 spares: %2").arg(kind).arg(pool.spares), QStringLiteral("%1").arg(pool.spares) },
        kSmallBold, in.theme.text);
}

void drawSpare(const PictureInput& in, const ClusterLayout::Item& item, bool hasName, DisplayList& out)
{
    out.setObject(item.object);
    const LookStyle look = styleOf(in.theme, lookOf(in.state, item.object, in.silent));
    const qreal u = in.theme.px(1);
    const auto process = in.state.processes.find(item.object.a);
    const bool isIdle = look.glyph == Glyph::None;
    const bool isMarked = in.selected == item.object || in.hovered == item.object;
    if (isMarked)
        out.add(DisplayList::Box { item.rect.adjusted(-2, -2, 2, 2), Outline::Rounded, 7 * u, {},
            in.selected == item.object ? in.theme.selection : in.theme.outline, 2.5, false, false });
    const qreal radius = std::min(6 * u, item.rect.height() / 3);
    out.add(DisplayList::Box { item.rect, Outline::Rounded, radius, isIdle ? in.theme.card : look.colour,
        in.theme.outline, 1.2, look.isDashed, false });
    const QColor ink = isIdle ? in.theme.text : inkOn(look.colour);
    QRectF inside = item.rect.adjusted(4 * u, 1, -4 * u, -1);
    if (process != in.state.processes.end() && process->second.offer.invitation != 0
        && process->second.offer.expiresMs > 0) {
        // The time left for the offer, as a bar that shrinks.
        const double passed = double(in.nowNs - process->second.offer.sinceNs) / 1e6 / process->second.offer.expiresMs;
        const qreal left = std::clamp(1.0 - passed, 0.0, 1.0);
        out.add(DisplayList::Box { QRectF(inside.left(), item.rect.bottom() - 3 * u, inside.width() * left, 2 * u),
            Outline::Rectangle, 0, ink, {}, 1, false, false });
    }
    if (!isIdle) {
        const qreal side = std::min({ 12 * u, inside.height(), inside.width() });
        const qreal x = hasName ? inside.left() : inside.center().x() - side / 2;
        out.add(DisplayList::Mark { QRectF(x, inside.center().y() - side / 2, side, side), look.glyph, ink, {} });
        inside.setLeft(x + side + 3 * u);
    }
    if (hasName && process != in.state.processes.end()) {
        const QString name = QString::fromStdString(process->second.name);
        const QString number = name.section(QLatin1Char('-'), -1);
        const bool fits = in.theme.metrics(kSmall).horizontalAdvance(name) <= inside.width();
        out.text(inside, fits ? name : number, kSmall, ink, Qt::AlignCenter);
    }
}

// How a bucket is drawn at the present level of detail, and what would show more of it.
QString levelWords(const PictureInput& in, const CellGeometry& geometry)
{
    switch (in.layout.detail) {
    case CardDetail::Full:
        if (!in.layers.parts)
            return QStringLiteral("ranks are switched off");
        if (!geometry.isValid())
            return QStringLiteral("no room for ranks, zoom in");
        return geometry.hasKeys
            ? QStringLiteral("1 cell = 1 rank: its key, or the number of records that the parity covers")
            : geometry.ratio == 1 ? QStringLiteral("1 cell = 1 rank")
                                  : QStringLiteral("1 cell = %1 ranks").arg(geometry.ratio);
    case CardDetail::Compact: return QStringLiteral("small cards: ranks not drawn, zoom in");
    case CardDetail::Tile:
        return in.layout.bucketsInSight > kCardsMax
            ? QStringLiteral("more than %1 buckets: tiles, shade = fill; zoom in for cards").arg(kCardsMax)
            : QStringLiteral("tiles: shade = fill, zoom in for more");
    case CardDetail::Heat:
        return in.layout.bucketsInSight > kTilesMax
            ? QStringLiteral("more than %1 buckets: heat map, shade = fill; zoom in for tiles").arg(grouped(kTilesMax))
            : QStringLiteral("heat map: shade = fill, zoom in for more");
    }
    return {};
}

void drawFoot(const PictureInput& in, DisplayList& out)
{
    out.setObject({});
    const qreal u = in.theme.px(1), line = in.theme.lineHeight(kSmall);
    QStringList parts;
    const CellGeometry geometry = cellGeometry(in.theme, QRectF(QPointF(0, 0), in.layout.card), in.plan);
    if (!in.layout.groups.empty()) {
        parts << levelWords(in, geometry);
        if (in.layout.bucketsInSight < in.layout.buckets)
            parts << QStringLiteral("%1 of %2 in sight")
                         .arg(grouped(in.layout.bucketsInSight), countedWords(in.layout.buckets, "bucket", "buckets"));
    }
    if (in.layers.waiting && in.layout.pools.empty() && in.layout.arrangement == Arrangement::Groups)
        if (const std::size_t spares = sparesOf(in.state, pb::DATA).size() + sparesOf(in.state, pb::PARITY).size();
            spares > 0)
            parts << QStringLiteral("no room for %1").arg(countedWords(spares, "spare", "spares"));
    if (!in.footNote.isEmpty())
        parts << in.footNote;
    // What the picture leaves out is written before the meaning of its parts.
    const QString between = QStringLiteral("   ·   "), text = parts.join(between);
    QStringList fewer = parts;
    if (!fewer.isEmpty())
        fewer[0] = fewer[0].section(QLatin1Char(':'), 0, 0);
    QStringList wordings { text, fewer.join(between) };
    if (fewer.size() > 1)
        wordings << fewer.mid(1).join(between);
    wordings << (in.footNote.isEmpty() ? parts.value(0) : in.footNote);
    out.text(QRectF(in.layout.foot.left(), in.layout.foot.bottom() - line, in.layout.foot.width(), line), wordings,
        kSmall, in.theme.muted);
    if (!in.layers.legend || in.layout.foot.height() < 2 * line)
        return;
    qreal x = in.layout.foot.left();
    const qreal y = in.layout.foot.top() + 1 * u, side = 12 * u;
    for (int c = 0; c < kMessageClasses; ++c) {
        const MessageStyle& style = in.theme.message(MessageClass(c));
        const QString word = messageWord(MessageClass(c));
        const qreal width = in.theme.metrics(kSmall).horizontalAdvance(word);
        if (x + side + 5 * u + width > in.layout.foot.right())
            break;
        out.add(DisplayList::Box { QRectF(x, y + (line - side) / 2, side, side), Outline::Circle, 0, style.colour,
            in.theme.outline, 1, false, false });
        out.add(
            DisplayList::Mark { QRectF(x + side * 0.24, y + (line - side) / 2 + side * 0.24, side * 0.52, side * 0.52),
                style.glyph, inkOn(style.colour), {} });
        out.text(QRectF(x + side + 4 * u, y, width + 1, line), word, kSmall, in.theme.text);
        x += side + width + 16 * u;
    }
}

} // namespace

void drawCluster(const PictureInput& in, DisplayList& out)
{
    out.setObject({});
    const QRectF sight = in.layout.groupsArea.adjusted(-2, -2, 2, 2);
    out.setClip(sight);
    for (const ClusterLayout::Group& group : in.layout.groups) {
        if (sight.intersects(group.frame))
            drawGroup(in, group, out);
    }
    const auto drawBucket = [&](const ClusterLayout::Item& item) {
        if (item.object.kind == ObjectKind::Data) {
            if (const auto bucket = in.state.data.find(std::uint32_t(item.object.a)); bucket != in.state.data.end())
                drawDataCard(in, bucket->second, item.rect, out);
        } else if (item.object.kind == ObjectKind::Parity) {
            if (const auto bucket = in.state.parity.find(
                    { std::uint32_t(item.object.a), std::uint32_t(item.object.b) });
                bucket != in.state.parity.end())
                drawParityCard(in, bucket->second, item.rect, out);
        } else if (item.object.kind == ObjectKind::Dummy) {
            drawDummy(in, std::uint32_t(item.object.a), item.rect, out);
        } else if (item.object.kind == ObjectKind::Spare) {
            drawSpare(in, item, true, out);
        }
        if (in.layers.faults)
            drawFaults(in, item.process, item.rect, out);
    };
    for (const ClusterLayout::Item& item : in.layout.items) {
        const bool isHere = in.layout.isInGroups(item.object)
            || (in.layout.arrangement == Arrangement::Hosts && item.object.kind == ObjectKind::Spare);
        if (!item.isMoving && isHere && sight.intersects(item.rect))
            drawBucket(item);
    }
    // The place that a moving card has not reached yet is empty.
    for (const ClusterLayout::Item& item : in.layout.items) {
        if (item.isMoving && item.object.kind == ObjectKind::Data && sight.intersects(item.target))
            drawDummy(in, std::uint32_t(item.object.a), item.target, out);
    }
    drawRecoveryRoles(in, out);
    drawSigns(in, out);
    drawPointer(in, out);
    out.setClip({});
    out.setObject({});
    if (in.layout.groups.empty()) {
        const QString words = in.isRecorded
            ? QStringLiteral("Here the recorded run begins. Space plays it; the time line below goes to any instant.")
            : in.state.processes.empty()
            ? QStringLiteral("No process has been heard yet.")
            : QStringLiteral("Connected. The file has no bucket yet: the coordinator recruits the first servers.");
        out.text(in.layout.groupsArea,
            { words, in.isRecorded ? QStringLiteral("the run begins here") : QStringLiteral("no bucket yet") },
            { TextSize::Title, false }, in.theme.muted, Qt::AlignCenter);
    }
    drawTop(in, out);
    drawFilePanel(in, out);
    drawDisplaced(in, out);
    for (const ClusterLayout::Pool& pool : in.layout.pools)
        drawPool(in, pool, out);
    for (const ClusterLayout::Item& item : in.layout.items) {
        if (item.object.kind != ObjectKind::Spare || item.isMoving || in.layout.arrangement == Arrangement::Hosts)
            continue;
        const auto pool = std::find_if(in.layout.pools.begin(), in.layout.pools.end(),
            [&](const auto& p) { return p.frame.contains(item.rect.center()); });
        drawSpare(in, item, pool == in.layout.pools.end() || pool->hasNames, out);
    }
    drawFoot(in, out);
    if (in.layers.faults)
        drawFaultMarks(in, out);
    // Cards that move between two places are above everything that is at rest.
    for (const ClusterLayout::Item& item : in.layout.items) {
        if (!item.isMoving)
            continue;
        if (item.object.kind == ObjectKind::Spare)
            drawSpare(in, item, true, out);
        else
            drawBucket(item);
    }
    out.setObject({});
}

} // namespace lhrs::gui
