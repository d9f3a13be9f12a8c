// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in a ring that walks, in plain sentences.
#pragma once

#include "gui/lab/words/process/teller.h"

#include <string>

namespace lhrs::gui {

// The event of a ring's process as one sentence; empty: it is an event of another system.
std::string ringSentence(ProcessId process, const pb::Event& event, const RunState& state);
// What the narrator of free play tells of the event, if anything.
void tellOfRing(StoryMemory& story, const RunEvent& run, const RunState& state);
inline constexpr const char* kRingMasterEnded
    = "The master has ended: queries go on, but no node joins or leaves any more.";

// A node has its name alone.
class RingNames : public ProcessNames {
public:
    using ProcessNames::ProcessNames;
    std::string placeOf(const pb::Event& /*event*/) const override { return {}; }
    std::string placeOf(const ProcessState& /*process*/) const override { return {}; }
    std::string together(const words::Names& names) const override { return words::listed(names); }
    std::string capital(std::string text) const override
    {
        if (text.starts_with("the "))
            text[0] = 'T';
        return text;
    }
    std::string coordinator() const override { return "the master"; }
    QString coordinatorEnded(bool /*isOnPurpose*/) const override { return kRingMasterEnded; }
};

} // namespace lhrs::gui
