// SPDX-License-Identifier: GPL-3.0-or-later
// The window's time: recording of the run, the past of it, and recordings of other runs.
#include "gui/window/main_window.h"

#include "gui/lab/ingest.h"
#include "gui/lab/recorder.h"
#include "gui/lab/recording_observer.h"
#include "gui/lab/recording_writer.h"

#include <QDir>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QInputDialog>
#include <QMimeData>
#include <QStackedWidget>
#include <QUrl>

#include <unistd.h>

namespace lhrs::gui {

namespace {

// The one file that is dragged over the window, if it is a recording or a scenario; empty: there is nothing to open.
QString draggedFile(const QMimeData& data)
{
    const QList<QUrl> urls = data.urls();
    const QString path = urls.size() == 1 ? urls.front().toLocalFile() : QString();
    return path.endsWith(QLatin1String(".lhrun")) || path.endsWith(QLatin1String(".js")) ? path : QString();
}

} // namespace

void MainWindow::makeTimeActions()
{
    Actions& a = *m_actions;
    a.add({ "playPause", "Time", "Play or pause", "Space; .", "Stops the picture where it is, or lets it go on from there; the cluster never stops" }, [this] { playOrPause(); });
    a.add({ "freeze", "Time", "Freeze the view", "V", "The picture stands still; cluster and recording go on" }, [this] { m_timeLine.pause(m_pacer.shownNs()); });
    a.add({ "follow", "Time", "Follow", "End", "Shows the newest again" }, [this] { m_timeLine.follow(); });
    a.add({ "toStart", "Time", "To the beginning", "Home", "Shows the beginning of the run" }, [this] { m_timeLine.seek(0); });
    const auto step = [this](int direction, TimeLine::Unit unit) { return [this, direction, unit] { m_timeLine.step(direction, unit); }; };
    a.add({ "stepForward", "Time", "One event forward", "]", "Shows the next event" }, step(1, TimeLine::Unit::Event));
    a.add({ "stepBack", "Time", "One event back", "[", "Shows the state before the last event" }, step(-1, TimeLine::Unit::Event));
    a.add({ "operationForward", "Time", "One operation forward", "}", "Goes on to the end of the next operation" }, step(1, TimeLine::Unit::Operation));
    a.add({ "operationBack", "Time", "One operation back", "{", "Goes back to the end of the operation before" }, step(-1, TimeLine::Unit::Operation));
    a.add({ "structureForward", "Time", "Next change of structure", "Ctrl+]", "Goes on to the next split, failure, recovery or fault" }, step(1, TimeLine::Unit::Structure));
    a.add({ "structureBack", "Time", "Last change of structure", "Ctrl+[", "Goes back to the split, failure, recovery or fault before" }, step(-1, TimeLine::Unit::Structure));
    a.add({ "timeFaster", "Time", "Play faster", "Ctrl+;", "The past is played twice as fast" }, [this] { m_timeLine.setSpeed(m_timeLine.speed() * 2); });
    a.add({ "timeSlower", "Time", "Play slower", "Ctrl+,", "The past is played half as fast" }, [this] { m_timeLine.setSpeed(m_timeLine.speed() / 2); });
    a.add({ "marker", "Time", "Marker …", "M", "Marks the instant that is shown, with a text" }, [this] {
        bool isGiven = false;
        const std::int64_t ns = m_timeLine.cursorNs();
        const QString words = QInputDialog::getText(this, tr("Marker"), tr("What is to be found again here"), QLineEdit::Normal, {}, &isGiven);
        if (!isGiven)
            return;
        m_timeBar->track().addMark({ ns, 0, TimeMark::Kind::Own, words });
        if (m_recorder)
            m_recorder->marker(QStringLiteral("mark"), words, QStringLiteral("window"));
    });
    a.add({ "openRecording", "File", "Open recording …", "Ctrl+Shift+R", "Shows a recorded run; no cluster is needed" }, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open recording"), {}, tr("Recordings (*.lhrun)"));
        if (!path.isEmpty())
            openRecording(path);
    });
    a.add({ "saveRecording", "File", "Save recording …", "Ctrl+S", "Keeps the run up to now as a file that opens on any machine" }, [this] {
        const QString path = QFileDialog::getSaveFileName(this, tr("Save recording"), QStringLiteral("run.lhrun"), tr("Recordings (*.lhrun)"));
        if (!path.isEmpty())
            saveRecording(path);
    });
    a.add({ "closeRecording", "File", "Close the recording", "Ctrl+Shift+W", "Goes back to the cluster, or to the start page" }, [this] { closeRecording(); });
}

// Every run is recorded from its first event, so that there is a past to go back to.
void MainWindow::startRecorder(const QString& path)
{
    static int number = 0;
    m_recordIsOurs = path.isEmpty();
    m_recordPath = !path.isEmpty() ? path : QDir::temp().filePath(QStringLiteral("lhrs-%1-%2.lhrun").arg(::getpid()).arg(++number));
    m_run = programFacts(QStringLiteral("lhrs-gui"));
    m_run.run = newRunId(1);
    auto meta = metaOf(m_run);
    meta["source"] = QStringLiteral("window");
    auto started = Recorder::start(m_recordPath, std::move(meta), [this] { return m_operator->session().ingest().nowNs(); });
    if (!started) {
        m_recordTrouble = QString::fromStdString(started.error().text);
        return;
    }
    m_recorder = std::move(*started);
    m_operator->session().ingest().recordTo(m_recorder.get());
    m_desk->recordTo(m_recorder.get());
    setScriptListener(m_silence);
}

void MainWindow::setScriptListener(ScriptObserver& listener)
{
    m_player->setListener(&listener);
    if (!m_recorder)
        return;
    m_recordingObserver = std::make_unique<RecordingObserver>(*m_recorder, listener);
    m_player->setListener(m_recordingObserver.get());
}

void MainWindow::stopRecorder()
{
    if (!m_recorder)
        return;
    m_operator->session().ingest().recordTo(nullptr);
    m_desk->recordTo(nullptr);
    m_recorder->finish();
    const QFileInfo file(m_recordPath);
    m_recorder.reset();
    if (!m_recordIsOurs)
        return;
    for (const QString& part : file.dir().entryList({ file.completeBaseName() + "*.lhrun*" }, QDir::Files))
        file.dir().remove(part);
}

// What was recorded up to now, as the time line wants it.
Result<std::unique_ptr<Recording>> MainWindow::openPast()
{
    if (!m_recorder)
        return Error { m_recordTrouble.isEmpty() ? "Nothing is recorded." : m_recordTrouble.toStdString() };
    m_recorder->flush();
    return Recording::openLive(m_recorder->status().path);
}

void MainWindow::playOrPause()
{
    if (m_timeLine.mode() == TimeLine::Mode::Paused)
        m_timeLine.play();
    else
        m_timeLine.pause(m_pacer.shownNs());
}

QString MainWindow::openRecording(const QString& path)
{
    auto recording = Recording::open(path);
    if (!recording) {
        const QString problem = QString::fromStdString(recording.error().text);
        m_start->setStatus(problem, true);
        m_line->answer(tr("open"), problem, false);
        return problem;
    }
    m_replayPath = path;
    m_timeLine.showRecording(std::move(*recording));
    m_timeBar->track().reset();
    m_charts->reset();
    m_selection->select({});
    m_canvas->fit();
    showLink();
    return {};
}

// A file from the desktop does what the menu does with it. The desktop keeps it, whatever it had in mind.
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
    if (path.endsWith(QLatin1String(".lhrun")))
        openRecording(path);
    else if (m_actions->get("openScenario")->isEnabled())
        openScenario(path, true);
    else
        m_line->answer(tr("open"), tr("A scenario runs or a cluster is being started; %1 can be opened when that is over.").arg(QFileInfo(path).fileName()), false);
}

void MainWindow::closeRecording()
{
    if (!m_timeLine.isReplay())
        return;
    m_timeLine.showRecording(nullptr);
    m_timeBar->track().reset();
    m_charts->reset();
    m_selection->select({});
    showLink();
}

bool MainWindow::saveRecording(const QString& path)
{
    QString problem = m_recordTrouble;
    if (m_recorder) {
        QGuiApplication::setOverrideCursor(Qt::WaitCursor);
        m_recorder->flush();
        problem = RecordingWriter::saveCopy(m_recorder->status().path, path);
        QGuiApplication::restoreOverrideCursor();
    }
    const bool isSaved = m_recorder && problem.isEmpty();
    m_line->answer(tr("save recording"), isSaved ? tr("The run up to now is in %1.").arg(path) : problem, isSaved);
    return isSaved;
}

} // namespace lhrs::gui
