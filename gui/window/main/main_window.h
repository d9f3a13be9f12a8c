// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/result_folder.h"
#include "gui/view/time/free_processors.h"
#include "gui/view/time/way_given.h"
#include "gui/window/widgets/actions.h"
#include "gui/window/widgets/focus_ring.h"
#include "gui/window/widgets/remembered.h"
#include "gui/window/lhrs/window_tour.h"
#include "gui/window/main/window_files.h"
#include "gui/window/main/window_start.h"
#include "gui/window/main/window_status.h"
#include "gui/window/inspect/window_export.h"
#include "gui/window/parts/window_looks.h"
#include "gui/window/show/window_guide.h"
#include "gui/window/show/window_present.h"

#include <QElapsedTimer>
#include <QMainWindow>

namespace lhrs::gui {

class BarShelf;
class EditorPanel;
class GuidePanel;
struct ExportResult;
class WindowGroup;
class WindowInspect;
class WindowLeave;
class WindowMeasure;
class WindowReel;
class WindowSteps;
class WindowTime;
class WindowWrite;

// The window: owns the parts and connects them. Read connectAll() first: it shows which part tells which other part
// what. Once per frame the clock advances the pacer, and each visible view takes from it what it shows.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    using ThemeChoice = WindowLooks::ThemeChoice;
    using Workspace = gui::Workspace;

    // Options that are not given keep the person's last choice.
    struct Options : WindowLooks::Given {
        QString settingsPath; // where choices are remembered; empty: nowhere
        QString scenarioDirectory;
        QString unsavedDirectory; // where unsaved scenarios are kept against a crash; empty: nowhere
        QString recordPath; // of this run's recording; empty: a temporary file, deleted with the window
    };

    explicit MainWindow(const Options& options, QWidget* parent = nullptr);
    ~MainWindow() override;

    const Theme& theme() const { return m_parts.theme; }
    // Full screen: picture, caption, time line and the word of origin; no text is smaller than 1/45 of the height. The
    // notes are on the other screen, or in a second window if there is only one screen.
    void setPresenting(bool on) { m_present->set(on); }
    bool isPresenting() const { return m_parts.isPresenting; }
    void setWorkspace(Workspace workspace) { m_workspaces->enter(workspace); }
    Workspace workspace() const { return m_workspaces->now(); }

    // ---- the parts, for main() and for tests
    Actions& actions() { return *m_actions; }
    ClusterCanvas& canvas() { return *m_canvas; }
    Player& player() { return *m_player; }
    GuidePanel& guide() { return m_guide->panel(); }
    WindowTime& time() { return *m_time; } // recording and saving the run
    ClusterCommands& cluster() { return *m_commands; }
    Pacer& pacer() { return m_pacer; }
    Director& director() { return m_director; }
    WindowLooks& looks() { return *m_looks; }
    TimeLine& timeLine() { return m_timeLine; }
    TimeBar& timeBar() { return *m_parts.timeBar; }
    FrameClock& clock() { return *m_clock; }
    StatusStrip& status() { return m_status->strip(); }
    NotesWindow* notes() { return m_present->notes(); } // while presenting
    WindowStart& start() { return *m_start; }
    WindowFiles& files() { return *m_files; }
    WindowTour& tour() { return *m_tour; }
    WindowExport& exports() { return *m_export; }
    StartPage& startPage() { return m_start->page(); }
    WorkloadBar& workloads() { return *m_parts.workloads; }
    LabLine& labLine() { return *m_line; }
    Selection& selection() { return *m_selection; }
    EditorPanel& editor();
    bool showsCluster() const { return m_workspaces->showsWork(); }
    // Writes everything that can be exported from the open recording: its tables, the ShiViz log, charts, and pictures
    // of its end.
    ExportResult exportAll(const QString& directory, FolderUse use = FolderUse::New);
    // The facts about the run of this window.
    const RunFacts& run() const { return m_parts.run; }
    // Writes the present window as a PNG; false: the file cannot be written.
    bool savePicture(const QString& path);

protected:
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeActions(const Options& options);
    void makeFileActions(const Options& options);
    void followSystem();
    void makePieces();
    void foldPanels();
    void connectAll();
    void applyTheme();
    void showLink();
    void enableActions();
    bool onFrame(double seconds);
    void makeWay();
    void previewOf(const QAction* action); // nullptr: of no action

    ClusterCommands* m_commands;
    TimeLine m_timeLine; // between the cluster and the views
    Pacer m_pacer;
    Director m_director; // moves the pacer along the reel of a scenario
    std::uint64_t m_jumps = 0;
    Selection* m_selection;
    FrameClock* m_clock;
    FreeProcessors m_processors;
    QElapsedTimer m_sinceInput; // of keys and mouse
    Actions* m_actions;
    Workspaces* m_workspaces;
    ClusterCanvas* m_canvas;
    LabLine* m_line;
    Player* m_player;
    WindowParts m_parts;
    std::vector<WindowSubject*> m_subjects;
    WindowExport* m_export = nullptr;
    WindowFiles* m_files = nullptr;
    WindowGroup* m_group = nullptr;
    WindowGuide* m_guide = nullptr;
    WindowInspect* m_inspect = nullptr;
    WindowLeave* m_leave = nullptr;
    WindowLooks* m_looks = nullptr;
    WindowMeasure* m_measure = nullptr;
    WindowPresent* m_present = nullptr;
    WindowReel* m_reel = nullptr;
    WindowStart* m_start = nullptr;
    WindowStatus* m_status = nullptr;
    WindowSteps* m_steps = nullptr;
    WindowTime* m_time = nullptr;
    WindowTour* m_tour = nullptr;
    WindowWrite* m_write = nullptr;
    Remembered m_remembered;

    BarShelf* m_shelf = nullptr; // holds the bars above the picture

    double m_statusAt = -1;
    FocusRing* m_focusRing = nullptr;
};

} // namespace lhrs::gui
