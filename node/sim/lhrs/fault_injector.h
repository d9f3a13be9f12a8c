// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/file_state.h"
#include "node/sim/lhrs/oracle/oracle.h"
#include "node/sim/engine/sim_cluster.h"
#include "proto/config.pb.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace lhrs {

class Coordinator;

// Injects the failures of a case: chooses a victim among the processes to which an action applies. In a bounded case it
// skips failures that the group could not tolerate at that moment; members that have not returned yet count as failed.
class FaultInjector {
public:
    FaultInjector(const pb::Case& told, SimCluster& cluster, Oracle& oracle);

    // The file exists; from now on there are processes to hit.
    void begin(const SimProcess& coordinator);
    // The coordinator is about to end or to be replaced. Until the next one knows the file, the state known to the
    // present one is used.
    void coordinatorEnds();
    // Whether any member of the file can be heard. If none can, no coordinator could know that a file exists.
    bool isAnyHeard(std::uint32_t but = 0) const;
    // Carries out KILL, PAUSE, PART, SLOW or SET_WALL_CLOCK. Does nothing if the action applies to no process, or if
    // the group could not tolerate it.
    void hit(const pb::CaseAction& action);
    // Called with a client that is about to be killed.
    std::function<void(std::uint32_t process)> onClientKilled;
    // The faults are over: paused processes wake up or die.
    void end();

    struct Counts {
        std::uint64_t kills = 0;
        std::uint64_t pauses = 0;
        std::uint64_t parts = 0;
        std::uint64_t slow = 0;
        std::uint64_t clients = 0; // clients killed
        std::uint64_t spared = 0; // failures skipped in a bounded case
    };
    const Counts& counts() const { return m_counts; }

private:
    // A process that may be hit; `isCounted`: it is a member that the group relies on.
    struct Victim {
        std::uint32_t process = 0;
        GroupNumber group;
        bool isCounted = false;
        bool isMember = false; // false: a spare, or a spare that is about to join a group
    };

    std::vector<Victim> applyTo(const pb::CaseAction& action) const;
    void addMembers(GroupNumber g, pb::Role role, std::vector<Victim>& found) const;
    static Incarnation placeOf(const SimProcess& process);
    bool isAway(std::uint32_t process) const;
    bool isAway(const FileState::MemberInfo& member) const;
    std::uint32_t bearable(GroupNumber g) const;
    void part(const pb::CaseAction& action, const Victim& victim, Time time);
    void mark(const Victim& victim, Time time);
    const FileState& file() const;

    const pb::Case& m_case;
    SimCluster& m_cluster;
    Oracle& m_oracle;
    const SimProcess* m_coordinator = nullptr;
    struct Away {
        Time end {}; // end of the failure
        Time until {}; // some time later: until then it may still be considered dead
        Incarnation place; // its place at that time; 0: none
    };
    std::map<std::uint32_t, Away> m_away; // by process
    std::unique_ptr<FileState> m_formerFile;
    GroupNumber m_lastGroup;
    Counts m_counts;
};

} // namespace lhrs
