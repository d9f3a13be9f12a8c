// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/commands/command_report.h"

#include <cstdint>
#include <optional>

namespace lhrs::gui {

class ClusterGate;

enum class ClockStep { Event, Message, Millisecond };

// Virtual time of a simulated cluster.
class ClusterClock {
public:
    ClusterClock(const CommandContext& context, ClusterGate& gate) : m_context(context), m_gate(gate) { }

    // Sets its speed (0: as fast as possible).
    void run(double factor);
    void pause();
    // Of processes that are real, or gated, the oldest held message is let through.
    void step(ClockStep step);
    // The zero of virtual time, on the run's clock; nothing: the cluster is not simulated, or its time has not begun.
    std::optional<std::int64_t> zeroNs() const;

private:
    void ask(pb::Command command, const QString& line);

    CommandContext m_context;
    ClusterGate& m_gate;
};

} // namespace lhrs::gui
