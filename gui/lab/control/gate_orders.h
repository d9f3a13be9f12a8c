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

// The gate of a cluster, real or simulated: closed at all processes or at none. Scripts and the window share this code.
// Each call waits for answers and must not run in the control thread. Where virtual time stands still, or advances only
// by commands, messages in flight do not arrive by themselves: time is then advanced for them.
namespace lhrs::gui {

inline constexpr std::size_t kGatedMax = 64; // processes
inline constexpr std::size_t kGatedSimulatedMax = 1'000;
// Part of an error's text if there is no gate.
inline constexpr const char* kWithoutGate = "was started without --gate";
// A process has to stop its clock within this time after the command.
inline constexpr std::chrono::milliseconds kGateWithin { 20 };

struct GateOutcome {
    bool isClosed = false;
    bool hasGate = true; // false: the processes were started without one
    std::size_t processes = 0; // number that were told
    std::string text; // why the gate is not as wanted; empty if it is
};
// Closes the gate. If a process does not stop its clock in time, the gate is opened again everywhere.
GateOutcome closeGates(ControlClient& control, std::chrono::milliseconds within, const std::stop_token& stop = {});
GateOutcome openGates(ControlClient& control, const std::stop_token& stop = {});

struct HeldAt {
    ProcessId process = 0;
    pb::HeldMessage message;
};
// The held messages, oldest first.
Result<std::vector<HeldAt>> heldMessages(ControlClient& control, const std::stop_token& stop = {});

struct ReleaseWish {
    std::uint32_t count = 1; // number of oldest messages to release
    std::optional<HeldAt> one; // or this message, by process and number
    bool isDropped = false; // lose the messages instead
    bool mayPass = false; // if nothing is held, all clocks advance to the next timer
    std::chrono::milliseconds timeout { 10'000 };
};
// Releases one message after the other: what a step sends is held at its receiver before the next message is chosen.
// Returns the released messages; fewer than asked for if nothing more is held.
Result<std::vector<HeldAt>> releaseHeld(
    ControlClient& control, const ReleaseWish& wish, const std::stop_token& stop = {});

} // namespace lhrs::gui
