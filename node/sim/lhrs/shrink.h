// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/config.pb.h"

#include <cstdint>

namespace lhrs {

// A failing case made small: faults, switches, actions, clients and operations are left out, by halves, as long as the
// same invariant fails.
struct Shrunk {
    pb::Case smallest;
    std::uint32_t runs = 0; // simulations that it took
};

// `failing` fails with `invariant`; `runsMax` bounds the work.
Shrunk shrink(const pb::Case& failing, int invariant, std::uint32_t runsMax = 200);

} // namespace lhrs
