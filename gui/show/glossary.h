// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/show/object_ref.h"

#include <QString>

#include <cstdint>
#include <string_view>
#include <vector>

namespace lhrs::gui {

// A word or letter of the window, explained: what it means everywhere. What it means in a state is its example.
struct Term {
    const char* id;  // as pictures name it: "j", "record-group"
    QString name;    // as the sheet titles it: "Bucket level j"
    QString brief;   // a few words, for the first line of a card
    QString meaning; // one sentence
    QString source;  // a paper with its section, or a file of this tree with its heading; empty: the window's own word
    std::vector<const char*> related; // ids
};

// All terms, in the order of their names.
const std::vector<Term>& glossary();
// nullptr: there is none.
const Term* termOf(std::string_view id);
// The term that explains the object itself; empty: it stands for nothing.
std::string_view termIdOf(ObjectRef object);

// The terms of which each of the words is a part of the name or the meaning, whatever its case; no words: all. Those that have
// it in their name come first, and before them the one whose name or letter it is.
std::vector<const Term*> findTerms(const QString& words);

// One sentence that shows the term in this state, made from the object (and its record of this rank) where that is possible and
// from something else on the screen where not: "Here: ...". Empty: nothing there is an example.
QString exampleOf(const Term& term, const ClusterState& state, ObjectRef object = {}, std::uint32_t rank = 0);

} // namespace lhrs::gui
