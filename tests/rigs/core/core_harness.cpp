// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/core/core_harness.h"

#include <QtGlobal>

namespace lhrs::test {

bool checkFails(const std::function<void()>& what)
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

pb::ProcessInfo process(std::uint64_t node, pb::ProcessKind kind, pb::Role pool)
{
    pb::ProcessInfo info;
    info.set_node(node);
    info.set_kind(kind);
    info.set_name("process " + std::to_string(node));
    addressOfProcess(node).to(*info.mutable_address());
    info.set_pool(pool);
    return info;
}

HolderInfo holderOf(std::uint64_t node, std::uint64_t incarnation)
{
    return { addressOfProcess(node), NodeId(node), Incarnation(incarnation) };
}

pb::Member memberOf(pb::Role role, std::uint32_t index, const HolderInfo& holder, pb::MemberState state, Level level)
{
    pb::Member member;
    member.set_role(role);
    member.set_index(index);
    holder.to(*member.mutable_holder());
    member.set_state(state);
    member.set_level(level);
    return member;
}

pb::FileConfig fileConfig(std::uint32_t m, std::uint32_t availability, std::uint32_t b)
{
    pb::FileConfig config;
    config.set_m(m);
    config.set_availability(availability);
    config.set_b(b);
    return config;
}

std::vector<Step::Sent> Step::of(Body body) const
{
    std::vector<Sent> found;
    std::copy_if(sent.begin(), sent.end(), std::back_inserter(found),
        [body](const Sent& s) { return s.message.body_case() == body; });
    return found;
}

std::vector<Step::Sent> Step::of(Body body, std::uint64_t to) const
{
    std::vector<Sent> found = of(body);
    std::erase_if(found, [to](const Sent& s) { return s.to != to; });
    return found;
}

std::vector<pb::Event> Step::of(Happened body) const
{
    std::vector<pb::Event> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found),
        [body](const pb::Event& e) { return e.body_case() == body; });
    return found;
}

bool Step::acknowledges(const pb::Message& message) const
{
    return std::any_of(sent.begin(), sent.end(),
        [&](const Sent& s) { return s.message.answers() == message.id() && s.to == message.sender(); });
}

Driven::Driven(Machine& machine, const pb::ProcessInfo& self)
    : m_machine(machine), m_stamper(NodeId(self.node()), Address::from(self.address()))
{
    m_stamper.setDetail(pb::OPERATIONS, 1);
}

Step Driven::setDetail(pb::Detail detail)
{
    begin(nullptr);
    m_effects.tellGathered();
    const Step told = finish();
    m_stamper.setDetail(detail, 1);
    m_hasDetail = true;
    return told;
}

void Driven::begin(const pb::Message* cause)
{
    m_effects.begin(cause);
    if (!m_hasDetail)
        return;
    m_effects.at(m_place.role(), m_place.number(), m_place.column());
    m_stamper.prepare(m_effects, false);
}

Step Driven::message(const pb::Message& message, bool moreFollow)
{
    begin(&message);
    m_effects.setMoreFollow(moreFollow);
    m_machine.onMessage(message, m_now, m_effects);
    return finish();
}

Step Driven::command(const pb::Command& command)
{
    begin(nullptr);
    m_machine.onCommand(command, m_now, m_effects);
    return finish();
}

Step Driven::memory(const MemoryReading& reading)
{
    begin(nullptr);
    m_machine.onMemory(reading, m_now, m_effects);
    return finish();
}

Step Driven::pass(Time time)
{
    const Time end = m_now + time;
    Step all;
    for (;;) {
        m_now = std::max(m_now, std::min(m_machine.deadline(), end));
        begin(nullptr);
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

Step Driven::finish()
{
    m_effects.joinBlocks();
    m_stamper.endGathering(m_effects, m_now, false);
    m_stamper.stamp(m_effects, m_now, 0, 0ns);
    m_stamper.sign(m_effects);
    Step step;
    for (const Effects::Send& send : m_effects.sends()) {
        // A client may have the address of a server that has ended, so what is for it names it.
        if (const pb::RequestId* answered = send.message->has_reply() ? &send.message->reply().request()
                : send.message->has_scan_reply()                      ? &send.message->scan_reply().request()
                                                                      : nullptr;
            answered != nullptr && answered->client() != send.node.value)
            qFatal("an answer for client %llu names process %llu", static_cast<unsigned long long>(answered->client()),
                static_cast<unsigned long long>(send.node.value));
        if (send.message->has_displaced() && send.node.value == 0)
            qFatal("the process that is told of a displaced bucket is not named");
        // Several processes may be on one host.
        step.sent.push_back(
            { send.node.value != 0 ? send.node.value : send.to.ip.number(), send.way, send.tries, *send.message });
    }
    for (const Effects::Multicast& multicast : m_effects.multicasts())
        step.multicasts.emplace_back(multicast.pool, *multicast.message);
    for (const pb::Event* event : m_effects.events())
        step.events.push_back(*event);
    for (const pb::CommandReply* reply : m_effects.replies())
        step.replies.push_back(*reply);
    m_place = m_effects.place();
    step.left = m_effects.poolToLeave();
    step.joined = m_effects.poolToJoin();
    m_effects.clear();
    return step;
}

Peer::Peer(std::uint64_t node) : m_node(node) { }

pb::Message Peer::message()
{
    pb::Message message;
    message.set_id(++m_last);
    message.set_sender(m_node);
    addressOfProcess(m_node).to(*message.mutable_from());
    return message;
}

pb::Message Peer::ack(const pb::Message& of)
{
    pb::Message answer = message();
    answer.set_answers(of.id());
    answer.mutable_ack();
    return answer;
}

NodeRig::NodeRig(pb::Role pool, std::uint64_t self)
    : info(process(self, pb::NODE, pool)), node({ info, addressOfProcess(kCoordinator), pool, 0 }), driven(node, info),
      coordinator(kCoordinator)
{
    driven.pass(0ns);
}

Step NodeRig::recruit(pb::Confirm confirm)
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

} // namespace lhrs::test
