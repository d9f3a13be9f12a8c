// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// What the reel of a scenario shows apart from captions: the cluster that begins, the camera, the panels, and what is
// spoken of.
class WindowReel : public WindowSubject {
    Q_OBJECT
public:
    // `subjects`: all of them; they forget the previous cluster when another one is shown.
    WindowReel(WindowParts& parts, const std::vector<WindowSubject*>& subjects);

    // Nothing of the picture before a cut moves on after it.
    void frame() override;

    // The recording of a scenario is the same show without its script. False: it contains no steps and no exercise.
    bool start();
    // The session has another cluster. It is shown when the show has reached it.
    void takeCluster();
    void follow(const ReelEntry& entry);
    void point(const CameraWish& wish);
    void highlight(const QStringList& targets, const QString& words, double seconds);
    // The scenario opens a chart: the next step returns to the present workspace.
    void noteChart();

private:
    void beginCluster(std::int64_t ns);
    void endStep();
    void frameWith(const CameraWish& wish, const std::vector<ObjectRef>& places);

    const std::vector<WindowSubject*>& m_subjects;
    std::uint64_t m_cuts = 0;
    std::optional<Workspace> m_workspaceBefore; // shown before the scenario opened a panel in this step
    bool m_isNear = false; // the scenario has zoomed in on something
    std::vector<std::int64_t> m_clustersToCome; // begin times of clusters that the show has not reached yet
};

} // namespace lhrs::gui
