// SPDX-License-Identifier: GPL-3.0-or-later
// The subjects of the window in the order of the menus, and the actions of the window itself and of help.
#include "gui/window/main/main_window.h"

#include "gui/window/operate/window_clock.h"
#include "gui/window/operate/window_faults.h"
#include "gui/window/operate/window_gate.h"
#include "gui/window/show/window_glossary.h"
#include "gui/window/lhrs/window_group.h"
#include "gui/window/inspect/window_inspect.h"
#include "gui/window/lhrs/window_invariants.h"
#include "gui/window/operate/window_leave.h"
#include "gui/window/inspect/window_log.h"
#include "gui/window/inspect/window_measure.h"
#include "gui/window/operate/window_menu.h"
#include "gui/window/show/window_present.h"
#include "gui/window/show/window_reel.h"
#include "gui/window/show/window_steps.h"
#include "gui/window/show/window_story.h"
#include "gui/window/lhrs/window_records.h"
#include "gui/window/walk/window_ring.h"
#include "gui/window/lhrs/window_arrangement.h"
#include "gui/window/lhrs/file_layers.h"
#include "gui/window/lhrs/window_file.h"
#include "gui/window/lhrs/window_repair.h"
#include "gui/window/lhrs/window_tour.h"
#include "gui/window/operate/window_detail.h"
#include "gui/window/show/window_time.h"
#include "gui/window/inspect/window_view.h"
#include "gui/window/operate/window_work.h"
#include "gui/window/show/window_write.h"

#include <QMessageBox>

namespace lhrs::gui {

void MainWindow::makeFileActions(const Options& options)
{
    Actions& a = *m_actions;
    m_start = new WindowStart(m_parts, options.scenarioDirectory, m_remembered);
    m_files = new WindowFiles(m_parts, m_subjects, *m_start);
    m_export = new WindowExport(m_parts, m_subjects);
    a.add({ "leave", "File", "Leave the cluster", "Ctrl+W",
              "Goes back to the start page; a running scenario is stopped, and the processes of this window end" },
        [this] {
            if (m_parts.mayForgetRun())
                m_leave->leaveCluster();
        });
    a.add({ "quit", "File", "Quit", "Ctrl+Q", "Closes the window; the processes of this window end" },
        [this] { close(); });
}

void MainWindow::makeActions(const Options& options)
{
    Actions& a = *m_actions;
    makeFileActions(options);
    auto& ofFile = *new FileParts(m_parts);
    auto* work = new WindowWork(m_parts);
    auto* file = new WindowFile(m_parts, ofFile);
    auto* detail = new WindowDetail(m_parts);
    auto* faults = new WindowFaults(m_parts);
    auto* repair = new WindowRepair(m_parts, ofFile);
    auto* view = new WindowView(m_parts, fileLayers());
    auto* arrangement = new WindowArrangement(m_parts);
    m_looks = new WindowLooks(m_parts, m_remembered);
    m_group = new WindowGroup(m_parts, ofFile);
    auto* records = new WindowRecords(m_parts, ofFile, *m_group);
    auto* invariants = new WindowInvariants(m_parts, ofFile);
    m_write = new WindowWrite(m_parts, { options.scenarioDirectory, options.unsavedDirectory });
    m_measure = new WindowMeasure(m_parts);
    m_time = new WindowTime(m_parts);
    auto* clock = new WindowClock(m_parts);
    auto* story = new WindowStory(m_parts);
    m_steps = new WindowSteps(m_parts, *m_time, *story);
    m_present = new WindowPresent(m_parts);
    m_inspect = new WindowInspect(m_parts);
    auto* gate = new WindowGate(m_parts, *m_inspect, *clock);
    auto* ring = new WindowRing(m_parts);
    auto* menu = new WindowMenu(m_parts, m_subjects, *gate);
    a.add({ "runScenario", "Scenario", "Run to the end", "Ctrl+R", "Runs the scenario without stopping at its steps" },
        [this] { m_player->runToEnd(); });
    m_leave = new WindowLeave(m_parts);
    a.add({ "keySheet", "Help", "Keys and actions", "?; F1", "Shows every action with its key" }, [this] {
        KeySheet sheet(*m_actions, this);
        sheet.exec();
    });
    a.add({ "findAction", "Help", "Find an action …", "Ctrl+K", "Finds an action by its words" }, [this] {
        ActionFinder finder(*m_actions, this);
        finder.exec();
    });
    auto* glossary = new WindowGlossary(m_parts, m_subjects);
    a.add({ "about", "Help", "About", "", "Says what this is and under which licence" }, [this] {
        QMessageBox::about(this, tr("LHRS Lab"),
            tr("LHRS Lab %1: a window onto a real LH*RS file.\nScalable distributed data structure with Reed-Solomon "
               "parity.\nGPL-3.0-or-later.")
                .arg(QStringLiteral(LHRS_VERSION)));
    });
    m_guide = new WindowGuide(m_parts, *m_write);
    m_tour = new WindowTour(m_parts, ofFile, m_guide->panel(), *m_group, *records, m_remembered);
    m_guide->meet(*m_tour);
    auto* log = new WindowLog(m_parts, story->told());
    m_steps->meet(*m_guide);
    m_reel = new WindowReel(m_parts, m_subjects);
    m_files->meet(*m_write, *m_guide, *m_tour, *m_time, *m_reel);
    // What the others are told comes first; then in the order of the status line and of the Tab key. `records` comes
    // before `m_group`, or the selection of the group is lost. `m_inspect` comes after the subjects that show contents:
    // it shows what any process does.
    m_subjects = { m_reel, story, m_steps, m_time, gate, m_present, invariants, m_write, records, work, file, detail,
        log, faults, repair, m_group, m_inspect, m_measure, clock, view, arrangement, ring, menu, glossary, m_export,
        m_guide, m_leave, m_looks, m_start, m_files };
    a.beginSections({ "openScenario", "leave", "openRecording", "newScenario", "exportTables", "joinRing", "detailFull",
        "find", "present", "invariants", "write", "nodeInspector", "heldMessages", "slower", "theme", "projector",
        "fontLarger", "byHost", "groupForward", "groupBase", "supposeLost", "takeWitness", "recordWitness",
        "recordCopy", "cutOff", "heal", "faultPanel", "recover", "playPause", "stepForward", "timeFaster", "marker",
        "holdWorkload", "findText" });
    // Actions that cannot be undone: each ends or breaks something that existed.
    a.markDestructive({ "leave", "quit", "delete", "stopScenario", "kill", "restart", "armFault", "acknowledgeLoss",
        "startLocal", "startSimulated", "forgetImage", "closeRecording" });
}

// Previews the scenario line of an action while the mouse is over it.
void MainWindow::previewOf(const QAction* action)
{
    const QString id = action && action->isEnabled() ? action->objectName() : QString();
    QString line;
    for (const WindowSubject* subject : m_subjects)
        if (line.isEmpty())
            line = subject->lineOf(id);
    m_line->preview(line);
}

// Which actions can be used now: by the link, by what is selected, and by the system of the cluster.
void MainWindow::enableActions()
{
    for (WindowSubject* subject : m_subjects)
        subject->enable();
    m_actions->enable({ "leave" }, m_commands->link().scenarioRuns() || m_commands->link().state() != LinkState::None);
}

// Another system is shown: panels of the former one make room.
void MainWindow::followSystem()
{
    const bool isGone = workspace() == Workspace::Invariants && !m_pacer.state().isOfLhrs();
    setWorkspace(isGone ? Workspace::Lecture : workspace());
    enableActions();
}

} // namespace lhrs::gui
