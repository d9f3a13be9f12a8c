// SPDX-License-Identifier: GPL-3.0-or-later
// A session with a script engine, and a listener that records what the scripts say.
#pragma once

#include "gui/lab/local/local_cluster.h"
#include "gui/lab/script/script_engine.h"
#include "gui/lab/local/session.h"

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

// Records what a script says; read it after the script's end, or under the mutex.
struct Listener : ScriptObserver {
    std::mutex mutex;
    QStringList lines; // "step a title", "say text", "print text", "ok text", "no text", "held lab.step"
    std::optional<std::vector<int>> votes;
    bool waitsForVotes = false;
    CameraWish wish;

    void add(const QString& line);
    QStringList taken();
    void onHeld(int line, const QString& call) override { add(QString("held %1 %2").arg(line).arg(call)); }
    void onStep(const QString& id, const QString& title) override { add("step " + id + " " + title); }
    void onSay(const QString& text) override { add("say " + text); }
    void onNote(const QString& text) override { add("note " + text); }
    void onPrint(const QString& text) override { add("print " + text); }
    void onMark(const QString& text) override { add("mark " + text); }
    void onExpectation(const Expectation& e) override
    {
        add(QString("%1 %2 %3%4")
                .arg(e.isHeld ? "ok" : "no")
                .arg(e.line)
                .arg(e.text, e.detail.isEmpty() ? "" : ": " + e.detail));
    }
    bool wantsReel() const override { return true; }
    void onReel(const ReelEntry& entry) override
    {
        if (entry.kind == ReelEntry::Kind::Camera)
            wish = entry.camera;
        else if (entry.kind == ReelEntry::Kind::Highlight)
            add("highlight " + entry.names.join("+") + " " + entry.text);
    }
    std::optional<std::vector<int>> onQuestion(const Question& question, const std::stop_token& stop) override;
    void onReveal(const Question& question, int index, const QString& why) override
    {
        add("reveal " + question.choices.value(index) + " " + why);
    }
    void onRow(const QString& table, int rows) override { add(QString("row %1 %2").arg(table).arg(rows)); }
};

struct Stage {
    Session session;
    Listener listener;
    ScriptEngine engine { session, listener };
    std::chrono::seconds limit { kLimit };

    ScriptResult play(const QString& source, ScriptSettings settings = {});

    // Starts, waits until the script said "print ready", stops, and returns the milliseconds until it ended.
    qint64 stopAfterReady(const QString& source, ScriptSettings settings = {});
};

// The same with real processes, with the scenarios' settings.
struct ClusterStage : Stage {
    ClusterStage();

    ScriptResult play(const QString& source, ScriptSettings settings = {});

    // How the script ended, and all that it said.
    QString story(const ScriptResult& result) { return result.sentence() + "\n" + listener.taken().join("\n"); }
};

QString textOf(const QString& path);

} // namespace lhrs::gui
