// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/erasure_code.h"
#include "node/lhrs/group/lease.h"
#include "node/lhrs/store/parity_store.h"
#include "proto/config.pb.h"
#include "proto/message.pb.h"

#include <optional>
#include <vector>

namespace lhrs {

// Who gives what to the recovery of lost records of one group, seen from a parity bucket of it: the live data positions,
// the dummies (zeros, nobody is asked), and as many parity columns as records are lost (lhrs.md 10.5, 10.6).
struct RecoveryPlan {
    std::vector<Participant> participants; // exactly m, in the order of the decoder
    std::vector<Position> lost;
    std::vector<MemberId> asked;           // those of the participants that are asked: live, and not we ourselves
};

// `lost`: the positions whose records are wanted together. `own`: our column, which takes part unless `way` asks for
// others. Nothing: there are not enough members.
std::optional<RecoveryPlan> planRecovery(const pb::View& view, std::uint32_t m, ParityColumn own, std::vector<Position> lost, pb::DecodeWay way);

// The version rule (lhrs.md 10.5, ours): a contribution may be combined with a parity record only if it is of the same
// state: the same member or none, and the version that the parity record has of it.
bool isSameState(const ParityStore::Member& known, bool isPresent, Key key, Sequence version);
// The state of all members of a parity record as one number: equal for equal states, and for two different ones once in 2^64.
std::uint64_t stateOf(std::span<const ParityStore::Member> members);

} // namespace lhrs
