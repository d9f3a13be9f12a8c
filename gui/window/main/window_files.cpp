// SPDX-License-Identifier: GPL-3.0-or-later
// The window's files: opening scenarios and recordings, saving the run, and the question before it is lost.
#include "gui/window/main/main_window.h"

#include "gui/lab/export/run_export.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/recording/recording_writer.h"
#include "gui/lab/words/sentences.h"
#include "gui/window/subjects/window_export.h"
#include "gui/window/subjects/window_measure.h"
#include "gui/window/subjects/window_write.h"
#include "gui/window/main/window_tour.h"

#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMessageBox>
#include <QMimeData>
#include <QUrl>

namespace lhrs::gui {

namespace {

const QString kSuffix = QStringLiteral("lhrun");

// The contents decide, whatever the ending of the name: a recording is a database, a scenario is text.
bool isDatabase(const QString& path)
{
    static const QByteArray kBegin("SQLite format 3\0", 16);
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(kBegin.size()) == kBegin;
}

bool isRecording(const QString& path) { return QFileInfo(path).suffix() == kSuffix || isDatabase(path); }

// The single file that is dragged over the window, if it is a recording or a scenario; empty: there is none.
QString draggedFile(const QMimeData& data)
{
    const QList<QUrl> urls = data.urls();
    const QString path = urls.size() == 1 ? urls.front().toLocalFile() : QString();
    return path.endsWith(QLatin1String(".js")) || (!path.isEmpty() && isRecording(path)) ? path : QString();
}

// A measure of what has happened in a run: it changes with each operation, bucket and failure. 0: nothing worth saving.
std::uint64_t workIn(const ClusterState& state)
{
    std::uint64_t operations = 0, ended = 0;
    for (const auto& [id, client] : state.clients)
        operations += client.operations;
    for (const auto& [id, process] : state.processes)
        ended += process.hasEnded ? 1 : 0;
    const std::uint64_t buckets = std::max<std::size_t>(state.data.size(), 1) - 1;
    return operations + (ended << 40) + (buckets << 52);
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
        m_player->setNotice(problem);
}

bool MainWindow::openScenario(const QString& path, bool isStarted)
{
    if (m_player->isRunning() || !m_write->editor().mayReplace() || (isStarted && !mayForgetRun()))
        return false;
    endFirst();
    const bool isText = m_write->editor().open(path);
    if (!m_player->load(path)) {
        if (isText) { // a text with an error can be corrected in the editor
            setWorkspace(Workspace::Write);
            m_write->editor().showProblem();
        } else {
            sayNotOpened(m_player->caption());
        }
        return false;
    }
    if (isStarted) {
        m_pacer.reset();
        m_log->model().clear();
        for (WindowSubject* subject : m_subjects)
            subject->clear();
        m_player->start();
    }
    m_player->show();
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

// ---- saving

bool MainWindow::askToSaveRecording()
{
    QFileDialog dialog(this, tr("Save recording"), QString(), tr("Recordings (*.lhrun)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave); // the dialog asks before a file is replaced
    dialog.setDefaultSuffix(kSuffix);
    dialog.selectFile(QStringLiteral("run.") + kSuffix);
    return dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty()
        && saveRecording(dialog.selectedFiles().constFirst());
}

bool MainWindow::hasUnsavedRun() const
{
    const std::uint64_t work = workIn(m_commands->state());
    return m_recorder && m_recordIsOurs && work != 0 && work != m_workKept;
}

bool MainWindow::mayForgetRun()
{
    // A simulated lecture, exercise or tour can be repeated at any time with the same seed.
    if (!hasUnsavedRun()
        || (m_commands->state().isSimulated
            && (m_tour->hasCluster() || (m_director.isOn() && !m_director.isRecorded()))))
        return true;
    QMessageBox box(QMessageBox::Question, tr("Unsaved run"),
        tr("This run is in no file yet: %1. Save it as a recording?")
            .arg(countedWords(m_recorder->status().events, "event", "events")),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setDefaultButton(QMessageBox::Save);
    box.setEscapeButton(QMessageBox::Cancel);
    const int answer = box.exec();
    if (answer == QMessageBox::Discard)
        m_workKept = workIn(m_commands->state()); // the person is asked only once
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && askToSaveRecording());
}

bool MainWindow::saveRecording(const QString& path)
{
    QString problem = m_recordTrouble;
    const std::uint64_t work = workIn(m_commands->state());
    if (m_recorder) {
        QGuiApplication::setOverrideCursor(Qt::WaitCursor);
        m_recorder->flush();
        problem = RecordingWriter::saveCopy(m_recorder->status().path, path);
        QGuiApplication::restoreOverrideCursor();
    }
    const bool isSaved = m_recorder && problem.isEmpty();
    if (isSaved) {
        m_workKept = work;
        noteSaved(path);
    }
    m_line->answer(tr("save recording"), isSaved ? tr("The run up to now is in %1.").arg(path) : problem, isSaved);
    return isSaved;
}

// ---- exports

QString MainWindow::exportViewTo(const QString& path) { return m_export->write(path); }

ExportResult MainWindow::exportAll(const QString& directory, FolderUse use)
{
    return m_measure->writeAll(directory, use, [this](const QString& path) { return m_export->write(path); });
}

EditorPanel& MainWindow::editor() { return m_write->editor(); }

bool MainWindow::savePicture(const QString& path) { return grab().save(path); }

} // namespace lhrs::gui
