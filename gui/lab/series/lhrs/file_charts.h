// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/lhrs/file_series.h"
#include "gui/lab/series/process/chart_data.h"

namespace lhrs::gui {

// "Growth of the file" and its name for lists and files; of the kinds that only a file has.
QString fileChartTitle(ChartKind kind);
const char* fileChartName(ChartKind kind);
// The charts of a file: its load, its growth, the bytes that it stores, its recoveries.
ChartData fileChart(const TimeSeries& run, const FileSeries& file, const ChartWish& wish);
// One bar for each recovery, by its phases.
ChartData recoveryChart(const FileSeries& file, const ChartWish& wish);
// How many messages an operation of the file takes.
std::vector<ChartTheory> messagesTheory(const FileSeries& file);

} // namespace lhrs::gui
