// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/csv_table.h"
#include "gui/lab/tables/measure_chart.h"

#include <QString>

#include <string>

namespace CLI {
class App;
}

namespace lhrs::gui {

// The options of lhrs-play that draw a previously written table of measurements. Other programs use them to get this
// program's charts.
struct ChartCommand {
    std::string order; // JSON; empty: nothing is drawn
    bool givesPoints = false; // the points as CSV in place of the picture
};
void addChartOptions(CLI::App& app, ChartCommand& command);

// The options of lab.chart as JSON. `file`: names the table, unless the order does. The published table is read later.
// An error is a sentence.
Result<ChartOrder> chartOrderOf(const QString& json, const QString& file);

// The rows of one run of a table that lhrs-play or the Python client wrote.
struct MeasuredTable {
    LabTable table;
    RunIdentity identity;
};
// `run`: the run that is wanted; empty: there is only one. An error is a sentence.
Result<MeasuredTable> measuredTable(const CsvTable& csv, const QString& run);

// Draws the table `file` to standard output and returns the exit code. `paperDirectory`: of the published tables.
int drawChart(const ChartCommand& command, const QString& file, const QString& paperDirectory);

} // namespace lhrs::gui
