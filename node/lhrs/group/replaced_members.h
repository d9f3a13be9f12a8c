// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "proto/process.pb.h"

#include <set>
#include <vector>

namespace lhrs {

// The incarnations that were members of a group and are none any more, because the group has gone on without them: a parity
// bucket whose data buckets change without it, a data bucket whose place is served by another. Who still believes to be one
// of them holds an old state. The coordinator tells all servers, whatever they are, so that one that starts later is not
// left to the word of those who were replaced (lhrs.md 10.9). Bounded: the youngest 512.
class ReplacedMembers {
public:
    void add(Incarnation incarnation);
    bool contains(Incarnation incarnation) const { return m_all.contains(incarnation); }

    // ---- of a coordinator

    // Names what there is: 0 for nothing, else different after each `add`, and under each coordinator.
    std::uint64_t stamp(std::uint64_t coordinatorEpoch) const;
    // What one does not know who was told up to `since`, or all.
    void tell(std::uint64_t since, std::uint64_t coordinatorEpoch, pb::Registered& out) const;

    // ---- of a server

    void learn(const pb::Registered& told);
    std::uint64_t known() const { return m_known; } // the stamp
    void report(pb::StateReport& out) const;

private:
    std::set<Incarnation> m_all;
    std::vector<Incarnation> m_order; // in which they were added
    std::uint64_t m_dropped = 0;      // from the front of m_order
    std::uint64_t m_known = 0;
};

} // namespace lhrs
