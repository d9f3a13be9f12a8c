// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/term.h"

namespace lhrs::gui {

// The words of a file, with their examples.
std::vector<Term> fileTerms();
QString exampleInFile(const Term& term, const ClusterState& state, ObjectRef object, std::uint32_t rank);

} // namespace lhrs::gui
