// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/file_growth.h"

#include "common/check/lhrs/invariants.h"
#include "node/lhrs/data/data_bucket.h"

#include <algorithm>

namespace lhrs {

bool FileGrowth::isOfFile(std::uint32_t number) const
{
    const DataBucket* bucket = m_places.dataBucket(number);
    return number < m_state.buckets()
        || (m_merging && m_merging->first == number && bucket && bucket->state() == pb::MERGING);
}

std::uint32_t FileGrowth::decidedSince(Time time) const
{
    return std::uint32_t(m_decided.end() - std::lower_bound(m_decided.begin(), m_decided.end(), time));
}

bool FileGrowth::isNewDecision(const pb::Event& event) const
{
    // A coordinator that already has a successor completes earlier decisions; the file may have moved on in the
    // meantime.
    const auto buckets = [](const pb::FileState& file) { return check::FileState { file.i(), file.n() }.buckets(); };
    return event.has_split_finished() || event.has_merge_finished()
        || (event.has_split_committed() && buckets(event.split_committed().file()) > m_state.buckets())
        || (event.has_merge_committed() && buckets(event.merge_committed().file()) < m_state.buckets());
}

void FileGrowth::decide(const check::FileState& after)
{
    m_state = after;
    m_decided.push_back(m_cluster.now());
    touch();
}

void FileGrowth::onCoordinatorEvent(const pb::Event& event)
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kFileCreated: m_exists = true; break;
    case B::kSpareMissing: m_missing[event.spare_missing().role()] = event.spare_missing().wanted(); break;
    case B::kSplitOrdered: onSplitOrdered(event.split_ordered()); break;
    case B::kSplitCommitted: {
        const auto& split = event.split_committed();
        const check::FileState after { split.file().i(), split.file().n() };
        report(check::checkSplitOrder(m_state, split.bucket(), split.new_bucket(), after));
        decide(after);
        ++counts().splits;
        break;
    }
    case B::kSplitFinished:
        m_openSplits.erase(event.split_finished().split());
        touch();
        break;
    case B::kSplitUndone:
        m_openSplits.erase(event.split_undone().split());
        touch();
        ++counts().undone;
        break;
    case B::kMergeOrdered:
        m_hasMerged = true;
        touch();
        break;
    case B::kMergeCommitted: {
        const auto& merge = event.merge_committed();
        const check::FileState after { merge.file().i(), merge.file().n() };
        // A merge is a split in reverse: splitting again must lead back to the present state of the file.
        report(check::checkSplitOrder(after, merge.into(), merge.bucket(), m_state));
        decide(after);
        m_merging = { merge.bucket(), merge.into() };
        ++counts().merges;
        break;
    }
    case B::kMergeFinished:
        m_merging.reset();
        touch();
        break;
    case B::kMergeUndone: touch(); break;
    default: break;
    }
}

// Splits are ordered one after the other or, if the file permits, each one right after those that are under way.
void FileGrowth::onSplitOrdered(const pb::SplitOrdered& ordered)
{
    const std::uint64_t target = m_state.buckets() + m_openSplits.size();
    if (!m_openSplits.empty() && !m_isParallel)
        fail(11, "the split of bucket ", ordered.bucket(), " is ordered while another is under way");
    if (ordered.new_bucket() != target)
        fail(11, "the split of bucket ", ordered.bucket(), " into ", ordered.new_bucket(), " is ordered where bucket ",
            target, " comes next");
    counts().beside += m_openSplits.empty() ? 0 : 1;
    m_openSplits.insert(ordered.split());
}

void FileGrowth::onRebuilt(const pb::CoordinatorRebuilt& rebuilt, bool isBounded)
{
    check::FileState found;
    while ((2ULL << found.i) <= rebuilt.buckets())
        ++found.i;
    found.n = std::uint32_t(rebuilt.buckets() - (1ULL << found.i));
    const auto known = std::uint32_t(m_state.buckets());
    // The last decided split or merge may be decided again, or undone, if its decision reached no process. (If whole
    // groups are gone, the number of buckets may be unknown.)
    if (isBounded && rebuilt.buckets() != known && rebuilt.buckets() + 1 != known && rebuilt.buckets() != known + 1)
        fail(14, "the coordinator rebuilds a file of ", rebuilt.buckets(), " buckets, and ", known, " were there");
    m_state = found;
    m_merging.reset();
    m_openSplits.clear();
    touch();
}

void FileGrowth::onRecordsArrived(std::uint32_t number)
{
    if (m_merging && m_merging->second == number)
        m_merging.reset(); // the target has the records of the last bucket
    touch();
}

void FileGrowth::checkTouched(const check::RequestLedger& ledger)
{
    if (std::exchange(m_isTouched, false))
        checkAuthority(ledger);
}

void FileGrowth::checkAuthority(const check::RequestLedger& ledger)
{
    if (!m_exists)
        return;
    std::vector<check::Authority> buckets;
    for (const auto& [number, holder] : m_places.holders())
        if (const DataBucket* bucket = m_places.dataBucket(number))
            buckets.push_back({ number, bucket->level(),
                bucket->state() != pb::INIT && !bucket->isGone() && isOfFile(number)
                    && m_places.mayAnswer(number, *bucket) });
    const auto holds = [this](std::uint32_t number, std::uint64_t key) {
        const DataBucket* bucket = m_places.dataBucket(number);
        // Between the decision and the end of a merge, the records of the last bucket are on their way.
        return m_places.isGone(number) || (m_merging && m_merging->second == number)
            || (bucket && bucket->store().find(Key(key)).value != 0);
    };
    report(check::checkAuthority(m_settings, m_state, buckets, ledger.presentKeys(), holds));
}

} // namespace lhrs
