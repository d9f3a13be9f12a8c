// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/process/chart_data.h"
#include "gui/lab/series/run_series.h"
#include "gui/lab/tables/lab_table.h"

namespace lhrs::gui {

// "Operations per second", "Latency", ...
QString chartTitle(ChartKind kind);
// A name for lists and files: "chart_operations".
QString chartId(ChartKind kind);
ChartData chartOf(const RunSeries& series, const ChartWish& wish);
// The chart's rows as CSV; the first columns are run, simulated, detail.
QString chartCsv(const ChartData& chart, const RunIdentity& identity, const QString& detail);

} // namespace lhrs::gui
