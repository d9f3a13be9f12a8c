// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"
#include "proto/process.pb.h"

#include <set>
#include <vector>

namespace lhrs {

// The incarnations that used to be members of a group but no longer are, because the group has continued without them:
// parity buckets whose data buckets change without them, and data buckets whose places are served by others. A process
// that still considers itself one of them holds an old state. The coordinator tells all servers, whatever their role,
// so that a later coordinator need not rely on what replaced members report. The list is bounded: it keeps the latest
// 512.
class ReplacedMembers {
public:
    void add(Incarnation incarnation);
    bool contains(Incarnation incarnation) const { return m_all.contains(incarnation); }

    // ---- for a coordinator

    // Identifies the contents of this list: 0 if it is empty; otherwise different after each `add` and under each
    // coordinator.
    std::uint64_t stamp(std::uint64_t coordinatorEpoch) const;
    // Writes what a server with the stamp `since` does not know yet, or everything.
    void tell(std::uint64_t since, std::uint64_t coordinatorEpoch, pb::Registered& out) const;

    // ---- for a server

    void learn(const pb::Registered& told);
    std::uint64_t known() const { return m_known; } // the stamp
    void report(pb::StateReport& out) const;

private:
    std::set<Incarnation> m_all;
    std::vector<Incarnation> m_order; // in the order in which they were added
    std::uint64_t m_dropped = 0; // number dropped from the front of m_order
    std::uint64_t m_known = 0;
};

} // namespace lhrs
