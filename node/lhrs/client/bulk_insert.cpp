// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/client/bulk_insert.h"

#include <algorithm>
#include <utility>

namespace lhrs {

namespace {

// There is no flow control to limit the rate; a burst of this size fits into the buffers of a socket.
constexpr std::uint32_t kBurst = 64;
constexpr Time kBetweenBursts = 1ms;
constexpr Time kUntilLocated = 50ms; // then a missing location is asked for again
constexpr Time kQuiet = 500ms; // time for messages under way to arrive
constexpr Time kSecondLook = 2s; // time for a split's held requests to be processed
constexpr std::uint32_t kChecksMax = 64;
constexpr std::size_t kLostKeysShown = 10'000;

} // namespace

BulkInsert::BulkInsert(const pb::RunWorkload& order, std::uint64_t ticket, std::uint64_t firstNumber, Time now)
    : m_order(order), m_ticket(ticket), m_first(firstNumber), m_started(now), m_last(firstNumber - 1),
      m_count(order.count()), m_next(now)
{
}

void BulkInsert::send(FileRequests& requests, std::uint64_t& nextKey, std::uint64_t& lastNumber, Time now, Effects& out)
{
    if (m_phase != Phase::Sending || now < m_next || m_sent == m_count)
        return;
    for (std::uint64_t due = std::min<std::uint64_t>(kBurst, m_count - m_sent); due > 0; --due) {
        const Request request { lastNumber + 1, Key(nextKey) };
        if (!requests.sendUnanswered(request.key, request.number, m_order.length(), out)) {
            m_next = now + kUntilLocated;
            return;
        }
        m_last = lastNumber = request.number;
        ++nextKey;
        ++m_sent;
        m_requests.push_back(request);
    }
    m_next = now + kBetweenBursts;
}

void BulkInsert::startPhase(Phase phase, Time now)
{
    m_phase = phase;
    m_checked = 0;
    m_next = now;
}

void BulkInsert::goOn(Time now)
{
    if (m_phase == Phase::Sending)
        m_next = std::min(m_next, now);
}

std::optional<BulkInsert::Request> BulkInsert::nextCheck(Time now)
{
    const bool isChecking = m_phase == Phase::Looking || m_phase == Phase::Waiting || m_phase == Phase::Fencing;
    if (!isChecking || now < m_next || m_open.size() >= kChecksMax || m_checked == m_requests.size())
        return std::nullopt;
    const Request request = m_requests[m_checked++];
    m_open.emplace(request.key, request);
    return request;
}

void BulkInsert::ended(
    const FileOperation& check, const pb::Reply* reply, pb::ResultCode result, Ledger& ledger, Effects& out)
{
    const auto found = m_open.find(check.key);
    if (found == m_open.end())
        return;
    const Request request = found->second;
    m_open.erase(found);
    const bool isFence = check.kind == pb::UPDATE;
    pb::ResultCode outcome = pb::UNKNOWN_OUTCOME;
    if (result == pb::OK) {
        outcome = pb::OK;
        ++m_stored;
        if (!isFence) {
            const std::uint64_t client = check.id.client();
            if (!m_order.unchecked()
                && reply->value() != makeValue(client, check.key, check.bulkNumber, m_order.length()))
                ++m_wrong;
            ledger.wrote(check.key, check.bulkNumber, m_order.length(), true);
        }
    } else if (!isFence) {
        m_missing.push_back(request);
        return;
    } else if (result == pb::NOT_FOUND) {
        outcome = pb::RETRY;
        m_lost.push_back(check.key);
    } else {
        ++m_unknown;
    }
    // Reports the outcome of the insert, which had no reply.
    pb::RequestId id = check.id;
    id.set_number(check.bulkNumber);
    out.serve(id);
    auto* event = out.event().mutable_operation_done();
    event->set_kind(pb::INSERT);
    event->set_key(check.key.value);
    event->set_result(outcome);
    event->set_bucket(reply ? reply->bucket() : check.target.value);
    event->set_rank(reply ? reply->rank() : 0);
}

void BulkInsert::adjusted(std::uint32_t forwards, bool isImageAdjusted)
{
    m_forwards += forwards;
    m_adjustments += isImageAdjusted ? 1 : 0;
}

void BulkInsert::onTime(Time now)
{
    if (m_phase == Phase::Over)
        return;
    if (m_phase == Phase::Sending) {
        if (m_sent < m_count)
            return;
        m_sendingEnded = now;
        startPhase(Phase::Looking, now + kQuiet);
        return;
    }
    if (now < m_next || !m_open.empty() || m_checked < m_requests.size())
        return;
    m_requests = std::exchange(m_missing, {});
    if (m_requests.empty() || m_phase == Phase::Fencing)
        startPhase(Phase::Over, now);
    else
        startPhase(m_phase == Phase::Looking ? Phase::Waiting : Phase::Fencing,
            m_phase == Phase::Looking ? now + kSecondLook : now);
}

Time BulkInsert::deadline() const
{
    if (m_phase == Phase::Over)
        return Time();
    return !m_open.empty() && m_checked == m_requests.size() ? Time::max() : m_next;
}

void BulkInsert::report(pb::WorkloadResult& out, Time now) const
{
    out.set_operations(m_sent);
    out.set_done(m_stored + m_lost.size() + m_unknown);
    out.set_of(m_count);
    out.set_is_running(!isOver());
    const auto count = [&out](pb::ResultCode code, std::uint64_t n) {
        if (n > 0)
            (*out.mutable_results())[pb::ResultCode_Name(code)] = n;
    };
    count(pb::OK, m_stored);
    count(pb::RETRY, m_lost.size()); // certainly not carried out
    count(pb::UNKNOWN_OUTCOME, m_unknown);
    out.set_unanswered(m_unknown);
    out.set_wrong(m_wrong);
    out.set_forwards(m_forwards);
    out.set_image_adjustments(m_adjustments);
    out.set_lost(m_lost.size());
    for (std::size_t i = 0; i < std::min(m_lost.size(), kLostKeysShown); ++i)
        out.add_lost_keys(m_lost[i].value);
    out.set_sending_ns(((m_phase == Phase::Sending ? now : m_sendingEnded) - m_started).count());
    out.set_total_ns((now - m_started).count());
}

} // namespace lhrs
