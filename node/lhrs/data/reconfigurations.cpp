// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/reconfigurations.h"

#include <algorithm>

namespace lhrs {

namespace {

template <class End> pb::OpenSplit::Step stepOf(const End& end)
{
    return end.isCommitted() ? pb::OpenSplit::COMMITTED
        : end.isPrepared()   ? pb::OpenSplit::PREPARED
                             : pb::OpenSplit::ORDERED;
}

// A split or merge that this bucket knows of, in its report to a restarted coordinator.
void reportOpen(
    const BucketParts& bucket, const pb::Split& order, bool isMerge, pb::OpenSplit::Step step, pb::StateReport& out)
{
    auto* split = out.add_splits();
    split->set_split(order.split());
    split->set_source(order.source());
    split->set_target(order.target());
    split->set_level(order.level());
    split->set_bucket(bucket.number.value);
    split->set_is_merge(isMerge);
    split->set_step(step);
}

} // namespace

// ---- orders

bool Reconfigurations::takeOrder(const pb::Message& message, const pb::Split& order, bool isForUs, Effects& out)
{
    const bool isLate = order.split() <= m_last || !isForUs;
    // For all others the last split may be finished while the acknowledgement of a parity bucket is still on its way
    // here. In that case the order is not acknowledged, so it is resent.
    if (!isLate && (m_status.state != pb::UP || m_source || m_merge))
        return false;
    NodeContext::acknowledge(message, out);
    if (!isLate)
        m_last = order.split();
    return !isLate;
}

bool Reconfigurations::onSplit(const pb::Message& message, Effects& out)
{
    const pb::Split& order = message.split();
    if (!takeOrder(message, order, order.source() == m_bucket.number.value && order.level() == m_status.level + 1, out))
        return false;
    m_bucket.context.locations[BucketNumber(order.target())] = HolderInfo::from(order.target_holder());
    m_source = std::make_unique<SplitSource>(order, false);
    m_source->begin(m_bucket, out);
    return true;
}

bool Reconfigurations::onMerge(const pb::Message& message, Effects& out)
{
    const pb::Split& order = message.merge();
    const bool isSource = order.source() == m_bucket.number.value;
    if (!takeOrder(message, order,
            (isSource || order.target() == m_bucket.number.value) && order.level() == m_status.level, out))
        return false;
    if (isSource) {
        m_source = std::make_unique<SplitSource>(order, true);
        m_source->begin(m_bucket, out);
        m_status.become(pb::MERGING, "ordered to give its records back; changes wait", out);
    } else {
        m_merge = std::make_unique<MergeTarget>(order);
        m_status.become(pb::MERGING, "ordered to take the records of the last bucket back; changes wait", out);
    }
    return true;
}

bool Reconfigurations::onMoveRecords(const pb::Message& message, Time now, Effects& out)
{
    const pb::MoveRecords& move = message.move_records();
    if (m_merge && move.split() == m_merge->order().split()) {
        m_merge->onMoveRecords(message, out);
        return true;
    }
    // A late block of an earlier, undone split that was to create this bucket must not be accepted.
    if (move.target() != m_bucket.number.value || move.split() != m_creation || move.level() != m_status.level)
        return false;
    if (m_status.state != pb::INIT) { // decided in the meantime: this is a late copy of a block
        NodeContext::acknowledge(message, out);
        return false;
    }
    if (!m_target)
        m_target = std::make_unique<SplitTarget>();
    m_target->onMoveRecords(m_bucket, message, now, out);
    return true;
}

void Reconfigurations::onChange(Key key, Rank rank)
{
    if (m_source)
        m_source->onChange(m_bucket, key, rank);
}

void Reconfigurations::onAck(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_source)
        m_source->onAck(m_bucket, entry, now, out);
    if (m_target)
        m_target->onAck(m_bucket, entry, now, out);
    if (m_merge)
        m_merge->onAck(m_bucket, entry, now, out);
}

// ---- decisions

void Reconfigurations::applied(const pb::Message& cause, std::uint64_t split, Effects& out) const
{
    pb::Message& message = out.send(Address::from(cause.from()), Way::Auto, 0, NodeId(cause.sender()));
    message.set_answers(cause.id());
    auto* applied = message.mutable_applied();
    applied->set_split(split);
    applied->set_role(pb::DATA);
    applied->set_number(m_bucket.number.value);
    applied->set_bucket(m_bucket.number.value);
}

bool Reconfigurations::onCommit(const pb::Message& message, Time now, Effects& out)
{
    const std::uint64_t split = message.commit().split();
    if (m_target && m_target->split() == split) {
        applied(message, split, out);
        if (m_status.state != pb::INIT)
            return false;
        commitTarget(now, out);
        return true;
    }
    const bool isSource = m_source && m_source->order().split() == split && !m_source->isCommitted();
    const bool isMerge = m_merge && m_merge->order().split() == split && !m_merge->isCommitted();
    if (isSource) {
        m_status.level = m_source->order().level();
        m_source->commit(m_bucket, now, out);
        if (m_source->isMerge()) { // the last bucket stops working
            m_status.isGone = true;
            m_waiting.release();
        }
    } else if (isMerge) {
        LHRS_CHECK(m_merge->isPrepared());
        m_status.level = m_merge->level();
        m_merge->commit(m_bucket, now, out);
    }
    applied(message, split, out); // may have been done before
    return isSource || isMerge;
}

void Reconfigurations::commitTarget(Time now, Effects& out)
{
    LHRS_CHECK(m_target->isPrepared()); // the coordinator decides only when both ends have prepared
    m_status.level = m_target->level();
    m_bucket.link.decideBatch(m_target->split(), now);
    auto* event = out.event().mutable_split_applied();
    event->set_split(m_target->split());
    event->set_level(m_status.level);
    event->set_count(m_bucket.store.count());
    event->set_sequence(m_target->batchSequence());
    m_status.become(pb::UP, "the split that creates it is committed", out);
    m_waiting.release();
    m_load.onSplitEnded();
}

void Reconfigurations::onAbort(const pb::Message& message, Time now, Effects& out)
{
    const std::uint64_t split = message.abort().split();
    applied(message, split, out);
    if (m_source && m_source->order().split() == split && !m_source->isCommitted()) {
        m_source->abort(m_bucket, now);
        m_source.reset();
        m_status.become(pb::UP, m_status.state == pb::MERGING ? "the merge was undone" : "the split was undone", out);
        m_waiting.release();
        m_load.rearmIfFits();
        m_load.onSplitEnded(); // a report for which its split is still owed
    }
    if (m_merge && m_merge->order().split() == split && !m_merge->isCommitted()) {
        m_merge->abort(m_bucket, now);
        m_merge.reset();
        m_status.become(pb::UP, "the merge was undone", out);
        m_waiting.release();
    }
    if (m_target && m_target->split() == split)
        m_target->stop(m_bucket);
    m_last = std::max(m_last, split);
}

bool Reconfigurations::onFinish(const pb::Message& message, Effects& out)
{
    // All parity buckets have told the coordinator that they have the batch, but their acknowledgements to this bucket
    // may still be on their way. Finish is acknowledged only after those acknowledgements, so that no other split is
    // ordered before.
    if (!m_source || m_source->order().split() != message.finish().split()) {
        NodeContext::acknowledge(message, out); // a late copy
        return false;
    }
    m_owedFinish = message;
    return true;
}

// ---- steps

bool Reconfigurations::progress(Time now, Effects& out)
{
    const bool isIdle = m_bucket.link.isIdle();
    if (m_source && !m_source->isClosed()) {
        m_source->copy(m_bucket, now, out);
        if (m_source->isCaughtUp(m_bucket)) {
            if (m_status.state == pb::UP)
                m_status.become(pb::SPLITTING, "most is copied; changes wait for the rest and the decision", out);
            if (isIdle)
                m_source->close(m_bucket, now, out);
        }
    }
    if (m_merge && !m_merge->isCommitted())
        m_merge->progress(m_bucket, now, out);
    if (m_merge && m_merge->isCommitted() && isIdle) {
        endMerge(out);
        return false;
    }
    if (m_source && m_source->isCommitted() && m_status.state == pb::SPLITTING && isIdle) {
        m_status.become(pb::UP, "all parity buckets have the split", out);
        m_waiting.release();
        return false;
    }
    if (m_owedFinish && m_status.state == pb::UP && m_source->isCommitted()) {
        NodeContext::acknowledge(*m_owedFinish, out);
        m_owedFinish.reset();
        m_source.reset();
        m_load.rearm(m_bucket.config.b());
        m_load.onGrown();
    }
    return true;
}

void Reconfigurations::endMerge(Effects& out)
{
    const BucketNumber gone(m_merge->order().source());
    m_merge.reset();
    m_bucket.context.locations.erase(gone);
    m_load.rearmUnderflow();
    m_status.become(pb::UP, "it has the records of the last bucket, and all parity buckets know", out);
    // Requests that were to be forwarded to the removed bucket belong here now, and the others may need a different
    // route than at the old level.
    m_waiting.holdParked(gone);
    m_scans.forget(gone);
    m_waiting.release();
    m_load.onMergeEnded();
}

// ---- restart of the coordinator

void Reconfigurations::report(pb::StateReport& out) const
{
    if (m_source)
        reportOpen(m_bucket, m_source->order(), m_source->isMerge(), stepOf(*m_source), out);
    if (m_merge)
        reportOpen(m_bucket, m_merge->order(), true, stepOf(*m_merge), out);
    if (m_creation == 0)
        return;
    pb::Split creation;
    creation.set_split(m_creation);
    creation.set_source(m_bucket.number.value - (1u << (m_createdLevel - 1)));
    creation.set_target(m_bucket.number.value);
    creation.set_level(m_createdLevel);
    reportOpen(m_bucket, creation, false,
        m_status.state != pb::INIT               ? pb::OpenSplit::COMMITTED
            : m_target && m_target->isPrepared() ? pb::OpenSplit::PREPARED
                                                 : pb::OpenSplit::ORDERED,
        out);
}

void Reconfigurations::check() const
{
    LHRS_CHECK(m_status.state != pb::SPLITTING || m_source);
    LHRS_CHECK(m_status.state != pb::MERGING || m_source || m_merge);
}

} // namespace lhrs
