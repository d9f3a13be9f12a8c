// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/file_view.h"

// Parts of the fold: which process holds which place. Of several incarnations of a bucket the newest is in the row
// and the others are displaced, so that the order of events of different processes does not matter.
namespace lhrs::gui::fold {

// The process's bucket; it is made if its recruiting was missed. Null: `place` has the other role.
DataBucketState* dataOf(FileView& s, ProcessId process, const pb::Place& place);
ParityBucketState* parityOf(FileView& s, ProcessId process, const pb::Place& place);

// Removes the process's bucket of any role; the newest displaced bucket of that number comes back.
void releasePlace(FileView& s, ProcessId process);

// A place whose holder was declared failed before the watcher began: it exists, and nothing else is known of it.
void placeDeclared(FileView& s, std::uint32_t group, const pb::Member& member);

// Recomputes whether the bucket is overflowed, with the b that is known now.
void settleOverflow(DataBucketState& bucket, const FileShown& file);
void settleOverflows(FileView& s);

} // namespace lhrs::gui::fold
