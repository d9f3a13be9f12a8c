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

// What becomes of results that a folder has already.
enum class FolderUse { New, Append, Overwrite };

// A folder of tables of one or more runs: each row of each file begins with its run, and runs.csv says what that run was. Rows of a
// measurement are in their file as soon as they are measured. While one program writes into a folder no other one may.
// Errors are sentences that name the file; empty: written.
class ResultFolder : public ResultSink {
public:
    // Makes the folder. New: one that has results is refused; Overwrite: its results are removed.
    static Result<std::unique_ptr<ResultFolder>> open(const QString& directory, FolderUse use);
    ~ResultFolder() override;
    ResultFolder(const ResultFolder&) = delete;
    ResultFolder& operator=(const ResultFolder&) = delete;

    // Writes the run's first row into runs.csv. Rows of a run with the same id, which are the same again, are removed.
    QString begin(const RunFacts& facts);
    // Further tables of a run that the folder has already.
    void goOn(const RunFacts& facts) { m_facts = facts; }
    const RunFacts& facts() const { return m_facts; }
    RunIdentity identity() const { return { m_facts.run, m_facts.isSimulated, m_facts.machine }; }
    const QString& directory() const { return m_directory; }

    QString onRow(const QString& name, const LabTable& table) override;
    QString onParameters(const std::map<QString, QVariant>& parameters) override;
    QString onCluster(const ClusterFacts& cluster) override;

    // Rows of the present run as a whole; those that it has in the file are replaced, those of other runs stay. Columns are united.
    QString put(const QString& name, const QStringList& columns, const std::vector<QVariantList>& rows);
    // The whole file anew, of whatever runs.
    QString write(const QString& name, const CsvTable& table);
    // A file that is no table, of the newest run: a picture.
    QString putFile(const QString& name, const QByteArray& bytes);
    // The measurements' rows and summaries, and how the run ended.
    QString finish(const LabTables& tables, const QString& outcome);
    // Names of the files that have something of this run, in their order.
    QStringList written() const;

private:
    // A measurement's file that rows are added to.
    struct Stream {
        qsizetype factors = -1, metrics = -1; // columns of the measurement when the file got its own
        QStringList columns;                  // of the file
        std::unique_ptr<QFile> file;          // open; null: it has to be opened again
    };

    explicit ResultFolder(const QString& directory);
    QString pathOf(const QString& name) const { return m_directory + '/' + name + ".csv"; }
    QString widen(const QString& name, Stream& stream, const LabTable& table);
    QString writeRun();

    const QString m_directory;
    int m_lock = -1; // descriptor of the directory
    RunFacts m_facts;
    std::vector<ClusterFacts> m_clusters;
    std::map<QString, Stream> m_streams;
    QStringList m_written;
};

// The runs of a folder that came to their end.
class CompleteRuns {
public:
    // None of a folder without results.
    explicit CompleteRuns(const QString& directory);
    // Whether there is one with these inputs (inputsDigest).
    bool has(const QString& inputs) const { return m_inputs.contains(inputs); }

private:
    QStringList m_inputs;
};

// The tables of results in a folder, by name without .csv: those whose first column is the run.
QStringList resultTables(const QString& directory);
// Columns of both; one that is new comes after the one that is before it in `more`.
QStringList unitedColumns(QStringList columns, const QStringList& more);
// The cells of a row under other columns; empty where it has none.
QStringList underColumns(const CsvTable& table, const QStringList& row, const QStringList& columns);
// The name of a measurement's file: its own, but that of a table of the run has measured_ before it.
QString measuredFileName(const QString& table);
// "ok", "expectation failed", "script error", "no cluster", "stopped": how a script ended, as runs.csv has it.
QString outcomeWord(ScriptOutcome outcome);

} // namespace lhrs::gui
