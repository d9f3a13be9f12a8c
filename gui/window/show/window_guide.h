// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/show/window_exercise.h"
#include "gui/window/parts/window_parts.h"
#include "gui/window/show/window_tour.h"

namespace lhrs::gui {

// The strip that guides a person through the tour or an exercise, and its keys.
class WindowGuide : public WindowSubject {
    Q_OBJECT
public:
    WindowGuide(WindowParts& parts, const WindowGroup& group, const WindowRecords& records, const WindowWrite& write,
        Remembered& remembered);

    void build() override;
    void enable() override;
    void applyTheme() override;

    GuidePanel& panel() const { return *m_panel; }
    WindowTour& tour() const { return *m_tour; }
    WindowExercise& exercise() const { return *m_exercise; }

private:
    GuidePanel* m_panel;
    WindowTour* m_tour;
    WindowExercise* m_exercise;
};

} // namespace lhrs::gui
