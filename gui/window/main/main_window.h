// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/result_folder.h"
#include "gui/view/time/free_processors.h"
#include "gui/window/widgets/actions.h"
#include "gui/window/widgets/focus_ring.h"
#include "gui/window/widgets/remembered.h"
#include "gui/window/start/start_page.h"
#include "gui/window/parts/window_looks.h"
#include "gui/window/show/window_present.h"

#include <QMainWindow>

namespace lhrs::gui {

class BarShelf;
class EditorPanel;
class GuidePanel;
struct ExportResult;
class WindowExport;
class WindowGate;
class WindowGroup;
class WindowGuide;
class WindowInspect;
class WindowLeave;
class WindowMeasure;
class WindowRecords;
class WindowReel;
class WindowSteps;
class WindowStory;
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

    // Ways to begin, also for the command line.
    void startLocal();
    void startSimulated(const SimulatedOptions& simulated);
    void connectTo(const QString& address);
    // How the clusters of scenarios are played from now on; nothing: on real processes.
    void preferSimulated(const std::optional<SimulatedOptions>& simulated);
    // Loads the scenario; `isStarted`: its cluster starts, and it stops before the first step. False: the file cannot
    // be read, which is displayed, or it is not a valid program, and the editor shows it with the line of the error.
    bool openScenario(const QString& path, bool isStarted);

    // Continues the tour at the stop where it was left. tourStopLeft() returns 1 to 8, or 0 if the tour was never
    // begun or was finished.
    void startTour();
    int tourStopLeft() const;

    // Shows a recorded run, paused at its beginning. Returns an error as a sentence, which the window shows too.
    QString openRecording(const QString& path);
    void closeRecording();
    // Opens a recording or a scenario, by what the file is.
    void openFile(const QString& path);

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
    GuidePanel& guide();
    WindowTime& time() { return *m_time; } // recording and saving the run
    ClusterCommands& cluster() { return *m_commands; }
    Pacer& pacer() { return m_pacer; }
    Director& director() { return m_director; }
    WindowLooks& looks() { return *m_looks; }
    TimeLine& timeLine() { return m_timeLine; }
    TimeBar& timeBar() { return *m_parts.timeBar; }
    FrameClock& clock() { return *m_clock; }
    StatusStrip& status() { return *m_status; }
    NotesWindow* notes() { return m_present->notes(); } // while presenting
    StartPage& startPage() { return *m_start; }
    WorkloadBar& workloads() { return *m_parts.workloads; }
    LabLine& labLine() { return *m_line; }
    Selection& selection() { return *m_selection; }
    EditorPanel& editor();
    bool showsCluster() const { return m_workspaces->showsWork(); }
    // Writes the view that is shown: .svg, .pdf or .png for its picture, .csv for its rows. Returns an error as a
    // sentence, or an empty string.
    QString exportViewTo(const QString& path);
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

private:
    void makeActions(const Options& options);
    void makeFileActions();
    void followSystem();
    void makePieces(const QString& scenarioDirectory);
    void foldPanels();
    void connectAll();
    // The start page (window_start.cpp).
    void connectStart();
    void playFirst(const QString& path);
    void endFirst();
    void noteOpened();
    void noteSaved(const QString& path);
    void applyTheme();
    void showLink();
    void enableActions();
    bool onFrame(double seconds);
    void updateStatus();
    void addOrigin(std::vector<StatusPart>& parts);
    void addCluster(std::vector<StatusPart>& parts) const;
    void makeWay();
    void previewOf(const QAction* action); // nullptr: of no action
    void askForScenario();
    void sayNotOpened(const QString& problem);
    // Asks what to do with a run that would be lost. False: stay.
    bool mayForgetRun();

    ClusterCommands* m_commands;
    TimeLine m_timeLine; // between the cluster and the views
    Pacer m_pacer;
    Director m_director; // moves the pacer along the reel of a scenario
    std::uint64_t m_jumps = 0;
    Selection* m_selection;
    FrameClock* m_clock;
    FreeProcessors m_processors;
    Actions* m_actions;
    Workspaces* m_workspaces;
    ClusterCanvas* m_canvas;
    LabLine* m_line;
    Player* m_player;
    LiveOrRecordedContents m_contents;
    WindowParts m_parts;
    std::vector<WindowSubject*> m_subjects;
    WindowExport* m_export = nullptr;
    WindowGate* m_gate = nullptr;
    WindowGroup* m_group = nullptr;
    WindowGuide* m_guide = nullptr;
    WindowInspect* m_inspect = nullptr;
    WindowLeave* m_leave = nullptr;
    WindowLooks* m_looks = nullptr;
    WindowMeasure* m_measure = nullptr;
    WindowPresent* m_present = nullptr;
    WindowRecords* m_records = nullptr;
    WindowReel* m_reel = nullptr;
    WindowSteps* m_steps = nullptr;
    WindowStory* m_story = nullptr;
    WindowTime* m_time = nullptr;
    WindowWrite* m_write = nullptr;
    Remembered m_remembered;

    StartPage* m_start = nullptr;
    BarShelf* m_shelf = nullptr; // holds the bars above the picture
    StatusStrip* m_status = nullptr;

    double m_statusAt = -1;
    FocusRing* m_focusRing = nullptr;
    LocalOptions m_localOptions;
    std::optional<SimulatedOptions> m_simulatedChosen; // how scenarios are played; nothing: on real processes
    bool m_playsFirst = false; // the first look is playing, which is always simulated

    QString m_replayPath;
};

} // namespace lhrs::gui
