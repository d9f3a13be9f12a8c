// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/term.h"

#include <string_view>
#include <vector>

namespace lhrs::gui {

// The terms of all systems and of the window, in the order of their names.
const std::vector<Term>& glossary();
// nullptr: there is none.
const Term* termOf(std::string_view id);
// The term that explains the object itself; empty if there is none.
std::string_view termIdOf(ObjectRef object);

// The terms whose name or meaning contains each of the words, ignoring case; all terms if there are no words. An
// exact match of name or letter comes first, then terms with the words in their name.
std::vector<const Term*> findTerms(const QString& words);

// One sentence that shows the term in this state: "Here: ...". It is made from the object (and its part with this
// number) if possible, otherwise from something else on the screen. Empty if the state has no example.
QString exampleOf(const Term& term, const ClusterState& state, ObjectRef object = {}, std::uint32_t part = 0);

} // namespace lhrs::gui
