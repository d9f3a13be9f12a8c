// SPDX-License-Identifier: GPL-3.0-or-later
// Which actions can be used now: by the link, by what is selected, and by the system of the cluster.
#include "gui/window/main/main_window.h"

#include <initializer_list>

namespace lhrs::gui {

void MainWindow::enableActions()
{
    const bool isHere = m_commands->link() == ClusterCommands::Link::Here;
    const bool isGoing = isHere || m_parts.isWithoutCoordinator();
    const bool isFree = !m_commands->scenarioRuns();
    const bool hasClient = isGoing && m_parts.workloads->client() != 0;
    const bool isOfLhrs = m_pacer.state().isOfLhrs();
    const bool hasFile = isHere && m_pacer.state().file.exists;
    const auto enable = [this](std::initializer_list<const char*> ids, bool on) { m_actions->enable(ids, on); };
    enable({ "insert", "update", "search", "delete", "stopWorkload", "sendKey" }, hasClient);
    enable({ "imageAdjusting", "imageFrozen", "imageExact", "forgetImage" }, hasClient && isOfLhrs);
    enable({ "insertHere", "searchHere" }, hasClient && m_selection->selected().kind == ObjectKind::Data);
    enable({ "copyLine" }, showsCluster());
    enable({ "split", "raiseK", "addParity", "audit" }, hasFile);
    enable({ "secondClient" }, isHere && isFree && m_commands->isLocal());
    enable({ "addSpares" }, isHere && isFree && m_commands->isLocal() && isOfLhrs);
    enable({ "byHost", "asColumns" }, isOfLhrs);
    enable({ "startLocal", "startSimulated", "connect", "openScenario" },
        isFree && m_commands->link() != ClusterCommands::Link::Starting);
    enable({ "leave" }, !isFree || m_commands->link() != ClusterCommands::Link::None);
    enable({ "detailFull", "detailOperations", "detailSampled", "detailRecords", "detailCounts" }, isHere);
    const bool hasTime = m_timeLine.isReplay() || m_commands->link() != ClusterCommands::Link::None;
    enable({ "playPause", "freeze", "follow", "toStart", "stepForward", "stepBack", "operationForward", "operationBack",
               "structureForward", "structureBack", "timeFaster", "timeSlower", "marker", "again" },
        hasTime);
    enable({ "tryKey" }, showsCluster() && isOfLhrs);
    enable({ "closeRecording" }, m_timeLine.isReplay());
    enable({ "saveRecording" }, m_recorder != nullptr && m_commands->link() != ClusterCommands::Link::None);
    enable({ "formerMarker" }, hasTime);
    for (WindowSubject* subject : m_subjects)
        subject->enable();
    enable({ "stopScenario" }, m_player->isRunning());
}

} // namespace lhrs::gui
