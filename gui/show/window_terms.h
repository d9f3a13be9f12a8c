// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/term.h"

namespace lhrs::gui {

// What a person does to a cluster of any system.
std::vector<Term> windowTerms();

} // namespace lhrs::gui
