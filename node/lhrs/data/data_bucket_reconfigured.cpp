// SPDX-License-Identifier: GPL-3.0-or-later
// A data bucket in reconfigurations: epochs of its group, both ends of a split, contents for a further parity bucket.
#include "common/lhrs/failpoint_list.h"
#include "node/lhrs/data/data_bucket.h"

#include <algorithm>

namespace lhrs {

bool DataBucket::isUpIn(const pb::View& view) const
{
    return std::any_of(view.members().begin(), view.members().end(), [this](const pb::Member& member) {
        return member.role() == pb::DATA && member.holder().incarnation() == incarnation().value
            && member.state() == pb::UP;
    });
}

void DataBucket::onEpoch(const pb::Message& message, Time now, Effects& out)
{
    const pb::View& view = message.epoch().view();
    if (view.group() != m_parts.group.value || out.fires(Failpoint::EpochTakenLate))
        return; // late: for the place that this process held before
    if (Epoch(view.epoch()) < m_link.epoch()) {
        // A newer epoch overtook it. The sender must get an answer, or it would wait forever; but only after the newer
        // epoch is acknowledged.
        if (!m_owedEpochAck)
            NodeContext::acknowledge(message, out);
        return;
    }
    if (Epoch(view.epoch()) > m_link.epoch()) {
        m_view = view;
        takeView(now);
        if (m_state == pb::RECOVERING && isUpIn(view)) // enabled, under its new incarnation
            become(pb::UP, "recovered, and the former holder of its place is fenced", out);
        std::map<ParityColumn, bool> wasUp;
        for (const auto& [p, column] : m_link.columns())
            wasUp[p] = column.isUp;
        m_link.setView(view, now, out);
        m_owedEpochAck = std::make_unique<OwedEpochAck>();
        // Acknowledged only when a new parity bucket has all changes so far. The other parity buckets must have them as
        // well: the new one has no Deltas of the changes that came with the contents. So it could not copy them to one
        // that lacks them at a cut.
        // A column that was new in an earlier epoch, which is not acknowledged yet, is not whole yet either.
        const bool isOneNew = std::any_of(m_link.columns().begin(), m_link.columns().end(),
            [&](const auto& item) { return item.second.isUp && (!wasUp[item.first] || !item.second.isWhole()); });
        for (const auto& [p, column] : m_link.columns()) {
            if (column.isUp && isOneNew)
                m_owedEpochAck->wanted[p] = m_link.sequence();
        }
        // A sender of contents ends with the parity bucket that asked for them.
        std::erase_if(m_contents, [&](const auto& item) {
            const bool isThere = std::any_of(m_link.columns().begin(), m_link.columns().end(),
                [&](const auto& c) { return c.second.holder.incarnation == item.first; });
            if (!isThere)
                item.second->stop();
            return !isThere;
        });
    } else if (!m_owedEpochAck) {
        m_owedEpochAck = std::make_unique<OwedEpochAck>(); // asked again: the acknowledgement was lost
    }
    m_owedEpochAck->epoch = message;
    if (m_state == pb::UP && view.state() != pb::GROUP_FROZEN)
        workOff(now, out);
    progress(now, out);
}

// ---- split

void DataBucket::onSplit(const pb::Message& message, Time now, Effects& out)
{
    const pb::Split& order = message.split();
    if (order.split() <= m_lastSplit || order.source() != number().value || order.level() != m_level + 1) {
        NodeContext::acknowledge(message, out); // a late copy
        return;
    }
    // The last split may be finished for all others while the acknowledgement of a parity bucket is still on its way
    // here. Then the order is not acknowledged, so it is resent.
    if (m_state != pb::UP || m_source || m_merge)
        return;
    NodeContext::acknowledge(message, out);
    m_lastSplit = order.split();
    m_parts.context.locations[BucketNumber(order.target())] = HolderInfo::from(order.target_holder());
    m_source = std::make_unique<SplitSource>(order, false);
    m_source->begin(m_parts, out);
    progress(now, out);
}

void DataBucket::copyAhead(Time now, Effects& out)
{
    m_source->copy(m_parts, now, out);
    if (!m_source->isCaughtUp(m_parts))
        return;
    if (m_state == pb::UP)
        become(pb::SPLITTING, "most is copied; changes wait for the rest and the decision", out);
    if (m_link.isIdle())
        m_source->close(m_parts, now, out);
}

void DataBucket::onMerge(const pb::Message& message, Time now, Effects& out)
{
    const pb::Split& order = message.merge();
    const bool isSource = order.source() == number().value;
    if (order.split() <= m_lastSplit || (!isSource && order.target() != number().value) || order.level() != m_level) {
        NodeContext::acknowledge(message, out); // a late copy
        return;
    }
    if (m_state != pb::UP || m_source || m_merge)
        return; // as for a split: the order is resent
    NodeContext::acknowledge(message, out);
    m_lastSplit = order.split();
    if (isSource) {
        m_source = std::make_unique<SplitSource>(order, true);
        m_source->begin(m_parts, out);
        become(pb::MERGING, "ordered to give its records back; changes wait", out);
    } else {
        m_merge = std::make_unique<MergeTarget>(order);
        become(pb::MERGING, "ordered to take the records of the last bucket back; changes wait", out);
    }
    progress(now, out);
}

void DataBucket::endMerge(Time now, Effects& out)
{
    const BucketNumber gone(m_merge->order().source());
    m_merge.reset();
    m_parts.context.locations.erase(gone);
    m_asked.erase(gone);
    m_underflowBelow = underflow();
    become(pb::UP, "it has the records of the last bucket, and all parity buckets know", out);
    // Requests to be forwarded to the bucket that is gone belong here now, and the others may need another route than
    // by the old level.
    for (auto& [bucket, parked] : m_parked)
        m_held.push_back(std::move(parked));
    m_parked.clear();
    m_scans.forget(gone);
    workOff(now, out);
    reportOverload(now, out);
    reportUnderflow(now, out);
}

void DataBucket::displace(const pb::KeyRequest& request, Effects& out) const
{
    sayDisplaced(Address::from(request.client()), request.request(), request.target(), request.incarnation(),
        request.copy(), out);
    const auto forwarder = m_parts.context.locations.find(BucketNumber(request.forwarder()));
    if (request.forwards() > 0 && forwarder != m_parts.context.locations.end())
        sayDisplaced(
            forwarder->second.address, request.request(), request.target(), request.incarnation(), request.copy(), out);
}

void DataBucket::onDisplaced(const pb::Message& message)
{
    const pb::Displaced& displaced = message.displaced();
    // This bucket forwarded a request to one that is gone; next time it asks the coordinator for the location.
    const auto known = m_parts.context.locations.find(BucketNumber(displaced.bucket()));
    if (known != m_parts.context.locations.end() && known->second.incarnation.value == displaced.incarnation())
        m_parts.context.locations.erase(known);
}

void DataBucket::onMoveRecords(const pb::Message& message, Time now, Effects& out)
{
    // A late block of an undone split that was to create this bucket before must not be taken.
    const pb::MoveRecords& move = message.move_records();
    if (m_state != pb::UP && !hasRoomFor(move))
        return;
    if (m_merge && move.split() == m_merge->order().split()) {
        m_merge->onMoveRecords(message, out);
        progress(now, out);
        return;
    }
    if (move.target() != number().value || move.split() != m_creation || move.level() != m_level)
        return;
    if (m_state != pb::INIT) { // decided meanwhile: a late copy of a block
        NodeContext::acknowledge(message, out);
        return;
    }
    if (!m_target)
        m_target = std::make_unique<SplitTarget>();
    m_target->onMoveRecords(m_parts, message, now, out);
    progress(now, out);
}

void DataBucket::applied(const pb::Message& cause, std::uint64_t split, Effects& out) const
{
    pb::Message& message = out.send(Address::from(cause.from()), Way::Auto, 0, NodeId(cause.sender()));
    message.set_answers(cause.id());
    auto* applied = message.mutable_applied();
    applied->set_split(split);
    applied->set_role(pb::DATA);
    applied->set_number(number().value);
    applied->set_bucket(number().value);
}

void DataBucket::onCommit(const pb::Message& message, Time now, Effects& out)
{
    const pb::Commit& commit = message.commit();
    if (m_target && m_target->split() == commit.split()) {
        applied(message, commit.split(), out);
        if (m_state != pb::INIT)
            return;
        LHRS_CHECK(m_target->isPrepared()); // the coordinator decides only when both ends have prepared
        m_level = m_target->level();
        m_link.decideBatch(commit.split(), now);
        auto* event = out.event().mutable_split_applied();
        event->set_split(commit.split());
        event->set_level(m_level);
        event->set_count(m_store.count());
        event->set_sequence(m_target->batchSequence());
        become(pb::UP, "the split that creates it is committed", out);
        workOff(now, out);
        reportOverload(now, out);
        progress(now, out);
        return;
    }
    if (m_source && m_source->order().split() == commit.split() && !m_source->isCommitted()) {
        m_level = m_source->order().level();
        m_source->commit(m_parts, now, out);
        applied(message, commit.split(), out);
        if (m_source->isMerge()) { // the last bucket stops
            m_isGone = true;
            workOff(now, out);
        }
        progress(now, out);
        return;
    }
    if (m_merge && m_merge->order().split() == commit.split() && !m_merge->isCommitted()) {
        LHRS_CHECK(m_merge->isPrepared());
        m_level = m_merge->level();
        m_merge->commit(m_parts, now, out);
        applied(message, commit.split(), out);
        progress(now, out);
        return;
    }
    applied(message, commit.split(), out); // done before
}

void DataBucket::onAbort(const pb::Message& message, Time now, Effects& out)
{
    applied(message, message.abort().split(), out);
    if (m_source && m_source->order().split() == message.abort().split() && !m_source->isCommitted()) {
        m_source->abort(m_parts, now);
        m_source.reset();
        become(pb::UP, m_state == pb::MERGING ? "the merge was undone" : "the split was undone", out);
        workOff(now, out);
        if (m_store.count() <= m_config.b())
            rearmOverload(m_config.b());
        reportOverload(now, out); // a report that was sent before is still owed
    }
    if (m_merge && m_merge->order().split() == message.abort().split() && !m_merge->isCommitted()) {
        m_merge->abort(m_parts, now);
        m_merge.reset();
        become(pb::UP, "the merge was undone", out);
        workOff(now, out);
    }
    if (m_target && m_target->split() == message.abort().split())
        m_target->stop(m_parts);
    m_lastSplit = std::max<std::uint64_t>(m_lastSplit, message.abort().split());
    progress(now, out);
}

void DataBucket::onFinish(const pb::Message& message, Time now, Effects& out)
{
    if (!m_source || m_source->order().split() != message.finish().split()) {
        NodeContext::acknowledge(message, out); // a late copy
        return;
    }
    // All parity buckets have told the coordinator that they have the batch, but their acknowledgements to this bucket
    // may still be on their way. Finish is acknowledged only after those, so that no other split is ordered before.
    m_owedFinish = std::make_unique<pb::Message>(message);
    progress(now, out);
}

// ---- restart of the coordinator

void DataBucket::report(pb::StateReport& out) const
{
    out.set_role(pb::DATA);
    out.set_number(number().value);
    out.set_incarnation(incarnation().value);
    out.set_state(m_state);
    out.set_level(m_level);
    *out.mutable_view() = m_view;
    *out.mutable_config() = m_config;
    for (const auto& [p, column] : m_link.columns()) {
        if (column.isUp && !column.isWhole())
            out.add_lacking(column.holder.incarnation.value);
    }
    if (m_source) {
        auto* split = out.add_splits();
        split->set_split(m_source->order().split());
        split->set_source(number().value);
        split->set_target(m_source->order().target());
        split->set_level(m_source->order().level());
        split->set_bucket(number().value);
        split->set_is_merge(m_source->isMerge());
        split->set_step(m_source->isCommitted() ? pb::OpenSplit::COMMITTED
                : m_source->isPrepared()        ? pb::OpenSplit::PREPARED
                                                : pb::OpenSplit::ORDERED);
    }
    if (m_merge) {
        auto* split = out.add_splits();
        split->set_split(m_merge->order().split());
        split->set_source(m_merge->order().source());
        split->set_target(number().value);
        split->set_level(m_merge->order().level());
        split->set_bucket(number().value);
        split->set_is_merge(true);
        split->set_step(m_merge->isCommitted() ? pb::OpenSplit::COMMITTED
                : m_merge->isPrepared()        ? pb::OpenSplit::PREPARED
                                               : pb::OpenSplit::ORDERED);
    }
    if (m_creation != 0) {
        auto* split = out.add_splits();
        split->set_split(m_creation);
        split->set_source(number().value - (1u << (m_createdLevel - 1)));
        split->set_target(number().value);
        split->set_level(m_createdLevel);
        split->set_bucket(number().value);
        split->set_step(m_state != pb::INIT          ? pb::OpenSplit::COMMITTED
                : m_target && m_target->isPrepared() ? pb::OpenSplit::PREPARED
                                                     : pb::OpenSplit::ORDERED);
    }
}

void DataBucket::onRearm(const pb::Message& message, Time now, Effects& out)
{
    NodeContext::acknowledge(message, out);
    // The former coordinator may have taken this bucket's report with it. A report that still waits for its
    // acknowledgement goes to the new coordinator. (With a count, the message is load control's answer to a report that
    // did arrive.)
    const std::uint32_t count = message.rearm().count();
    if (count == 0
        && m_parts.context.acks.any([](const AckList::Entry& entry) { return entry.message.has_overload(); }))
        return;
    rearmOverload(std::max(m_config.b(), std::max(count, 1u) - 1));
    if (m_state == pb::UP)
        reportOverload(now, out);
}

// ---- a further parity bucket

void DataBucket::onSendContents(const pb::Message& message, Time now, Effects& out)
{
    const pb::SendContents& order = message.send_contents();
    if (Epoch(order.epoch()) > m_link.epoch())
        return; // it is asked again; this bucket's new epoch is on its way
    NodeContext::acknowledge(message, out);
    const ParityLink::Column* const column = m_link.column(ParityColumn(order.column()));
    if (column == nullptr || column->holder.incarnation != Incarnation(order.incarnation()))
        return;
    auto& sender = m_contents[Incarnation(order.incarnation())];
    if (sender)
        return;
    sender = std::make_unique<ContentsSender>(m_parts.context, order, column->holder);
    sender->sendBlocks(
        { m_parts.group, m_parts.position, incarnation(), m_level }, m_store, m_results, m_link.sequence(), now, out);
}

} // namespace lhrs
