// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/keyframe.h"

#include "gui/lab/state/lhrs/place_numbers.h"
#include "gui/lab/state/process/fault_sentences.h"

#include <string>
#include <type_traits>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr int kUsedBytes = int(RankMap::kPage / 8);

// Every field of a keyframe is named once, in a function that copies in one of the two directions: `state` is const
// when it is written, and `row` is const when it is read.
template <class State> constexpr bool kReads = !std::is_const_v<State>;
#define LHRS_FIELD(member, field)                                                                                      \
    if constexpr (kReads<State>)                                                                                       \
        state.member = row.field();                                                                                    \
    else                                                                                                               \
        row.set_##field(state.member)
#define LHRS_MESSAGE(member, field)                                                                                    \
    if constexpr (kReads<State>)                                                                                       \
        state.member = row.field();                                                                                    \
    else                                                                                                               \
        *row.mutable_##field() = state.member
#define LHRS_LIST(member, field)                                                                                       \
    if constexpr (kReads<State>)                                                                                       \
        state.member = { row.field().begin(), row.field().end() };                                                     \
    else                                                                                                               \
        row.mutable_##field()->Assign(state.member.begin(), state.member.end())

template <class State, class Info> void copyInfo(State& state, Info& row)
{
    LHRS_FIELD(id, node);
    LHRS_FIELD(kind, kind);
    LHRS_FIELD(name, name);
    LHRS_FIELD(pid, pid);
    LHRS_FIELD(eventsEndpoint, events_endpoint);
    LHRS_FIELD(controlEndpoint, control_endpoint);
    LHRS_FIELD(version, version);
    LHRS_FIELD(pool, spare_role);
}

template <class State, class Row> void copyProcess(State& state, Row& row)
{
    LHRS_FIELD(address, address);
    LHRS_FIELD(hasEnded, has_ended);
    LHRS_FIELD(endReason, end_reason);
    LHRS_FIELD(endedNs, ended_ns);
    LHRS_FIELD(isPaused, is_paused);
    LHRS_FIELD(isGated, is_gated);
    LHRS_LIST(cuts, cuts);
    LHRS_FIELD(isInvited, is_invited);
    LHRS_FIELD(offer.invitation, invitation);
    LHRS_FIELD(offer.sinceNs, offered_ns);
    LHRS_FIELD(offer.expiresMs, offer_expires_ms);
    LHRS_MESSAGE(place, place);
    LHRS_FIELD(incarnation, incarnation);
    LHRS_FIELD(sequence, sequence);
    LHRS_FIELD(contained, contained);
    LHRS_FIELD(lastEventNs, last_event_ns);
    LHRS_FIELD(lostEvents, lost_events);
    LHRS_FIELD(heardNs, heard_ns);
    LHRS_FIELD(isIncomplete, is_incomplete);
    LHRS_MESSAGE(gauges, gauges);
}

void write(const ProcessState& from, pb::Keyframe::Process& out)
{
    copyInfo(from, *out.mutable_info());
    copyProcess(from, out);
    for (const auto& [number, fault] : from.faults)
        *out.add_faults() = *fault.what;
    for (const Trouble& trouble : from.troubles) {
        auto& row = *out.add_troubles();
        row.set_from_ns(trouble.fromNs);
        row.set_to_ns(trouble.toNs);
        row.set_reaches_others(trouble.reachesOthers);
    }
    for (const NodeSampleState& taken : from.samples) {
        auto& sample = *out.add_samples();
        sample.set_t_ns(taken.runNs);
        *sample.mutable_sample() = *taken.sample;
    }
}

ProcessState read(const pb::Keyframe::Process& from)
{
    ProcessState process;
    copyInfo(process, from.info());
    copyProcess(process, from);
    for (const pb::Fault& fault : from.faults())
        process.faults[fault.number()] = { faultWords(fault), std::make_shared<pb::Fault>(fault) };
    for (const auto& row : from.troubles())
        process.troubles.push_back({ row.from_ns(), row.to_ns(), row.reaches_others() });
    for (const auto& taken : from.samples())
        process.samples.push_back({ taken.t_ns(), std::make_shared<const pb::NodeSample>(taken.sample()) });
    return process;
}

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
    LHRS_FIELD(process, process);
    LHRS_FIELD(name, name);
    LHRS_MESSAGE(image, image);
    LHRS_FIELD(mode, mode);
    LHRS_FIELD(operations, operations);
    LHRS_FIELD(forwards, forwards);
    LHRS_FIELD(imageAdjustments, image_adjustments);
    LHRS_FIELD(resends, resends);
    LHRS_FIELD(done, done);
    LHRS_FIELD(isHeld, is_held);
}

void write(const ClientState& from, pb::Keyframe::Client& out)
{
    copyClient(from, out);
    for (const std::uint64_t count : from.hops)
        out.add_hops(count);
    for (const OperationState& operation : from.last)
        copyOperation(operation, *out.add_last());
}

ClientState read(const pb::Keyframe::Client& from)
{
    ClientState client;
    copyClient(client, from);
    for (int i = 0; i < std::min(from.hops_size(), int(client.hops.size())); ++i)
        client.hops[std::size_t(i)] = from.hops(i);
    for (int i = 0; i < std::min(from.last_size(), int(ClientState::kOperations)); ++i)
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

template <class State, class Row> void copyCounts(State& state, Row& row)
{
    LHRS_FIELD(system, system);
    LHRS_FIELD(splitForgotten, split_forgotten);
    LHRS_FIELD(recruiting, recruiting);
    LHRS_FIELD(isSimulated, is_simulated);
    LHRS_FIELD(events, events);
    LHRS_FIELD(lost, lost);
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

#undef LHRS_FIELD
#undef LHRS_MESSAGE
#undef LHRS_LIST

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

pb::Keyframe keyframeOf(const ClusterState& state, bool isWhole)
{
    pb::Keyframe out;
    copyCounts(state, out);
    if (state.system == walk::kSystem)
        state.ring.writeTo(*out.mutable_walk());
    copyFile(state.file, *out.mutable_file());
    for (const auto& [id, process] : state.processes)
        write(process, *out.add_processes());
    for (const auto& [number, bucket] : state.data)
        write(bucket, isWhole, *out.add_data());
    for (const auto& [number, bucket] : state.parity)
        write(bucket, isWhole, *out.add_parity());
    for (const auto& [number, group] : state.groups)
        write(group, *out.add_groups());
    for (const auto& [id, split] : state.splits)
        write(split, *out.add_splits());
    for (const auto& [id, client] : state.clients)
        write(client, *out.add_clients());
    for (const auto& [id, bucket] : state.displacedData)
        write(bucket, true, *out.add_displaced_data());
    for (const auto& [id, bucket] : state.displacedParity)
        write(bucket, true, *out.add_displaced_parity());
    for (const auto& [process, failure] : state.failures) {
        auto& row = *out.add_failures();
        row.set_process(process);
        row.set_by(failure.by);
        row.set_event(failure.event);
        row.set_at_ns(failure.atNs);
        row.set_silent_ns(failure.silentNs);
    }
    state.invariants.writeTo(*out.mutable_invariants());
    return out;
}

Result<ClusterState> stateOf(const pb::Keyframe& keyframe, const PageSource& pages)
{
    Reader reader { pages, {} };
    ClusterState state;
    copyCounts(state, keyframe);
    if (keyframe.has_walk())
        state.ring = walk::RingView::of(keyframe.walk());
    copyFile(state.file, keyframe.file());
    for (const auto& process : keyframe.processes())
        state.processes[process.info().node()] = read(process);
    for (const auto& bucket : keyframe.data())
        state.data[bucket.number()] = reader.bucket(bucket, true);
    for (const auto& bucket : keyframe.parity())
        state.parity[{ bucket.group(), bucket.column() }] = reader.bucket(bucket, true);
    for (const auto& group : keyframe.groups())
        state.groups[group.number()] = read(group);
    for (const auto& split : keyframe.splits())
        state.splits[split.id()] = read(split);
    for (const auto& failure : keyframe.failures())
        state.failures[failure.process()] = { failure.by(), failure.event(), failure.at_ns(), failure.silent_ns() };
    for (const auto& client : keyframe.clients())
        state.clients[client.process()] = read(client);
    for (const auto& bucket : keyframe.displaced_data())
        state.displacedData[bucket.process()] = reader.bucket(bucket, false);
    for (const auto& bucket : keyframe.displaced_parity())
        state.displacedParity[bucket.process()] = reader.bucket(bucket, false);
    state.invariants = InvariantMonitor::of(keyframe.invariants());
    if (reader.error)
        return *reader.error;
    return state;
}

} // namespace lhrs::gui
