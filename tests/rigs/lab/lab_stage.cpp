// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/lab/lab_stage.h"

namespace lhrs::gui {

void Listener::add(const QString& line)
{
    const std::lock_guard lock(mutex);
    lines << line;
}

QStringList Listener::taken()
{
    const std::lock_guard lock(mutex);
    return lines;
}

std::optional<std::vector<int>> Listener::onQuestion(const Question& question, const std::stop_token& stop)
{
    add("question " + question.text);
    std::mutex waiting;
    std::condition_variable_any changed;
    std::unique_lock lock(waiting);
    if (waitsForVotes)
        changed.wait(lock, stop, [] { return false; });
    return votes;
}

ScriptResult Stage::play(const QString& source, ScriptSettings settings)
{
    engine.start(source, "test.js", std::move(settings));
    if (!engine.wait(limit)) {
        engine.stop(); // its result says that it was stopped, and at which line
        engine.wait(limit);
    }
    return engine.result();
}

qint64 Stage::stopAfterReady(const QString& source, ScriptSettings settings)
{
    engine.start(source, "test.js", std::move(settings));
    QElapsedTimer timer;
    timer.start();
    while (!listener.taken().contains("print ready") && timer.elapsed() < kLimit / 1ms)
        engine.wait(1ms);
    timer.start();
    engine.stop();
    engine.wait(kLimit);
    return timer.elapsed();
}

ClusterStage::ClusterStage()
{
    session.local().setProgramDirectory(LHRS_BIN_DIR);
    limit = std::chrono::seconds(120 * kSlower);
}

ScriptResult ClusterStage::play(const QString& source, ScriptSettings settings)
{
    settings.paperDirectory = LHRS_SOURCE_DIR "/scenarios/paper";
    return Stage::play(source, std::move(settings));
}

QString textOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace lhrs::gui
