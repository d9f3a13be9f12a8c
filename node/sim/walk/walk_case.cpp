// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/walk/walk_case.h"

#include "node/sim/engine/random.h"

#include <algorithm>
#include <array>

namespace lhrs {

namespace {

constexpr std::uint32_t kOften = 500; // per mille
constexpr std::uint32_t kValueLength = 8; // shortest length at which values differ
constexpr std::uint64_t kMessagesMeant = 6'000; // intended number of messages for the operations of a case, roughly
constexpr std::uint64_t kWaysMeant = 30'000; // intended number of steps of its look-ups, when every way is tried

using Range = std::array<std::uint32_t, 2>;

std::uint32_t drawn(Generator& draw, Range range) { return std::uint32_t(draw.between(range[0], range[1])); }

// Fault rates apply to each step of a query, and a query on a large ring takes many steps. Beyond these bounds no query
// would arrive, or each would arrive a thousand times.
void drawNetwork(Generator& draw, std::uint32_t nodes, pb::NetworkFaults& network)
{
    network.set_delay_us(std::uint32_t(draw.between(20, draw.chance(kOften) ? 200 : 1'000)));
    if (draw.chance(kOften))
        network.set_jitter_us(std::uint32_t(draw.between(1, draw.chance(kOften) ? 500 : 10'000)));
    if (draw.chance(kOften))
        network.set_loss(std::uint32_t(draw.between(1, std::min(300U, std::max(10U, 2'500 / nodes)))));
    if (draw.chance(600)) {
        network.set_duplicates(std::uint32_t(draw.between(1, std::min(300U, std::max(10U, 1'500 / nodes)))));
        if (draw.chance(700)) {
            network.set_late(std::uint32_t(draw.between(100, 800)));
            network.set_late_ms(draw.oneOf(std::array<std::uint32_t, 4> { 20, 200, 2'000, 10'000 }));
        }
    }
    if (draw.chance(200)) {
        network.set_spikes(std::uint32_t(draw.between(1, 20)));
        network.set_spike_ms(draw.oneOf(std::array<std::uint32_t, 3> { 10, 100, 1'000 }));
    }
    if (draw.chance(100))
        network.set_breaks(std::uint32_t(draw.between(1, 100)));
}

// The weights of put, get and delete.
using Mix = std::array<std::uint32_t, 3>;
constexpr std::array<Mix, 5> kMixes { Mix { 100, 0, 0 }, { 60, 30, 10 }, { 40, 20, 40 }, { 30, 60, 10 },
    { 45, 45, 10 } };

void drawOperations(Generator& draw, WalkCase& drawn)
{
    const bool areValuesLong = draw.chance(80); // if so, a range travels in several blocks
    const std::uint64_t most = kMessagesMeant / (3 + drawn.nodes / 2);
    const auto count = draw.between(200, std::clamp<std::uint64_t>(areValuesLong ? 300 : most, 200, 2'000));
    std::uint64_t keys = draw.chance(350) ? draw.between(4, 30) : draw.between(30, 200);
    if (drawn.isEveryWayTried)
        keys = std::min(keys, std::max<std::uint64_t>(4, 2 * kWaysMeant / (drawn.nodes * drawn.nodes)));
    const std::uint64_t factor = draw.oneOf(std::array<std::uint64_t, 3> { 1, 3, 0x9e3779b97f4a7c15 });
    const Mix mix = draw.oneOf(kMixes);
    for (std::uint64_t i = 0; i < count; ++i) {
        WalkCase::Operation operation;
        operation.client = std::uint32_t(draw.below(drawn.clients));
        operation.key = factor * draw.below(keys);
        const std::uint64_t point = draw.below(100);
        if (point < mix[0]) // both mean put
            operation.kind = draw.chance(kOften) ? pb::INSERT : pb::UPDATE;
        else
            operation.kind = point < mix[0] + mix[1] ? pb::SEARCH : pb::DELETE;
        operation.length = std::uint32_t(draw.between(kValueLength, areValuesLong ? 8'000 : 60));
        drawn.operations.push_back(operation);
    }
}

void drawChanges(Generator& draw, std::uint32_t durationMs, WalkCase& drawn)
{
    for (std::uint64_t changes = draw.below(13); changes > 0; --changes) {
        WalkCase::Change change;
        change.atMs = std::uint32_t(draw.between(1, durationMs));
        change.isLeave = draw.chance(drawn.nodes > 1 ? kOften : 200);
        change.pick = draw.chance(300) ? 0 : std::uint32_t(draw.between(1, 1'000));
        drawn.changes.push_back(change);
        if (draw.chance(200)) { // a second change at the same time
            change.isLeave = draw.chance(kOften);
            drawn.changes.push_back(change);
        }
    }
    drawn.changes.resize(std::min<std::size_t>(drawn.changes.size(), 12));
}

void drawMishaps(Generator& draw, std::uint32_t durationMs, WalkCase& drawn)
{
    using Whom = WalkCase::Mishap::Whom;
    // A handover takes a few messages, and a mishap should be able to hit each of them.
    const std::uint32_t handoverUs = 12 * (drawn.network.delay_us() + drawn.network.jitter_us() / 2 + 10);
    const auto changes = std::uint32_t(drawn.changes.size());
    for (std::uint64_t pauses = draw.chance(600) ? draw.between(1, 6) : 0; pauses > 0; --pauses) {
        WalkCase::Mishap mishap;
        mishap.pick = std::uint32_t(draw.below(1'000));
        const std::uint32_t most = draw.chance(100) ? 12'000 : 4'000; // a node counts as silent after 1.5 s
        mishap.pauseMs = std::uint32_t(draw.between(1, draw.chance(kOften) ? 300 : most));
        if (changes > 0 && draw.chance(700)) {
            mishap.whom = draw.oneOf(
                std::array<Whom, 5> { Whom::Receiver, Whom::Receiver, Whom::Giver, Whom::Predecessor, Whom::Master });
            mishap.change = std::uint32_t(draw.between(1, changes));
            mishap.afterUs = std::uint32_t(draw.below(handoverUs));
        } else {
            mishap.whom = draw.oneOf(std::array<Whom, 4> { Whom::AnyNode, Whom::AnyNode, Whom::Master, Whom::AClient });
            mishap.afterUs = 1'000 * std::uint32_t(draw.below(durationMs));
        }
        drawn.mishaps.push_back(mishap);
    }
    if (changes == 0 || !draw.chance(250))
        return;
    WalkCase::Mishap death;
    death.whom = Whom::Receiver;
    death.change = std::uint32_t(draw.between(1, std::min(changes, 6U)));
    death.afterUs = std::uint32_t(draw.below(handoverUs / 2));
    death.againMs = draw.chance(kOften) ? std::uint32_t(draw.between(1, 3'000)) : 0;
    drawn.mishaps.push_back(death);
}

} // namespace

WalkCase drawWalkCase(std::uint64_t seed)
{
    Generator configuration(seed, DrawnFor::Configuration);
    Generator workload(seed, DrawnFor::Workload);
    Generator failures(seed, DrawnFor::Failures);
    WalkCase drawn;
    drawn.seed = seed;
    drawn.bits = configuration.oneOf(std::array<unsigned, 3> { 8, 16, 32 });
    drawn.nodes = lhrs::drawn(
        configuration, configuration.oneOf(std::array<Range, 4> { { { 1, 4 }, { 3, 16 }, { 3, 16 }, { 1, 64 } } }));
    drawn.spares = lhrs::drawn(configuration, { 0, 8 });
    drawNetwork(configuration, drawn.nodes, drawn.network);
    if (configuration.chance(kOften))
        drawn.timers.set_resend_ms(lhrs::drawn(configuration, { 10, 120 }));
    if (configuration.chance(150))
        drawn.timers.set_held_max(lhrs::drawn(configuration, { 1, 16 }));
    if (configuration.chance(300)) { // clients give up early, but a few requests for a key still fit in
        const std::uint32_t roundMs = drawn.nodes * (drawn.network.delay_us() + drawn.network.jitter_us() + 20) / 1'000;
        drawn.timers.set_operation_ms(std::min(5'000U, lhrs::drawn(configuration, { 100, 800 }) + 20 * roundMs));
    }
    if (configuration.chance(kOften))
        drawn.driftPpm = lhrs::drawn(configuration, { 1, 50'000 });
    drawn.stepNs = lhrs::drawn(configuration, { 500, 10'000 });
    drawn.withMessages = configuration.chance(100);
    drawn.beginsAtOnce = configuration.chance(kOften);
    drawn.isEveryWayTried = configuration.chance(100);

    drawn.clients = lhrs::drawn(workload, { 1, 4 });
    drawn.window = workload.oneOf(std::array<std::uint32_t, 4> { 1, 4, 8, 16 });
    drawOperations(workload, drawn);
    const auto durationMs = std::uint32_t(workload.between(300, workload.chance(300) ? 6'000 : 2'000));
    drawn.paceUs = std::uint32_t(durationMs * 1'000ULL * drawn.clients * drawn.window / drawn.operations.size());
    drawChanges(workload, durationMs, drawn);
    drawMishaps(failures, durationMs, drawn);
    return drawn;
}

std::string walkValue(std::size_t index, std::uint32_t length)
{
    std::string value;
    for (std::uint64_t word = index + 1; value.size() < length; word = splitMix(word + index))
        for (unsigned byte = 0; byte < 8; ++byte)
            value += char(word >> (8 * byte));
    value.resize(length);
    return value;
}

} // namespace lhrs
