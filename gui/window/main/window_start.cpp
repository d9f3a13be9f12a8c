// SPDX-License-Identifier: GPL-3.0-or-later
// The window and its start page: the clusters that are started there, the first look, and the recordings that it lists.
#include "gui/window/main/main_window.h"
#include "gui/window/show/window_guide.h"
#include "gui/window/show/window_time.h"

#include <QFileDialog>
#include <QFileInfo>

namespace lhrs::gui {

namespace {

// The first look is always the same.
constexpr std::uint64_t kFirstSeed = 7;

} // namespace

void MainWindow::connectStart()
{
    connect(m_start, &StartPage::localWanted, m_actions->get("startLocal"), &QAction::trigger);
    connect(m_start, &StartPage::simulatedWanted, m_actions->get("startSimulated"), &QAction::trigger);
    connect(m_start, &StartPage::connectWanted, this, &MainWindow::connectTo);
    connect(m_start, &StartPage::scenarioWanted, this,
        [this](const QString& path, bool isFirst) { isFirst ? playFirst(path) : void(openScenario(path, true)); });
    connect(m_start, &StartPage::tourWanted, this, &MainWindow::startTour);
    connect(&m_guide->tour(), &WindowTour::stopChanged, this, [this] { m_start->setTourLeft(tourStopLeft()); });
    m_start->setTourThere(true);
    m_start->setTourLeft(tourStopLeft());
    connect(m_start, &StartPage::openRecordingWanted, m_actions->get("openRecording"), &QAction::trigger);
    connect(m_start, &StartPage::recordingWanted, this, &MainWindow::openRecording);
    connect(m_time, &WindowTime::openWanted, this, [this] {
        const QString path = QFileDialog::getOpenFileName(
            this, tr("Open recording"), {}, tr("Recordings (*.lhrun);;All files (*)"));
        if (!path.isEmpty())
            openFile(path);
    });
    connect(m_time, &WindowTime::closeWanted, this, &MainWindow::closeRecording);
    connect(m_time, &WindowTime::saved, this, &MainWindow::noteSaved);
    connect(m_start, &StartPage::recordingsChanged, this, [this] { m_start->recordings().keep(m_remembered); });
}

// ---- ways to begin

void MainWindow::startTour() { m_guide->tour().start(); }

int MainWindow::tourStopLeft() const { return m_guide->tour().stopLeft(); }

void MainWindow::startLocal()
{
    m_parts.endShow();
    m_localOptions = m_start->localOptions();
    m_start->keep(m_remembered);
    preferSimulated(std::nullopt);
    m_commands->startLocal(m_localOptions, m_start->recordBytes(), m_start->clients());
}

void MainWindow::startSimulated(const SimulatedOptions& simulated)
{
    m_parts.endShow();
    m_localOptions = m_start->localOptions();
    m_start->keep(m_remembered);
    m_localOptions.simulated = simulated;
    preferSimulated(m_localOptions.simulated);
    m_commands->startLocal(m_localOptions, m_start->recordBytes(), m_start->clients());
}

void MainWindow::connectTo(const QString& address)
{
    m_parts.endShow();
    m_start->keep(m_remembered);
    m_commands->connectTo(address);
}

void MainWindow::preferSimulated(const std::optional<SimulatedOptions>& simulated)
{
    m_playsFirst = false;
    m_simulatedChosen = simulated;
    m_commands->session().local().preferSimulated(simulated);
}

// On a simulated cluster, whatever is chosen for others: it needs little of this computer and is always the same.
void MainWindow::playFirst(const QString& path)
{
    SimulatedOptions simulated;
    simulated.seed = kFirstSeed;
    m_playsFirst = false;
    m_commands->session().local().preferSimulated(simulated);
    m_playsFirst = openScenario(path, true);
    if (!m_playsFirst)
        m_commands->session().local().preferSimulated(m_simulatedChosen);
}

// The next scenario is played as it was chosen before the first look.
void MainWindow::endFirst()
{
    if (m_playsFirst)
        preferSimulated(m_simulatedChosen);
}

// ---- recent recordings

void MainWindow::noteOpened()
{
    Recording& recording = *m_timeLine.recording();
    const auto played = recording.rows(QStringLiteral("scenario")); // several: the last one fills most of the recording
    const QString scenario = played.empty() ? QString() : played.back().at(QStringLiteral("name")).toString();
    m_start->noteRecording({ QFileInfo(m_replayPath).absoluteFilePath(), recording.meta(QStringLiteral("started_utc")),
        QFileInfo(scenario).fileName(), recording.isSimulated() });
}

void MainWindow::noteSaved(const QString& path)
{
    const RunFacts facts = m_player->runFacts(m_parts.run);
    m_start->noteRecording({ QFileInfo(path).absoluteFilePath(), facts.started, QFileInfo(facts.scenario).fileName(),
        facts.isSimulated || m_commands->state().isSimulated });
}

} // namespace lhrs::gui
