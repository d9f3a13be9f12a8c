// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of charts over time, and the charts that clusters of any system have.
#pragma once

#include "gui/lab/series/process/chart_data.h"

#include <functional>

namespace lhrs::gui {

ChartData operationsChart(const TimeSeries& series, const ChartWish& wish);
ChartData latencyChart(const TimeSeries& series, const ChartWish& wish);
// `theory`: shown where messages were observed.
ChartData messagesChart(const TimeSeries& series, const ChartWish& wish, const std::vector<ChartTheory>& theory);
ChartData memoryChart(const TimeSeries& series, const ChartWish& wish);

namespace charts {

struct LevelShown {
    std::size_t level = 0;
    const char* id; // of its columns in the table
    const char* name;
    double factor; // to the unit of the table
    double drawn; // to the unit of the chart
};

// A chart without series, with its axis and its shades.
ChartData chartFor(const TimeSeries& series, const ChartWish& wish, const QString& unit);
// One value per column, at its middle, joined by lines.
void addCurve(ChartData& chart, const std::vector<TimeBin>& columns, const ChartWish& wish, const QString& id,
    const QString& name, int colour, int dash, const std::function<QVariant(const TimeBin&)>& value);
// A level: both the minimum and the maximum of each column are drawn.
void addLevel(ChartData& chart, const std::vector<TimeBin>& columns, const ChartWish& wish, const QString& id,
    const QString& name, int colour, int dash, std::size_t level, double factor);
// Draws these levels, and lists the least, greatest and last value of each column.
void addLevels(
    ChartData& chart, const std::vector<TimeBin>& columns, const ChartWish& wish, const std::vector<LevelShown>& shown);
// To be called when all is added: chooses the unit for large values, and the range.
void measure(ChartData& chart);
void sayLost(ChartData& chart, const std::vector<TimeBin>& columns);
QVariant known(bool isKnown, double value); // empty if not known
// The first two columns of a table.
QStringList timeHeader();
QVariantList timeCells(const TimeBin& column, const ChartWish& wish);

} // namespace charts

} // namespace lhrs::gui
