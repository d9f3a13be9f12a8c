// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/recording_file.h"

#include <QSqlError>

// Rows and cells of tables that are filled at the end of a recording.
namespace lhrs::gui {

// "?,?,?"
inline QString marks(int count) { return QStringList(count, "?").join(','); }

// Returns SQLite's error text, or empty on success.
inline QString insertRow(QSqlQuery& query, const QVariantList& values)
{
    for (int i = 0; i < int(values.size()); ++i)
        query.bindValue(i, values[i]);
    return query.exec() ? QString() : query.lastError().text();
}

} // namespace lhrs::gui

// Of views. The time of a column in s of the run.
#define LHRS_SECONDS(column) "(" column " - (SELECT t_ns FROM event WHERE id = 1)) / 1e9"
// The name of a process, or its number.
#define LHRS_NAME(process)                                                                                             \
    "coalesce((SELECT nullif(name, '') FROM process WHERE id = " process "), printf('%x', " process "))"
