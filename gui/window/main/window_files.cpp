// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/main/window_files.h"

#include "gui/lab/live/ingest.h"
#include "gui/window/main/window_start.h"
#include "gui/window/lhrs/window_tour.h"
#include "gui/window/show/window_guide.h"
#include "gui/window/show/window_reel.h"
#include "gui/window/show/window_time.h"
#include "gui/window/show/window_write.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace lhrs::gui {

namespace {

// The contents decide, whatever the ending of the name: a recording is a database, a scenario is text.
bool isDatabase(const QString& path)
{
    static const QByteArray kBegin("SQLite format 3\0", 16);
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(kBegin.size()) == kBegin;
}

bool isRecording(const QString& path) { return QFileInfo(path).suffix() == QLatin1String("lhrun") || isDatabase(path); }

} // namespace

WindowFiles::WindowFiles(WindowParts& parts, const std::vector<WindowSubject*>& subjects, WindowStart& start)
    : WindowSubject(parts), m_subjects(subjects), m_start(start)
{
    m_parts.actions.add(
        { "openScenario", "File", "Open scenario …", "Ctrl+O",
            "Loads a scenario and stops before its first step; while a scenario is being written, it is only opened" },
        [this] {
            const QString path = QFileDialog::getOpenFileName(
                &m_parts.window, tr("Open a scenario"), QString(), tr("Scenarios (*.js);;All files (*)"));
            if (!path.isEmpty())
                openFile(path);
        });
}

void WindowFiles::meet(WindowWrite& write, WindowGuide& guide, WindowTour& tour, WindowTime& time, WindowReel& reel)
{
    m_write = &write;
    m_guide = &guide;
    m_tour = &tour;
    m_time = &time;
    m_reel = &reel;
}

void WindowFiles::build()
{
    connect(&m_start.page(), &StartPage::scenarioWanted, this,
        [this](const QString& path, bool isFirst) { (void)open(path, true, isFirst); });
    connect(&m_start.page(), &StartPage::recordingWanted, this, &WindowFiles::openRecording);
    connect(m_time, &WindowTime::openWanted, this, [this] {
        const QString path = QFileDialog::getOpenFileName(
            &m_parts.window, tr("Open recording"), {}, tr("Recordings (*.lhrun);;All files (*)"));
        if (!path.isEmpty())
            openFile(path);
    });
    connect(m_time, &WindowTime::closeWanted, this, &WindowFiles::closeRecording);
    connect(m_tour, &WindowTour::closeWanted, this, &WindowFiles::closeRecording);
    connect(&m_guide->exercise(), &WindowExercise::openWanted, this,
        [this](const QString& path) { openScenario(path, true); });
}

void WindowFiles::enable()
{
    m_parts.actions.enable({ "openScenario" },
        !m_parts.commands.link().scenarioRuns() && m_parts.commands.link().state() != LinkState::Starting);
}

// Shows the problem where the person can see it: the command line is hidden beside a recording and in a presentation.
void WindowFiles::sayNotOpened(const QString& problem)
{
    m_start.page().setStatus(problem, true);
    m_parts.line.answer(tr("open"), problem, false);
    m_parts.line.setVisible(!m_parts.isPresenting);
    if (m_parts.isPresenting)
        m_parts.player.strip().setNotice(problem);
}

// ---- scenarios

// `isFirst`: as the first look.
bool WindowFiles::open(const QString& path, bool isStarted, bool isFirst)
{
    Player& player = m_parts.player;
    if (player.run().isRunning() || !m_write->editor().mayReplace() || (isStarted && !mayForgetRun()))
        return false;
    m_start.endFirst();
    const bool isText = m_write->editor().open(path);
    if (!player.load(path)) {
        if (isText) { // a text with an error can be corrected in the editor
            m_parts.workspaces.enter(Workspace::Write);
            m_write->editor().showProblem();
        } else {
            sayNotOpened(player.words().caption);
        }
        return false;
    }
    if (isFirst)
        m_start.beginFirst();
    if (isStarted) {
        m_parts.pacer.reset();
        for (WindowSubject* subject : m_subjects)
            subject->clear();
        player.start();
    }
    player.strip().show();
    m_parts.enableActions();
    return true;
}

void WindowFiles::openFile(const QString& path)
{
    if (isRecording(path))
        openRecording(path);
    else if (m_parts.actions.get("openScenario")->isEnabled())
        openScenario(path, m_parts.workspaces.now() != Workspace::Write);
    else
        m_parts.line.answer(tr("open"),
            tr("A scenario is running or a cluster is being started; %1 can be opened after that.")
                .arg(QFileInfo(path).fileName()),
            false);
}

QString WindowFiles::dragged(const QMimeData& data)
{
    const QList<QUrl> urls = data.urls();
    const QString path = urls.size() == 1 ? urls.front().toLocalFile() : QString();
    return path.endsWith(QLatin1String(".js")) || (!path.isEmpty() && isRecording(path)) ? path : QString();
}

// ---- recordings

QString WindowFiles::openRecording(const QString& path)
{
    auto recording = Recording::open(path);
    if (!recording) {
        const QString problem = QString::fromStdString(recording.error().text);
        sayNotOpened(problem);
        return problem;
    }
    m_recordingPath = path;
    m_parts.timeLine.showRecording(std::move(*recording));
    for (WindowSubject* subject : m_subjects)
        subject->showRun();
    m_parts.selection.select({});
    m_parts.canvas.fit();
    if (!m_reel->start())
        m_parts.director.end();
    emit runShown();
    m_start.noteOpened(path);
    const QString damage = m_parts.timeLine.recording()->damage(),
                  unfinished = m_parts.timeLine.recording()->unfinished();
    if (!damage.isEmpty() || !unfinished.isEmpty())
        m_parts.line.answer(tr("open"), !damage.isEmpty() ? damage : unfinished, damage.isEmpty());
    return {};
}

void WindowFiles::closeRecording()
{
    if (!m_parts.timeLine.isReplay())
        return;
    m_parts.director.end();
    m_guide->exercise().close();
    m_parts.timeLine.showRecording(nullptr);
    for (WindowSubject* subject : m_subjects)
        subject->showRun();
    m_parts.selection.select({});
    emit runShown();
}

bool WindowFiles::mayForgetRun()
{
    // A simulated lecture, exercise or tour can be repeated at any time with the same seed.
    const bool isShow = m_parts.director.isOn() && !m_parts.director.isRecorded();
    return (m_parts.commands.session().ingest().state().isSimulated && (m_tour->hasCluster() || isShow))
        || m_time->mayForget();
}

} // namespace lhrs::gui
