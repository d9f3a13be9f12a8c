// SPDX-License-Identifier: GPL-3.0-or-later
// A simulated cluster with a client and closed gates, inspected and opened as watchers do it.
#pragma once

#include "tests/sim/sim_site_rig.h"

#include <functional>
#include <optional>

namespace lhrs::test {

inline constexpr std::uint64_t kGatedSeeds = 4'500'000;

// A message at the gate of a process.
struct HeldThere {
    std::uint64_t at = 0;
    pb::HeldMessage message;
};

struct GatedSite : Site {
    explicit GatedSite(std::uint64_t seed = kGatedSeeds) : Site(seed)
    {
        stepNs(300ms);
        alice = started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
        stepNs(50ms);
    }

    // One command to each process, as watchers send it.
    void gate(bool isClosed, std::uint32_t leaseMs = 60'000)
    {
        for (const std::uint64_t process : living()) {
            pb::Command command;
            command.mutable_set_gate()->set_is_closed(isClosed);
            command.mutable_set_gate()->set_lease_ms(leaseMs);
            command.mutable_set_gate()->set_at_ns(std::int64_t(1) << 60); // of another clock: it means nothing here
            QCOMPARE(replies[give(command, process)].gate().is_closed(), isClosed);
        }
    }
    std::vector<std::uint64_t> living() const
    {
        std::vector<std::uint64_t> all;
        for (const auto& process : cluster.processes())
            if (!process->isGone())
                all.push_back(process->info.node());
        return all;
    }
    pb::GateState state(std::uint64_t process)
    {
        pb::Command command;
        command.mutable_describe_gate();
        return replies[give(command, process)].gate();
    }
    // The oldest first.
    std::vector<HeldThere> held()
    {
        std::vector<HeldThere> all;
        for (const std::uint64_t process : living()) {
            const pb::GateState there = state(process);
            for (const pb::HeldMessage& message : there.messages())
                all.push_back({ process, message });
        }
        std::stable_sort(all.begin(), all.end(),
            [](const HeldThere& x, const HeldThere& y) { return x.message.since_ns() < y.message.since_ns(); });
        return all;
    }
    std::optional<HeldThere> heldOf(const std::string& kind)
    {
        for (const HeldThere& one : held())
            if (one.message.kind() == kind)
                return one;
        return std::nullopt;
    }
    pb::CommandReply release(std::uint64_t process, std::uint64_t number, bool isDropped = false)
    {
        pb::Command command;
        command.mutable_release_held()->set_number(number);
        command.mutable_release_held()->set_is_dropped(isDropped);
        return replies[give(command, process)];
    }
    // Releases the oldest message at any process; the messages of its step travel to their receivers.
    bool releaseOldest()
    {
        const std::vector<HeldThere> all = held();
        if (all.empty())
            return false;
        const bool isThrough = release(all.front().at, all.front().message.number()).gate().released_size() == 1;
        stepNs(2ms);
        return isThrough;
    }
    // All clocks advance to the next timer of any process.
    void passToTimer()
    {
        std::int64_t next = -1;
        for (const std::uint64_t process : living())
            if (const std::int64_t ns = state(process).next_timer_ns(); ns >= 0 && (next < 0 || ns < next))
                next = ns;
        QVERIFY(next >= 0);
        pb::Command command;
        command.mutable_release_held()->set_advance_ns(std::max<std::int64_t>(1, next));
        for (const std::uint64_t process : living())
            QCOMPARE(replies[give(command, process)].refusal(), pb::NOT_REFUSED);
        stepNs(2ms);
    }
    std::uint64_t begin(pb::OperationKind kind, std::uint64_t key, const std::string& value = "v")
    {
        pb::Command command;
        command.mutable_operate()->set_kind(kind);
        command.mutable_operate()->set_key(key);
        command.mutable_operate()->set_value(value);
        return give(command, alice);
    }
    // Lets virtual time pass until then.
    bool until(const std::function<bool()>& condition, Time limit = 30s)
    {
        for (Time passed {}; passed < limit && !condition(); passed += 1ms)
            stepNs(1ms);
        return condition();
    }
    pb::FaultList arm(std::uint64_t process, const std::function<void(pb::Fault&)>& fill)
    {
        pb::Fault fault;
        fault.set_number(1);
        fault.set_lease_ms(3'600'000);
        fill(fault);
        return Site::arm(process, fault).faults();
    }
    // The process that published each event.
    void onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now) override
    {
        Site::onStep(process, input, effects, now);
        tellers.resize(events.size(), process.info.node());
    }
    std::size_t trouble() const { return count(pb::Event::kMemberSuspected) + count(pb::Event::kBucketFailed); }

    std::uint64_t alice = 0;
    std::vector<std::uint64_t> tellers;
};

} // namespace lhrs::test
