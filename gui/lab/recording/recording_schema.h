// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>

// The tables, indexes and views of an .lhrun file (scenarios/DATA.md tells their meaning), by version of the file.
namespace lhrs::gui {

constexpr std::uint32_t kRecordingVersion = 3; // user_version of the file

// The statements that make the tables and views of a new file; those that make the indexes, at the end of the run.
QStringList recordingTables();
QStringList recordingIndexes();
// Tables and columns of a version, as PRAGMA table_info tells them: "event(id,process,...)".
QStringList recordingColumns(std::uint32_t version);
// The text of each view, by name, as sqlite_master has it; version 1 has none.
QStringList recordingViews();
// What each index holds: "event.event_t(t_ns, id)", its table, its name, its columns with the number of the row.
QStringList recordingIndexContents();
// Where the rows of a thing stand: "operation" is a view over operation_row since version 2.
QString recordingTable(const QString& thing, std::uint32_t version);

} // namespace lhrs::gui
