// SPDX-License-Identifier: GPL-3.0-or-later
// What the calls that make a cluster have in common, whatever its system.
#pragma once

#include "gui/lab/calls/lab_context.h"
#include "gui/lab/tables/run_facts.h"

#include <QJSValue>

#include <functional>

namespace lhrs::gui {

// The cluster that a script asked for: whether it begins now, and the end of the one before it.
struct ChosenCluster {
    bool isNew = true;
    Cue former {};
};
// Keeps the running cluster if it is the same and `o` does not ask for another one; otherwise replaces it by `local`.
LabResult<ChosenCluster> keepOrReplace(LabContext& context, const LocalOptions& local, const Arguments& o,
    const std::function<bool(const LocalOptions& running)>& isSame);
// Reports a new cluster to tables, reel and observer. `former`: the end of the cluster before it.
LabResult<bool> tellCluster(LabContext& context, ClusterFacts facts, const Arguments& o, const Cue& former);
// Adds what lab.cluster returns for any system: recordBytes, simulated, address, processes, versions.
void showProcesses(LabContext& context, QJSValue& result);

} // namespace lhrs::gui
