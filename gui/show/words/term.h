// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/show/words/object_ref.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace lhrs::gui {

// A word or letter of the window with its general meaning. An example gives its meaning in a state.
struct Term {
    const char* id; // as pictures refer to it: "j", "record-group"
    QString name; // the sheet's title: "Fault"
    QString brief; // a few words, for the first line of a card
    QString meaning; // one sentence
    // A paper with its section, or a file of this tree with its heading; empty: a term of the window only.
    QString source;
    std::vector<const char*> related; // ids
    std::vector<ObjectKind> explains {}; // things of the picture that it is the name of
    // The term in this state, for the object (and its part with this number) if possible, otherwise for something
    // else on the screen: a sentence without its full stop. Empty if the state has no example; null: the term has
    // none in any state.
    QString (*example)(const Term& term, const ClusterState& state, ObjectRef object, std::uint32_t part) = nullptr;
};

// The source of a term that a file of this tree explains.
inline QString treePlace(const char* place) { return QStringLiteral("LHRS Lab, %1").arg(QLatin1String(place)); }

} // namespace lhrs::gui
