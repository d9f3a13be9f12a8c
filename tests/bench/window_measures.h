// SPDX-License-Identifier: GPL-3.0-or-later
// The budgets of the window, each measured in the way that its text says.
#pragma once

#include <QSize>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace lhrs::gui {

struct BenchOptions {
    double seconds = 10; // of a measurement of frames or of an idle window
    double ingestSeconds = 60;
    double memorySeconds = 300;
    std::uint64_t events = 1'000'000; // of the recording
    std::uint32_t rate = 20'000, buckets = 64; // of the frames
    QSize size { 1280, 720 };
};

// One line of the table. `key`: of several attempts the one with the smallest value is kept.
struct BenchRow {
    QString quantity, condition, measured, budget;
    std::optional<bool> isMet = {}; // none: there is no budget for it
    double key = 0;
};

std::vector<BenchRow> measureIngest(const BenchOptions& options);
std::vector<BenchRow> measureFrames(const BenchOptions& options);
std::vector<BenchRow> measureBesideCluster(const BenchOptions& options);
std::vector<BenchRow> measureEventToPixel(const BenchOptions& options);
std::vector<BenchRow> measureRecording(const BenchOptions& options);
std::vector<BenchRow> measureMemory(const BenchOptions& options);
std::vector<BenchRow> measureIdle(const BenchOptions& options);

} // namespace lhrs::gui
