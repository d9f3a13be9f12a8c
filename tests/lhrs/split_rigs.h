// SPDX-License-Identifier: GPL-3.0-or-later
// Both ends of a split under test.
#pragma once

#include "tests/rigs/core/bucket_rigs.h"

namespace lhrs::test {

inline constexpr std::uint64_t kSplit = 40;
inline const HolderInfo kTarget = holderOf(NodeRig::kData + 1, 201);

// Bucket 0 of level 0 with keys 0..count-1, all acknowledged by the parity buckets; an even key stays.
struct SourceRig : DataRig {
    explicit SourceRig(std::uint64_t count, std::uint32_t length = 10, Options o = {}) : DataRig(std::move(o))
    {
        for (std::uint64_t c = 0; c < count; ++c) {
            values[c] = makeValue(1, Key(c), 1, length);
            put(c, values[c]);
        }
    }
    Step order(std::uint64_t split = kSplit) { return driven.message(splitOrder(split, 1, kTarget)); }
    // Acknowledges every block under way, one after the other, until none is left. Returns the last step.
    Step finishStaging(Step step)
    {
        for (;;) {
            std::vector<Step::Sent> open = step.of(Body::kMoveRecords);
            for (const Step::Sent& sent : step.of(Body::kPrepareBatch))
                open.push_back(sent);
            if (open.empty())
                return step;
            Step next;
            for (const Step::Sent& sent : open) {
                Step one = ack(sent.message, sent.to);
                next.sent.insert(next.sent.end(), one.sent.begin(), one.sent.end());
                next.events.insert(next.events.end(), one.events.begin(), one.events.end());
            }
            step = next;
        }
    }
    Step stageAll() { return finishStaging(order()); }
    Step commit(std::uint64_t split = kSplit) { return driven.message(commitOrder(split)); }
    Step abort(std::uint64_t split = kSplit) { return driven.message(abortOrder(split)); }
    Step finish(std::uint64_t split = kSplit) { return driven.message(finishOrder(split)); }

    std::map<std::uint64_t, std::string> values;
};

inline DataRig::Options target()
{
    DataRig::Options options;
    options.bucket = 1;
    options.level = 1;
    options.state = pb::INIT;
    options.creation = kSplit;
    return options;
}

// The bucket that a split creates.
struct TargetRig : DataRig {
    explicit TargetRig(Options o = target()) : DataRig(std::move(o)) { }
    pb::Message moveMessage(
        std::uint32_t block, bool isLast, const std::vector<BlockEntry>& entries, std::uint64_t split = kSplit)
    {
        pb::Message message = source.message();
        auto* move = message.mutable_move_records();
        move->set_split(split);
        move->set_block(block);
        move->set_is_last(isLast);
        move->set_target(1);
        move->set_level(1);
        *move->mutable_records() = blockOf(entries);
        return message;
    }
    Peer source { kData };
};

inline BlockEntry leaver(std::uint64_t key, std::uint32_t rank, std::string_view value)
{
    return { .kind = BlockEntry::Kind::Insert,
        .key = Key(key),
        .rank = Rank(rank),
        .length = std::uint32_t(value.size()),
        .version = 9,
        .bytes = value };
}

} // namespace lhrs::test
