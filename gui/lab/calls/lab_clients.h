// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/calls/lab_context.h"

namespace lhrs::gui {

inline constexpr double kGraceSeconds = 2; // beyond an operation's own timeout

// The process of a client that the script has. Unreachable: it belonged to a cluster that was replaced.
LabResult<ProcessId> clientProcess(const LabContext& context, const QString& name);
LabResult<pb::ClientDescription> describeClient(const LabContext& context, ProcessId process);
// How the client treats its image from now on; `forget`: it begins again with the oldest one.
LabResult<bool> setImage(LabContext& context, const QString& name, pb::ImageMode mode, bool forget);

} // namespace lhrs::gui
