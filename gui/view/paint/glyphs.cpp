// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/paint/theme.h"

#include <numbers>

namespace lhrs::gui {

namespace {

QPainterPath polygon(std::initializer_list<QPointF> points)
{
    QPainterPath path;
    path.addPolygon(QPolygonF(QList<QPointF>(points)));
    path.closeSubpath();
    return path;
}

void line(QPainterPath& path, QPointF from, QPointF to)
{
    path.moveTo(from);
    path.lineTo(to);
}

GlyphPath filled(QPainterPath path) { return { std::move(path), false }; }

GlyphPath stroked(QPainterPath path) { return { std::move(path), true }; }

GlyphPath make(Glyph glyph)
{
    QPainterPath p;
    switch (glyph) {
    case Glyph::None: break;
    case Glyph::Dots:
        for (int i = 0; i < 3; ++i)
            p.addEllipse(QPointF(0.18 + 0.32 * i, 0.5), 0.12, 0.12);
        return filled(p);
    case Glyph::Fork:
        line(p, { 0.5, 0.95 }, { 0.5, 0.55 });
        p.lineTo(0.15, 0.12);
        line(p, { 0.5, 0.55 }, { 0.85, 0.12 });
        return stroked(p);
    case Glyph::Cross:
        line(p, { 0.12, 0.12 }, { 0.88, 0.88 });
        line(p, { 0.88, 0.12 }, { 0.12, 0.88 });
        return stroked(p);
    case Glyph::Gone: // an empty place
        p.addEllipse(QPointF(0.5, 0.5), 0.4, 0.4);
        line(p, { 0.85, 0.15 }, { 0.15, 0.85 });
        return stroked(p);
    case Glyph::Question:
        p.moveTo(0.22, 0.3);
        p.cubicTo(0.22, -0.06, 0.8, -0.06, 0.8, 0.3);
        p.cubicTo(0.8, 0.5, 0.5, 0.48, 0.5, 0.7);
        p.addEllipse(QPointF(0.5, 0.92), 0.04, 0.04);
        return stroked(p);
    case Glyph::Hourglass:
        return filled(
            polygon({ { 0.12, 0.04 }, { 0.88, 0.04 }, { 0.56, 0.5 }, { 0.88, 0.96 }, { 0.12, 0.96 }, { 0.44, 0.5 } }));
    case Glyph::Turning: // most of a circle, with an arrowhead at its end
        p.arcMoveTo(QRectF(0.12, 0.12, 0.76, 0.76), 40);
        p.arcTo(QRectF(0.12, 0.12, 0.76, 0.76), 40, 280);
        line(p, { 0.98, 0.5 }, { 0.79, 0.74 });
        p.lineTo(0.58, 0.52);
        return stroked(p);
    case Glyph::DoubleCross:
        for (const double y : { 0.0, 0.46 }) {
            line(p, { 0.2, 0.06 + y }, { 0.8, 0.48 + y });
            line(p, { 0.8, 0.06 + y }, { 0.2, 0.48 + y });
        }
        return stroked(p);
    case Glyph::Flag:
        p = polygon({ { 0.2, 0.08 }, { 0.92, 0.3 }, { 0.3, 0.54 }, { 0.3, 0.98 }, { 0.16, 0.98 }, { 0.16, 0.08 } });
        return filled(p);
    case Glyph::Cut: // two ends of a line, with a double bar between them
        line(p, { 0.0, 0.5 }, { 0.26, 0.5 });
        line(p, { 0.74, 0.5 }, { 1.0, 0.5 });
        line(p, { 0.32, 0.08 }, { 0.32, 0.92 });
        line(p, { 0.68, 0.08 }, { 0.68, 0.92 });
        return stroked(p);
    case Glyph::Alarm: // a bell
        p.moveTo(0.08, 0.76);
        p.cubicTo(0.3, 0.6, 0.12, 0.1, 0.5, 0.06);
        p.cubicTo(0.88, 0.1, 0.7, 0.6, 0.92, 0.76);
        p.closeSubpath();
        p.addEllipse(QPointF(0.5, 0.88), 0.12, 0.1);
        return filled(p);
    case Glyph::Clock:
        p.addEllipse(QPointF(0.5, 0.5), 0.42, 0.42);
        line(p, { 0.5, 0.22 }, { 0.5, 0.5 });
        p.lineTo(0.7, 0.6);
        return stroked(p);
    case Glyph::Ring: p.addEllipse(QPointF(0.5, 0.5), 0.38, 0.38); return stroked(p);
    case Glyph::Hand: // an arrow that points up and out: "here I am"
        return filled(polygon({ { 0.5, 0.05 }, { 0.92, 0.5 }, { 0.66, 0.5 }, { 0.66, 0.95 }, { 0.34, 0.95 },
            { 0.34, 0.5 }, { 0.08, 0.5 } }));
    case Glyph::Warning:
        p = polygon({ { 0.5, 0.04 }, { 0.98, 0.94 }, { 0.02, 0.94 } });
        p.addRect(QRectF(0.44, 0.32, 0.12, 0.3));
        p.addRect(QRectF(0.44, 0.7, 0.12, 0.12));
        return filled(p);
    case Glyph::Operation: return filled(polygon({ { 0.12, 0.05 }, { 0.95, 0.5 }, { 0.12, 0.95 } }));
    case Glyph::Reply: return filled(polygon({ { 0.88, 0.05 }, { 0.05, 0.5 }, { 0.88, 0.95 } }));
    case Glyph::Image:
        p.addEllipse(QPointF(0.5, 0.5), 0.45, 0.3);
        p.addEllipse(QPointF(0.5, 0.5), 0.18, 0.18);
        return filled(p);
    case Glyph::Change: return filled(polygon({ { 0.5, 0.05 }, { 0.97, 0.92 }, { 0.03, 0.92 } }));
    case Glyph::Ack:
        line(p, { 0.1, 0.55 }, { 0.4, 0.85 });
        p.lineTo(0.92, 0.15);
        return stroked(p);
    case Glyph::Control: return filled(polygon({ { 0.5, 0.02 }, { 0.98, 0.5 }, { 0.5, 0.98 }, { 0.02, 0.5 } }));
    case Glyph::Recruit:
        line(p, { 0.5, 0.08 }, { 0.5, 0.92 });
        line(p, { 0.08, 0.5 }, { 0.92, 0.5 });
        return stroked(p);
    case Glyph::Bulk:
        for (int i = 0; i < 3; ++i)
            p.addRect(QRectF(0.05, 0.05 + 0.33 * i, 0.9, 0.22));
        return filled(p);
    case Glyph::Live: p.addEllipse(QPointF(0.5, 0.5), 0.4, 0.4); return filled(p);
    case Glyph::Simulated:
        for (int i = 0; i < 6; ++i) {
            const qreal a = std::numbers::pi / 3 * i;
            const QPointF corner(0.5 + 0.45 * std::cos(a), 0.5 + 0.45 * std::sin(a));
            if (i == 0)
                p.moveTo(corner);
            else
                p.lineTo(corner);
        }
        p.closeSubpath();
        return stroked(p);
    case Glyph::Play: return filled(polygon({ { 0.2, 0.08 }, { 0.92, 0.5 }, { 0.2, 0.92 } }));
    case Glyph::Pause:
        p.addRect(QRectF(0.15, 0.1, 0.25, 0.8));
        p.addRect(QRectF(0.6, 0.1, 0.25, 0.8));
        return filled(p);
    case Glyph::Next:
        p = polygon({ { 0.1, 0.08 }, { 0.7, 0.5 }, { 0.1, 0.92 } });
        p.addRect(QRectF(0.74, 0.1, 0.16, 0.8));
        return filled(p);
    case Glyph::Stop: p.addRect(QRectF(0.15, 0.15, 0.7, 0.7)); return filled(p);
    case Glyph::Barrier: // a bar across the road, on its post
        line(p, { 0.2, 0.98 }, { 0.2, 0.15 });
        line(p, { 0.05, 0.32 }, { 0.98, 0.32 });
        line(p, { 0.55, 0.32 }, { 0.45, 0.55 });
        line(p, { 0.85, 0.32 }, { 0.75, 0.55 });
        return stroked(p);
    case Glyph::Gate: // closed, with its rails
        line(p, { 0.1, 0.05 }, { 0.1, 0.95 });
        line(p, { 0.9, 0.05 }, { 0.9, 0.95 });
        line(p, { 0.1, 0.25 }, { 0.9, 0.25 });
        line(p, { 0.1, 0.75 }, { 0.9, 0.75 });
        line(p, { 0.1, 0.75 }, { 0.9, 0.25 });
        return stroked(p);
    }
    return filled(p);
}

} // namespace

const GlyphPath& glyphPath(Glyph glyph)
{
    static const auto kPaths = [] {
        std::array<GlyphPath, std::size_t(Glyph::Gate) + 1> paths;
        for (std::size_t i = 0; i < paths.size(); ++i)
            paths[i] = make(Glyph(i));
        return paths;
    }();
    return kPaths[std::size_t(glyph)];
}

const char* glyphName(Glyph glyph)
{
    static constexpr std::array<const char*, std::size_t(Glyph::Gate) + 1> kNames { "none", "dots", "fork", "cross",
        "gone", "question", "hourglass", "turning", "double cross", "flag", "cut", "alarm", "clock", "ring", "hand",
        "warning", "operation", "reply", "image", "change", "ack", "control", "recruit", "bulk", "live", "simulated",
        "play", "pause", "next", "stop", "barrier", "gate" };
    return kNames[std::size_t(glyph)];
}

} // namespace lhrs::gui
