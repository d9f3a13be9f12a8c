// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/paint/sheet.h"

namespace lhrs::gui {

void Sheet::line(const QStringList& wordings, TextStyle style, QColor colour, qreal indent)
{
    const qreal height = theme.lineHeight(style);
    out.text(QRectF(left + indent, y, width - indent, height), wordings, style, colour);
    y += height;
}

void Sheet::paragraph(const QString& words, TextStyle style, QColor colour, qreal indent)
{
    for (const QString& part : wrapped(theme, words, style, width - indent))
        line({ part }, style, colour, indent);
}

void Sheet::rule()
{
    out.add(DisplayList::Line { { QPointF(left, y), QPointF(left + width, y) }, theme.grid, 1, false, 0 });
}

QStringList wrapped(const Theme& theme, const QString& words, TextStyle style, qreal width)
{
    QStringList lines;
    QString line;
    for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
        if (!line.isEmpty() && theme.width(style, longer) > width) {
            lines << line;
            line = word;
        } else {
            line = longer;
        }
    }
    if (!line.isEmpty())
        lines << line;
    return lines;
}

} // namespace lhrs::gui
