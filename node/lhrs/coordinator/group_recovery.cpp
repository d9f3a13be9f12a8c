// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/coordinator/group_recovery.h"

#include "common/failpoints.h"
#include "node/lhrs/growth/growth.h"
#include "node/lhrs/coordinator/recovery_report.h"

#include <algorithm>

namespace lhrs {

GroupRecovery::GroupRecovery(CoordinatorParts& parts, Growth& growth, GroupNumber g, Time now)
    : m_parts(parts), m_growth(growth), m_group(g), m_started(now), m_orders(parts),
      m_slice(parts.file.config().slice()), m_decode(parts.file.config().decode())
{
}

std::string GroupRecovery::words() const
{
    const std::string group = "group " + std::to_string(m_group.value);
    if (m_step == Step::Probe)
        return "probing " + group;
    if (m_step == Step::Wait)
        return group + " misses more members than its parity can replace";
    return m_step == Step::Lost ? group + " is lost" : "recovering " + group;
}

std::string GroupRecovery::underWay() const
{
    if (m_enlistment)
        return words() + m_enlistment->missing();
    return words() + (m_parity ? m_parity->missing() : std::string());
}

std::vector<Position> GroupRecovery::failedData() const
{
    std::vector<Position> failed;
    for (const auto& [q, member] : group().data) {
        if (member.hasFailed())
            failed.push_back(q);
    }
    return failed;
}

std::vector<ParityColumn> GroupRecovery::failedParity() const
{
    std::vector<ParityColumn> failed;
    for (const auto& [p, member] : group().parity) {
        if (member.hasFailed())
            failed.push_back(p);
    }
    return failed;
}

void GroupRecovery::resume(Time now, Effects& out)
{
    FileState::Group& g = group();
    g.isRecovering = true;
    if (g.state == pb::GROUP_LOST) {
        m_step = Step::Lost;
        announceLost(out); // it may have been lost just now: nothing is known of a bucket
        return;
    }
    for (ParityColumn p; p.value < g.k; p = p.next()) {
        if (!g.parity.contains(p))
            m_columnsToFill.insert(p); // lost, and its successor was not complete
    }
    for (const Position q : failedData())
        announceFailed(
            { pb::DATA, q.value }, "it had failed, or is silent, when the coordinator was started anew", out);
    for (const ParityColumn p : failedParity())
        announceFailed(
            { pb::PARITY, p.value }, "it had failed, or is silent, when the coordinator was started anew", out);
    if (failures() > g.k) {
        lose(now, out);
        return;
    }
    m_nextProbe = now;
    startOver(now, out);
}

// A member that is about to join the group is no loss: the operation that brings it in is undone.
bool GroupRecovery::isNew(MemberId id) const
{
    const bool isFilled = m_parity && !m_parity->isOver() && id == MemberId { pb::PARITY, m_parity->column().value };
    return isFilled || !m_parts.file.member(m_group, id.role, id.index) || m_growth.isOnItsWay(m_group, id);
}

std::uint32_t GroupRecovery::failures() const
{
    auto count = std::uint32_t(m_columnsToFill.size());
    for (const Position q : failedData())
        count += isNew({ pb::DATA, q.value }) ? 0 : 1;
    for (const ParityColumn p : failedParity())
        count += isNew({ pb::PARITY, p.value }) ? 0 : 1;
    return count;
}

void GroupRecovery::declare(MemberId id, const char* reason, Effects& out)
{
    FileState::MemberInfo* member = m_parts.file.member(m_group, id.role, id.index);
    if (!member)
        return; // an undo has removed it meanwhile
    member->state = pb::FAILED;
    member->isFenced = false;
    announceFailed(id, reason, out);
}

void GroupRecovery::announceFailed(MemberId id, const char* reason, Effects& out) const
{
    const FileState::MemberInfo* member = m_parts.file.member(m_group, id.role, id.index);
    const std::uint32_t failed = failures();
    auto* event = out.event().mutable_bucket_failed();
    event->set_group(m_group.value);
    event->set_role(id.role);
    event->set_index(
        id.role == pb::DATA ? bucketAt(m_group, Position(id.index), m_parts.file.config().m()).value : id.index);
    event->set_process(member->holder.node.value);
    event->set_k_left(group().k > failed ? group().k - failed : 0);
    event->set_reason(reason);
}

// ---- steps

void GroupRecovery::stop(Time now, Effects& out)
{
    m_orders.forget();
    if (m_enlistment)
        m_enlistment->stop(now, out);
    m_step = Step::Over;
}

void GroupRecovery::abortParity(Time now, Effects& out)
{
    if (!m_parity)
        return;
    if (!m_parity->isOver())
        m_parity->abort("another member of the group failed", now, out);
    endParity();
}

void GroupRecovery::endParity()
{
    if (!m_parity || !m_parity->isOver())
        return;
    if (!m_parity->wasUndone())
        m_columnsToFill.erase(m_parity->column());
    m_parity.reset();
}

void GroupRecovery::startOver(Time now, Effects& out)
{
    ++m_attempts;
    m_isEpochUntold = m_isEpochUntold || !m_orders.areDone();
    m_orders.forget();
    if (m_enlistment)
        m_enlistment->stop(now, out);
    m_enlistment.reset();
    abortParity(now, out);
    m_isRebuilt = false;
    m_step = Step::Settle;
    group().isRecovering = true;
    m_growth.onFailed(m_group, now, out);
    if (!exists()) { // the split that was to create it is undone
        m_step = Step::Over;
        return;
    }
    advance(now, out);
}

void GroupRecovery::newEpoch(pb::GroupState state, const char* reason, Time now, Effects& out)
{
    FileState::Group& g = group();
    g.epoch = g.epoch.next();
    g.state = state;
    m_isEpochUntold = false;
    m_orders.sendEpoch(m_group, now, out);
    m_parts.announceEpoch(m_group, reason, out);
}

void GroupRecovery::freeze(Time now, Effects& out)
{
    if (failedData().empty()) { // no cut and no recovery manager are needed
        degrade(now, out);
        return;
    }
    m_step = Step::Freeze;
    m_isFenced = false;
    m_fencedAt = now;
    FileState::Group& g = group();
    const auto isUp = [](const auto& m) { return m.second.state == pb::UP; };
    auto manager = g.parity.find(m_wantedManager);
    if (manager == g.parity.end() || !isUp(*manager))
        manager = std::find_if(g.parity.begin(), g.parity.end(), isUp);
    if (manager == g.parity.end()) {
        lose(now, out); // impossible while at most k members have failed
        return;
    }
    g.manager = manager->first;
    newEpoch(pb::GROUP_FROZEN, "members failed: changes wait until the survivors agree on one cut", now, out);
}

void GroupRecovery::degrade(Time now, Effects& out)
{
    m_step = Step::Degrade;
    newEpoch(pb::GROUP_DEGRADED, "the failed members are fenced; records of lost buckets are computed", now, out);
    advance(now, out);
}

void GroupRecovery::enlist(Time now, Effects& out)
{
    m_step = Step::Enlist;
    std::vector<Enlistment::Place> places;
    for (const Position q : failedData()) {
        const FileState::MemberInfo& member = group().data.at(q);
        Enlistment::Place place;
        place.role = pb::DATA;
        place.number = bucketAt(m_group, q, m_parts.file.config().m()).value;
        place.level = member.level;
        place.state = pb::RECOVERING;
        place.isHidden = true;
        places.push_back(place);
    }
    m_enlistment = std::make_unique<Enlistment>(m_parts);
    m_enlistment->start(m_group, std::move(places), false, words(), now, out);
    advance(now, out);
}

void GroupRecovery::rebuild(Time now, Effects& out)
{
    m_step = Step::Rebuild;
    m_recovery = (group().epoch.value << 16) + m_attempts;
    pb::Message message;
    auto* recover = message.mutable_recover();
    recover->set_group(m_group.value);
    recover->set_epoch(group().epoch.value);
    recover->set_recovery(m_recovery);
    recover->set_slice(m_slice);
    recover->set_decode(m_decode);
    auto* event = out.event().mutable_recovery_started();
    event->set_group(m_group.value);
    event->set_recovery(m_recovery);
    event->set_manager(group().manager.value);
    event->set_slice(m_slice);
    for (const Enlistment::Member& spare : m_enlistment->members()) {
        auto* entry = recover->add_spares();
        entry->set_role(pb::DATA);
        entry->set_index(positionOf(BucketNumber(spare.place.number), m_parts.file.config().m()).value);
        entry->set_level(spare.place.level);
        spare.holder.to(*entry->mutable_holder());
        event->add_buckets(spare.place.number);
    }
    m_orders.send(std::move(message), group().parity.at(group().manager).holder, now, out);
}

void GroupRecovery::enable(Time now, Effects& out)
{
    m_step = Step::Enable;
    m_rebuilt.clear();
    for (const Enlistment::Member& spare : m_enlistment->members()) {
        FileState::MemberInfo& member = group().data.at(
            positionOf(BucketNumber(spare.place.number), m_parts.file.config().m()));
        m_parts.file.unhide(spare.holder.incarnation);
        m_replaced.push_back(member.holder.incarnation);
        member.holder = spare.holder;
        member.state = pb::UP;
        member.isFenced = false;
        m_rebuilt.push_back(spare.place.number);
    }
    m_enlistment.reset(); // they are members now; a later failure does not release them
    newEpoch(pb::GROUP_DEGRADED, "the lost buckets are rebuilt; their former holders are fenced", now, out);
}

void GroupRecovery::refill(Time now, Effects& out)
{
    for (const Incarnation incarnation : std::exchange(m_replaced, {})) // their successors have acknowledged
        m_parts.file.replaced().add(incarnation);
    if (m_step == Step::Enable) {
        auto* event = out.event().mutable_recovery_finished();
        event->set_recovery(m_recovery);
        for (const std::uint32_t number : m_rebuilt)
            event->add_buckets(number);
        event->set_total_ns((now - m_started).count());
        reportRecovery(m_group, group().manager, m_parts.file.config(), m_done, *event);
    }
    m_step = Step::Refill;
    for (const ParityColumn p : failedParity()) {
        m_columnsToFill.insert(p);
        group().parity.erase(p);
    }
    endParity();
    if (m_parity)
        return;
    if (m_columnsToFill.empty()) {
        restore(now, out);
        return;
    }
    m_parity = std::make_unique<ParityCreation>(m_parts, m_group, *m_columnsToFill.begin(), 0, now);
    m_parity->start(now, out);
}

void GroupRecovery::restore(Time now, Effects& out)
{
    m_step = Step::Restore;
    newEpoch(pb::GROUP_UP, "all members of the group are back", now, out);
    advance(now, out);
}

void GroupRecovery::advance(Time now, Effects& out)
{
    if (m_step == Step::Settle) {
        endParity(); // before the new failures count, because it may be one of them
        if (!m_growth.isSettled(m_group) || m_parity)
            return;
        if (failures() == 0 && group().state == pb::GROUP_UP) { // only members that were about to join have failed
            if (m_isEpochUntold) { // members that missed that epoch would never receive it
                restore(now, out);
                return;
            }
            group().isRecovering = false;
            m_step = Step::Over;
            return;
        }
        freeze(now, out);
        return;
    }
    if (!m_orders.areDone())
        return;
    switch (m_step) {
    case Step::Freeze:
        m_step = Step::Cut;
        if (m_isRebuilt) { // CutDone arrived before the last acknowledgement
            m_isRebuilt = false;
            degrade(now, out);
        }
        return;
    case Step::Degrade:
        for (const ParityColumn p : failedParity()) // from now on data buckets make changes without them
            m_parts.file.replaced().add(group().parity.at(p).holder.incarnation);
        if (failedData().empty())
            refill(now, out);
        else
            enlist(now, out);
        return;
    case Step::Enlist:
        if (m_enlistment->isConfirmed())
            rebuild(now, out);
        return;
    case Step::Rebuild:
        if (m_isRebuilt)
            m_step = Step::Fence;
        if (m_step != Step::Fence)
            return;
        [[fallthrough]];
    case Step::Fence:
        if (m_isFenced || LHRS_MUTANT(EnabledBeforeFence))
            enable(now, out);
        return;
    case Step::Enable: refill(now, out); return;
    case Step::Restore:
        group().isRecovering = false;
        m_step = Step::Over;
        return;
    case Step::Probe:
    case Step::Wait:
    case Step::Settle:
    case Step::Cut:
    case Step::Refill:
    case Step::Over:
    case Step::Lost:
    case Step::Bury: return;
    case Step::Renew:
        if (m_enlistment->isConfirmed())
            renewed(now, out);
        return;
    case Step::Renewed: refill(now, out); return;
    }
}

// ---- incoming messages

void GroupRecovery::onEpochAck(const pb::EpochAck& ack, Time now)
{
    if (m_step == Step::Freeze && ack.group() == m_group.value && ack.epoch() == group().epoch.value)
        m_fencedAt = std::max(m_fencedAt, now + std::chrono::milliseconds(ack.lease_left_ms()) * 11 / 10);
}

void GroupRecovery::onCutDone(const pb::CutDone& done, Time now, Effects& out)
{
    if (done.epoch() != group().epoch.value || done.group() != m_group.value)
        return;
    if (done.unusable_size() > 0) {
        for (const std::uint32_t p : done.unusable())
            declare({ pb::PARITY, p }, "it lacks a change that nobody has any more", out);
        if (failures() > group().k)
            lose(now, out);
        else
            startOver(now, out);
        return;
    }
    if (m_step == Step::Cut)
        degrade(now, out);
    else if (m_step == Step::Freeze)
        m_isRebuilt = true; // kept until all members have acknowledged the epoch
}

void GroupRecovery::onRecoveryDone(const pb::RecoveryDone& done, Time now, Effects& out)
{
    if (m_step != Step::Rebuild || done.recovery() != m_recovery)
        return;
    m_isRebuilt = true;
    m_done = done;
    advance(now, out);
}

void GroupRecovery::onContentsDone(const pb::ContentsDone& done, Time now, Effects& out)
{
    if (m_parity)
        m_parity->onContentsDone(done, now, out);
}

bool GroupRecovery::onOffer(const pb::Message& message, Time now, Effects& out)
{
    const bool isOurs = (m_enlistment && m_enlistment->onOffer(message, now, out))
        || (m_parity && m_parity->onOffer(message, now, out));
    return isOurs;
}

void GroupRecovery::onAcknowledged(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_parity)
        m_parity->onAcknowledged(entry, now, out);
    if (m_orders.onAcknowledged(entry) || (m_enlistment && m_enlistment->onAcknowledged(entry)))
        advance(now, out);
}

void GroupRecovery::onGivenUp(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_enlistment)
        m_enlistment->onGivenUp(entry, now, out);
    if (m_parity)
        m_parity->onGivenUp(entry, now, out);
}

void GroupRecovery::onTime(Time now, Effects& out)
{
    if (!exists()) {
        m_step = Step::Over;
        return;
    }
    if (m_enlistment)
        m_enlistment->onTime(now, out);
    if (m_parity)
        m_parity->onTime(now, out);
    if (!m_isFenced && m_step > Step::Freeze && m_step < Step::Over && m_fencedAt <= now) {
        m_isFenced = true;
        for (auto& [q, member] : group().data)
            member.isFenced = member.isFenced || member.hasFailed();
    }
    if (m_step == Step::Settle || m_step == Step::Fence)
        advance(now, out);
    if (m_step == Step::Refill)
        refill(now, out);
    if (m_step == Step::Over)
        return;
    if (m_step == Step::Bury || m_step == Step::Renew) {
        bury(now, out);
        return;
    }
    if (looksAgainAt() <= now) {
        if (!m_isProbing)
            probe(now, out);
        else if (m_tries < m_parts.acks.timers().probes_max())
            sendProbes(now, out);
        else
            conclude(now, out);
    }
}

Time GroupRecovery::deadline() const
{
    Time earliest = looksAgainAt();
    if (m_enlistment)
        earliest = std::min(earliest, m_enlistment->deadline());
    if (m_parity)
        earliest = std::min(earliest, m_parity->deadline());
    if (!m_isFenced && m_step > Step::Freeze && m_step < Step::Over)
        earliest = std::min(earliest, m_fencedAt);
    return earliest;
}

} // namespace lhrs
