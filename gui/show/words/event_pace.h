// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace lhrs::gui {

// What an event of a system asks of the pacer.
struct EventPace {
    bool isSummary = false; // it sums up changes: it has no cause to wait for, and such events come all the time
    bool isNewcomer = false; // the process gets its place: it travels there, and what is sent to it comes after that
    bool isFreight = false; // records arrive: they travel longer than a message
    bool hasOwnCause = false; // it waits for its cause, even in a step whose cause was waited for already
    bool isRemarkable = false; // its operation is shown in full from here on
    // Which of several parts that are ready within microseconds of each other, from 0 on: the first ones are shown one
    // after the other.
    std::optional<std::uint32_t> part {};
};

} // namespace lhrs::gui
