// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/measure_chart.h"
#include "gui/lab/recording/recording.h"
#include "gui/lab/export/result_folder.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <map>
#include <vector>

namespace lhrs::gui {

class RunStory;

// A table of a run as it is exported: its first columns run, simulated, detail are added when it is written.
struct ExportTable {
    QString name;
    QStringList columns;
    std::vector<QVariantList> rows;
};

// What every row of a run begins with, from the recording.
RunIdentity identityOf(const Recording& recording);
// What the recording says of its run: its row of runs.csv.
RunFacts factsOf(const Recording& recording);
QString detailOf(Recording& recording);
// How many events never came or were not written, and what tables lack for it, in one sentence; empty: none.
QString lostEvents(Recording& recording);

// The tables of a run: operations, messages, splits, merges, parity_creations, recoveries, slices, faults, gaps,
// captions, story, expectations, and one for each measurement. Times in s since the run's begin, cells that are not known empty.
std::vector<ExportTable> exportTables(Recording& recording);
std::vector<ExportTable> exportTables(Recording& recording, const RunStory& story);
QString csvOf(const ExportTable& table, const RunIdentity& identity, const QString& detail);

struct ExportResult {
    QStringList written; // names of files
    QString problem;     // a sentence; empty: all is written
    QStringList notes;   // what is not there, and why
    QString damage;      // that the recording is not as it was written; a sentence, empty: it is
};
// Writes all tables, the story, the charts of measurements and the ShiViz log into the directory; the same recording gives the same bytes.
ExportResult exportRun(Recording& recording, const QString& directory, FolderUse use = FolderUse::New);
// The same into a folder in which the run has begun; only the tables of its events, where its measurements are there already.
ExportResult exportRun(Recording& recording, ResultFolder& folder);

// ---- parts of it

inline constexpr std::size_t kExportPage = 4'000; // events read at once

ExportTable messageTable(Recording& recording);
// The measurements by name, and the charts that the scenario asked for, beside what was published.
std::map<QString, LabTable> measuredTables(Recording& recording);
std::vector<MeasureChart> chartsOf(Recording& recording);

} // namespace lhrs::gui
