// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/show/window_reel.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/export/run_export.h"
#include "gui/show/named_things.h"
#include "gui/view/system/process_order.h"
#include "gui/window/panels/workload_bar.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

WindowReel::WindowReel(WindowParts& parts, const std::vector<WindowSubject*>& subjects)
    : WindowSubject(parts), m_subjects(subjects)
{
}

void WindowReel::frame()
{
    if (std::exchange(m_cuts, m_parts.director.cuts()) != m_parts.director.cuts())
        m_parts.canvas.standStill();
}

bool WindowReel::start()
{
    Recording* recording = m_parts.timeLine.recording();
    std::vector<ReelEntry> reel = recording ? recording->reel() : std::vector<ReelEntry>();
    const auto isTold = [](const ReelEntry& entry) {
        return entry.kind == ReelEntry::Kind::Step || entry.kind == ReelEntry::Kind::Exercise;
    };
    if (std::none_of(reel.begin(), reel.end(), isTold))
        return false;
    m_parts.player.showReel(std::move(reel), chartsOf(*recording));
    return true;
}

// ---- clusters

void WindowReel::takeCluster()
{
    if (m_parts.pacer.isShow()) { // still shows the previous one
        m_clustersToCome.push_back(m_parts.commands.session().ingest().nowNs());
        return;
    }
    m_parts.timeLine.follow();
    m_parts.pacer.reset();
    beginCluster(m_parts.commands.session().ingest().nowNs());
}

// Another cluster begins: all views forget the previous one.
void WindowReel::beginCluster(std::int64_t ns)
{
    m_parts.timeLine.beginRun(ns);
    for (WindowSubject* subject : m_subjects)
        subject->forget();
    m_parts.line.forget();
    m_parts.selection.select({});
    m_parts.canvas.cut();
}

// ---- entries

void WindowReel::follow(const ReelEntry& entry)
{
    using Kind = ReelEntry::Kind;
    if (entry.kind == Kind::Cluster && !m_clustersToCome.empty()) {
        beginCluster(m_clustersToCome.front());
        m_clustersToCome.erase(m_clustersToCome.begin());
    } else if (entry.kind == Kind::Cluster) {
        m_parts.canvas.cut(); // the cluster was started while the picture was live, and is shown from its beginning now
    } else if (entry.kind == Kind::Caption || entry.kind == Kind::Question || entry.kind == Kind::Answer) {
        QStringList clients;
        for (const ProcessId id : clientsOf(m_parts.pacer.state()))
            clients << QString::fromStdString(m_parts.pacer.state().processes.at(id).name);
        std::vector<ObjectRef> objects;
        for (const QString& thing : thingsNamed(entry.text, clients))
            if (const ObjectRef object = m_parts.objectNamed(thing))
                objects.push_back(object);
        m_parts.canvas.speakOf(objects, Director::readingSeconds(entry.text));
    } else if (entry.kind == Kind::Step) {
        endStep();
    }
}

// At a new step, panels and zoom of the previous step are reset, unless the person has gone elsewhere meanwhile.
void WindowReel::endStep()
{
    const Workspace now = m_parts.workspaces.now();
    if (m_workspaceBefore) {
        if (now == Workspace::Inspect || now == Workspace::Measure)
            m_parts.workspaces.enter(*m_workspaceBefore);
        m_workspaceBefore.reset();
        m_parts.selection.select({});
    }
    if (std::exchange(m_isNear, false)) {
        m_parts.canvas.fit();
        m_parts.selection.select({});
    }
}

void WindowReel::noteChart()
{
    if (const Workspace now = m_parts.workspaces.now(); now != Workspace::Measure && !m_workspaceBefore)
        m_workspaceBefore = now;
}

void WindowReel::highlight(const QStringList& targets, const QString& words, double seconds)
{
    std::vector<ObjectRef> objects;
    for (const QString& target : targets)
        objects.push_back(m_parts.objectNamed(target));
    m_parts.canvas.highlight(objects, words, seconds);
}

// ---- the camera

void WindowReel::point(const CameraWish& wish)
{
    const Workspace before = m_parts.workspaces.now();
    std::vector<ObjectRef> places;
    for (const QString& name : wish.fit.split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (const ObjectRef object = m_parts.objectNamed(name)) // the name of all, "file", is that of no object
            places.push_back(object);
    frameWith(wish, places);
    if (m_parts.workspaces.now() != Workspace::Write) // in this workspace the text must stay visible
        for (WindowSubject* subject : m_subjects)
            m_isNear |= subject->openPage(wish, places.empty() ? ObjectRef() : places.front());
    if (m_parts.workspaces.now() != before && !m_workspaceBefore)
        m_workspaceBefore = before;
}

// The part of the picture that is in sight, and its layers.
void WindowReel::frameWith(const CameraWish& wish, const std::vector<ObjectRef>& places)
{
    ClusterCanvas& canvas = m_parts.canvas;
    if (!places.empty() && places.front().kind == ObjectKind::Client)
        canvas.choose(places.front()); // selects the client whose image is shown
    else if (!places.empty() && wish.view.isEmpty())
        canvas.fitTo(places), m_isNear = true;
    else if (!wish.fit.isEmpty())
        canvas.fit();
    Layers layers = canvas.layers();
    for (const LayerAction& layer : m_parts.layers)
        if (const auto wanted = wish.layers.find(QLatin1String(layer.word)); wanted != wish.layers.end())
            layers.*(layer.layer) = wanted->second;
    canvas.setLayers(layers);
}

} // namespace lhrs::gui
