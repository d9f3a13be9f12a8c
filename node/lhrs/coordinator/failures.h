// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/coordinator_parts.h"
#include "node/lhrs/coordinator/group_recovery.h"
#include "node/lhrs/growth/growth.h"

#include <deque>
#include <map>
#include <memory>
#include <string>

namespace lhrs {

// Detects that members of a group have failed and starts the recovery of each such group. Recoveries of different
// groups run in parallel.
class Failures {
public:
    Failures(CoordinatorParts& parts, Growth& growth) : m_parts(parts), m_growth(growth) { }

    // A member of the group was missed: probes all members, unless a probing is under way.
    void suspect(GroupNumber g, Time now, Effects& out);
    // Resumes with a group that a former coordinator knew to be unwell, or that has silent members.
    void resume(GroupNumber g, Time now, Effects& out);
    // An operator's commands.
    void recover(const pb::RecoverGroup& order, Time now, Effects& out);
    void acknowledgeLoss(GroupNumber g, std::uint64_t ticket, Time now, Effects& out);
    // A client reports a bucket that does not answer. The answer is a Location, or the Reply of a parity bucket.
    void onAlarm(const pb::Message& message, Time now, Effects& out);
    void onSuspect(const pb::Message& message, Time now, Effects& out);
    void onProbeReply(const pb::Message& message, Time now, Effects& out);
    void onEpochAck(const pb::EpochAck& ack, Time now);
    void onCutDone(const pb::Message& message, Time now, Effects& out);
    void onRecoveryDone(const pb::Message& message, Time now, Effects& out);
    void onContentsDone(const pb::ContentsDone& done, Time now, Effects& out);
    bool onOffer(const pb::Message& message, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

    bool isAtRest() const { return m_groups.empty(); }
    std::string underWay() const;
    // Why an operator's command cannot be carried out; "" if it can be.
    std::string refusal(GroupNumber g) const;
    std::string refusal(const pb::RecoverGroup& order) const;

private:
    bool isOn() const { return m_parts.file.config().recovery() != pb::RECOVERY_OFF; }
    void tellOfSuspicion(GroupNumber g, pb::Role role, std::uint32_t index, const char* reason, Effects& out) const;
    void answerAlarm(const pb::Message& message, Time now, Effects& out);
    void keepMissed(GroupNumber g, const pb::Alarm& alarm);
    void answerMissed(Effects& out);
    bool handOver(GroupNumber g, const pb::Alarm& alarm, Effects& out);
    void sweep(Time now, Effects& out);
    void dropVanished(Time now, Effects& out);

    CoordinatorParts& m_parts;
    Growth& m_growth;
    std::map<GroupNumber, std::unique_ptr<GroupRecovery>> m_groups;
    // Searches whose bucket was not yet known to have failed when the client missed an answer, oldest first.
    std::map<GroupNumber, std::deque<pb::Alarm>> m_missed;
    std::map<GroupNumber, Time> m_provenLive; // when all members of the group last answered
    Time m_nextSweep {};
};

} // namespace lhrs
