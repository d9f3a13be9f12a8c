// SPDX-License-Identifier: GPL-3.0-or-later
// How failures are drawn: the state of a group, the recovery under way, lost contents, displaced processes.
#include "gui/view/lhrs/cluster_picture.h"

#include "gui/lab/state/lhrs/epoch_words.h"
#include "gui/lab/state/process/fault_sentences.h"
#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

// Draws a chip with a glyph and a word at the left end of the row; false: there is no room.
bool putChip(const PictureInput& in, QRectF& row, const QString& word, Glyph glyph, QColor fill, DisplayList& out,
    std::string_view term = {})
{
    const qreal u = in.theme.px(1), side = std::min(11 * u, row.height() - 4 * u);
    const qreal width = in.theme.metrics(kSmallBold).horizontalAdvance(word) + side + 14 * u;
    if (width > row.width())
        return false;
    const QRectF chip(row.left(), row.top(), width, row.height());
    out.add(DisplayList::Box { chip, Outline::Rounded, 3 * u, fill, in.theme.outline, 1, false, false });
    out.add(DisplayList::Mark {
        QRectF(chip.left() + 5 * u, chip.center().y() - side / 2, side, side), glyph, inkOn(fill), {} });
    out.text(chip.adjusted(side + 8 * u, 0, -4 * u, 0), word, kSmallBold, inkOn(fill));
    out.explain(chip, term);
    row.setLeft(chip.right() + 10 * u);
    return true;
}

QString bucketsWords(const std::vector<std::uint32_t>& buckets)
{
    QStringList numbers;
    for (const std::uint32_t bucket : buckets)
        numbers << QString::number(bucket);
    return numbers.join(QStringLiteral(", "));
}

// "rebuilding 1, 2 [=====   ] slice 3: 18 records, 1.8 kB": the longest wording that fits, at the right end of the row.
void drawRecovery(const PictureInput& in, const GroupState& group, QRectF& row, DisplayList& out)
{
    const RecoveryState& recovery = group.recovery;
    const qreal u = in.theme.px(1);
    const auto manager = in.state.parity.find({ group.number, recovery.manager });
    const std::uint32_t ranks = manager == in.state.parity.end() ? 0 : manager->second.ranks.rankMax();
    const qreal share = ranks > 0 ? std::clamp(qreal(recovery.rankTo) / ranks, 0.0, 1.0) : 0;
    const QString title = QStringLiteral("rebuilding %1 by P %2.%3")
                              .arg(bucketsWords(recovery.buckets))
                              .arg(group.number)
                              .arg(recovery.manager);
    const QString shortTitle = QStringLiteral("rebuilding %1").arg(bucketsWords(recovery.buckets));
    const QString amount = QStringLiteral("computed: slice %1, %2, %3 bytes")
                               .arg(recovery.slices)
                               .arg(countedWords(recovery.records, "record", "records"), grouped(recovery.bytes));
    const QString shortAmount = QStringLiteral("%1 rec.").arg(recovery.records);
    const QFontMetricsF& metrics = in.theme.metrics(kSmallBold);
    const qreal bar = 90 * u, gap = 8 * u;
    for (const auto& [left, right] : { std::pair(title, amount), std::pair(shortTitle, amount),
             std::pair(shortTitle, shortAmount), std::pair(shortTitle, QString()) }) {
        const qreal wide = metrics.horizontalAdvance(left) + 1,
                    after = right.isEmpty() ? 0 : metrics.horizontalAdvance(right) + 1 + gap;
        if (wide + gap + bar + after > row.width())
            continue;
        qreal x = row.right() - wide - gap - bar - after;
        row.setRight(x - gap);
        out.explain(QRectF(x, row.top(), wide + gap + bar + after, row.height()), "slice");
        if (out.text(QRectF(x, row.top(), wide, row.height()), left, kSmallBold, in.theme.text))
            out.explain("recovery-manager");
        x += wide + gap;
        const QRectF frame(x, row.top() + 2 * u, bar, row.height() - 4 * u);
        out.add(DisplayList::Box { frame, Outline::Rectangle, 0, in.theme.empty, in.theme.outline, 1, false, false });
        out.add(DisplayList::Box { QRectF(frame.left(), frame.top(), frame.width() * share, frame.height()),
            Outline::Rectangle, 0, in.theme.good, {}, 1, false, false });
        if (!right.isEmpty())
            out.text(QRectF(frame.right() + gap, row.top(), after, row.height()), right, kSmallBold, in.theme.text);
        return;
    }
}

} // namespace

void drawGroupState(
    const PictureInput& in, const ClusterLayout::Group& layout, const GroupState& group, QRectF& row, DisplayList& out)
{
    const qreal u = in.theme.px(1);
    const QColor neutral = in.theme.neutral;
    const bool isLost = group.state == pb::GROUP_LOST;
    if (group.kEffective() != group.k) {
        const QString words = isLost ? QStringLiteral("effective k = 0")
                                     : QStringLiteral("effective k = %1").arg(group.kEffective());
        const qreal width = in.theme.metrics(kSmallBold).horizontalAdvance(words) + 10 * u;
        if (width <= row.width()) {
            out.add(DisplayList::Box { QRectF(row.left(), row.top(), width, row.height()), Outline::Rounded, 3 * u,
                in.theme.card, in.theme.bad, 2 * u, false, false });
            out.text(
                QRectF(row.left() + 5 * u, row.top(), width - 6 * u, row.height()), words, kSmallBold, in.theme.text);
            out.explain("k");
            row.setLeft(row.left() + width + 10 * u);
        }
    }
    QColor frame;
    switch (group.state) {
    case pb::GROUP_FROZEN:
        putChip(in, row, QStringLiteral("FROZEN: changes wait"), Glyph::Pause, in.theme.incoming, out, "frozen-group");
        frame = in.theme.incoming;
        break;
    case pb::GROUP_DEGRADED:
        putChip(in, row, QStringLiteral("DEGRADED"), Glyph::Warning, in.theme.caution, out, "degraded-group");
        frame = in.theme.caution;
        break;
    case pb::GROUP_LOST: {
        std::vector<std::uint32_t> lost;
        for (const auto& [place, down] : group.down)
            if (place.role == pb::DATA && down.isLost)
                lost.push_back(group.number * in.state.m() + place.index);
        const QString which = QStringLiteral("LOST: bucket%1 %2")
                                  .arg(lost.size() == 1 ? QString() : QStringLiteral("s"), bucketsWords(lost));
        if (lost.empty() || !putChip(in, row, which, Glyph::DoubleCross, neutral, out, "lost-group"))
            putChip(in, row, QStringLiteral("LOST"), Glyph::DoubleCross, neutral, out, "lost-group");
        frame = neutral;
        break;
    }
    case pb::GROUP_UP:
    case pb::GroupState_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::GroupState_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    if (group.recovery.isUnderWay() && !isLost)
        drawRecovery(in, group, row, out);
    if (frame.isValid())
        out.add(DisplayList::Box { layout.frame.adjusted(-1, -2 * u, 1, 1 * u), Outline::Rounded, 5 * u, {}, frame,
            (isLost ? 3.0 : 2.0) * u, group.state == pb::GROUP_FROZEN, false });
}

// One cross for failed, two for lost, none if the process is only gone: the coordinator has not decided anything yet.
void drawDamage(const PictureInput& in, Look look, const QRectF& area, DisplayList& out)
{
    const bool isLost = look.condition == Condition::Lost;
    if ((look.condition != Condition::Failed && !isLost) || area.width() < 20 || area.height() < 16)
        return;
    const qreal u = in.theme.px(1);
    const QColor colour = styleOf(in.theme, look).colour;
    const auto cross = [&](const QRectF& r) {
        for (const auto& [from, to] :
            { std::pair(r.topLeft(), r.bottomRight()), std::pair(r.topRight(), r.bottomLeft()) }) {
            out.add(DisplayList::Line { { from, to }, in.theme.card, 8 * u, false, 0 });
            out.add(DisplayList::Line { { from, to }, colour, 4.5 * u, false, 0 });
        }
    };
    const qreal side = std::min({ area.width() * (isLost ? 0.34 : 0.7), area.height() * 0.8, 90 * u });
    const QPointF c = area.center();
    if (isLost)
        for (const double way : { -0.56, 0.56 })
            cross(QRectF(c.x() + way * side - side * 0.42, c.y() - side / 2, side * 0.84, side));
    else
        cross(QRectF(c.x() - side * 0.6, c.y() - side / 2, side * 1.2, side));
}

void drawSmallGroupState(
    const PictureInput& in, const ClusterLayout::Group& layout, const GroupState& group, DisplayList& out)
{
    const bool isLost = group.state == pb::GROUP_LOST, isFrozen = group.state == pb::GROUP_FROZEN,
               isRebuilt = group.recovery.isUnderWay() && !isLost;
    if (group.state == pb::GROUP_UP && !isRebuilt)
        return;
    const QColor colour = isLost ? in.theme.neutral : isFrozen ? in.theme.incoming : in.theme.caution;
    const qreal u = in.theme.px(1), out1 = 2 * u;
    out.add(DisplayList::Box {
        layout.frame.adjusted(-out1, -out1, out1, out1), Outline::Rounded, 3 * u, {}, colour, 2 * u, isFrozen, false });
}

void drawRecoveryRoles(const PictureInput& in, DisplayList& out)
{
    if (in.layout.detail >= CardDetail::Tile)
        return;
    const qreal u = in.theme.px(1), high = in.theme.lineHeight(kSmallBold) + 4 * u;
    const std::uint32_t m = in.state.m();
    for (const ClusterLayout::Item& item : in.layout.items) {
        const bool isData = item.object.kind == ObjectKind::Data;
        if (item.isMoving || item.rect.height() < 2.2 * high || (!isData && item.object.kind != ObjectKind::Parity)
            || !in.layout.groupsArea.intersects(item.rect))
            continue;
        const auto group = in.state.groups.find(std::uint32_t(isData ? item.object.a / m : item.object.a));
        if (group == in.state.groups.end() || !group->second.recovery.isUnderWay() || !group->second.recovery.decoder)
            continue;
        const RecoveryState& recovery = group->second.recovery;
        const bool isRebuilt = isData
            && std::find(recovery.buckets.begin(), recovery.buckets.end(), std::uint32_t(item.object.a))
                != recovery.buckets.end();
        if (isRebuilt
            || group->second.down.contains(
                { isData ? pb::DATA : pb::PARITY, std::uint32_t(isData ? item.object.a % m : item.object.b) }))
            continue; // the card shows it
        const std::uint32_t index = std::uint32_t(isData ? item.object.a % m : item.object.b);
        const auto& participants = recovery.decoder->participants();
        const bool isAsked = std::any_of(
            participants.begin(), participants.end(), [&](const pb::DecoderChosen::Participant& p) {
                return p.role() == (isData ? pb::DATA : pb::PARITY) && p.index() == index;
            });
        const bool isManager = !isData && index == recovery.manager;
        out.setObject(item.object);
        QRectF row(item.rect.left() + 6 * u, item.rect.bottom() - high - 5 * u, item.rect.width() - 12 * u, high);
        const auto process = in.state.processes.find(item.process);
        if (in.layers.faults && process != in.state.processes.end() && !process->second.faults.empty())
            row.translate(0, -high - 5 * u); // its faults are told below
        if (isManager
            && putChip(in, row, isAsked ? QStringLiteral("manager, survivor") : QStringLiteral("manager"),
                Glyph::Turning, in.theme.good, out, "recovery-manager"))
            continue;
        if (isAsked)
            putChip(in, row, isManager ? QStringLiteral("manager") : QStringLiteral("survivor"),
                isManager ? Glyph::Turning : Glyph::Bulk, in.theme.good, out, isManager ? "recovery-manager" : "");
        else if (!isManager)
            putChip(in, row, QStringLiteral("not needed"), Glyph::Ring, in.theme.cardHeader, out);
    }
    out.setObject({});
}

void drawSigns(const PictureInput& in, DisplayList& out)
{
    if (in.layout.detail < CardDetail::Tile)
        return;
    const qreal u = in.theme.px(1), side = 15 * u;
    const QRectF sight = in.layout.groupsArea;
    for (const ClusterLayout::Item& item : in.layout.items) {
        const bool isBucket = item.object.kind == ObjectKind::Data || item.object.kind == ObjectKind::Parity;
        if (!isBucket || !sight.intersects(item.rect))
            continue;
        const LookStyle style = styleOf(in.theme, lookOf(in.state, item.object, in.silent));
        const auto process = in.state.processes.find(item.process);
        const bool isBroken = in.layers.faults && process != in.state.processes.end()
            && !process->second.faults.empty();
        const bool hasRoom = std::min(item.rect.width(), item.rect.height()) >= side;
        out.setObject(item.object);
        if (style.glyph != Glyph::None && !hasRoom) {
            const QRectF sign(item.rect.center() - QPointF(side / 2, side / 2), QSizeF(side, side));
            out.add(DisplayList::Box { sign, Outline::Circle, 0, style.colour, in.theme.card, 1.5, false, false });
            out.add(DisplayList::Mark { sign.adjusted(side * 0.22, side * 0.22, -side * 0.22, -side * 0.22),
                style.glyph, inkOn(style.colour), {} });
        }
        if (isBroken) {
            const QRectF sign(item.rect.topRight() - QPointF(side * 0.7, side * 0.3), QSizeF(side, side));
            out.add(DisplayList::Box { sign, Outline::Circle, 0, in.theme.caution, in.theme.outline, 1, false, false });
            out.add(DisplayList::Mark { sign.adjusted(side * 0.22, side * 0.22, -side * 0.22, -side * 0.22),
                process->second.cuts.empty() ? Glyph::Warning : Glyph::Cut, inkOn(in.theme.caution), {} });
        }
    }
    out.setObject({});
}

void drawFaults(const PictureInput& in, ProcessId id, const QRectF& card, DisplayList& out)
{
    const auto process = in.state.processes.find(id);
    if (process == in.state.processes.end() || process->second.faults.empty())
        return;
    const qreal u = in.theme.px(1), high = in.theme.lineHeight(kSmallBold) + 4 * u;
    if (card.height() < 2.2 * high || in.layout.detail >= CardDetail::Tile)
        return; // drawSigns() draws them
    // Faults on single links are labelled there; on the other side of a partition the process itself has no fault.
    QStringList wordings;
    Glyph glyph = Glyph::Cut;
    if (!process->second.cuts.empty()) {
        wordings << QStringLiteral("cut off");
    } else {
        int faults = 0;
        for (const auto& [number, fault] : process->second.faults) {
            if (fault.what->has_partition() || !fault.what->network().peers().empty())
                continue;
            if (++faults == 1)
                for (const std::string& words : faultBadge(*fault.what))
                    wordings << QString::fromStdString(words);
        }
        if (faults == 0)
            return;
        if (faults > 1 || wordings.isEmpty())
            wordings = { countedWords(std::uint64_t(faults), "fault", "faults") };
        glyph = Glyph::Warning;
    }
    QRectF row(card.left() + 6 * u, card.bottom() - high - 5 * u, card.width() - 12 * u, high);
    wordings << QString();
    for (const QString& words : wordings)
        if (putChip(in, row, words, glyph, in.theme.caution, out))
            return;
}

void drawDisplaced(const PictureInput& in, DisplayList& out)
{
    if (in.layout.displaced.isNull())
        return;
    const qreal u = in.theme.px(1);
    const QRectF strip = in.layout.displaced;
    out.setObject({});
    out.add(DisplayList::Box { strip, Outline::Rounded, 5 * u, {}, in.theme.caution, 1.5, true, false });
    qreal first = strip.right();
    for (const ClusterLayout::Item& item : in.layout.items)
        if (item.object.kind == ObjectKind::Displaced)
            first = std::min(first, item.rect.left());
    out.text(QRectF(strip.left() + 8 * u, strip.top(), first - strip.left() - 12 * u, strip.height()),
        { QStringLiteral("Displaced: serves nothing"), QStringLiteral("Displaced") }, kSmallBold, in.theme.text);
    for (const ClusterLayout::Item& item : in.layout.items) {
        if (item.object.kind != ObjectKind::Displaced)
            continue;
        out.setObject(item.object);
        const LookStyle style = styleOf(in.theme, lookOf(in.state, item.object, in.silent));
        const bool isMarked = in.selected == item.object || in.hovered == item.object;
        const qreal cut = std::min(6 * u, item.rect.height() / 3);
        out.add(DisplayList::Box { item.rect, style.outline, cut, style.colour,
            isMarked ? in.theme.text : in.theme.outline, isMarked ? 2.5 : 1.2, style.isDashed, false });
        const qreal side = std::min({ 12 * u, item.rect.height() - 2, item.rect.width() - 2 });
        out.add(DisplayList::Mark { QRectF(item.rect.left() + 4 * u, item.rect.center().y() - side / 2, side, side),
            style.glyph, inkOn(style.colour), {} });
        const auto process = in.state.processes.find(item.object.a);
        const QString name = process == in.state.processes.end() ? QString()
                                                                 : QString::fromStdString(process->second.name);
        QString place;
        std::uint64_t incarnation = 0;
        if (const auto data = in.state.displacedData.find(item.object.a); data != in.state.displacedData.end()) {
            place = QStringLiteral("bucket %1").arg(data->second.number);
            incarnation = data->second.incarnation;
        } else if (const auto parity = in.state.displacedParity.find(item.object.a);
                   parity != in.state.displacedParity.end()) {
            place = QStringLiteral("parity %1.%2").arg(parity->second.group).arg(parity->second.column);
            incarnation = parity->second.incarnation;
        }
        const QString refused = QStringLiteral("%1 was %2: incarnation %3 is refused")
                                    .arg(name, place)
                                    .arg(QString::fromStdString(incarnationText(incarnation)));
        QStringList wordings { refused, QStringLiteral("%1 was %2").arg(name, place), name };
        if (process != in.state.processes.end() && process->second.isPaused) // it does not know that it was replaced
            wordings = { QStringLiteral("%1 was %2, is paused: incarnation %3 is refused")
                             .arg(name, place)
                             .arg(QString::fromStdString(incarnationText(incarnation))),
                QStringLiteral("%1 was %2: paused").arg(name, place), QStringLiteral("%1: paused").arg(name),
                QStringLiteral("paused") };
        out.text(item.rect.adjusted(side + 8 * u, 0, -4 * u, 0), wordings, kSmall, inkOn(style.colour));
    }
    out.setObject({});
}

} // namespace lhrs::gui
