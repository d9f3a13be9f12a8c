// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace lhrs::gui {

// What tells whether a cluster waits for processors that the window uses.
struct MachineLoad {
    bool isReal = false; // a live cluster of real processes; in a simulation nothing waits for the picture
    bool areScarce = false; // FreeProcessors
    double eventsPerSecond = 0;
    double clusterProcessors = 0; // processor seconds per second of the cluster's processes
    double sinceInput = 0; // seconds since a person used keys or mouse
};

// What the window gives up for a cluster.
struct WayGiven {
    std::chrono::milliseconds frame { 0 }; // from frame to frame; 0: as often as the views need
    std::chrono::milliseconds gather { 8 }; // time to gather events before they are taken in: half a frame

    bool operator==(const WayGiven&) const = default;
};

// While processors are scarce, each request of the cluster may wait for a processor that paints. A cluster at work gets
// 5 frames a second. One that keeps processors busy changes faster than an eye can follow, and gets 1 frame a second
// unless a person is using the window.
WayGiven wayFor(const MachineLoad& load);

} // namespace lhrs::gui
