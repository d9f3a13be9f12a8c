// SPDX-License-Identifier: GPL-3.0-or-later
// Finds out which members of a group are alive: all are probed; a silent one is declared failed or is waited for.
#include "node/lhrs/coordinator/group_recovery.h"

#include "common/lhrs/failpoint_list.h"
#include "common/lhrs/failure_reasons.h"
#include "node/lhrs/growth/growth.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr Time kBetweenProbings = 250ms; // time between probings while the recovery waits for members

} // namespace

void GroupRecovery::probe(Time now, Effects& out)
{
    if (m_isProbing || m_step == Step::Bury || m_step == Step::Renew)
        return;
    m_isProbing = true;
    m_probing = std::uint64_t(now.count()) + 1;
    m_tries = 0;
    m_silent.clear();
    for (const auto& [q, member] : group().data) {
        if (!member.hasFailed())
            m_silent[{ pb::DATA, q.value }] = { member.holder };
    }
    for (const auto& [p, member] : group().parity) {
        if (!member.hasFailed())
            m_silent[{ pb::PARITY, p.value }] = { member.holder };
    }
    if (m_enlistment && m_enlistment->isConfirmed()) {
        for (const Enlistment::Member& spare : m_enlistment->members())
            m_silent[{ pb::NO_ROLE, spare.place.number }] = { spare.holder, false };
    }
    sendProbes(now, out);
}

void GroupRecovery::sendProbes(Time now, Effects& out)
{
    ++m_tries;
    m_nextProbe = now + m_parts.probePace.interval(now);
    for (const auto& [id, probed] : m_silent)
        if (!out.fires(Failpoint::ProbeLeftOut))
            out.send(probed.holder.address, Way::Auto, m_tries - 1, probed.holder.node)
                .mutable_probe()
                ->set_number(m_probing);
}

void GroupRecovery::onProbeReply(const pb::ProbeReply& reply, NodeId from, Time now, Effects& out)
{
    const auto isOf = [&](const auto& item) {
        return item.second.holder.node == from && item.second.holder.incarnation.value == reply.incarnation();
    };
    if (std::any_of(group().data.begin(), group().data.end(), isOf)
        || std::any_of(group().parity.begin(), group().parity.end(), isOf))
        m_parts.probePace.onAnswer(Time(reply.probing()), m_step == Step::Wait || m_step == Step::Lost, now);
    if (reply.probing() != m_probing)
        return; // a late reply: the process may have failed since then
    if (m_step == Step::Bury) {
        refuseBurial(reply, from, out);
        return;
    }
    const auto found = std::find_if(m_silent.begin(), m_silent.end(), isOf);
    if (!m_isProbing || found == m_silent.end())
        return;
    m_silent.erase(found);
    if (m_silent.empty())
        conclude(now, out);
}

void GroupRecovery::conclude(Time now, Effects& out)
{
    m_isProbing = false;
    m_nextProbe = now + kBetweenProbings;
    std::vector<MemberId> dead;
    bool isSpareDead = false;
    for (const auto& [id, probed] : m_silent) {
        if (probed.isMember)
            dead.push_back(id);
        else
            isSpareDead = true;
    }
    m_silent.clear();
    if (m_step == Step::Lost) { // a member silent for lost_ms is lost too
        m_lostAt = dead.empty() ? Time::max()
                                : std::min(m_lostAt, now + std::chrono::milliseconds(m_parts.acks.timers().lost_ms()));
        if (m_lostAt <= now) {
            for (const MemberId id : dead)
                declare(id, kSilentInLostGroup, out);
            lose(now, out);
        }
        return;
    }
    if (dead.empty()) {
        m_lostAt = Time::max();
        if (m_step == Step::Probe || m_step == Step::Wait)
            out.event().mutable_members_answered()->set_group(m_group.value);
        if (failures() == 0 && (m_step == Step::Probe || (m_step == Step::Wait && !group().isRecovering)))
            m_step = Step::Over; // all are alive, or returned before any was declared failed
        else if (isSpareDead || m_step == Step::Wait)
            startOver(now, out);
        return;
    }
    if (m_parity && (m_parity->isOver() || m_parity->isCountedOn()))
        abortParity(now, out); // the member is alive, so nothing is lost
    const auto losses = std::uint32_t(std::count_if(dead.begin(), dead.end(), [&](MemberId id) { return !isNew(id); }));
    if (failures() + losses > group().k) {
        // None has been declared failed yet; a member that returns with its memory counts as alive.
        m_step = Step::Wait;
        m_lostAt = std::min(m_lostAt, now + std::chrono::milliseconds(m_parts.acks.timers().lost_ms()));
        if (m_lostAt <= now) {
            for (const MemberId id : dead)
                declare(id, kTooManySilent, out);
            lose(now, out);
        }
        return;
    }
    m_lostAt = Time::max();
    for (const MemberId id : dead)
        declare(id, kAnswersNoProbes, out);
    startOver(now, out);
}

// The time of the next probe. A lost group is probed only when one of its members has been missed.
Time GroupRecovery::looksAgainAt() const
{
    const bool isIdle = m_step == Step::Over || m_step == Step::Renew
        || (m_step == Step::Lost && !m_isProbing && m_lostAt == Time::max());
    return isIdle ? Time::max() : m_nextProbe;
}

} // namespace lhrs
