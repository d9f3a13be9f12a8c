// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/cut.h"
#include "node/lhrs/group/server_context.h"
#include "node/lhrs/parity/slice_rebuild.h"

#include <map>
#include <memory>
#include <set>

namespace lhrs {

// The parity bucket that the coordinator chose to recover its group (demo paper, section 4(e)). First it brings all
// survivors to one cut of every lost position; then it rebuilds the lost data buckets on spares, slice by slice. It
// lives for one epoch of the recovery; in the next epoch everything starts over.
class RecoveryManager {
public:
    RecoveryManager(ServerContext& context, Survivor& bucket) : m_context(context), m_bucket(bucket) { }

    void onCutReport(const pb::CutReport& report, Time now, Effects& out);
    void onRecover(const pb::Recover& order, Time now, Effects& out);
    void onSliceData(const pb::SliceData& data, Time now, Effects& out);
    void onAck(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

private:
    void cut(Time now, Effects& out);
    void reportWhenCut(Time now, Effects& out);

    ServerContext& m_context;
    Survivor& m_bucket;
    std::map<ParityColumn, pb::CutReport> m_reports;
    std::set<std::uint64_t> m_copies; // DeltaCopy under way
    bool m_isCut = false;
    std::set<ParityColumn> m_unusable; // columns that lack a change that no survivor has
    std::map<Position, Sequence> m_cuts;
    std::uint32_t m_copied = 0;
    std::unique_ptr<SliceRebuild> m_rebuild;
};

} // namespace lhrs
