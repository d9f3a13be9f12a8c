// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/time/way_given.h"

namespace lhrs::gui {

namespace {

constexpr double kManyEvents = 100; // per second: above this the cluster is at work
constexpr double kAtWork = 0.2, kAtFullSpeed = 0.7; // processors that the cluster uses
constexpr double kPersonWaits = 3; // seconds: somebody who has just used the window looks at what it does

} // namespace

WayGiven wayFor(const MachineLoad& load)
{
    const bool isAtWork = load.eventsPerSecond > kManyEvents || load.clusterProcessors > kAtWork;
    if (!load.isReal || !load.areScarce || !isAtWork)
        return {};
    using std::chrono::milliseconds;
    const bool isBlur = load.clusterProcessors > kAtFullSpeed && load.sinceInput > kPersonWaits;
    return { isBlur ? milliseconds(1'000) : milliseconds(200), milliseconds(40) };
}

} // namespace lhrs::gui
