// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/data/load_reports.h"
#include "node/lhrs/data/transfer/merge_target.h"
#include "node/lhrs/data/moving_records.h"
#include "node/lhrs/data/scan_answers.h"
#include "node/lhrs/data/transfer/split_source.h"
#include "node/lhrs/data/transfer/split_target.h"
#include "node/lhrs/data/waiting_requests.h"

#include <memory>
#include <optional>

namespace lhrs {

// The splits and merges in which a data bucket takes part, at either end: the orders of the coordinator, and their
// effects on the bucket. A decision releases the requests that were held for it.
class Reconfigurations final : public MovingRecords {
public:
    // `creation`: the split that creates this bucket; 0: none. Orders up to `last` are late copies, possibly meant for
    // a former holder.
    Reconfigurations(BucketParts& bucket, BucketStatus& status, std::uint64_t creation, std::uint64_t last,
        WaitingRequests& waiting, ScanAnswers& scans, LoadReports& load)
        : m_bucket(bucket), m_status(status), m_waiting(waiting), m_scans(scans), m_load(load), m_creation(creation),
          m_createdLevel(status.level), m_last(last)
    {
    }

    // Orders and decisions, and the records that arrive. These functions return false for late copies, which change
    // nothing.
    bool onSplit(const pb::Message& message, Effects& out);
    bool onMerge(const pb::Message& message, Effects& out);
    bool onMoveRecords(const pb::Message& message, Time now, Effects& out);
    bool onCommit(const pb::Message& message, Time now, Effects& out);
    void onAbort(const pb::Message& message, Time now, Effects& out);
    bool onFinish(const pb::Message& message, Effects& out);
    void onAck(const AckList::Entry& entry, Time now, Effects& out);
    // Does what has become possible. Returns false if a split or merge has just ended here: requests that were held for
    // it come before everything else.
    bool progress(Time now, Effects& out);

    // Whether this bucket gives records away.
    bool isSource() const { return m_source != nullptr; }
    // Whether this bucket may be about to take records back, so that it cannot tell which records it holds.
    bool isMergeUndecided() const { return m_merge && m_merge->isPrepared() && !m_merge->isCommitted(); }
    bool keepsRanks() const override { return m_source && m_source->keepsRanks(); }
    bool keepRank(Rank rank) override { return m_source && m_source->keepRank(rank); }
    void onChange(Key key, Rank rank) override;
    bool isUndecided(BucketNumber other) const override
    {
        return m_merge && m_merge->isPrepared() && other.value == m_merge->order().source();
    }
    std::uint64_t keptBytes() const override { return m_merge ? m_merge->keptBytes() : 0; }
    // Reports what a restarted coordinator needs to rebuild the file state.
    void report(pb::StateReport& out) const;
    void check() const;

private:
    // Whether an order is to be carried out; a late copy is only acknowledged.
    bool takeOrder(const pb::Message& message, const pb::Split& order, bool isForUs, Effects& out);
    void commitTarget(Time now, Effects& out);
    void endMerge(Effects& out);
    void applied(const pb::Message& cause, std::uint64_t split, Effects& out) const;

    BucketParts& m_bucket;
    BucketStatus& m_status;
    WaitingRequests& m_waiting;
    ScanAnswers& m_scans;
    LoadReports& m_load;
    const std::uint64_t m_creation; // the split that creates this bucket
    const Level m_createdLevel; // the level at which that split creates it
    std::uint64_t m_last;
    std::unique_ptr<SplitSource> m_source;
    std::unique_ptr<SplitTarget> m_target;
    std::unique_ptr<MergeTarget> m_merge;
    std::optional<pb::Message> m_owedFinish; // Finish, to be acknowledged when the split is over here too
};

} // namespace lhrs
