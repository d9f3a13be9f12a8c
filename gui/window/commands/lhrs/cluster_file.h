// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/commands/command_report.h"

#include <cstdint>

namespace lhrs::gui {

// Commands for the coordinator of a file, and further servers for it.
class ClusterFile {
public:
    explicit ClusterFile(const CommandContext& context) : m_context(context) { }

    void split();
    void raiseAvailability();
    void addParity(std::uint32_t group);
    void addSpares(std::uint32_t data, std::uint32_t parity);
    // By hand.
    void recover(std::uint32_t group);
    void acknowledgeLoss(std::uint32_t group);

private:
    CommandContext m_context;
};

} // namespace lhrs::gui
