// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/erasure_code.h"
#include "gui/lab/words/lhrs/decoding.h"
#include "gui/view/paint/display_list.h"

#include <functional>

namespace lhrs::gui {

// How one cell of a matrix is drawn.
struct CellLook {
    QColor fill; // invalid: none
    bool isStrong = false, isMuted = false;
    QColor frame; // invalid: none
};

// A matrix of symbols and how it is drawn.
struct MatrixDrawing {
    const SymbolMatrix* matrix = nullptr;
    const SymbolMatrix* beside = nullptr; // drawn behind a bar, as in (H|I); may be null
    QString name; // above it
    QStringList rowNames, columnNames; // may be empty; those of both matrices
    QStringList marks; // behind the rows, e.g. an arrow; may be empty
    std::function<CellLook(std::uint32_t row, std::uint32_t column)> look; // columns of both; may be empty
    ObjectRef object;
};

// How the symbols in all matrices of a picture are drawn: as large as the widest matrix allows.
struct SymbolFace {
    TextStyle style { TextSize::Body, false, true };
    qreal cellWidth = 0, cellHeight = 0, nameWidth = 0;
    bool hasDigits = true; // false: no room for digits, a cell is a tile
};
// `columns`: of the widest matrix; `names`: its row names.
SymbolFace symbolFace(const Theme& theme, const Field& field, SymbolBase base, qreal width, std::uint32_t columns,
    const QStringList& names);

// The size that drawMatrix() will give it.
QSizeF matrixSize(const Theme& theme, const MatrixDrawing& drawing, const SymbolFace& face);
void drawMatrix(DisplayList& out, const MatrixDrawing& drawing, const SymbolFace& face, const Field& field,
    SymbolBase base, QPointF at);

} // namespace lhrs::gui
