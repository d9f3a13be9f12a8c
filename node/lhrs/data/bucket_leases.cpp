// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/bucket_leases.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "node/lhrs/group/member_record.h"

#include <algorithm>

namespace lhrs {

void BucketLeases::takeView(Time now)
{
    if (!areWanted())
        return;
    const LeaseTimes times = leaseTimesOf(m_bucket.context.acks.timers());
    m_own.setTimes(times);
    m_grants.setTimes(times);
    m_own.setView(m_bucket.status.view, self(), now);
    m_grants.setView(m_bucket.status.view, self(), now);
}

void BucketLeases::onTime(Time now, Effects& out)
{
    if (!areRenewed())
        return;
    for (const LeaseHolder::Granter& granter : m_own.takeDue(now)) {
        if (out.fires(Failpoint::RenewLate))
            continue;
        auto* request = out.send(granter.holder.address, Way::Auto, 0, granter.holder.node).mutable_lease_request();
        request->set_group(m_bucket.group.value);
        request->set_epoch(m_bucket.link.epoch().value);
        request->set_position(m_bucket.position.value);
        request->set_incarnation(m_bucket.incarnation.value);
        request->set_sent_ns(now.count());
    }
    for (const LeaseHolder::Granter& silent : m_own.takeSilent(now))
        suspect(m_bucket.context, m_bucket.status.view, silent.id, now, out);
    for (const MemberId silent : m_grants.takeSilent(now))
        suspect(m_bucket.context, m_bucket.status.view, silent, now, out);
}

void BucketLeases::onLeaseRequest(const pb::Message& message, Time now, Effects& out)
{
    if (m_bucket.status.state != pb::RECOVERING)
        grantLease(m_grants, message, self(), m_bucket.incarnation, now, out);
}

void BucketLeases::onLeaseGrant(const pb::Message& message)
{
    const pb::LeaseGrant& grant = message.lease_grant();
    const Time length = std::chrono::milliseconds(grant.length_ms());
    m_own.onGrant({ grant.role(), grant.index() }, Incarnation(grant.incarnation()),
        Time(grant.sent_ns()) + (LHRS_MUTANT(LeaseFromAnswer) ? length : Time()), length);
}

Time BucketLeases::deadline() const
{
    return areRenewed() ? std::min(m_own.deadline(), m_grants.deadline()) : Time::max();
}

} // namespace lhrs
