// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/process_state.h"
#include "proto/recording.pb.h"

// A process as a row of a keyframe.
namespace lhrs::gui {

void write(const ProcessState& from, pb::Keyframe::Process& out);
ProcessState read(const pb::Keyframe::Process& from);

} // namespace lhrs::gui
