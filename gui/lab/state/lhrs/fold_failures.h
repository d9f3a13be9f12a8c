// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/file_view.h"

// Parts of the fold: suspicion, failure, recovery. What the coordinator says of a place and what its process says are
// stored separately, so that neither overwrites the other, in whatever order they arrive.
namespace lhrs::gui::fold {

void suspect(FileView& s, const pb::MemberSuspected& e, std::int64_t runNs);
void acquit(FileView& s, std::uint32_t group);
// `by`: the coordinator that reported it; `event`: the number of its event.
void fail(FileView& s, const pb::BucketFailed& e, ProcessId by, std::uint64_t event, std::int64_t runNs);
void startRecovery(FileView& s, const pb::RecoveryStarted& e, std::int64_t runNs);
void chooseDecoder(FileView& s, const pb::DecoderChosen& e);
void addSlice(FileView& s, const pb::SliceRecovered& e);
void storeSlice(DataBucketState& bucket, const pb::SliceStored& e);
void finishRecovery(FileView& s, const pb::RecoveryFinished& e, std::int64_t runNs);
void lose(FileView& s, const pb::GroupLost& e, std::int64_t runNs);

// Takes over a group's members in a new epoch, or as the coordinator has them now.
void takeMembers(GroupState& group, const pb::View& view, std::int64_t runNs);

} // namespace lhrs::gui::fold
