// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/csv_table.h"

#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace lhrs::gui {

// Measured values beside the published ones: the source of the report's tables, charts and CSV.

// The median over repetitions, without warm-up rows.
struct PaperFigure {
    double median = 0, q1 = 0, q3 = 0;
    int n = 0;
};

// One published cell and the value measured here under the same conditions.
struct PaperRow {
    QString experiment; // "E5 E8"
    QString what, condition; // "recovery of 2 data buckets, RS, GF(2^16)"; "slices of 3 125 records"
    QString quantity, unit; // "total", "process", "communication"; "s"
    std::optional<PaperFigure> ours; // empty: not measured in this run
    double published = 0;
    QString source; // "2003, table 30, configuration 2"
    QString note; // a known doubt about the published cell
};

// A claim of the papers about a ratio, which does not depend on the speed of a machine.
struct PaperShape {
    QString experiment, claim;
    QString ratio; // numerator and denominator in words
    std::optional<double> ours;
    double published = 0;
    double low = 0, high = 0; // the claim holds if the measured ratio lies between
    bool holds() const { return ours && *ours >= low && *ours <= high; }
};

struct PaperChart {
    struct Series {
        QString name;
        bool isPublished = false;
        int colour = 0;
        std::vector<std::pair<double, double>> points;
    };
    QString id, title, xTitle, yTitle;
    bool isLogX = false, isLogY = true;
    std::vector<Series> series;
};

struct PaperReport {
    std::vector<PaperRow> rows;
    std::vector<PaperShape> shapes;
    std::vector<PaperChart> charts;
    std::map<QString, CsvTable> measured; // by name, as read from the files
    QStringList missing; // tables of the experiments that were not found
    QStringList runs, machines; // as the measured rows name them
    bool isSimulated = false;
};

// Reads the tables that the experiments left in `measured` (scenarios/README.md) and the published ones. A missing
// table is listed in `missing`; an unreadable one is an error.
Result<PaperReport> paperReport(const QString& measured, const QString& published);

// Median and quartiles of a metric over the rows whose columns have these values; empty if there are none.
std::optional<PaperFigure> paperFigure(
    const CsvTable& table, const std::map<QString, QString>& where, const QString& metric);

// ---- part of paperReport
std::vector<PaperShape> paperShapes(const std::map<QString, CsvTable>& measured);

} // namespace lhrs::gui
