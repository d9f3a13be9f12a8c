// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/server_context.h"
#include "node/machine/known_processes.h"

#include <map>
#include <tuple>
#include <vector>

namespace lhrs {

// All processes that have contacted the coordinator: addresses, endpoints, roles, and when each was last heard from. It
// includes the registry of spares, which is used where multicast does not work.
class Directory {
public:
    struct Entry : KnownProcess {
        pb::Place place; // NO_ROLE: a spare, a client or the coordinator
        Incarnation incarnation;
        bool isReplaced = false; // its place has another holder, but it has not yet reported itself as a spare
    };

    // False for a client that would be one too many.
    bool hasRoomFor(const pb::ProcessInfo& process) const { return m_processes.hasRoomFor(process); }
    Entry& learn(const pb::ProcessInfo& process, Time now) { return m_processes.learn(process, now).first; }
    void learn(const pb::Alive& alive, Time now);
    Entry* find(NodeId node) { return m_processes.find(node); }
    void setPlace(NodeId node, pb::Role role, std::uint32_t number, std::uint32_t column, Incarnation incarnation);
    std::vector<const Entry*> all() const;
    // Idle servers of a pool from which a message has arrived since `since`.
    std::vector<const Entry*> spares(pb::Role pool, Time since) const;
    void list(pb::ProcessList& out, Time now) const;
    // Drops processes without a place that have been silent since `before`. The failure of a bucket is detected by its
    // group, not here.
    void expire(Time before);
    void expireClients(Time before);
    // The coordinator itself was stopped for `slept`, so it cannot have heard from any process in that time.
    void excuse(Time slept) { m_processes.excuse(slept); }

private:
    using PlaceName = std::tuple<pb::Role, std::uint32_t, std::uint32_t>; // role, number, column
    void leave(Entry& entry);
    KnownProcesses<Entry> m_processes;
    std::map<PlaceName, NodeId> m_holders; // one per place: its latest holder
};

} // namespace lhrs
