// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in a ring that walks, in plain sentences.
#pragma once

#include "gui/lab/words/process/process_story.h"

#include <string>

namespace lhrs::gui {

// The event of a ring's process as one sentence; empty: it is an event of another system.
std::string ringSentence(ProcessId process, const pb::Event& event, const RunState& state);
// What the narrator of free play says about the event; empty: nothing.
std::string ringTelling(const pb::Event& event, const RunState& state);
inline constexpr const char* kRingMasterEnded
    = "The master has ended: queries go on, but no node joins or leaves any more.";

// A node has its name alone.
class RingNames : public ProcessNames {
public:
    using ProcessNames::ProcessNames;
    std::string placeOf(const pb::Event& /*event*/) const override { return {}; }
    std::string placeOf(const ProcessState& /*process*/) const override { return {}; }
    std::string together(const words::Names& names) const override { return words::listed(names); }
    std::string capital(std::string text) const override { return text; }
    QString coordinatorEnded(bool /*isOnPurpose*/) const override { return kRingMasterEnded; }
};

} // namespace lhrs::gui
