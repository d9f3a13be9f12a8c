// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/group_view.h"

#include "common/lhrs/failpoint_list.h"

#include <algorithm>

using namespace std::chrono_literals;

namespace lhrs {

namespace {

bool isUpIn(const pb::View& view, Incarnation incarnation)
{
    return std::any_of(view.members().begin(), view.members().end(), [&](const pb::Member& member) {
        return member.role() == pb::DATA && member.holder().incarnation() == incarnation.value
            && member.state() == pb::UP;
    });
}

} // namespace

void GroupView::begin(Time now, Effects& out)
{
    m_bucket.link.setView(m_status.view, now, out);
    m_leases.takeView(now);
}

bool GroupView::onEpoch(const pb::Message& message, Time now, Effects& out)
{
    const pb::View& view = message.epoch().view();
    if (view.group() != m_bucket.group.value || out.fires(Failpoint::EpochTakenLate))
        return false; // late: for the place that this process held before
    const Epoch known = m_bucket.link.epoch();
    if (Epoch(view.epoch()) < known) {
        // A newer epoch has overtaken this one. The sender must get an answer, or it would wait forever; but only after
        // the newer epoch has been acknowledged.
        if (!m_owed)
            NodeContext::acknowledge(message, out);
        return false;
    }
    if (Epoch(view.epoch()) > known)
        take(view, now, out);
    else if (!m_owed)
        m_owed.emplace(); // a resend: the acknowledgement was lost
    m_owed->epoch = message;
    return true;
}

void GroupView::take(const pb::View& view, Time now, Effects& out)
{
    m_status.view = view;
    m_leases.takeView(now);
    if (m_status.state == pb::RECOVERING && isUpIn(view, m_bucket.incarnation)) // enabled, under its new incarnation
        m_status.become(pb::UP, "recovered, and the former holder of its place is fenced", out);
    ParityLink& link = m_bucket.link;
    std::map<ParityColumn, bool> wasUp;
    for (const auto& [p, column] : link.columns())
        wasUp[p] = column.isUp;
    link.setView(view, now, out);
    m_owed.emplace();
    // The epoch is acknowledged only when a new parity bucket has all changes so far. The other parity buckets must
    // have them as well: the new one has no Deltas of the changes that came with the contents. So at a cut it could not
    // copy them to one that lacks them. A column that was new in an earlier, unacknowledged epoch is not complete yet
    // either.
    const bool isOneNew = std::any_of(link.columns().begin(), link.columns().end(),
        [&](const auto& item) { return item.second.isUp && (!wasUp[item.first] || !item.second.isWhole()); });
    for (const auto& [p, column] : link.columns()) {
        if (column.isUp && isOneNew)
            m_owed->wanted[p] = link.sequence();
    }
}

void GroupView::progress(Time now, Effects& out)
{
    if (!m_owed)
        return;
    const bool isEnough = std::all_of(m_owed->wanted.begin(), m_owed->wanted.end(), [&](const auto& want) {
        const ParityLink::Column* const column = m_bucket.link.column(want.first);
        return column == nullptr || column->acknowledged >= want.second;
    });
    if (!isEnough)
        return;
    const pb::Message& epoch = m_owed->epoch;
    pb::Message& message = out.send(Address::from(epoch.from()), Way::Auto, 0, NodeId(epoch.sender()));
    message.set_answers(epoch.id());
    auto* ack = message.mutable_epoch_ack();
    ack->set_group(m_bucket.group.value);
    ack->set_epoch(m_bucket.link.epoch().value);
    ack->set_role(pb::DATA);
    ack->set_index(m_bucket.position.value);
    ack->set_sequence(m_bucket.link.sequence());
    ack->set_lease_left_ms(std::uint32_t((m_leases.leftToFailed(now) + 999us) / 1ms));
    m_owed.reset();
}

} // namespace lhrs
