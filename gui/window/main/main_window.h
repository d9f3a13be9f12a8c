// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/result_folder.h"
#include "gui/lab/export/run_story.h"
#include "gui/view/panels/event_log.h"
#include "gui/view/time/free_processors.h"
#include "gui/window/widgets/actions.h"
#include "gui/window/widgets/focus_ring.h"
#include "gui/window/panels/image_panel.h"
#include "gui/window/player/presentation.h"
#include "gui/window/widgets/remembered.h"
#include "gui/window/start/start_page.h"
#include "gui/window/subjects/window_parts.h"

#include <QMainWindow>

class QListView;

namespace lhrs::gui {

class BarShelf;
class EditorPanel;
class GlossarySheet;
class GuidePanel;
class Recorder;
struct ExportResult;
class RecordingObserver;
class WindowExport;
class WindowFaults;
class WindowGate;
class WindowGroup;
class WindowInspect;
class WindowMeasure;
class WindowRecords;
class WindowRing;
class WindowExercise;
class WindowTour;
class WindowWrite;

// The window: owns the parts and connects them. Read connectAll() first: it shows which part tells which other part
// what. Once per frame the clock advances the pacer, and each visible view takes from it what it shows.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    // The choice of the theme; System follows the desktop's palette as it was at program start.
    enum class ThemeChoice { Light, Dark, System };
    using Workspace = gui::Workspace;

    // Options that are not given keep the person's last choice.
    struct Options {
        std::optional<ThemeChoice> theme = {};
        std::optional<bool> isHighContrast = {};
        std::optional<double> fontScale = {};
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

    // Another listener to what scenarios report, called in their thread; it must outlive the window.
    void setScriptListener(ScriptObserver& listener);
    // Shows a recorded run, paused at its beginning. Returns an error as a sentence, which the window shows too.
    QString openRecording(const QString& path);
    void closeRecording();
    // Opens a recording or a scenario, by what the file is.
    void openFile(const QString& path);
    // Saves the run up to now; an existing file is replaced.
    bool saveRecording(const QString& path);
    // The run has content that has not been saved in a file that a person chose.
    bool hasUnsavedRun() const;

    void setThemeChoice(ThemeChoice choice);
    void setHighContrast(bool on);
    void setThickLines(bool on);
    void setFontScale(double scale);
    double fontScale() const { return looks().fontScale; }
    // On: light, large, with thick lines, and without text that only the first rows could read. Off: the previous
    // choices.
    void setProjector(bool on);
    const Theme& theme() const { return m_parts.theme; }
    // Full screen: picture, caption, time line and the word of origin; no text is smaller than 1/45 of the height. The
    // notes are on the other screen, or in a second window if there is only one screen.
    void setPresenting(bool on);
    bool isPresenting() const { return m_parts.isPresenting; }
    void setWorkspace(Workspace workspace) { m_workspaces->enter(workspace); }
    Workspace workspace() const { return m_workspaces->now(); }

    // ---- the parts, for main() and for tests
    Actions& actions() { return *m_actions; }
    ClusterCanvas& canvas() { return *m_canvas; }
    Player& player() { return *m_player; }
    GuidePanel& guide() { return *m_guide; }
    WindowTour& tour() { return *m_tour; }
    WindowExercise& exercise() { return *m_exercise; }
    ClusterCommands& cluster() { return *m_commands; }
    Pacer& pacer() { return m_pacer; }
    Director& director() { return m_director; }
    TimeLine& timeLine() { return m_timeLine; }
    TimeBar& timeBar() { return *m_parts.timeBar; }
    FrameClock& clock() { return *m_clock; }
    StatusStrip& status() { return *m_status; }
    NotesWindow* notes() { return m_notes.get(); } // while presenting
    StartPage& startPage() { return *m_start; }
    WorkloadBar& workloads() { return *m_parts.workloads; }
    LabLine& labLine() { return *m_line; }
    Selection& selection() { return *m_selection; }
    EditorPanel& editor();
    WindowGroup& group() { return *m_group; }
    WindowRecords& records() { return *m_records; }
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
    void makeWorkActions();
    void makeViewActions();
    void makeTimeActions();
    void makeGlossaryActions();
    void makeGuide();
    void makeTour();
    void makeExercise();
    ClusterCanvas::Asked askedAbout() const;
    void openGlossary(bool atWhatIsAsked);
    // Adds the part for longer timeouts, used because this machine wakes processes late: of the running cluster or of
    // the recording.
    void addPatience(std::vector<StatusPart>& parts);
    void recordPatience();
    void followSystem();
    void startRecorder(const QString& path);
    void stopRecorder();
    Result<std::unique_ptr<Recording>> openPast();
    void playOrPause();
    void toBeginning();
    void makePieces(const QString& scenarioDirectory);
    void makeDocks();
    void foldPanels();
    void followScreens();
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
    void makeWay();
    void updateClients();
    void showMenu(ObjectRef object, QPoint at);
    void applyCamera(const CameraWish& wish);
    void pointCamera(const CameraWish& wish);
    void followReel(const ReelEntry& entry);
    void followCuts();
    void endShow();
    void tellStory();
    void beginStory();
    void beginCluster(std::int64_t ns);
    void changeSpeed(double factor);
    bool startReel();
    void showAgain();
    void work(pb::OperationKind kind);
    void workHere(pb::OperationKind kind);
    void previewOf(const QAction* action); // nullptr: of no action
    void askForScenario();
    void sayNotOpened(const QString& problem);
    bool askToSaveRecording();
    // Asks what to do with a run that would be lost. False: stay.
    bool mayForgetRun();
    // The ways to leave a running scenario (window_leave.cpp).
    enum class AfterStop { Nothing, ShowNow, Leave };
    void connectLeave();
    bool isLectureOn() const;
    void stopScenario(AfterStop after);
    void finishStop();
    void leaveCluster();
    void offerToStop();
    // Moves the focus from a field back to the picture. False: no field had it.
    bool leaveField();
    void askForObject();
    // Presentation (window_present.cpp).
    void makePresentActions();
    bool isSecondClick(const QAction* action);
    void goOn();
    void goBack();
    bool goToStop(int direction);
    void placePresentation();
    void updatePresentation();
    void showCaptions();
    bool countVote(const QKeyEvent& event);
    // Looks (window_looks.cpp).
    struct Looks {
        ThemeChoice theme = ThemeChoice::System;
        double fontScale = 1;
        bool isHighContrast = false, hasThickLines = false;
    };
    const Looks& looks() const { return m_hall ? *m_hall : m_looks; }
    Looks& looks() { return m_hall ? *m_hall : m_looks; }
    Theme themeWanted() const;
    void recallLooks(const Options& options);
    void keepLooks();
    void tickLooks();
    void setLayer(const char* action, bool Layers::*layer, bool on);

    ClusterCommands* m_commands;
    TimeLine m_timeLine; // between the cluster and the views
    Pacer m_pacer;
    Narrator m_narrator; // describes what happens: in the strip if no scenario speaks, and in the log
    RunStory m_runStory, m_liveStory; // told for the shown run; for the live run while a recording is shown
    bool m_isStoryWhole = false; // the story covers a whole recording
    Director m_director; // moves the pacer along the reel of a scenario
    std::uint64_t m_jumps = 0, m_cuts = 0;
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
    WindowFaults* m_faults = nullptr;
    WindowGate* m_gate = nullptr;
    WindowGroup* m_group = nullptr;
    WindowInspect* m_inspect = nullptr;
    WindowMeasure* m_measure = nullptr;
    WindowRecords* m_records = nullptr;
    WindowWrite* m_write = nullptr;
    WindowRing* m_ring = nullptr;
    Remembered m_remembered;
    Looks m_looks;
    std::optional<Looks> m_hall; // while the projector preset is on: the looks in force
    const bool m_systemIsDark;

    StartPage* m_start = nullptr;
    BarShelf* m_shelf = nullptr; // holds the bars above the picture
    QRect m_placeBefore; // of the window, before the presentation began
    QString m_hallScreen; // the screen that the presentation fills
    QString m_screenNote; // what happened when a screen was added or removed
    double m_screenNoteUntil = 0; // seconds of the window
    WindowTour* m_tour = nullptr;
    GuidePanel* m_guide = nullptr; // of the tour and of exercises
    WindowExercise* m_exercise = nullptr;
    StatusStrip* m_status = nullptr;
    ImagePanel* m_imagePanel = nullptr;
    EventLog* m_log = nullptr;
    GlossarySheet* m_glossary = nullptr; // created when it is first needed
    ClusterCanvas::Asked m_asked; // the object from which its examples are made
    QListView* m_story = nullptr;

    double m_statusAt = -1;
    std::vector<std::pair<ProcessId, QString>> m_clients;
    ProcessId m_clientWanted = 0; // to be chosen as soon as it is in the list
    AfterStop m_afterStop = AfterStop::Nothing;
    FocusRing* m_focusRing = nullptr;
    bool m_isOnOtherScreen = true; // the picture of a presentation is on the other screen
    Workspace m_workspaceBefore = Workspace::Lecture;
    QElapsedTimer m_presentingSince;
    std::unique_ptr<NotesWindow> m_notes;
    BlankScreen* m_blank = nullptr;
    SecondClick m_secondClick;
    std::optional<Workspace> m_workspaceOfReel; // shown before the scenario opened a panel in this step
    bool m_isNearOfReel = false; // the scenario has zoomed in on something
    std::vector<std::int64_t> m_clustersToCome; // begin times of clusters that the show has not reached yet
    CaptionTrack m_captions;
    std::pair<const Recording*, std::uint64_t> m_captionsOf { nullptr, 0 };
    LocalOptions m_localOptions;
    std::optional<SimulatedOptions> m_simulatedChosen; // how scenarios are played; nothing: on real processes
    bool m_playsFirst = false; // the first look is playing, which is always simulated
    std::pair<std::int64_t, unsigned> m_patienceTold; // lateness in ns and time scale as written to the recording

    std::unique_ptr<Recorder> m_recorder;
    ScriptObserver m_silence;
    std::unique_ptr<RecordingObserver> m_recordingObserver;
    QString m_recordPath, m_recordTrouble, m_replayPath;
    bool m_recordIsOurs = true; // it is deleted with the window
    std::uint64_t m_workKept = 0; // work in the run when it was saved, or when saving was declined
};

} // namespace lhrs::gui
