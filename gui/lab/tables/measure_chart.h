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

constexpr qsizetype kChartQuantitiesMax = 12, kChartByMax = 6; // columns of ChartOrder::y and ::by

// The request of lab.chart.
struct ChartOrder {
    QString table, x;
    QStringList y, by;
    QString title;
    bool isLog = false;
    QString paper; // name of the published table; empty: none
    std::optional<CsvTable> published;
    std::map<QString, QString> where; // filter for its rows, and for measured rows that have such a column
    bool withSuspect = false; // includes published values that are in doubt
};

// The table of a measurement as a chart, in values. There is a panel for each quantity; if there were too many lines,
// also for each value of the first column of `by`. Each other combination is a line. Published values have the same
// colour and are dashed. A table whose rows all name a `source` has nothing but published values: it is drawn like any
// other, and signed so.
struct MeasureChart {
    struct Point {
        double x = 0, median = 0, q1 = 0, q3 = 0;
        int n = 0; // number of repetitions; 0: published
    };
    struct Series {
        QString name;
        bool isPublished = false;
        int colour = 0;
        std::vector<Point> points; // ordered by x
    };
    struct Panel {
        QString title, yTitle;
        std::vector<Series> series;
    };
    QString id; // for files: "search_chart"
    QString title, xTitle;
    bool isOnlyPublished = false; // nothing is of this run
    QString source; // of published values: "lhrs2003, configuration 2 (1.8 GHz, 1 Gb/s)"; empty: there are none
    QString nothing; // why there is nothing to draw; empty if there is something
    QStringList words; // labels of the x axis in place of numbers, from 0
    bool isLog = false;
    bool isSimulated = false;
    int columns = 1; // number of panels side by side
    std::vector<Panel> panels;
    QStringList header; // the same data as rows
    std::vector<QVariantList> rows;
};

// An error is a sentence: a column does not exist.
Result<MeasureChart> measureChart(const LabTable& table, const ChartOrder& order);

// The charts of a run in the order of the requests. The script's thread writes them, other threads read them.
class LabCharts {
public:
    // Returns the chart's id.
    QString add(ChartOrder order);
    bool hasAny(const QString& table) const;
    // The charts with the present rows; only those of the table `onlyOf`, or all.
    std::vector<MeasureChart> drawn(const LabTables& tables, bool isSimulated, const QString& onlyOf = {}) const;
    // Each chart as a picture, by its file name: ID.svg.
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
