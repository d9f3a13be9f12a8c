// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/control/invariant_findings.h"

#include <cstdlib>

namespace lhrs::gui {

void addFinding(
    pb::Told::Judged& judged, int invariant, std::uint64_t checks, std::uint64_t violated, const std::string& text)
{
    auto& finding = *judged.add_findings();
    finding.set_invariant(std::uint32_t(invariant));
    finding.set_checks(checks);
    finding.set_violated(violated);
    finding.set_text(text);
}

pb::Told::Judged findingsOfVerify(const pb::WorkloadResult& read, ProcessId client, const ClusterState& state)
{
    pb::Told::Judged judged;
    const auto countOf = [&read](const char* name) {
        const auto at = read.results().find(name);
        return at == read.results().end() ? std::uint64_t(0) : at->second;
    };
    const std::uint64_t found = countOf("OK"), gone = read.missing() + countOf("LOST");
    const std::uint64_t answered = read.operations() - std::min(read.operations(), read.unanswered());
    const bool isOnlyWriter = state.invariants.isOnlyWriter(client, state);
    // Wrong values belong to I19. But a record with a wrong value did not come back either, so I7 is not checked.
    if (gone > 0 ? isOnlyWriter : read.wrong() == 0)
        addFinding(judged, 7, answered, gone,
            std::to_string(gone) + " of " + std::to_string(answered) + " acknowledged records did not come back");
    // newer: values that another client wrote, though none was known to write.
    const std::uint64_t other = read.wrong() + (isOnlyWriter ? read.newer() : 0);
    if (other == 0 || isOnlyWriter)
        addFinding(judged, 19, found, other,
            std::to_string(other) + " of " + std::to_string(found)
                + " values are not those that their client wrote last");
    return judged;
}

pb::Told::Judged findingsOf(const pb::SimulationState& simulation)
{
    pb::Told::Judged judged;
    const std::string& text = simulation.violation(); // "I8: ..."
    const int invariant = text.starts_with('I') ? std::atoi(text.c_str() + 1) : 0;
    if (const std::size_t colon = text.find(": ");
        invariant >= 1 && invariant <= kInvariants && colon != std::string::npos)
        addFinding(judged, invariant, 1, 1, "the simulator says: " + text.substr(colon + 2));
    return judged;
}

} // namespace lhrs::gui
