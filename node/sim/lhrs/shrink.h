// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/config.pb.h"

#include <cstdint>

namespace lhrs {

// Makes a failing case smaller: leaves out faults, options, actions, clients and operations, by halves, as long as the
// same invariant fails.
struct Shrunk {
    pb::Case smallest;
    std::uint32_t runs = 0; // number of simulations needed
};

// `failing` must fail with `invariant`; `runsMax` bounds the work.
Shrunk shrink(const pb::Case& failing, int invariant, std::uint32_t runsMax = 200);

} // namespace lhrs
