// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/show/window_exercise.h"
#include "gui/window/parts/window_parts.h"
#include "gui/window/show/guided_tour.h"

namespace lhrs::gui {

// The strip that guides a person through the tour or an exercise, and its keys.
class WindowGuide : public WindowSubject {
    Q_OBJECT
public:
    WindowGuide(WindowParts& parts, const WindowWrite& write);
    // The tour uses the panel, so it is made after this object; to be called before build().
    void meet(GuidedTour& tour);

    void build() override;
    void enable() override;
    void applyTheme() override;

    GuidePanel& panel() const { return *m_panel; }
    GuidedTour& tour() const { return *m_tour; }
    WindowExercise& exercise() const { return *m_exercise; }

private:
    GuidePanel* m_panel;
    GuidedTour* m_tour = nullptr;
    WindowExercise* m_exercise;
};

} // namespace lhrs::gui
