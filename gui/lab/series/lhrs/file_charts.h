// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/lhrs/file_series.h"
#include "gui/lab/series/process/chart_data.h"

namespace lhrs::gui {

// The charts of a file: its load, its growth, the bytes that it stores.
ChartData levelsChart(const TimeSeries& run, const FileSeries& file, const ChartWish& wish);
// One bar for each recovery, by its phases.
ChartData recoveryChart(const FileSeries& file, const ChartWish& wish);
// How many messages an operation takes, with k parity buckets of a group.
std::vector<ChartTheory> messagesTheory(std::uint32_t k);

} // namespace lhrs::gui
