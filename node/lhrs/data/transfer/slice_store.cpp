// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/transfer/slice_store.h"

#include "common/failpoints.h"
#include "node/lhrs/group/member_record.h"
#include "node/lhrs/store/fetching_reader.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::size_t kSlicesAheadMax = 16; // more than a recovery manager has under way at once

} // namespace

bool SliceStore::isOfOurGroup(const pb::Message& message) const
{
    const auto& members = m_status.view.members();
    return std::any_of(members.begin(), members.end(), [&](const pb::Member& member) {
        return member.role() == pb::PARITY && member.state() == pb::UP && member.holder().node() == message.sender();
    });
}

void SliceStore::onSpareSlice(const pb::Message& message, Time now, Effects& out)
{
    const pb::SpareSlice& slice = message.spare_slice();
    if (m_status.state != pb::RECOVERING) {
        NodeContext::acknowledge(message, out); // a late copy
        return;
    }
    // A recovery manager that was replaced may not know that, and this server may have been its spare before.
    if (!isOfOurGroup(message) || slice.position() != m_bucket.position.value)
        return;
    if (slice.recovery() != m_recovery) {
        if (slice.recovery() < m_recovery)
            return; // from a recovery that was given up
        m_recovery = slice.recovery();
        m_stored = 0;
        m_ahead.clear();
        if (!LHRS_MUTANT(ManagersMix)) {
            m_bucket.store = RecordStore();
            m_bucket.results = ResultTable();
        }
    }
    if (slice.number() < m_stored) {
        NodeContext::acknowledge(message, out);
        return;
    }
    if (!isFit(slice.records(), Rank(1), rankLimit(m_bucket.config)))
        return;
    if (slice.number() > m_stored) { // slices may arrive out of order, each over its own path
        if (m_ahead.size() < kSlicesAheadMax)
            m_ahead.emplace(slice.number(), message);
        return;
    }
    NodeContext::acknowledge(message, out);
    store(slice, now, out);
    for (auto next = m_ahead.begin(); next != m_ahead.end() && next->first <= m_stored; next = m_ahead.begin()) {
        NodeContext::acknowledge(next->second, out);
        if (next->first == m_stored)
            store(next->second.spare_slice(), now, out);
        m_ahead.erase(next);
    }
}

void SliceStore::store(const pb::SpareSlice& slice, Time now, Effects& out)
{
    ++m_stored;
    auto* event = out.event().mutable_slice_stored();
    event->set_recovery(m_recovery);
    event->set_number(slice.number());
    event->set_is_last(slice.is_last());
    RecordStore& records = m_bucket.store;
    if (slice.number() == 0)
        records.reserve(std::min(Rank(slice.rank_max()), rankLimit(m_bucket.config)));
    std::uint32_t count = 0;
    FetchingReader reader(slice.records(), records);
    takeRecords(reader, m_bucket.results, now, [&](const BlockEntry& entry) {
        records.insertAt(entry.rank, entry.key, entry.bytes, entry.version);
        ++count;
        if (!out.tellsRecords())
            return;
        event->add_ranks(entry.rank.value);
        event->add_keys(entry.key.value);
    });
    event->set_records(count);
    event->set_count(records.count());
    if (!slice.is_last())
        return;
    // Ranks that are left out are free, and the sequence numbers continue from the cut.
    m_bucket.link.restore(LHRS_MUTANT(SequenceNotCut) && slice.cut() > 0 ? slice.cut() - 1 : slice.cut());
    if (LHRS_MUTANT(SpareVisibleEarly))
        m_status.become(pb::UP, "filled", out);
}

} // namespace lhrs
