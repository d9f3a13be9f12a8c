// SPDX-License-Identifier: GPL-3.0-or-later
// The window and the show: what of the reel is seen beside the caption, and what a person does with it.
#include "gui/window/main_window.h"

#include "gui/show/named_things.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

// Another cluster makes all views forget the former one.
void MainWindow::beginCluster(std::int64_t ns)
{
    m_timeLine.beginRun(ns);
    m_narrator.reset();
    m_timeBar->track().reset();
    m_charts->reset();
    m_spaceTime->clear();
    m_selection->select({});
    m_log->model().clear();
    m_operator->session().witnesses().clear();
    m_records->model().forgetWitnesses();
    m_group->view().close();
    m_node->view().unpinAll();
    m_node->view().choose(0);
    m_canvas->fit();
}

void MainWindow::followReel(const ReelEntry& entry)
{
    if (entry.kind == ReelEntry::Kind::Cluster && !m_clustersToCome.empty()) {
        beginCluster(m_clustersToCome.front());
        m_clustersToCome.erase(m_clustersToCome.begin());
    }
    if (entry.kind == ReelEntry::Kind::Caption || entry.kind == ReelEntry::Kind::Question || entry.kind == ReelEntry::Kind::Answer) {
        QStringList clients;
        for (const ProcessId id : clientsOf(m_pacer.state()))
            clients << QString::fromStdString(m_pacer.state().processes.at(id).name);
        std::vector<ObjectRef> objects;
        for (const QString& thing : thingsNamed(entry.text, clients))
            if (const ObjectRef object = objectNamed(thing))
                objects.push_back(object);
        m_canvas->speakOf(objects, Director::readingSeconds(entry.text));
    }
    if (entry.kind != ReelEntry::Kind::Step)
        return;
    // What was opened or brought near for a step is so no longer, unless somebody has gone elsewhere meanwhile.
    if (m_workspaceOfReel) {
        if (m_workspace == Workspace::Inspect)
            setWorkspace(*m_workspaceOfReel);
        m_workspaceOfReel.reset();
        m_selection->select({});
    }
    if (std::exchange(m_isNearOfReel, false))
        m_canvas->fit();
}

void MainWindow::changeSpeed(double factor)
{
    m_director.setSpeed(m_director.speed() * factor);
}

// A recording of a scenario is the same show without its script. False: nothing was told in it.
bool MainWindow::startReel()
{
    std::vector<ReelEntry> reel = m_timeLine.recording() ? m_timeLine.recording()->reel() : std::vector<ReelEntry>();
    if (std::none_of(reel.begin(), reel.end(), [](const ReelEntry& entry) { return entry.kind == ReelEntry::Kind::Step; }))
        return false;
    m_player->showReel(std::move(reel));
    return true;
}

} // namespace lhrs::gui
