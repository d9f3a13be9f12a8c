// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/coordinator_parts.h"

#include <set>
#include <vector>

namespace lhrs {

// What triggers the recovery of a silent bucket, and the operator's command that changes this while the file exists.
// The command is answered when all buckets have said in Alive that they know the setting, because the coordinator
// stores nothing on disk. A coordinator that starts later learns the setting from any of them.
// See "The way of recovery outlives the coordinator" in node/lhrs/PROTOCOL.md.
class RecoveryPolicy {
public:
    explicit RecoveryPolicy(CoordinatorParts& parts) : m_parts(parts) { }

    // Carries out the command or refuses it. Returns true if something has changed and all servers must be told.
    bool set(const pb::Command& command, Time now, Effects& out);
    // tell: writes the setting for a server. isKnownTo: whether a server knows it.
    void tell(pb::Registered& out) const;
    bool isKnownTo(const pb::Alive& alive) const { return alive.knows_recovery() == m_stamp; }
    void onAlive(const pb::Alive& alive, Effects& out);
    // Takes over the setting that a former coordinator sent to a server of the running file; the latest one counts.
    void learn(const pb::StateReport& report, Effects& out);
    // Forgets the setting of a former file, which servers may still remember.
    void startAnew() { m_stamp = m_parts.file.coordinatorEpoch() << 32; }
    void onTime(Time now, Effects& out);
    Time deadline() const;

private:
    struct Waiter {
        std::uint64_t ticket = 0;
        pb::RecoveryWay former = pb::RECOVERY_OFF;
        Time until {};
    };
    void become(pb::RecoveryWay way, const std::string& reason, Effects& out);
    void answerWaiters(Effects& out);

    CoordinatorParts& m_parts;
    std::uint64_t m_stamp = 0; // (coordinator epoch << 32) + changes under it; 0: as the file was created
    std::set<NodeId> m_open; // holders that have not confirmed the setting yet
    std::vector<Waiter> m_waiters;
};

} // namespace lhrs
