// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/show/window_time.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/recording/recording_place.h"
#include "gui/lab/recording/recording_writer.h"
#include "gui/lab/replay/recording_observer.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/systems/view_systems.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QInputDialog>
#include <QMessageBox>

#include <algorithm>
#include <cmath>
#include <utility>

#include <unistd.h>

namespace lhrs::gui {

namespace {

constexpr std::int64_t kJustMarked = 500'000'000; // ns: a marker this close counts as being at the shown instant
constexpr std::int64_t kLastSeconds = 5'000'000'000; // ns of the run that are repeated if there is no marker
const QString kRecordingSuffix = QStringLiteral("lhrun");

// A measure of what has happened in a run: it changes with each operation, growth and failure. 0: nothing worth saving.
std::uint64_t workIn(const ClusterState& state)
{
    std::uint64_t operations = 0, ended = 0;
    for (const auto& [id, client] : state.clients)
        operations += client.operations;
    for (const auto& [id, process] : state.processes)
        ended += process.hasEnded ? 1 : 0;
    return operations + (ended << 40) + (wordsOf(state).growthOf(state) << 52);
}

} // namespace

WindowTime::WindowTime(WindowParts& parts) : WindowSubject(parts), m_silence(std::make_unique<ScriptObserver>())
{
    Actions& a = m_parts.actions;
    a.add({ "playPause", "Time", "Play or pause", "Space; .",
              "Stops the picture where it is, or lets it go on from there; the cluster never stops" },
        [this] { playOrPause(); });
    a.add(
        { "freeze", "Time", "Freeze the view", "V", "The picture stands still; cluster and recording go on" }, [this] {
            m_parts.pacer.isShow() ? m_parts.director.setPaused(true) : m_parts.timeLine.pause(m_parts.pacer.shownNs());
        });
    a.add({ "follow", "Time", "Follow", "End", "Shows the newest state again" }, [this] { m_parts.director.toNow(); });
    a.add(
        { "toStart", "Time", "To the beginning", "Home", "Shows the beginning of the run" }, [this] { toBeginning(); });
    const auto step = [this](int direction, TimeLine::Unit unit) {
        return [this, direction, unit] { m_parts.timeLine.step(direction, unit); };
    };
    a.add({ "stepForward", "Time", "One event forward", "]", "Shows the next event" }, step(1, TimeLine::Unit::Event));
    a.add({ "stepBack", "Time", "One event back", "[", "Shows the state before the last event" },
        step(-1, TimeLine::Unit::Event));
    a.add({ "operationForward", "Time", "One operation forward", "}", "Goes on to the end of the next operation" },
        step(1, TimeLine::Unit::Operation));
    a.add({ "operationBack", "Time", "One operation back", "{", "Goes back to the end of the previous operation" },
        step(-1, TimeLine::Unit::Operation));
    a.add({ "structureForward", "Time", "Next change of structure", "Ctrl+]",
              "Goes on to the next growth, failure, repair or fault" },
        step(1, TimeLine::Unit::Structure));
    a.add({ "structureBack", "Time", "Previous change of structure", "Ctrl+[",
              "Goes back to the previous growth, failure, repair or fault" },
        step(-1, TimeLine::Unit::Structure));
    a.add({ "timeFaster", "Time", "Play faster", "Ctrl+;", "The past is played twice as fast" },
        [this] { m_parts.timeLine.setSpeed(m_parts.timeLine.speed() * 2); });
    a.add({ "timeSlower", "Time", "Play slower", "Ctrl+,", "The past is played half as fast" },
        [this] { m_parts.timeLine.setSpeed(m_parts.timeLine.speed() / 2); });
    a.add({ "marker", "Time", "Marker …", "M", "Marks the instant that is shown, with a text" }, [this] {
        bool isGiven = false;
        const std::int64_t ns = m_parts.timeLine.cursorNs();
        const QString words = QInputDialog::getText(
            &m_parts.window, tr("Marker"), tr("Text of the marker"), QLineEdit::Normal, {}, &isGiven);
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
        [this] { emit openWanted(); });
    a.add({ "saveRecording", "File", "Save recording …", "Ctrl+S",
              "Keeps the run up to now as a file that opens on any machine" },
        [this] { askToSave(); });
    a.add({ "closeRecording", "File", "Close the recording", "Ctrl+Shift+W",
              "Goes back to the cluster, or to the start page" },
        [this] { emit closeWanted(); });
}

WindowTime::~WindowTime() = default;

void WindowTime::build()
{
    TimeTrack& track = m_parts.timeBar->track();
    m_parts.clock.add(m_parts.timeBar, m_parts.timeBar);
    connect(&track, &TimeTrack::seekWanted, this, [this](qint64 ns) { m_parts.timeLine.seekTime(ns); });
    connect(&track, &TimeTrack::markChosen, this, [this](quint64 event, qint64 ns) {
        event != 0 ? m_parts.timeLine.seek(event) : m_parts.timeLine.seekTime(ns);
    });
    connect(&m_parts.player, &Player::stepShown, this, [this](const QString& words) {
        m_parts.timeBar->track().addMark({ m_parts.pacer.shownNs(), 0, TimeMark::Kind::Step, words });
    });
    // A recording also contains the scenario that was played and its measurements.
    connect(&m_parts.player, &Player::runningChanged, this, [this](bool runs) {
        if (m_recorder && runs)
            m_recorder->scenario(m_parts.player.scenario().file, m_parts.player.scenario().source);
        else if (m_recorder)
            m_recordingObserver->addTables(m_parts.player.run().engine().tables());
    });
    m_parts.director.setHurry([this] {
        if (m_recorder)
            m_recorder->hurry();
    });
}

void WindowTime::enable()
{
    const Actions& a = m_parts.actions;
    const bool hasLink = m_parts.commands.link().state() != LinkState::None, isReplay = m_parts.timeLine.isReplay();
    a.enable({ "playPause", "freeze", "follow", "toStart", "stepForward", "stepBack", "operationForward",
                 "operationBack", "structureForward", "structureBack", "timeFaster", "timeSlower", "marker", "again" },
        isReplay || hasLink);
    a.enable({ "closeRecording" }, isReplay);
    a.enable({ "saveRecording" }, m_recorder != nullptr && hasLink);
}

void WindowTime::forget() { m_parts.timeBar->track().reset(); }

void WindowTime::showRun() { m_parts.timeBar->track().reset(); }

void WindowTime::applyTheme() { m_parts.timeBar->setTheme(m_parts.theme); }

QString WindowTime::ownFile() const { return m_recorder && !m_recordIsOurs ? m_recordPath : QString(); }

void WindowTime::update() { notePatience(); }

// Every run is recorded from its first event, so that its past can be shown.
void WindowTime::start(const QString& path)
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
        m_recordPath, std::move(meta), [this] { return m_parts.commands.session().ingest().nowNs(); },
        limitsFor(m_recordPath));
    if (!started) {
        m_recordTrouble = QString::fromStdString(started.error().text);
        return;
    }
    m_recorder = std::move(*started);
    m_parts.commands.session().ingest().recordTo(m_recorder.get());
    m_parts.recorder = m_recorder.get();
    setScriptListener(*m_silence);
}

void WindowTime::setScriptListener(ScriptObserver& listener)
{
    m_parts.player.run().setListener(listener);
    if (!m_recorder)
        return;
    m_recordingObserver = std::make_unique<RecordingObserver>(*m_recorder, listener);
    m_parts.player.run().setListener(*m_recordingObserver);
}

void WindowTime::stop()
{
    if (!m_recorder)
        return;
    notePatience();
    m_parts.commands.session().ingest().recordTo(nullptr);
    m_parts.recorder = nullptr;
    m_recordIsOurs ? m_recorder->discard() : void(m_recorder->finish());
    const QFileInfo file(m_recordPath);
    m_recorder.reset();
    if (!m_recordIsOurs)
        return;
    for (const QString& part : file.dir().entryList({ file.completeBaseName() + "*.lhrun*" }, QDir::Files))
        file.dir().remove(part);
}

// Records the patience for a cluster from any source: a scenario, the start page, the command line.
void WindowTime::notePatience()
{
    const auto patience = m_parts.commands.session().local().patience();
    if (!m_recorder || !patience || m_patienceTold == std::pair(patience->wakeLateNs, patience->timeScale))
        return;
    m_patienceTold = { patience->wakeLateNs, patience->timeScale };
    m_recorder->meta(kWakeLateMeta, QString::number(double(patience->wakeLateNs) / 1e6));
    m_recorder->meta(kTimeScaleMeta, QString::number(patience->timeScale));
}

void WindowTime::addStatus(std::vector<StatusPart>& parts) const
{
    unsigned scale = 1;
    double lateMs = 0;
    if (m_parts.timeLine.isReplay()) {
        scale = m_parts.timeLine.recording()->meta(kTimeScaleMeta).toUInt();
        lateMs = m_parts.timeLine.recording()->meta(kWakeLateMeta).toDouble();
    } else if (const auto patience = m_parts.commands.session().local().patience()) {
        scale = patience->timeScale;
        lateMs = double(patience->wakeLateNs) / 1e6;
    }
    if (scale <= 1)
        return;
    const QString words = tr("TIME-OUTS × %1").arg(scale);
    const QString why = tr("%1: this machine woke processes up to %2 ms late").arg(words).arg(std::ceil(lateMs));
    parts.push_back({ Glyph::Clock, m_parts.theme.caution, { why, words }, 8, true });
}

void WindowTime::addLastStatus(std::vector<StatusPart>& parts) const
{
    if (m_parts.timeLine.isReplay() || m_parts.commands.link().state() == LinkState::None)
        return;
    const QString trouble = m_recorder ? m_recorder->status().stopped : m_recordTrouble;
    if (!trouble.isEmpty()) {
        parts.push_back({ Glyph::Warning, m_parts.theme.caution,
            { tr("NOT RECORDED: %1").arg(trouble), tr("NOT RECORDED") }, 8, true });
        return;
    }
    const QString recorded = tr("recorded %1 MB").arg(m_recorder->status().bytes >> 20);
    parts.push_back({ Glyph::None, {},
        { tr("%1, room for %2 MB").arg(recorded).arg(m_recorder->status().room >> 20), recorded }, 1, false });
}

Result<std::unique_ptr<Recording>> WindowTime::openPast()
{
    if (!m_recorder)
        return Error { m_recordTrouble.isEmpty() ? "Nothing is recorded." : m_recordTrouble.toStdString() };
    m_recorder->flush();
    return Recording::openLive(m_recorder->status().path);
}

void WindowTime::toBeginning()
{
    if (m_parts.timeLine.isReplay() || m_parts.timeLine.beginNs() == 0)
        m_parts.timeLine.seek(0);
    else
        m_parts.timeLine.seekTime(m_parts.timeLine.beginNs());
}

void WindowTime::playOrPause()
{
    if (m_parts.pacer.isShow())
        m_parts.director.setPaused(!m_parts.director.isPaused());
    else if (m_parts.timeLine.mode() == TimeLine::Mode::Paused)
        m_parts.timeLine.play();
    else
        m_parts.timeLine.pause(m_parts.pacer.shownNs());
}

// Repeats the interval from the person's newest marker to the shown instant, or between the two newest markers if the
// last one is at the shown instant.
void WindowTime::showAgain()
{
    std::vector<std::int64_t> marks;
    const std::int64_t shown = m_parts.pacer.shownNs();
    for (const TimeMark& mark : m_parts.timeBar->track().marks())
        if (mark.kind == TimeMark::Kind::Own && mark.ns <= shown)
            marks.push_back(mark.ns);
    std::sort(marks.begin(), marks.end());
    std::int64_t to = shown;
    if (marks.size() > 1 && to - marks.back() < kJustMarked) {
        to = marks.back();
        marks.pop_back();
    }
    ReelEntry interval { .kind = ReelEntry::Kind::Replay };
    interval.from = { 0, marks.empty() ? std::max(m_parts.timeLine.beginNs(), to - kLastSeconds) : marks.back(), true };
    interval.until = { 0, to, true };
    if (!m_parts.director.replay(interval))
        m_parts.line.answer(tr("again"),
            m_parts.timeLine.trouble().isEmpty() ? tr("nothing of it is recorded") : m_parts.timeLine.trouble(), false);
}

bool WindowTime::askToSave()
{
    QFileDialog dialog(&m_parts.window, tr("Save recording"), QString(), tr("Recordings (*.lhrun)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave); // the dialog asks before a file is replaced
    dialog.setDefaultSuffix(kRecordingSuffix);
    dialog.selectFile(QStringLiteral("run.") + kRecordingSuffix);
    return dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty()
        && save(dialog.selectedFiles().constFirst());
}

bool WindowTime::hasUnsaved() const
{
    const std::uint64_t work = workIn(m_parts.commands.session().ingest().state());
    return m_recorder && m_recordIsOurs && work != 0 && work != m_workKept;
}

bool WindowTime::mayForget()
{
    if (!hasUnsaved())
        return true;
    QMessageBox box(QMessageBox::Question, tr("Unsaved run"),
        tr("This run is in no file yet: %1. Save it as a recording?")
            .arg(countedWords(m_recorder->status().events, "event", "events")),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &m_parts.window);
    box.setDefaultButton(QMessageBox::Save);
    box.setEscapeButton(QMessageBox::Cancel);
    const int answer = box.exec();
    if (answer == QMessageBox::Discard)
        m_workKept = workIn(m_parts.commands.session().ingest().state()); // the person is asked only once
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && askToSave());
}

bool WindowTime::save(const QString& path)
{
    QString problem = m_recordTrouble;
    const std::uint64_t work = workIn(m_parts.commands.session().ingest().state());
    if (m_recorder) {
        QGuiApplication::setOverrideCursor(Qt::WaitCursor);
        m_recorder->flush();
        problem = RecordingWriter::saveCopy(m_recorder->status().path, path);
        QGuiApplication::restoreOverrideCursor();
    }
    const bool isSaved = m_recorder && problem.isEmpty();
    if (isSaved) {
        m_workKept = work;
        emit saved(path);
    }
    m_parts.line.answer(tr("save recording"), isSaved ? tr("The run up to now is in %1.").arg(path) : problem, isSaved);
    return isSaved;
}

} // namespace lhrs::gui
