// SPDX-License-Identifier: GPL-3.0-or-later
// The only place of views that names all systems.
#include "gui/view/systems/view_systems.h"

#include "gui/lab/state/walk/ring_view.h"
#include "gui/view/lhrs/file_card.h"
#include "gui/view/lhrs/file_picture.h"
#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/walk/ring_picture.h"
#include "gui/view/walk/ring_words.h"

namespace lhrs::gui {

namespace {

const SystemWords* const kAll[] = { &fileWords(), &ringWords() };

} // namespace

std::vector<ViewOfSystem> systemViews()
{
    std::vector<ViewOfSystem> views;
    views.push_back({ "", std::make_unique<FilePicture>(), cardOfFile });
    views.push_back({ walk::kSystem, std::make_unique<RingPicture>(), nullptr });
    return views;
}

const SystemWords& wordsOf(const ClusterState& state)
{
    return state.system == walk::kSystem ? static_cast<const SystemWords&>(ringWords()) : fileWords();
}

std::optional<SystemWords::EventMark> markOfSystems(const pb::Event& event)
{
    for (const SystemWords* words : kAll)
        if (const auto mark = words->markOf(event))
            return mark;
    return std::nullopt;
}

std::vector<int> kindsMarkedBySystems()
{
    std::vector<int> kinds;
    for (const SystemWords* words : kAll)
        for (const int kind : words->markedKinds())
            kinds.push_back(kind);
    return kinds;
}

} // namespace lhrs::gui
