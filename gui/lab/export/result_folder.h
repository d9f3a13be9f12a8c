// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/tables/csv_table.h"
#include "gui/lab/tables/result_sink.h"
#include "gui/lab/tables/run_facts.h"
#include "gui/lab/reel/script_observer.h"

#include <QFile>
#include <QString>
#include <QStringList>
#include <QVariant>

#include <map>
#include <memory>
#include <vector>

namespace lhrs::gui {

// What to do if the folder already has results.
enum class FolderUse { New, Append, Overwrite };

// A folder of tables of one or more runs. Each row of each file begins with its run, and runs.csv describes the runs.
// A measured row is written to its file at once. Only one program may write into a folder at a time. Errors are
// sentences that name the file; empty means success.
class ResultFolder : public ResultSink {
public:
    // Creates the folder. New: a folder with results is refused. Overwrite: its results are removed.
    static Result<std::unique_ptr<ResultFolder>> open(const QString& directory, FolderUse use);
    ~ResultFolder() override;
    ResultFolder(const ResultFolder&) = delete;
    ResultFolder& operator=(const ResultFolder&) = delete;

    // Writes the run's first row into runs.csv. Existing rows of a run with the same id are removed, because the run
    // is the same.
    QString begin(const RunFacts& facts);
    // Adds further tables to a run that is already in the folder.
    void goOn(const RunFacts& facts) { m_facts = facts; }
    const RunFacts& facts() const { return m_facts; }
    RunIdentity identity() const { return { m_facts.run, m_facts.isSimulated, m_facts.machine }; }
    const QString& directory() const { return m_directory; }

    QString onRow(const QString& name, const LabTable& table) override;
    QString onParameters(const std::map<QString, QVariant>& parameters) override;
    QString onCluster(const ClusterFacts& cluster) override;

    // Replaces all rows of the present run in this file; rows of other runs stay. The columns are merged.
    QString put(const QString& name, const QStringList& columns, const std::vector<QVariantList>& rows);
    // Rewrites the whole file, for any runs.
    QString write(const QString& name, const CsvTable& table);
    // Writes a file of the newest run that is not a table, e.g. a picture.
    QString putFile(const QString& name, const QByteArray& bytes);
    // Writes the rows and summaries of the measurements, and the outcome of the run.
    QString finish(const LabTables& tables, const QString& outcome);
    // Names of the files that contain data of this run, in the order of writing.
    QStringList written() const;

private:
    // The open file of a measurement, to which rows are appended.
    struct Stream {
        qsizetype factors = -1, metrics = -1; // the measurement's column counts when the file was given its columns
        QStringList columns; // of the file
        std::unique_ptr<QFile> file; // null: to be opened again
    };

    explicit ResultFolder(const QString& directory);
    QString pathOf(const QString& name) const { return m_directory + '/' + name + ".csv"; }
    QString widen(const QString& name, Stream& stream, const LabTable& table);
    QString writeRun();

    const QString m_directory;
    int m_lock = -1; // file descriptor of the directory
    RunFacts m_facts;
    std::vector<ClusterFacts> m_clusters;
    std::map<QString, Stream> m_streams;
    QStringList m_written;
};

// The completed runs of a folder.
class CompleteRuns {
public:
    // A folder without results has none.
    explicit CompleteRuns(const QString& directory);
    // Whether a completed run has these inputs (inputsDigest).
    bool has(const QString& inputs) const { return m_inputs.contains(inputs); }

private:
    QStringList m_inputs;
};

// The result tables in a folder, by name without .csv: those whose first column is the run.
QStringList resultTables(const QString& directory);
// The columns of both lists. A new column follows the one that precedes it in `more`.
QStringList unitedColumns(QStringList columns, const QStringList& more);
// The cells of a row rearranged under other columns; a missing cell is empty.
QStringList underColumns(const CsvTable& table, const QStringList& row, const QStringList& columns);
// The file name of a measurement: its own name, with the prefix measured_ if a table of the run has the same name.
QString measuredFileName(const QString& table);
// The outcome of a script in runs.csv: "ok", "expectation failed", "script error", "no cluster" or "stopped".
QString outcomeWord(ScriptOutcome outcome);

} // namespace lhrs::gui
