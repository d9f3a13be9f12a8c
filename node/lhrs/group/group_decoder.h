// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/erasure_code.h"
#include "node/lhrs/group/lease.h"
#include "node/lhrs/store/parity_store.h"
#include "proto/config.pb.h"
#include "proto/message.pb.h"

#include <optional>
#include <vector>

namespace lhrs {

// The sources for the recovery of lost records of one group, as seen from one of its parity buckets. They are the live
// data positions, the dummy buckets (zeros, not asked), and as many parity columns as there are lost records.
struct RecoveryPlan {
    std::vector<Participant> participants; // exactly m, in the order of the decoder
    std::vector<Position> lost;
    std::vector<MemberId> asked; // participants to ask: live members other than this bucket
};

// `lost`: the positions whose records are recovered together. `own`: the column of this bucket, which takes part unless
// `way` asks for others. Returns nothing if there are too few members.
std::optional<RecoveryPlan> planRecovery(
    const pb::View& view, std::uint32_t m, ParityColumn own, std::vector<Position> lost, pb::DecodeWay way);

// The version rule: a contribution may be combined with a parity record only if both are of the same state. That means
// the same member or none, and the same version as in the parity record.
bool isSameState(const ParityStore::Member& known, bool isPresent, Key key, Sequence version);
// The state of all members of a parity record as a single number. Equal states give equal numbers; two different states
// collide with probability 2^-64.
std::uint64_t stateOf(std::span<const ParityStore::Member> members);

} // namespace lhrs
