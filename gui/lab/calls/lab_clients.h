// SPDX-License-Identifier: GPL-3.0-or-later
// What the calls for clients and their workloads share.
#pragma once

#include "gui/lab/calls/lab_context.h"

#include <QJSValue>

#include <optional>

namespace lhrs::gui {

inline constexpr double kGraceSeconds = 2; // beyond an operation's own timeout

// The process of a client that the script has. Unreachable: it belonged to a cluster that was replaced.
LabResult<ProcessId> clientProcess(const LabContext& context, const QString& name);
LabResult<pb::ClientDescription> describeClient(const LabContext& context, ProcessId process);
// How the client treats its image from now on; `forget`: it begins again with the oldest one.
LabResult<bool> setImage(LabContext& context, const QString& name, pb::ImageMode mode, bool forget);

// ---- workloads (lab_workloads.cpp)

// Converts the options of client.run into the command for the client, and its result into the script's object.
LabResult<pb::RunWorkload> workloadOrder(const LabContext& context, const Arguments& o);
// `hasRate`: the object also tells how far operations were behind their due times.
QJSValue workloadObject(
    const LabContext& context, const pb::WorkloadResult& done, std::optional<std::uint64_t> messages, bool hasRate);
// "the memory of node-3 is at its limit: the answer is \"try again later\"", for all full servers; empty if
// there is none.
QString fullServers(const pb::WorkloadResult& done);
// Makes the client read back all that it wrote. The result also counts for the invariants.
LabResult<QJSValue> verifyClient(LabContext& context, ProcessId process, const Arguments& o);

} // namespace lhrs::gui
