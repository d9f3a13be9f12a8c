// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/reel/reel.h"
#include "gui/window/caption/story.h"

namespace lhrs::gui {

// What a show has told so far: the story that its entries make as they are shown, and what held of what was expected.
class ShowStory {
public:
    // The story of another show, or of none.
    void clear();
    // The entry is shown now.
    void add(const ReelEntry& entry);

    StoryModel& model() { return m_model; }
    int held() const { return m_held; }
    int failed() const { return m_failed; }
    // A caption or a question has been shown. / A task of an exercise has been shown.
    bool hasSpoken() const { return m_hasSpoken; }
    bool hasTask() const { return m_hasTask; }

private:
    StoryModel m_model;
    int m_held = 0, m_failed = 0;
    bool m_hasSpoken = false, m_hasTask = false;
};

} // namespace lhrs::gui
