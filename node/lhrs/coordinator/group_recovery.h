// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/failpoints.h"
#include "node/lhrs/growth/enlistment.h"
#include "node/lhrs/group/lease.h"
#include "node/lhrs/growth/orders.h"
#include "node/lhrs/growth/parity_creation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace lhrs {

class Growth;

// The recovery of one group in which not all members answer. It determines the failed members and fences them by new
// epochs. Then it has the recovery manager rebuild the lost data buckets, and it replaces lost parity buckets by new
// ones.
//
//   probe -> (all live) over
//     \--> settle -> freeze -> cut -> degrade -> enlist -> rebuild -> fence -> enable -> refill -> restore -> over
//                \--(only parity buckets failed)--^                                        ^
//                                                    \--(no data bucket failed)-----------/
//   more failed than k: wait -> (some came back) settle | (10 s) lost
//   lost -> (an operator takes note) bury -> renew -> renewed -> refill -> restore -> over
//
// A further failure at any step starts over at settle, with more members failed.
class GroupRecovery {
public:
    GroupRecovery(CoordinatorParts& parts, Growth& growth, GroupNumber g, Time now);

    // Resumes what a former coordinator had begun: from the start, with the members that the former one had declared
    // failed.
    void resume(Time now, Effects& out);
    // How slices ordered from now on are recovered, in place of the file's setting.
    void setWay(const pb::RecoverGroup& order)
    {
        m_slice = order.slice() != 0 ? order.slice() : m_parts.file.config().slice();
        m_decode = order.decode() != pb::DECODE_AUTO ? order.decode() : m_parts.file.config().decode();
        m_wantedManager = ParityColumn(std::max(order.manager(), 1u) - 1);
    }
    // Probes all members that are not known to have failed; does nothing if a probing is under way.
    void probe(Time now, Effects& out);
    void onProbeReply(const pb::ProbeReply& reply, NodeId from, Time now, Effects& out);
    void onEpochAck(const pb::EpochAck& ack, Time now);
    void onCutDone(const pb::CutDone& done, Time now, Effects& out);
    void onRecoveryDone(const pb::RecoveryDone& done, Time now, Effects& out);
    void onContentsDone(const pb::ContentsDone& done, Time now, Effects& out);
    bool onOffer(const pb::Message& message, Time now, Effects& out);
    void onAcknowledged(const AckList::Entry& entry, Time now, Effects& out);
    void onGivenUp(const AckList::Entry& entry, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

    // An operator acknowledges the loss. The lost buckets come back empty, unless one of the former processes still
    // answers.
    void acknowledgeLoss(std::uint64_t ticket, Time now, Effects& out);

    // The group no longer exists.
    void stop(Time now, Effects& out);
    bool isOver() const { return m_step == Step::Over; }
    // Whether records of failed buckets can be computed now.
    bool servesRecords() const
    {
        return m_step >= (LHRS_MUTANT(ReadBeforeCut) ? Step::Freeze : Step::Enlist) && m_step <= Step::Enable;
    }
    std::string words() const;
    // The same, including what the recovery is waiting for.
    std::string underWay() const;

private:
    enum class Step {
        Probe,
        Wait,
        Settle,
        Freeze,
        Cut,
        Degrade,
        Enlist,
        Rebuild,
        Fence,
        Enable,
        Refill,
        Restore,
        Over,
        Lost,
        Bury,
        Renew,
        Renewed
    };
    struct Probed {
        HolderInfo holder;
        bool isMember = true; // false: a spare that is being filled
    };

    bool exists() const { return m_parts.file.groups().contains(m_group); }
    FileState::Group& group() { return m_parts.file.group(m_group); }
    const FileState::Group& group() const { return m_parts.file.groups().at(m_group); }
    void sendProbes(Time now, Effects& out);
    void conclude(Time now, Effects& out);
    void announceFailed(MemberId id, const char* reason, Effects& out) const;
    Time looksAgainAt() const;
    void declare(MemberId id, const char* reason, Effects& out);
    void abortParity(Time now, Effects& out);
    void endParity();
    void startOver(Time now, Effects& out);
    void advance(Time now, Effects& out);
    void newEpoch(pb::GroupState state, const char* reason, Time now, Effects& out);
    void freeze(Time now, Effects& out);
    void degrade(Time now, Effects& out);
    void enlist(Time now, Effects& out);
    void rebuild(Time now, Effects& out);
    void enable(Time now, Effects& out);
    void refill(Time now, Effects& out);
    void restore(Time now, Effects& out);
    void lose(Time now, Effects& out);
    void announceLost(Effects& out) const;
    void bury(Time now, Effects& out);
    void refuseBurial(const pb::ProbeReply& reply, NodeId from, Effects& out);
    void renew(Time now, Effects& out);
    void renewed(Time now, Effects& out);
    std::vector<Position> failedData() const;
    std::vector<ParityColumn> failedParity() const;
    bool isNew(MemberId id) const;
    std::uint32_t failures() const;

    CoordinatorParts& m_parts;
    Growth& m_growth;
    const GroupNumber m_group;
    const Time m_started;
    Step m_step = Step::Probe;
    Orders m_orders;
    // ---- probing
    bool m_isEpochUntold = false; // an epoch was ordered, but dropped before all members had it
    bool m_isProbing = false;
    std::map<MemberId, Probed> m_silent;
    std::uint64_t m_probing = 0; // number of the current probing
    std::uint32_t m_tries = 0;
    Time m_nextProbe = Time::max();
    Time m_lostAt = Time::max();
    // ---- the current attempt
    std::unique_ptr<Enlistment> m_enlistment;
    std::unique_ptr<ParityCreation> m_parity;
    std::set<ParityColumn> m_columnsToFill; // lost and removed from the table
    std::vector<std::uint32_t> m_rebuilt; // buckets that have been enabled
    std::vector<Incarnation> m_replaced; // members whose replacement is being announced
    Time m_fencedAt {};
    bool m_isFenced = false;
    std::uint64_t m_recovery = 0;
    std::uint32_t m_attempts = 0;
    bool m_isRebuilt = false;
    pb::RecoveryDone m_done;
    std::uint32_t m_slice; // ranks; 0: the default of the manager
    pb::DecodeWay m_decode;
    ParityColumn m_wantedManager; // used if it is UP when chosen; otherwise the first that is UP
    std::uint64_t m_ticket = 0; // of the command that acknowledged the loss
};

} // namespace lhrs
