// SPDX-License-Identifier: GPL-3.0-or-later
// A new parity bucket takes the contents of its group's data buckets while they continue to change.
#include "node/lhrs/parity/parity_bucket.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "common/lhrs/record_block.h"
#include "node/lhrs/group/bucket_parts.h"
#include "node/lhrs/group/member_record.h"

#include <algorithm>

namespace lhrs {

void ParityBucket::onAddParity(const pb::Message& message, Time now, Effects& out)
{
    const pb::AddParity& order = message.add_parity();
    if (order.group() != m_group.value || order.column() != m_column.value
        || order.incarnation() != m_incarnation.value)
        return; // late: for another place
    NodeContext::acknowledge(message, out);
    m_isCountedOn = m_isCountedOn || order.is_counted_on();
    if (m_isFilling || m_state != pb::INIT)
        return;
    m_isFilling = true;
    m_fillTimes.emplace(now);
    m_fillTimes->enter(now, out);
    // Demo paper, section 4(b): the new parity bucket asks each data bucket of its group to send its contents.
    for (std::uint32_t q = 0; q < m_positions.size(); ++q) {
        const PositionState& position = m_positions[q];
        if (!position.awaitsContents)
            continue;
        pb::Message ask;
        ask.set_incarnation(m_incarnation.value);
        auto* send = ask.mutable_send_contents();
        send->set_group(m_group.value);
        send->set_position(q);
        send->set_column(m_column.value);
        send->set_epoch(m_view.epoch());
        send->set_incarnation(m_incarnation.value);
        m_context.acks.send(std::move(ask), position.holder.address, position.holder.node, Way::Auto,
            AckList::Patience::KeepTrying, NodeContext::Plain, now, out);
    }
    reportWhenFilled(now, out);
    leaveFilling(now, out);
}

Sequence ParityBucket::contentsSnap(const PositionState& position, Rank rank) const
{
    const auto range = std::lower_bound(position.ranges.begin(), position.ranges.end(), rank,
        [](const ContentsRange& r, Rank wanted) { return r.last < wanted; });
    return range == position.ranges.end() ? 0 : range->snap;
}

void ParityBucket::leaveFilling(Time now, const Effects& out)
{
    if (m_fillTimes)
        m_fillTimes->leave(now, out, std::any_of(m_positions.begin(), m_positions.end(), [](const PositionState& p) {
            return p.awaitsContents;
        }));
}

void ParityBucket::onContents(const pb::Message& message, Time now, Effects& out)
{
    if (m_fillTimes)
        m_fillTimes->enter(now, out);
    takeContents(message, now, out);
    leaveFilling(now, out);
}

void ParityBucket::takeContents(const pb::Message& message, Time now, Effects& out)
{
    const pb::Contents& contents = message.contents();
    if (contents.asker() != m_incarnation.value || contents.position() >= m_positions.size())
        return;
    const Position q(contents.position());
    PositionState& position = m_positions[q.value];
    if (position.incarnation.value != contents.incarnation() || out.fires(Failpoint::ContentsLate))
        return;
    if (!position.awaitsContents) {
        acknowledge(q, out, message.id()); // the answer to the last block may have been lost
        return;
    }
    if (position.contents.keepAhead(contents.block(), message))
        return;
    if (!position.contents.isNext(contents.block())) {
        NodeContext::acknowledge(message, out);
        return;
    }
    if (!isFit(contents.records(), Rank(), m_rankLimit))
        return;
    if (!contents.is_last())
        NodeContext::acknowledge(message, out);
    position.contents.take();
    m_fillBytes += contents.records().size();
    auto* event = out.event().mutable_contents_arrived();
    event->set_position(q.value);
    event->set_block(contents.block());
    event->set_is_last(contents.is_last());
    event->set_snap(contents.snap());
    std::uint32_t records = 0;
    takeRecords(BlockReader(contents.records()), position.results, now, [&](const BlockEntry& entry) {
        if (!m_store.apply(
                ParityStore::Change::Insert, q, entry.rank, entry.key, entry.length, entry.version, entry.bytes))
            disagree(q, entry.version);
        ++records;
        if (!out.tellsRecords())
            return;
        event->add_ranks(entry.rank.value);
        event->add_keys(entry.key.value);
    });
    event->set_records(records);
    if (position.ranges.empty())
        position.applied = contents.snap(); // all later changes arrive here as Deltas and are held
    position.ranges.push_back({ Rank(contents.rank_last()), contents.snap() });
    position.level = contents.level();
    position.contentsLast = contents.snap();
    if (!contents.is_last()) {
        if (const auto next = position.contents.kept())
            takeContents(*next, now, out);
        return;
    }
    position.awaitsContents = false;
    if (LHRS_MUTANT(CreationMissesWrites) && !position.held.empty()) {
        position.applied = position.held.rbegin()->first;
        position.held.clear();
    }
    applyWhatFollows(q, now, out);
    // This acknowledges what has been applied and also answers the block, so that the data bucket is certain to receive
    // it. Until then the data bucket withholds its EpochAck, and there may be no further Delta whose resend would ask.
    acknowledge(q, out, message.id());
}

void ParityBucket::reportWhenFilled(Time now, Effects& out)
{
    if (!m_isFilling)
        return;
    // The last block may have overtaken Deltas for ranks of earlier blocks. Until these arrive, the parity of those
    // ranks is older than the rest.
    const bool isFilled = std::none_of(m_positions.begin(), m_positions.end(),
        [](const PositionState& p) { return p.awaitsContents || p.applied < p.contentsLast; });
    if (!isFilled)
        return;
    m_isFilling = false;
    pb::Message done;
    done.set_incarnation(m_incarnation.value);
    auto* contentsDone = done.mutable_contents_done();
    contentsDone->set_incarnation(m_incarnation.value);
    contentsDone->set_group(m_group.value);
    contentsDone->set_column(m_column.value);
    contentsDone->set_records(m_store.recordGroups());
    m_context.tell(std::move(done), now, out);
    auto* event = out.event().mutable_parity_bucket_filled();
    event->set_records(m_store.recordGroups());
    event->set_bytes(m_fillBytes);
    m_fillTimes->sums(now, out).tell(*event);
    m_fillTimes.reset();
}

} // namespace lhrs
