// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/keyframe.h"

#include "gui/lab/state/process/fault_sentences.h"

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

void write(const ProcessState& from, pb::Keyframe::Process& out)
{
    pb::ProcessInfo& info = *out.mutable_info();
    info.set_node(from.id);
    info.set_kind(from.kind);
    info.set_name(from.name);
    info.set_pid(from.pid);
    info.set_events_endpoint(from.eventsEndpoint);
    info.set_control_endpoint(from.controlEndpoint);
    info.set_version(from.version);
    info.set_spare_role(from.pool);
    out.set_address(from.address);
    out.set_has_ended(from.hasEnded);
    out.set_end_reason(from.endReason);
    out.set_ended_ns(from.endedNs);
    out.set_is_paused(from.isPaused);
    out.set_is_gated(from.isGated);
    for (const auto& [number, fault] : from.faults)
        *out.add_faults() = *fault.what;
    for (const std::uint64_t cut : from.cuts)
        out.add_cuts(cut);
    out.set_is_invited(from.isInvited);
    out.set_invitation(from.offer.invitation);
    out.set_offered_ns(from.offer.sinceNs);
    out.set_offer_expires_ms(from.offer.expiresMs);
    *out.mutable_place() = from.place;
    out.set_incarnation(from.incarnation);
    out.set_sequence(from.sequence);
    out.set_contained(from.contained);
    out.set_last_event_ns(from.lastEventNs);
    out.set_lost_events(from.lostEvents);
    out.set_heard_ns(from.heardNs);
    for (const Trouble& trouble : from.troubles) {
        auto& row = *out.add_troubles();
        row.set_from_ns(trouble.fromNs);
        row.set_to_ns(trouble.toNs);
        row.set_reaches_others(trouble.reachesOthers);
    }
    out.set_is_incomplete(from.isIncomplete);
    *out.mutable_gauges() = from.gauges;
    for (const NodeSampleState& taken : from.samples) {
        auto& sample = *out.add_samples();
        sample.set_t_ns(taken.runNs);
        *sample.mutable_sample() = *taken.sample;
    }
}

ProcessState read(const pb::Keyframe::Process& from)
{
    const pb::ProcessInfo& info = from.info();
    ProcessState process;
    process.id = info.node();
    process.kind = info.kind();
    process.name = info.name();
    process.pid = info.pid();
    process.address = from.address();
    process.eventsEndpoint = info.events_endpoint();
    process.controlEndpoint = info.control_endpoint();
    process.version = info.version();
    process.hasEnded = from.has_ended();
    process.endReason = from.end_reason();
    process.endedNs = from.ended_ns();
    process.isPaused = from.is_paused();
    process.isGated = from.is_gated();
    for (const pb::Fault& fault : from.faults())
        process.faults[fault.number()] = { faultWords(fault), std::make_shared<pb::Fault>(fault) };
    process.cuts = { from.cuts().begin(), from.cuts().end() };
    process.pool = info.spare_role();
    process.isInvited = from.is_invited();
    process.offer = { from.invitation(), from.offered_ns(), from.offer_expires_ms() };
    process.place = from.place();
    process.incarnation = from.incarnation();
    process.sequence = from.sequence();
    process.contained = from.contained();
    process.lastEventNs = from.last_event_ns();
    process.lostEvents = from.lost_events();
    process.heardNs = from.heard_ns();
    for (const auto& row : from.troubles())
        process.troubles.push_back({ row.from_ns(), row.to_ns(), row.reaches_others() });
    process.isIncomplete = from.is_incomplete();
    process.gauges = from.gauges();
    for (const auto& taken : from.samples())
        process.samples.push_back({ taken.t_ns(), std::make_shared<const pb::NodeSample>(taken.sample()) });
    return process;
}

void write(const DataBucketState& from, bool isWhole, pb::Keyframe::DataBucket& out)
{
    out.set_number(from.number);
    out.set_level(from.level);
    out.set_count(from.count);
    out.set_process(from.process);
    out.set_incarnation(from.incarnation);
    out.set_sequence(from.sequence);
    out.set_state(from.state);
    out.set_reason(from.reason);
    out.set_is_overflowed(from.isOverflowed);
    out.set_overflow_is_reported(from.overflowIsReported);
    out.set_b(from.b);
    write(from.ranks, isWhole, *out.mutable_ranks());
    write(from.incoming, true, *out.mutable_incoming());
    out.set_slices_stored(from.slicesStored);
    out.set_ranks_are_observed(from.ranksAreObserved);
    out.set_is_only_declared(from.isOnlyDeclared);
}

void write(const ParityBucketState& from, bool isWhole, pb::Keyframe::ParityBucket& out)
{
    out.set_group(from.group);
    out.set_column(from.column);
    out.set_record_groups(from.recordGroups);
    out.set_process(from.process);
    out.set_incarnation(from.incarnation);
    out.set_state(from.state);
    out.set_reason(from.reason);
    out.mutable_applied()->Assign(from.applied.begin(), from.applied.end());
    out.mutable_held()->Assign(from.held.begin(), from.held.end());
    for (const auto& waiting : from.heldSequences)
        out.add_held_sequences()->mutable_sequences()->Assign(waiting.begin(), waiting.end());
    write(from.ranks, isWhole, *out.mutable_ranks());
    for (const bool isIn : from.contentsIn)
        out.add_contents_in(isIn);
    out.set_ranks_are_observed(from.ranksAreObserved);
    out.set_is_only_declared(from.isOnlyDeclared);
}

void write(const GroupState& from, pb::Keyframe::Group& out)
{
    out.set_number(from.number);
    out.set_k(from.k);
    out.set_epoch(from.epoch);
    out.set_parity_is_being_added(from.parityIsBeingAdded);
    out.set_state(from.state);
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
    const RecoveryState& recovery = from.recovery;
    auto& row = *out.mutable_recovery();
    row.set_id(recovery.id);
    row.mutable_buckets()->Assign(recovery.buckets.begin(), recovery.buckets.end());
    row.set_manager(recovery.manager);
    row.set_slice_ranks(recovery.sliceRanks);
    row.set_slices(recovery.slices);
    row.set_rank_to(recovery.rankTo);
    row.set_records(recovery.records);
    row.set_asked_again(recovery.askedAgain);
    row.set_bytes(recovery.bytes);
    row.set_is_xor(recovery.isXor);
    row.set_is_started(recovery.isStarted);
    row.set_is_over(recovery.isOver);
    row.set_started_ns(recovery.startedNs);
    row.set_ended_ns(recovery.endedNs);
    row.set_total_ns(recovery.totalNs);
    if (recovery.decoder)
        *row.mutable_decoder() = *recovery.decoder;
    out.set_record_recovered_ns(from.recordRecoveredNs);
}

GroupState read(const pb::Keyframe::Group& from)
{
    GroupState group;
    group.number = from.number();
    group.k = from.k();
    group.epoch = from.epoch();
    group.parityIsBeingAdded = from.parity_is_being_added();
    group.state = from.state();
    for (const auto& row : from.down())
        group.down[{ row.role(), row.index() }] = { row.process(), row.is_lost(), row.reason(), row.since_ns() };
    for (const auto& row : from.suspected())
        group.suspected[{ row.role(), row.index() }] = { row.reason(), row.since_ns() };
    const auto& row = from.recovery();
    RecoveryState& recovery = group.recovery;
    recovery.id = row.id();
    recovery.buckets = { row.buckets().begin(), row.buckets().end() };
    recovery.manager = row.manager();
    recovery.sliceRanks = row.slice_ranks();
    recovery.slices = row.slices();
    recovery.rankTo = row.rank_to();
    recovery.records = row.records();
    recovery.askedAgain = row.asked_again();
    recovery.bytes = row.bytes();
    recovery.isXor = row.is_xor();
    recovery.isStarted = row.is_started();
    recovery.isOver = row.is_over();
    recovery.startedNs = row.started_ns();
    recovery.endedNs = row.ended_ns();
    recovery.totalNs = row.total_ns();
    if (row.has_decoder())
        recovery.decoder = std::make_shared<const pb::DecoderChosen>(row.decoder());
    group.recordRecoveredNs = from.record_recovered_ns();
    return group;
}

void write(const SplitState& from, pb::Keyframe::Split& out)
{
    out.set_id(from.id);
    out.set_bucket(from.bucket);
    out.set_new_bucket(from.newBucket);
    out.set_level(from.level);
    out.set_moved(from.moved);
    out.set_stage(std::uint32_t(from.stage));
    out.set_source_is_prepared(from.sourceIsPrepared);
    out.set_target_is_prepared(from.targetIsPrepared);
    out.set_reason(from.reason);
    out.set_started_ns(from.startedNs);
    out.set_ended_ns(from.endedNs);
    out.set_is_merge(from.isMerge);
    out.set_is_ordered(from.isOrdered);
    out.mutable_prepared_buckets()->Assign(from.preparedBuckets.begin(), from.preparedBuckets.end());
    out.set_moved_reported(from.movedReported);
    out.set_moved_arrived(from.movedArrived);
    out.set_applied(from.applied);
}

SplitState read(const pb::Keyframe::Split& from)
{
    SplitState split;
    split.id = from.id();
    split.bucket = from.bucket();
    split.newBucket = from.new_bucket();
    split.level = from.level();
    split.moved = from.moved();
    split.stage = SplitStage(std::min(from.stage(), std::uint32_t(SplitStage::Undone)));
    split.sourceIsPrepared = from.source_is_prepared();
    split.targetIsPrepared = from.target_is_prepared();
    split.reason = from.reason();
    split.startedNs = from.started_ns();
    split.endedNs = from.ended_ns();
    split.isMerge = from.is_merge();
    split.isOrdered = from.is_ordered();
    split.preparedBuckets = { from.prepared_buckets().begin(), from.prepared_buckets().end() };
    split.movedReported = from.moved_reported();
    split.movedArrived = from.moved_arrived();
    split.applied = from.applied();
    return split;
}

void write(const OperationState& from, pb::Keyframe::Operation& out)
{
    out.set_number(from.number);
    out.set_key(from.key);
    out.set_kind(from.kind);
    out.set_computed_bucket(from.computedBucket);
    out.set_bucket(from.bucket);
    out.set_rank(from.rank);
    out.set_forwards(from.forwards);
    out.mutable_path()->Assign(from.path.begin(), from.path.end());
    out.set_is_done(from.isDone);
    out.set_image_adjusted(from.imageAdjusted);
    out.set_result(from.result);
    out.set_adjusted_bucket(from.adjustedBucket);
    out.set_adjusted_level(from.adjustedLevel);
    out.set_way(from.way);
    *out.mutable_image_before() = from.imageBefore;
    *out.mutable_image_after() = from.imageAfter;
    out.set_started_ns(from.startedNs);
    out.set_time_ns(from.timeNs);
}

OperationState read(const pb::Keyframe::Operation& from)
{
    OperationState operation;
    operation.number = from.number();
    operation.key = from.key();
    operation.kind = from.kind();
    operation.computedBucket = from.computed_bucket();
    operation.bucket = from.bucket();
    operation.rank = from.rank();
    operation.forwards = from.forwards();
    operation.path = { from.path().begin(), from.path().end() };
    operation.isDone = from.is_done();
    operation.imageAdjusted = from.image_adjusted();
    operation.result = from.result();
    operation.adjustedBucket = from.adjusted_bucket();
    operation.adjustedLevel = from.adjusted_level();
    operation.way = from.way();
    operation.imageBefore = from.image_before();
    operation.imageAfter = from.image_after();
    operation.startedNs = from.started_ns();
    operation.timeNs = from.time_ns();
    return operation;
}

void write(const ClientState& from, pb::Keyframe::Client& out)
{
    out.set_process(from.process);
    out.set_name(from.name);
    *out.mutable_image() = from.image;
    out.set_mode(from.mode);
    out.set_operations(from.operations);
    out.set_forwards(from.forwards);
    out.set_image_adjustments(from.imageAdjustments);
    out.set_resends(from.resends);
    out.set_done(from.done);
    out.set_is_held(from.isHeld);
    for (const std::uint64_t count : from.hops)
        out.add_hops(count);
    for (const OperationState& operation : from.last)
        write(operation, *out.add_last());
}

ClientState read(const pb::Keyframe::Client& from)
{
    ClientState client;
    client.process = from.process();
    client.name = from.name();
    client.image = from.image();
    client.mode = from.mode();
    client.operations = from.operations();
    client.forwards = from.forwards();
    client.imageAdjustments = from.image_adjustments();
    client.resends = from.resends();
    client.done = from.done();
    client.isHeld = from.is_held();
    for (int i = 0; i < std::min(from.hops_size(), int(client.hops.size())); ++i)
        client.hops[std::size_t(i)] = from.hops(i);
    for (int i = 0; i < std::min(from.last_size(), int(ClientState::kOperations)); ++i)
        client.last.push_back(read(from.last(i)));
    return client;
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
        bucket.number = from.number();
        bucket.level = from.level();
        bucket.count = from.count();
        bucket.process = from.process();
        bucket.incarnation = from.incarnation();
        bucket.sequence = from.sequence();
        bucket.state = from.state();
        bucket.reason = from.reason();
        bucket.isOverflowed = from.is_overflowed();
        bucket.overflowIsReported = from.overflow_is_reported();
        bucket.b = from.b();
        bucket.ranks = ranks(from.ranks(), isInRow ? std::optional(dataPlace(from.number())) : std::nullopt);
        bucket.incoming = ranks(from.incoming(), std::nullopt);
        bucket.slicesStored = from.slices_stored();
        bucket.ranksAreObserved = from.ranks_are_observed();
        bucket.isOnlyDeclared = from.is_only_declared();
        return bucket;
    }

    ParityBucketState bucket(const pb::Keyframe::ParityBucket& from, bool isInRow)
    {
        ParityBucketState bucket;
        bucket.group = from.group();
        bucket.column = from.column();
        bucket.recordGroups = from.record_groups();
        bucket.process = from.process();
        bucket.incarnation = from.incarnation();
        bucket.state = from.state();
        bucket.reason = from.reason();
        bucket.applied = { from.applied().begin(), from.applied().end() };
        bucket.held = { from.held().begin(), from.held().end() };
        for (const auto& waiting : from.held_sequences())
            bucket.heldSequences.emplace_back(waiting.sequences().begin(), waiting.sequences().end());
        bucket.ranks = ranks(
            from.ranks(), isInRow ? std::optional(parityPlace(from.group(), from.column())) : std::nullopt);
        bucket.contentsIn = { from.contents_in().begin(), from.contents_in().end() };
        bucket.ranksAreObserved = from.ranks_are_observed();
        bucket.isOnlyDeclared = from.is_only_declared();
        return bucket;
    }
};

} // namespace

std::int64_t dataPlace(std::uint32_t number) { return std::int64_t(number); }

std::int64_t parityPlace(std::uint32_t group, std::uint32_t column)
{
    return -(std::int64_t(256) * group + column + 1);
}

std::int64_t placeNumber(const pb::Place& place)
{
    return place.role() == pb::PARITY ? parityPlace(place.number(), place.column()) : dataPlace(place.number());
}

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
    out.set_system(state.system);
    if (state.system == walk::kSystem)
        state.ring.writeTo(*out.mutable_walk());
    auto& file = *out.mutable_file();
    file.set_exists(state.file.exists);
    *file.mutable_config() = state.file.config;
    file.set_i(state.file.i);
    file.set_n(state.file.n);
    file.set_buckets(state.file.buckets);
    file.set_availability(state.file.availability);
    file.set_splits_owed(state.file.splitsOwed);
    file.set_has_shrunk(state.file.hasShrunk);
    file.set_waits_for(state.file.waitsFor);
    file.set_is_being_found(state.file.isBeingFound);
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
    out.set_split_forgotten(state.splitForgotten);
    out.set_recruiting(state.recruiting);
    out.set_is_simulated(state.isSimulated);
    out.set_events(state.events);
    out.set_lost(state.lost);
    state.invariants.writeTo(*out.mutable_invariants());
    return out;
}

Result<ClusterState> stateOf(const pb::Keyframe& keyframe, const PageSource& pages)
{
    Reader reader { pages, {} };
    ClusterState state;
    state.system = keyframe.system();
    if (keyframe.has_walk())
        state.ring = walk::RingView::of(keyframe.walk());
    const auto& file = keyframe.file();
    state.file = { file.exists(), file.config(), file.i(), file.n(), file.buckets(), file.availability(),
        file.splits_owed(), file.has_shrunk(), file.waits_for(), file.is_being_found() };
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
    state.splitForgotten = keyframe.split_forgotten();
    state.recruiting = keyframe.recruiting();
    state.isSimulated = keyframe.is_simulated();
    state.events = keyframe.events();
    state.lost = keyframe.lost();
    state.invariants = InvariantMonitor::of(keyframe.invariants());
    if (reader.error)
        return *reader.error;
    return state;
}

} // namespace lhrs::gui
