// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"
#include "proto/process.pb.h"

#include <set>
#include <vector>

namespace lhrs {

// The incarnations that were members of a group and no longer are, because the group has gone on without them: parity
// buckets whose data buckets change without them, and data buckets whose places others serve. A process that still
// believes to be one of them holds an old state.
// The coordinator tells all servers, whatever their role, so that a coordinator that starts later need not rely on what
// replaced members report. Bounded: the youngest 512.
class ReplacedMembers {
public:
    void add(Incarnation incarnation);
    bool contains(Incarnation incarnation) const { return m_all.contains(incarnation); }

    // ---- of a coordinator

    // Names the contents of this list: 0 if it is empty, else different after each `add` and under each coordinator.
    std::uint64_t stamp(std::uint64_t coordinatorEpoch) const;
    // Writes what a server does not know that was told up to the stamp `since`, or everything.
    void tell(std::uint64_t since, std::uint64_t coordinatorEpoch, pb::Registered& out) const;

    // ---- of a server

    void learn(const pb::Registered& told);
    std::uint64_t known() const { return m_known; } // the stamp
    void report(pb::StateReport& out) const;

private:
    std::set<Incarnation> m_all;
    std::vector<Incarnation> m_order; // in which they were added
    std::uint64_t m_dropped = 0; // from the front of m_order
    std::uint64_t m_known = 0;
};

} // namespace lhrs
