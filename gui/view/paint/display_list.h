// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/object_ref.h"
#include "gui/view/paint/theme.h"

#include <QImage>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

class QIODevice;
class QPainter;

namespace lhrs::gui {

// What a view draws, as a list of primitives. The screen, PNG, SVG, and the text for tests and screen readers are all
// made from it. Later primitives cover earlier ones.
class DisplayList {
public:
    struct Box {
        bool operator==(const Box&) const = default;
        QRectF rect;
        Outline outline = Outline::Rectangle;
        qreal radius = 0; // of rounded corners, or the length of a cut corner
        QColor fill; // invalid: none
        QColor stroke; // invalid: none
        qreal width = 1;
        bool isDashed = false;
        bool isHatched = false; // hatching in the stroke's colour over the fill
        bool isStronglyHatched = false; // like the tape around a closed area
    };
    struct Text {
        bool operator==(const Text&) const = default;
        QRectF box; // the text lies inside; see fit()
        QString text;
        TextStyle style;
        QColor colour;
        Qt::Alignment align;
    };
    struct Mark {
        bool operator==(const Mark&) const = default;
        QRectF rect;
        Glyph glyph = Glyph::None;
        QColor colour;
        QColor halo; // outline around the glyph; invalid: none
    };
    struct Line {
        bool operator==(const Line&) const = default;
        std::vector<QPointF> points;
        QColor colour;
        qreal width = 1;
        bool isDashed = false;
        qreal arrow = 0; // length of the head at the last point
        bool isRibbon = false; // drawn segment by segment, with flat ends
    };
    // A grid of cells, row by row; value 0 is the first colour of the palette.
    struct Cells {
        bool operator==(const Cells&) const = default;
        QRectF rect;
        int columns = 1;
        int pitchX = 4, pitchY = 4; // pixels from cell to cell
        int gap = 1;
        std::vector<std::uint8_t> values;
        std::vector<QColor> palette;
        QColor gapColour;
    };
    using Primitive = std::variant<Box, Text, Mark, Line, Cells>;
    struct Item {
        bool operator==(const Item&) const = default;
        ObjectRef object;
        QRectF clip; // null: none
        Primitive primitive;
    };
    // A part of an object's picture that a term of the glossary explains. Nothing is drawn for it.
    struct Part {
        ObjectRef object;
        QRectF rect;
        std::string_view term; // a literal
    };

    explicit DisplayList(const Theme& theme) : m_theme(theme) { }

    const Theme& theme() const { return m_theme; }
    const std::vector<Item>& items() const { return m_items; }
    const std::vector<Part>& parts() const { return m_parts; }
    void clear()
    {
        m_items.clear();
        m_parts.clear();
    }
    void setTheme(const Theme& theme) { m_theme = theme; }
    // What is added from now on belongs to this object.
    void setObject(ObjectRef object) { m_object = object; }

    // What is added from now on is drawn inside this rectangle only; null: everywhere.
    void setClip(QRectF clip) { m_clip = clip; }

    void add(Primitive primitive) { m_items.push_back({ m_object, m_clip, std::move(primitive) }); }
    void append(const DisplayList& other)
    {
        m_items.insert(m_items.end(), other.m_items.begin(), other.m_items.end());
        m_parts.insert(m_parts.end(), other.m_parts.begin(), other.m_parts.end());
    }
    // This term explains the primitive that was added last; an empty term does nothing.
    void explain(std::string_view term);
    // The term explains everything in the rectangle.
    void explain(const QRectF& rect, std::string_view term);
    // The terms explain these words of the text that was added last; words that are not in the text are ignored.
    void explain(std::initializer_list<std::pair<QString, std::string_view>> words);
    // Adds the first of the wordings, longest first, that fits into the box. If none fits, adds the last one, shortened
    // with an ellipsis, or nothing if not even two letters fit. Returns whether anything was added.
    bool text(const QRectF& box, const QStringList& wordings, TextStyle style, QColor colour,
        Qt::Alignment align = Qt::AlignLeft | Qt::AlignVCenter);
    bool text(const QRectF& box, const QString& wording, TextStyle style, QColor colour,
        Qt::Alignment align = Qt::AlignLeft | Qt::AlignVCenter);

    void paint(QPainter& painter) const;
    QImage toImage(QSize size, qreal scale = 1, QColor background = QColor()) const;
    // Returns false if the device cannot be written.
    bool toSvg(QIODevice& device, QSize size, const QString& title) const;
    // One line per primitive, in order; equal pictures give equal text.
    QString toText() const;
    // Only the readable part: the texts in order.
    QStringList texts() const;
    // The object of the topmost primitive at the point; lines count within 3 pixels.
    ObjectRef hitTest(QPointF point) const;
    // The term of the part at the point, if the part belongs to the object that hitTest() finds there; empty: there is
    // none.
    std::string_view termAt(QPointF point) const;

    // The bounds of everything that belongs to the object; null: nothing does.
    QRectF boundsOf(ObjectRef object) const;

    // The rectangle of the text when it is painted.
    QRectF textRect(const Text& text) const;

private:
    QRectF boundsOf(const Primitive& primitive) const;

    Theme m_theme;
    ObjectRef m_object;
    QRectF m_clip;
    std::vector<Item> m_items;
    std::vector<Part> m_parts;
};

// The outline of a box as a path.
QPainterPath outlinePath(const QRectF& rect, Outline outline, qreal radius);
// Black or white, whichever has more contrast with the background.
QColor inkOn(QColor background);
// The glyph as a picture for a button.
QImage glyphImage(Glyph glyph, QColor colour, int pixels);

} // namespace lhrs::gui
