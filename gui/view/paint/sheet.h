// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/display_list.h"

#include <QStringList>

namespace lhrs::gui {

// Writes a picture from top to bottom, line by line.
struct Sheet {
    const Theme& theme;
    DisplayList& out;
    qreal left = 0, width = 0, y = 0;

    // One line: the longest wording that fits.
    void line(const QStringList& wordings, TextStyle style, QColor colour, qreal indent = 0);
    // As many lines as needed; lines break only between words.
    void paragraph(const QString& words, TextStyle style, QColor colour, qreal indent = 0);
    void space(qreal pixels) { y += theme.px(pixels); }
    void rule();
};

// Breaks the words into lines of at most this width; a word that is wider has its own line.
QStringList wrapped(const Theme& theme, const QString& words, TextStyle style, qreal width);

} // namespace lhrs::gui
