// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/event.pb.h"

#include <string>

namespace lhrs::gui {

// The sentence of a scan or merge event; empty for any other. `who`: the process, as the subject.
std::string scanSentence(const std::string& who, const pb::Event& event);
std::string mergeSentence(const std::string& who, const pb::Event& event);

} // namespace lhrs::gui
