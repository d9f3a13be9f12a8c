// SPDX-License-Identifier: GPL-3.0-or-later
// A session with an engine for scripts, and a listener that writes down what they say.
#pragma once

#include "gui/lab/local_cluster.h"
#include "gui/lab/script_engine.h"
#include "gui/lab/session.h"

#include <QElapsedTimer>
#include <QFile>
#include <QStringList>

#include <condition_variable>
#include <mutex>

using namespace std::chrono_literals;

namespace lhrs::gui {

#ifdef LHRS_SLOWER // a sanitizer: everything takes many times as long
inline constexpr int kSlower = LHRS_SLOWER;
#else
inline constexpr int kSlower = 1;
#endif
inline constexpr std::chrono::seconds kLimit(20 * kSlower);

// Writes down what a script says; read after its end, or under the mutex.
struct Listener : ScriptObserver {
    std::mutex mutex;
    QStringList lines; // "step a title", "say text", "print text", "ok text", "no text", "held lab.step"
    std::optional<std::vector<int>> votes;
    bool waitsForVotes = false;
    CameraWish wish;

    void add(const QString& line)
    {
        const std::lock_guard lock(mutex);
        lines << line;
    }
    QStringList taken()
    {
        const std::lock_guard lock(mutex);
        return lines;
    }
    void onHeld(int line, const QString& call) override { add(QString("held %1 %2").arg(line).arg(call)); }
    void onStep(const QString& id, const QString& title) override { add("step " + id + " " + title); }
    void onSay(const QString& text) override { add("say " + text); }
    void onNote(const QString& text) override { add("note " + text); }
    void onPrint(const QString& text) override { add("print " + text); }
    void onMark(const QString& text) override { add("mark " + text); }
    void onExpectation(const Expectation& e) override { add(QString("%1 %2 %3%4").arg(e.isHeld ? "ok"
        : "no").arg(e.line).arg(e.text, e.detail.isEmpty() ? "" : ": " + e.detail)); }
    void onCamera(const CameraWish& w) override { wish = w; }
    void onHighlight(const QStringList& targets, const QString& text,
        double) override { add("highlight " + targets.join("+") + " " + text); }
    std::optional<std::vector<int>> onQuestion(const Question& question, const std::stop_token& stop) override
    {
        add("question " + question.text);
        std::mutex waiting;
        std::condition_variable_any changed;
        std::unique_lock lock(waiting);
        if (waitsForVotes)
            changed.wait(lock, stop, [] { return false; });
        return votes;
    }
    void onReveal(const Question& question, int index, const QString& why) override { add("reveal "
        + question.choices.value(index) + " " + why); }
    void onRow(const QString& table, int rows) override { add(QString("row %1 %2").arg(table).arg(rows)); }
};

struct Stage {
    Session session;
    Listener listener;
    ScriptEngine engine { session, listener };
    std::chrono::seconds limit { kLimit };

    ScriptResult play(const QString& source, ScriptSettings settings = {})
    {
        engine.start(source, "test.js", std::move(settings));
        if (!engine.wait(limit)) {
            engine.stop(); // its result says that it was stopped, and at which line
            engine.wait(limit);
        }
        return engine.result();
    }

    // Starts, waits until the script said "print ready", stops, and gives the milliseconds until it ended.
    qint64 stopAfterReady(const QString& source, ScriptSettings settings = {})
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
};

// The same with real processes, and what scenarios read.
struct ClusterStage : Stage {
    ClusterStage()
    {
        session.local().setProgramDirectory(LHRS_BIN_DIR);
        limit = std::chrono::seconds(120 * kSlower);
    }

    ScriptResult play(const QString& source, ScriptSettings settings = {})
    {
        settings.paperDirectory = LHRS_SOURCE_DIR "/scenarios/paper";
        return Stage::play(source, std::move(settings));
    }

    // How the script ended, and what it said until then.
    QString story(const ScriptResult& result) { return result.sentence() + "\n" + listener.taken().join("\n"); }
};

inline QString textOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace lhrs::gui
