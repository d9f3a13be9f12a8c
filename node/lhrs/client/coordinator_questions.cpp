// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/client/coordinator_questions.h"

namespace lhrs {

namespace {

constexpr Time kAskedAgain = 50ms;

} // namespace

void CoordinatorQuestions::ask(FileOperation& op, Time now, Effects& out)
{
    op.stage = FileOperation::Stage::Asking;
    op.wasAsked = true;
    op.awaitsRecord = false;
    out.serve(op.id);
    const auto [asked, isFirst] = m_asked.emplace(op.target, now + m_context.ms(m_context.acks.timers().resend_ms()));
    m_times.lookAt(asked->second, now);
    if (isFirst || m_file.isExact())
        out.send(m_context.coordinator).mutable_where_is()->set_bucket(op.target.value);
}

void CoordinatorQuestions::alarm(FileOperation& op, std::uint64_t doneBelow, Time now, Effects& out)
{
    out.serve(op.id);
    op.stage = FileOperation::Stage::Asking;
    op.wasAsked = true;
    op.hasAlarmed = true;
    // If the record does not come, the next alarm asks about the bucket instead.
    op.awaitsRecord = op.kind == pb::SEARCH && !op.awaitsRecord && m_file.isUnavailable(op.target);
    op.due = now + 2 * m_context.ms(m_context.acks.timers().resend_ms());
    m_times.lookAt(op.due, now);
    if (!op.awaitsRecord)
        m_asked[op.target] = op.due;
    auto* alarm = out.send(m_context.coordinator).mutable_alarm();
    m_file.accuse(op.target, *alarm);
    alarm->set_message(nameOf(op.kind));
    alarm->set_is_search(op.kind == pb::SEARCH);
    alarm->set_knows_unavailable(op.awaitsRecord);
    auto* request = alarm->mutable_request();
    *request->mutable_request() = op.id;
    request->set_done_below(doneBelow);
    request->set_key(op.key.value);
    request->set_target(op.target.value);
    *request->mutable_client() = m_context.self.address();
}

void CoordinatorQuestions::askLater(BucketNumber a, Time now) { m_times.lookAt(m_asked[a] = now + kAskedAgain, now); }

Time CoordinatorQuestions::onTime(Time now, Effects& out)
{
    Time first = Time::max();
    for (auto& [bucket, next] : m_asked) {
        if (next <= now) {
            next = now + kAskedAgain;
            out.send(m_context.coordinator).mutable_where_is()->set_bucket(bucket.value);
        }
        first = std::min(first, next);
    }
    return first;
}

Time CoordinatorQuestions::next(BucketNumber a, Time otherwise) const
{
    const auto asked = m_asked.find(a);
    return asked == m_asked.end() ? otherwise : asked->second;
}

} // namespace lhrs
