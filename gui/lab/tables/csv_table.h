// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <vector>

namespace lhrs::gui {

// A table read from CSV (RFC 4180): a measured or a published one.
struct CsvTable {
    QStringList columns;
    std::vector<QStringList> rows; // a row may have fewer cells than there are columns; the missing ones are empty

    // An error is a sentence that names the file.
    static Result<CsvTable> read(const QString& path);
    // Parses the text; `path` names the file in the error.
    static Result<CsvTable> parse(const QString& text, const QString& path);
    QString text() const;

    // The cell of a row; empty if it is unknown or there is no such column.
    QString cell(const QStringList& row, const QString& column) const;
    std::optional<double> number(const QStringList& row, const QString& column) const;
    // Rows in which all these columns have these values; numbers are compared as numbers ("8" and "8.0" are equal).
    std::vector<QStringList> where(const std::map<QString, QString>& wanted) const;
};

// One record of a CSV text, and its first line, from 1.
struct CsvRecord {
    int line = 0;
    QStringList cells;
};
// Quoted line breaks belong to the cell; empty lines are skipped.
std::vector<CsvRecord> csvRecords(const QString& text);

// Whether a table or chart may have this name, which becomes a file name: 1 to 64 letters, digits, _ and -.
bool isTableName(const QString& name);

} // namespace lhrs::gui
