// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/control/lhrs/audit.h"
#include "proto/recording.pb.h"

#include <cstdint>
#include <string>

// Findings about the invariants of a file, for their monitor: from audits and from contents read twice.
namespace lhrs::gui {

// I1 to I4.
pb::Told::Judged findingsOf(const GroupAudit& audit);

// I13: the contents of a bucket before and after its recovery, with no change in between.
struct Comparison {
    std::string place; // "data 5"
    std::uint32_t records = 0, different = 0;
};
pb::Told::Judged findingsOf(const Comparison& compared);

} // namespace lhrs::gui
