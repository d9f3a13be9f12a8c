// SPDX-License-Identifier: GPL-3.0-or-later
// A group that has lost more members than its parity can replace: the loss is announced, and an operator acknowledges
// it.
#include "node/lhrs/coordinator/group_recovery.h"

#include "node/lhrs/growth/growth.h"

#include <algorithm>

namespace lhrs {

void GroupRecovery::lose(Time now, Effects& out)
{
    m_step = Step::Lost;
    m_lostAt = Time::max();
    m_orders.forget();
    // Members that were about to join become spares again.
    if (m_enlistment)
        m_enlistment->stop(now, out);
    m_enlistment.reset();
    if (m_parity && !m_parity->isOver())
        m_parity->abort("the group is lost", now, out);
    for (auto& [q, member] : group().data) {
        if (member.hasFailed())
            member.state = pb::MEMBER_LOST;
    }
    announceLost(out);
    group().isRecovering = true;
    m_growth.onFailed(m_group, now, out);
    newEpoch(pb::GROUP_LOST, "more members failed than the parity can replace", now, out);
}

void GroupRecovery::announceLost(Effects& out) const
{
    auto* event = out.event().mutable_group_lost();
    event->set_group(m_group.value);
    for (const Position q : failedData())
        event->add_buckets(bucketAt(m_group, q, m_parts.file.config().m()).value);
    event->set_parity_lost(std::uint32_t(failedParity().size()));
}

void GroupRecovery::acknowledgeLoss(std::uint64_t ticket, Time now, Effects& out)
{
    if (m_step != Step::Lost) {
        m_parts.refuse(ticket, pb::REFUSED,
            "group " + std::to_string(m_group.value) + " is not lost, or its loss is being dealt with", out);
        return;
    }
    m_ticket = ticket;
    m_step = Step::Bury;
    m_isProbing = false;
    m_silent.clear();
    m_probing = std::uint64_t(now.count()) + 1;
    m_tries = 0;
    m_nextProbe = now;
    bury(now, out);
}

void GroupRecovery::bury(Time now, Effects& out)
{
    if (m_step != Step::Bury || now < m_nextProbe)
        return;
    if (m_tries++ < m_parts.acks.timers().probes_max()) {
        m_nextProbe = now + m_parts.probePace.interval(now);
        const auto ask = [&](const FileState::MemberInfo& member) {
            if (member.hasFailed() && member.holder.node.value != 0)
                out.send(member.holder.address, Way::Auto, m_tries - 1, member.holder.node)
                    .mutable_probe()
                    ->set_number(m_probing);
        };
        for (const auto& [q, member] : group().data)
            ask(member);
        for (const auto& [p, member] : group().parity)
            ask(member);
        return;
    }
    renew(now, out);
}

void GroupRecovery::refuseBurial(const pb::ProbeReply& reply, NodeId from, Effects& out)
{
    const auto isIt = [&](const auto& item) {
        const FileState::MemberInfo& member = item.second;
        return member.hasFailed() && member.holder.node == from
            && member.holder.incarnation.value == reply.incarnation();
    };
    if (std::none_of(group().data.begin(), group().data.end(), isIt)
        && std::none_of(group().parity.begin(), group().parity.end(), isIt))
        return;
    m_step = Step::Lost;
    m_parts.refuse(std::exchange(m_ticket, 0), pb::REFUSED,
        "the process of "
            + std::string(reply.role() == pb::DATA
                    ? "data bucket " + std::to_string(reply.number())
                    : "parity bucket " + std::to_string(reply.number()) + "." + std::to_string(reply.column()))
            + ", which is lost, still runs; end it first",
        out);
}

void GroupRecovery::renew(Time now, Effects& out)
{
    m_step = Step::Renew;
    m_lostAt = Time::max();
    FileState::Group& g = group();
    auto* event = out.event().mutable_loss_acknowledged();
    event->set_group(m_group.value);
    std::vector<Enlistment::Place> places;
    for (const Position q : failedData()) {
        Enlistment::Place place;
        place.role = pb::DATA;
        place.number = bucketAt(m_group, q, m_parts.file.config().m()).value;
        place.level = g.data.at(q).level;
        place.state = pb::UP;
        event->add_buckets(place.number);
        places.push_back(place);
        m_replaced.push_back(g.data.at(q).holder.incarnation);
    }
    // The remaining parity also encodes the lost records, so it is created anew from the remaining data.
    for (const auto& [p, member] : g.parity) {
        m_replaced.push_back(member.holder.incarnation);
        if (!member.hasFailed()) {
            pb::Message cancel;
            cancel.mutable_cancel()->set_incarnation(member.holder.incarnation.value);
            m_parts.acks.send(std::move(cancel), member.holder.address, member.holder.node, Way::Auto,
                AckList::Patience::GiveUp, PlainOrder, now, out);
        }
    }
    g.parity.clear();
    for (ParityColumn p; p.value < g.k; p = p.next())
        m_columnsToFill.insert(p);
    g.state = pb::GROUP_DEGRADED;
    m_enlistment = std::make_unique<Enlistment>(m_parts);
    m_enlistment->start(m_group, std::move(places), false, words(), now, out);
    advance(now, out);
}

void GroupRecovery::renewed(Time now, Effects& out)
{
    m_step = Step::Renewed;
    m_enlistment.reset();
    m_parts.answer(std::exchange(m_ticket, 0), {}, out);
    newEpoch(pb::GROUP_DEGRADED, "the loss was acknowledged: the lost buckets are back, empty", now, out);
    advance(now, out);
}

} // namespace lhrs
