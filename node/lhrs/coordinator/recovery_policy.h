// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/coordinator_parts.h"

#include <set>
#include <vector>

namespace lhrs {

// What makes the coordinator look after a silent bucket, and the operator's command that changes it while the file lives. The
// command is answered when all buckets have said that they know (Alive), for the coordinator has nothing on disk: one that starts
// later learns it from any of them. See "The way of recovery outlives the coordinator" in node/lhrs/PROTOCOL.md.
class RecoveryPolicy {
public:
    explicit RecoveryPolicy(CoordinatorParts& parts) : m_parts(parts) {}

    // Carries the command out, or refuses it. True: something changed, and all servers are to be told.
    bool set(const pb::Command& command, Time now, Effects& out);
    // What a server is told, and whether it knows it.
    void tell(pb::Registered& out) const;
    bool isKnownTo(const pb::Alive& alive) const { return alive.knows_recovery() == m_stamp; }
    void onAlive(const pb::Alive& alive, Effects& out);
    // What a server of a running file was told by a former coordinator; the youngest counts.
    void learn(const pb::StateReport& report, Effects& out);
    // Servers remember what was said of a file that is no more: it is not this one's.
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
    std::uint64_t m_stamp = 0; // (coordinator epoch << 32) + changes under it; 0: as the file was made
    std::set<NodeId> m_open;   // holders that have not said that they know
    std::vector<Waiter> m_waiters;
};

} // namespace lhrs
