// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/process_state.h"

#include <array>

namespace lhrs::gui {

// What a client of any system has done.
struct ClientState {
    ProcessId process = 0;
    std::string name;
    std::uint64_t operations = 0, forwards = 0, resends = 0, done = 0;
    std::array<std::uint64_t, 3> hops {}; // operations with 0, 1, 2 forwards
    bool isHeld = false; // it begins no new operations
};

} // namespace lhrs::gui
