// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/two_phase_commit.h"

#include "common/failpoints.h"

namespace lhrs {

void TwoPhaseCommit::fillIn(pb::Split& order) const
{
    order.set_split(m_split);
    order.set_source(m_source.value);
    order.set_target(m_target.value);
    order.set_level(m_level);
    m_parts.file.data(m_target)->holder.to(*order.mutable_target_holder());
}

bool TwoPhaseCommit::takePrepared(const pb::Prepared& prepared)
{
    if (m_split != prepared.split())
        return false;
    if (prepared.bucket() == m_source.value) {
        m_isSourcePrepared = true;
        m_moved = prepared.moved();
    } else if (prepared.bucket() == m_target.value) {
        m_isTargetPrepared = true;
    }
    return true;
}

void TwoPhaseCommit::sendAround(BucketNumber end, const pb::Message& message, Time now, Effects& out)
{
    FileState& file = m_parts.file;
    m_orders.send(message, file.data(end), now, out);
    for (const auto& [p, member] : file.group(file.groupOf(end)).parity) {
        if (!LHRS_MUTANT(TargetParityForgotten) || end != m_target || !message.has_commit())
            m_orders.send(message, &member, now, out);
    }
}

void TwoPhaseCommit::sendCommit(BucketNumber end, Time now, Effects& out)
{
    pb::Message message;
    auto* commit = message.mutable_commit();
    commit->set_split(m_split);
    commit->set_bucket(end.value);
    commit->mutable_file()->set_i(m_parts.file.image().i);
    commit->mutable_file()->set_n(m_parts.file.image().n);
    sendAround(end, message, now, out);
}

void TwoPhaseCommit::sendAborts(Time now, Effects& out)
{
    for (const BucketNumber end : { m_source, m_target }) {
        pb::Message message;
        message.mutable_abort()->set_split(m_split);
        message.mutable_abort()->set_bucket(end.value);
        message.mutable_abort()->set_reason(m_undoReason);
        sendAround(end, message, now, out);
    }
}

bool TwoPhaseCommit::mayTellTarget() const
{
    const FileState::MemberInfo* source = m_parts.file.data(m_source);
    return !source->hasFailed() || source->isFenced || m_parts.file.data(m_target)->hasFailed();
}

void TwoPhaseCommit::setStates(pb::MemberState state)
{
    for (const BucketNumber bucket : { m_source, m_target }) {
        FileState::MemberInfo* member = m_parts.file.data(bucket);
        if (member && !member->hasFailed())
            member->state = state;
    }
}

} // namespace lhrs
