// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/words/narrator.h"
#include "gui/lab/export/run_export.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace lhrs::gui {

class Recording;

// All that the narrator has told of a run, as a reader sees it in the end: a telling that goes on replaces its forerunner.
class RunStory {
public:
    // `event`: the newest one when it was told, which places a telling that no event told. False: nothing of it is new, because
    // the same event has told already (the run was shown once more from an earlier instant).
    bool add(const Telling& telling, std::uint64_t event);
    void clear();

    struct Line {
        std::uint64_t event = 0; // the index of the event after which it stands
        std::int64_t runNs = 0;
        QString text;
        bool operator==(const Line&) const = default;
    };
    // Ascending by event; of those of one event, as they were told.
    const std::vector<Line>& lines() const { return m_lines; }
    // Grows with each change.
    std::uint64_t version() const { return m_version; }

    static constexpr std::size_t kLinesMax = 20'000; // then the oldest are forgotten

private:
    std::vector<Line> m_lines;
    std::map<std::uint64_t, bool> m_told; // events that have told, and whether their line still stands
    std::uint64_t m_version = 0;
};

// What the narrator tells of a recorded run, from its first event to its last, each cluster by itself.
RunStory storyOf(Recording& recording);
// A row for each sentence of it: story.csv.
ExportTable storyTable(Recording& recording, const RunStory& story);
// The run to be read, as UTF-8: what the scenario said and what happened, in the order of the run, with the seconds of the run.
QByteArray storyText(Recording& recording, const RunStory& story);

} // namespace lhrs::gui
