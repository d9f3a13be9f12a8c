// SPDX-License-Identifier: GPL-3.0-or-later
// A coordinator that starts while its file is running: it listens, rebuilds the file state from the reports of the
// buckets, settles what was under way, and continues.
#include "node/lhrs/coordinator/coordinator.h"

#include <algorithm>
#include <limits>

namespace lhrs {

void Coordinator::listen(const pb::Message& message, Time now, Effects& out)
{
    // All other messages are ignored for now; their senders repeat them until they are acknowledged.
    if (message.has_alive()) {
        const pb::Alive& alive = message.alive();
        m_directory.learn(alive, now);
        if (alive.knows_file())
            m_rebuild->hearsOfFile();
        if (alive.role() != pb::NO_ROLE)
            m_rebuild->expect(NodeId(alive.process().node()), Incarnation(alive.incarnation()));
        // For a client the question is a sign of life.
        askForState(message, now, out);
    } else if (message.has_state_report() && isOfNow(message.state_report(), now)) {
        if (message.state_report().process().kind() == pb::NODE)
            hearsServer(now);
        onStateReport(message, now, out);
    }
}

bool Coordinator::isOfNow(const pb::StateReport& report, Time now) const
{
    const Time asked(report.asked_ns());
    return report.asked_by() == m_self.node() && asked >= m_listensSince && asked <= now
        && now - asked < FileRebuild::kPromise;
}

void Coordinator::askForState(const pb::Message& message, Time now, Effects& out) const
{
    pb::Message& question = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    question.mutable_report_state()->set_asked_by(m_self.node());
    question.mutable_report_state()->set_asked_ns(std::uint64_t(now.count()));
}

void Coordinator::listenAnewAfterSleep(Time now, Effects& out)
{
    // While it is awake, the coordinator runs every alive_ms. One that was stopped heard only a few processes, long
    // ago, but its listening time has run out.
    if (now - m_nextLook < std::chrono::milliseconds(m_acks.timers().alive_ms()))
        return;
    m_rebuild = newRebuild();
    m_listensSince = now;
    m_listensUntil = Time::max();
    m_nextLook = now;
    out.event().mutable_coordinator_listening()->set_listens_ms(m_acks.timers().restart_ms());
}

std::unique_ptr<FileRebuild> Coordinator::newRebuild() const
{
    auto rebuild = std::make_unique<FileRebuild>();
    if (m_isFileKnown)
        rebuild->hearsOfFile();
    return rebuild;
}

void Coordinator::hearsServer(Time now)
{
    // The listening time counts from the first report of a server. A coordinator that hears no server is cut off. It
    // would assume that a running file does not exist and reuse the numbers of another coordinator.
    if (m_listensUntil != Time::max())
        return;
    const Time listens = std::chrono::milliseconds(m_acks.timers().restart_ms());
    m_listensUntil = now + listens;
    m_listensAtMost = now + std::max(listens, Time(std::chrono::milliseconds(m_acks.timers().lost_ms())));
}

void Coordinator::onStateReport(const pb::Message& message, Time now, Effects& out)
{
    const pb::StateReport& report = message.state_report();
    if (m_rebuild) {
        m_directory.learn(report.process(), now);
        m_rebuild->add(report);
        return;
    }
    m_policy.learn(report, out); // at any time: the report says since when its setting has applied
    if (!isOfNow(report, now))
        return;
    m_directory.learn(report.process(), now);
    if (m_unheard.erase(Incarnation(report.incarnation())) > 0)
        settleForgotten(report, now, out);
}

void Coordinator::settleForgotten(const pb::StateReport& report, Time now, Effects& out)
{
    if (report.role() != pb::DATA || !m_file.isHolder(Incarnation(report.incarnation())))
        return;
    const BucketNumber bucket(report.number());
    for (const pb::OpenSplit& part : report.splits()) {
        const bool isOfFormer = part.split() >> 32 < m_file.coordinatorEpoch();
        if (!isOfFormer || m_growth.isUnderWay(part.split()))
            continue;
        pb::Message message;
        if (part.step() == pb::OpenSplit::COMMITTED) {
            // All other members have carried it out, or it would still be under way. A source that does not learn of
            // this accepts no other order.
            if (!part.is_merge() && part.source() == bucket.value) {
                message.mutable_finish()->set_split(part.split());
                m_takeover.send(message, m_file.data(bucket), now, out);
            }
            continue;
        }
        // It was not decided. A decision requires the reports of all members, so another member would know of it.
        message.mutable_abort()->set_split(part.split());
        message.mutable_abort()->set_bucket(bucket.value);
        message.mutable_abort()->set_reason("the coordinator was started anew and did not hear of it");
        m_takeover.send(message, m_file.data(bucket), now, out);
        for (const auto& [p, member] : m_file.group(m_file.groupOf(bucket)).parity)
            m_takeover.send(message, &member, now, out);
    }
}

void Coordinator::endListening(Time now, Effects& out)
{
    if (now < m_listensUntil)
        return;
    m_rebuild->forgetBefore(now - FileRebuild::kPromise);
    // If nothing of a file can be heard, the coordinator waits until an operator gives the file up.
    const bool mayWait = now < m_listensAtMost || m_rebuild->isFileSilent();
    if (!m_rebuild->missing().empty() && mayWait) {
        m_listensUntil = now + Time(100ms);
        return;
    }
    takeOver(now, out);
}

void Coordinator::takeOver(Time now, Effects& out)
{
    const std::unique_ptr<FileRebuild> rebuild = std::move(m_rebuild);
    const std::uint64_t epoch = rebuild->nextCoordinatorEpoch();
    m_file.setCoordinatorEpoch(epoch);
    // Does not reuse any number that the former coordinator may have assigned.
    m_acks.startAt((epoch - 1) << 40);
    m_invitations.last = (epoch - 1) << 32;
    const pb::StateReport* recoveryTold = rebuild->recoveryTold();
    if (!rebuild->hasFile()) {
        if (recoveryTold)
            m_policy.startAnew();
        return;
    }
    m_isFileNew = false;
    m_file.adopt(rebuild->config());
    if (recoveryTold)
        m_policy.learn(*recoveryTold, out);
    m_acks.setTimers(rebuild->timers());
    const FileRebuild::Found found = rebuild->build(m_file);
    auto* event = out.event().mutable_coordinator_rebuilt();
    event->set_coordinator_epoch(epoch);
    event->set_buckets(m_file.buckets());
    event->set_groups(std::uint32_t(m_file.groups().size()));
    event->set_silent(std::uint32_t(found.silent.size()));
    event->set_open_splits(std::uint32_t(found.splits.size()));

    std::vector<GroupNumber> groups;
    for (auto& [g, group] : m_file.groups()) {
        groups.push_back(g);
        group.epoch = group.epoch.next();
        // A cut that was under way is agreed on anew once the splits of the former coordinator are settled. Until then
        // no parity bucket may manage it, because an undecided batch has no cut.
        if (group.state == pb::GROUP_FROZEN)
            group.manager = ParityColumn(std::numeric_limits<std::uint32_t>::max());
        m_takeover.sendEpoch(g, now, out);
        m_parts.announceEpoch(g, "the coordinator was started anew", out);
        for (const auto& [q, member] : group.data) {
            pb::Message message;
            message.mutable_rearm();
            if (member.state == pb::UP)
                m_takeover.send(std::move(message), &member, now, out);
        }
    }
    std::vector<SplitWave::Unfinished> unfinished;
    for (const FileRebuild::Split& split : found.splits) {
        if (split.isMerge)
            m_growth.resumeMerge(split.split, split.isDecided, now, out);
        else
            unfinished.push_back({ split.split, { split.level - 1, split.source.value }, split.isDecided });
    }
    if (!unfinished.empty())
        m_growth.resumeSplits(unfinished, now, out);
    for (const FileRebuild::Silent& silent : found.silent) {
        if (const FileState::MemberInfo* member = m_file.member(silent.group, silent.member.role, silent.member.index))
            m_unheard.insert(member->holder.incarnation);
    }
    for (const pb::StateReport* report : rebuild->reports())
        settleForgotten(*report, now, out);
    for (const GroupNumber g : groups) {
        const auto group = m_file.groups().find(g);
        if (group == m_file.groups().end())
            continue; // a split that is undone was to create it
        const auto hasFailed = [](const auto& m) { return m.second.hasFailed(); };
        const bool isSilent = std::any_of(
            found.silent.begin(), found.silent.end(), [g](const FileRebuild::Silent& s) { return s.group == g; });
        const bool isIll = group->second.state != pb::GROUP_UP || group->second.parity.size() < group->second.k
            || std::any_of(group->second.data.begin(), group->second.data.end(), hasFailed)
            || std::any_of(group->second.parity.begin(), group->second.parity.end(), hasFailed);
        if (isIll)
            m_failures.resume(g, now, out);
        else if (isSilent)
            m_failures.suspect(g, now, out);
    }
    m_growth.announce(out);
}

void Coordinator::onSuperseded(const pb::Message& message, Effects& out)
{
    const std::uint64_t epoch = message.superseded().coordinator_epoch();
    if (epoch <= m_file.coordinatorEpoch())
        return;
    m_isSuperseded = true;
    out.event().mutable_coordinator_superseded()->set_coordinator_epoch(epoch);
}

} // namespace lhrs
