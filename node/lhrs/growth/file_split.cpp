// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/file_split.h"

#include "common/failpoints.h"

#include <algorithm>

namespace lhrs {

namespace {

BucketNumber sourceOf(const FileImage& before)
{
    return BucketNumber(before.n + (LHRS_MUTANT(CommitsOutOfOrder) && before.n + 1 < (1U << before.i) ? 1 : 0));
}

} // namespace

FileSplit::FileSplit(CoordinatorParts& parts, const Plan& plan, Time now)
    : TwoPhaseCommit(parts, plan.split, plan.ticket, sourceOf(plan.before),
        BucketNumber(sourceOf(plan.before).value + (1U << plan.before.i)), plan.before.i + 1, now),
      m_group(parts.file.groupOf(m_target)), m_isNewGroup(m_target.value % parts.file.config().m() == 0),
      m_isOrdered(plan.isAlone), m_hasTurn(plan.isAlone), m_enlistment(parts)
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
    m_enlistment.tell(m_orders, now, out);
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
    m_parts.file.data(m_source)->state = pb::SPLITTING;
    pb::Message message;
    fillIn(*message.mutable_split());
    m_orders.send(std::move(message), m_parts.file.data(m_source)->holder, now, out);
    auto& event = named(out.event().mutable_split_ordered());
    event.set_new_bucket(m_target.value);
    event.set_level(m_level);
}

void FileSplit::commitSource(Time now, Effects& out)
{
    m_step = Step::CommitSource;
    FileState& file = m_parts.file;
    file.commitSplit();
    file.data(m_source)->level = m_level;
    if (m_isNewGroup) {
        FileState::Group& group = file.group(m_group);
        // A coordinator that resumes the split may know columns that have failed since; they are created anew.
        group.k = std::max(group.k, std::uint32_t(group.parity.size()));
    }
    tellDecided(out.event().mutable_split_committed()).set_new_bucket(m_target.value);
    sendCommit(m_source, now, out);
    if (LHRS_MUTANT(TargetCommittedFirst))
        sendCommit(m_target, now, out);
    advance(now, out);
}

void FileSplit::commitTarget(Time now, Effects& out)
{
    m_step = Step::CommitTarget;
    sendCommit(m_target, now, out);
    advance(now, out);
}

void FileSplit::finish(Time now, Effects& out)
{
    m_step = Step::Finish;
    setStates(pb::UP);
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
    if (m_step == Step::Recruit) { // no other member was told of the split
        m_step = Step::Cancel;
        m_enlistment.stop(now, out);
        if (m_isNewGroup)
            m_parts.file.erase(m_group);
        undone(out);
        return;
    }
    m_step = Step::Undo;
    sendAborts(now, out);
    advance(now, out);
}

void FileSplit::cancel(Time now, Effects& out)
{
    m_step = Step::Cancel;
    m_enlistment.stop(now, out); // not waited for: one of them may be the reason for the undo
    if (FileState::MemberInfo* source = m_parts.file.data(m_source); source && source->state == pb::SPLITTING)
        source->state = pb::UP;
    if (m_parts.file.group(m_group).data.empty())
        m_parts.file.erase(m_group);
    else
        m_orders.changeEpoch(m_group, "the member that was to be added is not", now, out);
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
    // At Finish all members have the commit. The source may be waiting for the acknowledgement of a parity bucket that
    // is no longer there; the epoch of the recovery tells it so.
    if (!concerns(g) || isOver() || m_step == Step::Finish)
        return true;
    return m_step == Step::CommitSource && isDoneAtSource(g);
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
        if (arePrepared() && m_hasTurn)
            commitSource(now, out);
        return;
    case Step::CommitSource:
        if (mayTellTarget())
            commitTarget(now, out);
        return;
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
    auto& event = summedUp(out.event().mutable_split_finished(), m_level, now);
    event.set_split(m_split);
    event.set_new_bucket(m_target.value);
    pb::CommandReply reply;
    summedUp(reply.mutable_split(), m_level, now).set_new_bucket(m_target.value);
    m_parts.answer(m_ticket, reply, out);
}

void FileSplit::undone(Effects& out)
{
    m_step = Step::Undone;
    auto& event = named(out.event().mutable_split_undone());
    event.set_new_bucket(m_target.value);
    event.set_reason(m_undoReason);
}

void FileSplit::onPrepared(const pb::Prepared& prepared, Time now, Effects& out)
{
    if (m_step == Step::Stage && takePrepared(prepared))
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
    if (m_step == Step::Recruit && m_enlistment.isMissing())
        m_enlistment.refuse(std::exchange(m_ticket, 0), out);
}

Time FileSplit::deadline() const { return std::min(m_limit, m_enlistment.deadline()); }

} // namespace lhrs
