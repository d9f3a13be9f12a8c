// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QVariant>

#include <map>
#include <mutex>
#include <vector>

namespace lhrs::gui {

// What is the same in all rows of a run: the first columns of every CSV file.
struct RunIdentity {
    QString run;        // UTC time of its start, and the seed
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

    struct Summary {
        std::map<QString, QVariant> factors;
        int n = 0;
        struct Quartiles { double q1 = 0, median = 0, q3 = 0; };
        std::map<QString, Quartiles> metrics;
    };
    // By combination of factors, in the order of their first row; warm-ups do not count.
    std::vector<Summary> summary() const;

    // UTF-8, RFC 4180, decimal point, empty cell: not known. First columns run, simulated, detail.
    QString csv(const RunIdentity& identity) const;
    QString summaryCsv(const RunIdentity& identity) const;

private:
    std::vector<Row> m_rows;
    QStringList m_factors, m_metrics;
};

// The tables of a run by name. Written by the script's thread, read by others.
class LabTables {
public:
    int add(const QString& name, LabTable::Row row, const QStringList& factorOrder, const QStringList& metricOrder);
    LabTable table(const QString& name) const;
    QStringList names() const;
    // Writes NAME.csv and NAME_summary.csv of every table; an error is a sentence, empty: written.
    QString write(const QString& directory, const RunIdentity& identity) const;

private:
    mutable std::mutex m_mutex; // guards m_tables
    std::map<QString, LabTable> m_tables;
};

// Of numbers in any order, at least one; linear between neighbours.
LabTable::Summary::Quartiles quartilesOf(std::vector<double> numbers);
// A value as text, as all tables have it; empty: not known.
QString cellText(const QVariant& value);
// The same as one CSV cell, quoted where RFC 4180 wants it.
QString csvCell(const QVariant& value);
// "Intel(R) ..., 2 cores, 23 GiB": of this machine.
QString machineShown();

} // namespace lhrs::gui
