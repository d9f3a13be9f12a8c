// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/tables/median_interval.h"
#include "gui/lab/tables/result_sink.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace lhrs::gui {

// The values common to all rows of a run: the first columns of every CSV file.
struct RunIdentity {
    QString run; // see newRunId
    bool isSimulated = false;
    QString machine; // processor, cores, memory
};

// The rows of a measurement: one observation each. Columns are in the order of their first appearance.
class LabTable {
public:
    struct Row {
        QString detail; // the detail level during the observation
        int repetition = 0; // from 1; 0: the row was added by hand
        bool isWarmUp = false;
        int faults = 0; // number of injected faults active during the observation
        std::map<QString, QVariant> factors; // and constants
        std::map<QString, QVariant> metrics;
    };

    void add(Row row, const QStringList& factorOrder, const QStringList& metricOrder);
    const std::vector<Row>& rows() const { return m_rows; }
    const QStringList& factorColumns() const { return m_factors; }
    const QStringList& metricColumns() const { return m_metrics; }

    // Repetitions continue until the median of these metrics is known with this precision: see isWithin.
    struct Goal {
        double percent = 0; // 0: there is no goal
        QStringList metrics;
    };
    void setGoal(Goal goal) { m_goal = std::move(goal); }
    const Goal& goal() const { return m_goal; }

    struct Summary {
        std::map<QString, QVariant> factors;
        QString detail; // empty: it differs between the rows
        int n = 0;
        struct Quartiles {
            double q1 = 0, median = 0, q3 = 0;
            int n = 0; // number of values; for a single value q1 and q3 equal the median
            std::optional<MedianInterval> interval; // of the median
        };
        std::map<QString, Quartiles> metrics;
        bool isReached = false; // the goal, if there is one, is reached
    };
    // One summary per combination of factors, in the order of their first row, without warm-up rows.
    std::vector<Summary> summary() const;

    // The columns of the CSV file, each name once. The first are run, simulated, detail. An empty cell means unknown.
    QStringList columns() const;
    // Whether the name is one of every table's columns, so that a measurement cannot use it.
    static bool isOfEveryTable(const QString& column);
    QVariant cell(const Row& row, const QString& column, const RunIdentity& identity) const;
    QStringList summaryColumns() const;
    std::vector<QVariantList> summaryCells(const RunIdentity& identity) const;

private:
    std::vector<Row> m_rows;
    Goal m_goal;
    QStringList m_factors, m_metrics;
};

// The tables of a run by name. The script's thread writes them, other threads read them.
class LabTables {
public:
    // Sets the sink for each new row; it must outlive this object. Null: no sink.
    void setSink(ResultSink* sink) { m_sink = sink; }
    // Returns the number of rows. An error: the sink could not keep the row.
    Result<int> add(
        const QString& name, LabTable::Row row, const QStringList& factorOrder, const QStringList& metricOrder);
    void setGoal(const QString& name, LabTable::Goal goal);
    // The number of rows in all tables together.
    std::size_t rows() const;
    LabTable table(const QString& name) const;
    QStringList names() const;

private:
    ResultSink* m_sink = nullptr; // script's thread only
    mutable std::mutex m_mutex; // guards m_tables
    std::map<QString, LabTable> m_tables;
};

// For at least one number, in any order; with linear interpolation between neighbours.
LabTable::Summary::Quartiles quartilesOf(std::vector<double> numbers);
// The shortest text that reads back as exactly this number: "0.1", "9007199254740992", "1e-05".
QString shortestText(double number);
// A value as text, in the form of all tables; empty: unknown.
QString cellText(const QVariant& value);
// The same as a CSV cell, quoted as RFC 4180 requires.
QString csvCell(const QVariant& value);
// The machine that runs this program: "Intel(R) ..., 2 cores, 23 GiB".
QString machineShown();

} // namespace lhrs::gui
