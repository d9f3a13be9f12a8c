// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/operation_paces.h"

#include "gui/show/show_systems.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr std::size_t kFullMax = 1; // operations that a live picture shows in full at the same time
constexpr std::size_t kOpenMax = 20'000; // operations under way that are remembered
constexpr double kOnTheirWay = 1; // hops

std::pair<std::uint64_t, int> burstOf(const pb::Event& started)
{
    return { started.operation().client(), int(started.operation_started().kind()) };
}

} // namespace

OperationPaces::Pace OperationPaces::paceOf(const pb::Event& event, bool isShow, double clock)
{
    const Key operation = keyOf(event);
    if (eventPaceOf(event).isRemarkable) {
        m_quick.erase(operation);
        m_full.insert(operation);
    }
    if (m_full.contains(operation)) {
        if (isShow && event.has_operation_started())
            m_bursts.try_emplace(burstOf(event), Burst { operation });
        return { true };
    }
    if (m_quick.contains(operation))
        return { false };
    m_ends.erase(m_ends.begin(), m_ends.upper_bound(clock));
    if (m_quick.size() > kOpenMax)
        m_quick.clear();
    const bool isFull = isShow ? isFullInShow(event) : m_full.size() + m_ends.size() < kFullMax;
    (isFull ? m_full : m_quick).insert(operation);
    return { isFull, isShow && !isFull && event.has_operation_started() };
}

bool OperationPaces::isFullInShow(const pb::Event& event)
{
    const Key operation = keyOf(event);
    if (!event.has_operation_started()) { // an effect before its cause, whose kind is not known yet
        const auto known = m_bursts.lower_bound({ operation.first, 0 });
        return known == m_bursts.end() || known->first.first != operation.first;
    }
    const auto [burst, isFirst] = m_bursts.try_emplace(burstOf(event), Burst { operation });
    if (isFirst)
        return true;
    const bool isBeside = m_full.contains(burst->second.first) && burst->second.full < kSideBySide;
    burst->second.full += isBeside ? 1 : 0;
    return isBeside;
}

double OperationPaces::timeOf(const pb::Event& event, ProcessId process, bool isFull, double at)
{
    const std::uint64_t client = event.operation().client();
    if (event.has_operation_started()) {
        const auto burst = m_bursts.find(burstOf(event));
        if (burst != m_bursts.end() && burst->second.first == keyOf(event))
            m_begun[client] = at;
    }
    // The operations of a burst may all have begun before the first request is sent.
    const auto begun = m_begun.find(client);
    const bool isQuickRequest = event.has_message_sent() && process == client && !isFull;
    return isQuickRequest && begun != m_begun.end() ? std::max(at, begun->second + kOnTheirWay) : at;
}

void OperationPaces::end(const pb::Event& event, double at)
{
    if (m_full.erase(keyOf(event)) > 0)
        m_ends.insert(at);
    m_quick.erase(keyOf(event));
}

void OperationPaces::clear()
{
    m_full.clear();
    m_ends.clear();
    m_quick.clear();
    m_bursts.clear();
    m_begun.clear();
}

} // namespace lhrs::gui
