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
    QString detail; // of one that failed: got and wanted
};

// A call of the script that is over.
struct CallRecord {
    int line = 0;
    QString name;             // lab.kill
    QString arguments, reply; // JSON; of a call that failed: its error
    bool isOk = true;
    std::int64_t tookNs = 0;
};

struct Question {
    int id = 0;
    QString text;
    QStringList choices;
};

// How a script ended. The numbers are the exit codes of lhrs-play, which has 5 for a violated invariant that no
// expectation looked at (window.md 4.1).
enum class ScriptOutcome { Held = 0, ExpectationFailed = 1, ScriptError = 2, NoCluster = 3, Stopped = 4 };

struct ScriptResult {
    ScriptOutcome outcome = ScriptOutcome::Held;
    QString message;  // why it did not hold: one sentence
    QString hint;
    QString code;     // of a LabError, else empty
    QString file;
    int line = 0;
    int expectationsHeld = 0, expectationsFailed = 0;
    double seconds = 0;
    bool isLimitReached = false;
    // "grow.js, line 12: lab.cluster has no option bb. Did you mean b?"; empty if all held.
    QString sentence() const;
};

// Watches a script: the window's player and the lines of lhrs-play. All functions are called in the script's thread;
// the defaults do nothing.
class ScriptObserver {
public:
    virtual ~ScriptObserver() = default;
    virtual void onStarted(const QString& /*file*/) {}
    // The script is about to carry out this call in this line.
    virtual void onCall(int /*line*/, const QString& /*call*/) {}
    // Whether onCalled is wanted; it costs the text of every value.
    virtual bool wantsCalls() const { return false; }
    virtual void onCalled(const CallRecord&) {}
    // The script stands before a call until it may go on (ScriptEngine::setStops).
    virtual void onHeld(int /*line*/, const QString& /*call*/) {}
    virtual void onStep(const QString& /*id*/, const QString& /*title*/) {}
    virtual void onSay(const QString& /*text*/) {}
    virtual void onNote(const QString& /*text*/) {}
    virtual void onPrint(const QString& /*text*/) {}
    virtual void onExpectation(const Expectation&) {}
    // Whether onReel is wanted. Where it is, all that has happened is heard out first, so that each entry has its place in the run.
    virtual bool wantsReel() const { return false; }
    // Everything that the script shows and says, as it stands on the reel; before the function of its kind.
    virtual void onReel(const ReelEntry&) {}
    // Whether a show of its own takes the time for captions and pauses, so that the script runs ahead of it.
    virtual bool takesTime() const { return false; }
    // Whether somebody is there who acts in an exercise.
    virtual bool hasPerson() const { return false; }
    // An exercise begins, stands otherwise than before, or is over.
    virtual void onExercise(const ExerciseShown&) {}
    // May wait for the hall's votes, until stopped; their numbers by choice, or nothing.
    virtual std::optional<std::vector<int>> onQuestion(const Question&, const std::stop_token&) { return std::nullopt; }
    virtual void onReveal(const Question&, int /*index*/, const QString& /*why*/) {}
    virtual void onMark(const QString& /*text*/) {}
    // What lab.params gave, and a cluster that was made.
    virtual void onParameters(const std::map<QString, QVariant>& /*parameters*/) {}
    virtual void onCluster(const ClusterFacts& /*cluster*/) {}
    // A row was added to a table of measurements.
    virtual void onMeasuring(const QString& /*table*/) {} // an observation begins; its row comes when it has ended
    virtual void onRow(const QString& /*table*/, int /*rows*/) {}
    // A chart that the script asked for, then again as its table grows.
    // A published table that a chart is drawn beside.
    virtual void onPublished(const QString& /*name*/, const CsvTable&) {}
    virtual void onChart(const MeasureChart&, bool /*isNew*/) {}
    virtual void onFinished(const ScriptResult&) {}
};

} // namespace lhrs::gui
