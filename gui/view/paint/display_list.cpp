// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/paint/display_list.h"

#include <QBuffer>
#include <QPaintEngine>
#include <QPainter>
#include <QPolygonF>
#include <QSvgGenerator>

#include <algorithm>
#include <array>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr qreal kPooledHeight = 30; // pixels; Qt fills lower areas without its thread pool

template <class... Ts> struct Overloaded : Ts... {
    using Ts::operator()...;
};

// Straight edges on whole pixels need no smoothing. Qt hands smoothed areas of more than a few lines to a thread pool
// and waits for it, which costs more than the fill when the processors are busy.
QRect onPixels(const QRectF& rect)
{
    const int x = qRound(rect.left()), y = qRound(rect.top());
    return { x, y, std::max(1, qRound(rect.right()) - x), std::max(1, qRound(rect.bottom()) - y) };
}

void paintFrame(QPainter& p, const QRect& rect, int cut, int width, QColor colour)
{
    const int outside = width / 2;
    const QRect r = rect.adjusted(-outside, -outside, outside, outside);
    p.fillRect(r.left() + cut, r.top(), r.width() - 2 * cut, width, colour);
    p.fillRect(r.left() + cut, r.bottom() + 1 - width, r.width() - 2 * cut, width, colour);
    const int sides = cut > 0 ? cut : width;
    p.fillRect(r.left(), r.top() + sides, width, r.height() - 2 * sides, colour);
    p.fillRect(r.right() + 1 - width, r.top() + sides, width, r.height() - 2 * sides, colour);
}

// Paints a rectangle, or one with cut corners, without dashes and hatching.
void paintStraightBox(QPainter& p, const DisplayList::Box& box, qreal stroke)
{
    const QRect rect = onPixels(box.rect);
    const int cut = box.outline == Outline::CutCorners
        ? std::min({ qRound(box.radius), rect.width() / 2, rect.height() / 2 })
        : 0;
    const QRectF r(rect);
    const QPointF top[] { { r.left() + cut, r.top() }, { r.right() - cut, r.top() }, { r.right(), r.top() + cut },
        { r.left(), r.top() + cut } };
    const QPointF bottom[] { { r.left(), r.bottom() - cut }, { r.right(), r.bottom() - cut },
        { r.right() - cut, r.bottom() }, { r.left() + cut, r.bottom() } };
    if (box.fill.isValid()) {
        p.fillRect(rect.adjusted(0, cut, 0, -cut), box.fill);
        if (cut > 0) {
            p.setPen(Qt::NoPen);
            p.setBrush(box.fill);
            p.drawConvexPolygon(top, 4);
            p.drawConvexPolygon(bottom, 4);
        }
    }
    if (!box.stroke.isValid())
        return;
    paintFrame(p, rect, cut, std::max(1, qRound(box.width * stroke)), box.stroke);
    if (cut > 0) {
        p.setPen(QPen(box.stroke, std::max(1.0, box.width * stroke)));
        const QLineF corners[] { { top[3], top[0] }, { top[1], top[2] }, { bottom[1], bottom[2] },
            { bottom[3], bottom[0] } };
        p.drawLines(corners, 4);
    }
}

// Paints a rectangle with rounded corners, without dashes and hatching. Only its corners are smoothed, and they are too
// small for the thread pool.
void paintRoundedBox(QPainter& p, const DisplayList::Box& box, qreal stroke)
{
    const QRect r = onPixels(box.rect);
    const int radius = std::min({ std::max(1, qRound(box.radius)), r.width() / 2, r.height() / 2 });
    const int right = r.right() + 1, bottom = r.bottom() + 1;
    struct Corner {
        QPoint centre;
        int from; // degrees, anticlockwise from the right
    };
    const Corner corners[] {
        { { right - radius, r.top() + radius }, 0 },
        { { r.left() + radius, r.top() + radius }, 90 },
        { { r.left() + radius, bottom - radius }, 180 },
        { { right - radius, bottom - radius }, 270 },
    };
    const auto around = [](QPoint centre, qreal reach) {
        return QRectF(centre.x() - reach, centre.y() - reach, 2 * reach, 2 * reach);
    };
    constexpr int kDegree = 16, kQuarter = 90 * kDegree; // Qt's unit
    if (box.fill.isValid()) {
        p.fillRect(r.adjusted(radius, 0, -radius, 0), box.fill);
        p.fillRect(r.left(), r.top() + radius, radius, r.height() - 2 * radius, box.fill);
        p.fillRect(right - radius, r.top() + radius, radius, r.height() - 2 * radius, box.fill);
        p.setPen(Qt::NoPen);
        p.setBrush(box.fill);
        for (const Corner& corner : corners)
            p.drawPie(around(corner.centre, radius), corner.from * kDegree, kQuarter);
    }
    if (!box.stroke.isValid())
        return;
    const int width = std::max(1, qRound(box.width * stroke)), outside = width / 2;
    const QRect o = r.adjusted(-outside, -outside, outside, outside);
    const int across = r.width() - 2 * radius, down = r.height() - 2 * radius;
    p.fillRect(r.left() + radius, o.top(), across, width, box.stroke);
    p.fillRect(r.left() + radius, o.bottom() + 1 - width, across, width, box.stroke);
    p.fillRect(o.left(), r.top() + radius, width, down, box.stroke);
    p.fillRect(o.right() + 1 - width, r.top() + radius, width, down, box.stroke);
    p.setPen(QPen(box.stroke, width, Qt::SolidLine, Qt::FlatCap));
    p.setBrush(Qt::NoBrush);
    const qreal middle = radius + outside - width / 2.0;
    for (const Corner& corner : corners)
        if (middle > 0)
            p.drawArc(around(corner.centre, middle), corner.from * kDegree, kQuarter);
}

void paintBox(QPainter& p, const DisplayList::Box& box, qreal stroke)
{
    const bool isStraight = box.outline == Outline::Rectangle || box.outline == Outline::CutCorners;
    const bool isPlain = !box.isHatched && !box.isStronglyHatched && !(box.isDashed && box.stroke.isValid());
    const bool isLargeRounded = box.outline == Outline::Rounded && box.rect.height() > kPooledHeight;
    if (isPlain && p.paintEngine()->type() == QPaintEngine::Raster && (isStraight || isLargeRounded)) {
        isStraight ? paintStraightBox(p, box, stroke) : paintRoundedBox(p, box, stroke);
        return;
    }
    QPen pen(Qt::NoPen);
    if (box.stroke.isValid()) {
        pen = QPen(box.stroke, box.width * stroke);
        pen.setJoinStyle(Qt::MiterJoin);
        if (box.isDashed)
            pen.setDashPattern({ 4, 3 });
    }
    const QBrush brush = box.fill.isValid() ? QBrush(box.fill) : QBrush(Qt::NoBrush);
    if (box.outline == Outline::Rectangle && pen.style() == Qt::NoPen && !box.isHatched) {
        p.fillRect(box.rect, brush);
        return;
    }
    p.setPen(pen);
    p.setBrush(brush);
    switch (box.outline) {
    case Outline::Rectangle: p.drawRect(box.rect); break;
    case Outline::Rounded: p.drawRoundedRect(box.rect, box.radius, box.radius); break;
    case Outline::Circle: p.drawEllipse(box.rect); break;
    case Outline::CutCorners:
    case Outline::Diamond: p.drawPath(outlinePath(box.rect, box.outline, box.radius)); break;
    }
    if (box.isStronglyHatched) {
        constexpr qreal kBand = 3, kPitch = 8;
        p.save();
        p.setClipPath(outlinePath(box.rect, box.outline, box.radius), Qt::IntersectClip);
        p.setPen(QPen(box.stroke, kBand, Qt::SolidLine, Qt::FlatCap));
        // Hatching of neighbouring boxes meets, because its lines are the diagonals of the view.
        const qreal from = std::floor((box.rect.left() + box.rect.top()) / kPitch) * kPitch,
                    to = box.rect.right() + box.rect.bottom();
        for (qreal sum = from; sum <= to + kPitch; sum += kPitch)
            p.drawLine(QPointF(sum - box.rect.top() + kPitch, box.rect.top() - kPitch),
                QPointF(sum - box.rect.bottom() - kPitch, box.rect.bottom() + kPitch));
        p.restore();
    } else if (box.isHatched && box.stroke.isValid()) {
        QColor hatch = box.stroke;
        hatch.setAlpha(70);
        p.setPen(Qt::NoPen);
        p.setBrush(QBrush(hatch, Qt::BDiagPattern));
        p.drawPath(outlinePath(box.rect, box.outline, box.radius));
    }
}

void paintMark(QPainter& p, const DisplayList::Mark& mark)
{
    const GlyphPath& glyph = glyphPath(mark.glyph);
    QTransform place;
    place.translate(mark.rect.x(), mark.rect.y());
    place.scale(mark.rect.width(), mark.rect.height());
    const QPainterPath path = place.map(glyph.path);
    const qreal stroke = std::max(1.4, mark.rect.width() * 0.16);
    if (mark.halo.isValid()) {
        QPen halo(mark.halo, (glyph.isStroked ? stroke : 0) + 3);
        halo.setJoinStyle(Qt::RoundJoin);
        halo.setCapStyle(Qt::RoundCap);
        p.strokePath(path, halo);
    }
    if (!glyph.isStroked) {
        p.setPen(Qt::NoPen);
        p.setBrush(mark.colour);
        p.drawPath(path);
        return;
    }
    QPen pen(mark.colour, stroke);
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setCapStyle(Qt::RoundCap);
    p.strokePath(path, pen);
}

void paintLine(QPainter& p, const DisplayList::Line& line, qreal stroke)
{
    if (line.points.size() < 2)
        return;
    QPen pen(line.colour, line.width * stroke);
    if (line.isRibbon && p.paintEngine()->type() == QPaintEngine::Raster) {
        pen.setCapStyle(Qt::FlatCap); // straight segments need no stroker
        p.setPen(pen);
        for (std::size_t i = 1; i < line.points.size(); ++i)
            p.drawLine(line.points[i - 1], line.points[i]);
        return;
    }
    pen.setCapStyle(Qt::RoundCap);
    pen.setJoinStyle(Qt::RoundJoin);
    if (line.isDashed)
        pen.setDashPattern({ 3, 3 });
    p.setPen(pen);
    p.setBrush(Qt::NoBrush);
    p.drawPolyline(line.points.data(), int(line.points.size()));
    if (line.arrow > 0) {
        const QPointF tip = line.points.back();
        const QLineF back(tip, line.points[line.points.size() - 2]);
        if (back.length() < 0.01)
            return;
        const QPointF along = (back.p2() - back.p1()) / back.length() * line.arrow;
        const QPointF across(-along.y() * 0.5, along.x() * 0.5);
        const QPointF head[3] { tip, tip + along + across, tip + along - across };
        p.setPen(Qt::NoPen);
        p.setBrush(line.colour);
        p.drawPolygon(head, 3);
    }
}

void paintCells(QPainter& p, const DisplayList::Cells& cells)
{
    const bool smooth = p.testRenderHint(QPainter::Antialiasing);
    p.setRenderHint(QPainter::Antialiasing, false);
    const int size = int(cells.values.size());
    const int rows = (size + cells.columns - 1) / cells.columns;
    const int x0 = qRound(cells.rect.x()), y0 = qRound(cells.rect.y()), height = std::max(1, cells.pitchY - cells.gap);
    for (int row = 0; row < rows; ++row) {
        const int end = std::min(size, (row + 1) * cells.columns);
        for (int i = row * cells.columns; i < end;) {
            int next = i + 1;
            while (next < end && cells.values[std::size_t(next)] == cells.values[std::size_t(i)])
                ++next;
            const int column = i - row * cells.columns;
            const std::size_t shade = std::min<std::size_t>(cells.values[std::size_t(i)], cells.palette.size() - 1);
            p.fillRect(x0 + column * cells.pitchX, y0 + row * cells.pitchY, (next - i) * cells.pitchX - cells.gap,
                height, cells.palette[shade]);
            i = next;
        }
    }
    if (cells.gap > 0) {
        const int bottom = rows * cells.pitchY - cells.gap;
        for (int column = 1; column < cells.columns; ++column)
            p.fillRect(x0 + column * cells.pitchX - cells.gap, y0, cells.gap, bottom, cells.gapColour);
    }
    p.setRenderHint(QPainter::Antialiasing, smooth);
}

QString rectText(const QRectF& r)
{
    return QStringLiteral("%1,%2 %3x%4")
        .arg(qRound(r.x()))
        .arg(qRound(r.y()))
        .arg(qRound(r.width()))
        .arg(qRound(r.height()));
}

QString objectText(ObjectRef o)
{
    using Names = std::array<const char*, std::size_t(ObjectKind::Node) + 1>; // ObjectKind lists those of every system
    static constexpr Names kNames { "-", "data", "parity", "dummy", "group", "spare", "displaced", "client",
        "coordinator", "pool", "file", "message", "fault", "node" };
    return QStringLiteral("[%1 %2.%3]").arg(QLatin1String(kNames[std::size_t(o.kind)])).arg(o.a).arg(o.b);
}

qreal distanceTo(const DisplayList::Line& line, QPointF point)
{
    qreal best = 1e9;
    for (std::size_t i = 1; i < line.points.size(); ++i) {
        const QPointF a = line.points[i - 1], d = line.points[i] - a;
        const qreal length2 = QPointF::dotProduct(d, d);
        const qreal t = length2 > 0 ? std::clamp(QPointF::dotProduct(point - a, d) / length2, 0.0, 1.0) : 0.0;
        best = std::min(best, QLineF(point, a + t * d).length());
    }
    return best;
}

} // namespace

QPainterPath outlinePath(const QRectF& rect, Outline outline, qreal radius)
{
    QPainterPath path;
    switch (outline) {
    case Outline::Rectangle: path.addRect(rect); break;
    case Outline::Rounded: path.addRoundedRect(rect, radius, radius); break;
    case Outline::Circle: path.addEllipse(rect); break;
    case Outline::Diamond:
        path.moveTo(rect.center().x(), rect.top());
        path.lineTo(rect.right(), rect.center().y());
        path.lineTo(rect.center().x(), rect.bottom());
        path.lineTo(rect.left(), rect.center().y());
        path.closeSubpath();
        break;
    case Outline::CutCorners: {
        const qreal cut = std::min({ radius, rect.width() / 2, rect.height() / 2 });
        path.moveTo(rect.left() + cut, rect.top());
        path.lineTo(rect.right() - cut, rect.top());
        path.lineTo(rect.right(), rect.top() + cut);
        path.lineTo(rect.right(), rect.bottom() - cut);
        path.lineTo(rect.right() - cut, rect.bottom());
        path.lineTo(rect.left() + cut, rect.bottom());
        path.lineTo(rect.left(), rect.bottom() - cut);
        path.lineTo(rect.left(), rect.top() + cut);
        path.closeSubpath();
        break;
    }
    }
    return path;
}

QColor inkOn(QColor background)
{
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    const double luminance = 0.2126 * linear(background.redF()) + 0.7152 * linear(background.greenF())
        + 0.0722 * linear(background.blueF());
    // At this luminance black and white have the same contrast.
    return luminance > 0.179 ? QColor(0x10, 0x12, 0x16) : QColor(Qt::white);
}

QImage glyphImage(Glyph glyph, QColor colour, int pixels)
{
    QImage image(pixels, pixels, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    const qreal margin = pixels * 0.1;
    paintMark(painter, { QRectF(margin, margin, pixels - 2 * margin, pixels - 2 * margin), glyph, colour, {} });
    return image;
}

bool DisplayList::text(const QRectF& box, const QString& wording, TextStyle style, QColor colour, Qt::Alignment align)
{
    return text(box, QStringList { wording }, style, colour, align);
}

bool DisplayList::text(
    const QRectF& box, const QStringList& wordings, TextStyle style, QColor colour, Qt::Alignment align)
{
    const QFontMetricsF& metrics = m_theme.metrics(style);
    if (box.height() < metrics.ascent() || wordings.isEmpty())
        return false;
    for (const QString& wording : wordings) {
        if (wording.isEmpty())
            return false;
        if (m_theme.width(style, wording) <= box.width()) {
            add(Text { box, wording, style, colour, align });
            return true;
        }
    }
    const QString shortened = metrics.elidedText(wordings.back(), Qt::ElideRight, box.width());
    if (shortened.size() < 3 || m_theme.width(style, shortened) > box.width())
        return false;
    add(Text { box, shortened, style, colour, align });
    return true;
}

QRectF DisplayList::boundsOf(ObjectRef object) const
{
    QRectF all;
    for (const Item& item : m_items) {
        if (item.object != object || !object)
            continue;
        all = all.united(boundsOf(item.primitive));
    }
    return all;
}

QRectF DisplayList::boundsOf(const Primitive& primitive) const
{
    return std::visit(
        Overloaded {
            [&](const Box& b) { return b.rect; },
            [&](const Text& t) { return textRect(t); },
            [&](const Mark& m) { return m.rect; },
            [&](const Line& l) { return QPolygonF(QList<QPointF>(l.points.begin(), l.points.end())).boundingRect(); },
            [&](const Cells& c) { return c.rect; },
        },
        primitive);
}

void DisplayList::explain(std::string_view term)
{
    if (!m_items.empty())
        explain(boundsOf(m_items.back().primitive), term);
}

void DisplayList::explain(const QRectF& rect, std::string_view term)
{
    if (!term.empty())
        m_parts.push_back({ m_object, rect, term });
}

void DisplayList::explain(std::initializer_list<std::pair<QString, std::string_view>> words)
{
    const auto* text = m_items.empty() ? nullptr : std::get_if<Text>(&m_items.back().primitive);
    if (!text)
        return;
    const QRectF whole = textRect(*text);
    for (const auto& [part, term] : words) {
        const qsizetype at = text->text.indexOf(part);
        if (at < 0 || part.isEmpty())
            continue;
        const qreal left = whole.left() + m_theme.width(text->style, text->text.left(at)),
                    wide = m_theme.width(text->style, part);
        explain(QRectF(left, whole.top(), wide, whole.height()), term);
    }
}

QRectF DisplayList::textRect(const Text& text) const
{
    const QFontMetricsF& metrics = m_theme.metrics(text.style);
    const QSizeF size(m_theme.width(text.style, text.text), std::min(metrics.height(), text.box.height()));
    QRectF rect(text.box.topLeft(), size);
    if (text.align & Qt::AlignRight)
        rect.moveRight(text.box.right());
    else if (text.align & Qt::AlignHCenter)
        rect.moveLeft(text.box.center().x() - size.width() / 2);
    if (text.align & Qt::AlignBottom)
        rect.moveBottom(text.box.bottom());
    else if (text.align & Qt::AlignVCenter)
        rect.moveTop(text.box.center().y() - size.height() / 2);
    return rect;
}

void DisplayList::paint(QPainter& painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    const auto paintText = [&](const Text& text) {
        const QFontMetricsF& metrics = m_theme.metrics(text.style);
        const QRectF rect = textRect(text);
        painter.setFont(m_theme.font(text.style));
        painter.setPen(text.colour);
        painter.drawText(
            QPointF(rect.left(), rect.center().y() + (metrics.ascent() - metrics.descent()) / 2), text.text);
    };
    QRectF clip;
    painter.save();
    for (const Item& item : m_items) {
        if (item.clip != clip) {
            painter.restore();
            painter.save();
            clip = item.clip;
            if (!clip.isNull())
                painter.setClipRect(clip);
        }
        std::visit(Overloaded {
                       [&](const Box& box) { paintBox(painter, box, m_theme.stroke()); },
                       [&](const Text& text) { paintText(text); },
                       [&](const Mark& mark) { paintMark(painter, mark); },
                       [&](const Line& line) { paintLine(painter, line, m_theme.stroke()); },
                       [&](const Cells& cells) { paintCells(painter, cells); },
                   },
            item.primitive);
    }
    painter.restore();
}

QImage DisplayList::toImage(QSize size, qreal scale, QColor background) const
{
    QImage image(
        QSize(qRound(size.width() * scale), qRound(size.height() * scale)), QImage::Format_ARGB32_Premultiplied);
    image.fill(background.isValid() ? background : m_theme.canvas);
    QPainter painter(&image);
    painter.scale(scale, scale);
    paint(painter);
    return image;
}

bool DisplayList::toSvg(QIODevice& device, QSize size, const QString& title) const
{
    QSvgGenerator generator;
    generator.setOutputDevice(&device);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(title);
    generator.setResolution(96);
    QPainter painter;
    if (!painter.begin(&generator))
        return false;
    painter.fillRect(QRect(QPoint(0, 0), size), m_theme.canvas);
    paint(painter);
    return painter.end();
}

QString DisplayList::toText() const
{
    QString out;
    for (const Item& item : m_items) {
        out += objectText(item.object) + QLatin1Char(' ');
        out += std::visit(
            Overloaded {
                [](const Box& b) {
                    return QStringLiteral("box %1 %2%3%4")
                        .arg(rectText(b.rect), b.fill.isValid() ? b.fill.name() : QStringLiteral("-"),
                            b.isDashed ? QStringLiteral(" dashed") : QString(),
                            b.isHatched ? QStringLiteral(" hatched") : QString());
                },
                [](const Text& t) { return QStringLiteral("text %1 \"%2\"").arg(rectText(t.box), t.text); },
                [](const Mark& m) {
                    return QStringLiteral("mark %1 %2").arg(rectText(m.rect), QLatin1String(glyphName(m.glyph)));
                },
                [](const Line& l) {
                    return QStringLiteral("line %1 points%2")
                        .arg(l.points.size())
                        .arg(l.isDashed ? QStringLiteral(" dashed") : QString());
                },
                [](const Cells& c) {
                    return QStringLiteral("cells %1 %2 of %3")
                        .arg(rectText(c.rect))
                        .arg(std::count_if(c.values.begin(), c.values.end(), [](auto v) { return v != 0; }))
                        .arg(c.values.size());
                },
            },
            item.primitive);
        out += QLatin1Char('\n');
    }
    return out;
}

QStringList DisplayList::texts() const
{
    QStringList out;
    for (const Item& item : m_items) {
        if (const auto* text = std::get_if<Text>(&item.primitive))
            out << text->text;
    }
    return out;
}

ObjectRef DisplayList::hitTest(QPointF point) const
{
    for (auto item = m_items.rbegin(); item != m_items.rend(); ++item) {
        if (!item->object || (!item->clip.isNull() && !item->clip.contains(point)))
            continue;
        const bool hit = std::visit(
            Overloaded {
                [&](const Box& b) {
                    return b.rect.contains(point) && outlinePath(b.rect, b.outline, b.radius).contains(point);
                },
                [&](const Text& t) { return textRect(t).contains(point); },
                [&](const Mark& m) { return m.rect.contains(point); },
                [&](const Line& l) { return distanceTo(l, point) <= std::max(3.0, l.width / 2); },
                [&](const Cells& c) { return c.rect.contains(point); },
            },
            item->primitive);
        if (hit)
            return item->object;
    }
    return {};
}

std::string_view DisplayList::termAt(QPointF point) const
{
    const ObjectRef object = hitTest(point);
    const auto part = std::find_if(
        m_parts.rbegin(), m_parts.rend(), [&](const Part& p) { return p.object == object && p.rect.contains(point); });
    return part == m_parts.rend() ? std::string_view() : part->term;
}

} // namespace lhrs::gui
