// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/script/script_engine.h"
#include "gui/lab/tables/measure_chart.h"
#include "gui/lab/tables/run_facts.h"
#include "gui/window/player/play_trace.h"
#include "gui/window/player/poll.h"

#include <QElapsedTimer>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace lhrs::gui {

// Runs one scenario at a time in a thread of its own, which never waits for the picture. What the script says is kept
// until the window's thread takes it, once per frame. All functions are for the window's thread.
class ScriptRun : private ScriptObserver {
public:
    explicit ScriptRun(Session& session) : m_engine(session, *this) { }

    // Of the runs that begin afterwards.
    ScriptSettings& settings() { return m_settings; }
    const ScriptSettings& settings() const { return m_settings; }
    // Another listener to the script's output, called in the script's thread; it must outlive the runs.
    void setListener(ScriptObserver& listener) { m_listener = &listener; }

    // The former run must have ended (check).
    void start(const QString& source, const QString& file, ScriptStops stops);
    // Up to the next such stop. Nowhere: questions are passed over too.
    void goOn(ScriptStops stops);
    // Stops before the next call.
    void pause();
    void stop() { m_engine.stop(); }

    bool isRunning() const { return m_engine.isRunning(); }
    // A run was started, and take() has not told its end yet.
    bool hasBegun() const { return m_hasBegun; }
    // The script goes no further by itself: it has ended, or waits before a step, a question or a call. All of its
    // output has been taken.
    bool stands() const;
    // Seconds since the run began, by the clock on the wall.
    int seconds() const { return int(m_since.elapsed() / 1000); }

    // What the script has said since the last call.
    struct News {
        std::vector<ReelEntry> reel;
        std::vector<std::pair<MeasureChart, bool>> charts; // newest state of each, and whether it is new
        bool isHeld = false, hasEnded = false;
    };
    News take();

    // Where the script is and was, and the errors that it found.
    const PlayTrace& trace() const { return m_trace; }
    Poll& poll() { return m_poll; }
    const Poll& poll() const { return m_poll; }
    ScriptEngine& engine() { return m_engine; }
    const ScriptEngine& engine() const { return m_engine; }
    // The files that the present or last run created.
    std::vector<ClusterFacts> clusters() const;
    // Adds the facts of the present or last run to `facts`, those of this run of the program.
    RunFacts facts(RunFacts facts) const;

private:
    bool wantsCalls() const override { return m_listener->wantsCalls(); }
    bool wantsReel() const override { return true; }
    bool takesTime() const override { return true; }
    bool hasPerson() const override { return true; }
    void onStarted(const QString& file) override { m_listener->onStarted(file); }
    void onCall(int line, const QString& call) override { m_trace.call(line, call); }
    void onCalled(const CallRecord& call) override { m_listener->onCalled(call); }
    void onHeld(int line, const QString& call) override;
    void onStep(const QString& id, const QString& title) override;
    void onSay(const QString& text) override { m_listener->onSay(text); }
    void onNote(const QString& text) override { m_listener->onNote(text); }
    void onPrint(const QString& text) override { m_listener->onPrint(text); }
    void onExpectation(const Expectation& expectation) override;
    void onReel(const ReelEntry& entry) override;
    std::optional<std::vector<int>> onQuestion(const Question& question, const std::stop_token& stop) override;
    void onReveal(const Question& question, int index, const QString& why) override;
    void onMark(const QString& text) override;
    void onParameters(const std::map<QString, QVariant>& parameters) override;
    void onCluster(const ClusterFacts& cluster) override;
    void onRow(const QString&, int) override { m_trace.row(); }
    void onChart(const MeasureChart& chart, bool isNew) override;
    void onFinished(const ScriptResult& result) override;
    void post(ReelEntry entry);

    ScriptSettings m_settings;
    ScriptObserver m_nobody;
    ScriptObserver* m_listener = &m_nobody;
    PlayTrace m_trace;
    Poll m_poll;
    QElapsedTimer m_since;
    bool m_hasBegun = false, m_isHeld = false;

    mutable std::mutex m_mutex; // guards the members below
    News m_news;
    Cue m_lastCue; // from the script
    std::map<QString, QVariant> m_parameters; // of the present or last run
    std::vector<ClusterFacts> m_clusters;

    ScriptEngine m_engine; // last member: its thread calls the observer
};

} // namespace lhrs::gui
