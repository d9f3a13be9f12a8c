// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/core/coordinator_rig.h"

namespace lhrs::test {

CoordinatorRig::CoordinatorRig(const Options& o)
    : info(process(kSelf, pb::COORDINATOR)), coordinator({ info, o.config, o.timers, o.recruiting, 1 }),
      driven(coordinator, info), m_hosts(o.hosts)
{
    for (std::uint32_t s = 0; s < o.dataSpares; ++s)
        addSpare(kData + s, pb::DATA);
    for (std::uint32_t s = 0; s < o.paritySpares; ++s)
        addSpare(kParity + s, pb::PARITY);
}

CoordinatorRig::CoordinatorRig(const pb::FileConfig& config, std::uint32_t dataSpares, std::uint32_t paritySpares)
    : CoordinatorRig(Options { .config = config, .dataSpares = dataSpares, .paritySpares = paritySpares })
{
    pass(0ns);
}

void CoordinatorRig::addSpare(std::uint64_t node, pb::Role pool)
{
    Member& member = members.try_emplace(node, process(node, pb::NODE, pool)).first->second;
    member.pool = pool;
    if (m_hosts != 0)
        member.info.mutable_address()->set_ip(kFirstHost + std::uint32_t(node / kAdjacent % m_hosts));
}

Step CoordinatorRig::registers(std::uint64_t node)
{
    pb::Message message = members.at(node).sender.message();
    *message.mutable_register_()->mutable_process() = members.at(node).info;
    return say(message);
}

Step CoordinatorRig::alive(std::uint64_t node)
{
    Member& member = members.at(node);
    pb::Message message = member.sender.message();
    pb::Alive& alive = *message.mutable_alive();
    *alive.mutable_process() = member.info;
    alive.set_role(member.place.role());
    alive.set_number(member.place.number());
    alive.set_column(member.place.column());
    alive.set_incarnation(member.place.incarnation());
    return say(message);
}

Step CoordinatorRig::pass(Time time)
{
    const Time end = driven.now() + time;
    Step all;
    do {
        const Time next = std::clamp(coordinator.deadline(), driven.now(), end);
        const Step step = settle(driven.pass(next - driven.now()));
        all.sent.insert(all.sent.end(), step.sent.begin(), step.sent.end());
        all.multicasts.insert(all.multicasts.end(), step.multicasts.begin(), step.multicasts.end());
        all.replies.insert(all.replies.end(), step.replies.begin(), step.replies.end());
    } while (driven.now() < end || coordinator.deadline() <= end);
    return all;
}

Step CoordinatorRig::command(pb::Command command)
{
    command.set_ticket(++m_tickets);
    return settle(driven.command(command));
}

const pb::CommandReply& CoordinatorRig::replyOf() const
{
    const auto found = std::find_if(
        replies.begin(), replies.end(), [this](const pb::CommandReply& r) { return r.ticket() == m_tickets; });
    return found == replies.end() ? pb::CommandReply::default_instance() : *found;
}

void CoordinatorRig::release()
{
    std::deque<Step::Sent> late = std::move(withheld);
    withheld.clear();
    for (const Step::Sent& sent : late)
        deliver(sent);
}

CoordinatorRig::Member* CoordinatorRig::holder(pb::Role role, std::uint32_t number, std::uint32_t column)
{
    for (auto& [node, member] : members) {
        if (member.place.role() == role && member.place.number() == number && member.place.column() == column
            && coordinator.file().isHolder(Incarnation(member.place.incarnation())))
            return &member;
    }
    return nullptr;
}

pb::Message CoordinatorRig::overloadMessage(std::uint32_t bucket)
{
    Member* member = holder(pb::DATA, bucket);
    pb::Message message = member->sender.message();
    message.mutable_overload()->set_bucket(bucket);
    message.mutable_overload()->set_count(1000);
    return message;
}

std::size_t CoordinatorRig::count(Body body) const
{
    return std::size_t(
        std::count_if(log.begin(), log.end(), [body](const Step::Sent& s) { return s.message.body_case() == body; }));
}

std::size_t CoordinatorRig::count(Happened body) const
{
    return std::size_t(
        std::count_if(events.begin(), events.end(), [body](const pb::Event& e) { return e.body_case() == body; }));
}

Step CoordinatorRig::settle(Step step)
{
    Step all = step;
    note(step);
    const bool isOuter = !m_isSettling;
    m_isSettling = true;
    while (isOuter && !m_toCoordinator.empty()) {
        const pb::Message message = m_toCoordinator.front();
        m_toCoordinator.pop_front();
        const Step next = driven.message(message);
        all.sent.insert(all.sent.end(), next.sent.begin(), next.sent.end());
        all.multicasts.insert(all.multicasts.end(), next.multicasts.begin(), next.multicasts.end());
        all.events.insert(all.events.end(), next.events.begin(), next.events.end());
        all.replies.insert(all.replies.end(), next.replies.begin(), next.replies.end());
        note(next);
    }
    if (isOuter)
        m_isSettling = false;
    return all;
}

void CoordinatorRig::note(const Step& step)
{
    events.insert(events.end(), step.events.begin(), step.events.end());
    replies.insert(replies.end(), step.replies.begin(), step.replies.end());
    for (const auto& [pool, message] : step.multicasts) {
        log.push_back({ 0, Way::Auto, 0, message });
        // In a large pool not all answer in time; a few more than needed do.
        std::uint32_t wanted = m_hosts != 0 ? ~0u : message.invite().count() + 3;
        for (auto& [node, member] : members) {
            if (member.pool == pool && hearMulticast && wanted > 0)
                wanted -= answerInvitation(member, message.invite()) ? 1 : 0;
        }
    }
    for (const Step::Sent& sent : step.sent) {
        log.push_back(sent);
        if (withhold && withhold(sent))
            withheld.push_back(sent);
        else
            arrive(sent);
    }
}

void CoordinatorRig::deliver(const Step::Sent& sent)
{
    arrive(sent);
    settle(Step());
}

bool CoordinatorRig::answerInvitation(Member& member, const pb::Invite& invite)
{
    if (member.place.role() != pb::NO_ROLE || silent.contains(member.info.node())
        || invite.role() != member.info.pool())
        return false;
    if (member.invitation != 0 && member.invitation != invite.invitation())
        return false; // one open offer per server
    member.invitation = invite.invitation();
    pb::Message offer = member.sender.message();
    offer.mutable_offer()->set_invitation(invite.invitation());
    *offer.mutable_offer()->mutable_process() = member.info;
    m_toCoordinator.push_back(offer);
    return true;
}

void CoordinatorRig::prepared(Member& member, std::uint64_t split, std::uint32_t bucket)
{
    pb::Message message = member.sender.message();
    message.mutable_prepared()->set_split(split);
    message.mutable_prepared()->set_bucket(bucket);
    message.mutable_prepared()->set_moved(7);
    m_toCoordinator.push_back(message);
}

void CoordinatorRig::arrive(const Step::Sent& sent)
{
    const auto found = members.find(sent.to);
    if (found == members.end() || silent.contains(sent.to))
        return;
    Member& member = found->second;
    pb::Message answer = member.sender.message();
    answer.set_answers(sent.message.id());
    const pb::Message& message = sent.message;
    using B = pb::Message;
    switch (static_cast<int>(message.body_case())) {
    case B::kInvite: answerInvitation(member, message.invite()); return;
    case B::kConfirm:
        if (member.place.role() != pb::NO_ROLE && member.place.incarnation() != message.confirm().incarnation())
            return;
        member.place = message.confirm();
        member.pool = pb::NO_ROLE;
        member.invitation = 0;
        answer.mutable_ack();
        break;
    case B::kCancel:
        if (message.cancel().incarnation() == 0) {
            if (member.invitation == message.cancel().invitation())
                member.invitation = 0;
            return;
        }
        if (member.place.incarnation() == message.cancel().incarnation()) {
            member.place.Clear();
            member.pool = member.info.pool();
        }
        member.invitation = 0;
        answer.mutable_ack();
        break;
    case B::kEpoch:
        answer.mutable_epoch_ack()->set_epoch(message.epoch().view().epoch());
        answer.mutable_epoch_ack()->set_group(message.epoch().view().group());
        break;
    case B::kSplit: {
        answer.mutable_ack();
        m_toCoordinator.push_back(answer);
        prepared(member, message.split().split(), message.split().source());
        const auto target = members.find(message.split().target_holder().node());
        if (target != members.end() && !silent.contains(target->first))
            prepared(target->second, message.split().split(), message.split().target());
        return;
    }
    case B::kCommit: answer.mutable_applied()->set_split(message.commit().split()); break;
    case B::kAbort: answer.mutable_applied()->set_split(message.abort().split()); break;
    case B::kFinish: answer.mutable_ack(); break;
    case B::kAddParity: {
        answer.mutable_ack();
        m_toCoordinator.push_back(answer);
        if (message.add_parity().is_counted_on())
            return;
        pb::Message done = member.sender.message();
        done.mutable_contents_done()->set_group(message.add_parity().group());
        done.mutable_contents_done()->set_column(message.add_parity().column());
        done.mutable_contents_done()->set_records(11);
        done.mutable_contents_done()->set_incarnation(member.place.incarnation());
        m_toCoordinator.push_back(done);
        return;
    }
    default: return;
    }
    m_toCoordinator.push_back(answer);
}

} // namespace lhrs::test
