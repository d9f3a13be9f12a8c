// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/records/group_picture.h"
#include "gui/view/lhrs/records/matrix_picture.h"
#include "gui/view/paint/sheet.h"

namespace lhrs::gui {

// What the pages of a record group have in common.
struct GroupPageDrawing {
    const Decoding& decoding;
    Sheet sheet;
    GroupPicture& picture;

    const Theme& theme() const { return sheet.theme; }
    qreal px(qreal n) const { return sheet.theme.px(n); }
    void title(std::size_t step, std::size_t steps, const QString& title, const QString& sentence);
    // One line of arithmetic, in the largest size that fits.
    void formula(const QStringList& wordings);
    // A mark and a sentence: equal, different, or neither.
    void verdict(Glyph glyph, QColor colour, const QString& sentence);
};

void drawDecodePage(GroupPageDrawing& page);
void drawUpdatePage(GroupPageDrawing& page);
void drawComparePage(GroupPageDrawing& page);

// Symbols in a row: which of them fit beside the name, with the chosen one among them.
struct SymbolWindow {
    std::size_t first = 0, count = 0;
    qreal nameWidth = 0, cellWidth = 0;
    TextStyle style;
};
SymbolWindow symbolWindow(const GroupPageDrawing& page, const Field& field, const QStringList& names,
    std::size_t symbols, std::size_t chosen);
// One row of a member's symbols. `against`: symbols that differ from it are framed; null: none are.
struct SymbolRow {
    QString name;
    ByteSpan bytes;
    const ByteSpan* against = nullptr;
    bool isStrong = false, isDummy = false;
};
void drawSymbols(
    GroupPageDrawing& page, const Field& field, const SymbolWindow& window, const SymbolRow& row, std::size_t chosen);

} // namespace lhrs::gui
