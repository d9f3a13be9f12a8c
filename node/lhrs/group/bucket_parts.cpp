// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/bucket_parts.h"

#include "common/lhrs/linear_hash.h"

namespace lhrs {

void BucketStatus::become(pb::MemberState to, const char* reason, Effects& out)
{
    if (to == state)
        return;
    state = to;
    auto* event = out.event().mutable_state_changed();
    event->set_state(state);
    event->set_reason(reason);
    event->set_level(level);
}

HolderInfo selfOf(const BucketParts& bucket)
{
    return { Address::from(bucket.context.self.address()), NodeId(bucket.context.self.node()), bucket.incarnation };
}

Key addressed(Key key, const pb::FileConfig& config) { return config.mix_keys() ? mix64(key) : key; }

BlockEntry wholeRecord(BlockEntry::Kind kind, const RecordStore::Record& record, Rank rank)
{
    return { .kind = kind,
        .key = record.key,
        .rank = rank,
        .length = kind == BlockEntry::Kind::Delete ? 0 : std::uint32_t(record.value.size()),
        .version = record.version,
        .bytes = record.value };
}

void takeRequest(ResultTable& results, const BlockEntry& entry, Time now)
{
    if (entry.kind == BlockEntry::Kind::DoneBelow)
        results.forget(entry.client, entry.number, now);
    else
        results.keep(entry.client, { entry.number, entry.key, 0, pb::ResultCode(entry.result) }, now);
}

} // namespace lhrs
