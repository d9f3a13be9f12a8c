// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/calls/lab_context.h"

#include <QJSValue>

#include <optional>

namespace lhrs::gui {

// The options of client.run as the client's order, and its result as the script's object (window.md 4.3).
LabResult<pb::RunWorkload> workloadOrder(const LabContext& context, const Arguments& o);
// `hasRate`: with how far it was behind its due times.
QJSValue workloadObject(const LabContext& context, const pb::WorkloadResult& done, std::optional<std::uint64_t> messages, bool hasRate);
// "the memory of data bucket 3 is at its limit: the answer is \"try again later\"", of all that are full; empty where none is.
QString fullServers(const pb::WorkloadResult& done);
// What the client found when it read back what it wrote; the lamps are told, too.
LabResult<QJSValue> verifyClient(LabContext& context, ProcessId process, const Arguments& o);

} // namespace lhrs::gui
