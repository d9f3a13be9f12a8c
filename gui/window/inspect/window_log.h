// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/run_story.h"
#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class EventLog;

// What happened, in words: the event log, and what the scenario said.
class WindowLog : public WindowSubject {
    Q_OBJECT
public:
    // `story`: of the run that is shown; it must outlive this object.
    WindowLog(WindowParts& parts, const RunStory& story);

    void build() override;
    void forget() override { clear(); }
    void clear() override;
    void restart() override;
    void applyTheme() override;

private:
    const RunStory& m_story;
    EventLog* m_log = nullptr;
};

} // namespace lhrs::gui
