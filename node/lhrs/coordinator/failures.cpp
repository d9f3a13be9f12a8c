// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/coordinator/failures.h"

#include "common/lhrs/failpoint_list.h"
#include "node/lhrs/group/bucket_parts.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr Time kSweep = 50ms; // time between two checks for orders that are not acknowledged
constexpr std::uint32_t kAskAgainAfterMs = 25;
constexpr std::size_t kMissedMax = 64; // searches kept for a group; clients ask again anyway
constexpr Time kProvenLive = 300ms; // how long an answer to a probe counts as proof

} // namespace

void Failures::suspect(GroupNumber g, Time now, Effects& out)
{
    if (!isOn() || !m_parts.file.exists() || !m_parts.file.groups().contains(g))
        return;
    std::unique_ptr<GroupRecovery>& recovery = m_groups[g];
    if (!recovery || recovery->isOver()) // a recovery that is over is only removed by onTime
        recovery = std::make_unique<GroupRecovery>(m_parts, m_growth, g, now);
    recovery->probe(now, out);
}

void Failures::resume(GroupNumber g, Time now, Effects& out)
{
    if (!isOn() || !m_parts.file.groups().contains(g))
        return;
    std::unique_ptr<GroupRecovery>& recovery = m_groups[g];
    recovery = std::make_unique<GroupRecovery>(m_parts, m_growth, g, now);
    recovery->resume(now, out);
}

std::string Failures::refusal(GroupNumber g) const
{
    if (!isOn())
        return "nothing is recovered in this file; start the coordinator with --recovery automatic, alarm or manual";
    return m_parts.file.groups().contains(g) ? "" : "there is no group " + std::to_string(g.value);
}

std::string Failures::refusal(const pb::RecoverGroup& order) const
{
    const GroupNumber g(order.all() ? 0 : order.group());
    const std::string words = refusal(g);
    if (!words.empty() || order.manager() == 0)
        return words;
    if (order.all())
        return "a recovery manager is a parity bucket of one group; name the group";
    const std::uint32_t column = order.manager() - 1;
    const std::string name = "parity bucket " + std::to_string(g.value) + "." + std::to_string(column);
    const auto& parity = m_parts.file.groups().at(g).parity;
    const auto found = parity.find(ParityColumn(column));
    if (found == parity.end())
        return name + " does not exist, so it cannot be the recovery manager: the group has "
            + std::to_string(parity.size());
    return found->second.state == pb::UP ? "" : name + " is not up, so it cannot be the recovery manager";
}

void Failures::recover(const pb::RecoverGroup& order, Time now, Effects& out)
{
    std::vector<GroupNumber> groups;
    for (const auto& [g, group] : m_parts.file.groups()) {
        if (order.all() || g.value == order.group())
            groups.push_back(g);
    }
    for (const GroupNumber g : groups) {
        suspect(g, now, out);
        if (const auto recovery = m_groups.find(g); recovery != m_groups.end())
            recovery->second->setWay(order);
    }
}

void Failures::acknowledgeLoss(GroupNumber g, std::uint64_t ticket, Time now, Effects& out)
{
    const auto recovery = m_groups.find(g);
    if (recovery == m_groups.end())
        m_parts.refuse(ticket, pb::REFUSED, "group " + std::to_string(g.value) + " is not lost", out);
    else
        recovery->second->acknowledgeLoss(ticket, now, out);
}

void Failures::onSuspect(const pb::Message& message, Time now, Effects& out)
{
    NodeContext::acknowledge(message, out);
    const pb::Suspect& suspected = message.suspect();
    const HolderInfo holder = HolderInfo::from(suspected.suspect().holder());
    if (!isOn() || m_parts.file.config().recovery() != pb::RECOVERY_AUTOMATIC
        || !m_parts.file.isHolder(holder.incarnation))
        return;
    const GroupNumber g(suspected.group());
    tellOfSuspicion(g, suspected.suspect().role(),
        suspected.suspect().role() == pb::DATA
            ? bucketAt(g, Position(suspected.suspect().index()), m_parts.file.config().m()).value
            : suspected.suspect().index(),
        "a member of its group has not heard of it", out);
    suspect(g, now, out);
}

// Names the member as events do, in which data buckets are numbered through the whole file.
void Failures::tellOfSuspicion(
    GroupNumber g, pb::Role role, std::uint32_t index, const char* reason, Effects& out) const
{
    auto* event = out.event().mutable_member_suspected();
    event->set_group(g.value);
    event->set_role(role);
    event->set_index(index);
    event->set_reason(reason);
}

void Failures::onAlarm(const pb::Message& message, Time now, Effects& out)
{
    const pb::Alarm& alarm = message.alarm();
    const pb::Member& accused = alarm.suspect();
    if (accused.role() == pb::DATA) {
        answerAlarm(message, now, out);
        return;
    }
    NodeContext::acknowledge(message, out);
    if (isOn() && m_parts.file.config().recovery() != pb::RECOVERY_MANUAL
        && m_parts.file.isHolder(Incarnation(accused.holder().incarnation()))) {
        tellOfSuspicion(GroupNumber(alarm.group()), accused.role(), accused.index(),
            "a data bucket has no acknowledgement of it", out);
        suspect(GroupNumber(alarm.group()), now, out);
    }
}

void Failures::answerAlarm(const pb::Message& message, Time now, Effects& out)
{
    if (out.fires(Failpoint::AlarmUnanswered))
        return;
    // Demo paper, section 4(d): is it an addressing error, or is the bucket unavailable? The two are checked in this
    // order.
    const pb::Alarm& alarm = message.alarm();
    FileState& file = m_parts.file;
    const BucketNumber accused(alarm.suspect().index());
    // A client that knows that the bucket has failed wants the record, not a Location.
    if (alarm.knows_unavailable() && isOn() && alarm.has_request() && file.location(accused).exists()
        && handOver(file.groupOf(accused), alarm, out))
        return;
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    pb::Location& location = *answer.mutable_location();
    location = file.location(accused);
    if (!isOn() || (!alarm.has_request() && !alarm.is_scan()) || !location.exists())
        return;
    const BucketNumber right = addressOf(addressed(Key(alarm.request().key()), file.config()), file.image());
    if (right != accused && !alarm.is_scan()) { // a scan is for a bucket, not for a key
        location.set_adopt_file(true);
        // The accused bucket forwarded the request to a process that no longer exists: its location of the right bucket
        // is out of date.
        const FileState::MemberInfo& forwarder = *file.data(accused);
        if (!forwarder.hasFailed() && !out.fires(Failpoint::HintLeftOut))
            *out.send(forwarder.holder.address, Way::Auto, 0, forwarder.holder.node).mutable_location() = file.location(
                right);
        return;
    }
    const GroupNumber g = file.groupOf(accused);
    const FileState::MemberInfo& member = *file.data(accused);
    const Incarnation told(alarm.suspect().holder().incarnation());
    if (!member.hasFailed()) {
        // The location is outdated or missing, or all members have just answered and none has been missed since: the
        // client should retry there.
        const auto proven = m_provenLive.find(g);
        if (told != member.holder.incarnation
            || (!m_groups.contains(g) && proven != m_provenLive.end() && now - proven->second < kProvenLive))
            return;
        if (file.config().recovery() != pb::RECOVERY_MANUAL) {
            tellOfSuspicion(g, pb::DATA, accused.value, "a client has no answer of it", out);
            suspect(g, now, out);
        }
        if (m_groups.contains(g)) {
            location.set_retry_after_ms(kAskAgainAfterMs);
            keepMissed(g, alarm);
        }
        return;
    }
    if (member.state == pb::MEMBER_LOST)
        return;
    location.set_retry_after_ms(kAskAgainAfterMs);
    if (!handOver(g, alarm, out))
        keepMissed(g, alarm);
}

void Failures::keepMissed(GroupNumber g, const pb::Alarm& alarm)
{
    if (!alarm.is_search())
        return;
    std::deque<pb::Alarm>& missed = m_missed[g];
    const pb::RequestId& request = alarm.request().request();
    std::erase_if(missed, [&](const pb::Alarm& kept) {
        const pb::RequestId& other = kept.request().request();
        return other.client() == request.client() && other.number() == request.number();
    });
    missed.push_back(alarm);
    if (missed.size() > kMissedMax)
        missed.pop_front();
}

// Demo paper, section 4(d): the missed record is recovered before its bucket. Otherwise the client that raised the
// first alarm would find the bucket already rebuilt when it asks again.
void Failures::answerMissed(Effects& out)
{
    std::erase_if(m_missed, [&](const auto& item) {
        const auto recovery = m_groups.find(item.first);
        if (recovery == m_groups.end())
            return true;
        if (!recovery->second->servesRecords())
            return false;
        for (const pb::Alarm& alarm : item.second)
            handOver(item.first, alarm, out);
        return true;
    });
}

// Hands the search to the first parity bucket, which answers the client. The order is not acknowledged, because the
// client asks again. Returns false if this is impossible now.
bool Failures::handOver(GroupNumber g, const pb::Alarm& alarm, Effects& out)
{
    FileState& file = m_parts.file;
    const BucketNumber accused(alarm.suspect().index());
    const FileState::MemberInfo* member = file.data(accused);
    const auto recovery = m_groups.find(g);
    // A split that was decided since then may have moved the key; the parity of the former bucket would report it as
    // definitely not found.
    if (addressOf(addressed(Key(alarm.request().key()), file.config()), file.image()) != accused)
        return false;
    if (!alarm.is_search() || !member || member->state != pb::FAILED || recovery == m_groups.end()
        || !recovery->second->servesRecords())
        return false;
    for (const auto& [p, parity] : file.group(g).parity) {
        if (parity.state != pb::UP)
            continue;
        out.serve(alarm.request().request());
        pb::Message& order = out.send(parity.holder.address, Way::Auto, 0, parity.holder.node);
        auto* recover = order.mutable_recover_record();
        recover->set_group(g.value);
        recover->set_epoch(file.group(g).epoch.value);
        *recover->mutable_request() = alarm.request();
        recover->set_position(positionOf(accused, file.config().m()).value);
        return true;
    }
    return false;
}

void Failures::dropVanished(Time now, Effects& out)
{
    // A group that a split was to create ends when the split is undone, whatever its members have done since.
    std::erase_if(m_groups, [&](auto& item) {
        if (m_parts.file.groups().contains(item.first))
            return false;
        item.second->stop(now, out);
        return true;
    });
}

void Failures::onProbeReply(const pb::Message& message, Time now, Effects& out)
{
    dropVanished(now, out);
    for (auto& [g, recovery] : m_groups)
        recovery->onProbeReply(message.probe_reply(), NodeId(message.sender()), now, out);
}

void Failures::onEpochAck(const pb::EpochAck& ack, Time now)
{
    const auto recovery = m_groups.find(GroupNumber(ack.group()));
    if (recovery != m_groups.end() && m_parts.file.groups().contains(recovery->first))
        recovery->second->onEpochAck(ack, now);
}

void Failures::onCutDone(const pb::Message& message, Time now, Effects& out)
{
    dropVanished(now, out);
    NodeContext::acknowledge(message, out);
    const auto recovery = m_groups.find(GroupNumber(message.cut_done().group()));
    if (recovery != m_groups.end())
        recovery->second->onCutDone(message.cut_done(), now, out);
}

void Failures::onRecoveryDone(const pb::Message& message, Time now, Effects& out)
{
    dropVanished(now, out);
    NodeContext::acknowledge(message, out);
    const auto recovery = m_groups.find(GroupNumber(message.recovery_done().group()));
    if (recovery != m_groups.end())
        recovery->second->onRecoveryDone(message.recovery_done(), now, out);
}

void Failures::onContentsDone(const pb::ContentsDone& done, Time now, Effects& out)
{
    dropVanished(now, out);
    const auto recovery = m_groups.find(GroupNumber(done.group()));
    if (recovery != m_groups.end())
        recovery->second->onContentsDone(done, now, out);
}

bool Failures::onOffer(const pb::Message& message, Time now, Effects& out)
{
    dropVanished(now, out);
    return std::any_of(
        m_groups.begin(), m_groups.end(), [&](auto& item) { return item.second->onOffer(message, now, out); });
}

void Failures::onAcknowledged(const AckList::Entry& entry, Time now, Effects& out)
{
    dropVanished(now, out);
    for (auto& [g, recovery] : m_groups)
        recovery->onAcknowledged(entry, now, out);
    answerMissed(out);
}

void Failures::onGivenUp(const AckList::Entry& entry, Time now, Effects& out)
{
    dropVanished(now, out);
    for (auto& [g, recovery] : m_groups)
        recovery->onGivenUp(entry, now, out);
    answerMissed(out);
}

void Failures::sweep(Time now, Effects& out)
{
    if (m_parts.file.config().recovery() != pb::RECOVERY_AUTOMATIC || now < m_nextSweep)
        return;
    m_nextSweep = now + kSweep;
    for (const NodeId node : m_parts.acks.silent()) {
        const auto g = m_parts.file.groupOfNode(node);
        if (g && !m_groups.contains(*g))
            suspect(*g, now, out);
    }
}

void Failures::onTime(Time now, Effects& out)
{
    dropVanished(now, out);
    sweep(now, out);
    for (auto& [g, recovery] : m_groups)
        recovery->onTime(now, out);
    answerMissed(out);
    std::erase_if(m_groups, [&](const auto& item) {
        if (item.second->isOver())
            m_provenLive[item.first] = now;
        return item.second->isOver() || !m_parts.file.groups().contains(item.first);
    });
}

Time Failures::deadline() const
{
    Time earliest = m_parts.file.config().recovery() == pb::RECOVERY_AUTOMATIC && m_parts.file.exists() ? m_nextSweep
                                                                                                        : Time::max();
    for (const auto& [g, recovery] : m_groups)
        earliest = std::min(earliest, recovery->isOver() ? Time() : recovery->deadline());
    return earliest;
}

std::string Failures::underWay() const { return m_groups.empty() ? "" : m_groups.begin()->second->underWay(); }

} // namespace lhrs
