// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

class QKeyEvent;

namespace lhrs::gui {

class WindowGuide;
class WindowStory;
class WindowTime;

// The steps of a scenario and of the past: the keys of a clicker, votes, and the captions of the instant that is shown.
class WindowSteps : public WindowSubject {
    Q_OBJECT
public:
    WindowSteps(WindowParts& parts, WindowTime& time, const WindowStory& story);
    // Before the first key: the guide, which a clicker leads too.
    void meet(WindowGuide& guide) { m_guide = &guide; }

    void frame() override { showCaptions(); }
    // The strip of captions is visible if there is something that it can tell. The captions are read anew.
    void showStrip();
    // 1 to 9: a vote for that choice; + and -: one vote more or fewer for the choice that was named last. False: the
    // key is none of these.
    bool countVote(const QKeyEvent& event);

private:
    bool endBlank();
    void goOn();
    void goBack();
    bool goToStop(int direction);
    void showCaptions();

    WindowTime& m_time;
    const WindowStory& m_story;
    WindowGuide* m_guide = nullptr;
    CaptionTrack m_captions;
    std::pair<const Recording*, std::uint64_t> m_captionsOf { nullptr, 0 };
};

} // namespace lhrs::gui
