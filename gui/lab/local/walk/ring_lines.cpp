// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/walk/ring_lines.h"

namespace lhrs::gui {

SystemLines linesOfRing(const RingOptions& ring)
{
    SystemLines lines;
    lines.always = { "--system", "walk" };
    lines.coordinator = { "--bits", std::to_string(ring.bits), "--nodes", std::to_string(ring.nodes) };
    lines.withoutServers = { "--servers", "0" };
    lines.pools = { { pb::NO_ROLE, "node", {}, ring.nodes + ring.outside } };
    lines.whyNoTakeOver = "The master of a ring keeps its members in memory, which ended with it; start a new ring.";
    lines.whyNoCase = "A ring is simulated, but no test case of one is played here.";
    return lines;
}

} // namespace lhrs::gui
