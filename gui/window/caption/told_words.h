// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/words/narrator.h"

#include <QString>

#include <deque>
#include <optional>
#include <vector>

namespace lhrs::gui {

class StoryModel;

// The narrator's sentences about a cluster that no script controls: each is shown for some time, one after the other.
class ToldWords {
public:
    void add(const std::vector<Telling>& told);
    void clear();
    // To be called once per frame. `isFree`: the narrator may speak; else what waits is dropped. Moves what is told now
    // to the story, and returns the sentence to be shown if it is another one.
    std::optional<QString> frame(double seconds, bool isFree, StoryModel& story);

private:
    std::deque<Telling> m_waiting;
    std::uint64_t m_event = 0; // of the sentence that is shown; 0: it has no event
    double m_time = 0, m_until = 0;
};

} // namespace lhrs::gui
