// SPDX-License-Identifier: GPL-3.0-or-later
// A client's timers: what it waits for, how long, and what it does when there is no answer.
#include "node/lhrs/client/client.h"

#include "common/failpoints.h"
#include "common/linear_hash.h"
#include "node/lhrs/group/bucket_parts.h"

#include <algorithm>
#include <utility>

namespace lhrs {

void Client::lookAt(Time due, Time now)
{
    m_nextTick = std::min(m_nextTick, std::max(due, now + m_context.ms(m_context.acks.timers().ack_period_ms())));
}

// Whether the operation has something to do at `due`.
bool Client::hasDue(const Operation& op)
{
    return op.stage == Stage::Sent || op.stage == Stage::Sleeping || (op.stage == Stage::Asking && op.awaitsRecord);
}

Time Client::resendInterval(const Operation& op) const
{
    const pb::Timers& timers = m_context.acks.timers();
    // Each wait is twice the one before: with two resends, 1 + 2 + 4 times the first.
    const Time first = m_patience > Time() ? m_patience / ((2 << std::min(timers.client_resends_max(), 6u)) - 1)
                                           : std::max(m_context.ms(timers.resend_ms()), 4 * m_roundTrip);
    return first * (1 << std::min(op.tries, 6u));
}

Time Client::patience() const
{
    const pb::Timers& timers = m_context.acks.timers();
    return m_patience > Time() ? m_patience : m_context.ms(timers.resend_ms()) * ((2 << std::min(timers.client_resends_max(), 6u)) - 1);
}

void Client::onTime(Time now, Effects& out)
{
    if (!m_isStarted) {
        m_isStarted = true;
        *out.event().mutable_process_started()->mutable_process() = m_context.self;
        pb::Message message;
        *message.mutable_register_()->mutable_process() = m_context.self;
        m_context.acks.send(std::move(message), m_context.coordinator, NodeId(), Way::Auto, AckList::Patience::KeepTrying,
            NodeContext::Registration, now, out);
        m_nextAlive = now;
    }
    m_context.acks.onTime(now, out, [](const AckList::Entry&) {});
    if (m_nextAlive <= now) {
        m_nextAlive = now + m_context.ms(m_context.acks.timers().alive_ms());
        out.begin(nullptr);
        auto* alive = out.send(m_context.coordinator).mutable_alive();
        *alive->mutable_process() = m_context.self;
        alive->set_ordinal(m_isRegistered ? m_ordinal + 1 : 0);
        alive->set_knows_file(m_knowsFile);
    }
    if (m_hold.isOver(now))
        endHold("nobody has renewed the hold", now, out);
    if (m_scan && m_scan->deadline() <= now)
        m_scan->onTime(now, out);
    endScan(now, out);
    if (m_nextTick <= now) {
        std::vector<std::uint64_t> due;
        m_operations.forEach([&](const Operation& op) {
            if (op.end <= now || (hasDue(op) && op.due <= now))
                due.push_back(op.id.number());
        });
        for (const std::uint64_t number : due) {
            Operation* const open = m_operations.find(number);
            if (open == nullptr)
                continue;
            Operation& op = *open;
            if (op.end <= now) {
                // The deadline may be shorter than the patience after which a missing bucket is noticed. So the next
                // operation asks first; otherwise none would ever learn where the bucket is. It asks by an alarm: the
                // bucket may be well, but its location of the bucket that it forwards to may be out of date.
                if (op.stage == Stage::Sent) {
                    m_context.locations.erase(op.target);
                    m_unanswered.insert(op.target);
                }
                // RETRY is returned only if every copy was refused.
                finish(op, nullptr, isMutation(op.kind) && op.refusals.below < op.copies ? pb::UNKNOWN_OUTCOME : pb::RETRY, now, out);
            } else if (op.stage == Stage::Asking || (op.stage == Stage::Sleeping && std::exchange(op.alarms, false))) {
                op.target = addressOf(addressed(op.key, m_config), m_image);
                alarm(op, now, out);
            } else if (op.stage == Stage::Sleeping) {
                address(op, now, out);
            } else if (op.tries >= m_context.acks.timers().client_resends_max() || out.fires(Failpoint::AlarmTooEarly)) {
                giveUp(op, now, out);
            } else {
                ++op.tries;
                ++op.resends;
                address(op, now, out); // the image or the location may have changed since
            }
        }
        for (auto& [bucket, next] : m_asked) {
            if (next > now)
                continue;
            next = now + 50ms;
            out.send(m_context.coordinator).mutable_where_is()->set_bucket(bucket.value);
        }
        m_nextTick = Time::max();
        m_operations.forEach([&](const Operation& op) { lookAt(hasDue(op) ? std::min(op.due, op.end) : op.end, now); });
        if (m_operations.empty())
            m_asked.clear();
        for (const auto& [bucket, next] : m_asked)
            lookAt(next, now);
    }
    feedWorkload(now, out);
    feedBulkInsert(now, out);
}

Time Client::deadline() const
{
    if (!m_isStarted)
        return Time();
    return std::min({ m_nextTick, m_nextAlive, m_context.acks.deadline(), m_scan ? m_scan->deadline() : Time::max(),
        m_bulk && !m_hold.isOn() ? m_bulk->deadline() : Time::max(), m_hold.deadline(),
        m_workload && m_isRegistered && !m_hold.isOn() ? m_workload->deadline(m_hold.sum({}) - m_heldBefore) : Time::max() });
}

} // namespace lhrs
