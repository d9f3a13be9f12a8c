// SPDX-License-Identifier: GPL-3.0-or-later
// The window and the show: what the reel shows apart from captions, and what a person does with it.
#include "gui/window/main/main_window.h"

#include "gui/lab/export/run_export.h"
#include "gui/lab/words/sentences.h"
#include "gui/show/named_things.h"
#include "gui/show/quantity_words.h"
#include "gui/view/cluster/cluster_layout.h"
#include "gui/window/inspect/window_group.h"
#include "gui/window/inspect/window_inspect.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::uint64_t kStoryEvents = 200'000; // recordings of up to so many events have their story told at once

} // namespace

// Another cluster begins: all views forget the previous one.
void MainWindow::beginCluster(std::int64_t ns)
{
    m_timeLine.beginRun(ns);
    m_narrator.reset();
    m_runStory.clear();
    for (WindowSubject* subject : m_subjects)
        subject->forget();
    m_selection->select({});
    m_canvas->cut();
}

// A recording was opened. Its story is told at once, unless it is so long that the person would have to wait: then it
// is told as far as the recording is shown.
void MainWindow::beginStory()
{
    Recording& recording = *m_timeLine.recording();
    m_isStoryWhole = recording.events() <= kStoryEvents;
    m_runStory = m_isStoryWhole ? storyOf(recording) : RunStory();
}

// Tells what has happened since the last frame: to the log, and to the strip if no script speaks.
void MainWindow::tellStory()
{
    if (!m_parts.hasCluster())
        return;
    m_narrator.look(m_pacer.state(), m_pacer.shownNs());
    const std::vector<Telling> tellings = m_narrator.takeTellings();
    for (const Telling& one : tellings)
        if (!m_isStoryWhole)
            m_runStory.add(one, m_pacer.shownUpTo());
    if (m_player->isFree())
        m_player->told().add(tellings);
}

// Nothing of the picture before a jump moves on after it.
void MainWindow::followCuts()
{
    if (std::exchange(m_cuts, m_director.cuts()) != m_director.cuts())
        m_canvas->standStill();
}

void MainWindow::followReel(const ReelEntry& entry)
{
    if (entry.kind == ReelEntry::Kind::Cluster && !m_clustersToCome.empty()) {
        beginCluster(m_clustersToCome.front());
        m_clustersToCome.erase(m_clustersToCome.begin());
    } else if (entry.kind == ReelEntry::Kind::Cluster) {
        m_canvas->cut(); // the cluster was started while the picture was live, and is shown from its beginning now
    }
    if (entry.kind == ReelEntry::Kind::Caption || entry.kind == ReelEntry::Kind::Question
        || entry.kind == ReelEntry::Kind::Answer) {
        QStringList clients;
        for (const ProcessId id : clientsOf(m_pacer.state()))
            clients << QString::fromStdString(m_pacer.state().processes.at(id).name);
        std::vector<ObjectRef> objects;
        for (const QString& thing : thingsNamed(entry.text, clients))
            if (const ObjectRef object = m_parts.objectNamed(thing))
                objects.push_back(object);
        m_canvas->speakOf(objects, Director::readingSeconds(entry.text));
    }
    if (entry.kind != ReelEntry::Kind::Step)
        return;
    // At a new step, panels and zoom of the previous step are reset, unless the person has gone elsewhere meanwhile.
    if (m_workspaceOfReel) {
        if (workspace() == Workspace::Inspect || workspace() == Workspace::Measure)
            setWorkspace(*m_workspaceOfReel);
        m_workspaceOfReel.reset();
        m_selection->select({});
    }
    if (std::exchange(m_isNearOfReel, false)) {
        m_canvas->fit();
        m_selection->select({});
    }
}

void MainWindow::applyCamera(const CameraWish& wish)
{
    const Workspace before = workspace();
    pointCamera(wish);
    if (workspace() != before && !m_workspaceOfReel)
        m_workspaceOfReel = before;
}

void MainWindow::pointCamera(const CameraWish& wish)
{
    const bool isPlace = !wish.fit.isEmpty() && wish.fit != QLatin1String("file")
        && wish.fit != QLatin1String("spares");
    std::vector<ObjectRef> places;
    if (isPlace)
        for (const QString& name : wish.fit.split(QLatin1Char(','), Qt::SkipEmptyParts))
            places.push_back(m_parts.objectNamed(name));
    const ObjectRef looked = places.empty() ? ObjectRef() : places.front();
    if (looked.kind == ObjectKind::Client)
        m_canvas->choose(looked); // selects the client whose image is shown
    else if (isPlace && wish.view.isEmpty())
        m_canvas->fitTo(places), m_isNearOfReel = true;
    else if (!wish.fit.isEmpty())
        m_canvas->fit();
    Layers layers = m_canvas->layers();
    static const std::array kLayers { std::pair("messages", &Layers::messages), std::pair("deltas", &Layers::deltas),
        std::pair("ranks", &Layers::ranks), std::pair("labels", &Layers::labels), std::pair("spares", &Layers::spares),
        std::pair("legend", &Layers::legend), std::pair("faults", &Layers::faults) };
    for (const auto& [name, member] : kLayers) {
        if (const auto wanted = wish.layers.find(QLatin1String(name)); wanted != wish.layers.end())
            layers.*member = wanted->second;
    }
    m_canvas->setLayers(layers);
    if (workspace() == Workspace::Write)
        return; // in this workspace the text must stay visible
    static const std::array kPages { std::pair("update", GroupPage::Update), std::pair("decode", GroupPage::Decode),
        std::pair("compare", GroupPage::Compare) };
    const auto page = std::find_if(
        kPages.begin(), kPages.end(), [&](const auto& p) { return wish.view == QLatin1String(p.first); });
    if (wish.view == QLatin1String("records") || wish.view == QLatin1String("image")) {
        const bool isImage = wish.view == QLatin1String("image");
        m_workspaces->open(isImage ? "imageDock" : "bucketDock", isImage);
        if (wish.view == QLatin1String("records") && looked)
            m_selection->select(looked);
    }
    if (wish.view == QLatin1String("node")) {
        if (!wish.fit.isEmpty()) // the processes side by side
            m_inspect->inspectNodes(wish.fit.split(QLatin1Char(','), Qt::SkipEmptyParts));
        else
            m_actions->get("nodeInspector")->trigger();
    }
    const std::uint32_t m = m_pacer.state().m();
    const bool isMember = wish.group && looked.kind == ObjectKind::Data && m > 0 && looked.a / m == *wish.group;
    if (page != kPages.end() && wish.group && wish.rank) {
        m_group->view().setPage(page->second);
        m_group->open(isMember ? looked : ObjectRef { ObjectKind::Group, *wish.group, 0 }, *wish.rank);
        m_group->view().showStage(wish.stage);
    } else if (wish.group && wish.rank) {
        m_selection->select(isMember && wish.view == QLatin1String("records")
                ? looked
                : ObjectRef { ObjectKind::Parity, *wish.group, 0 });
        m_selection->setRank(*wish.rank);
        m_isNearOfReel = true;
    }
}

// The recording of a scenario is the same show without its script. False: it contains no steps and no exercise.
bool MainWindow::startReel()
{
    std::vector<ReelEntry> reel = m_timeLine.recording() ? m_timeLine.recording()->reel() : std::vector<ReelEntry>();
    const auto isTold = [](const ReelEntry& entry) {
        return entry.kind == ReelEntry::Kind::Step || entry.kind == ReelEntry::Kind::Exercise;
    };
    if (std::none_of(reel.begin(), reel.end(), isTold))
        return false;
    m_player->showReel(std::move(reel), chartsOf(*m_timeLine.recording()));
    return true;
}

} // namespace lhrs::gui
