// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts as scripts see them: the computers of a cluster that was started on several, or the addresses of a connected
// one.
#pragma once

#include "gui/lab/calls/lab_context.h"
#include "gui/lab/calls/lab_values.h"
#include "gui/lab/hosts/host_list.h"

#include <QJSValue>

#include <vector>

namespace lhrs::gui {

// The option hosts of lab.cluster.
LabResult<std::vector<HostEntry>> hostsOf(const Arguments& o);
// What lab.host returns: all processes of a host, by the host's name or address.
QJSValue hostTarget(const LabContext& context, const QString& id);
// Those of them that have not ended.
LabResult<std::vector<FoundTarget>> findOnHost(LabContext& context, const QString& id);
// What lab.hosts returns.
LabResult<QJSValue> hostsShown(LabContext& context);

} // namespace lhrs::gui
