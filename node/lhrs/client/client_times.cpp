// SPDX-License-Identifier: GPL-3.0-or-later
// A client's timers: what it waits for, for how long, and what it does when no answer arrives.
#include "node/lhrs/client/client.h"

#include "common/lhrs/failpoint_list.h"
#include "common/lhrs/linear_hash.h"
#include "node/lhrs/group/bucket_parts.h"

#include <algorithm>
#include <utility>

namespace lhrs {

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
    return m_patience > Time()
        ? m_patience
        : m_context.ms(timers.resend_ms()) * ((2 << std::min(timers.client_resends_max(), 6u)) - 1);
}

void Client::onTime(Time now, Effects& out)
{
    beat(now, out);
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
                // The deadline may be shorter than the time after which a missing bucket is noticed. So the next
                // operation asks first; otherwise no operation would ever learn where the bucket is. It asks by an
                // alarm: the bucket may be well, but it may forward to another bucket at an outdated location.
                if (op.stage == Stage::Sent) {
                    m_locations.erase(op.target);
                    m_unanswered.insert(op.target);
                }
                // RETRY is returned only if every copy was refused.
                finish(op, nullptr,
                    isMutation(op.kind) && op.refusals.below < op.copies ? pb::UNKNOWN_OUTCOME : pb::RETRY, now, out);
            } else if (op.stage == Stage::Asking || (op.stage == Stage::Sleeping && std::exchange(op.alarms, false))) {
                op.target = addressOf(addressed(op.key, m_config), m_image);
                alarm(op, now, out);
            } else if (op.stage == Stage::Sleeping) {
                address(op, now, out);
            } else if (op.tries >= m_context.acks.timers().client_resends_max()
                || out.fires(Failpoint::AlarmTooEarly)) {
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
    feed(now, out);
}

Time Client::deadline() const
{
    return std::min({ nextBeat(), m_scan ? m_scan->deadline() : Time::max(),
        m_bulk && !m_hold.isOn() ? m_bulk->deadline() : Time::max() });
}

} // namespace lhrs
