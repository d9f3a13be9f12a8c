// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/file_merge.h"

namespace lhrs {

FileMerge::FileMerge(CoordinatorParts& parts, std::uint64_t split, std::uint64_t ticket, Time now)
    : m_parts(parts), m_split(split), m_ticket(ticket), m_started(now), m_source(parts.file.buckets() - 1),
      m_target(retreatMerge(parts.file.image()).n), m_level(retreatMerge(parts.file.image()).i + 1), m_orders(parts)
{
}

std::string FileMerge::words() const
{
    return "merging bucket " + std::to_string(m_source.value) + " into " + std::to_string(m_target.value);
}

void FileMerge::setStates(pb::MemberState state)
{
    for (const BucketNumber bucket : { m_source, m_target }) {
        FileState::MemberInfo* member = m_parts.file.data(bucket);
        if (member && !member->hasFailed())
            member->state = state;
    }
}

void FileMerge::order(BucketNumber to, Time now, Effects& out)
{
    FileState& file = m_parts.file;
    pb::Message message;
    auto* merge = message.mutable_merge();
    merge->set_split(m_split);
    merge->set_source(m_source.value);
    merge->set_target(m_target.value);
    merge->set_level(m_level);
    file.data(m_target)->holder.to(*merge->mutable_target_holder());
    m_orders.send(std::move(message), file.data(to)->holder, now, out);
}

void FileMerge::start(Time now, Effects& out)
{
    m_limit = now + m_parts.stagingLimit();
    setStates(pb::MERGING);
    auto* event = out.event().mutable_merge_ordered();
    event->set_split(m_split);
    event->set_bucket(m_source.value);
    event->set_into(m_target.value);
    event->set_level(m_level);
    order(m_target, now, out); // first, so that it expects the records
}

void FileMerge::resume(bool isDecided, Time now, Effects& out)
{
    setStates(pb::MERGING);
    m_step = Step::Stage;
    if (isDecided)
        commitSource(now, out);
    else
        undo("the coordinator was started anew before all had prepared", now, out);
}

void FileMerge::commit(BucketNumber bucket, Time now, Effects& out)
{
    FileState& file = m_parts.file;
    pb::Message message;
    auto* commit = message.mutable_commit();
    commit->set_split(m_split);
    commit->set_bucket(bucket.value);
    commit->mutable_file()->set_i(file.image().i);
    commit->mutable_file()->set_n(file.image().n);
    m_orders.send(message, file.data(bucket), now, out);
    for (const auto& [p, member] : file.group(file.groupOf(bucket)).parity)
        m_orders.send(message, &member, now, out);
    advance(now, out);
}

void FileMerge::commitSource(Time now, Effects& out)
{
    // This is the decision. From here on the merge is finished, whatever happens.
    m_step = Step::CommitSource;
    m_limit = Time::max();
    FileState& file = m_parts.file;
    file.commitMerge();
    file.data(m_target)->level = m_level - 1;
    m_isNewlyDecided = true;
    auto* event = out.event().mutable_merge_committed();
    event->set_split(m_split);
    event->set_bucket(m_source.value);
    event->set_into(m_target.value);
    event->mutable_file()->set_i(file.image().i);
    event->mutable_file()->set_n(file.image().n);
    commit(m_source, now, out);
}

void FileMerge::release(Time now, Effects& out)
{
    // The last bucket becomes a spare again. If its group has no other data bucket, so do the group's parity buckets.
    m_step = Step::Release;
    const GroupNumber g = m_parts.file.groupOf(m_source);
    FileState::Group& group = m_parts.file.group(g);
    const Position q = positionOf(m_source, m_parts.file.config().m());
    const auto cancel = [&](const FileState::MemberInfo& member) {
        // A member that does not get this Cancel gets another when it next says Alive.
        pb::Message message;
        message.mutable_cancel()->set_incarnation(member.holder.incarnation.value);
        if (!member.hasFailed())
            m_parts.acks.send(std::move(message), member.holder.address, member.holder.node, Way::Auto,
                AckList::Patience::GiveUp, PlainOrder, now, out);
    };
    cancel(group.data.at(q));
    group.data.erase(q);
    if (group.data.empty()) {
        for (const auto& [p, member] : group.parity)
            cancel(member);
        m_parts.file.erase(g);
    } else {
        group.epoch = group.epoch.next();
        m_orders.sendEpoch(g, now, out);
        m_parts.announceEpoch(g, "its last bucket was merged into another", out);
    }
    advance(now, out);
}

void FileMerge::undo(std::string reason, Time now, Effects& out)
{
    m_limit = Time::max();
    m_undoReason = std::move(reason);
    m_orders.forget();
    m_step = Step::Undo;
    for (const BucketNumber bucket : { m_source, m_target }) {
        pb::Message message;
        message.mutable_abort()->set_split(m_split);
        message.mutable_abort()->set_bucket(bucket.value);
        message.mutable_abort()->set_reason(m_undoReason);
        m_orders.send(message, m_parts.file.data(bucket), now, out);
        for (const auto& [p, member] : m_parts.file.group(m_parts.file.groupOf(bucket)).parity)
            m_orders.send(message, &member, now, out);
    }
    advance(now, out);
}

void FileMerge::onFailed(Time now, Effects& out)
{
    if (isOver())
        return;
    m_orders.forgetFailed();
    if (isDecided() || m_step == Step::Undo)
        advance(now, out);
    else
        undo("a member of its groups failed", now, out);
}

bool FileMerge::isSettled(GroupNumber g) const
{
    // From Settle on all members have the commits.
    if (!concerns(g) || isOver() || m_step == Step::Settle || m_step == Step::Release)
        return true;
    // The source failed after the decision: its parity buckets have the commit, and the target waits for the fence.
    return m_step == Step::CommitSource && g == m_parts.file.groupOf(m_source) && m_orders.areDone();
}

void FileMerge::advance(Time now, Effects& out)
{
    if (!m_orders.areDone())
        return;
    switch (m_step) {
    case Step::Tell:
        m_step = Step::Stage;
        order(m_source, now, out);
        return;
    case Step::Stage:
        if (m_isSourcePrepared && m_isTargetPrepared)
            commitSource(now, out);
        return;
    case Step::CommitSource: {
        // A failed source may still answer reads under its lease, so the target takes over its keys only when the lease
        // has run out. (A target that failed too answers nothing before its group is recovered, and that waits for this
        // step.)
        const FileState::MemberInfo* source = m_parts.file.data(m_source);
        if (source->hasFailed() && !source->isFenced && !m_parts.file.data(m_target)->hasFailed())
            return;
        m_step = Step::CommitTarget;
        commit(m_target, now, out);
        return;
    }
    case Step::CommitTarget:
        m_step = Step::Settle;
        setStates(pb::UP);
        [[fallthrough]];
    case Step::Settle:
        if (m_parts.file.isWell(m_parts.file.groupOf(m_source)))
            release(now, out);
        return;
    case Step::Release: done(now, out); return;
    case Step::Undo: {
        m_step = Step::Undone;
        setStates(pb::UP);
        auto* event = out.event().mutable_merge_undone();
        event->set_split(m_split);
        event->set_bucket(m_source.value);
        event->set_into(m_target.value);
        event->set_reason(m_undoReason);
        return;
    }
    case Step::Done:
    case Step::Undone: return;
    }
}

void FileMerge::done(Time now, Effects& out)
{
    m_step = Step::Done;
    auto* event = out.event().mutable_merge_finished();
    event->set_split(m_split);
    event->set_bucket(m_source.value);
    event->set_into(m_target.value);
    event->set_level(m_level - 1);
    event->set_moved(m_moved);
    event->set_total_ns((now - m_started).count());
    pb::CommandReply reply;
    auto* result = reply.mutable_merge();
    result->set_bucket(m_source.value);
    result->set_into(m_target.value);
    result->set_level(m_level - 1);
    result->set_moved(m_moved);
    result->set_total_ns((now - m_started).count());
    m_parts.answer(m_ticket, reply, out);
}

// ---- incoming messages

void FileMerge::onPrepared(const pb::Prepared& prepared, Time now, Effects& out)
{
    if (m_split != prepared.split() || m_step != Step::Stage)
        return;
    if (prepared.bucket() == m_source.value) {
        m_isSourcePrepared = true;
        m_moved = prepared.moved();
    } else if (prepared.bucket() == m_target.value) {
        m_isTargetPrepared = true;
    }
    advance(now, out);
}

void FileMerge::onAcknowledged(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_orders.onAcknowledged(entry))
        advance(now, out);
}

void FileMerge::onTime(Time now, Effects& out)
{
    if (m_limit <= now && (m_step == Step::Tell || m_step == Step::Stage)) {
        m_parts.onLimitPassed();
        undo("staging took longer than its limit", now, out);
    }
    if (m_step == Step::CommitSource || m_step == Step::Settle)
        advance(now, out);
}

} // namespace lhrs
