// SPDX-License-Identifier: GPL-3.0-or-later
// How a test feeds one machine and looks at what it wants done. Nothing is mocked: the machine is the real one, and
// what it would say to the world is a value.
#pragma once

#include "common/errors.h"
#include "node/core/event_stamp.h"
#include "node/core/machine.h"
#include "node/core/node_context.h"
#include "node/core/node_machine.h"
#include "node/core/workload.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lhrs::test {

using namespace std::chrono_literals;

// Whether the process would end in a failed LHRS_CHECK. The machine concerned must not be used afterwards.
inline bool checkFails(const std::function<void()>& what)
{
    struct Failed { };
    const auto before = std::exchange(checkReporter, [](const char*) { throw Failed(); });
    bool hasFailed = false;
    try {
        what();
    } catch (const Failed&) {
        hasFailed = true;
    }
    checkReporter = before;
    return hasFailed;
}

// Processes of a test are known by a small number, which is their process number and their address.
inline Address addressOfProcess(std::uint64_t node) { return { std::uint32_t(node), 0, 0 }; }

inline pb::ProcessInfo process(std::uint64_t node, pb::ProcessKind kind, pb::Role pool = pb::NO_ROLE)
{
    pb::ProcessInfo info;
    info.set_node(node);
    info.set_kind(kind);
    info.set_name("process " + std::to_string(node));
    addressOfProcess(node).to(*info.mutable_address());
    info.set_spare_role(pool);
    return info;
}

inline HolderInfo holderOf(std::uint64_t node, std::uint64_t incarnation)
{
    return { addressOfProcess(node), NodeId(node), Incarnation(incarnation) };
}

inline pb::Member memberOf(
    pb::Role role, std::uint32_t index, const HolderInfo& holder, pb::MemberState state = pb::UP, Level level = 0)
{
    pb::Member member;
    member.set_role(role);
    member.set_index(index);
    holder.to(*member.mutable_holder());
    member.set_state(state);
    member.set_level(level);
    return member;
}

// A small file by default: groups of four, buckets of 100 records.
inline pb::FileConfig fileConfig(std::uint32_t m = 4, std::uint32_t availability = 2, std::uint32_t b = 100)
{
    pb::FileConfig config;
    config.set_m(m);
    config.set_availability(availability);
    config.set_b(b);
    return config;
}

using Body = pb::Message::BodyCase;
using Happened = pb::Event::BodyCase;

// What one step of a machine wanted done, copied out so that it outlives the step.
struct Step {
    struct Sent {
        std::uint64_t to = 0; // the process
        Way way = Way::Auto;
        std::uint32_t tries = 0;
        pb::Message message;
    };
    std::vector<Sent> sent;
    std::vector<std::pair<pb::Role, pb::Message>> multicasts;
    std::vector<pb::Event> events;
    std::vector<pb::CommandReply> replies;
    pb::Role left = pb::NO_ROLE;
    pb::Role joined = pb::NO_ROLE;

    std::vector<Sent> of(Body body) const
    {
        std::vector<Sent> found;
        std::copy_if(sent.begin(), sent.end(), std::back_inserter(found),
            [body](const Sent& s) { return s.message.body_case() == body; });
        return found;
    }
    std::vector<Sent> of(Body body, std::uint64_t to) const
    {
        std::vector<Sent> found = of(body);
        std::erase_if(found, [to](const Sent& s) { return s.to != to; });
        return found;
    }
    std::size_t count(Body body) const { return of(body).size(); }
    std::size_t count(Body body, std::uint64_t to) const { return of(body, to).size(); }
    std::vector<pb::Event> of(Happened body) const
    {
        std::vector<pb::Event> found;
        std::copy_if(events.begin(), events.end(), std::back_inserter(found),
            [body](const pb::Event& e) { return e.body_case() == body; });
        return found;
    }
    std::size_t count(Happened body) const { return of(body).size(); }
    // Whether a message that acknowledges this one went to its sender.
    bool acknowledges(const pb::Message& message) const
    {
        return std::any_of(sent.begin(), sent.end(),
            [&](const Sent& s) { return s.message.answers() == message.id() && s.to == message.sender(); });
    }
};

// A machine with its clock and whatever completes its messages, as a driver has them.
class Driven {
public:
    Driven(Machine& machine, const pb::ProcessInfo& self)
        : m_machine(machine)
        , m_stamper(NodeId(self.node()), Address::from(self.address()))
    {
        m_stamper.setDetail(pb::OPERATIONS, 1);
    }

    Time now() const { return m_now; }
    void sleep(Time time) { m_now += time; }

    // `moreFollow`: another message came together with it, and is next.
    Step message(const pb::Message& message, bool moreFollow = false)
    {
        m_effects.begin(&message);
        m_effects.setMoreFollow(moreFollow);
        m_machine.onMessage(message, m_now, m_effects);
        return finish();
    }
    void tellOperations(std::uint32_t oneIn) { m_effects.tellOperations(oneIn); }
    Step command(const pb::Command& command)
    {
        m_effects.begin(nullptr);
        m_machine.onCommand(command, m_now, m_effects);
        return finish();
    }
    // Time passes; the machine is woken whenever it wants to be. All that it did meanwhile, in one.
    Step pass(Time time)
    {
        const Time end = m_now + time;
        Step all;
        for (;;) {
            m_now = std::max(m_now, std::min(m_machine.deadline(), end));
            m_effects.begin(nullptr);
            m_machine.onTime(m_now, m_effects);
            Step step = finish();
            std::move(step.sent.begin(), step.sent.end(), std::back_inserter(all.sent));
            std::move(step.multicasts.begin(), step.multicasts.end(), std::back_inserter(all.multicasts));
            std::move(step.events.begin(), step.events.end(), std::back_inserter(all.events));
            std::move(step.replies.begin(), step.replies.end(), std::back_inserter(all.replies));
            if (m_machine.deadline() > end || m_now == end)
                break;
        }
        m_now = end;
        return all;
    }

private:
    Step finish()
    {
        m_stamper.stamp(m_effects, m_now, 0, 0ns);
        Step step;
        for (const Effects::Send& send : m_effects.sends())
            step.sent.push_back({ send.to.ip, send.way, send.tries, *send.message });
        for (const Effects::Multicast& multicast : m_effects.multicasts())
            step.multicasts.emplace_back(multicast.pool, *multicast.message);
        for (const pb::Event* event : m_effects.events())
            step.events.push_back(*event);
        for (const pb::CommandReply* reply : m_effects.replies())
            step.replies.push_back(*reply);
        step.left = m_effects.poolToLeave();
        step.joined = m_effects.poolToJoin();
        m_effects.clear();
        return step;
    }

    Machine& m_machine;
    EventStamper m_stamper;
    Effects m_effects;
    Time m_now {};
};

// A message as another process of the test would send it.
class Peer {
public:
    explicit Peer(std::uint64_t node)
        : m_node(node)
    {
    }
    std::uint64_t node() const { return m_node; }
    pb::Message message()
    {
        pb::Message message;
        message.set_id(++m_last);
        message.set_sender(m_node);
        addressOfProcess(m_node).to(*message.mutable_from());
        return message;
    }
    // The acknowledgement that no other message is.
    pb::Message ack(const pb::Message& of)
    {
        pb::Message answer = message();
        answer.set_answers(of.id());
        answer.mutable_ack();
        return answer;
    }

private:
    std::uint64_t m_node;
    std::uint64_t m_last = 0;
};

// One node machine that is recruited at once; whoever else there is in the file exists only as messages of the test.
// Process numbers: 1 the coordinator, 2 this node, 10 + a data bucket a, 100 + p parity bucket p, from 1000 on clients.
class NodeRig {
public:
    static constexpr std::uint64_t kCoordinator = 1, kSelf = 2, kData = 10, kParity = 100, kClient = 1000;
    static constexpr std::uint64_t kIncarnation = 77;

    explicit NodeRig(pb::Role pool, std::uint64_t self = kSelf)
        : info(process(self, pb::NODE, pool))
        , node({ info, addressOfProcess(kCoordinator), pool, 0 })
        , driven(node, info)
        , coordinator(kCoordinator)
    {
        driven.pass(0ns);
    }

    // The invitation of its pool, then this confirmation.
    Step recruit(pb::Confirm confirm)
    {
        pb::Message invite = coordinator.message();
        invite.mutable_invite()->set_invitation(++m_invitations);
        invite.mutable_invite()->set_role(confirm.role());
        invite.mutable_invite()->set_count(1);
        addressOfProcess(kCoordinator).to(*invite.mutable_invite()->mutable_coordinator());
        driven.message(invite);
        confirm.set_invitation(m_invitations);
        pb::Message message = coordinator.message();
        *message.mutable_confirm() = confirm;
        return driven.message(message);
    }

    const DataBucket& data() const { return *node.dataBucket(); }
    const ParityBucket& parity() const { return *node.parityBucket(); }

    pb::ProcessInfo info;
    NodeMachine node;
    Driven driven;
    Peer coordinator;

private:
    std::uint64_t m_invitations = 0;
};

} // namespace lhrs::test
