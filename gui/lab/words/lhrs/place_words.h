// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/control.pb.h"
#include "proto/event.pb.h"

#include <string>

namespace lhrs::gui {

// "data 5", "parity 1.0" (group 1, parity column 0); "" for no place.
std::string placeName(const pb::Place& place);
std::string roleWord(pb::Role role); // "data", "parity", "no"
// The state of a member, or of a group, in words: "splitting", "frozen".
std::string stateWord(pb::MemberState state);
std::string groupStateWord(pb::GroupState state);
std::string recoveryWord(pb::RecoveryWay way); // in the word that scenarios use: "onAlarm"
// "data bucket 3": the server that refuses what would make it grow.
std::string fullWords(const pb::FullServer& full);
std::string imageText(const pb::FileState& image); // "(i = 2, n = 1)"

} // namespace lhrs::gui
