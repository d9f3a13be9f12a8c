// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/calls/lab_system.h"

namespace lhrs::gui {

class FileLab : public LabSystem {
public:
    Words words() const override;
    void addCalls(Lab& lab, LabContext& context) const override;
    LabResult<QJSValue> start(LabContext& context, const Arguments& o) const override; // lab_file_setup.cpp
    LabResult<QJSValue> settle(LabContext& context, double timeout) const override; // lab_structure.cpp
    LabResult<bool> awaitCoordinator(const LabContext& context, double timeout) const override;
    void forget(LabContext& context) const override;
    LabResult<bool> narrow(LabContext& context, const QJSValue& place, pb::Verify& order) const override;
    void addOperation(const pb::OperationResult& done, QJSValue& value) const override;
    void addWorkload(const pb::WorkloadResult& done, QJSValue& value) const override;
    LabResult<QJsonObject> pageOf(const Arguments& o) const override;
    // In lab_file_targets.cpp.
    LabResult<std::vector<FoundTarget>> find(LabContext& context, const QJSValue& target) const override;
    // In lab_file_state.cpp.
    bool isAtRest(const ClusterState& state) const override;
    void addState(const ClusterState& state, QJSEngine& engine, QJSValue& value) const override;
    void addClient(const ClusterState& state, ProcessId client, QJSValue& value) const override;
};

// The parameters of the script's file, which lab.cluster made or found.
pb::FileConfig runningConfig(const LabContext& context);

// Adds i, n and M of an image.
void addImage(const pb::FileState& image, QJSValue& value);

// ---- the groups of calls; each function adds the handlers of its group

void addSpareCalls(Lab& lab, LabContext& context); // lab_file_setup.cpp: spares, addSpares
void addBucketTargets(Lab& lab, LabContext& context); // lab_file_targets.cpp: data, parity, manager, spare
void addStructureCalls(Lab& lab, LabContext& context); // lab_structure.cpp: file, split, availability, parity, keys
void addRecoveryCalls(Lab& lab, LabContext& context); // lab_recovery.cpp: recover, acknowledgeLoss
void addWitnessCalls(Lab& lab, LabContext& context); // lab_witness.cpp
void addStateCalls(Lab& lab, LabContext& context); // lab_state.cpp: group, bucket, records
void addImageCalls(Lab& lab, LabContext& context); // lab_file_clients.cpp: client.image, forget, scan
void addAuditCalls(Lab& lab, LabContext& context); // lab_audit.cpp
void addInvariantCalls(Lab& lab, LabContext& context); // lab_invariants.cpp
void addTimingCalls(Lab& lab, LabContext& context); // lab_timing.cpp

// ---- values

// The number of ranks in a slice, from an option that is a number or 'auto' (0). Else BadArgument; `call` is the call
// that has the option.
LabResult<std::uint32_t> sliceOf(const QJSValue& option, const QString& call);
// The Timing of a finished bucket recovery; `failed`: the events that declared its buckets failed.
QJSValue recoveryTiming(
    const LabContext& context, const pb::RecoveryFinished& done, const std::vector<RunEvent>& failed);
// The times of an event that reports how the time of a rebuild was spent.
template <class Event> void setTimes(QJSValue& timing, std::int64_t totalNs, const Event& event)
{
    timing.setProperty("total_s", double(totalNs) / 1e9);
    timing.setProperty("process_s", double(event.process_ns()) / 1e9);
    timing.setProperty("comm_s", double(event.communication_ns()) / 1e9);
    timing.setProperty("other_s", double(event.other_ns()) / 1e9);
    timing.setProperty("transfer_s", double(event.transfer_ns()) / 1e9);
}
// The recovery way that a word such as "onAlarm" names; an unknown word gives off.
pb::RecoveryWay recoveryWayOf(const QString& word);
// Changes the recovery way of the running file and returns the former one. Refused, Timeout: see the command
// SetRecovery.
LabResult<pb::RecoveryWay> setRecoveryWay(LabContext& context, pb::RecoveryWay way);
// The places that a bucket target names, in its order; empty for any other target.
std::vector<pb::Place> placesOf(const QJSValue& target);

} // namespace lhrs::gui
