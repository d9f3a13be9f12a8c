// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/calls/lab_context.h"
#include "gui/lab/tables/lab_table.h"
#include "gui/lab/reel/script_observer.h"
#include "gui/lab/script/script_thread.h"

#include <QString>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>

class QJSEngine;
class QJSValue;

namespace lhrs::gui {

class Session;

// A problem found in a text before it runs.
struct ScriptProblem {
    int line = 0;
    QString message;
    QString hint;
};

// The tags of the first comment line: @title, @minutes, @needs, @experiment, @exercise.
struct ScriptHeader {
    QString title, minutes, needs;
    QString experiments; // the published experiments that it repeats: "E4 E5"
    QString exercise; // its number, if it waits for a person
};
ScriptHeader headerOf(const QString& source);

// Further lines of script after a script that held, carried out one by one until there is none. Both functions are
// called in the script's thread.
struct ScriptQuestions {
    std::function<std::optional<QString>(const std::stop_token&)> next; // waits for the next line
    std::function<void(const QString&)> answer; // JSON: {"value": ...} or {"error": {code, message, hint}}
};

// Where a script pauses by itself until proceed().
enum class ScriptStops { Nowhere, BeforeSteps, BeforeCalls };

// Runs one scenario at a time in a thread of its own: a QJSEngine with the object `lab` and nothing else. Only the
// script's thread ever waits for the cluster. A script that exceeds the memory limit ends with an error. A built-in
// call of the engine cannot be interrupted; then stop() still returns and isRunning() stays true.
class ScriptEngine {
public:
    ScriptEngine(Session& session, ScriptObserver& observer);
    ~ScriptEngine(); // stops and waits
    ScriptEngine(const ScriptEngine&) = delete;
    ScriptEngine& operator=(const ScriptEngine&) = delete;

    // Whether the text compiles in this engine; nothing is run.
    static std::optional<ScriptProblem> check(const QString& source);

    // For scripts that are started afterwards.
    void setQuestions(ScriptQuestions questions) { m_questions = std::move(questions); }
    // Starts the script; `file` is its name in messages. The former script must have ended (check).
    void start(const QString& source, const QString& file, ScriptSettings settings);
    // Ends the script, even inside a wait or a loop; functions given to lab.atEnd still run. Any thread.
    void stop();
    // Waits for the end. False: timeout.
    bool wait(std::chrono::milliseconds time);
    bool isRunning() const { return m_isRunning.load(); }
    // The script itself is running, not its lab.atEnd functions.
    bool isInScript() const { return m_isInScript.load(); }
    // The result of the script that ended last.
    ScriptResult result() const;

    // Pause and step for the player; any thread.
    void setStops(ScriptStops stops);
    void proceed();
    // Sets the stops and continues atomically, so that no stop is missed or taken twice.
    void proceed(ScriptStops stops);
    // Lines at which a script stops when it reaches them; a loop within one line counts once. Any thread.
    void setBreakpoints(std::set<int> lines);

    // The tables of the present or the last run.
    const LabTables& tables() const { return *m_tables; }
    const LabCharts& charts() const { return *m_charts; }
    RunIdentity identity() const;

private:
    void run(const QString& source, const QString& file);
    // The value of the text; if it fails, `result` says why.
    QJSValue evaluate(LabContext& context, QJSEngine& engine, const QString& source, ScriptResult& result);
    // Runs the script that acts in place of a person, in a separate engine beside that of the exercise.
    LabResult<bool> runStandIn(LabContext& exercise, const std::function<LabResult<bool>()>& before);
    void takeStandIn(ScriptResult& result) const;
    void answerQuestions(LabContext& context, QJSEngine& engine, ScriptResult& result);
    void callAtEnd(LabContext& context, class Lab& lab, ScriptResult& result);
    void beforeCall(int line, const CallReference& call);
    void dwell(double seconds);
    void guard(const std::stop_token& stop);
    // Begins a phase, which the guard ends on its time or memory limit; zero: no time limit.
    void beginPhase(std::chrono::milliseconds limit);
    // Why the memory limit forbids more; empty if it does not.
    QString lackingMemory() const;
    std::stop_token phaseToken() const;

    Session& m_session;
    ScriptObserver& m_observer;
    ScriptSettings m_settings; // of the present run; written before its thread starts
    ScriptQuestions m_questions; // likewise
    std::unique_ptr<LabTables> m_tables;
    std::unique_ptr<LabCharts> m_charts;
    std::atomic<bool> m_isRunning { false }, m_isInScript { false };
    std::atomic<double> m_pace { 0 };

    mutable std::mutex m_mutex; // guards the members below
    mutable std::condition_variable_any m_changed;
    QJSEngine* m_engine = nullptr; // while a phase runs
    std::stop_source m_phase;
    std::chrono::steady_clock::time_point m_deadline = std::chrono::steady_clock::time_point::max();
    bool m_isStopped = false; // stop() was called: the first phase ends
    bool m_isLimitReached = false, m_isMemoryReached = false;
    std::int64_t m_residentMax = 0; // bytes of the whole program; 0: no limit
    ScriptStops m_stops = ScriptStops::Nowhere;
    std::set<int> m_breakpoints;
    int m_lineLast = 0; // of the previous call
    std::uint64_t m_proceeds = 0;
    ScriptResult m_result;
    std::optional<ScriptResult> m_standIn; // result of the stand-in of an exercise; script's thread only
    QString m_run; // the run's id
    bool m_wasSimulated = false;

    std::jthread m_guard;
    ScriptThread m_thread;
};

} // namespace lhrs::gui
