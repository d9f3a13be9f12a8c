// SPDX-License-Identifier: GPL-3.0-or-later
// What happened to the records of a bucket, as reported in events.
#pragma once

#include "common/lhrs/file_ids.h"
#include "node/machine/effects.h"
#include "proto/event.pb.h"

#include <cstdint>

namespace lhrs {

// What a data bucket did to a record, as reported in events: `count` is the number of its records afterwards.
struct RecordChange {
    pb::ChangeKind kind = pb::CHANGE_UNKNOWN; // insert, update or delete
    Key key;
    Rank rank;
    std::uint32_t length = 0; // of the value in bytes
    Sequence sequence = 0;
    std::uint32_t count = 0;
};

// What a parity bucket added to a parity record, as reported in events: `members` is the number of records in the group
// afterwards, `recordGroups` is the number of parity records in the bucket.
struct AppliedDelta {
    Position position;
    pb::ChangeKind kind = pb::CHANGE_UNKNOWN;
    Key key;
    Rank rank;
    Sequence sequence = 0;
    std::uint32_t coefficient = 0;
    std::uint32_t members = 0;
    std::uint32_t recordGroups = 0;
};

// Report a change in an event of its own, together with others, or not at all, depending on the level of detail. A
// place is a data bucket or a parity bucket, so a list has changes of one kind only.
void tell(Effects& out, const RecordChange& change);
void tell(Effects& out, const AppliedDelta& delta);

} // namespace lhrs
