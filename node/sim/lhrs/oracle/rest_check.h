// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/lhrs/oracle/losses.h"

namespace lhrs {

// All invariants over all contents, when nothing is under way. `file` is the coordinator's description. Returns the
// groups that were left out; nothing if a member is missing or not UP, which is a failure.
std::optional<std::set<std::uint32_t>> checkAtRest(const pb::FileDescription& file, const OraclePart& part,
    const Places& places, const FileGrowth& growth, const Losses& losses, const check::RequestLedger& ledger);

} // namespace lhrs
