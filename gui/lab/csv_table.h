// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <vector>

namespace lhrs::gui {

// A table that was written as CSV (RFC 4180, no line breaks inside cells): ours, or one of the published ones.
struct CsvTable {
    QStringList columns;
    std::vector<QStringList> rows; // as many cells as columns, or fewer: the others are empty

    // The error is a sentence that names the file.
    static Result<CsvTable> read(const QString& path);
    // The same of its text; `path` names it in the error.
    static Result<CsvTable> parse(const QString& text, const QString& path);
    QString text() const;

    // The cell of a row; empty: not known, or no such column.
    QString cell(const QStringList& row, const QString& column) const;
    std::optional<double> number(const QStringList& row, const QString& column) const;
    // Rows in which all these columns have these values; numbers are equal as numbers ("8" and "8.0").
    std::vector<QStringList> where(const std::map<QString, QString>& wanted) const;
};

// The cells of one line.
QStringList csvCells(const QString& line);

} // namespace lhrs::gui
