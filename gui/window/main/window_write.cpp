// SPDX-License-Identifier: GPL-3.0-or-later
// Writing and playing scenarios in the window: the editor, its actions, and its place.
#include "gui/window/main/main_window.h"

#include "gui/lab/recording/recorder.h"
#include "gui/lab/replay/recording_observer.h"
#include "gui/window/editor/editor_panel.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

#include <algorithm>

namespace lhrs::gui {

void MainWindow::makeWriteActions()
{
    Actions& a = *m_actions;
    const auto show = [this] {
        if (workspace() != Workspace::Write)
            setWorkspace(Workspace::Write);
    };
    a.add({ "write", "View", "Write", "Ctrl+4",
              "The text of the scenario with its steps and results beside the picture: written, run, stopped and gone "
              "through call by call",
              true },
        [this] {
            setWorkspace(Workspace::Write);
            m_editor->setFocus();
        });
    a.add({ "newScenario", "File", "New scenario", "Alt+Shift+N", "Begins a new scenario (in the text: Ctrl+N)" },
        [this, show] {
            if (!m_editor->mayReplace())
                return;
            show();
            m_editor->newText();
        });
    a.add(
        { "saveScenario", "File", "Save the scenario", "Alt+Shift+S",
            "Writes the text into its file (in the text: Ctrl+S); one that came with the program is saved as a copy" },
        [this] { m_editor->save(); });
    a.add({ "saveScenarioAs", "File", "Save the scenario as …", "Alt+Shift+A",
              "Writes the text into another file (in the text: Ctrl+Shift+S)" },
        [this] { m_editor->saveAs(); });
    a.add({ "revertScenario", "File", "Back to the file", "Alt+Shift+R",
              "Shows the text as it is in its file; undo leads back to what was changed here" },
        [this] { m_editor->revert(); });
    a.add({ "findText", "Scenario", "Find in the text …", "Alt+Shift+F",
              "Finds words in the text of the scenario, and replaces them (in the text: Ctrl+F)" },
        [this] { m_editor->openFind(); });
    a.add(
        { "pauseScenario", "Scenario", "Pause", "F8", "The scenario stands before its next call; the cluster goes on" },
        [this] { m_player->pause(); });
    a.add({ "nextCall", "Scenario", "Next call", "F10",
              "Makes one call of the scenario, and begins it if it has not begun" },
        [this] { m_player->nextCall(); });
    a.add({ "runToCursor", "Scenario", "Run to the cursor", "Ctrl+F10",
              "Runs the scenario until it comes to the line with the cursor" },
        [this] { m_editor->runToCursor(); });
    a.add({ "breakpoint", "Scenario", "Breakpoint", "F9",
              "A running scenario stands before the line with the cursor; once more: it does not" },
        [this] { m_editor->edit().toggleBreakpoint(m_editor->edit().cursorLine()); });
    a.add({ "recordClicks", "Scenario", "Record my clicks", "Alt+Shift+L",
              "What is commanded with mouse and keys is written into the text as scenario lines, at the cursor", true },
        [] {});
    a.add({ "exportTables", "File", "Export CSV …", "Alt+Shift+T",
              "Writes the tables that the scenario has measured into a directory, as lhrs-play --csv does" },
        [this] { exportTables(); });
}

void MainWindow::makeWriteDocks(const Options& options)
{
    m_editor = new EditorPanel(*m_player, *m_actions, { options.scenarioDirectory, options.unsavedDirectory }, this);
    m_workspaces->addDock("editorDock", tr("Text"), m_editor);
    m_workspaces->addDock("playDock", tr("Run"), &m_editor->side());
}

void MainWindow::connectWrite()
{
    m_clock->add(m_editor, m_editor);
    connect(m_editor, &EditorPanel::fileChanged, this, &MainWindow::enableWrite);
    // A recording also contains the scenario that was played and its measurements.
    connect(m_player, &Player::runningChanged, this, [this](bool runs) {
        if (m_recorder && runs)
            m_recorder->scenario(m_player->file(), m_player->source());
        else if (m_recorder)
            m_recordingObserver->addTables(m_player->engine().tables());
    });
    // Every command of a person shows its scenario line; together these lines form a scenario.
    connect(m_commands, &ClusterCommands::said, this, [this](const QString& line) {
        if (m_actions->get("recordClicks")->isChecked())
            m_editor->insertRecorded(line);
    });
}

// The editor has more buttons than the player.
void MainWindow::showButtons()
{
    m_player->setButtonsShown(!m_timeLine.isReplay() && !m_parts.isPresenting && workspace() != Workspace::Write
        && !m_workspaces->isCrowded());
}

void MainWindow::enableWrite()
{
    const bool isOn = workspace() == Workspace::Write;
    const auto enable = [this](std::initializer_list<const char*> ids, bool on) {
        for (const char* id : ids)
            if (QAction* action = m_actions->get(id); action->isEnabled() != on)
                action->setEnabled(on);
    };
    enable({ "saveScenario", "saveScenarioAs", "findText", "breakpoint", "recordClicks" }, isOn);
    enable({ "revertScenario" }, isOn && m_editor->isChanged());
    // Text that has just been typed is checked when it is to run.
    const bool isThere = m_player->isLoaded() || m_editor->hasText();
    enable({ "runScenario", "nextCall" }, isThere);
    enable({ "nextStep" }, isThere || m_timeLine.isReplay() || m_commands->link() != ClusterCommands::Link::None);
    enable({ "runToCursor" }, isOn && isThere);
    enable({ "pauseScenario" }, m_player->isRunning());
    enable({ "exportTables" }, !m_player->engine().tables().names().isEmpty());
}

QString MainWindow::writeResults(const QString& directory, FolderUse use)
{
    const auto folder = ResultFolder::open(directory, use);
    if (!folder)
        return QString::fromStdString(folder.error().text);
    QString problem = (*folder)->begin(m_player->runFacts(m_parts.run));
    for (const ClusterFacts& cluster : m_player->clusters())
        if (problem.isEmpty())
            problem = (*folder)->onCluster(cluster);
    const QString outcome = m_player->isRunning() ? (*folder)->facts().outcome
                                                  : outcomeWord(m_player->result().outcome);
    return problem.isEmpty() ? (*folder)->finish(m_player->engine().tables(), outcome) : problem;
}

void MainWindow::exportTables()
{
    const LabTables& tables = m_player->engine().tables();
    const QString directory = QFileDialog::getExistingDirectory(this, tr("Directory for the tables"));
    if (directory.isEmpty())
        return;
    FolderUse use = FolderUse::New;
    if (!resultTables(directory).isEmpty()) {
        QMessageBox box(QMessageBox::Question, tr("Export CSV"),
            tr("%1 has results already. Add this run to them, or remove them?").arg(directory), QMessageBox::Cancel,
            this);
        const QPushButton* add = box.addButton(tr("Add"), QMessageBox::AcceptRole);
        const QPushButton* remove = box.addButton(tr("Remove"), QMessageBox::DestructiveRole);
        box.exec();
        if (box.clickedButton() != add && box.clickedButton() != remove)
            return;
        use = box.clickedButton() == add ? FolderUse::Append : FolderUse::Overwrite;
    }
    const QString problem = writeResults(directory, use);
    m_line->answer(tr("export"),
        problem.isEmpty() ? tr("Written into %1: %2").arg(directory, tables.names().join(QStringLiteral(", ")))
                          : problem,
        problem.isEmpty());
}

} // namespace lhrs::gui
