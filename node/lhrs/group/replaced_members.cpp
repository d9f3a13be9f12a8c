// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/replaced_members.h"

namespace lhrs {

namespace {

constexpr std::size_t kMost = 512;

} // namespace

void ReplacedMembers::add(Incarnation incarnation)
{
    if (incarnation == Incarnation() || !m_all.insert(incarnation).second)
        return;
    m_order.push_back(incarnation);
    if (m_order.size() <= kMost)
        return;
    m_all.erase(m_order.front());
    m_order.erase(m_order.begin());
    ++m_dropped;
}

std::uint64_t ReplacedMembers::stamp(std::uint64_t coordinatorEpoch) const
{
    return m_order.empty() ? 0 : coordinatorEpoch << 32 | (m_dropped + m_order.size());
}

void ReplacedMembers::tell(std::uint64_t since, std::uint64_t coordinatorEpoch, pb::Registered& out) const
{
    out.set_replaced_stamp(stamp(coordinatorEpoch));
    // A server whose stamp came from another coordinator may know other members.
    const std::uint64_t count = since >> 32 == coordinatorEpoch ? std::uint32_t(since) : 0;
    for (std::size_t i = count > m_dropped ? std::size_t(count - m_dropped) : 0; i < m_order.size(); ++i)
        out.add_replaced(m_order[i].value);
}

void ReplacedMembers::learn(const pb::Registered& told)
{
    for (const std::uint64_t incarnation : told.replaced())
        add(Incarnation(incarnation));
    m_known = told.replaced_stamp();
}

void ReplacedMembers::report(pb::StateReport& out) const
{
    for (const Incarnation incarnation : m_order)
        out.add_replaced(incarnation.value);
}

} // namespace lhrs
