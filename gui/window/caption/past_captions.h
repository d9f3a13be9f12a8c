// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/caption/caption_strip.h"
#include "gui/window/caption/caption_track.h"

namespace lhrs::gui {

// What was said up to a past instant, in place of what the script says now.
class PastCaptions {
public:
    // Null: no past instant is shown. False: what is shown has not changed.
    bool show(const CaptionTrack* track, const CaptionTrack::Instant& instant);
    bool isOn() const { return m_isOn; }
    const StripWords& words() const { return m_words; }
    StoryModel& story() { return m_story; }

private:
    StoryModel m_story;
    StripWords m_words;
    std::size_t m_said = 0;
    bool m_isOn = false;
};

} // namespace lhrs::gui
