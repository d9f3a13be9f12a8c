// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace lhrs::gui {

class ControlClient;

// What the parity check of one bucket group found.
struct GroupAudit {
    std::uint32_t ranks = 0;   // record groups that were compared, for all parity buckets
    std::uint32_t unequal = 0; // where parity or key list is not what the data encode to
    std::string firstUnequal;  // in words; empty if none
    std::uint32_t unlisted = 0;  // of those, key lists that are not the data buckets'
    std::string firstUnlisted, firstWrong; // of a key list, of a parity
    std::uint32_t keys = 0;      // of all data buckets
    std::uint32_t misplaced = 0; // keys that lie in a bucket that is not theirs, or twice
    std::string firstMisplaced;
    std::uint32_t doubled = 0;   // ranks that hold more than one record
    std::string firstDoubled;
};

// Lamp I1 now: asks every member of the group for its linear digests and sequences, and checks for each rank and parity
// bucket that sum over q of P[q][p] * digest(q) = digest(p), and that the key lists name the records of that rank.
// Contents stay where they are. Error: no such group, a member does not answer, or the group is not at rest. Waits; not
// in the control thread.
Result<GroupAudit> auditGroup(ControlClient& control, std::uint32_t group, const std::stop_token& stop);

} // namespace lhrs::gui
