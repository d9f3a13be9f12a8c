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

// The whole narration of a run as the reader finally sees it: a telling that continues an earlier one replaces it.
class RunStory {
public:
    // `event`: the newest event at the time of telling; it places a telling that has no event of its own. False:
    // nothing was new, because the same event was told before, when the run was shown from an earlier instant.
    bool add(const Telling& telling, std::uint64_t event);
    void clear();

    struct Line {
        std::uint64_t event = 0; // index of the event that the line follows
        std::int64_t runNs = 0;
        QString text;
        bool operator==(const Line&) const = default;
    };
    // In ascending order of events; lines of the same event in the order of telling.
    const std::vector<Line>& lines() const { return m_lines; }
    // Grows with each change.
    std::uint64_t version() const { return m_version; }

    static constexpr std::size_t kLinesMax = 20'000; // beyond this the oldest are dropped

private:
    std::vector<Line> m_lines;
    std::map<std::uint64_t, bool> m_told; // events that have been told, and whether their line is still kept
    std::uint64_t m_version = 0;
};

// The narration of a recorded run from its first event to its last, with each cluster told separately.
RunStory storyOf(Recording& recording);
// story.csv: one row per sentence.
ExportTable storyTable(Recording& recording, const RunStory& story);
// The run as readable UTF-8 text: the scenario's captions and the narration, in the order of the run, with times in
// seconds.
QByteArray storyText(Recording& recording, const RunStory& story);

} // namespace lhrs::gui
