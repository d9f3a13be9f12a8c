// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/measure_chart.h"
#include "gui/lab/recording/recording.h"
#include "gui/lab/recording/rows/export_table.h"
#include "gui/lab/export/result_folder.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <map>
#include <vector>

namespace lhrs::gui {

class RunStory;

// The first cells of every row of a run, from the recording.
RunIdentity identityOf(const Recording& recording);
// The run's row of runs.csv, from the recording.
RunFacts factsOf(const Recording& recording);
QString detailOf(Recording& recording);
// How many events were lost or not recorded, and what the tables lack because of it, in one sentence; empty if none.
QString lostEvents(Recording& recording);

// The tables of a run: operations, messages, those of each system, faults, gaps, captions, story, markers, commands,
// expectations, invariants, and one per measurement. Times are in s since the start of the run; unknown cells
// are empty.
std::vector<ExportTable> exportTables(Recording& recording);
std::vector<ExportTable> exportTables(Recording& recording, const RunStory& story);
QString csvOf(const ExportTable& table, const RunIdentity& identity, const QString& detail);

struct ExportResult {
    QStringList written; // names of files
    QString problem; // a sentence; empty if all was written
    QStringList notes; // what is missing, and why
    QString damage; // how the recording differs from what was written, in a sentence; empty if it does not
};
// Writes all tables, the story, the charts of measurements and the ShiViz log into the directory. The same recording
// always gives the same bytes.
ExportResult exportRun(Recording& recording, const QString& directory, FolderUse use = FolderUse::New);
// The same for a folder in which the run has begun. If its measurements are there already, only the event tables are
// added.
ExportResult exportRun(Recording& recording, ResultFolder& folder);

// ---- parts of the export

inline constexpr std::size_t kExportPage = 4'000; // events read at a time

ExportTable messageTable(Recording& recording);
// The measurements by name, and the charts that the scenario requested, beside the published values.
std::map<QString, LabTable> measuredTables(Recording& recording);
std::vector<MeasureChart> chartsOf(Recording& recording);

} // namespace lhrs::gui
