// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/replay/cluster_numbers.h"
#include "gui/lab/recording/recording.h"
#include "gui/lab/series/run_series.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lhrs::gui {

// Reads an interval of a recording into a series, some events per step, so that the drawing thread is never blocked
// for long. The recording must outlive the steps.
class SeriesReader {
public:
    // The whole recording.
    explicit SeriesReader(Recording& recording);
    // A part of the recording, at finer resolution: at least 1,024 bins.
    SeriesReader(Recording& recording, std::int64_t fromNs, std::int64_t toNs);

    // Reads the next events. False: all have been read.
    bool step(std::size_t events = 20'000);
    bool isDone() const { return m_isDone; }
    double progress() const; // 0..1
    const RunSeries& series() const { return m_series; }
    std::int64_t fromNs() const { return m_fromNs; }
    std::int64_t toNs() const { return m_toNs; }

private:
    Recording& m_recording;
    std::int64_t m_fromNs, m_toNs; // requested interval
    // Interval that is read; larger, for operations that reach into the requested one.
    std::int64_t m_readFromNs, m_readToNs;
    RunSeries m_series;
    std::vector<Recording::Word> m_words;
    ClusterNumbers m_clusters;
    std::size_t m_nextWord = 0;
    std::uint64_t m_cursor = 0, m_firstEvent = 0, m_lastEvent = 0;
    bool m_isDone = false;
};

} // namespace lhrs::gui
