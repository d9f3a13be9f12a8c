// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

#include <cstdint>

namespace lhrs::gui {

class ClockBar;

// The virtual time of a simulated cluster: its bar, and what a step of it has done.
class WindowClock : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowClock(WindowParts& parts);

    QWidget* makeBar() override;
    void update() override;
    void applyTheme() override;

    // What happens from now on in a simulated cluster is one step, which is described in words.
    void noteStep();

private:
    void stepClock(ClockStep step);
    void alignBegin();
    void nameStep();

    ClockBar* m_bar = nullptr;
    std::optional<std::uint64_t> m_steppedFrom; // event before the step, until its effect is reported
    int m_clusterShown = 0; // number of the scenario's cluster that the show has reached
};

} // namespace lhrs::gui
