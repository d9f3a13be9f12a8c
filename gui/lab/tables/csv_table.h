// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <vector>

namespace lhrs::gui {

// A table that was written as CSV (RFC 4180): ours, or one of the published ones.
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

// One record of a CSV text, and the line that it begins in, from 1.
struct CsvRecord {
    int line = 0;
    QStringList cells;
};
// Line breaks in quotes belong to a cell; empty lines are no records.
std::vector<CsvRecord> csvRecords(const QString& text);

// Whether a table or chart may have this name, which becomes that of a file: 1 to 64 letters, digits, _ and -.
bool isTableName(const QString& name);

} // namespace lhrs::gui
