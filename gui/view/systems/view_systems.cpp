// SPDX-License-Identifier: GPL-3.0-or-later
// The only place of views that names all systems.
#include "gui/view/systems/view_systems.h"

#include "gui/lab/state/walk/ring_view.h"
#include "gui/view/lhrs/file_card.h"
#include "gui/view/lhrs/file_picture.h"
#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/walk/ring_picture.h"
#include "gui/view/walk/ring_words.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

template <class View> std::unique_ptr<SystemView> makeView() { return std::make_unique<View>(); }

// `name`: that its processes give themselves.
struct System {
    std::string name;
    std::unique_ptr<SystemView> (*makeView)();
    const SystemWords& words;
    SystemCard card;
};

// One line for each system.
const std::vector<System>& systems()
{
    static const std::vector<System> kSystems {
        { "", makeView<FilePicture>, fileWords(), cardOfFile },
        { walk::kSystem, makeView<RingPicture>, ringWords(), nullptr },
    };
    return kSystems;
}

std::size_t numberOf(const ClusterState& state)
{
    const auto& all = systems();
    const auto found = std::find_if(
        all.begin(), all.end(), [&state](const System& known) { return known.name == state.system; });
    return found == all.end() ? 0 : std::size_t(found - all.begin());
}

} // namespace

SystemViews systemViews()
{
    SystemViews views;
    for (const System& known : systems())
        views.push_back(known.makeView());
    return views;
}

SystemView& viewFor(const ClusterState& state, const SystemViews& views) { return *views[numberOf(state)]; }

SystemCard cardFor(const ClusterState& state) { return systems()[numberOf(state)].card; }

const SystemWords& wordsOf(const ClusterState& state) { return systems()[numberOf(state)].words; }

std::optional<SystemWords::EventMark> markOfSystems(const pb::Event& event)
{
    for (const System& known : systems())
        if (const auto mark = known.words.markOf(event))
            return mark;
    return std::nullopt;
}

std::vector<int> kindsMarkedBySystems()
{
    std::vector<int> kinds;
    for (const System& known : systems())
        for (const int kind : known.words.markedKinds())
            kinds.push_back(kind);
    return kinds;
}

} // namespace lhrs::gui
