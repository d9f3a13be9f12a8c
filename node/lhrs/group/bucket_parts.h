// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "common/record_block.h"
#include "node/machine/node_context.h"
#include "node/lhrs/group/parity_link.h"
#include "node/lhrs/store/record_store.h"
#include "node/lhrs/store/result_table.h"

#include <cstdint>

namespace lhrs {

// What both ends of a split need of their data bucket.
struct BucketParts {
    NodeContext& context;
    RecordStore& store;
    ParityLink& link;
    ResultTable& results;
    const pb::FileConfig& config;
    BucketNumber number;
    GroupNumber group;
    Position position;
    Incarnation incarnation;
};

// The key's hash input: itself, or mix64 of it where the file says so (lhrs.md 1.1).
Key addressed(Key key, const pb::FileConfig& config);

// A record that is not there yet, or not any more, as a change: the delta is the record itself.
BlockEntry wholeRecord(BlockEntry::Kind kind, const RecordStore::Record& record, Rank rank);

// Everything of mine is staged: to the coordinator.
void reportPrepared(BucketParts& bucket, std::uint64_t split, std::uint32_t moved, Sequence sequence, Time now, Effects& out);

// Takes a Result or DoneBelow of a record block into the table.
void takeRequest(ResultTable& results, const BlockEntry& entry, Time now);

} // namespace lhrs
