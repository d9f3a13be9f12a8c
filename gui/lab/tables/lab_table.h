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

// What is the same in all rows of a run: the first columns of every CSV file.
struct RunIdentity {
    QString run;        // see newRunId
    bool isSimulated = false;
    QString machine;    // processor, cores, memory
};

// Rows of a measurement: one observation each, columns in the order in which they first came.
class LabTable {
public:
    struct Row {
        QString detail;      // what processes told meanwhile
        int repetition = 0;  // from 1; 0: added by hand
        bool isWarmUp = false;
        int faults = 0;      // that somebody had set and that acted meanwhile
        std::map<QString, QVariant> factors;  // and constants
        std::map<QString, QVariant> metrics;
    };

    void add(Row row, const QStringList& factorOrder, const QStringList& metricOrder);
    const std::vector<Row>& rows() const { return m_rows; }
    const QStringList& factorColumns() const { return m_factors; }
    const QStringList& metricColumns() const { return m_metrics; }

    // Repetitions go on until the median of these metrics is known so well: see isWithin.
    struct Goal {
        double percent = 0; // 0: there is no goal
        QStringList metrics;
    };
    void setGoal(Goal goal) { m_goal = std::move(goal); }
    const Goal& goal() const { return m_goal; }

    struct Summary {
        std::map<QString, QVariant> factors;
        QString detail; // empty: not the same in all its rows
        int n = 0;
        struct Quartiles {
            double q1 = 0, median = 0, q3 = 0;
            int n = 0; // numbers; one alone has no quartiles: then q1 and q3 are the median
            std::optional<MedianInterval> interval; // of the median
        };
        std::map<QString, Quartiles> metrics;
        bool isReached = false; // the goal, if there is one
    };
    // By combination of factors, in the order of their first row; warm-ups do not count.
    std::vector<Summary> summary() const;

    // Of the CSV file; no name is there twice. The first are run, simulated, detail. An empty cell: not known.
    QStringList columns() const;
    // Whether a measurement cannot have a column of this name.
    static bool isOfEveryTable(const QString& column);
    QVariant cell(const Row& row, const QString& column, const RunIdentity& identity) const;
    QStringList summaryColumns() const;
    std::vector<QVariantList> summaryCells(const RunIdentity& identity) const;

private:
    std::vector<Row> m_rows;
    Goal m_goal;
    QStringList m_factors, m_metrics;
};

// The tables of a run by name. Written by the script's thread, read by others.
class LabTables {
public:
    // Gets each row as it comes; it must outlive this. Null: nothing does.
    void setSink(ResultSink* sink) { m_sink = sink; }
    // The number of its rows. An error: the sink could not keep the row.
    Result<int> add(const QString& name, LabTable::Row row, const QStringList& factorOrder, const QStringList& metricOrder);
    void setGoal(const QString& name, LabTable::Goal goal);
    // Of all tables together.
    std::size_t rows() const;
    LabTable table(const QString& name) const;
    QStringList names() const;

private:
    ResultSink* m_sink = nullptr; // of the script's thread
    mutable std::mutex m_mutex;   // guards m_tables
    std::map<QString, LabTable> m_tables;
};

// Of numbers in any order, at least one; linear between neighbours.
LabTable::Summary::Quartiles quartilesOf(std::vector<double> numbers);
// The shortest text that reads back as exactly this number: "0.1", "9007199254740992", "1e-05".
QString shortestText(double number);
// A value as text, as all tables have it; empty: not known.
QString cellText(const QVariant& value);
// The same as one CSV cell, quoted where RFC 4180 wants it.
QString csvCell(const QVariant& value);
// "Intel(R) ..., 2 cores, 23 GiB": of this machine.
QString machineShown();

} // namespace lhrs::gui
