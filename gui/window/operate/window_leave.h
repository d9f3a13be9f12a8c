// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// The ways to leave a running scenario: it is stopped, or the cluster is left together with it.
class WindowLeave : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowLeave(WindowParts& parts);

    void enable() override;

    // Stops a scenario that runs, and leaves the cluster then.
    void leaveCluster();
    // Asks whether to stop the scenario, if one runs.
    void offerToStop();

signals:
    // The exercise is left, if one is on.
    void exerciseLeft();

private:
    enum class AfterStop { Nothing, ShowNow, Leave };
    bool isLectureOn() const;
    void stopScenario(AfterStop after);
    void finishStop();

    AfterStop m_afterStop = AfterStop::Nothing;
};

} // namespace lhrs::gui
