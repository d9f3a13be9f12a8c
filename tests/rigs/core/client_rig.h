// SPDX-License-Identifier: GPL-3.0-or-later
// A client under test, with the messages that buckets and the coordinator would send it.
#pragma once

#include "node/lhrs/client/client.h"
#include "node/lhrs/group/key_request.h"
#include "tests/rigs/core/core_harness.h"

namespace lhrs::test {

class ClientRig {
public:
    static constexpr std::uint64_t kSelf = 1000, kCoordinator = 1, kData = 10;

    explicit ClientRig(bool isRegistered = true, const pb::FileConfig& config = fileConfig(),
        const pb::Timers& timers = {}, std::uint32_t ordinal = 0, RecordSink* records = nullptr)
        : info(process(kSelf, pb::CLIENT)), client({ info, addressOfProcess(kCoordinator), 1, records }),
          driven(client, info), coordinator(kCoordinator)
    {
        const Step step = driven.pass(0ns);
        if (isRegistered)
            registered(step.of(Body::kRegister).at(0).message, config, timers, ordinal);
    }

    Step registered(const pb::Message& registration, const pb::FileConfig& config = fileConfig(),
        const pb::Timers& timers = {}, std::uint32_t ordinal = 0)
    {
        pb::Message answer = coordinator.message();
        answer.set_answers(registration.id());
        *answer.mutable_registered()->mutable_config() = config;
        *answer.mutable_registered()->mutable_timers() = timers;
        answer.mutable_registered()->set_ordinal(ordinal);
        return driven.message(answer);
    }
    // Bucket a is process 10 + a unless stated otherwise.
    Step location(std::uint32_t bucket, FileImage file = {}, std::uint64_t node = 0, std::uint64_t incarnation = 0,
        bool exists = true)
    {
        pb::Message answer = coordinator.message();
        pb::Location& location = *answer.mutable_location();
        location.set_bucket(bucket);
        location.set_exists(exists);
        location.mutable_file()->set_i(file.i);
        location.mutable_file()->set_n(file.n);
        if (exists)
            holderOf(node ? node : kData + bucket, incarnation ? incarnation : 200 + bucket)
                .to(*location.mutable_holder());
        return driven.message(answer);
    }
    // The client learns the locations of buckets 0..count-1 in the normal way, by an operation on each.
    void knows(std::uint32_t count)
    {
        for (std::uint32_t bucket = 0; bucket < count; ++bucket)
            location(bucket);
    }

    Step command(pb::Command command)
    {
        command.set_ticket(++tickets);
        return driven.command(command);
    }
    Step operate(pb::OperationKind kind, std::uint64_t key, const std::string& value = {})
    {
        pb::Command order;
        order.mutable_operate()->set_kind(kind);
        order.mutable_operate()->set_key(key);
        order.mutable_operate()->set_value(value);
        return command(order);
    }
    Step setImage(pb::ImageMode mode, bool forget = false)
    {
        pb::Command order;
        order.mutable_set_image()->set_mode(mode);
        order.mutable_set_image()->set_forget(forget);
        return command(order);
    }

    // The bucket's answer to this request; `fill` may set more fields.
    pb::Message replyMessage(
        const pb::Message& request, pb::ResultCode result, const std::function<void(pb::Reply&)>& fill = {})
    {
        const pb::KeyRequest& asked = keyRequestOf(request);
        pb::Message answer = Peer(kData + asked.target()).message();
        pb::Reply& reply = *answer.mutable_reply();
        *reply.mutable_request() = asked.request();
        reply.set_result(result);
        reply.set_bucket(asked.target());
        if (result == pb::RETRY)
            reply.set_copy(asked.copy());
        holderOf(kData + asked.target(), 200 + asked.target()).to(*reply.mutable_holder());
        if (fill)
            fill(reply);
        return answer;
    }
    Step reply(const pb::Message& request, pb::ResultCode result, const std::function<void(pb::Reply&)>& fill = {})
    {
        return driven.message(replyMessage(request, result, fill));
    }
    Step displaced(const pb::Message& request, std::uint64_t incarnation = 0)
    {
        const pb::KeyRequest& asked = keyRequestOf(request);
        pb::Message answer = Peer(kData + asked.target()).message();
        *answer.mutable_displaced()->mutable_request() = asked.request();
        answer.mutable_displaced()->set_bucket(asked.target());
        answer.mutable_displaced()->set_incarnation(incarnation ? incarnation : asked.incarnation());
        answer.mutable_displaced()->set_copy(asked.copy());
        return driven.message(answer);
    }

    pb::ProcessInfo info;
    Client client;
    Driven driven;
    Peer coordinator;
    std::uint64_t tickets = 0;
};

// The key operations that a step sent, in order.
inline std::vector<pb::Message> requestsOf(const Step& step)
{
    std::vector<pb::Message> requests;
    for (const Step::Sent& sent : step.sent) {
        if (sent.message.has_insert() || sent.message.has_update() || sent.message.has_delete_()
            || sent.message.has_search())
            requests.push_back(sent.message);
    }
    return requests;
}

// The result of the only operation that a step ended; RESULT_UNKNOWN if it ended none.
inline pb::OperationResult resultOf(const Step& step)
{
    return step.replies.size() == 1 ? step.replies.front().operation() : pb::OperationResult();
}

} // namespace lhrs::test
