// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/erasure_code.h"
#include "node/lhrs/group/group_decoder.h"
#include "node/lhrs/group/server_context.h"
#include "node/lhrs/parity/survivor.h"
#include "node/machine/task_times.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs {

// Bucket recovery (demo paper, section 4(e)): the recovery manager asks m members for the records of s successive ranks
// and computes the lost ones; the matrix is inverted once. It sends them to the spares while the next slices are
// already requested. Records of live members may change in the meantime, so a rank whose contributions are not of the
// same state is requested again.
class SliceRebuild {
public:
    SliceRebuild(ServerContext& context, const Survivor& bucket, const pb::Recover& order, Time now);

    void start(Time now, Effects& out);
    void onSliceData(const pb::SliceData& data, Time now, Effects& out);
    void onAck(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;
    std::uint64_t recovery() const { return m_order.recovery(); }

private:
    // A range of ranks that are requested together.
    struct Slice {
        Rank from, to;
        std::vector<Rank> open; // ranks not computed yet, in ascending order
        std::map<MemberId, std::string> data; // record blocks of this round
        std::set<MemberId> missing;
        std::uint32_t rounds = 0;
        Time nextRound = Time::max();
        std::map<Position, std::string> blocks; // computed records, by lost position
        std::uint32_t records = 0;
        std::uint64_t bytes = 0;
        std::uint64_t inBytes = 0; // bytes that members have sent for it
        Time requested {}, arrived {}, worked {}; // `requested` and `arrived` since the order
    };

    Slice makeSlice(const Effects& out);
    void tellDecoder(Effects& out) const;
    void askAhead(Time now, Effects& out);
    void request(Slice& slice, Time now, Effects& out);
    void advance(Time now, Effects& out);
    void compute(Slice& slice);
    void decode(Slice& slice, std::span<const Rank> ranks, std::span<const ByteSpan> contributions);
    void send(Slice& slice, Time now, Effects& out);
    void reportWhenDone(Time now, Effects& out);
    void leave(Time now, const Effects& out);
    bool isXor() const;

    ServerContext& m_context;
    const Survivor& m_bucket;
    const pb::Recover m_order;
    const Way m_way; // for slices to the spares
    const std::uint32_t m_ranksOfSlice;
    TaskTimes m_times;
    std::optional<RecoveryPlan> m_plan;
    std::unique_ptr<Decoder> m_decoder;
    Rank m_next { 1 };
    Rank m_last; // the highest rank of a lost record
    std::deque<Slice> m_slices; // the first is computed once it is complete; the others are requested
    std::uint32_t m_sent = 0; // slices sent
    bool m_isLastSent = false, m_isReported = false;
    std::set<std::uint64_t> m_unstored; // SpareSlices under way
    std::uint32_t m_records = 0;
    std::uint64_t m_bytes = 0;
};

} // namespace lhrs
