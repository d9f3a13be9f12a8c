// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/swarm.h"

#include "common/lhrs/failpoint_list.h"
#include "node/sim/engine/random.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace lhrs {

namespace {

constexpr std::uint32_t kOften = 500; // per mille: features that may be on are on in half of the seeds

void drawFile(Generator& draw, pb::FileConfig& file)
{
    file.set_m(draw.oneOf(std::array<std::uint32_t, 8> { 1, 2, 2, 3, 4, 4, 5, 8 }));
    file.set_availability(draw.oneOf(std::array<std::uint32_t, 6> { 0, 1, 1, 2, 2, 3 }));
    if (draw.chance(400)) {
        std::uint32_t buckets = 1;
        for (std::uint32_t k = file.availability() + 1; k <= 3; ++k) {
            buckets += std::uint32_t(draw.between(1, 8));
            auto* threshold = file.add_thresholds();
            threshold->set_buckets(buckets);
            threshold->set_availability(k);
        }
    }
    file.set_field(draw.chance(kOften) ? pb::GF_8 : pb::GF_16);
    file.set_rerank(draw.chance(kOften) ? pb::KEEP : pb::FILL_HOLES);
    file.set_mix_keys(draw.chance(250));
    if (draw.chance(250)) {
        file.set_galois("log");
        file.set_pure_rs(draw.chance(kOften));
        file.set_no_log_precalculus(draw.chance(kOften));
    }
}

void drawNetwork(Generator& draw, pb::NetworkFaults& network)
{
    network.set_delay_us(std::uint32_t(draw.between(20, draw.chance(kOften) ? 200 : 5000)));
    if (draw.chance(kOften))
        network.set_jitter_us(std::uint32_t(draw.between(1, draw.chance(kOften) ? 500 : 20000)));
    if (draw.chance(kOften))
        network.set_loss(std::uint32_t(draw.between(1, draw.chance(kOften) ? 50 : 300)));
    if (draw.chance(kOften)) {
        network.set_duplicates(std::uint32_t(draw.between(1, 500)));
        if (draw.chance(kOften)) {
            network.set_late(std::uint32_t(draw.between(1, 500)));
            network.set_late_ms(draw.oneOf(std::array<std::uint32_t, 4> { 20, 200, 2000, 20000 }));
        }
    }
    if (draw.chance(200)) {
        network.set_spikes(std::uint32_t(draw.between(1, 20)));
        network.set_spike_ms(draw.oneOf(std::array<std::uint32_t, 3> { 10, 100, 1000 }));
    }
}

void drawTimers(Generator& draw, pb::Timers& timers)
{
    const auto scaled = [&](std::uint32_t normal) { return std::uint32_t(normal * draw.between(50, 400) / 100); };
    if (draw.chance(kOften))
        timers.set_resend_ms(scaled(30));
    if (draw.chance(200))
        timers.set_stream_resend_ms(scaled(200));
    if (draw.chance(200))
        timers.set_offer_ms(scaled(500));
    if (draw.chance(200))
        timers.set_operation_ms(scaled(1500));
    if (draw.chance(150))
        timers.set_staging_ms(std::uint32_t(draw.between(50, 1000))); // so that some splits are undone
    if (draw.chance(150))
        timers.set_held_max(std::uint32_t(draw.between(4, 64)));
}

std::uint32_t drawLength(Generator& draw, std::uint32_t lengthMax)
{
    if (lengthMax == 0 || draw.chance(50))
        return 0;
    return std::uint32_t(draw.chance(300) ? draw.between(0, std::min(lengthMax, 8U)) : draw.between(0, lengthMax));
}

// Operation mixes as weights of insert, update, delete, search.
using Mix = std::array<std::uint32_t, 4>;
constexpr std::array<Mix, 6> kMixes { Mix { 100, 0, 0, 0 }, { 60, 15, 10, 15 }, { 40, 20, 35, 5 }, { 25, 40, 10, 25 },
    { 45, 0, 45, 10 }, { 30, 10, 10, 50 } };

pb::CaseOperation::Kind drawKind(Generator& draw, const Mix& mix)
{
    std::uint64_t point = draw.below(mix[0] + mix[1] + mix[2] + mix[3]);
    for (std::size_t kind = 0; kind < mix.size(); ++kind) {
        if (point < mix[kind])
            return pb::CaseOperation::Kind(kind + 1);
        point -= mix[kind];
    }
    return pb::CaseOperation::SEARCH;
}

// Returns the maximum possible number of records.
std::uint32_t drawOperations(Generator& draw, pb::Case& drawn)
{
    // In a few seeds the values are so long that contents, moves and batches travel in several blocks.
    const bool areValuesLong = draw.chance(40);
    const auto count = std::uint32_t(draw.between(200, areValuesLong ? 300 : draw.chance(300) ? 1000 : 500));
    const bool isCrowded = draw.chance(350);
    const std::uint64_t keySpace = isCrowded ? draw.between(8, 40)
                                             : draw.oneOf(std::array<std::uint64_t, 3> { 300, 10000, 10000 });
    const std::uint64_t keyFactor = draw.oneOf(std::array<std::uint64_t, 4> { 1, 1, 3, 0x9e3779b97f4a7c15 });
    const auto shortMax = draw.oneOf(std::array<std::uint32_t, 6> { 0, 7, 40, 100, 400, 2000 });
    const std::uint32_t lengthMax = areValuesLong ? 20000 : shortMax;
    const Mix mix = draw.oneOf(kMixes);
    std::vector<std::uint64_t> known;
    for (std::uint32_t i = 0; i < count; ++i) {
        auto* operation = drawn.add_operations();
        operation->set_kind(drawKind(draw, mix));
        operation->set_client(std::uint32_t(draw.below(drawn.clients())));
        const bool isInsert = operation->kind() == pb::CaseOperation::INSERT;
        // Changes and searches mostly use keys that were inserted before; inserts mostly use new keys.
        if (!known.empty() && (isInsert ? isCrowded && draw.chance(300) : draw.chance(850)))
            operation->set_key(known[draw.below(known.size())]);
        else
            operation->set_key(draw.below(keySpace) * keyFactor);
        if (isInsert)
            known.push_back(operation->key());
        operation->set_length(drawLength(draw, lengthMax));
    }
    std::sort(known.begin(), known.end());
    return std::uint32_t(std::unique(known.begin(), known.end()) - known.begin());
}

void drawActions(Generator& draw, pb::Case& drawn)
{
    if (!draw.chance(kOften))
        return;
    std::vector<std::uint32_t> times;
    for (std::uint64_t i = draw.between(1, 6); i > 0; --i)
        times.push_back(std::uint32_t(draw.below(std::uint64_t(drawn.operations_size()))));
    std::sort(times.begin(), times.end());
    std::uint32_t availability = drawn.file().availability();
    for (const std::uint32_t time : times) {
        auto* action = drawn.add_actions();
        action->set_after(time);
        switch (draw.below(4)) {
        case 0:
        case 1: action->set_kind(pb::CaseAction::FORCE_SPLIT); break;
        case 2:
            action->set_kind(pb::CaseAction::RAISE_AVAILABILITY);
            availability = std::min(4U, availability + 1);
            action->set_argument(availability);
            break;
        default:
            action->set_kind(pb::CaseAction::ADD_PARITY);
            action->set_argument(std::uint32_t(draw.below(4)));
            break;
        }
    }
}

// ---- failures

// A kill, a pause or the like, at any time of the run or at a step of a reconfiguration.
void drawFailure(Generator& draw, std::uint32_t durationMs, bool isUnbounded, pb::CaseAction& action)
{
    using A = pb::CaseAction;
    action.set_pick(std::uint32_t(draw.below(1000)));
    action.set_kind(draw.oneOf(
        std::array<A::Kind, 8> { A::KILL, A::KILL, A::KILL, A::KILL, A::PAUSE, A::PAUSE, A::PART, A::SLOW }));
    action.set_target(draw.oneOf(std::array<A::Target, 13> { A::MEMBER, A::MEMBER, A::DATA_MEMBER, A::DATA_MEMBER,
        A::PARITY_MEMBER, A::SPLIT_END, A::MANAGER, A::NEWCOMER, A::NEWCOMER, A::IDLE_SPARE, A::SAME_GROUP,
        A::SAME_GROUP, A::COORDINATOR_ITSELF }));
    if (action.target() == A::COORDINATOR_ITSELF && action.kind() == A::KILL)
        action.set_kind(draw.chance(kOften) ? A::PAUSE : A::PART);
    switch (static_cast<int>(action.kind())) {
    case A::PAUSE:
    case A::PART:
        // Shorter than the suspicion time, between it and the lease, or longer than the lease. Long enough for LOST
        // only if LOST is permitted.
        action.set_duration_ms(std::uint32_t(draw.chance(300) ? draw.between(1, 150)
                : draw.chance(400)                            ? draw.between(100, 400)
                                   : draw.between(300, isUnbounded && draw.chance(200) ? 15'000 : 5'000)));
        break;
    case A::SLOW:
        action.set_argument(std::uint32_t(draw.between(10, 2000)));
        action.set_duration_ms(std::uint32_t(draw.between(100, 5'000)));
        break;
    default: break;
    }
    if (action.kind() == A::PART) {
        action.set_side(draw.oneOf(std::array<A::Side, 6> {
            A::ALL, A::ALL, A::ITS_GROUP, A::ONE_OF_ITS_GROUP, A::THE_COORDINATOR, A::THE_CLIENTS }));
        action.set_direction(std::uint32_t(draw.oneOf(std::array<std::uint32_t, 4> { 0, 0, 1, 2 })));
        action.set_argument(std::uint32_t(draw.below(8)));
    }
    if (draw.chance(kOften)) {
        action.set_at_ms(std::uint32_t(draw.between(1, durationMs)));
        return;
    }
    constexpr std::array<const char*, 28> kEvents { "split_ordered", "records_moved", "split_prepared",
        "split_committed", "split_applied", "batch_applied", "split_finished", "split_undone",
        "parity_creation_ordered", "contents_arrived", "parity_bucket_filled", "parity_added", "epoch_changed",
        "bucket_failed", "bucket_failed", "cut_agreed", "cut_agreed", "recovery_started", "recovery_started",
        "slice_recovered", "slice_stored", "slice_stored", "recovery_finished", "member_suspected", "node_recruited",
        "record_recovered", "group_created", "bucket_overflowed" };
    action.set_event(draw.oneOf(kEvents));
    action.set_nth(std::uint32_t(draw.chance(kOften) ? draw.between(1, 3) : draw.between(1, 12)));
}

// Returns the approximate duration of the case.
std::uint32_t drawFailures(Generator& draw, pb::Case& drawn)
{
    // Long enough to name the writer.
    for (pb::CaseOperation& operation : *drawn.mutable_operations())
        operation.set_length(std::max(8U, operation.length()));
    drawn.set_is_unbounded(draw.chance(400));
    const auto clients = std::uint64_t(std::max(1U, drawn.clients()) * std::max(1U, drawn.window()));
    const auto durationMs = std::uint32_t(draw.between(1'000, draw.chance(300) ? 20'000 : 6'000));
    drawn.set_pace_us(std::uint32_t(durationMs * 1000ULL * clients / std::uint64_t(drawn.operations_size())));
    drawn.set_spares_late(draw.chance(200));
    drawn.set_paused_die(draw.chance(300));
    if (draw.chance(200))
        drawn.set_inbox_max(std::uint32_t(draw.between(4, 200)));
    if (!draw.chance(600))
        return durationMs; // the file has no recovery, so no process fails
    drawn.mutable_file()->set_recovery(pb::RECOVERY_AUTOMATIC);
    drawn.mutable_file()->set_slice(
        std::uint32_t(draw.chance(kOften) ? draw.between(1, 4) : draw.between(1, drawn.file().b())));
    if (draw.chance(200))
        drawn.mutable_file()->set_decode(pb::DECODE_RS);
    pb::NetworkFaults& network = *drawn.mutable_network();
    if (draw.chance(300))
        network.set_breaks(std::uint32_t(draw.between(1, 100)));
    if (draw.chance(200)) {
        network.set_clogs(std::uint32_t(draw.between(1, 10)));
        network.set_clog_ms(draw.oneOf(std::array<std::uint32_t, 3> { 50, 500, 3000 }));
    }
    if (draw.chance(300))
        drawn.mutable_timers()->set_lost_ms(std::uint32_t(draw.between(6'000, 20'000)));
    if (network.loss() > 50) // otherwise live members would be declared failed all the time
        drawn.mutable_timers()->set_probes_max(8);
    for (std::uint64_t failures = draw.between(1, draw.chance(300) ? 20 : 6); failures > 0; --failures)
        drawFailure(draw, durationMs, drawn.is_unbounded(), *drawn.add_actions());
    if (draw.chance(300)) { // a random few are killed one by one
        const auto at = std::uint32_t(draw.between(1, durationMs));
        for (std::uint64_t i = draw.between(2, 5); i > 0; --i) {
            drawFailure(draw, durationMs, drawn.is_unbounded(), *drawn.add_actions());
            pb::CaseAction& action = *drawn.mutable_actions(drawn.actions_size() - 1);
            action.clear_event();
            action.set_at_ms(at + std::uint32_t(draw.below(1'000)));
        }
    }
    return durationMs;
}

// The coordinator ends, once or several times, at any time or during a reconfiguration. This may also hit its successor
// while that one is still listening.
void drawRestart(Generator& draw, std::uint32_t durationMs, pb::CaseAction& action)
{
    using A = pb::CaseAction;
    action.set_kind(draw.chance(700) ? A::RESTART : A::TAKE_OVER);
    action.set_duration_ms(std::uint32_t(draw.chance(kOften) ? draw.between(0, 300) : draw.between(300, 6'000)));
    if (draw.chance(400)) {
        action.set_at_ms(std::uint32_t(draw.between(1, durationMs)));
        return;
    }
    constexpr std::array<const char*, 26> kEvents { "split_ordered", "records_moved", "split_prepared",
        "split_prepared", "split_committed", "split_applied", "batch_applied", "split_finished", "split_undone",
        "parity_creation_ordered", "contents_arrived", "parity_bucket_filled", "epoch_changed", "bucket_failed",
        "bucket_failed", "cut_agreed", "recovery_started", "slice_stored", "recovery_finished", "node_recruited",
        "state_changed", "merge_ordered", "merge_committed", "coordinator_listening", "coordinator_rebuilt",
        "coordinator_rebuilt" };
    action.set_event(draw.oneOf(kEvents));
    action.set_nth(std::uint32_t(draw.chance(kOften) ? draw.between(1, 3) : draw.between(1, 12)));
}

void drawRestarts(Generator& draw, std::uint32_t durationMs, pb::Case& drawn)
{
    using A = pb::CaseAction;
    for (std::uint64_t restarts = draw.between(1, 3); restarts > 0; --restarts)
        drawRestart(draw, durationMs, *drawn.add_actions());
    if (draw.chance(400)) { // clients end or pause in the middle of their work
        drawn.set_clients(std::max(2U, drawn.clients()));
        for (std::uint64_t i = draw.between(1, 3); i > 0; --i) {
            pb::CaseAction& action = *drawn.add_actions();
            drawFailure(draw, durationMs, drawn.is_unbounded(), action);
            action.set_target(A::A_CLIENT);
            if (action.kind() == A::SLOW)
                action.set_kind(A::KILL);
        }
    }
    if (draw.chance(400)) { // the file shrinks again
        drawn.mutable_file()->set_merges(draw.chance(700));
        for (int i = drawn.operations_size() / 2; i < drawn.operations_size(); ++i)
            if (drawn.operations(i).kind() == pb::CaseOperation::INSERT && draw.chance(700))
                drawn.mutable_operations(i)->set_kind(pb::CaseOperation::DELETE);
        for (std::uint64_t i = draw.between(1, 4); i > 0; --i) {
            pb::CaseAction& action = *drawn.add_actions();
            action.set_kind(A::FORCE_MERGE);
            action.set_after(std::uint32_t(draw.below(std::uint64_t(drawn.operations_size()))));
        }
    }
    if (draw.chance(300)) {
        for (std::uint64_t i = draw.between(1, 4); i > 0; --i) {
            pb::CaseAction& action = *drawn.add_actions();
            action.set_kind(A::SET_WALL_CLOCK);
            action.set_target(draw.oneOf(std::array<A::Target, 3> { A::MEMBER, A::COORDINATOR_ITSELF, A::A_CLIENT }));
            action.set_pick(std::uint32_t(draw.below(1000)));
            action.set_argument(std::uint32_t(draw.between(1, 10'000)));
            action.set_at_ms(std::uint32_t(draw.between(1, durationMs)));
        }
    }
}

// Several splits at once, with enough owed at one moment.
void drawWaves(Generator& draw, pb::Case& drawn)
{
    drawn.mutable_file()->set_parallel_splits(draw.chance(850));
    for (std::uint64_t bursts = draw.between(1, 4); bursts > 0; --bursts) {
        const auto after = std::uint32_t(draw.below(std::uint64_t(drawn.operations_size())));
        for (std::uint64_t i = draw.between(2, 8); i > 0; --i) {
            pb::CaseAction& action = *drawn.add_actions();
            action.set_kind(pb::CaseAction::FORCE_SPLIT);
            action.set_after(after);
        }
    }
}

// Memory so small that buckets become full before they overflow, or at about that time.
void drawMemory(Generator& draw, pb::Case& drawn)
{
    // A merge without room is retried forever, so such a file never comes to rest.
    const auto isMerge = [](const pb::CaseAction& action) { return action.kind() == pb::CaseAction::FORCE_MERGE; };
    if (!draw.chance(333) || drawn.file().merges()
        || std::any_of(drawn.actions().begin(), drawn.actions().end(), isMerge))
        return;
    std::uint64_t length = 0;
    for (const pb::CaseOperation& operation : drawn.operations())
        length += operation.length();
    length /= std::uint64_t(std::max(1, drawn.operations_size()));
    // The memory of one bucket with b records, plus the same amount for each batch that a split may leave at a parity
    // bucket; at least a few pages of 64 rows.
    const std::uint64_t bucket = drawn.file().b() * (length + 64 + 16 * drawn.file().m());
    const std::uint64_t page = 64 * (2 * length + 64 + 16 * drawn.file().m());
    drawn.set_memory_limit(std::max(bucket * draw.between(1, 8), page * drawn.file().m() * draw.between(4, 16)));
}

// As above, but exactly at the limit. A parity bucket refuses when a third of the memory that the reserve and batches
// leave is less than one page of the longest records for each data bucket. The limit is that bound plus up to two full
// pages. Without parity buckets it is a few pages; an eighth of it, the reserve, has room for the first slab of values
// stored outside their page. Half of these files have few spares, so buckets must overflow.
void drawFullMemory(Generator& draw, pb::Case& drawn)
{
    const auto isMerge = [](const pb::CaseAction& action) { return action.kind() == pb::CaseAction::FORCE_MERGE; };
    if (!draw.chance(kOften) || drawn.file().merges()
        || std::any_of(drawn.actions().begin(), drawn.actions().end(), isMerge))
        return;
    std::uint64_t longest = 0;
    for (const pb::CaseOperation& operation : drawn.operations())
        longest = std::max<std::uint64_t>(longest, operation.length());
    const std::uint64_t page = 64 * (longest + 16 + 16 * drawn.file().m());
    // A parity bucket that is added later to a full file may need more memory than its data buckets.
    // See "Memory" in node/lhrs/PROTOCOL.md, which does not cover this case.
    const auto addsParity = [](const pb::CaseAction& action) {
        return action.kind() == pb::CaseAction::RAISE_AVAILABILITY || action.kind() == pb::CaseAction::ADD_PARITY;
    };
    const bool hasParity = drawn.file().availability() > 0 || drawn.file().thresholds_size() > 0
        || std::any_of(drawn.actions().begin(), drawn.actions().end(), addsParity);
    drawn.set_memory_limit(hasParity ? page * 24 / 7 * (1000 * drawn.file().m() + draw.below(2000)) / 1000
                                     : page * draw.between(2500, 5000) / 1000);
    if (draw.chance(kOften))
        drawn.set_data_spares(std::uint32_t(draw.between(0, 3)));
}

void drawFailpoints(Generator& draw, pb::Case& drawn)
{
    drawn.set_failpoints_rate(std::uint32_t(draw.between(20, 250)));
    for (std::size_t failpoint = 0; failpoint < kFailpoints; ++failpoint)
        if (draw.chance(200))
            drawn.add_failpoints(std::string(nameOf(Failpoint(failpoint))));
}

} // namespace

pb::Case drawCase(std::uint64_t seed)
{
    Generator configuration(seed, DrawnFor::Configuration);
    Generator workload(seed, DrawnFor::Workload);
    pb::Case drawn;
    drawn.set_seed(seed);
    drawn.set_clients(std::uint32_t(workload.between(1, 4)));
    drawn.set_window(workload.oneOf(std::array<std::uint32_t, 6> { 1, 1, 4, 8, 16, 32 }));
    drawFile(configuration, *drawn.mutable_file());
    drawNetwork(configuration, *drawn.mutable_network());
    drawTimers(configuration, *drawn.mutable_timers());
    const std::uint32_t records = drawOperations(workload, drawn);
    drawActions(workload, drawn);

    // The bucket capacity depends on the number of records, so that the file grows to a few dozen buckets at most.
    const std::uint32_t smallest = std::clamp(records / std::uint32_t(configuration.between(4, 24)), 4U, 64U);
    drawn.mutable_file()->set_b(std::uint32_t(configuration.between(smallest, std::min(64U, 2 * smallest))));
    const std::uint32_t buckets = 2 * records / drawn.file().b() + 8;
    const bool areSparesRare = configuration.chance(200);
    drawn.set_data_spares(areSparesRare ? std::uint32_t(configuration.between(0, 3)) : buckets);
    const std::uint32_t parity = (buckets / drawn.file().m() + 1) * (drawn.file().availability() + 1);
    drawn.set_parity_spares(areSparesRare ? std::uint32_t(configuration.between(0, 3)) : std::min(parity, 40U));
    drawn.set_by_registry(configuration.chance(200));
    if (configuration.chance(kOften))
        drawn.set_drift_ppm(std::uint32_t(configuration.between(1, 50'000)));
    drawn.set_step_ns(std::uint32_t(configuration.between(500, configuration.chance(kOften) ? 5'000 : 50'000)));
    drawn.set_step_ns_per_kib(std::uint32_t(configuration.below(20'000)));
    drawn.set_reparse_every(configuration.chance(100) ? 1 : 64);
    drawn.set_all_by_stream(configuration.chance(50));
    drawn.set_with_messages(configuration.chance(250));
    if (seed >= kFailuresFrom) {
        Generator failures(seed, DrawnFor::Failures);
        const std::uint32_t durationMs = drawFailures(failures, drawn);
        if (seed >= kRestartsFrom) {
            Generator restarts(seed, DrawnFor::Restarts);
            drawRestarts(restarts, durationMs, drawn);
        }
        if (seed >= kWavesFrom) {
            Generator waves(seed, DrawnFor::Waves);
            drawWaves(waves, drawn);
        }
    }
    if (seed >= kMemoryFrom) {
        Generator memory(seed, DrawnFor::Memory);
        seed < kFullFrom ? drawMemory(memory, drawn) : drawFullMemory(memory, drawn);
    }
    if (seed >= kFailpointsFrom && (seed < kRestartsFrom || configuration.chance(300)))
        drawFailpoints(configuration, drawn);
    return drawn;
}

} // namespace lhrs
