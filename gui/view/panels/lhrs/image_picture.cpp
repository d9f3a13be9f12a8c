// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/panels/lhrs/image_picture.h"

#include "gui/lab/words/lhrs/key_try.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/view/lhrs/cluster_layout.h"
#include "gui/view/lhrs/words/object_words.h"
#include "gui/view/paint/sheet.h"

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr TextStyle kSteps { TextSize::Body, false, true };
constexpr TextStyle kImageTitle { TextSize::Strong, true };
constexpr std::size_t kOperationsShown = 4;

FileImage imageOf(const pb::FileState& state) { return { state.i(), state.n() }; }

// True state and image: one line of buckets above the other, in the same columns.
struct BucketRows {
    qreal left = 0, pitch = 0, cellHeight = 0;
    QRectF truth, belief; // the rows
    qreal centre(std::uint32_t a) const { return left + (qreal(a) + 0.5) * pitch; }
};

void drawCell(Sheet& sheet, const BucketRows& rows, qreal y, std::uint32_t a, QColor fill, const QString& below,
    bool isDashed, bool isHatched)
{
    const Theme& theme = sheet.theme;
    const qreal gap = rows.pitch > 6 ? 2 : 0;
    const QRectF cell(rows.left + qreal(a) * rows.pitch, y, std::max(1.0, rows.pitch - gap), rows.cellHeight);
    sheet.out.add(DisplayList::Box { cell, Outline::Rectangle, 0, fill,
        rows.pitch > 6 || !fill.isValid() ? theme.outline : QColor(), 1, isDashed, isHatched });
    const QString number = QString::number(a);
    const QColor ink = fill.isValid() ? inkOn(fill) : theme.text;
    if (rows.pitch > 34 * theme.px(1) && !below.isEmpty()) {
        sheet.out.text(
            cell.adjusted(3, 0, -3, 0), QStringLiteral("%1  %2").arg(number, below), kSmallBold, ink, Qt::AlignCenter);
    } else if (theme.width(kSmall, number) <= cell.width() - 1) {
        sheet.out.text(cell, number, kSmall, ink, Qt::AlignCenter);
    }
}

// The path of a key: from the bucket that the client's image gives, up to the row of the file, and from bucket to
// bucket to the correct one.
void drawWay(Sheet& sheet, const BucketRows& rows, const std::vector<std::uint32_t>& path, std::uint32_t believed,
    bool isExpected)
{
    const Theme& theme = sheet.theme;
    const qreal u = theme.px(1);
    if (path.empty())
        return;
    const QColor colour = theme.text;
    const qreal up = rows.belief.top(), down = rows.truth.bottom();
    sheet.out.add(
        DisplayList::Line { { QPointF(rows.centre(believed), up), QPointF(rows.centre(path.front()), down + 1 * u) },
            colour, 1.8 * u, isExpected, 6 * u });
    for (std::size_t hop = 1; hop < path.size(); ++hop) {
        // Above the row of the true state; later hops are higher.
        const qreal top = rows.truth.top() - 5 * u - qreal(hop - 1) * 6 * u;
        const qreal from = rows.centre(path[hop - 1]) + (hop > 1 ? 3 * u : 0), to = rows.centre(path[hop]) - 3 * u;
        sheet.out.add(DisplayList::Line { { QPointF(from, rows.truth.top()), QPointF(from, top), QPointF(to, top),
                                              QPointF(to, rows.truth.top() - 1 * u) },
            colour, 1.8 * u, isExpected, 6 * u });
    }
}

BucketRows drawBuckets(Sheet& sheet, FileImage image, FileImage truth, std::size_t hops)
{
    const Theme& theme = sheet.theme;
    const qreal u = theme.px(1);
    BucketRows rows;
    const qreal label = theme.width(kSmallBold, QStringLiteral("believes")) + 10 * u;
    const std::uint32_t there = bucketCount(truth), believed = bucketCount(image), all = std::max(there, believed);
    rows.left = sheet.left + label;
    rows.pitch = std::min(56 * u, (sheet.width - label) / qreal(all));
    rows.cellHeight = theme.lineHeight(kSmall) + 6 * u;
    sheet.y += (hops == 0 ? 2 : 9 + 6 * qreal(hops - 1)) * u; // room for the forwards
    const auto row = [&](const char* name) {
        sheet.out.text(QRectF(sheet.left, sheet.y, label - 4 * u, rows.cellHeight), QString::fromLatin1(name),
            kSmallBold, theme.text);
        const QRectF rect(rows.left, sheet.y, rows.pitch * qreal(all), rows.cellHeight);
        sheet.y += rows.cellHeight;
        return rect;
    };
    rows.truth = row("truth");
    for (std::uint32_t a = 0; a < there; ++a)
        drawCell(sheet, rows, rows.truth.top(), a, dataFill(),
            QStringLiteral("j%1").arg(levelOf(BucketNumber(a), truth)), false, false);
    sheet.y += 13 * u;
    rows.belief = row("believes");
    sheet.out.explain(rows.belief, "client-image");
    bool isStale = false, isUnknown = false;
    for (std::uint32_t a = 0; a < all; ++a) {
        const BucketBelief belief = beliefOf(a, image, truth);
        const QColor fill = belief == BucketBelief::Right ? theme.good
            : belief == BucketBelief::Stale               ? theme.caution
            : belief == BucketBelief::Gone                ? theme.bad
                                                          : QColor();
        const bool isKnown = belief != BucketBelief::Unknown;
        isStale = isStale || belief == BucketBelief::Stale;
        isUnknown = isUnknown || !isKnown;
        drawCell(sheet, rows, rows.belief.top(), a, fill,
            isKnown ? QStringLiteral("j%1").arg(levelOf(BucketNumber(a), image)) : QString(), !isKnown, !isKnown);
    }
    sheet.y += 3 * u;
    QStringList legend { QStringLiteral("green: right") };
    if (isStale)
        legend << QStringLiteral("orange: has split since");
    if (isUnknown)
        legend << QStringLiteral("hatched: unknown to the client");
    sheet.line({ legend.join(QStringLiteral(", ")), legend.back() }, kSmall, theme.muted);
    return rows;
}

QString wayWords(const std::vector<std::uint32_t>& path, std::uint32_t computed)
{
    QStringList visited;
    for (const std::uint32_t bucket : path)
        visited << QString::number(bucket);
    if (visited.isEmpty())
        visited << QString::number(computed);
    return visited.join(QStringLiteral(" → "));
}

QString hopsWords(std::size_t forwards)
{
    return forwards == 0 ? QStringLiteral("direct")
        : forwards == 1  ? QStringLiteral("1 forward")
                         : QStringLiteral("%1 forwards").arg(forwards);
}

// A record that was reconstructed from parity did not come from any bucket, even if its request was first sent to one.
QString wayOf(const OperationState& operation)
{
    const bool isIndirect = operation.isDone
        && (operation.way == pb::RECORD_RECOVERY || operation.way == pb::BY_COORDINATOR);
    if (!operation.isDone) // the forwards are known only at its end, and so are the buckets that it visited
        return hopsWords(operation.path.empty() ? 0 : operation.path.size() - 1);
    if (!isIndirect)
        return hopsWords(operation.forwards);
    const QString way = operation.way == pb::RECORD_RECOVERY ? QStringLiteral("record recovery")
                                                             : QStringLiteral("address from the coordinator");
    return operation.forwards == 0 ? way : QStringLiteral("%1, %2").arg(hopsWords(operation.forwards), way);
}

void drawOperation(Sheet& sheet, const OperationState& operation)
{
    const Theme& theme = sheet.theme;
    const qreal u = theme.px(1), height = theme.lineHeight(kSmall) + 3 * u, side = 11 * u;
    const QColor colour = !operation.isDone                              ? theme.grid
        : operation.forwards > 2                                         ? theme.bad
        : operation.forwards > 0 || operation.way == pb::RECORD_RECOVERY ? theme.caution
                                                                         : theme.good;
    sheet.out.add(DisplayList::Box { QRectF(sheet.left, sheet.y + (height - side) / 2, side, side),
        operation.forwards > 0 ? Outline::Diamond : Outline::Circle, 0, colour, theme.outline, 1, false, false });
    const QString kind = QString::fromStdString(operationWord(operation.kind)),
                  way = wayWords(operation.path, operation.computedBucket), hops = wayOf(operation);
    const QString result = operation.isDone ? QString::fromStdString(resultWord(operation.result))
                                            : QStringLiteral("under way");
    QString image, adjusted;
    if (operation.imageAdjusted) {
        image = QStringLiteral(", image %1 → %2")
                    .arg(imageWords(operation.imageBefore), imageWords(operation.imageAfter));
        adjusted = QStringLiteral(", adjusted by (a = %1, j = %2)%3")
                       .arg(operation.adjustedBucket)
                       .arg(operation.adjustedLevel)
                       .arg(image);
    }
    sheet.out.text(QRectF(sheet.left + side + 6 * u, sheet.y, sheet.width - side - 6 * u, height),
        { QStringLiteral("%1 key %2: bucket %3, %4%5: %6")
                .arg(kind)
                .arg(operation.key)
                .arg(way, hops, adjusted, result),
            QStringLiteral("%1 key %2: bucket %3, %4%5: %6").arg(kind).arg(operation.key).arg(way, hops, image, result),
            QStringLiteral("%1 key %2: bucket %3, %4%5").arg(kind).arg(operation.key).arg(way, hops, image),
            QStringLiteral("key %1: bucket %2, %3").arg(operation.key).arg(way, hops),
            QStringLiteral("key %1: %2").arg(operation.key).arg(way) },
        kSmall, theme.text);
    sheet.y += height;
}

// One bar for each number of forwards, and below them the bound of LH*: 2 forwards.
void drawHops(Sheet& sheet, const ClientState& client, const FileClient& known, std::uint32_t buckets)
{
    const Theme& theme = sheet.theme;
    const qreal u = theme.px(1), height = theme.lineHeight(kSmall) + 2 * u;
    std::uint64_t all = 0;
    for (const std::uint64_t count : client.hops)
        all += count;
    const std::uint64_t most = std::max<std::uint64_t>(1, *std::max_element(client.hops.begin(), client.hops.end()));
    const qreal label = theme.width(kSmall, QStringLiteral("2 forwards")) + 8 * u;
    const qreal number = theme.width(kSmallBold, QStringLiteral("%1  99.9 %").arg(grouped(most))) + 8 * u;
    const qreal top = sheet.y;
    for (std::size_t hops = 0; hops < client.hops.size(); ++hops) {
        sheet.out.text(QRectF(sheet.left, sheet.y, label, height), hopsWords(hops), kSmall, theme.muted);
        const qreal wide = std::max(0.0, sheet.width - label - number) * double(client.hops[hops]) / double(most);
        if (wide >= 1)
            sheet.out.add(DisplayList::Box { QRectF(sheet.left + label, sheet.y + 2 * u, wide, height - 4 * u),
                Outline::Rectangle, 0, hops == 0 ? theme.good : theme.caution, {}, 1, false, false });
        const QString share = all > 0
            ? QStringLiteral("  %1 %").arg(100.0 * double(client.hops[hops]) / double(all), 0, 'f', 1)
            : QString();
        sheet.out.text(QRectF(sheet.left + label + wide + 5 * u, sheet.y, number, height),
            { grouped(client.hops[hops]) + share, grouped(client.hops[hops]) }, kSmallBold, theme.text);
        sheet.y += height;
    }
    const bool isBroken = std::any_of(
        known.last.begin(), known.last.end(), [](const OperationState& operation) { return operation.forwards > 2; });
    sheet.y += 1 * u;
    sheet.out.add(DisplayList::Line { { QPointF(sheet.left, sheet.y), QPointF(sheet.left + sheet.width, sheet.y) },
        isBroken ? theme.bad : theme.text, 2 * u, false, 0 });
    sheet.y += 2 * u;
    sheet.line({ isBroken ? QStringLiteral("more than two forwards: this must not happen")
                          : QStringLiteral("the bound of LH*: never more than 2, whatever the image"),
                   QStringLiteral("bound: 2") },
        kSmall, isBroken ? theme.bad : theme.muted);
    sheet.out.explain(QRectF(sheet.left, top, sheet.width, sheet.y - top), "forward");
    sheet.space(4);
    // Image adjustments beside log2 M.
    const qreal adjusted = sheet.y;
    const double expected = std::log2(double(std::max(1U, buckets)));
    const double scale = std::max({ 1.0, expected, double(known.imageAdjustments) }) * 1.15;
    const qreal room = std::max(0.0, sheet.width - label - number), mark = sheet.left + label + room * expected / scale;
    sheet.out.text(QRectF(sheet.left, sheet.y, label, height), { QStringLiteral("adjusted"), QStringLiteral("adj.") },
        kSmall, theme.muted);
    const qreal wide = room * double(known.imageAdjustments) / scale;
    if (wide >= 1)
        sheet.out.add(DisplayList::Box { QRectF(sheet.left + label, sheet.y + 2 * u, wide, height - 4 * u),
            Outline::Rectangle, 0, theme.selection, {}, 1, false, false });
    sheet.out.add(DisplayList::Line {
        { QPointF(mark, sheet.y - 1 * u), QPointF(mark, sheet.y + height + 1 * u) }, theme.text, 2 * u, false, 0 });
    sheet.out.text(
        QRectF(sheet.left + label + std::max(wide, mark - sheet.left - label) + 6 * u, sheet.y, number, height),
        grouped(known.imageAdjustments), kSmallBold, theme.text);
    sheet.y += height;
    const QString count = countedWords(known.imageAdjustments, "image adjustment", "image adjustments");
    sheet.line({ QStringLiteral("%1; the mark is log₂ M = %2, what a new client needs on average")
                       .arg(count)
                       .arg(expected, 0, 'f', 1),
                   QStringLiteral("%1   (log₂ M = %2)").arg(count).arg(expected, 0, 'f', 1), count },
        kSmall, theme.muted);
    sheet.out.explain(QRectF(sheet.left, adjusted, sheet.width, sheet.y - adjusted), "image-adjustment");
}

QString modeWords(pb::ImageMode mode)
{
    return mode == pb::FROZEN ? QStringLiteral(", image frozen")
        : mode == pb::EXACT   ? QStringLiteral(", asks the coordinator")
                              : QString();
}

// How a client's image, the file, and one client's operations are drawn.
struct ClientDrawing {
    Sheet& sheet;
    const ClusterState& state;
    const ClientState& client;
    const FileClient& known;
    FileImage truth, image;

    const OperationState* last() const { return known.last.empty() ? nullptr : &known.last.back(); }
    QString name() const
    {
        return QString::fromStdString(client.name.empty() ? processShown(client.process, state) : client.name);
    }
    std::uint64_t hashed(std::uint64_t key) const { return state.file.config.mix_keys() ? mix64(Key(key)).value : key; }

    void drawTitle() const
    {
        const std::uint32_t buckets = bucketCount(truth), believed = bucketCount(image);
        const bool mayBeAhead = state.file.config.merges() || state.file.hasShrunk;
        const QString behind = believed == buckets ? QStringLiteral("exact")
            : believed < buckets                   ? QStringLiteral("%1 behind").arg(buckets - believed)
            : mayBeAhead ? QStringLiteral("%1 ahead of the file, which has shrunk").arg(believed - buckets)
                         : QStringLiteral("ahead of the file: must not happen");
        sheet.line({ QStringLiteral("%1%2: image (%3, %4), %5")
                           .arg(name(), modeWords(known.mode))
                           .arg(image.i)
                           .arg(image.n)
                           .arg(behind),
                       QStringLiteral("%1: (%2, %3), %4").arg(name()).arg(image.i).arg(image.n).arg(behind) },
            kImageTitle, believed > buckets && !mayBeAhead ? sheet.theme.bad : sheet.theme.text);
        sheet.out.explain("client-image");
    }

    // The buckets as they are and as the client believes, with the way of the key that is tried or was asked for last.
    void drawWayOver(const std::optional<KeyTry>& tried) const
    {
        const OperationState* done = last();
        const BucketRows rows = drawBuckets(sheet, image, truth,
            tried      ? tried->forwards()
                : done ? std::min<std::size_t>(2, done->forwards)
                       : 0);
        if (tried)
            drawWay(sheet, rows, tried->path, tried->believed, true);
        else if (done && done->isDone && done->path.size() == std::size_t(done->forwards) + 1
            && done->path.back() < bucketCount(truth))
            drawWay(sheet, rows, done->path, done->path.front(), false);
        sheet.line({ QStringLiteral("truth: (i, n) = (%1, %2), M = %3      image: (i', n') = (%4, %5), M' = %6")
                           .arg(truth.i)
                           .arg(truth.n)
                           .arg(bucketCount(truth))
                           .arg(image.i)
                           .arg(image.n)
                           .arg(bucketCount(image)),
                       QStringLiteral("M = %1, M' = %2").arg(bucketCount(truth)).arg(bucketCount(image)) },
            kSmall, sheet.theme.muted);
    }

    void drawFormulas(std::uint64_t key, FileImage then) const
    {
        sheet.line(
            { QStringLiteral("image  %1").arg(addressWords(key, then.i, then.n)), addressWords(key, then.i, then.n) },
            kSteps, sheet.theme.text);
        sheet.line({ QStringLiteral("file   %1").arg(addressWords(key, truth.i, truth.n)),
                       addressWords(key, truth.i, truth.n) },
            kSteps, sheet.theme.text);
    }

    void drawTry(std::uint64_t key, const KeyTry& tried) const
    {
        const Theme& theme = sheet.theme;
        sheet.space(5);
        sheet.line({ QStringLiteral("If %1 asked for key %2 now (nothing is sent):").arg(name()).arg(key),
                       QStringLiteral("If key %1 were asked for:").arg(key) },
            kBodyBold, theme.text);
        if (tried.key != key)
            sheet.line({ QStringLiteral("this file scrambles keys: mix64(%1) = %2").arg(key).arg(tried.key),
                           QStringLiteral("mix64 = %1").arg(tried.key) },
                kSmall, theme.muted);
        drawFormulas(tried.key, image);
        const bool isFrozen = known.mode == pb::FROZEN;
        if (tried.path.empty())
            sheet.paragraph(
                QStringLiteral("Bucket %1 no longer exists: the client would ask the coordinator.").arg(tried.believed),
                kBody, theme.text);
        else if (!tried.adjustment)
            sheet.paragraph(
                QStringLiteral("Both say bucket %1: no forward, no adjustment.").arg(tried.right), kBody, theme.text);
        else
            sheet.paragraph(
                QStringLiteral("bucket %1: %2; the reply would adjust the image by (a = %3, j = %4) to (%5, %6).")
                    .arg(wayWords(tried.path, tried.believed), hopsWords(tried.forwards()))
                    .arg(tried.adjustment->bucket)
                    .arg(tried.adjustment->level)
                    .arg(isFrozen ? image.i : tried.adjustment->after.i)
                    .arg(isFrozen ? image.n : tried.adjustment->after.n),
                kBody, theme.text);
        if (tried.adjustment && isFrozen)
            sheet.line({ QStringLiteral("but this image is frozen and stays"), QStringLiteral("but it is frozen") },
                kSmall, theme.muted);
    }

    void drawOperations(bool isTrying) const
    {
        const Theme& theme = sheet.theme;
        if (!isTrying) {
            sheet.space(5);
            sheet.line({ QStringLiteral("The address of key %1, by image and by file:").arg(last()->key),
                           QStringLiteral("key %1:").arg(last()->key) },
                kBodyBold, theme.text);
            drawFormulas(hashed(last()->key), last()->imageAdjusted ? imageOf(last()->imageBefore) : image);
        }
        sheet.space(5);
        sheet.line({ QStringLiteral("Last operations, newest first") }, kBodyBold, theme.text);
        std::size_t count = 0;
        for (auto operation = known.last.rbegin(); operation != known.last.rend() && count < kOperationsShown;
             ++operation, ++count)
            drawOperation(sheet, *operation);
        sheet.space(5);
        sheet.line({ QStringLiteral("Operations by forwards") }, kBodyBold, theme.text);
        drawHops(sheet, client, known, bucketCount(truth));
    }
};

void drawClient(
    Sheet& sheet, const ClusterState& state, ProcessId id, FileImage truth, std::optional<std::uint64_t> key)
{
    const FileClient& known = state.fileClient(id);
    const ClientDrawing drawing { sheet, state, state.clients.at(id), known, truth, imageOf(known.image) };
    sheet.out.setObject({ ObjectKind::Client, id, 0 });
    drawing.drawTitle();
    const std::optional<KeyTry> tried = key ? std::optional(tryKey(drawing.hashed(*key), drawing.image, truth))
                                            : std::nullopt;
    drawing.drawWayOver(tried);
    if (tried)
        drawing.drawTry(*key, *tried);
    if (drawing.last())
        drawing.drawOperations(tried.has_value());
    sheet.space(6);
    sheet.out.setObject({});
}

} // namespace

QString addressWords(std::uint64_t key, std::uint32_t i, std::uint32_t n)
{
    const std::uint64_t low = 1ULL << i, a = key % low;
    const QString first = QStringLiteral("%1 mod %2 = %3").arg(key).arg(low).arg(a);
    if (a >= n)
        return QStringLiteral("%1 ≥ n = %2: bucket %3").arg(first).arg(n).arg(a);
    return QStringLiteral("%1 < n = %2: %3 mod %4 = bucket %5")
        .arg(first)
        .arg(n)
        .arg(key)
        .arg(2 * low)
        .arg(key % (2 * low));
}

ImagePicture drawImages(const ClusterState& state, const Theme& theme, ObjectRef selected, qreal width,
    DisplayList& out, std::optional<std::uint64_t> tried)
{
    const qreal u = theme.px(1), margin = 10 * u;
    Sheet sheet { theme, out, margin, width - 2 * margin, 8 * u };
    const FileImage truth { state.file.i, state.file.n };
    std::vector<ProcessId> clients = clientsOf(state);
    if (selected.kind == ObjectKind::Client && state.clients.contains(selected.a))
        clients = { selected.a };
    std::erase_if(clients,
        [&](ProcessId id) { return !state.clients.contains(id) || !isValid(imageOf(state.fileClient(id).image)); });
    out.setObject({});
    if (clients.empty() || !state.file.exists || !isValid(truth)) {
        sheet.line({ state.file.exists ? QStringLiteral("No client yet.") : QStringLiteral("No file yet.") },
            kImageTitle, theme.text);
        sheet.paragraph(state.file.exists
                ? QStringLiteral(
                    "A client’s image will be shown here beside the file’s state. Ctrl+Shift+C starts a client.")
                : QStringLiteral("Clients’ images will be shown here beside the file’s state."),
            kBody, theme.muted);
        return { sheet.y + margin };
    }
    for (const ProcessId id : clients) {
        drawClient(sheet, state, id, truth, tried);
        if (id != clients.back()) {
            sheet.rule();
            sheet.space(8);
        }
    }
    return { sheet.y + margin };
}

} // namespace lhrs::gui
