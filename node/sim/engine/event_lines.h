// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/sim_cluster.h"

#include <string>

namespace lhrs {

// An event as one line, for people and for files that are compared: process, place, name of the event and its fields,
// e.g. "node-1 data 0: RecordInserted key=7 length=20 sequence=1 count=1"; a message as "client-1 -> node-1: insert".
// Processes are shown by name. Values that are random or measured (ids of messages and of other steps, incarnations,
// times) are left out, so that a line changes only when its meaning does. `place`: the words for the event's place in
// its system, if it has places.
std::string eventLine(
    const SimCluster& cluster, const SimProcess& process, const pb::Event& event, const std::string& place = {});

} // namespace lhrs
