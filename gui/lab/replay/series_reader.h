// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/replay/cluster_numbers.h"
#include "gui/lab/recording/recording.h"
#include "gui/lab/series/run_series.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lhrs::gui {

// Reads an interval of a recording into a series, some events at a time, so that who draws is never held up for long. The
// recording must live as long as steps are taken.
class SeriesReader {
public:
    // The whole recording.
    explicit SeriesReader(Recording& recording);
    // Finer: a part of it, in at least 1,024 slices.
    SeriesReader(Recording& recording, std::int64_t fromNs, std::int64_t toNs);

    // Takes the next events; false: all were taken.
    bool step(std::size_t events = 20'000);
    bool isDone() const { return m_isDone; }
    double progress() const; // 0..1
    const RunSeries& series() const { return m_series; }
    std::int64_t fromNs() const { return m_fromNs; }
    std::int64_t toNs() const { return m_toNs; }

private:
    Recording& m_recording;
    std::int64_t m_fromNs, m_toNs;             // asked for
    std::int64_t m_readFromNs, m_readToNs;     // read: around it, for operations that reach into it
    RunSeries m_series;
    std::vector<Recording::Word> m_words;
    ClusterNumbers m_clusters;
    std::size_t m_nextWord = 0;
    std::uint64_t m_cursor = 0, m_firstEvent = 0, m_lastEvent = 0;
    bool m_isDone = false;
};

} // namespace lhrs::gui
