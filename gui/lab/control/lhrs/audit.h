// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace lhrs::gui {

class ControlClient;

// The result of the parity check of one bucket group.
struct GroupAudit {
    std::uint32_t ranks = 0; // record groups compared, over all parity buckets
    std::uint32_t unequal = 0; // record groups whose parity or key list differs from what the data encode to
    std::string firstUnequal; // in words; empty if there is none
    std::uint32_t unlisted = 0; // of those, record groups whose key list differs from the data buckets
    std::string firstUnlisted, firstWrong; // the first wrong key list and the first wrong parity
    std::uint32_t keys = 0; // in all data buckets
    std::uint32_t misplaced = 0; // keys that are stored in the wrong bucket, or twice
    std::string firstMisplaced;
    std::uint32_t doubled = 0; // ranks that hold more than one record
    std::string firstDoubled;
};

// Checks invariant I1 now. Asks every member of the group for its linear digests and sequence numbers. For each rank
// and parity bucket p it checks that the sum over q of P[q][p] * digest(q) equals digest(p), and that the key lists
// name the records of that rank. Only digests are transferred, not contents. Error: no such group, a member does not
// answer, or the group is not at rest. Blocks; not to be called in the control thread.
Result<GroupAudit> auditGroup(ControlClient& control, std::uint32_t group, const std::stop_token& stop);

} // namespace lhrs::gui
