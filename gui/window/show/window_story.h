// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/run_story.h"
#include "gui/lab/words/narrator.h"
#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// What the narrator tells of the run that is shown: in the strip if no scenario speaks, and in the log.
class WindowStory : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowStory(WindowParts& parts);

    void frame() override;
    void forget() override;
    void restart() override { m_narrator.reset(); }
    // A recording's story is told at once, unless it is so long that the person would have to wait: then it is told as
    // far as the recording is shown.
    void showRun() override;

    // Of the run that is shown.
    const RunStory& told() const { return m_told; }

private:
    Narrator m_narrator;
    RunStory m_told, m_live; // of the run that is shown; of the live run while a recording is shown
    bool m_isOfRecording = false;
    bool m_isWhole = false; // the story covers a whole recording
};

} // namespace lhrs::gui
