// SPDX-License-Identifier: GPL-3.0-or-later
// The window's files: scenarios and recordings are opened, and what is shown is exported.
#include "gui/window/main/main_window.h"

#include "gui/lab/export/run_export.h"
#include "gui/window/inspect/window_export.h"
#include "gui/window/show/window_guide.h"
#include "gui/window/show/window_reel.h"
#include "gui/window/inspect/window_measure.h"
#include "gui/window/show/window_time.h"
#include "gui/window/show/window_write.h"

#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

#include <utility>

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

// The single file that is dragged over the window, if it is a recording or a scenario; empty: there is none.
QString draggedFile(const QMimeData& data)
{
    const QList<QUrl> urls = data.urls();
    const QString path = urls.size() == 1 ? urls.front().toLocalFile() : QString();
    return path.endsWith(QLatin1String(".js")) || (!path.isEmpty() && isRecording(path)) ? path : QString();
}

} // namespace

// ---- opening

// Shows the problem where the person can see it: the command line is hidden beside a recording and in a presentation.
void MainWindow::sayNotOpened(const QString& problem)
{
    m_start->setStatus(problem, true);
    m_line->answer(tr("open"), problem, false);
    m_line->setVisible(!m_parts.isPresenting);
    if (m_parts.isPresenting)
        m_player->strip().setNotice(problem);
}

bool MainWindow::openScenario(const QString& path, bool isStarted)
{
    if (m_player->run().isRunning() || !m_write->editor().mayReplace() || (isStarted && !mayForgetRun()))
        return false;
    endFirst();
    const bool isText = m_write->editor().open(path);
    if (!m_player->load(path)) {
        if (isText) { // a text with an error can be corrected in the editor
            setWorkspace(Workspace::Write);
            m_write->editor().showProblem();
        } else {
            sayNotOpened(m_player->words().caption);
        }
        return false;
    }
    if (isStarted) {
        m_pacer.reset();
        for (WindowSubject* subject : m_subjects)
            subject->clear();
        m_player->start();
    }
    m_player->strip().show();
    enableActions();
    return true;
}

void MainWindow::askForScenario()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a scenario"), QString(), tr("Scenarios (*.js);;All files (*)"));
    if (!path.isEmpty())
        openFile(path);
}

// A dropped file is opened as by the menu. The action is a copy, so that the desktop keeps the file.
void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (draggedFile(*event->mimeData()).isEmpty())
        return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QString path = draggedFile(*event->mimeData());
    if (path.isEmpty())
        return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
    openFile(path);
}

void MainWindow::openFile(const QString& path)
{
    if (isRecording(path))
        openRecording(path);
    else if (m_actions->get("openScenario")->isEnabled())
        openScenario(path, workspace() != Workspace::Write);
    else
        m_line->answer(tr("open"),
            tr("A scenario runs or a cluster is being started; %1 can be opened when that is over.")
                .arg(QFileInfo(path).fileName()),
            false);
}

// ---- recordings

QString MainWindow::openRecording(const QString& path)
{
    auto recording = Recording::open(path);
    if (!recording) {
        const QString problem = QString::fromStdString(recording.error().text);
        sayNotOpened(problem);
        return problem;
    }
    m_replayPath = path;
    m_timeLine.showRecording(std::move(*recording));
    for (WindowSubject* subject : m_subjects)
        subject->showRun();
    m_selection->select({});
    m_canvas->fit();
    if (!m_reel->start())
        m_director.end();
    showLink();
    noteOpened();
    const QString damage = m_timeLine.recording()->damage(), unfinished = m_timeLine.recording()->unfinished();
    if (!damage.isEmpty() || !unfinished.isEmpty())
        m_line->answer(tr("open"), !damage.isEmpty() ? damage : unfinished, damage.isEmpty());
    return {};
}

void MainWindow::closeRecording()
{
    if (!m_timeLine.isReplay())
        return;
    m_director.end();
    m_guide->exercise().close();
    m_timeLine.showRecording(nullptr);
    for (WindowSubject* subject : m_subjects)
        subject->showRun();
    m_selection->select({});
    showLink();
}

bool MainWindow::mayForgetRun()
{
    // A simulated lecture, exercise or tour can be repeated at any time with the same seed.
    const bool isShow = m_director.isOn() && !m_director.isRecorded();
    return (m_commands->state().isSimulated && (m_guide->tour().hasCluster() || isShow)) || m_time->mayForget();
}

// ---- exports

QString MainWindow::exportViewTo(const QString& path) { return m_export->write(path); }

ExportResult MainWindow::exportAll(const QString& directory, FolderUse use)
{
    return m_measure->writeAll(directory, use, [this](const QString& path) { return m_export->write(path); });
}

GuidePanel& MainWindow::guide() { return m_guide->panel(); }

EditorPanel& MainWindow::editor() { return m_write->editor(); }

bool MainWindow::savePicture(const QString& path) { return grab().save(path); }

} // namespace lhrs::gui
