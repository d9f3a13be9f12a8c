// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/control/control_client.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

// The gate of a cluster, of real processes or simulated ones: closed at all of them or at none. What scripts and the
// window do with it is here. Each call waits for its answers, so it is none for the control thread. Where virtual time
// stands, or goes on by commands alone, what is under way does not arrive by itself: then time is let go on for it.
namespace lhrs::gui {

inline constexpr std::size_t kGatedMax = 64;                       // processes
inline constexpr std::size_t kGatedSimulatedMax = 1'000;
// In the text of an error: there is no gate.
inline constexpr const char* kWithoutGate = "was started without --gate";
inline constexpr std::chrono::milliseconds kGateWithin { 20 };     // a process stops its clock, after the command

struct GateOutcome {
    bool isClosed = false;
    bool hasGate = true;       // false: the processes were started without one
    std::size_t processes = 0; // that were told
    std::string text;          // why it is not as it was wanted; empty: it is
};
// One that does not stop its clock in that time takes the gate back everywhere.
GateOutcome closeGates(ControlClient& control, std::chrono::milliseconds within, const std::stop_token& stop = {});
GateOutcome openGates(ControlClient& control, const std::stop_token& stop = {});

struct HeldAt {
    ProcessId process = 0;
    pb::HeldMessage message;
};
// The oldest first.
Result<std::vector<HeldAt>> heldMessages(ControlClient& control, const std::stop_token& stop = {});

struct ReleaseWish {
    std::uint32_t count = 1;    // the oldest ones
    std::optional<HeldAt> one;  // or this one, by process and number
    bool isDropped = false;     // they are lost instead
    bool mayPass = false;       // where nothing is held, all clocks go on to the next timer
    std::chrono::milliseconds timeout { 10'000 };
};
// One after the other: what a step sends is held where it goes before the next one is chosen. Returns what was let through;
// fewer when nothing more is held.
Result<std::vector<HeldAt>> releaseHeld(ControlClient& control, const ReleaseWish& wish, const std::stop_token& stop = {});

} // namespace lhrs::gui
