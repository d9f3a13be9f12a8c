// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/process/clock_alignment.h"

#include <algorithm>

namespace lhrs::gui {

std::map<ProcessId, ProcessClock> alignClocks(const SpaceTime& model)
{
    // The shortest travel time from one process to another by their own clocks.
    std::map<std::pair<ProcessId, ProcessId>, std::int64_t> quickest;
    std::map<ProcessId, ProcessClock> clocks;
    for (const SpaceTimeMessage& message : model.messages) {
        if (message.sent == kNoEvent || message.received == kNoEvent || message.from == message.to)
            continue;
        const std::int64_t took = model.events[message.received].run.runNs - model.events[message.sent].run.runNs;
        const auto [at, isNew] = quickest.try_emplace({ message.from, message.to }, took);
        at->second = std::min(at->second, took);
        clocks[message.from];
        clocks[message.to];
    }
    for (const auto& [way, took] : quickest) {
        const auto back = quickest.find({ way.second, way.first });
        if (back == quickest.end())
            continue;
        const std::int64_t error = std::max<std::int64_t>(0, (took + back->second) / 2);
        auto& known = clocks[way.first].errorNs;
        known = std::min(known.value_or(error), error);
    }
    // Each pair requires: the receiver's correction is not smaller than the sender's by more than the travel time.
    // Clocks without a violation stay unchanged. As many rounds as processes are enough, unless clocks ran at
    // different speeds.
    for (std::size_t round = 0; round < clocks.size(); ++round) {
        bool isSettled = true;
        for (const auto& [way, took] : quickest) {
            const std::int64_t most = clocks[way.second].correctionNs + took;
            if (clocks[way.first].correctionNs > most) {
                clocks[way.first].correctionNs = most;
                isSettled = false;
            }
        }
        if (isSettled)
            break;
    }
    return clocks;
}

} // namespace lhrs::gui
