// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/csv_table.h"
#include "gui/lab/tables/lab_table.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QVariant>

#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace lhrs::gui {

// What lab.chart asks for (window.md 4.6).
struct ChartOrder {
    QString table, x;
    QStringList y, by;
    QString title;
    bool isLog = false;
    QString paper;                      // name of the published table; empty: none
    std::optional<CsvTable> published;
    std::map<QString, QString> where;   // of its rows, and of ours where they have such a column
    bool withSuspect = false;           // published values that are in doubt, too
};

// A measurement's table as a picture, as values: a panel for each quantity, where there would be many lines also for each value of the
// first column of `by`; in it a line for each other combination. Published values have the same colour, dashed.
struct MeasureChart {
    struct Point {
        double x = 0, median = 0, q1 = 0, q3 = 0;
        int n = 0; // repetitions; 0: published
    };
    struct Series {
        QString name;
        bool isPublished = false;
        int colour = 0;
        std::vector<Point> points; // by x
    };
    struct Panel {
        QString title, yTitle;
        std::vector<Series> series;
    };
    QString id;          // for files: "search_chart"
    QString title, xTitle;
    QString source;      // of published values: "lhrs2003, configuration 2 (1.8 GHz, 1 Gb/s)"; empty: there are none
    QString nothing;     // why there is nothing to draw; empty: there is
    QStringList words;   // on the x axis in place of numbers, from 0
    bool isLog = false;
    bool isSimulated = false;
    int columns = 1;     // panels beside each other
    std::vector<Panel> panels;
    QStringList header;  // of the same as rows
    std::vector<QVariantList> rows;
};

// The error is a sentence: a column that does not exist.
Result<MeasureChart> measureChart(const LabTable& table, const ChartOrder& order);

// The charts of a run, in the order in which they were asked for. Written by the script's thread, read by others.
class LabCharts {
public:
    // Its id.
    QString add(ChartOrder order);
    bool hasAny(const QString& table) const;
    // As the tables are now; those that are of this table, or all.
    std::vector<MeasureChart> drawn(const LabTables& tables, bool isSimulated, const QString& onlyOf = {}) const;
    // Each as a picture, by the name of its file: ID.svg.
    std::vector<std::pair<QString, QByteArray>> pictures(const LabTables& tables, const RunIdentity& identity) const;

private:
    struct Entry {
        QString id;
        ChartOrder order;
    };
    mutable std::mutex m_mutex; // guards m_entries
    std::vector<Entry> m_entries;
};

} // namespace lhrs::gui
