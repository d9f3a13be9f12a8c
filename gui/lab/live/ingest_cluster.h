// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/kinds.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/series/run_series.h"
#include "gui/lab/series/run_sink.h"
#include "gui/lab/words/sentences.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

// The ingest thread's data of a cluster: parts of Ingest.
namespace lhrs::gui {

// A received batch of one process. Its events are handed out as pointers that keep the batch alive.
struct Ingest::Batch {
    pb::EventHeader header;
    google::protobuf::Arena arena;
    const pb::EventBatch* body = nullptr;
    std::size_t bytes = 0;
    std::uint64_t last() const { return header.first_sequence() + header.count() - 1; }
};

// The sequence-number state of one process.
struct Ingest::Source {
    ProcessId id = 0;
    std::uint64_t received = 0; // highest number received or known to be lost
    std::uint64_t contained = 0; // numbers up to this are contained in a snapshot that was folded
    bool isComplete = false; // the state needs no snapshot of it
    bool waitsForSnapshot = false;
    bool isAsked = false; // a snapshot was requested from the control thread
    struct Held {
        std::shared_ptr<const Batch> batch;
        std::uint64_t from = 0; // lower numbers were processed before
    };
    std::vector<Held> held; // batches that wait for a snapshot
    std::size_t heldBytes = 0;
    bool isOnOurClock = false; // aheadNs is known
    bool hasFolded = false; // events of it were put on our clock, so aheadNs stays
    std::int64_t aheadNs = 0; // by how much its clock is ahead of ours
    std::uint64_t expected = 0; // known to be published, since expectedAt
    std::chrono::steady_clock::time_point expectedAt;
    std::chrono::steady_clock::time_point heard = std::chrono::steady_clock::now();
};

struct Ingest::Cluster {
    ClusterState state; // changed only by fold and tell, so that the sink misses nothing
    std::uint64_t revision = 1; // of the state
    RunSink* sink = nullptr;
    std::array<InvariantState, kInvariants> invariantsTold {}; // as last reported to the sink
    std::uint64_t invariantsRevision = 0;
    std::optional<std::int64_t> invariantsOwed; // the instant of the run whose invariants are still to be reported
    EventRing ring;
    RunSeries series; // series of the run, for charts
    std::map<ProcessId, Source> sources;
    std::map<std::string, std::int64_t> aheadOfHost; // by how much the clock of a computer is ahead of ours
    std::set<ProcessId> forgotten; // processes of former clusters, whose last messages may still arrive
    IngestCounters counters;
    std::uint64_t eventsAtSecond = 0, cpuNsAtSecond = 0;
    std::chrono::steady_clock::time_point second = std::chrono::steady_clock::now();

    Source& source(ProcessId process)
    {
        Source& source = sources[process];
        source.id = process;
        return source;
    }

    void wantSnapshot(Source& source)
    {
        source.isComplete = false;
        if (source.waitsForSnapshot)
            return;
        source.waitsForSnapshot = true;
        source.isAsked = false;
    }

    void lose(Source& source, std::uint64_t first, std::uint64_t last, std::int64_t runNs)
    {
        counters.lost += last - first + 1;
        ring.pushGap(source.id, runNs, first, last);
        source.received = std::max(source.received, last);
        // A number that a snapshot contains is missing in the log, but not in the state.
        const bool isContained = last <= source.contained;
        pb::Told told;
        told.mutable_gap()->set_first(first);
        told.mutable_gap()->set_last(last);
        told.mutable_gap()->set_is_contained(isContained);
        tell(source.id, told, runNs);
        if (!isContained)
            wantSnapshot(source);
    }

    void giveKeyframe(std::int64_t runNs)
    {
        if (sink != nullptr && sink->wantsKeyframe())
            sink->onKeyframe(state, runNs);
    }

    // Reports to the sink the invariants whose state has changed. They can change with the structure, or when the state
    // says so.
    void tellInvariants(std::int64_t runNs, bool mayHaveChanged)
    {
        if (sink == nullptr || invariantsOwed || (!mayHaveChanged && state.invariants.revision() == invariantsRevision))
            return;
        invariantsRevision = state.invariants.revision();
        for (const InvariantShown& invariant : state.invariants.all(state))
            if (std::exchange(invariantsTold[std::size_t(invariant.number - 1)], invariant.state) != invariant.state)
                sink->onInvariant(invariant, runNs);
    }

    // Events of several processes at one instant of virtual time arrive in any order. The invariants are therefore
    // evaluated when virtual time has moved past that instant.
    void oweInvariants(std::int64_t runNs)
    {
        payInvariants(runNs);
        invariantsOwed = runNs;
    }

    // To be called before anything of a later instant is taken in.
    void payInvariants(std::int64_t runNs)
    {
        if (invariantsOwed && *invariantsOwed < runNs)
            tellInvariants(*std::exchange(invariantsOwed, std::nullopt), true);
    }

    // Switches to another sink. The former sink is told the final state of the invariants that were ever checked.
    void recordTo(RunSink* next, std::int64_t runNs)
    {
        if (invariantsOwed)
            tellInvariants(*std::exchange(invariantsOwed, std::nullopt), true);
        if (sink != nullptr)
            for (const InvariantShown& invariant : state.invariants.all(state))
                if (invariant.checks > 0 || invariant.state != InvariantState::NotChecked)
                    sink->onInvariant(invariant, runNs);
        sink = next;
        invariantsTold = {};
        if (sink != nullptr)
            sink->onKeyframe(state, runNs);
        tellInvariants(runNs, true);
    }

    void tell(ProcessId process, const pb::Told& told, std::int64_t runNs)
    {
        payInvariants(runNs);
        state.apply(process, told, runNs);
        ++revision;
        series.take(process, told, runNs);
        if (sink == nullptr)
            return;
        sink->onTold(process, told, runNs);
        if (state.isSimulated)
            oweInvariants(runNs);
        else
            tellInvariants(runNs, true);
        giveKeyframe(runNs);
    }

    // By how much the clock of that computer is taken to be ahead, from now on: what has been decided, or `otherwise`.
    std::int64_t aheadOf(const std::string& host, std::int64_t otherwise)
    {
        return aheadOfHost.try_emplace(host, otherwise).first->second;
    }

    void putOnOurClock(Source& source)
    {
        if (std::exchange(source.hasFolded, true))
            return;
        const auto known = state.processes.find(source.id);
        if (known != state.processes.end() && !known->second.host.empty())
            source.aheadNs = aheadOf(known->second.host, source.aheadNs);
    }

    void introduce(const pb::ProcessInfo& info, std::int64_t runNs)
    {
        pb::Told told;
        *told.mutable_introduced() = info;
        tell(info.node(), told, runNs);
    }

    // The events of the run are in the order of folding, so that the ring and a recording number them alike.
    void fold(Source& source, const std::shared_ptr<const Batch>& batch, std::uint64_t from, std::int64_t startedWallNs)
    {
        const std::size_t share = batch->bytes / std::size_t(std::max(1, batch->body->events_size()));
        ++revision;
        for (const pb::Event& event : batch->body->events()) {
            if (event.sequence() < from)
                continue;
            putOnOurClock(source);
            const std::int64_t runNs = event.wall_ns() - startedWallNs - source.aheadNs;
            ring.push(source.id, runNs, { batch, &event }, share);
            payInvariants(runNs);
            if (event.sequence() > source.contained)
                state.apply(source.id, event, runNs);
            series.take(source.id, event, runNs);
            if (sink != nullptr) {
                sink->onEvent(source.id, { batch, &event }, runNs, share);
                tellInvariants(runNs, changesStructure(event));
                giveKeyframe(runNs);
            }
        }
    }

    void foldHeld(Source& source, std::int64_t startedWallNs)
    {
        const auto held = std::exchange(source.held, {});
        source.heldBytes = 0;
        for (const Source::Held& one : held)
            fold(source, one.batch, one.from, startedWallNs);
    }
};

} // namespace lhrs::gui
