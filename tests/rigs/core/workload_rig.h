// SPDX-License-Identifier: GPL-3.0-or-later
// A client with workloads under the test's control, and one bucket that stores what it receives.
#pragma once

#include "tests/rigs/core/client_rig.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>

namespace lhrs::test {

inline pb::RunWorkload workload(pb::OperationKind kind, std::uint64_t count, std::uint32_t window = 1)
{
    pb::RunWorkload order;
    order.set_kind(kind);
    order.set_count(count);
    order.set_window(window);
    order.set_length(40);
    return order;
}

inline pb::Command orderOf(const pb::RunWorkload& order)
{
    pb::Command command;
    *command.mutable_run_workload() = order;
    return command;
}

// A client and one bucket that stores what it receives. The test gives the answers, one after the other.
struct WorkloadRig : ClientRig {
    explicit WorkloadRig(std::uint32_t ordinal = 0) : ClientRig(true, fileConfig(), {}, ordinal) { knows(1); }

    Step start(const pb::RunWorkload& order) { return take(command(orderOf(order))); }
    Step verify(std::uint32_t window = 4)
    {
        pb::Command order;
        order.mutable_verify()->set_window(window);
        return take(command(order));
    }
    // Collects the requests of a step.
    Step take(Step step)
    {
        for (const pb::Message& request : requestsOf(step))
            open.push_back(request);
        widest = std::max(widest, open.size());
        return step;
    }
    Step hold(bool isHeld, std::uint32_t leaseMs = 0)
    {
        pb::Command order;
        order.mutable_hold_workload()->set_is_held(isHeld);
        order.mutable_hold_workload()->set_lease_ms(leaseMs);
        return take(command(order));
    }
    // The bucket answers the oldest open request.
    Step serve()
    {
        const pb::Message request = open.front();
        open.pop_front();
        const pb::KeyRequest& asked = keyRequestOf(request);
        const auto known = records.find(asked.key());
        pb::ResultCode result = known == records.end() ? pb::NOT_FOUND : pb::OK;
        std::string value;
        if (request.has_insert()) {
            result = known == records.end() ? pb::OK : pb::EXISTS;
            if (result == pb::OK)
                records[asked.key()] = asked.value();
        } else if (request.has_update() && result == pb::OK) {
            known->second = asked.value();
        } else if (request.has_delete_() && result == pb::OK) {
            records.erase(known);
        } else if (request.has_search() && result == pb::OK) {
            value = known->second;
        }
        ++served[request.body_case()];
        driven.sleep(1ms);
        return take(reply(request, result, [&](pb::Reply& r) { r.set_value(value); }));
    }
    // Serves until nothing is under way. Returns the reply to the workload.
    pb::WorkloadResult serveAll()
    {
        pb::WorkloadResult result;
        while (!open.empty()) {
            for (const pb::CommandReply& reply : serve().replies) {
                if (reply.has_workload())
                    result = reply.workload();
            }
        }
        return result;
    }
    pb::WorkloadResult run(const pb::RunWorkload& order)
    {
        const Step step = start(order);
        return open.empty() && !step.replies.empty() ? step.replies.front().workload() : serveAll();
    }

    std::deque<pb::Message> open;
    std::map<std::uint64_t, std::string> records;
    std::map<Body, std::size_t> served;
    std::size_t widest = 0;
};

} // namespace lhrs::test
