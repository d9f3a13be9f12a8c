// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/config.pb.h"

#include <cstdint>
#include <string>

namespace lhrs::gui {

// How late this machine wakes the processes of a cluster, as they measured it when they started, and how much longer
// their time-outs were made for it: else buckets that are only late are taken for dead.
struct MachinePatience {
    std::int64_t wakeLateNs = 0; // at worst, of all processes
    unsigned timeScale = 1;      // all time-outs times this
    pb::Timers timers;           // as the coordinator has them then; empty where timeScale is 1
};

// 1, 2, 4 or 8: the least with which a bucket that is woken so late four times still answers the coordinator's probes in
// time (a probe and its answer are received by two threads each).
unsigned timeScaleFor(std::int64_t wakeLateNs);
// How long a bucket is silent before it is declared failed, in ms: until a member of its group suspects it, and while it
// is probed.
std::int64_t declaredAfterMs(const pb::Timers& timers);
// "this machine wakes processes up to 40 ms late; failures are declared after 0.48 s"; "" where the time-outs are as
// ever.
std::string patienceWords(const MachinePatience& patience);

} // namespace lhrs::gui
