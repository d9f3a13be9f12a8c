// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/control/fault_orders.h"

#include <QString>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace lhrs::gui {

// A fault as the palette defines it.
struct FaultWish {
    enum class Kind { Network, Partition, Pause, Kill, KillAtStep };
    Kind kind = Kind::Network;
    pb::NetworkFault network; // its rules
    // Senders and receivers (empty: any), the two sides of a partition, or the targets.
    std::vector<ProcessId> first, second;
    bool secondIsRest = false; // of a partition: the second side is all other processes
    PartitionSides::Direction direction = PartitionSides::Direction::Both;
    std::string step; // the event, e.g. "SplitPrepared"
    std::uint32_t count = 1;
    std::chrono::seconds lease { 60 };
    bool isKept = false; // renewed while this window is open
};

// The scenario lines that do the same.
QString faultLine(const FaultWish& wish, const ClusterState& state);
// What each process is told, under a new number; nothing for a pause or a kill at once.
std::vector<FaultOrder> ordersOf(const FaultWish& wish, const ControlClient& control);

} // namespace lhrs::gui
