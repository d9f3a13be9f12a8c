// SPDX-License-Identifier: GPL-3.0-or-later
// The window's time: recording of the run, its past, and recordings of other runs.
#include "gui/window/main/main_window.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/replay/recording_observer.h"
#include "gui/lab/recording/recording_place.h"
#include "gui/lab/recording/recording_writer.h"
#include "gui/window/main/window_exercise.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QStackedWidget>

#include <cmath>
#include <utility>

#include <unistd.h>

namespace lhrs::gui {

void MainWindow::makeTimeActions()
{
    Actions& a = *m_actions;
    a.add({ "playPause", "Time", "Play or pause", "Space; .",
              "Stops the picture where it is, or lets it go on from there; the cluster never stops" },
        [this] { playOrPause(); });
    a.add({ "freeze", "Time", "Freeze the view", "V", "The picture stands still; cluster and recording go on" },
        [this] { m_pacer.isShow() ? m_director.setPaused(true) : m_timeLine.pause(m_pacer.shownNs()); });
    a.add({ "follow", "Time", "Follow", "End", "Shows the newest again" }, [this] { m_director.toNow(); });
    a.add(
        { "toStart", "Time", "To the beginning", "Home", "Shows the beginning of the run" }, [this] { toBeginning(); });
    const auto step = [this](int direction, TimeLine::Unit unit) {
        return [this, direction, unit] { m_timeLine.step(direction, unit); };
    };
    a.add({ "stepForward", "Time", "One event forward", "]", "Shows the next event" }, step(1, TimeLine::Unit::Event));
    a.add({ "stepBack", "Time", "One event back", "[", "Shows the state before the last event" },
        step(-1, TimeLine::Unit::Event));
    a.add({ "operationForward", "Time", "One operation forward", "}", "Goes on to the end of the next operation" },
        step(1, TimeLine::Unit::Operation));
    a.add({ "operationBack", "Time", "One operation back", "{", "Goes back to the end of the operation before" },
        step(-1, TimeLine::Unit::Operation));
    a.add({ "structureForward", "Time", "Next change of structure", "Ctrl+]",
              "Goes on to the next split, failure, recovery or fault" },
        step(1, TimeLine::Unit::Structure));
    a.add({ "structureBack", "Time", "Last change of structure", "Ctrl+[",
              "Goes back to the split, failure, recovery or fault before" },
        step(-1, TimeLine::Unit::Structure));
    a.add({ "timeFaster", "Time", "Play faster", "Ctrl+;", "The past is played twice as fast" },
        [this] { m_timeLine.setSpeed(m_timeLine.speed() * 2); });
    a.add({ "timeSlower", "Time", "Play slower", "Ctrl+,", "The past is played half as fast" },
        [this] { m_timeLine.setSpeed(m_timeLine.speed() / 2); });
    a.add({ "marker", "Time", "Marker …", "M", "Marks the instant that is shown, with a text" }, [this] {
        bool isGiven = false;
        const std::int64_t ns = m_timeLine.cursorNs();
        const QString words = QInputDialog::getText(
            this, tr("Marker"), tr("What is to be found again here"), QLineEdit::Normal, {}, &isGiven);
        if (!isGiven)
            return;
        m_parts.timeBar->track().addMark({ ns, 0, TimeMark::Kind::Own, words });
        if (m_recorder)
            m_recorder->marker(QStringLiteral("mark"), words, QStringLiteral("window"));
    });
    a.add({ "again", "Time", "Again, slowly", "A",
              "Shows once more what happened since your last marker (M); without one, the last seconds" },
        [this] { showAgain(); });
    a.add({ "openRecording", "File", "Open recording …", "Ctrl+Shift+R", "Shows a recorded run; no cluster is needed" },
        [this] {
            const QString path = QFileDialog::getOpenFileName(
                this, tr("Open recording"), {}, tr("Recordings (*.lhrun);;All files (*)"));
            if (!path.isEmpty())
                openFile(path);
        });
    a.add({ "saveRecording", "File", "Save recording …", "Ctrl+S",
              "Keeps the run up to now as a file that opens on any machine" },
        [this] { askToSaveRecording(); });
    a.add({ "closeRecording", "File", "Close the recording", "Ctrl+Shift+W",
              "Goes back to the cluster, or to the start page" },
        [this] { closeRecording(); });
}

// Every run is recorded from its first event, so that its past can be shown.
void MainWindow::startRecorder(const QString& path)
{
    static int number = 0;
    m_recordIsOurs = path.isEmpty();
    m_parts.run = programFacts(QStringLiteral("lhrs-gui"));
    m_parts.run.run = newRunId(1);
    m_recordTrouble.clear();
    m_patienceTold = {};
    const QString folder = path.isEmpty() ? folderForRecordings(m_recordTrouble) : QString();
    if (!m_recordTrouble.isEmpty())
        return; // the run continues, and the status bar reports the failure
    m_recordPath = !path.isEmpty() ? path : folder + QStringLiteral("/lhrs-%1-%2.lhrun").arg(::getpid()).arg(++number);
    auto meta = metaOf(m_parts.run);
    meta["source"] = QStringLiteral("window");
    auto started = Recorder::start(
        m_recordPath, std::move(meta), [this] { return m_commands->session().ingest().nowNs(); },
        limitsFor(m_recordPath));
    if (!started) {
        m_recordTrouble = QString::fromStdString(started.error().text);
        return;
    }
    m_recorder = std::move(*started);
    m_commands->session().ingest().recordTo(m_recorder.get());
    m_contents.recordTo(m_recorder.get());
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
    recordPatience();
    m_commands->session().ingest().recordTo(nullptr);
    m_contents.recordTo(nullptr);
    m_recordIsOurs ? m_recorder->discard() : void(m_recorder->finish());
    const QFileInfo file(m_recordPath);
    m_recorder.reset();
    if (!m_recordIsOurs)
        return;
    for (const QString& part : file.dir().entryList({ file.completeBaseName() + "*.lhrun*" }, QDir::Files))
        file.dir().remove(part);
}

// Records the patience for a cluster from any source: a scenario, the start page, the command line.
void MainWindow::recordPatience()
{
    const auto patience = m_commands->session().local().patience();
    if (!m_recorder || !patience || m_patienceTold == std::pair(patience->wakeLateNs, patience->timeScale))
        return;
    m_patienceTold = { patience->wakeLateNs, patience->timeScale };
    m_recorder->meta(kWakeLateMeta, QString::number(double(patience->wakeLateNs) / 1e6));
    m_recorder->meta(kTimeScaleMeta, QString::number(patience->timeScale));
}

void MainWindow::addPatience(std::vector<StatusPart>& parts)
{
    unsigned scale = 1;
    double lateMs = 0;
    if (m_timeLine.isReplay()) {
        scale = m_timeLine.recording()->meta(kTimeScaleMeta).toUInt();
        lateMs = m_timeLine.recording()->meta(kWakeLateMeta).toDouble();
    } else if (const auto patience = m_commands->session().local().patience()) {
        scale = patience->timeScale;
        lateMs = double(patience->wakeLateNs) / 1e6;
    }
    if (scale <= 1)
        return;
    const QString words = tr("TIME-OUTS × %1").arg(scale);
    const QString why = tr("%1: this machine woke processes up to %2 ms late").arg(words).arg(std::ceil(lateMs));
    parts.push_back({ Glyph::Clock, m_parts.theme.caution, { why, words }, 8, true });
}

// Opens the recording up to now for the time line.
Result<std::unique_ptr<Recording>> MainWindow::openPast()
{
    if (!m_recorder)
        return Error { m_recordTrouble.isEmpty() ? "Nothing is recorded." : m_recordTrouble.toStdString() };
    m_recorder->flush();
    return Recording::openLive(m_recorder->status().path);
}

void MainWindow::toBeginning()
{
    if (m_timeLine.isReplay() || m_timeLine.beginNs() == 0)
        m_timeLine.seek(0);
    else
        m_timeLine.seekTime(m_timeLine.beginNs());
}

void MainWindow::playOrPause()
{
    if (m_pacer.isShow())
        m_director.setPaused(!m_director.isPaused());
    else if (m_timeLine.mode() == TimeLine::Mode::Paused)
        m_timeLine.play();
    else
        m_timeLine.pause(m_pacer.shownNs());
}

QString MainWindow::openRecording(const QString& path)
{
    auto recording = Recording::open(path);
    if (!recording) {
        const QString problem = QString::fromStdString(recording.error().text);
        sayNotOpened(problem);
        return problem;
    }
    m_replayPath = path;
    if (!m_timeLine.isReplay())
        m_liveStory = std::move(m_runStory);
    m_timeLine.showRecording(std::move(*recording));
    beginStory();
    m_parts.timeBar->track().reset();
    for (WindowSubject* subject : m_subjects)
        subject->showRun();
    m_selection->select({});
    m_canvas->fit();
    if (!startReel())
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
    m_exercise->close();
    m_timeLine.showRecording(nullptr);
    m_runStory = std::exchange(m_liveStory, {});
    m_isStoryWhole = false;
    m_parts.timeBar->track().reset();
    for (WindowSubject* subject : m_subjects)
        subject->showRun();
    m_selection->select({});
    showLink();
}

} // namespace lhrs::gui
