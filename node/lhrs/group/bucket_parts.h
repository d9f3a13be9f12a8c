// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"
#include "common/lhrs/record_block.h"
#include "node/lhrs/group/server_context.h"
#include "node/lhrs/group/parity_link.h"
#include "node/lhrs/store/record_store.h"
#include "node/machine/requests/result_table.h"

#include <cstdint>
#include <utility>

namespace lhrs {

// The present status of a data bucket. All its parts read it; epochs and reconfigurations change it.
struct BucketStatus {
    pb::MemberState state;
    Level level;
    pb::View view; // of its group
    bool isGone = false; // a merge gave all its records to another bucket

    // Whether it has all its records.
    bool isComplete() const { return state != pb::INIT && state != pb::RECOVERING; }
    void become(pb::MemberState to, const char* reason, Effects& out);
};

// What the parts of a data bucket share.
struct BucketParts {
    ServerContext& context;
    RecordStore& store;
    ParityLink& link;
    ResultTable& results;
    const pb::FileConfig& config;
    const BucketStatus& status;
    BucketNumber number;
    GroupNumber group;
    Position position;
    Incarnation incarnation;
};

// This process as the holder of its bucket.
HolderInfo selfOf(const BucketParts& bucket);

// The value from which the address of a key is computed: the key itself, or its mix64 if the file is configured so.
Key addressed(Key key, const pb::FileConfig& config);

// A record that appears or disappears, written as a change: the delta is the record itself.
BlockEntry wholeRecord(BlockEntry::Kind kind, const RecordStore::Record& record, Rank rank);

// Puts a Result or DoneBelow of a record block into the table.
void takeRequest(ResultTable& results, const BlockEntry& entry, Time now);

// Reads a record block: calls `take` for each record, and puts what is about requests into the table.
template <class Reader, class Take> void takeRecords(Reader&& reader, ResultTable& results, Time now, Take take)
{
    BlockEntry entry;
    while (reader.next(entry)) {
        if (entry.isOfRequests())
            takeRequest(results, entry, now);
        else
            take(std::as_const(entry));
    }
}

} // namespace lhrs
