// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/client_state.h"
#include "proto/recording.pb.h"

// A process, and what a client has done, as rows of a keyframe.
namespace lhrs::gui {

void write(const ProcessState& from, pb::Keyframe::Process& out);
ProcessState read(const pb::Keyframe::Process& from);
void write(const ClientState& from, pb::Keyframe::Client& out);
ClientState read(const pb::Keyframe::Client& from);

} // namespace lhrs::gui
