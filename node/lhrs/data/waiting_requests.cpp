// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/waiting_requests.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"

#include <algorithm>
#include <iterator>

using namespace std::chrono_literals;

namespace lhrs {

bool WaitingRequests::hold(pb::OperationKind kind, const pb::KeyRequest& request, bool isMemoryScarce, Effects& out)
{
    if (isWaiting(request))
        return true;
    if ((!hasRoom() && !LHRS_MUTANT(QueueWithoutBound)) || isMemoryScarce || out.fires(Failpoint::HoldQueueOfNone))
        return false;
    m_held.push_back({ kind, request });
    return true;
}

bool WaitingRequests::waitForChange(Sequence change, const pb::KeyRequest& read)
{
    if (isWaiting(read))
        return true;
    if (!hasRoom())
        return false;
    m_reads.emplace(change, Request { pb::SEARCH, read });
    return true;
}

bool WaitingRequests::waitForLocation(
    BucketNumber to, pb::OperationKind kind, const pb::KeyRequest& request, Time now, Effects& out)
{
    if (isWaiting(request))
        return true;
    if (!hasRoom())
        return false;
    m_parked.emplace(to, Request { kind, request });
    ask(to, now, out);
    return true;
}

bool WaitingRequests::isWaiting(const pb::KeyRequest& request) const
{
    const auto isSame = [&request](const Request& waiting) {
        return waiting.request.request().client() == request.request().client()
            && waiting.request.request().number() == request.request().number();
    };
    const auto isSameOf = [&isSame](const auto& item) { return isSame(item.second); };
    return std::any_of(m_held.begin(), m_held.end(), isSame) || std::any_of(m_reads.begin(), m_reads.end(), isSameOf)
        || std::any_of(m_parked.begin(), m_parked.end(), isSameOf);
}

void WaitingRequests::release()
{
    std::move(m_held.begin(), m_held.end(), std::back_inserter(m_released));
    m_held.clear();
    m_areScansReleased = true;
}

void WaitingRequests::releaseParked(BucketNumber bucket)
{
    for (auto [it, end] = m_parked.equal_range(bucket); it != end; ++it)
        m_released.push_back(std::move(it->second));
    m_parked.erase(bucket);
}

std::optional<WaitingRequests::Request> WaitingRequests::takeReleased()
{
    if (m_released.empty())
        return std::nullopt;
    std::optional<Request> next = std::move(m_released.front());
    m_released.pop_front();
    return next;
}

std::vector<WaitingRequests::Request> WaitingRequests::takeReads(Sequence change)
{
    std::vector<Request> reads;
    while (!m_reads.empty() && m_reads.begin()->first <= change)
        reads.push_back(std::move(m_reads.extract(m_reads.begin()).mapped()));
    return reads;
}

void WaitingRequests::holdParked(BucketNumber gone)
{
    m_asked.erase(gone);
    for (auto& [bucket, parked] : m_parked)
        m_held.push_back(std::move(parked));
    m_parked.clear();
}

void WaitingRequests::ask(BucketNumber bucket, Time now, Effects& out)
{
    if (m_asked.emplace(bucket, now + 100ms).second)
        out.send(m_bucket.context.coordinator).mutable_where_is()->set_bucket(bucket.value);
}

void WaitingRequests::onTime(Time now, Effects& out)
{
    for (auto& [bucket, next] : m_asked) {
        if (next <= now) {
            next = now + 100ms;
            out.send(m_bucket.context.coordinator).mutable_where_is()->set_bucket(bucket.value);
        }
    }
    for (const auto& [bucket, parked] : m_parked)
        ask(bucket, now, out);
    for (const BucketNumber bucket : m_scans.wanted())
        ask(bucket, now, out);
}

Time WaitingRequests::deadline() const
{
    Time earliest = Time::max();
    for (const auto& [bucket, next] : m_asked)
        earliest = std::min(earliest, next);
    return earliest;
}

} // namespace lhrs
