// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

// Parts of the fold: suspicion, failure, recovery. What the coordinator says of a place and what its process says are
// stored separately, so that neither overwrites the other, in whatever order they arrive.
namespace lhrs::gui::fold {

void suspect(ClusterState& s, const pb::MemberSuspected& e, std::int64_t runNs);
void acquit(ClusterState& s, std::uint32_t group);
// `by`: the coordinator that reported it; `event`: the number of its event.
void fail(ClusterState& s, const pb::BucketFailed& e, ProcessId by, std::uint64_t event, std::int64_t runNs);
void startRecovery(ClusterState& s, const pb::RecoveryStarted& e, std::int64_t runNs);
void chooseDecoder(ClusterState& s, const pb::DecoderChosen& e);
void addSlice(ClusterState& s, const pb::SliceRecovered& e);
void storeSlice(DataBucketState& bucket, const pb::SliceStored& e);
void finishRecovery(ClusterState& s, const pb::RecoveryFinished& e, std::int64_t runNs);
void lose(ClusterState& s, const pb::GroupLost& e, std::int64_t runNs);

// An injected fault begins or ends at the process.
void arm(ProcessState& process, const pb::Fault& fault);
void disarm(ProcessState& process, const pb::Fault& fault);
// Updates the times in which the process was disturbed; called after each change of its pause, gate or faults.
void noteTrouble(ProcessState& process, std::int64_t runNs);

// Takes over a group's members in a new epoch, or as the coordinator has them now.
void takeMembers(GroupState& group, const pb::View& view, std::int64_t runNs);

} // namespace lhrs::gui::fold
