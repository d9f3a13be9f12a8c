// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/config.pb.h"

#include <cstdint>
#include <string>

namespace lhrs::gui {

// How late this machine wakes the processes of a cluster, as they measured it at their start, and the longer timeouts
// chosen for it. Without longer timeouts, slow servers would be declared failed.
struct MachinePatience {
    std::int64_t wakeLateNs = 0; // the worst value of all processes
    unsigned timeScale = 1; // factor of all timeouts
    pb::Timers timers; // the coordinator's resulting timers; empty if timeScale is 1
};

// 1, 2, 4 or 8: the least factor with which a server still answers the coordinator's probes in time if it is woken
// this late four times (a probe and its answer pass two threads each).
unsigned timeScaleFor(std::int64_t wakeLateNs);
// The time from a server's silence to its declared failure, in ms: until a member of its group suspects it, plus the
// time of the probes.
std::int64_t declaredAfterMs(const pb::Timers& timers);
// "this machine wakes processes up to 40 ms late; failures are declared after 0.48 s"; empty if the timeouts are
// unchanged.
std::string patienceWords(const MachinePatience& patience);

} // namespace lhrs::gui
