// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/file_message.h"

#include "gui/lab/state/lhrs/place_numbers.h"
#include "gui/lab/state/process/message_fields.h"

#include <algorithm>
#include <string>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr int kUsedBytes = int(RankMap::kPage / 8);

void write(const RankMap& ranks, bool isWhole, pb::Ranks& out)
{
    for (const std::uint32_t page : ranks.pages()) {
        out.add_pages(page);
        if (isWhole)
            *out.add_inlined() = pageOf(ranks, page);
    }
}

template <class State, class Row> void copyData(State& state, Row& row)
{
    LHRS_FIELD(number, number);
    LHRS_FIELD(level, level);
    LHRS_FIELD(count, count);
    LHRS_FIELD(process, process);
    LHRS_FIELD(incarnation, incarnation);
    LHRS_FIELD(sequence, sequence);
    LHRS_FIELD(state, state);
    LHRS_FIELD(reason, reason);
    LHRS_FIELD(isOverflowed, is_overflowed);
    LHRS_FIELD(overflowIsReported, overflow_is_reported);
    LHRS_FIELD(b, b);
    LHRS_FIELD(slicesStored, slices_stored);
    LHRS_FIELD(ranksAreObserved, ranks_are_observed);
    LHRS_FIELD(isOnlyDeclared, is_only_declared);
}

void write(const DataBucketState& from, bool isWhole, pb::Keyframe::DataBucket& out)
{
    copyData(from, out);
    write(from.ranks, isWhole, *out.mutable_ranks());
    write(from.incoming, true, *out.mutable_incoming());
}

template <class State, class Row> void copyParity(State& state, Row& row)
{
    LHRS_FIELD(group, group);
    LHRS_FIELD(column, column);
    LHRS_FIELD(recordGroups, record_groups);
    LHRS_FIELD(process, process);
    LHRS_FIELD(incarnation, incarnation);
    LHRS_FIELD(state, state);
    LHRS_FIELD(reason, reason);
    LHRS_LIST(applied, applied);
    LHRS_LIST(held, held);
    LHRS_FIELD(ranksAreObserved, ranks_are_observed);
    LHRS_FIELD(isOnlyDeclared, is_only_declared);
}

void write(const ParityBucketState& from, bool isWhole, pb::Keyframe::ParityBucket& out)
{
    copyParity(from, out);
    for (const auto& waiting : from.heldSequences)
        out.add_held_sequences()->mutable_sequences()->Assign(waiting.begin(), waiting.end());
    write(from.ranks, isWhole, *out.mutable_ranks());
    for (const bool isIn : from.contentsIn)
        out.add_contents_in(isIn);
}

template <class State, class Row> void copyRecovery(State& state, Row& row)
{
    LHRS_FIELD(id, id);
    LHRS_LIST(buckets, buckets);
    LHRS_FIELD(manager, manager);
    LHRS_FIELD(sliceRanks, slice_ranks);
    LHRS_FIELD(slices, slices);
    LHRS_FIELD(rankTo, rank_to);
    LHRS_FIELD(records, records);
    LHRS_FIELD(askedAgain, asked_again);
    LHRS_FIELD(bytes, bytes);
    LHRS_FIELD(isXor, is_xor);
    LHRS_FIELD(isStarted, is_started);
    LHRS_FIELD(isOver, is_over);
    LHRS_FIELD(startedNs, started_ns);
    LHRS_FIELD(endedNs, ended_ns);
    LHRS_FIELD(totalNs, total_ns);
}

template <class State, class Row> void copyGroup(State& state, Row& row)
{
    LHRS_FIELD(number, number);
    LHRS_FIELD(k, k);
    LHRS_FIELD(epoch, epoch);
    LHRS_FIELD(parityIsBeingAdded, parity_is_being_added);
    LHRS_FIELD(state, state);
    LHRS_FIELD(recordRecoveredNs, record_recovered_ns);
}

void write(const GroupState& from, pb::Keyframe::Group& out)
{
    copyGroup(from, out);
    for (const auto& [place, down] : from.down) {
        auto& row = *out.add_down();
        row.set_role(place.role);
        row.set_index(place.index);
        row.set_process(down.process);
        row.set_is_lost(down.isLost);
        row.set_reason(down.reason);
        row.set_since_ns(down.sinceNs);
    }
    for (const auto& [place, suspicion] : from.suspected) {
        auto& row = *out.add_suspected();
        row.set_role(place.role);
        row.set_index(place.index);
        row.set_reason(suspicion.reason);
        row.set_since_ns(suspicion.sinceNs);
    }
    copyRecovery(from.recovery, *out.mutable_recovery());
    if (from.recovery.decoder)
        *out.mutable_recovery()->mutable_decoder() = *from.recovery.decoder;
}

GroupState read(const pb::Keyframe::Group& from)
{
    GroupState group;
    copyGroup(group, from);
    for (const auto& row : from.down())
        group.down[{ row.role(), row.index() }] = { row.process(), row.is_lost(), row.reason(), row.since_ns() };
    for (const auto& row : from.suspected())
        group.suspected[{ row.role(), row.index() }] = { row.reason(), row.since_ns() };
    copyRecovery(group.recovery, from.recovery());
    if (from.recovery().has_decoder())
        group.recovery.decoder = std::make_shared<const pb::DecoderChosen>(from.recovery().decoder());
    return group;
}

template <class State, class Row> void copySplit(State& state, Row& row)
{
    LHRS_FIELD(id, id);
    LHRS_FIELD(bucket, bucket);
    LHRS_FIELD(newBucket, new_bucket);
    LHRS_FIELD(level, level);
    LHRS_FIELD(moved, moved);
    LHRS_FIELD(sourceIsPrepared, source_is_prepared);
    LHRS_FIELD(targetIsPrepared, target_is_prepared);
    LHRS_FIELD(reason, reason);
    LHRS_FIELD(startedNs, started_ns);
    LHRS_FIELD(endedNs, ended_ns);
    LHRS_FIELD(isMerge, is_merge);
    LHRS_FIELD(isOrdered, is_ordered);
    LHRS_LIST(preparedBuckets, prepared_buckets);
    LHRS_FIELD(movedReported, moved_reported);
    LHRS_FIELD(movedArrived, moved_arrived);
    LHRS_FIELD(applied, applied);
}

void write(const SplitState& from, pb::Keyframe::Split& out)
{
    copySplit(from, out);
    out.set_stage(std::uint32_t(from.stage));
}

SplitState read(const pb::Keyframe::Split& from)
{
    SplitState split;
    copySplit(split, from);
    split.stage = SplitStage(std::min(from.stage(), std::uint32_t(SplitStage::Undone)));
    return split;
}

template <class State, class Row> void copyOperation(State& state, Row& row)
{
    LHRS_FIELD(number, number);
    LHRS_FIELD(key, key);
    LHRS_FIELD(kind, kind);
    LHRS_FIELD(computedBucket, computed_bucket);
    LHRS_FIELD(bucket, bucket);
    LHRS_FIELD(rank, rank);
    LHRS_FIELD(forwards, forwards);
    LHRS_LIST(path, path);
    LHRS_FIELD(isDone, is_done);
    LHRS_FIELD(imageAdjusted, image_adjusted);
    LHRS_FIELD(result, result);
    LHRS_FIELD(adjustedBucket, adjusted_bucket);
    LHRS_FIELD(adjustedLevel, adjusted_level);
    LHRS_FIELD(way, way);
    LHRS_MESSAGE(imageBefore, image_before);
    LHRS_MESSAGE(imageAfter, image_after);
    LHRS_FIELD(startedNs, started_ns);
    LHRS_FIELD(timeNs, time_ns);
}

template <class State, class Row> void copyClient(State& state, Row& row)
{
    LHRS_MESSAGE(image, image);
    LHRS_FIELD(mode, mode);
    LHRS_FIELD(imageAdjustments, image_adjustments);
}

void write(const FileClient& from, pb::Keyframe::Client& out)
{
    copyClient(from, out);
    for (const OperationState& operation : from.last)
        copyOperation(operation, *out.add_last());
}

FileClient readFileClient(const pb::Keyframe::Client& from)
{
    FileClient client;
    copyClient(client, from);
    for (int i = 0; i < std::min(from.last_size(), int(FileClient::kOperations)); ++i)
        copyOperation(client.last.emplace_back(), from.last(i));
    return client;
}

template <class State, class Row> void copyFile(State& state, Row& row)
{
    LHRS_FIELD(exists, exists);
    LHRS_MESSAGE(config, config);
    LHRS_FIELD(i, i);
    LHRS_FIELD(n, n);
    LHRS_FIELD(buckets, buckets);
    LHRS_FIELD(availability, availability);
    LHRS_FIELD(splitsOwed, splits_owed);
    LHRS_FIELD(hasShrunk, has_shrunk);
    LHRS_FIELD(waitsFor, waits_for);
    LHRS_FIELD(isBeingFound, is_being_found);
}

template <class State, class Row> void copyGrowth(State& state, Row& row)
{
    LHRS_FIELD(splitForgotten, split_forgotten);
    LHRS_FIELD(recruiting, recruiting);
}

// Reads a keyframe and keeps the first error.
struct Reader {
    const PageSource& pages;
    std::optional<Error> error;

    void fail(const std::string& what)
    {
        if (!error)
            error = Error { "the keyframe " + what };
    }

    void take(const pb::RankPage& page, RankMap& ranks)
    {
        if (page.used().size() != std::size_t(kUsedBytes) || page.page() > RankMap::kRankMax / RankMap::kPage)
            return fail("has a page of ranks that is none");
        int next = 0;
        for (std::uint32_t offset = 0; offset < RankMap::kPage; ++offset) {
            if ((std::uint8_t(page.used()[offset / 8]) >> offset % 8 & 1) == 0)
                continue;
            if (next >= page.numbers_size())
                return fail("has a page with fewer numbers than ranks");
            ranks.set(page.page() * RankMap::kPage + offset, page.numbers(next++));
        }
    }

    // `place`: of a bucket in the row, whose pages may be stored separately.
    RankMap ranks(const pb::Ranks& from, std::optional<std::int64_t> place)
    {
        RankMap ranks;
        for (const pb::RankPage& page : from.inlined())
            take(page, ranks);
        if (from.inlined_size() > 0 || !place)
            return ranks;
        for (const std::uint32_t number : from.pages()) {
            if (const auto page = pages(*place, number); page && page->page() == number)
                take(*page, ranks);
            else
                fail("needs a page of ranks that is not there");
        }
        return ranks;
    }

    DataBucketState bucket(const pb::Keyframe::DataBucket& from, bool isInRow)
    {
        DataBucketState bucket;
        copyData(bucket, from);
        bucket.ranks = ranks(from.ranks(), isInRow ? std::optional(dataPlace(from.number())) : std::nullopt);
        bucket.incoming = ranks(from.incoming(), std::nullopt);
        return bucket;
    }

    ParityBucketState bucket(const pb::Keyframe::ParityBucket& from, bool isInRow)
    {
        ParityBucketState bucket;
        copyParity(bucket, from);
        for (const auto& waiting : from.held_sequences())
            bucket.heldSequences.emplace_back(waiting.sequences().begin(), waiting.sequences().end());
        bucket.ranks = ranks(
            from.ranks(), isInRow ? std::optional(parityPlace(from.group(), from.column())) : std::nullopt);
        bucket.contentsIn = { from.contents_in().begin(), from.contents_in().end() };
        return bucket;
    }
};

} // namespace

pb::RankPage pageOf(const RankMap& ranks, std::uint32_t page)
{
    pb::RankPage out;
    out.set_page(page);
    std::string used(kUsedBytes, '\0');
    for (const auto& [rank, number] : ranks.inPage(page)) {
        const std::uint32_t offset = rank % RankMap::kPage;
        used[offset / 8] = char(std::uint8_t(used[offset / 8]) | 1u << offset % 8);
        out.add_numbers(number);
    }
    out.set_used(std::move(used));
    return out;
}

void writeFile(const FileView& file, bool isWhole, pb::Keyframe& out)
{
    copyGrowth(file, out);
    copyFile(file.file, *out.mutable_file());
    for (const auto& [number, bucket] : file.data)
        write(bucket, isWhole, *out.add_data());
    for (const auto& [number, bucket] : file.parity)
        write(bucket, isWhole, *out.add_parity());
    for (const auto& [number, group] : file.groups)
        write(group, *out.add_groups());
    for (const auto& [id, split] : file.splits)
        write(split, *out.add_splits());
    for (auto& client : *out.mutable_clients())
        if (file.fileClients.contains(client.process()))
            write(file.fileClient(client.process()), client);
    for (const auto& [id, bucket] : file.displacedData)
        write(bucket, true, *out.add_displaced_data());
    for (const auto& [id, bucket] : file.displacedParity)
        write(bucket, true, *out.add_displaced_parity());
    for (const auto& [process, failure] : file.failures) {
        auto& row = *out.add_failures();
        row.set_process(process);
        row.set_by(failure.by);
        row.set_event(failure.event);
        row.set_at_ns(failure.atNs);
        row.set_silent_ns(failure.silentNs);
    }
    file.invariants.writeTo(*out.mutable_invariants());
}

std::optional<Error> readFile(const pb::Keyframe& from, const PageSource& pages, FileView& file)
{
    Reader reader { pages, {} };
    copyGrowth(file, from);
    copyFile(file.file, from.file());
    for (const auto& bucket : from.data())
        file.data[bucket.number()] = reader.bucket(bucket, true);
    for (const auto& bucket : from.parity())
        file.parity[{ bucket.group(), bucket.column() }] = reader.bucket(bucket, true);
    for (const auto& group : from.groups())
        file.groups[group.number()] = read(group);
    for (const auto& split : from.splits())
        file.splits[split.id()] = read(split);
    for (const auto& failure : from.failures())
        file.failures[failure.process()] = { failure.by(), failure.event(), failure.at_ns(), failure.silent_ns() };
    for (const auto& client : from.clients())
        if (client.has_image())
            file.fileClients[client.process()] = readFileClient(client);
    for (const auto& bucket : from.displaced_data())
        file.displacedData[bucket.process()] = reader.bucket(bucket, false);
    for (const auto& bucket : from.displaced_parity())
        file.displacedParity[bucket.process()] = reader.bucket(bucket, false);
    file.invariants = InvariantMonitor::of(from.invariants());
    return reader.error;
}

} // namespace lhrs::gui
