// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/main/window_start.h"

#include "gui/lab/live/ingest.h"
#include "gui/window/main/start_systems.h"
#include "gui/window/widgets/remembered.h"

#include <QFileInfo>
#include <QInputDialog>

namespace lhrs::gui {

namespace {

constexpr std::uint64_t kFirstSeed = 7; // the first look is always the same

} // namespace

WindowStart::WindowStart(WindowParts& parts, const QString& scenarioDirectory, Remembered& remembered)
    : WindowSubject(parts), m_page(new StartPage(scenarioDirectory, startSystems())), m_remembered(remembered)
{
    Actions& a = m_parts.actions;
    a.add({ "startLocal", "File", "Start a cluster here", "Ctrl+N",
              "Starts processes on this computer with the parameters of the start page" },
        [this] {
            if (m_parts.mayForgetRun())
                startHere();
        });
    a.add(
        { "startSimulated", "File", "Start a simulated cluster", "Ctrl+Alt+S",
            "Starts one process that simulates all others on a virtual clock, with the parameters of the start page" },
        [this] {
            if (m_parts.mayForgetRun())
                startHere(m_page->simulatedOptions());
        });
    a.add({ "connect", "File", "Connect to a coordinator …", "Ctrl+Shift+O",
              "Watches a cluster that is already running" },
        [this] {
            bool isGiven = false;
            const QString address = QInputDialog::getText(&m_parts.window, tr("Connect"),
                tr("Control endpoint of the coordinator, HOST:PORT"), QLineEdit::Normal, QStringLiteral("127.0.0.1:"),
                &isGiven);
            if (isGiven && m_parts.mayForgetRun())
                connectTo(address.trimmed());
        });
}

void WindowStart::build()
{
    connect(m_page, &StartPage::localWanted, m_parts.actions.get("startLocal"), &QAction::trigger);
    connect(m_page, &StartPage::simulatedWanted, m_parts.actions.get("startSimulated"), &QAction::trigger);
    connect(m_page, &StartPage::connectWanted, this, &WindowStart::connectTo);
    connect(m_page, &StartPage::openRecordingWanted, m_parts.actions.get("openRecording"), &QAction::trigger);
    connect(m_page, &StartPage::recordingsChanged, this, [this] { m_page->recordings().keep(m_remembered); });
    m_page->setTourThere(true);
    m_page->recall(m_remembered);
}

void WindowStart::enable()
{
    m_parts.actions.enable({ "startLocal", "startSimulated", "connect" },
        !m_parts.commands.link().scenarioRuns() && m_parts.commands.link().state() != LinkState::Starting);
}

void WindowStart::showLink()
{
    const bool isStarting = m_parts.commands.link().state() == LinkState::Starting;
    m_page->setBusy(isStarting);
    m_page->setStatus(isStarting ? tr("Asking the coordinator …") : m_parts.commands.link().trouble(), !isStarting);
}

// ---- ways to begin

void WindowStart::startHere(const std::optional<SimulatedOptions>& simulated)
{
    m_parts.endShow();
    LocalOptions options = m_page->localOptions();
    options.simulated = simulated;
    if (simulated)
        options.hosts.clear();
    m_page->keep(m_remembered);
    preferSimulated(simulated);
    m_parts.commands.link().start(options, m_page->form().line(), m_page->recordBytes(), m_page->clients());
}

void WindowStart::connectTo(const QString& address) { connectWith(address, m_page->form().keyFile()); }

void WindowStart::connectWith(const QString& address, const QString& keyFile)
{
    m_parts.endShow();
    m_page->keep(m_remembered);
    m_parts.commands.link().connectTo(address, keyFile);
}

void WindowStart::preferSimulated(const std::optional<SimulatedOptions>& options)
{
    m_playsFirst = false;
    m_chosen = options;
    m_parts.commands.session().local().preferSimulated(options);
}

void WindowStart::preferHosts(const std::vector<HostEntry>& hosts)
{
    m_parts.commands.session().local().preferHosts(hosts);
}

void WindowStart::beginFirst()
{
    SimulatedOptions simulated;
    simulated.seed = kFirstSeed;
    m_playsFirst = true;
    m_parts.commands.session().local().preferSimulated(simulated);
}

void WindowStart::endFirst()
{
    if (m_playsFirst)
        preferSimulated(m_chosen);
}

// ---- recent recordings

void WindowStart::noteOpened(const QString& path)
{
    Recording& recording = *m_parts.timeLine.recording();
    const auto played = recording.rows(QStringLiteral("scenario")); // several: the last one fills most of the recording
    const QString scenario = played.empty() ? QString() : played.back().at(QStringLiteral("name")).toString();
    m_page->noteRecording({ QFileInfo(path).absoluteFilePath(), recording.meta(QStringLiteral("started_utc")),
        QFileInfo(scenario).fileName(), recording.isSimulated() });
}

void WindowStart::noteSaved(const QString& path)
{
    const RunFacts facts = m_parts.player.runFacts(m_parts.run);
    m_page->noteRecording({ QFileInfo(path).absoluteFilePath(), facts.started, QFileInfo(facts.scenario).fileName(),
        facts.isSimulated || m_parts.commands.session().ingest().state().isSimulated });
}

} // namespace lhrs::gui
