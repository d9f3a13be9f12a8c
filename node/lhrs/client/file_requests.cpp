// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/client/file_requests.h"

#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "node/lhrs/group/key_request.h"
#include "node/machine/awaited_sample.h"

#include <utility>

namespace lhrs {

// ---- sending

void FileRequests::address(Operation& op, Time now, Effects& out)
{
    if (out.fires(Failpoint::ImageForgotten))
        m_file.forgetImage();
    op.target = m_file.bucketOf(op.key);
    if (out.fires(Failpoint::CacheForgotten))
        m_file.forget(op.target);
    if (m_file.holderOf(op.target) != nullptr && (!m_file.isExact() || op.knowsTruth))
        send(op, now, out);
    else if (m_file.wantsAlarm(op.target) && !m_file.isExact())
        alarm(op, now, out);
    else
        m_questions.ask(op, now, out);
}

void FileRequests::send(Operation& op, Time now, Effects& out)
{
    out.serve(op.id);
    if (op.copies == 0)
        m_file.tellStart(op.kind, op.key, op.target, op.value.size(), out);
    const HolderInfo& holder = *m_file.holderOf(op.target);
    pb::Message& message = out.send(holder.address, Way::Auto, op.tries, holder.node);
    pb::KeyRequest* request = &keyRequestIn(message, op.kind);
    request->set_copy(op.copies++);
    request->unsafe_arena_set_allocated_request(out.share(op.id));
    request->set_done_below(doneBelow());
    request->set_key(op.key.value);
    if (!op.value.empty())
        out.setValue(*request->mutable_value(), op.value);
    request->set_target(op.target.value);
    request->set_incarnation(holder.incarnation.value);
    request->unsafe_arena_set_allocated_client(m_context.self.mutable_address()); // shared: it outlives the message
    if (out.fires(Failpoint::RequestTwice)) {
        pb::Message& twice = out.send(holder.address, Way::Auto, op.tries, holder.node);
        twice = message;
        keyRequestIn(twice, op.kind).set_copy(op.copies++);
    }
    op.stage = Stage::Sent;
    op.sent = now;
    op.due = now + resendInterval(op);
    m_times.lookAt(op.due, now);
}

bool FileRequests::sendUnanswered(Key key, std::uint64_t number, std::uint32_t length, Effects& out)
{
    const BucketNumber target = m_file.bucketOf(key);
    const HolderInfo* const holder = m_file.holderOf(target);
    if (holder == nullptr) {
        out.send(m_context.coordinator).mutable_where_is()->set_bucket(target.value);
        return false;
    }
    pb::Message& message = out.send(holder->address, Way::Auto, 0, holder->node);
    pb::KeyRequest* request = message.mutable_insert();
    request->mutable_request()->set_client(m_context.self.node());
    request->mutable_request()->set_number(number);
    message.unsafe_arena_set_allocated_operation(out.share(request->request()));
    request->set_done_below(doneBelow());
    request->set_key(key.value);
    request->set_value(makeValue(m_context.self.node(), key, number, length));
    request->set_target(target.value);
    request->set_incarnation(holder->incarnation.value);
    *request->mutable_client() = m_context.self.address();
    request->set_unanswered(true);
    out.serve(request->request());
    m_file.tellStart(pb::INSERT, key, target, length, out);
    return true;
}

std::uint64_t FileRequests::doneBelow() const
{
    return std::min(m_keptFrom, m_open.empty() ? m_lastNumber + 1 : m_open.lowest());
}

void FileRequests::giveUp(Operation& op, Time now, Effects& out)
{
    // Demo paper, section 4(d): at its timeout the client alarms the coordinator, which knows whether the address was
    // wrong.
    out.serve(op.id);
    auto* event = out.event().mutable_message_given_up();
    event->set_kind(nameOf(op.kind));
    event->set_tries(op.tries);
    if (const HolderInfo* const holder = m_file.holderOf(op.target)) {
        event->set_to(holder->node.value);
        holder->address.to(*event->mutable_address());
    }
    op.tries = 0;
    alarm(op, now, out);
}

void FileRequests::sleep(Operation& op, Time time, Time now)
{
    op.stage = Stage::Sleeping;
    m_times.lookAt(op.due = now + time, now);
}

// ---- answers

bool FileRequests::onReply(Operation& op, const pb::Reply& reply, Time now, Effects& out)
{
    if (op.tries == 0 && op.stage == Stage::Sent && reply.forwards() == 0)
        m_times.measured(now - op.sent);
    m_file.learn(reply, out);
    op.forwards = std::max(op.forwards, reply.forwards());
    op.isImageAdjusted = op.isImageAdjusted || reply.image_adjustment();
    if (reply.result() != pb::RETRY)
        return true;
    const Time retryAfter = m_context.ms(std::max(1u, reply.retry_after_ms()));
    if (reply.degraded()) { // this time the parity bucket could not recover the record
        if (op.stage == Stage::Asking) {
            op.alarms = true;
            sleep(op, retryAfter, now);
        }
        return false;
    }
    op.full = FullAt::from(reply.full());
    if (op.refused(reply.copy()))
        sleep(op, retryAfter, now);
    return false;
}

void FileRequests::onDisplaced(Operation& op, const pb::Displaced& displaced, Time now, Effects& out)
{
    if (!op.refused(displaced.copy()))
        return;
    op.tries = 0;
    // A bucket forwarded the request to a former location of the right bucket; the coordinator informs both the client
    // and that bucket.
    if (op.target != BucketNumber(displaced.bucket()))
        alarm(op, now, out);
    else
        address(op, now, out);
}

bool FileRequests::isUnavailable(const pb::Location& location)
{
    return location.retry_after_ms() > 0 || location.state() == pb::FAILED || location.state() == pb::MEMBER_LOST;
}

std::vector<std::uint64_t> FileRequests::onLocation(const pb::Location& location, Time now, Effects& out)
{
    const BucketNumber a(location.bucket());
    const FileImage truth { location.file().i(), location.file().n() };
    std::vector<std::uint64_t> lost;
    if (location.adopt_file()) { // the key belongs elsewhere, and the bucket addressed does not answer
        m_file.adopt(truth, out);
        leaveForTheRightBucket(a, truth, now, out);
    }
    if (isUnavailable(location)) {
        leaveForTheRightBucket(a, truth, now, out);
        m_questions.answered(a);
        m_file.forget(a);
        for (const std::uint64_t number : askingFor(a)) {
            Operation& op = m_open.at(number);
            if (location.state() == pb::MEMBER_LOST && m_file.bucketOf(op.key, truth) == a) {
                lost.push_back(number);
            } else if (location.retry_after_ms() == 0) { // an answer to WhereIs, not to an alarm
                alarm(op, now, out);
            } else {
                op.alarms = true;
                sleep(op, m_context.ms(location.retry_after_ms()), now);
            }
        }
        if (location.state() == pb::FAILED)
            m_file.setUnavailable(a, true);
        return lost;
    }
    m_file.setUnavailable(a, false);
    const bool isBeyond = a.value >= bucketCount(truth);
    if (location.exists() || isBeyond)
        m_questions.answered(a);
    else
        m_questions.askLater(a, now); // no such bucket yet: the file is being created
    if (location.exists())
        m_file.isAt(a, HolderInfo::from(location.holder()));
    else if (isBeyond)
        m_file.adopt(truth, out); // the image is ahead of the file, which has shrunk
    for (const std::uint64_t number : askingFor(a)) {
        Operation& op = m_open.at(number);
        if (m_file.isExact() && location.exists() && !op.knowsTruth) {
            m_file.adopt(truth, out);
            op.knowsTruth = true;
        }
        if (location.exists() || isBeyond)
            address(op, now, out);
    }
    return lost;
}

std::vector<std::uint64_t> FileRequests::askingFor(BucketNumber a) const
{
    std::vector<std::uint64_t> numbers;
    m_open.forEach([&](const Operation& op) {
        if (op.isAsking(a))
            numbers.push_back(op.id.number());
    });
    return numbers;
}

void FileRequests::leaveForTheRightBucket(BucketNumber a, FileImage truth, Time now, Effects& out)
{
    // A request that was sent to a missing bucket because of an old image belongs elsewhere; the loss of that bucket
    // does not concern its key.
    std::vector<std::uint64_t> elsewhere = askingFor(a);
    std::erase_if(elsewhere, [&](std::uint64_t number) { return m_file.bucketOf(m_open.at(number).key, truth) == a; });
    if (elsewhere.empty())
        return;
    m_file.adopt(truth, out);
    for (const std::uint64_t number : elsewhere)
        address(m_open.at(number), now, out);
}

// ---- time

std::vector<std::uint64_t> FileRequests::due(Time now) const
{
    std::vector<std::uint64_t> numbers;
    m_open.forEach([&](const Operation& op) {
        if (op.next() <= now)
            numbers.push_back(op.id.number());
    });
    return numbers;
}

void FileRequests::onDue(Operation& op, Time now, Effects& out)
{
    if (op.stage == Stage::Asking || (op.stage == Stage::Sleeping && std::exchange(op.alarms, false))) {
        op.target = m_file.bucketOf(op.key);
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

void FileRequests::onTime(Time now, Effects& out)
{
    const Time question = m_questions.onTime(now, out);
    m_times.clear();
    m_open.forEach([&](const Operation& op) { m_times.lookAt(op.next(), now); });
    if (m_open.empty())
        m_questions.clear();
    else
        m_times.lookAt(question, now);
}

// A request waits this many times its first interval: with two resends, 1 + 2 + 4 times.
std::uint32_t FileRequests::waits() const
{
    return (2u << std::min(m_context.acks.timers().client_resends_max(), 6u)) - 1;
}

Time FileRequests::resendInterval(const Operation& op) const
{
    return m_patience > Time() ? RequestTimes::backoff(m_patience / waits(), op.tries) : m_times.interval(op.tries);
}

Time FileRequests::patience() const
{
    return m_patience > Time() ? m_patience : m_context.ms(m_context.acks.timers().resend_ms()) * waits();
}

void FileRequests::inspect(pb::NodeSample& out) const
{
    const std::uint32_t most = m_context.acks.timers().client_resends_max();
    m_open.forEach([&](const Operation& op) {
        if (op.stage == Stage::Queued)
            return; // none of its requests is under way
        Wait wait { op.id.number(), nameOf(op.kind), {}, {}, op.sent, op.due, op.tries, most };
        if (op.stage == Stage::Sent) {
            if (const HolderInfo* const known = m_file.holderOf(op.target)) {
                wait.to = known->node;
                wait.address = known->address;
            }
        } else if (op.stage == Stage::Asking) {
            wait.address = m_context.coordinator;
            wait.due = m_questions.next(op.target, op.end);
            wait.triesMax = 0;
        }
        add(wait, out);
    });
}

} // namespace lhrs
