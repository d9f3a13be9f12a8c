// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"

#include <optional>
#include <string>
#include <string_view>

namespace lhrs::gui {

// The detail level in the word that scenarios and CSV files use: "counts".
std::string detailWord(pb::Detail detail);
std::optional<pb::Detail> detailOf(std::string_view word);

} // namespace lhrs::gui
