// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/calls/lab_context.h"
#include "gui/lab/tables/lab_error.h"
#include "gui/lab/calls/lab_reference.h"

#include <QJSValue>
#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <vector>

namespace lhrs::gui {

// One call of the script, with its arguments completed by the defaults.
struct LabCall {
    const CallReference& reference;
    const Arguments& arguments;
    const QJSValue& self; // the object that the call was made on: {name} or {id}; undefined for lab itself
};

using LabHandler = std::function<LabResult<QJSValue>(const LabCall&)>;

// The script's object `lab`. Each call arrives here, is checked against the reference and is passed to its handler.
// An error is thrown into the script as a LabError with code, message, hint, line and call.
class Lab : public QObject {
    Q_OBJECT

public:
    // Called before each call is carried out, with its line and its reference entry. It may wait.
    using BeforeCall = std::function<void(int line, const CallReference& call)>;

    Lab(LabContext& context, BeforeCall before);

    // Defines `lab` in the engine and removes what a script must not use: eval, Date and the engine's own
    // Math.random.
    void install();
    // Registers the handler of one call of the reference; each call has exactly one (check).
    void handle(const QString& call, LabHandler handler);
    // Supported calls of the reference that have no handler: none, once all groups are added.
    QStringList callsWithoutHandler() const;
    // Functions to be called at the end, in the order in which they were given.
    std::vector<QJSValue> takeEndFunctions() { return std::exchange(m_atEnd, {}); }

    // Called by lab_prelude.js only. `problem`: why the arguments could not be passed, e.g. one contains itself.
    Q_INVOKABLE QJSValue call(const QString& name, const QJSValue& self, const QJSValue& arguments,
        const QString& stack, const QString& problem);
    // Called by lab_bounds.js only. Why the memory limit forbids more; empty if it does not.
    Q_INVOKABLE QString lacking() const;

    // The engine's name for the script, as it appears in stack traces.
    static QString scriptName() { return "scenario"; }
    // The line of the innermost stack frame that belongs to the script; 0 if there is none.
    static int lineOf(const QString& stack);

private:
    void raise(const LabError& error, const QString& call);
    LabError unknownMember(const QString& name) const;
    QString json(const QJSValue& value);

    LabContext& m_context;
    const BeforeCall m_before;
    std::map<QString, LabHandler> m_handlers;
    std::vector<QJSValue> m_atEnd;
    QJSValue m_stringify; // JSON.stringify
};

// The groups of calls for clusters of any system; each function adds the handlers of its group.
void addSetupCalls(
    Lab& lab, LabContext& context); // lab_commands.cpp: cluster, settle, parameters, random numbers, targets
void addClientCalls(Lab& lab, LabContext& context); // lab_clients.cpp
void addCounterCalls(Lab& lab, LabContext& context); // lab_counters.cpp
void addFaultCalls(Lab& lab, LabContext& context); // lab_faults.cpp: network faults
void addProcessFaultCalls(Lab& lab, LabContext& context); // lab_process_faults.cpp: kill, pause, resume, restart
void addWaitCalls(Lab& lab, LabContext& context); // lab_waits.cpp: events, waits, expectations
void addClockCalls(Lab& lab, LabContext& context); // lab_clock.cpp: virtual time of a simulated cluster
void addHoldCalls(Lab& lab, LabContext& context); // lab_holds.cpp: holds of the workload and of messages
void addMeasureCalls(Lab& lab, LabContext& context); // lab_measure.cpp
void addChartCalls(Lab& lab, LabContext& context); // lab_chart.cpp
void addStoryCalls(Lab& lab, LabContext& context); // lab_story.cpp
void addExerciseCalls(Lab& lab, LabContext& context); // lab_exercise.cpp

} // namespace lhrs::gui
