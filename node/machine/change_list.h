// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
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
// afterwards, `recordGroups` the number of the bucket's parity records.
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

// Changes of the records of one process that are reported together, at the level RECORDS: an event for each would cost
// more than the change. They wait until they are many, until some time has passed (EventStamper), or until another
// event is to be emitted (Effects::event).
class ChangeList {
public:
    void add(const RecordChange& change);
    void add(const AppliedDelta& delta);
    std::size_t size() const { return std::size_t(m_records.keys_size()) + std::size_t(m_deltas.ranks_size()); }
    bool isEmpty() const { return size() == 0; }
    // Writes them into the event and clears the list. A place is a data bucket or a parity bucket, so the list has only
    // one kind.
    void moveTo(pb::Event& event);

private:
    pb::RecordsChanged m_records; // both keep their memory
    pb::DeltasApplied m_deltas;
};

} // namespace lhrs
