// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/file_merge.h"

namespace lhrs {

FileMerge::FileMerge(CoordinatorParts& parts, std::uint64_t split, std::uint64_t ticket, Time now)
    : TwoPhaseCommit(parts, split, ticket, BucketNumber(parts.file.buckets() - 1),
        BucketNumber(retreatMerge(parts.file.image()).n), retreatMerge(parts.file.image()).i + 1, now)
{
}

std::string FileMerge::words() const
{
    return "merging bucket " + std::to_string(m_source.value) + " into " + std::to_string(m_target.value);
}

void FileMerge::order(BucketNumber to, Time now, Effects& out)
{
    pb::Message message;
    fillIn(*message.mutable_merge());
    m_orders.send(std::move(message), m_parts.file.data(to)->holder, now, out);
}

void FileMerge::start(Time now, Effects& out)
{
    m_limit = now + m_parts.stagingLimit();
    setStates(pb::MERGING);
    auto& event = named(out.event().mutable_merge_ordered());
    event.set_into(m_target.value);
    event.set_level(m_level);
    order(m_target, now, out); // the target is ordered first, so that it expects the records
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

void FileMerge::commitSource(Time now, Effects& out)
{
    m_step = Step::CommitSource;
    m_parts.file.commitMerge();
    m_parts.file.data(m_target)->level = m_level - 1;
    tellDecided(out.event().mutable_merge_committed()).set_into(m_target.value);
    sendCommit(m_source, now, out);
    advance(now, out);
}

void FileMerge::release(Time now, Effects& out)
{
    // The last bucket becomes a spare again. If its group has no other data bucket, the parity buckets of the group
    // become spares too.
    m_step = Step::Release;
    const GroupNumber g = m_parts.file.groupOf(m_source);
    FileState::Group& group = m_parts.file.group(g);
    const Position q = positionOf(m_source, m_parts.file.config().m());
    const auto cancel = [&](const FileState::MemberInfo& member) {
        // A member that does not receive this Cancel is sent another one when its next Alive arrives.
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
        m_orders.changeEpoch(g, "its last bucket was merged into another", now, out);
    }
    advance(now, out);
}

void FileMerge::undo(std::string reason, Time now, Effects& out)
{
    m_limit = Time::max();
    m_undoReason = std::move(reason);
    m_orders.forget();
    m_step = Step::Undo;
    sendAborts(now, out);
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
    return m_step == Step::CommitSource && isDoneAtSource(g);
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
        if (arePrepared())
            commitSource(now, out);
        return;
    case Step::CommitSource:
        if (!mayTellTarget())
            return;
        m_step = Step::CommitTarget;
        sendCommit(m_target, now, out);
        advance(now, out);
        return;
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
        auto& event = named(out.event().mutable_merge_undone());
        event.set_into(m_target.value);
        event.set_reason(m_undoReason);
        return;
    }
    case Step::Done:
    case Step::Undone: return;
    }
}

void FileMerge::done(Time now, Effects& out)
{
    m_step = Step::Done;
    auto& event = summedUp(out.event().mutable_merge_finished(), m_level - 1, now);
    event.set_split(m_split);
    event.set_into(m_target.value);
    pb::CommandReply reply;
    summedUp(reply.mutable_merge(), m_level - 1, now).set_into(m_target.value);
    m_parts.answer(m_ticket, reply, out);
}

// ---- incoming messages

void FileMerge::onPrepared(const pb::Prepared& prepared, Time now, Effects& out)
{
    if (m_step == Step::Stage && takePrepared(prepared))
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
