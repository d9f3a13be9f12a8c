// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/recording_file.h"

#include <QString>
#include <QStringList>

#include <cstdint>

// The tables, indexes and views of an .lhrun file by file version; scenarios/DATA.md explains their meaning.
namespace lhrs::gui {

// The statements that create the tables and views of a new file, and those that create the indexes at the end of the
// run.
QStringList recordingTables();
QStringList recordingIndexes();
// Tables and columns of a version, in the form that PRAGMA table_info gives: "event(id,process,...)".
QStringList recordingColumns(std::uint32_t version);
// The text of each view as sqlite_master stores it, by name; version 1 has none.
QStringList recordingViews();
// The contents of each index: "event.event_t(t_ns, id)" is its table, its name and its columns with the row number.
QStringList recordingIndexContents();
// The table that stores these rows: "operation" is a view over operation_row since version 2.
QString recordingTable(const QString& thing, std::uint32_t version);

} // namespace lhrs::gui
