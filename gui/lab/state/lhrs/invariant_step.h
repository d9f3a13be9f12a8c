// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/say.h"
#include "gui/lab/state/lhrs/file_view.h"

#include <algorithm>
#include <string>

// What each event tells about the invariants: a part of InvariantMonitor.
namespace lhrs::gui {

// One event of one process.
struct InvariantMonitor::Step {
    InvariantMonitor& l;
    const FileView& s;
    const std::uint64_t process;
    const pb::Event& event;
    const std::int64_t runNs;

    void holds(int invariant) { l.check(invariant, runNs); }
    void fails(int invariant, const std::string& text)
    {
        l.violate(invariant, { process, event.sequence(), runNs, text });
    }

    const ProcessState* self() const
    {
        const auto at = s.processes.find(process);
        return at == s.processes.end() ? nullptr : &at->second;
    }

    // The data bucket that the process itself reports to hold; null: unknown, or it holds none.
    const DataBucketState* data() const
    {
        if (event.place().role() != pb::DATA)
            return nullptr;
        if (const auto at = s.data.find(event.place().number()); at != s.data.end() && at->second.process == process)
            return &at->second;
        const auto aside = s.displacedData.find(process);
        return aside != s.displacedData.end() && aside->second.number == event.place().number() ? &aside->second
                                                                                                : nullptr;
    }

    const ParityBucketState* parity() const
    {
        const auto at = s.parity.find({ event.place().number(), event.place().column() });
        return event.place().role() == pb::PARITY && at != s.parity.end() && at->second.process == process ? &at->second
                                                                                                           : nullptr;
    }

    static std::uint64_t bucketsOf(const pb::FileState& file)
    {
        return (std::uint64_t(1) << std::min(file.i(), 40u)) + file.n();
    }
    std::string bucketName() const { return check::say("data bucket ", event.place().number()); }

    // Whether all its changes were observed from the first on, so that the record at each rank is known.
    bool isWholly(const DataBucketState& bucket, std::uint64_t sequence)
    {
        if (!bucket.ranksAreObserved || l.memo(Broken).find({ process, 0, 0 }) != nullptr)
            return false;
        const ProcessState* known = self();
        if (known == nullptr || known->isIncomplete)
            return false;
        if (bucket.sequence == 0 || bucket.sequence + 1 == sequence)
            return true;
        l.memo(Broken).set({ process, 0, 0 }, {});
        return false;
    }

    // ---- roles of processes (invariant_checks.cpp)
    void started();
    void recruited(const pb::NodeRecruited& e);
    void released();
    void became(const pb::StateChanged& e);

    // ---- records
    void inserted(const pb::RecordInserted& e);
    void changed(std::uint64_t key, std::uint32_t rank, std::uint64_t sequence);
    void deleted(const pb::RecordDeleted& e);
    bool isRetired(std::uint32_t rank) const;
    void seenBeforeEnabled(const DataBucketState& bucket, std::uint64_t key);
    // A change that a client's request caused.
    void effect(std::uint64_t sequence);
    void acknowledgeEffect(std::uint64_t sequence);
    void acknowledged(const pb::ChangeAcknowledged& e);
    void appliedAtParity(std::uint32_t position, std::uint64_t sequence);
    // Compares a change at a parity bucket with its acknowledgement by the data bucket, in whatever order they were
    // heard.
    void compare(std::uint64_t parityProcess, const InvariantNotes::Value& applied, const InvariantNotes::Value& owed,
        std::uint64_t bucket, std::uint64_t sequence);
    // Whether the process certainly held one place under one incarnation between these two of its events.
    bool isOneTenure(std::uint64_t holder, std::uint64_t a, std::uint64_t b) const;

    // ---- operations (invariant_file_checks.cpp)
    // The highest count that any coordinator has told; a superseded coordinator that does not know it yet may tell a
    // smaller one.
    static std::uint64_t bucketsTold(const InvariantMonitor& monitor, const FileView& state)
    {
        std::uint64_t most = state.file.buckets;
        for (const auto& [key, value] : monitor.m_memos[File].entries())
            most = std::max(most, value[0]);
        return most;
    }
    std::uint64_t bucketsKnown() const { return bucketsTold(l, s); }
    void imageSeen(const pb::FileState& image);
    void done(const pb::OperationDone& e);
    void hops(const pb::OperationDone& e);
    void honesty(const pb::OperationDone& e);
    // Checks the incarnation that held the place when the reply was sent (I9).
    void freshness(const pb::OperationDone& e, std::uint64_t begun);

    // ---- the coordinator
    void committed(const pb::SplitCommitted& e);
    void committed(const pb::MergeCommitted& e);
    // What a coordinator reports of the file; 0: unchanged.
    void knows(std::uint64_t buckets, std::uint64_t availability);
    void decided(std::uint64_t split);
    void ended(std::uint64_t split);
    void undone(std::uint64_t split);
    void parityAdded(const pb::ParityAdded& e);
    void epoch(const pb::View& view);
    void rebuilt(const pb::CoordinatorRebuilt& e);
    void groupLost(const pb::GroupLost& e);

    // ---- figures
    template <class Figures> void figures(const Figures& e, std::int64_t total, const char* what)
    {
        const std::int64_t sum = e.process_ns() + e.communication_ns() + e.other_ns();
        if (sum == 0)
            return; // it was not measured
        if (sum != total || e.process_ns() < 0 || e.communication_ns() < 0 || e.other_ns() < 0)
            fails(22, check::say("the phases of ", what, " are ", sum, " ns together, and the whole ", total, " ns"));
        else
            holds(22);
    }

    void apply();
};

} // namespace lhrs::gui
