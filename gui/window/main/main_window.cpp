// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/main/main_window.h"

#include "gui/lab/words/detail_words.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/replay/recording_observer.h"
#include "gui/view/cluster/cluster_layout.h"
#include "gui/view/cluster/object_words.h"
#include "gui/window/widgets/bar_shelf.h"
#include "gui/window/editor/editor_panel.h"
#include "gui/window/panels/gate_panel.h"
#include "gui/window/panels/guide_panel.h"
#include "gui/window/panels/invariant_panel.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFile>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

#include <unistd.h>

namespace lhrs::gui {

namespace {

constexpr double kStatusEvery = 0.25; // seconds
constexpr double kManyEvents = 100; // per second: above this the cluster is at work
constexpr QSize kLeastSize(640, 400); // of the window, whatever size its parts prefer
constexpr std::chrono::milliseconds kSilent(2'000);

// Resident memory of this process in megabytes.
int memoryUsed()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    return int(file.readAll().split(' ').value(1).toLongLong() * ::sysconf(_SC_PAGESIZE) / (1024 * 1024));
}

} // namespace

MainWindow::MainWindow(const Options& options, QWidget* parent)
    : QMainWindow(parent), m_commands(new ClusterCommands(this)),
      m_timeLine(*m_commands, [this] { return openPast(); }), m_pacer(m_timeLine), m_director(m_pacer, m_timeLine),
      m_selection(new Selection(this)), m_clock(new FrameClock(this)), m_actions(new Actions(this)),
      m_remembered(options.settingsPath), m_systemIsDark(Theme::systemIsDark())
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(tr("LHRS Lab"));
    setAcceptDrops(true);
    makeActions();
    makePieces(options.scenarioDirectory);
    makeDocks();
    makeWriteDocks(options);
    makeGuide();
    makeExercise();
    m_actions->fill(menuBar());
    connectAll();
    startRecorder(options.recordPath);
    m_start->recall(m_remembered);
    recallLooks(options);
    applyTheme();
    setWorkspace(Workspace::Lecture);
    showLink();
    m_inner->installEventFilter(this);
    setMinimumSize(kLeastSize);
    resize(1280, 720);
    m_clock->start();
}

MainWindow::~MainWindow()
{
    m_clock->stop();
    if (m_recorder && !m_recordIsOurs)
        noteSaved(m_recordPath);
    // The player's script uses the session of m_commands, so the player ends first.
    delete m_player;
    stopRecorder();
}

void MainWindow::makePieces(const QString& scenarioDirectory)
{
    m_stack = new QStackedWidget(this);
    m_start = new StartPage(scenarioDirectory, m_stack);
    m_work = new QWidget(m_stack);
    m_shelf = new BarShelf(m_work);
    m_bar = new WorkloadBar(*m_actions, m_work);
    m_clockBar = new ClockBar(*m_actions, m_work);
    m_shelf->add(m_bar);
    m_shelf->add(m_clockBar);
    m_inner = new QMainWindow(m_work);
    m_inner->setWindowFlags(Qt::Widget); // the constructor makes it a separate window, whatever flags it is given
    m_inner->setDockOptions(
        QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks | QMainWindow::GroupedDragging);
    m_centre = new QWidget(m_inner);
    m_canvas = new ClusterCanvas(m_pacer, *m_selection, m_centre);
    auto* centre = new QVBoxLayout(m_centre);
    centre->setContentsMargins(0, 0, 0, 0);
    centre->addWidget(m_canvas);
    m_inner->setCentralWidget(m_centre);
    m_line = new LabLine(m_work);
    m_player = new Player(m_commands->session(), m_director, this);
    auto* column = new QVBoxLayout(m_work);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_shelf);
    column->addWidget(m_inner, 1);
    column->addWidget(m_line);
    m_stack->addWidget(m_start);
    m_stack->addWidget(m_work);
    auto* all = new QWidget(this);
    auto* rows = new QVBoxLayout(all);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    m_timeBar = new TimeBar(*m_actions, m_timeLine, m_director, *m_commands, all);
    rows->addWidget(m_stack, 1);
    rows->addWidget(m_player);
    rows->addWidget(m_timeBar);
    setCentralWidget(all);
    m_status = new StatusStrip(this);
    statusBar()->addWidget(m_status, 1);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(0, 0, 0, 0);
}

QDockWidget* MainWindow::makeDock(const QString& id, const QString& title, QWidget* inside)
{
    auto* made = new QDockWidget(title, m_inner);
    made->setObjectName(id);
    made->setWidget(inside);
    made->setAllowedAreas(Qt::AllDockWidgetAreas);
    made->setTitleBarWidget(new QWidget(made)); // the tab serves as title and as handle for dragging
    m_inner->addDockWidget(Qt::RightDockWidgetArea, made);
    m_docks.push_back(made);
    return made;
}

void MainWindow::makeDocks()
{
    m_contents = std::make_unique<LiveOrRecordedContents>(*m_commands, m_timeLine, m_pacer);
    m_focusRing = new FocusRing(this);
    m_records = new RecordTable(m_pacer, *m_contents, *m_selection, this);
    m_imagePanel = new ImagePanel(m_pacer, *m_selection, *m_actions, this);
    m_log = new EventLog(m_timeLine, m_pacer, m_runStory, *m_selection, this);
    m_faults = new FaultPanel(m_pacer, *m_commands, *m_actions, this);
    m_story = new QListView(this);
    m_story->setModel(&m_player->story());
    m_story->setWordWrap(true);
    m_story->setAccessibleName(tr("What the scenario said"));
    m_story->setSelectionMode(QAbstractItemView::NoSelection);
    QDockWidget* bucket = makeDock(QStringLiteral("bucketDock"), tr("Bucket"), m_records);
    m_imageDock = makeDock(QStringLiteral("imageDock"), tr("Client image"), m_imagePanel);
    m_group = new GroupPanel(m_pacer, *m_contents, m_commands->session().witnesses(), *m_selection, *m_actions, this);
    m_groupDock = makeDock(QStringLiteral("groupDock"), tr("Record group"), m_group);
    m_node = new NodePanel(m_pacer, *m_selection, *m_actions, this);
    m_nodeDock = makeDock(QStringLiteral("nodeDock"), tr("Node"), m_node);
    m_logDock = makeDock(QStringLiteral("logDock"), tr("Event log"), m_log);
    m_storyDock = makeDock(QStringLiteral("storyDock"), tr("Scenario"), m_story);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(m_faults);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);
    m_faultDock = makeDock(QStringLiteral("faultDock"), tr("Faults"), scroll);
    makeMeasureDocks();
    makeInvariantDock();
    m_gate = new GatePanel(m_pacer, *m_commands, *m_selection, *m_actions, this);
    m_gateDock = makeDock(QStringLiteral("gateDock"), tr("Held messages"), m_gate);
    m_inner->tabifyDockWidget(bucket, m_imageDock);
    m_inner->tabifyDockWidget(m_imageDock, m_groupDock);
    m_inner->tabifyDockWidget(m_groupDock, m_nodeDock);
    m_inner->tabifyDockWidget(m_logDock, m_storyDock);
    bucket->raise();
    m_logDock->raise();
    m_inner->setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
}

// Connects the parts: which part tells which other part what.
void MainWindow::connectAll()
{
    // Each frame: the pacer takes new events; then the visible views are asked for their frames.
    m_clock->setSource([this](double seconds) { return onFrame(seconds); });
    m_clock->add(m_canvas, m_canvas);
    m_clock->add(m_player, this); // a scenario may end before it is visible
    m_clock->add(m_timeBar, m_timeBar);
    m_clock->add(m_records, m_records);
    m_clock->add(&m_imagePanel->view(), m_imagePanel);
    m_clock->add(m_log, m_log);
    m_clock->add(m_faults, m_faults);
    m_clock->add(&m_group->view(), m_group);
    m_clock->add(m_node, m_node);
    m_clock->add(m_gate, m_gate);
    connectMeasure();
    connectRecords();
    connectInvariants();
    connectWrite();

    // The cluster: the state of its link decides what is shown; with another cluster all views forget the previous one.
    connect(m_commands, &ClusterCommands::linkChanged, this, &MainWindow::showLink);
    connect(m_commands, &ClusterCommands::clusterChanged, this, [this] {
        if (m_pacer.isShow()) { // still shows the previous one
            m_clustersToCome.push_back(m_commands->nowNs());
            return;
        }
        m_timeLine.follow();
        m_pacer.reset();
        beginCluster(m_commands->nowNs());
    });
    connect(m_commands, &ClusterCommands::said, m_line, &LabLine::say);
    connect(m_commands, &ClusterCommands::answered, m_line, &LabLine::answer);
    connect(m_commands, &ClusterCommands::clientStarted, this, [this](ProcessId client) {
        m_clientWanted = client; // a client that a person starts is the one to use next
        updateClients();
    });

    // Time: dragging on the track, and marks.
    connect(&m_timeBar->track(), &TimeTrack::seekWanted, this, [this](qint64 ns) { m_timeLine.seekTime(ns); });
    connect(&m_timeBar->track(), &TimeTrack::markChosen, this,
        [this](quint64 event, qint64 ns) { event != 0 ? m_timeLine.seek(event) : m_timeLine.seekTime(ns); });

    connectStart();
    connectLeave();
    connect(m_clockBar, &ClockBar::speedChosen, m_commands, &ClusterCommands::runClock);

    // The canvas: inspecting, and the menu of the object under the mouse.
    connect(m_canvas, &ClusterCanvas::inspectRequested, this, &MainWindow::inspect);
    connect(m_canvas, &ClusterCanvas::menuRequested, this, &MainWindow::showMenu);
    connect(m_canvas, &ClusterCanvas::systemChanged, this, &MainWindow::followSystem);
    connect(m_canvas, &ClusterCanvas::partRequested, this, &MainWindow::openGroup);
    connect(m_records, &RecordTable::groupRequested, this, &MainWindow::openGroup);
    connect(m_records, &RecordTable::menuRequested, this, &MainWindow::showRecordMenu);
    connect(&m_group->view(), &RecordGroupView::shown, this, &MainWindow::enableGroup);
    connect(m_log, &EventLog::jumpRequested, m_canvas, &ClusterCanvas::choose);
    connect(m_selection, &Selection::selectionChanged, this, [this] {
        if (m_selection->selected().kind == ObjectKind::Client)
            m_bar->chooseClient(m_selection->selected().a);
        enableActions();
    });

    // The fault palette: what it may do, and the scenario line that it previews.
    connect(m_faults, &FaultPanel::changed, this, &MainWindow::enableFaults);

    // The player: what a scenario wants to show.
    connect(m_player, &Player::runningChanged, m_commands, &ClusterCommands::setScenarioRuns);
    connect(m_player, &Player::runningChanged, this, [this](bool isRunning) {
        if (isRunning)
            m_clusterShown = 0;
    });
    connect(m_player, &Player::stepShown, this, [this](const QString& words) {
        m_timeBar->track().addMark({ m_pacer.shownNs(), 0, TimeMark::Kind::Step, words });
    });
    connect(m_player, &Player::entryShown, this, &MainWindow::followReel);
    m_pacer.setWitness([this](const RunEvent& event, const ClusterState& state) { m_narrator.take(event, state); });
    m_director.setHurry([this] {
        if (m_recorder)
            m_recorder->hurry();
    });
    connect(m_player, &Player::cameraWished, this, &MainWindow::applyCamera);
    connect(m_player, &Player::highlightWished, this,
        [this](const QStringList& targets, const QString& words, double seconds) {
            std::vector<ObjectRef> objects;
            for (const QString& target : targets)
                objects.push_back(objectNamed(target));
            m_canvas->highlight(objects, words, seconds);
        });
    connect(&m_player->story(), &QAbstractItemModel::rowsInserted, m_story, &QListView::scrollToBottom,
        Qt::QueuedConnection);

    // The buttons show their scenario lines before they are pressed.
    for (QAction* action : m_actions->all())
        connect(action, &QAction::hovered, this, [this, action] { previewOf(action); });
    connect(m_bar, &WorkloadBar::pointed, this, &MainWindow::previewOf);
    for (QMenu* menu : menuBar()->findChildren<QMenu*>())
        endPreviewWith(*menu);
}

// ---- frames

bool MainWindow::onFrame(double seconds)
{
    m_time += seconds;
    m_player->collect();
    m_timeLine.advance(seconds);
    if (m_timeLine.jumps() != m_jumps) {
        // Another instant: nothing that was moving before belongs to it.
        m_jumps = m_timeLine.jumps();
        m_pacer.reset();
        m_narrator.reset();
        m_log->model().restart(m_timeLine.committed());
        m_spaceTime->restart(m_timeLine.committed());
    }
    if (!m_timeLine.isFrozen())
        m_director.advance(seconds);
    followCuts();
    tellStory();
    noteReading();
    showCaptions();
    m_node->view().setFollowing(m_timeLine.mode() != TimeLine::Mode::Paused);
    if (m_time - m_statusAt >= kStatusEvery) {
        m_statusAt = m_time;
        makeWay();
        updateStatus();
        updateClients();
        updateClock();
        updatePresentation();
        m_player->setPictureScale(m_canvas->theme().fontScale());
        updateInspector();
        m_canvas->setRecorded(m_timeLine.isReplay());
        // Every process gives signs of life as events only at full detail, and only in real time.
        const std::vector<ProcessId> silent = m_commands->session().ingest().silentSince(kSilent);
        std::set<ProcessId> shownSilent;
        if (m_commands->detail() == pb::FULL && !m_pacer.state().isSimulated)
            for (const ProcessId id : silent) // a gated process cannot give signs of life
                if (const auto known = m_pacer.state().processes.find(id);
                    known == m_pacer.state().processes.end() || !known->second.isGated)
                    shownSilent.insert(id);
        m_canvas->setSilent(shownSilent);
    }
    return m_pacer.isBusy();
}

// Whether the window draws fewer frames, because a cluster that needs all processors would wait for the picture. In a
// simulation, or while little happens, nothing waits for the picture, and it keeps its frame rate.
void MainWindow::makeWay()
{
    if (const std::optional<ProcessorTime> now = ProcessorTime::now())
        m_processors.take(*now);
    const bool isHere = m_commands->link() == ClusterCommands::Link::Here && !m_timeLine.isReplay();
    const bool isReal = isHere && !m_pacer.state().isSimulated;
    const bool isAtWork = m_commands->session().ingest().counters().eventsPerSecond > kManyEvents;
    m_clock->setMakesWay(isReal && isAtWork && m_processors.areScarce());
}

void MainWindow::updateStatus()
{
    const IngestCounters counters = m_commands->session().ingest().counters();
    const ClusterState& state = m_pacer.state();
    std::vector<StatusPart> parts;
    if (m_timeLine.isReplay()) {
        parts.push_back(
            { Glyph::Clock, m_theme.caution, { tr("RECORDED %1").arg(m_replayPath), tr("RECORDED") }, 10, true });
        if (m_timeLine.recording()->isSimulated())
            parts.push_back({ Glyph::Simulated, m_theme.caution,
                { tr("SIMULATED, seed %1").arg(m_timeLine.recording()->meta(QStringLiteral("seed"))), tr("SIMULATED") },
                10, true });
        if (const QString damage = m_timeLine.recording()->damage(); !damage.isEmpty())
            parts.push_back({ Glyph::Warning, m_theme.bad, { tr("DAMAGED: %1").arg(damage), tr("DAMAGED") }, 9, true });
        else if (const QString unfinished = m_timeLine.recording()->unfinished(); !unfinished.isEmpty())
            parts.push_back({ Glyph::Warning, m_theme.caution,
                { tr("WITHOUT ITS END: %1").arg(unfinished), tr("WITHOUT ITS END") }, 9, true });
    } else
        switch (m_commands->link()) {
        case ClusterCommands::Link::None:
            parts.push_back({ Glyph::Ring, m_theme.muted, { tr("NO CLUSTER") }, 10, true });
            break;
        case ClusterCommands::Link::Starting:
            parts.push_back({ Glyph::Dots, m_theme.caution, { tr("STARTING") }, 10, true });
            break;
        case ClusterCommands::Link::Here:
            parts.push_back({ state.isSimulated ? Glyph::Simulated : Glyph::Live, m_theme.good,
                { state.isSimulated ? tr("SIMULATED") : tr("LIVE") }, 10, true });
            break;
        case ClusterCommands::Link::Lost:
            if (isWithoutCoordinator())
                parts.push_back({ Glyph::Warning, m_theme.bad,
                    { tr("NO COORDINATOR: key operations go on"), tr("NO COORDINATOR") }, 10, true });
            else
                parts.push_back({ Glyph::Cross, m_theme.bad, { tr("COORDINATOR SILENT") }, 10, true });
            break;
        }
    recordPatience();
    addPatience(parts);
    addHolds(parts);
    if (m_time < m_screenNoteUntil)
        parts.push_back({ Glyph::Warning, m_theme.caution, { m_screenNote, m_hallScreen }, 9, true });
    if (showsCluster() && state.isOfLhrs())
        parts.push_back(invariantPart());
    if (m_editor->hasLeft() && m_workspace != Workspace::Write)
        parts.push_back({ Glyph::Warning, m_theme.caution,
            { tr("a scenario was not saved: Ctrl+4"), tr("not saved: Ctrl+4") }, 6, true, "write" });
    if (m_commands->link() != ClusterCommands::Link::None && !m_timeLine.isReplay()) {
        const auto running = std::count_if(
            state.processes.begin(), state.processes.end(), [](const auto& p) { return !p.second.hasEnded; });
        parts.push_back({ Glyph::Control, {},
            { tr("coordinator %1").arg(m_commands->address()), m_commands->address() }, 3, false });
        parts.push_back({ Glyph::None, {}, { tr("%1 processes").arg(running) }, 2, false });
        const QString rate = tr("%1 events/s").arg(grouped(std::uint64_t(counters.eventsPerSecond))),
                      level = QString::fromStdString(detailWord(m_commands->detail()));
        // What the level of detail leaves out is missing in the picture too.
        parts.push_back({ Glyph::None, {},
            { m_commands->detail() == pb::FULL ? rate : tr("%1, level %2").arg(rate, level), rate }, 8, false });
        parts.push_back({ counters.lost > 0 ? Glyph::Warning : Glyph::None, m_theme.caution,
            { tr("%1 events lost").arg(grouped(counters.lost)), tr("%1 lost").arg(grouped(counters.lost)) }, 9,
            counters.lost > 0 });
        if (const std::int64_t behind = m_pacer.isShow() ? 0 : m_pacer.behindNs(); behind > 50'000'000)
            parts.push_back({ Glyph::Clock, m_theme.caution,
                { tr("picture %1 behind").arg(durationWords(behind)), durationWords(behind) }, 7, false });
        std::set<std::uint64_t> armed;
        std::size_t paused = 0;
        for (const auto& [id, process] : state.processes) {
            for (const auto& [number, fault] : process.faults)
                armed.insert(number);
            paused += process.isPaused ? 1 : 0;
        }
        if (const std::size_t faults = armed.size() + paused; faults > 0)
            parts.push_back({ Glyph::Warning, m_theme.caution,
                { tr("%1 armed").arg(countedWords(faults, "fault", "faults")), tr("%1 armed").arg(faults) }, 9, true });
        if (state.isOfLhrs())
            parts.push_back({ Glyph::Recruit, m_theme.caution,
                { state.recruiting == pb::MULTICAST ? tr("recruiting by multicast")
                                                    : tr("recruiting by unicast registry"),
                    state.recruiting == pb::MULTICAST ? tr("multicast") : tr("unicast registry") },
                4, false });
    }
    const QString frames = tr("%1 frames/s").arg(qRound(m_clock->framesPerSecond()));
    const QString painting = m_clock->makesWay()
        ? tr("%1: makes way for the cluster").arg(frames)
        : tr("%1, %2 ms").arg(frames).arg(m_clock->millisecondsPerFrame(), 0, 'f', 1);
    parts.push_back({ Glyph::None, {}, { painting, frames }, 6, false });
    parts.push_back({ Glyph::None, {}, { tr("%1 MB").arg(memoryUsed()) }, 1, false });
    if (!m_timeLine.isReplay() && m_commands->link() != ClusterCommands::Link::None) {
        const QString trouble = m_recorder ? m_recorder->status().stopped : m_recordTrouble;
        if (trouble.isEmpty())
            parts.push_back({ Glyph::None, {},
                { tr("recorded %1 MB, room for %2 MB")
                        .arg(m_recorder->status().bytes >> 20)
                        .arg(m_recorder->status().room >> 20),
                    tr("recorded %1 MB").arg(m_recorder->status().bytes >> 20) },
                1, false });
        else
            parts.push_back({ Glyph::Warning, m_theme.caution,
                { tr("NOT RECORDED: %1").arg(trouble), tr("NOT RECORDED") }, 8, true });
    }
    if (m_isPresenting) // keeps the word of origin and the urgent parts
        std::erase_if(parts, [](const StatusPart& part) { return part.importance < 8 || part.glyph == Glyph::None; });
    m_status->setParts(std::move(parts));
}

void MainWindow::updateClients()
{
    std::vector<std::pair<ProcessId, QString>> clients;
    for (const ProcessId id : clientsOf(m_pacer.state()))
        clients.emplace_back(id, QString::fromStdString(m_pacer.state().processes.at(id).name));
    // A person regards a new coordinator as the same object as the previous one.
    if (const ObjectRef selected = m_selection->selected();
        selected.kind == ObjectKind::Coordinator && selected.a != coordinatorOf(m_pacer.state()))
        m_selection->select({ ObjectKind::Coordinator, coordinatorOf(m_pacer.state()), 0 });
    if (clients != m_clients) {
        m_clients = clients;
        m_bar->setClients(clients);
        // The client may have been selected before it was in the list.
        if (const ObjectRef selected = m_selection->selected(); selected.kind == ObjectKind::Client)
            m_bar->chooseClient(selected.a);
    }
    if (m_clientWanted != 0 && std::any_of(clients.begin(), clients.end(), [this](const auto& client) {
            return client.first == m_clientWanted;
        })) {
        m_bar->chooseClient(m_clientWanted);
        m_clientWanted = 0;
    }
    enableActions();
}

// ---- what is shown

bool MainWindow::showsCluster() const { return m_stack->currentWidget() == m_work; }

bool MainWindow::hasCluster() const
{
    const ClusterCommands::Link link = m_commands->link();
    return m_timeLine.isReplay() || link == ClusterCommands::Link::Here || link == ClusterCommands::Link::Lost
        || m_commands->scenarioRuns() || (link == ClusterCommands::Link::Starting && m_commands->isLocal());
}

void MainWindow::showLink()
{
    const ClusterCommands::Link link = m_commands->link();
    const bool isThere = hasCluster(), wasShown = showsCluster();
    m_start->setBusy(link == ClusterCommands::Link::Starting);
    m_start->setStatus(link == ClusterCommands::Link::Starting ? tr("Asking the coordinator …") : m_commands->trouble(),
        link != ClusterCommands::Link::Starting);
    // The start page offers the scenarios itself.
    m_player->setVisible(
        m_timeLine.isReplay() ? !m_captions.isEmpty() || m_director.isOn() : isThere || m_player->isLoaded());
    m_captionsOf = { nullptr, 0 };
    m_timeBar->setVisible(isThere);
    m_bar->setVisible(isThere && !m_timeLine.isReplay() && !m_isPresenting);
    m_line->setVisible(isThere && !m_timeLine.isReplay() && !m_isPresenting);
    setWorkspace(m_workspace);
    enableActions();
    // Letters are then command keys; a number box would consume them.
    if (isThere && (!wasShown || focusWidget() == nullptr))
        m_canvas->setFocus();
    m_statusAt = -1;
}

void MainWindow::setWorkspace(Workspace workspace)
{
    m_workspace = workspace;
    // A scenario can also be written without a cluster.
    m_stack->setCurrentWidget(hasCluster() || workspace == Workspace::Write ? m_work : static_cast<QWidget*>(m_start));
    const auto workspaceOf = [this](const QDockWidget* dock) {
        return dock == m_faultDock                       ? Workspace::Faults
            : dock == m_chartDock                        ? Workspace::Measure
            : dock == m_spaceTimeDock                    ? Workspace::SpaceTime
            : dock == m_invariantDock                    ? Workspace::Invariants
            : dock == m_gateDock                         ? Workspace::Gate
            : dock == m_editorDock || dock == m_playDock ? Workspace::Write
                                                         : Workspace::Inspect;
    };
    const auto isLow = [](const QDockWidget* dock) {
        return dock->objectName() == QLatin1String("logDock") || dock->objectName() == QLatin1String("storyDock");
    };
    for (QDockWidget* dock : m_docks)
        dock->setVisible(workspaceOf(dock) == workspace && showsCluster() && isOfSystem(dock)
            && !(m_isViewLarge && workspace == Workspace::Inspect && isLow(dock)));
    const bool hasPicture = workspace != Workspace::Measure || !showsCluster(); // charts use the whole width
    m_canvas->setVisible(hasPicture);
    m_centre->setVisible(hasPicture);
    m_centre->setMaximumHeight(QWIDGETSIZE_MAX);
    m_actions->get("lecture")->setChecked(workspace == Workspace::Lecture);
    m_actions->get("inspect")->setChecked(workspace == Workspace::Inspect);
    m_actions->get("faultPanel")->setChecked(workspace == Workspace::Faults);
    m_actions->get("measure")->setChecked(workspace == Workspace::Measure);
    m_actions->get("spaceTime")->setChecked(workspace == Workspace::SpaceTime);
    m_actions->get("invariants")->setChecked(workspace == Workspace::Invariants);
    m_actions->get("heldMessages")->setChecked(workspace == Workspace::Gate);
    arrangeWrite();
    if (workspace == Workspace::SpaceTime && showsCluster())
        m_inner->resizeDocks({ m_spaceTimeDock }, { m_inner->height() * 58 / 100 }, Qt::Vertical);
    if ((workspace == Workspace::Inspect || workspace == Workspace::Faults || workspace == Workspace::Invariants
            || workspace == Workspace::Gate)
        && showsCluster()) {
        // A third of the width, or more if a table needs it.
        const bool isLarge = m_isViewLarge && workspace == Workspace::Inspect;
        const int wide = isLarge ? std::clamp(width() * 54 / 100, int(m_theme.px(330)),
                             std::max(int(m_theme.px(330)), width() - int(m_theme.px(320))))
                                 : std::clamp(width() * (m_isLow ? 44 : 36) / 100, int(m_theme.px(330)),
                                     std::max(int(m_theme.px(330)), width() / 2));
        m_inner->resizeDocks({ workspace == Workspace::Faults             ? m_faultDock
                                     : workspace == Workspace::Invariants ? m_invariantDock
                                     : workspace == Workspace::Gate       ? m_gateDock
                                                                          : m_docks[0] },
            { wide }, Qt::Horizontal);
        if (workspace == Workspace::Inspect && !m_isLow) // the table needs more lines than the log
            m_inner->resizeDocks({ m_docks[0], m_logDock },
                { m_inner->height() * 66 / 100, m_inner->height() * 34 / 100 }, Qt::Vertical);
    }
}

// ---- looks

void MainWindow::applyTheme()
{
    m_theme = themeWanted();
    qApp->setPalette(m_theme.palette());
    qApp->setFont(m_theme.font({ TextSize::Small }));
    qApp->setStyleSheet(m_theme.styleSheet());
    // With a style sheet, the application's font does not reach existing widgets.
    for (QWidget* widget : QApplication::allWidgets()) {
        if (!widget->testAttribute(Qt::WA_SetFont))
            widget->setFont(QFont());
    }
    m_canvas->setTheme(m_theme);
    m_bar->setTheme(m_theme);
    m_clockBar->setTheme(m_theme);
    m_line->setTheme(m_theme);
    m_player->setTheme(m_theme);
    m_guide->setTheme(m_theme);
    m_status->setTheme(m_theme);
    m_timeBar->setTheme(m_theme);
    m_start->setTheme(m_theme);
    m_records->setTheme(m_theme);
    m_imagePanel->setTheme(m_theme);
    m_log->setTheme(m_theme);
    m_faults->setTheme(m_theme);
    m_group->setTheme(m_theme);
    m_node->setTheme(m_theme);
    m_invariants->setTheme(m_theme);
    m_gate->setTheme(m_theme);
    m_editor->setTheme(m_theme);
    m_charts->setTheme(m_theme);
    m_spaceTime->setTheme(m_theme);
    m_focusRing->setTheme(m_theme);
    if (m_notes)
        m_notes->setTheme(m_theme);
    m_statusAt = -1;
    foldPanels();
    arrangeDocks();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!m_editor->mayReplace() || !mayForgetRun()) {
        event->ignore();
        return;
    }
    m_editor->forgetUnsaved();
    m_player->stop();
    m_notes.reset();
    event->accept();
}

// Sizes that are shares of the window are computed when it has its size.
void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    QTimer::singleShot(0, this, [this] { setWorkspace(m_workspace); });
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (!countVote(*event))
        QMainWindow::keyPressEvent(event);
}

} // namespace lhrs::gui
