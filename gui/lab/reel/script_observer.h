// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/reel/exercise.h"
#include "gui/lab/reel/reel.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <vector>

namespace lhrs::gui {

struct ClusterFacts;
struct CsvTable;
struct MeasureChart;

struct Expectation {
    int line = 0;
    QString text;
    bool isHeld = false;
    QString detail; // of a failed one: the value and the expected value
};

// A finished call of the script.
struct CallRecord {
    int line = 0;
    QString name; // lab.kill
    QString arguments, reply; // JSON; reply of a failed call: its error
    bool isOk = true;
    std::int64_t tookNs = 0;
};

struct Question {
    int id = 0;
    QString text;
    QStringList choices;
};

// How a script ended. The numbers are the exit codes of lhrs-play; lhrs-play also has 5, for a violated invariant
// that no expectation checked.
enum class ScriptOutcome { Held = 0, ExpectationFailed = 1, ScriptError = 2, NoCluster = 3, Stopped = 4 };

struct ScriptResult {
    ScriptOutcome outcome = ScriptOutcome::Held;
    QString message; // one sentence; why it did not hold
    QString hint;
    QString code; // of a LabError; else empty
    QString file;
    int line = 0;
    int expectationsHeld = 0, expectationsFailed = 0;
    double seconds = 0;
    bool isLimitReached = false;
    // "grow.js, line 12: lab.cluster has no option bb. Did you mean b?"; empty if all expectations held.
    QString sentence() const;
};

// Observes a script; implemented by the window's player and by lhrs-play's text output. All functions are called in
// the script's thread. The defaults do nothing.
class ScriptObserver {
public:
    virtual ~ScriptObserver() = default;
    virtual void onStarted(const QString& /*file*/) { }
    // The script is about to carry out this call, which is in this line.
    virtual void onCall(int /*line*/, const QString& /*call*/) { }
    // Whether onCalled is wanted. It costs the text of every value.
    virtual bool wantsCalls() const { return false; }
    virtual void onCalled(const CallRecord&) { }
    // The script waits before a call until it may continue (ScriptEngine::setStops).
    virtual void onHeld(int /*line*/, const QString& /*call*/) { }
    virtual void onStep(const QString& /*id*/, const QString& /*title*/) { }
    virtual void onSay(const QString& /*text*/) { }
    virtual void onNote(const QString& /*text*/) { }
    virtual void onPrint(const QString& /*text*/) { }
    virtual void onExpectation(const Expectation&) { }
    // Whether onReel is wanted. If so, all events so far are received first, so that each entry has its exact place
    // in the run.
    virtual bool wantsReel() const { return false; }
    // Each entry of the reel, in order; called before the function for its kind.
    virtual void onReel(const ReelEntry&) { }
    // Whether a separate show takes the time for captions and pauses, so that the script runs ahead of it.
    virtual bool takesTime() const { return false; }
    // Whether a person is present who can act in an exercise.
    virtual bool hasPerson() const { return false; }
    // An exercise begins, changes its state, or ends.
    virtual void onExercise(const ExerciseShown&) { }
    // May wait for the audience's votes until stopped. Returns the votes by choice, or nothing.
    virtual std::optional<std::vector<int>> onQuestion(const Question&, const std::stop_token&) { return std::nullopt; }
    virtual void onReveal(const Question&, int /*index*/, const QString& /*why*/) { }
    virtual void onMark(const QString& /*text*/) { }
    // The parameters from lab.params, and a new cluster.
    virtual void onParameters(const std::map<QString, QVariant>& /*parameters*/) { }
    virtual void onCluster(const ClusterFacts& /*cluster*/) { }
    // An observation begins (its row follows when it has ended), and a row was added to a table of measurements.
    virtual void onMeasuring(const QString& /*table*/) { }
    virtual void onRow(const QString& /*table*/, int /*rows*/) { }
    // A published table that a chart is drawn beside.
    virtual void onPublished(const QString& /*name*/, const CsvTable&) { }
    // A chart that the script requested, first when it is new, then again as its table grows.
    virtual void onChart(const MeasureChart&, bool /*isNew*/) { }
    virtual void onFinished(const ScriptResult&) { }
};

} // namespace lhrs::gui
