// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/show/window_write.h"

#include "gui/view/systems/view_systems.h"
#include "gui/window/editor/editor_panel.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>

namespace lhrs::gui {

WindowWrite::WindowWrite(WindowParts& parts, const EditorPanel::Places& places) : WindowSubject(parts), m_places(places)
{
    Actions& a = m_parts.actions;
    a.add({ "write", "View", "Write", "Ctrl+4",
              "The text of the scenario, its steps and results beside the picture: write it, run it, stop it, go "
              "through it call by call",
              true },
        [this] {
            m_parts.workspaces.enter(Workspace::Write);
            m_editor->setFocus();
        });
    a.add({ "newScenario", "File", "New scenario", "Alt+Shift+N", "Begins a new scenario (in the text: Ctrl+N)" },
        [this] {
            if (!m_editor->mayReplace())
                return;
            if (m_parts.workspaces.now() != Workspace::Write)
                m_parts.workspaces.enter(Workspace::Write);
            m_editor->newText(wordsOf(m_parts.pacer.state()).firstLines());
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
        { "pauseScenario", "Scenario", "Pause", "F8", "The scenario stops before its next call; the cluster goes on" },
        [this] { m_parts.player.run().pause(); });
    a.add({ "nextCall", "Scenario", "Next call", "F10",
              "Makes one call of the scenario, and begins it if it has not begun" },
        [this] { m_parts.player.nextCall(); });
    a.add({ "runToCursor", "Scenario", "Run to the cursor", "Ctrl+F10",
              "Runs the scenario until it comes to the line with the cursor" },
        [this] { m_editor->runToCursor(); });
    a.add({ "breakpoint", "Scenario", "Breakpoint", "F9",
              "A running scenario stops before the line with the cursor; once more: it does not" },
        [this] { m_editor->edit().toggleBreakpoint(m_editor->edit().cursorLine()); });
    a.add({ "recordClicks", "Scenario", "Record my clicks", "Alt+Shift+L",
              "What is commanded with mouse and keys is written into the text as scenario lines, at the cursor", true },
        [] {});
    a.add({ "exportTables", "File", "Export CSV …", "Alt+Shift+T",
              "Writes the tables that the scenario has measured into a directory, as lhrs-play --csv does" },
        [this] { exportTables(); });
}

void WindowWrite::build()
{
    m_editor = new EditorPanel(m_parts.player, m_parts.actions, m_places, &m_parts.window);
    m_parts.workspaces.addDock("editorDock", tr("Text"), m_editor);
    m_parts.workspaces.addDock("playDock", tr("Run"), &m_editor->side());
    m_parts.clock.add(m_editor, m_editor);
    connect(m_editor, &EditorPanel::fileChanged, this, &WindowWrite::enable);
    connect(&m_parts.workspaces, &Workspaces::arranged, this, &WindowWrite::showButtons);
    // Every command of a person shows its scenario line; together these lines form a scenario.
    connect(&m_parts.commands.report(), &CommandReport::said, this, [this](const QString& line) {
        if (m_parts.actions.get("recordClicks")->isChecked())
            m_editor->insertRecorded(line);
    });
}

void WindowWrite::applyTheme() { m_editor->setTheme(m_parts.theme); }

void WindowWrite::addStatus(std::vector<StatusPart>& parts) const
{
    if (m_editor->hasLeft() && m_parts.workspaces.now() != Workspace::Write)
        parts.push_back({ Glyph::Warning, m_parts.theme.caution,
            { tr("a scenario was not saved: Ctrl+4"), tr("not saved: Ctrl+4") }, 6, true, "write" });
}

// The editor has more buttons than the player.
void WindowWrite::showButtons()
{
    m_parts.player.strip().setButtonsShown(!m_parts.timeLine.isReplay() && !m_parts.isPresenting
        && m_parts.workspaces.now() != Workspace::Write && !m_parts.workspaces.isCrowded());
}

void WindowWrite::enable()
{
    const bool isOn = m_parts.workspaces.now() == Workspace::Write;
    const auto enable = [this](std::initializer_list<const char*> ids, bool on) { m_parts.actions.enable(ids, on); };
    enable({ "saveScenario", "saveScenarioAs", "findText", "breakpoint", "recordClicks" }, isOn);
    enable({ "revertScenario" }, isOn && m_editor->isChanged());
    // Text that has just been typed is checked when it is to run.
    const bool isThere = m_parts.player.isLoaded() || m_editor->hasText();
    enable({ "runScenario", "nextCall" }, isThere);
    enable(
        { "nextStep" }, isThere || m_parts.timeLine.isReplay() || m_parts.commands.link().state() != LinkState::None);
    enable({ "runToCursor" }, isOn && isThere);
    enable({ "pauseScenario" }, m_parts.player.run().isRunning());
    enable({ "exportTables" }, !m_parts.player.run().engine().tables().names().isEmpty());
}

QString WindowWrite::writeResults(const QString& directory, FolderUse use)
{
    const auto folder = ResultFolder::open(directory, use);
    if (!folder)
        return QString::fromStdString(folder.error().text);
    QString problem = (*folder)->begin(m_parts.player.runFacts(m_parts.run));
    for (const ClusterFacts& cluster : m_parts.player.run().clusters())
        if (problem.isEmpty())
            problem = (*folder)->onCluster(cluster);
    const QString outcome = m_parts.player.run().isRunning()
        ? (*folder)->facts().outcome
        : outcomeWord(m_parts.player.run().engine().result().outcome);
    return problem.isEmpty() ? (*folder)->finish(m_parts.player.run().engine().tables(), outcome) : problem;
}

void WindowWrite::exportTables()
{
    const LabTables& tables = m_parts.player.run().engine().tables();
    const QString directory = QFileDialog::getExistingDirectory(&m_parts.window, tr("Directory for the tables"));
    if (directory.isEmpty())
        return;
    FolderUse use = FolderUse::New;
    if (!resultTables(directory).isEmpty()) {
        QMessageBox box(QMessageBox::Question, tr("Export CSV"),
            tr("%1 has results already. Add this run to them, or remove them?").arg(directory), QMessageBox::Cancel,
            &m_parts.window);
        const QPushButton* add = box.addButton(tr("Add"), QMessageBox::AcceptRole);
        const QPushButton* remove = box.addButton(tr("Remove"), QMessageBox::DestructiveRole);
        box.exec();
        if (box.clickedButton() != add && box.clickedButton() != remove)
            return;
        use = box.clickedButton() == add ? FolderUse::Append : FolderUse::Overwrite;
    }
    const QString problem = writeResults(directory, use);
    m_parts.line.answer(tr("export"),
        problem.isEmpty() ? tr("Written into %1: %2").arg(directory, tables.names().join(QStringLiteral(", ")))
                          : problem,
        problem.isEmpty());
}

} // namespace lhrs::gui
