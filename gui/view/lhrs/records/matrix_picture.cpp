// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/records/matrix_picture.h"

#include "gui/view/lhrs/words/file_looks.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr TextStyle kSymbol { TextSize::Small, true };
constexpr TextStyle kCaption { TextSize::Strong, true };
constexpr qreal kBar = 9, kBracket = 5; // pixels at 100 %

qreal nameWidth(const Theme& theme, const QStringList& names)
{
    qreal widest = 0;
    for (const QString& name : names)
        widest = std::max(widest, theme.width(kSymbol, name));
    return widest > 0 ? widest + theme.px(8) : 0;
}

// The widest text of any symbol of the field.
QString widestSymbol(const Field& field, SymbolBase base)
{
    return base == SymbolBase::Hex ? QString(qsizetype(2 * field.symbolBytes()), QLatin1Char('0'))
                                   : QString::number(field.symbolMax());
}

} // namespace

SymbolFace symbolFace(const Theme& theme, const Field& field, SymbolBase base, qreal width, std::uint32_t columns,
    const QStringList& names)
{
    SymbolFace face;
    face.nameWidth = nameWidth(theme, names);
    const qreal room = width - face.nameWidth - theme.px(kBar + 2 * kBracket);
    for (const TextSize size : { TextSize::Title, TextSize::Strong, TextSize::Body, TextSize::Small }) {
        face.style = { size, false, true };
        face.cellWidth = theme.width(face.style, widestSymbol(field, base))
            + theme.px(size == TextSize::Small ? 6 : 10);
        face.cellHeight = theme.lineHeight(face.style) + theme.px(size == TextSize::Small ? 2 : 5);
        if (face.cellWidth * columns <= room)
            return face;
    }
    face.hasDigits = false;
    face.cellWidth = face.cellHeight = std::max(2.0, std::min(theme.px(14), room / std::max(1U, columns)));
    return face;
}

QSizeF matrixSize(const Theme& theme, const MatrixDrawing& drawing, const SymbolFace& face)
{
    const SymbolMatrix& matrix = *drawing.matrix;
    qreal wide = (drawing.rowNames.isEmpty() ? 0 : face.nameWidth) + theme.px(2 * kBracket)
        + face.cellWidth * matrix.columns;
    if (drawing.beside)
        wide += theme.px(kBar) + face.cellWidth * drawing.beside->columns;
    qreal high = face.cellHeight * matrix.rows;
    if (!drawing.name.isEmpty())
        high += theme.lineHeight(kCaption) + theme.px(2);
    if (!drawing.columnNames.isEmpty())
        high += theme.lineHeight(kSymbol) + theme.px(1);
    return { wide, high };
}

void drawMatrix(DisplayList& out, const MatrixDrawing& drawing, const SymbolFace& face, const Field& field,
    SymbolBase base, QPointF at)
{
    const Theme& theme = out.theme();
    const qreal u = theme.px(1);
    const SymbolMatrix& matrix = *drawing.matrix;
    const std::uint32_t columns = matrix.columns + (drawing.beside ? drawing.beside->columns : 0);
    out.setObject(drawing.object);
    qreal y = at.y();
    const qreal left = at.x() + (drawing.rowNames.isEmpty() ? 0 : face.nameWidth) + kBracket * u;
    const auto xOf = [&](std::uint32_t column) {
        return left + face.cellWidth * column + (column >= matrix.columns ? kBar * u : 0);
    };
    const qreal right = xOf(columns - 1) + face.cellWidth;
    if (!drawing.name.isEmpty()) {
        out.text(
            QRectF(left - kBracket * u, y, std::max(right - left, 90 * u) + kBracket * u, theme.lineHeight(kCaption)),
            drawing.name, kCaption, theme.text);
        y += theme.lineHeight(kCaption) + 2 * u;
    }
    if (!drawing.columnNames.isEmpty()) {
        for (std::uint32_t column = 0; column < columns && int(column) < drawing.columnNames.size(); ++column) {
            const QRectF box(xOf(column), y, face.cellWidth, theme.lineHeight(kSymbol));
            if (theme.width(kSymbol, drawing.columnNames[int(column)]) <= box.width())
                out.text(box, drawing.columnNames[int(column)], kSymbol, theme.muted, Qt::AlignCenter);
        }
        y += theme.lineHeight(kSymbol) + u;
    }
    const qreal top = y;
    for (std::uint32_t row = 0; row < matrix.rows; ++row, y += face.cellHeight) {
        if (int(row) < drawing.rowNames.size() && (face.hasDigits || face.cellHeight >= theme.lineHeight(kSymbol)))
            out.text(QRectF(at.x(), y, face.nameWidth - 5 * u, face.cellHeight), drawing.rowNames[int(row)], kSymbol,
                theme.muted, Qt::AlignRight | Qt::AlignVCenter);
        if (int(row) < drawing.marks.size() && !drawing.marks[int(row)].isEmpty())
            out.text(QRectF(right + 2 * kBracket * u, y, 130 * u, face.cellHeight), drawing.marks[int(row)], face.style,
                theme.text);
        for (std::uint32_t column = 0; column < columns; ++column) {
            const Symbol symbol = column < matrix.columns ? matrix.at(row, column)
                                                          : drawing.beside->at(row, column - matrix.columns);
            const CellLook look = drawing.look ? drawing.look(row, column) : CellLook();
            const QRectF cell(xOf(column), y, face.cellWidth, face.cellHeight);
            if (look.fill.isValid() || look.frame.isValid())
                out.add(DisplayList::Box { cell.adjusted(0.5 * u, 0.5 * u, -0.5 * u, -0.5 * u), Outline::Rectangle, 0,
                    look.fill, look.frame, look.frame.isValid() ? 2 * u : 1, false, false });
            if (!face.hasDigits) {
                if (symbol != 0)
                    out.add(DisplayList::Box { cell.adjusted(1, 1, -1, -1), Outline::Rectangle, 0,
                        symbol == 1 ? theme.outline : dataFill(), {}, 1, false, false });
                continue;
            }
            const QColor ink = look.fill.isValid()                ? inkOn(look.fill)
                : look.isMuted || (symbol == 0 && !look.isStrong) ? theme.muted
                                                                  : theme.text;
            TextStyle style = face.style;
            style.isBold = look.isStrong;
            out.text(cell, symbolWords(field, base, symbol), style, ink, Qt::AlignCenter);
        }
    }
    // Brackets, and the bar between the two matrices.
    const auto bracket = [&](qreal x, qreal inward) {
        out.add(
            DisplayList::Line { { QPointF(x + inward, top), QPointF(x, top), QPointF(x, y), QPointF(x + inward, y) },
                theme.text, 1.5 * u, false, 0 });
    };
    bracket(left - 3 * u, 4 * u);
    bracket(right + 3 * u, -4 * u);
    if (drawing.beside) {
        const qreal x = xOf(matrix.columns) - kBar * u / 2;
        out.add(DisplayList::Line { { QPointF(x, top), QPointF(x, y) }, theme.text, 1 * u, false, 0 });
    }
    out.setObject({});
}

} // namespace lhrs::gui
