// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/main/main_window.h"

#include "gui/lab/live/ingest.h"
#include "gui/window/widgets/bar_shelf.h"
#include "gui/window/panels/guide_panel.h"
#include "gui/window/lhrs/window_group.h"
#include "gui/window/operate/window_leave.h"
#include "gui/window/inspect/window_measure.h"
#include "gui/window/show/window_present.h"
#include "gui/window/show/window_reel.h"
#include "gui/window/show/window_steps.h"
#include "gui/window/show/window_story.h"
#include "gui/window/show/window_time.h"
#include "gui/window/show/window_write.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr double kStatusEvery = 0.25; // seconds
constexpr qreal kFoldedWindow = 470; // pixels at 100 %: in a lower one, bars and captions leave the picture room
constexpr double kPlayerShare = 0.25; // of the height of a folded window
constexpr double kGuideShare = 0.3; // likewise
constexpr QSize kLeastSize(640, 400); // of the window, whatever size its parts prefer
constexpr std::chrono::milliseconds kSilent(2'000);

} // namespace

MainWindow::MainWindow(const Options& options, QWidget* parent)
    : QMainWindow(parent), m_commands(new ClusterCommands(this)),
      m_timeLine(m_commands->session().ingest(), [this] { return m_time->openPast(); }), m_pacer(m_timeLine),
      m_director(m_pacer, m_timeLine), m_selection(new Selection(this)), m_clock(new FrameClock(this)),
      m_actions(new Actions(this)),
      m_workspaces(new Workspaces(*m_actions, m_pacer, *m_selection, [this] { return m_parts.hasCluster(); })),
      m_canvas(&m_workspaces->canvas()), m_line(new LabLine),
      m_player(new Player(m_commands->session(), m_director, this)), m_parts { *this, *m_actions, *m_selection,
          *m_commands, m_timeLine, m_pacer, m_director, *m_clock, *m_workspaces, *m_canvas, *m_line, *m_player,
          [this] { enableActions(); }, [this] { m_statusAt = -1; }, [this] { return m_files->mayForgetRun(); } },
      m_remembered(options.settingsPath)
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowTitle(tr("LHRS Lab"));
    setAcceptDrops(true);
    makeActions(options);
    makePieces();
    for (WindowSubject* subject : m_subjects)
        subject->build();
    m_focusRing = new FocusRing(m_canvas, this);
    m_workspaces->placeDocks();
    auto* rows = qobject_cast<QVBoxLayout*>(centralWidget()->layout());
    rows->insertWidget(rows->indexOf(&m_player->strip()),
        &m_guide->panel()); // above the caption, which continues to tell what happens
    m_actions->fill(menuBar());
    connectAll();
    m_time->start(options.recordPath);
    m_looks->recall(options);
    m_looks->apply();
    setWorkspace(Workspace::Lecture);
    showLink();
    setMinimumSize(kLeastSize);
    resize(1280, 720);
    m_clock->start();
}

MainWindow::~MainWindow()
{
    m_clock->stop();
    if (const QString path = m_time->ownFile(); !path.isEmpty())
        m_start->noteSaved(path);
    // The player's script uses the session of m_commands, and is recorded to its end.
    delete m_player;
    m_time->stop();
    m_parts.workloads->disconnect(this); // the focus leaves its buttons when they are deleted
    for (const WindowSubject* subject : std::exchange(m_subjects, {}))
        delete subject;
}

void MainWindow::makePieces()
{
    // In the order of the Tab key.
    m_shelf = new BarShelf;
    for (WindowSubject* subject : m_subjects)
        if (QWidget* bar = subject->makeBar())
            m_shelf->add(bar);
    m_workspaces->setPages(&m_start->page(), m_shelf, m_line);
    auto* all = new QWidget(this);
    auto* rows = new QVBoxLayout(all);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(m_workspaces, 1);
    rows->addWidget(&m_player->strip());
    m_parts.timeBar = new TimeBar(*m_actions, m_timeLine, m_director, m_commands->session().ingest(), all);
    rows->addWidget(m_parts.timeBar);
    setCentralWidget(all);
    m_status = new WindowStatus(m_parts, m_subjects, *m_files);
    statusBar()->addWidget(&m_status->strip(), 1);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(0, 0, 0, 0);
}

// Connects the parts: which part tells which other part what.
void MainWindow::connectAll()
{
    // Each frame: the pacer takes new events; then the visible views are asked for their frames.
    m_clock->setSource([this](double seconds) { return onFrame(seconds); });
    m_sinceInput.start();
    qApp->installEventFilter(this);
    m_clock->add(m_canvas, m_canvas);
    m_clock->add(m_player, this); // a scenario may end before it is visible

    // The cluster: the state of its link decides what is shown; with another cluster all views forget the previous one.
    connect(&m_commands->link(), &ClusterLink::changed, this, &MainWindow::showLink);
    connect(&m_commands->link(), &ClusterLink::clusterChanged, m_reel, &WindowReel::takeCluster);
    connect(&m_commands->report(), &CommandReport::said, m_line, &LabLine::say);
    connect(&m_commands->report(), &CommandReport::answered, m_line, &LabLine::answer);

    // The start page and the files.
    connect(&m_start->page(), &StartPage::tourWanted, m_tour, &WindowTour::start);
    connect(m_tour, &WindowTour::stopChanged, m_start, [this] { m_start->page().setTourLeft(m_tour->stopLeft()); });
    m_start->page().setTourLeft(m_tour->stopLeft());
    connect(m_time, &WindowTime::saved, m_start, &WindowStart::noteSaved);
    connect(m_files, &WindowFiles::runShown, this, &MainWindow::showLink);

    // The canvas: inspecting, and the menu of the object under the mouse.
    connect(m_canvas, &ClusterCanvas::inspectRequested, this, [this](ObjectRef object) {
        for (WindowSubject* subject : m_subjects)
            if (subject->showContents(object))
                return;
    });
    connect(m_canvas, &ClusterCanvas::systemChanged, this, &MainWindow::followSystem);
    connect(m_selection, &Selection::selectionChanged, this, &MainWindow::enableActions);

    connect(&m_status->strip(), &StatusStrip::actionWanted, this,
        [this](const QString& action) { m_parts.trigger(action); });

    connect(m_present, &WindowPresent::changed, this, [this](bool on) {
        menuBar()->setVisible(!on);
        m_group->setPresented(on);
        showLink(); // updates which parts a presentation shows
    });
    connect(m_present, &WindowPresent::themeWanted, m_looks, &WindowLooks::apply);
    connect(m_looks, &WindowLooks::changed, this, &MainWindow::applyTheme);
    connect(m_present, &WindowPresent::keyPressed, this, [this](QKeyEvent* event) { keyPressEvent(event); });
    connect(m_present, &WindowPresent::stopAsked, m_leave, &WindowLeave::offerToStop);
    connect(m_leave, &WindowLeave::exerciseLeft, this, [this] { m_guide->panel().press(GuidePanel::Leave); });

    connect(&m_guide->panel(), &GuidePanel::shownOrHidden, this, [this] {
        m_write->showButtons();
        foldPanels();
        m_workspaces->arrange();
    });

    // The player: what a scenario wants to show.
    connect(m_player, &Player::runningChanged, &m_commands->link(), &ClusterLink::setScenarioRuns);
    connect(m_player, &Player::entryShown, m_reel, &WindowReel::follow);
    connect(m_measure, &WindowMeasure::wanted, m_reel, &WindowReel::noteChart);
    connect(m_player, &Player::cameraWished, m_reel, &WindowReel::point);
    connect(m_player, &Player::highlightWished, m_reel, &WindowReel::highlight);

    // The buttons show their scenario lines before they are pressed.
    for (QAction* action : m_actions->all())
        connect(action, &QAction::hovered, this, [this, action] { previewOf(action); });
    connect(m_parts.workloads, &WorkloadBar::pointed, this, &MainWindow::previewOf);
    for (QMenu* menu : menuBar()->findChildren<QMenu*>())
        m_parts.endPreviewWith(*menu);
}

// ---- frames

bool MainWindow::onFrame(double seconds)
{
    m_parts.seconds += seconds;
    m_player->collect();
    m_timeLine.advance(seconds);
    if (m_timeLine.jumps() != m_jumps) {
        // Another instant: nothing that was moving before belongs to it.
        m_jumps = m_timeLine.jumps();
        m_pacer.reset();
        for (WindowSubject* subject : m_subjects)
            subject->restart();
    }
    if (!m_timeLine.isFrozen())
        m_director.advance(seconds);
    for (WindowSubject* subject : m_subjects)
        subject->frame();
    if (m_parts.seconds - m_statusAt >= kStatusEvery) {
        m_statusAt = m_parts.seconds;
        makeWay();
        m_status->update();
        m_player->strip().setPictureScale(m_canvas->theme().fontScale());
        for (WindowSubject* subject : m_subjects)
            subject->update();
        enableActions();
        m_canvas->setRecorded(m_timeLine.isReplay());
        // Every process gives signs of life as events only at full detail, and only in real time.
        const std::vector<ProcessId> silent = m_commands->session().ingest().silentSince(kSilent);
        std::set<ProcessId> shownSilent;
        if (m_commands->session().control().detail() == pb::FULL && !m_pacer.state().isSimulated)
            for (const ProcessId id : silent) // a gated process cannot give signs of life
                if (const auto known = m_pacer.state().processes.find(id);
                    known == m_pacer.state().processes.end() || !known->second.isGated)
                    shownSilent.insert(id);
        m_canvas->setSilent(shownSilent);
    }
    return m_pacer.isBusy();
}

// A cluster that needs all processors would wait for the picture: then the window draws fewer frames.
void MainWindow::makeWay()
{
    if (const std::optional<ProcessorTime> now = ProcessorTime::now())
        m_processors.take(*now);
    const bool isHere = m_commands->link().state() == LinkState::Here && !m_timeLine.isReplay();
    Ingest& ingest = m_commands->session().ingest();
    const IngestCounters counters = ingest.counters();
    const WayGiven way = wayFor({ isHere && !m_pacer.state().isSimulated, m_processors.areScarce(),
        counters.eventsPerSecond, counters.processors, double(m_sinceInput.elapsed()) / 1'000 });
    m_clock->setMakesWay(way.frame);
    ingest.setGather(way.gather);
}

// A person who uses the window sees at once what it does, even if it makes way.
bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->isInputEvent()) {
        m_sinceInput.restart();
        if (m_clock->hurry())
            m_statusAt = -1; // decides anew how much way it makes
    }
    return QMainWindow::eventFilter(watched, event);
}

// ---- what is shown

void MainWindow::showLink()
{
    const bool isThere = m_parts.hasCluster(), wasShown = m_workspaces->showsWork();
    m_start->showLink();
    m_steps->showStrip();
    m_parts.timeBar->setVisible(isThere);
    m_parts.workloads->setVisible(isThere && !m_timeLine.isReplay() && !m_parts.isPresenting);
    m_line->setVisible(isThere && !m_timeLine.isReplay() && !m_parts.isPresenting);
    if (!isThere)
        m_line->forget();
    m_workspaces->again();
    enableActions();
    // Letters are then command keys; a number box would consume them.
    if (isThere && (!wasShown || focusWidget() == nullptr))
        m_canvas->setFocus();
    m_statusAt = -1;
}

// ---- looks

// Large text in a small window: the panels around the picture shrink, so that the window does not outgrow its screen.
void MainWindow::foldPanels()
{
    const bool isFolded = height() < m_parts.theme.px(kFoldedWindow);
    m_shelf->setLow(isFolded);
    m_player->strip().setLow(m_workspaces->isCrowded() ? 1
            : isFolded                                 ? int(height() * kPlayerShare)
                                                       : 0); // the guide has priority
    m_guide->panel().setLow(isFolded ? int(height() * kGuideShare) : 0);
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_looks->fit();
    foldPanels();
    m_workspaces->arrange();
}

void MainWindow::applyTheme()
{
    m_workspaces->setTheme(m_parts.theme);
    m_line->setTheme(m_parts.theme);
    m_player->setTheme(m_parts.theme);
    m_status->strip().setTheme(m_parts.theme);
    for (WindowSubject* subject : m_subjects)
        subject->applyTheme();
    m_focusRing->setTheme(m_parts.theme);
    m_statusAt = -1;
    foldPanels();
    m_workspaces->arrange();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!m_write->editor().mayReplace() || !m_parts.mayForgetRun()) {
        event->ignore();
        return;
    }
    m_write->editor().forgetUnsaved();
    m_player->run().stop();
    m_present->closeNotes();
    event->accept();
}

// A dropped file is opened as by the menu. The action is a copy, so that the desktop keeps the file.
void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (WindowFiles::dragged(*event->mimeData()).isEmpty())
        return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QString path = WindowFiles::dragged(*event->mimeData());
    if (path.isEmpty())
        return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
    m_files->openFile(path);
}

// Sizes that are shares of the window are computed when it has its size.
void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    QTimer::singleShot(0, this, [this] { m_workspaces->again(); });
}

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    if (!m_steps->countVote(*event))
        QMainWindow::keyPressEvent(event);
}

// ---- the parts

ExportResult MainWindow::exportAll(const QString& directory, FolderUse use)
{
    return m_measure->writeAll(directory, use, [this](const QString& path) { return m_export->write(path); });
}

EditorPanel& MainWindow::editor() { return m_write->editor(); }

bool MainWindow::savePicture(const QString& path) { return grab().save(path); }

} // namespace lhrs::gui
