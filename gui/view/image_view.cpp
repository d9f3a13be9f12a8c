// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/image_view.h"

#include "common/linear_hash.h"
#include "gui/lab/sentences.h"
#include "gui/view/cluster_layout.h"
#include "gui/view/object_words.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr TextStyle kSmall { TextSize::Small, false, false };
constexpr TextStyle kSmallBold { TextSize::Small, true, false };
constexpr TextStyle kBody { TextSize::Body, false, false };
constexpr TextStyle kMono { TextSize::Small, false, true };
constexpr TextStyle kTitle { TextSize::Strong, true, false };
constexpr double kRebuildEvery = 0.1; // seconds
constexpr std::size_t kOperationsShown = 6;

FileImage imageOf(const pb::FileState& state)
{
    return { state.i(), state.n() };
}

// Draws from top to bottom, line by line.
struct Column {
    const Theme& theme;
    DisplayList& out;
    qreal left, width, y = 0;

    void line(const QStringList& wordings, TextStyle style, QColor colour, qreal indent = 0)
    {
        const qreal height = theme.lineHeight(style);
        out.text(QRectF(left + indent, y, width - indent, height), wordings, style, colour);
        y += height;
    }
    void space(qreal pixels) { y += theme.px(pixels); }
};

// One row of buckets: `count` of `of` in the colour, the rest hatched.
void drawBuckets(Column& column, const char* name, std::uint64_t count, std::uint64_t of, FileImage image, QColor colour)
{
    const Theme& theme = column.theme;
    const qreal u = theme.px(1), height = theme.lineHeight(kSmall) + 4 * u, label = theme.metrics(kSmallBold).horizontalAdvance(QStringLiteral("believes")) + 10 * u;
    column.out.text(QRectF(column.left, column.y, label, height), QString::fromLatin1(name), kSmallBold, theme.text);
    const qreal pitch = std::min(34 * u, (column.width - label) / qreal(std::max<std::uint64_t>(1, of)));
    for (std::uint64_t a = 0; a < of; ++a) {
        const QRectF cell(column.left + label + qreal(a) * pitch, column.y, std::max(1.0, pitch - (pitch > 6 ? 2 : 0)), height);
        const bool isKnown = a < count;
        column.out.add(DisplayList::Box { cell, Outline::Rectangle, 0, isKnown ? colour : QColor(), pitch > 6 || !isKnown ? theme.outline : QColor(), 1, !isKnown, !isKnown });
        const QString number = QString::number(a);
        if (theme.metrics(kSmall).horizontalAdvance(number) <= cell.width() - 2)
            column.out.text(cell, number, kSmall, isKnown ? inkOn(colour) : theme.text, Qt::AlignCenter);
    }
    column.y += height;
    if (pitch > 24 * u) {
        for (std::uint64_t a = 0; a < count; ++a) {
            const QRectF under(column.left + label + qreal(a) * pitch, column.y, pitch - 2, theme.lineHeight(kSmall));
            column.out.text(under, QStringLiteral("j%1").arg(levelOf(BucketNumber(std::uint32_t(a)), image)), kSmall, theme.muted, Qt::AlignCenter);
        }
        column.y += theme.lineHeight(kSmall);
    }
    column.space(3);
}

QString wayWords(const OperationState& operation)
{
    QStringList visited;
    for (const std::uint32_t bucket : operation.path)
        visited << QString::number(bucket);
    if (visited.isEmpty())
        visited << QString::number(operation.computedBucket);
    return visited.join(QStringLiteral(" → "));
}

void drawOperation(Column& column, const OperationState& operation)
{
    const Theme& theme = column.theme;
    const qreal u = theme.px(1), height = theme.lineHeight(kSmall) + 3 * u, side = 11 * u;
    const bool isForwarded = operation.forwards > 0;
    const QColor colour = !operation.isDone ? theme.grid : isForwarded ? theme.caution : theme.good;
    column.out.add(DisplayList::Box { QRectF(column.left, column.y + (height - side) / 2, side, side), Outline::Circle, 0, colour, theme.outline, 1, false, false });
    const QString kind = QString::fromStdString(operationWord(operation.kind));
    const QString result = operation.isDone ? QString::fromStdString(resultWord(operation.result)) : QStringLiteral("under way");
    const QString hops = operation.forwards == 0 ? QStringLiteral("direct") : operation.forwards == 1 ? QStringLiteral("1 forward") : QStringLiteral("%1 forwards").arg(operation.forwards);
    QString image;
    if (operation.imageAdjusted)
        image = QStringLiteral(", image (%1, %2) → (%3, %4)").arg(operation.imageBefore.i()).arg(operation.imageBefore.n()).arg(operation.imageAfter.i()).arg(operation.imageAfter.n());
    column.out.text(QRectF(column.left + side + 6 * u, column.y, column.width - side - 6 * u, height),
        { QStringLiteral("%1 key %2: bucket %3, %4%5: %6").arg(kind).arg(operation.key).arg(wayWords(operation), hops, image, result),
            QStringLiteral("%1 key %2: bucket %3, %4%5").arg(kind).arg(operation.key).arg(wayWords(operation), hops, image),
            QStringLiteral("key %1: bucket %2, %3").arg(operation.key).arg(wayWords(operation), hops), QStringLiteral("key %1: %2").arg(operation.key).arg(wayWords(operation)) },
        kSmall, theme.text);
    column.y += height;
}

void drawHops(Column& column, const ClientState& client, std::uint32_t buckets)
{
    const Theme& theme = column.theme;
    const qreal u = theme.px(1), height = theme.lineHeight(kSmall) + 2 * u;
    const std::uint64_t most = std::max<std::uint64_t>(1, *std::max_element(client.hops.begin(), client.hops.end()));
    const qreal label = theme.metrics(kSmall).horizontalAdvance(QStringLiteral("2 forwards")) + 8 * u;
    const qreal number = theme.metrics(kSmallBold).horizontalAdvance(grouped(most)) + 8 * u;
    for (std::size_t hops = 0; hops < client.hops.size(); ++hops) {
        column.out.text(QRectF(column.left, column.y, label, height), hops == 0 ? QStringLiteral("direct") : hops == 1 ? QStringLiteral("1 forward") : QStringLiteral("2 forwards"), kSmall, theme.muted);
        const qreal wide = std::max(0.0, column.width - label - number) * double(client.hops[hops]) / double(most);
        if (wide >= 1)
            column.out.add(DisplayList::Box { QRectF(column.left + label, column.y + 2 * u, wide, height - 4 * u), Outline::Rectangle, 0, hops == 0 ? theme.good : theme.caution, {}, 1, false, false });
        column.out.text(QRectF(column.left + label + wide + 5 * u, column.y, number, height), grouped(client.hops[hops]), kSmallBold, theme.text);
        column.y += height;
    }
    const double expected = std::log2(std::max(1U, buckets));
    const QString count = QStringLiteral("%1 image adjustments").arg(grouped(client.imageAdjustments));
    column.line({ QStringLiteral("%1   (log₂ M = %2)").arg(count).arg(expected, 0, 'f', 1), count }, kSmall, theme.muted);
}

} // namespace

QString addressWords(std::uint64_t key, std::uint32_t i, std::uint32_t n)
{
    const std::uint64_t low = 1ULL << i, a = key % low;
    const QString first = QStringLiteral("%1 mod %2 = %3").arg(key).arg(low).arg(a);
    if (a >= n)
        return QStringLiteral("%1 ≥ n = %2: bucket %3").arg(first).arg(n).arg(a);
    return QStringLiteral("%1 < n = %2: %3 mod %4 = bucket %5").arg(first).arg(n).arg(key).arg(2 * low).arg(key % (2 * low));
}

ImagePicture drawImages(const ClusterState& state, const Theme& theme, ObjectRef selected, qreal width, DisplayList& out)
{
    const qreal u = theme.px(1), margin = 10 * u;
    Column column { theme, out, margin, width - 2 * margin, 8 * u };
    const FileImage truth { state.file.i, state.file.n };
    std::vector<ProcessId> clients = clientsOf(state);
    if (selected.kind == ObjectKind::Client && state.clients.contains(selected.a))
        clients = { selected.a };
    std::erase_if(clients, [&](ProcessId id) { return !state.clients.contains(id); });
    out.setObject({});
    if (clients.empty() || !state.file.exists || !isValid(truth)) {
        column.line({ state.file.exists ? QStringLiteral("No client yet.") : QStringLiteral("No file yet.") }, kTitle, theme.text);
        column.line({ QStringLiteral("A client’s image will be shown here beside the file’s state."), QStringLiteral("Images will be shown here.") }, kBody, theme.muted);
        return { column.y + margin };
    }
    const std::uint32_t buckets = bucketCount(truth);
    for (const ProcessId id : clients) {
        const ClientState& client = state.clients.at(id);
        const FileImage image = imageOf(client.image);
        if (!isValid(image))
            continue;
        const std::uint32_t believed = bucketCount(image);
        out.setObject({ ObjectKind::Client, id, 0 });
        const QString name = QString::fromStdString(client.name.empty() ? processShown(id, state) : client.name);
        QString mode;
        if (client.mode == pb::FROZEN)
            mode = QStringLiteral(", image frozen");
        else if (client.mode == pb::EXACT)
            mode = QStringLiteral(", asks the coordinator");
        const bool mayBeAhead = state.file.config.merges() || state.file.hasShrunk;
        const QString behind = believed == buckets ? QStringLiteral("exact")
            : believed < buckets                   ? QStringLiteral("%1 behind").arg(buckets - believed)
            : mayBeAhead                           ? QStringLiteral("%1 ahead of the file, which has shrunk").arg(believed - buckets)
                                                   : QStringLiteral("ahead of the file: this must not be");
        column.line({ QStringLiteral("%1%2: image (%3, %4), %5").arg(name, mode).arg(image.i).arg(image.n).arg(behind), QStringLiteral("%1: (%2, %3), %4").arg(name).arg(image.i).arg(image.n).arg(behind) },
            kTitle, believed > buckets && !mayBeAhead ? theme.bad : theme.text);
        column.space(3);
        drawBuckets(column, "truth", buckets, buckets, truth, theme.dataFill);
        drawBuckets(column, "believes", std::min(believed, buckets), buckets, image, theme.good);
        column.line({ QStringLiteral("truth: (i, n) = (%1, %2), M = %3      image: (i', n') = (%4, %5), M' = %6").arg(truth.i).arg(truth.n).arg(buckets).arg(image.i).arg(image.n).arg(believed),
                        QStringLiteral("M = %1, M' = %2").arg(buckets).arg(believed) },
            kSmall, theme.muted);
        if (!client.last.empty()) {
            const OperationState& last = client.last.back();
            const FileImage then = last.imageAdjusted ? imageOf(last.imageBefore) : image;
            column.space(4);
            column.line({ QStringLiteral("The address of key %1, by image and by file:").arg(last.key), QStringLiteral("key %1:").arg(last.key) }, kSmallBold, theme.text);
            column.line({ QStringLiteral("image  %1").arg(addressWords(last.key, then.i, then.n)), addressWords(last.key, then.i, then.n) }, kMono, theme.text);
            column.line({ QStringLiteral("file   %1").arg(addressWords(last.key, truth.i, truth.n)), addressWords(last.key, truth.i, truth.n) }, kMono, theme.text);
            column.space(4);
            column.line({ QStringLiteral("Last operations, newest first") }, kSmallBold, theme.text);
            std::size_t shown = 0;
            for (auto operation = client.last.rbegin(); operation != client.last.rend() && shown < kOperationsShown; ++operation, ++shown)
                drawOperation(column, *operation);
            column.space(4);
            column.line({ QStringLiteral("Operations by forwards") }, kSmallBold, theme.text);
            drawHops(column, client, buckets);
        }
        column.space(6);
        out.setObject({});
        if (id != clients.back()) {
            out.add(DisplayList::Line { { QPointF(column.left, column.y), QPointF(column.left + column.width, column.y) }, theme.grid, 1, false, 0 });
            column.space(8);
        }
    }
    return { column.y + margin };
}

// ---- the widget

ImageView::ImageView(const Pacer& pacer, Selection& selection, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_selection(selection), m_list(m_theme)
{
    setObjectName(QStringLiteral("imageView"));
    setAccessibleName(tr("Client images beside the file state"));
    connect(&m_selection, &Selection::selectionChanged, this, [this] { m_isDirty = true; });
}

bool ImageView::refresh(double seconds)
{
    m_time += seconds;
    if ((m_version != m_pacer.version() && m_time - m_builtAt >= kRebuildEvery) || m_isDirty)
        rebuild();
    return false;
}

void ImageView::rebuild()
{
    m_version = m_pacer.version();
    m_builtAt = m_time;
    m_isDirty = false;
    m_list.clear();
    const ImagePicture picture = drawImages(m_pacer.state(), m_theme, m_selection.selected(), width(), m_list);
    // Inside a scroll area: as high as the content.
    if (minimumHeight() != int(std::ceil(picture.height)))
        setMinimumHeight(int(std::ceil(picture.height)));
    setAccessibleDescription(m_list.texts().join(QStringLiteral(". ")));
    update();
}

void ImageView::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_list.setTheme(theme);
    m_isDirty = true;
}

void ImageView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.card);
    m_list.paint(painter);
}

void ImageView::resizeEvent(QResizeEvent*)
{
    m_isDirty = true;
}

void ImageView::mousePressEvent(QMouseEvent* event)
{
    if (const ObjectRef object = m_list.hitTest(event->position()))
        m_selection.select(object);
}

} // namespace lhrs::gui
