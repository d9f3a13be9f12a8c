// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/caption/story.h"

#include <cstdint>
#include <vector>

namespace lhrs::gui {

class Recording;
class RunStory;

// What the scenario of a recorded run said, by instant: a replay shows the caption of the instant.
class CaptionTrack {
public:
    CaptionTrack() = default;
    explicit CaptionTrack(Recording& recording);
    // If no scenario spoke: what the narrator told.
    explicit CaptionTrack(const RunStory& story);

    struct Instant {
        QString step, caption;
        std::size_t said = 0; // number of lines() up to the instant
    };
    // The state after that event. `isPlaying`: time advances between events too, and what was said after `ns` is still
    // to come.
    Instant at(std::uint64_t event, std::int64_t ns, bool isPlaying) const;
    // Everything that was said and found, in order.
    const std::vector<StoryLine>& lines() const { return m_lines; }
    bool isEmpty() const { return m_lines.empty(); }
    // The events after which a step began or a caption was said, ascending and unique: a clicker stops there.
    const std::vector<std::uint64_t>& stops() const { return m_stops; }
    std::size_t steps() const { return m_steps; }

private:
    struct Mark {
        std::uint64_t event = 0; // after which it was said
        std::int64_t ns = 0;
        QString step, caption; // valid from here on
    };
    std::vector<StoryLine> m_lines;
    std::vector<Mark> m_marks; // of each line
    std::vector<std::uint64_t> m_stops;
    std::size_t m_steps = 0;
};

} // namespace lhrs::gui
