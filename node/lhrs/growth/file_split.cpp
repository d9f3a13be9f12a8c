// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/file_split.h"

#include "common/failpoints.h"

#include <algorithm>

namespace lhrs {

FileSplit::FileSplit(CoordinatorParts& parts, const Plan& plan, Time now)
    : m_parts(parts), m_split(plan.split), m_ticket(plan.ticket), m_started(now),
      m_source(plan.before.n + (LHRS_MUTANT(CommitsOutOfOrder) && plan.before.n + 1 < (1U << plan.before.i) ? 1 : 0)),
      m_target(m_source.value + (1U << plan.before.i)), m_level(plan.before.i + 1),
      m_group(parts.file.groupOf(m_target)), m_isNewGroup(m_target.value % parts.file.config().m() == 0),
      m_isOrdered(plan.isAlone), m_hasTurn(plan.isAlone), m_enlistment(parts), m_orders(parts)
{
}

std::string FileSplit::words() const
{
    return "splitting bucket " + std::to_string(m_source.value) + " into " + std::to_string(m_target.value);
}

void FileSplit::start(Time now, Effects& out)
{
    std::vector<Enlistment::Place> places;
    places.push_back(
        { .role = pb::DATA, .number = m_target.value, .level = m_level, .state = pb::INIT, .split = m_split });
    if (m_isNewGroup) {
        for (std::uint32_t p = 0; p < m_parts.file.availability(); ++p)
            places.push_back(
                { .role = pb::PARITY, .number = m_group.value, .column = p, .state = pb::UP, .split = m_split });
    }
    m_enlistment.start(m_group, std::move(places), m_isNewGroup, words(), now, out);
}

void FileSplit::resume(bool isDecided, Time now, Effects& out)
{
    std::vector<Enlistment::Member> members;
    const FileState::Group& group = m_parts.file.group(m_group);
    if (const FileState::MemberInfo* target = m_parts.file.data(m_target)) {
        members.push_back(
            { { .role = pb::DATA, .number = m_target.value, .level = m_level, .state = pb::INIT, .split = m_split }, 0,
                target->holder });
    }
    if (m_isNewGroup) {
        for (const auto& [p, member] : group.parity)
            members.push_back(
                { { .role = pb::PARITY, .number = m_group.value, .column = p.value, .state = pb::UP, .split = m_split },
                    0, member.holder });
    }
    m_enlistment.adopt(m_group, std::move(members));
    m_step = Step::Stage;
    if (isDecided)
        commitSource(now, out);
    else
        doom("the coordinator was started anew before all had prepared");
}

bool FileSplit::onOffer(const pb::Message& message, Time now, Effects& out)
{
    return m_enlistment.onOffer(message, now, out);
}

void FileSplit::tell(Time now, Effects& out)
{
    m_step = Step::Tell;
    m_orders.sendEpoch(m_group, now, out, [this](const HolderInfo& holder) { return m_enlistment.has(holder); });
    advance(now, out);
}

void FileSplit::order(Time now, Effects& out)
{
    m_isOrdered = true;
    if (m_step == Step::Told && !m_isDoomed)
        stage(now, out);
}

void FileSplit::takeTurn(Time now, Effects& out)
{
    m_hasTurn = true;
    if (m_step == Step::Stage)
        advance(now, out);
}

void FileSplit::stage(Time now, Effects& out)
{
    m_step = Step::Stage;
    m_limit = now + m_parts.stagingLimit();
    FileState& file = m_parts.file;
    file.data(m_source)->state = pb::SPLITTING;
    pb::Message message;
    auto* split = message.mutable_split();
    split->set_split(m_split);
    split->set_source(m_source.value);
    split->set_target(m_target.value);
    split->set_level(m_level);
    file.data(m_target)->holder.to(*split->mutable_target_holder());
    m_orders.send(std::move(message), file.data(m_source)->holder, now, out);
    auto* event = out.event().mutable_split_ordered();
    event->set_split(m_split);
    event->set_bucket(m_source.value);
    event->set_new_bucket(m_target.value);
    event->set_level(m_level);
}

void FileSplit::commit(BucketNumber bucket, Time now, Effects& out)
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
        if (!LHRS_MUTANT(TargetParityForgotten) || bucket != m_target)
            m_orders.send(message, &member, now, out);
    advance(now, out);
}

void FileSplit::commitSource(Time now, Effects& out)
{
    // This is the decision. From here on the split is finished, whatever happens.
    m_step = Step::CommitSource;
    m_limit = Time::max();
    FileState& file = m_parts.file;
    file.commitSplit();
    file.data(m_source)->level = m_level;
    m_isNewlyDecided = true;
    if (m_isNewGroup) {
        FileState::Group& group = file.group(m_group);
        // A coordinator that resumes the split may know of columns that have failed since; they are created anew.
        group.k = std::max(group.k, std::uint32_t(group.parity.size()));
    }
    auto* event = out.event().mutable_split_committed();
    event->set_split(m_split);
    event->set_bucket(m_source.value);
    event->set_new_bucket(m_target.value);
    event->mutable_file()->set_i(file.image().i);
    event->mutable_file()->set_n(file.image().n);
    commit(m_source, now, out);
    if (LHRS_MUTANT(TargetCommittedFirst))
        commit(m_target, now, out);
}

void FileSplit::commitTarget(Time now, Effects& out)
{
    // Only after the source has let go of the records, so that a key is never in two authoritative buckets.
    m_step = Step::CommitTarget;
    commit(m_target, now, out);
}

void FileSplit::finish(Time now, Effects& out)
{
    m_step = Step::Finish;
    for (const BucketNumber bucket : { m_source, m_target }) {
        if (!m_parts.file.data(bucket)->hasFailed())
            m_parts.file.data(bucket)->state = pb::UP;
    }
    pb::Message message;
    message.mutable_finish()->set_split(m_split);
    m_orders.send(std::move(message), m_parts.file.data(m_source), now, out);
    advance(now, out);
}

// ---- undoing an undecided split

void FileSplit::doom(const std::string& reason)
{
    if (m_isDoomed || (isDecided() && !LHRS_MUTANT(AbortAfterCommit)) || isUndoing() || isOver())
        return;
    m_isDoomed = true;
    m_undoReason = reason;
    m_limit = Time::max();
}

void FileSplit::undo(Time now, Effects& out)
{
    m_orders.forget();
    if (m_step == Step::Recruit) { // no other member was told of it
        m_step = Step::Cancel;
        m_enlistment.stop(now, out);
        if (m_isNewGroup)
            m_parts.file.erase(m_group);
        undone(out);
        return;
    }
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

void FileSplit::cancel(Time now, Effects& out)
{
    m_step = Step::Cancel;
    m_enlistment.stop(now, out); // not waited for: one of them may be the reason for the undo
    if (FileState::MemberInfo* source = m_parts.file.data(m_source); source && source->state == pb::SPLITTING)
        source->state = pb::UP;
    FileState::Group& group = m_parts.file.group(m_group);
    if (group.data.empty()) {
        m_parts.file.erase(m_group);
    } else {
        group.epoch = group.epoch.next();
        m_orders.sendEpoch(m_group, now, out);
        m_parts.announceEpoch(m_group, "the member that was to be added is not", out);
    }
    advance(now, out);
}

// ---- failures

void FileSplit::onFailed(Time now, Effects& out)
{
    if (isOver())
        return;
    m_orders.forgetFailed();
    if ((isDecided() && !LHRS_MUTANT(AbortAfterCommit)) || isUndoing())
        advance(now, out);
    else
        doom("a member of its groups failed");
}

bool FileSplit::isSettled(GroupNumber g) const
{
    // At Finish all members have the commit. The source may wait for the acknowledgement of a parity bucket that is
    // gone; the epoch of the recovery tells it so.
    if (!concerns(g) || isOver() || m_step == Step::Finish)
        return true;
    // The source failed after the decision: its parity buckets have the commit, and the target waits for the fence.
    return m_step == Step::CommitSource && g == m_parts.file.groupOf(m_source) && m_orders.areDone();
}

// ---- moving on

void FileSplit::advance(Time now, Effects& out)
{
    if (!m_orders.areDone() || (m_isDoomed && !isUndoing()))
        return;
    switch (m_step) {
    case Step::Recruit:
        if (m_enlistment.isConfirmed())
            tell(now, out);
        return;
    case Step::Tell:
        m_step = Step::Told;
        if (m_isOrdered)
            stage(now, out);
        return;
    case Step::Told: return;
    case Step::Stage:
        if (m_isSourcePrepared && m_isTargetPrepared && m_hasTurn)
            commitSource(now, out);
        return;
    case Step::CommitSource: {
        // A failed source may still answer reads under its lease, so the target answers only when the lease has run
        // out. (A target that failed too answers nothing before its group is recovered, and that waits for this step.)
        const FileState::MemberInfo* source = m_parts.file.data(m_source);
        if (!source->hasFailed() || source->isFenced || m_parts.file.data(m_target)->hasFailed())
            commitTarget(now, out);
        return;
    }
    case Step::CommitTarget: finish(now, out); return;
    case Step::Finish: done(now, out); return;
    case Step::Undo: cancel(now, out); return;
    case Step::Cancel: undone(out); return;
    case Step::Done:
    case Step::Undone: return;
    }
}

void FileSplit::done(Time now, Effects& out)
{
    m_step = Step::Done;
    if (m_isNewGroup) {
        auto* event = out.event().mutable_group_created();
        event->set_group(m_group.value);
        event->set_k(m_parts.file.group(m_group).k);
    }
    auto* event = out.event().mutable_split_finished();
    event->set_split(m_split);
    event->set_bucket(m_source.value);
    event->set_new_bucket(m_target.value);
    event->set_level(m_level);
    event->set_moved(m_moved);
    event->set_total_ns((now - m_started).count());
    pb::CommandReply reply;
    auto* result = reply.mutable_split();
    result->set_bucket(m_source.value);
    result->set_new_bucket(m_target.value);
    result->set_level(m_level);
    result->set_moved(m_moved);
    result->set_total_ns((now - m_started).count());
    m_parts.answer(m_ticket, reply, out);
}

void FileSplit::undone(Effects& out)
{
    m_step = Step::Undone;
    auto* event = out.event().mutable_split_undone();
    event->set_split(m_split);
    event->set_bucket(m_source.value);
    event->set_new_bucket(m_target.value);
    event->set_reason(m_undoReason);
}

void FileSplit::onPrepared(const pb::Prepared& prepared, Time now, Effects& out)
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

void FileSplit::onAcknowledged(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_enlistment.onAcknowledged(entry) || m_orders.onAcknowledged(entry))
        advance(now, out);
}

void FileSplit::onGivenUp(const AckList::Entry& entry, Time now, Effects& out)
{
    m_enlistment.onGivenUp(entry, now, out);
}

void FileSplit::onTime(Time now, Effects& out)
{
    m_enlistment.onTime(now, out);
    if (m_step == Step::CommitSource)
        advance(now, out);
    if (m_step == Step::Recruit && m_ticket != 0 && m_enlistment.isMissing()) {
        m_parts.refuse(m_ticket, pb::NO_SPARES,
            "no spare answers the invitation (" + words() + "); it goes on when one is added", out);
        m_ticket = 0;
    }
}

Time FileSplit::deadline() const { return std::min(m_limit, m_enlistment.deadline()); }

} // namespace lhrs
