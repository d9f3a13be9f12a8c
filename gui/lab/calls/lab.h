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

// One call of the script, with complete arguments.
struct LabCall {
    const CallReference& reference;
    const Arguments& arguments;
    const QJSValue& self; // what the object it was called on stands for: {name}, {id}; undefined for lab itself
};

using LabHandler = std::function<LabResult<QJSValue>(const LabCall&)>;

// The object `lab` of window.md 4, as the script sees it: each call comes here, is checked against the reference, and
// goes to its handler; what fails is thrown into the script as a LabError with code, message, hint, line and call.
class Lab : public QObject {
    Q_OBJECT

public:
    // Called before each call is carried out: line, call, whether it is a chapter (lab.step). It may wait.
    using BeforeCall = std::function<void(int line, const CallReference& call)>;

    Lab(LabContext& context, BeforeCall before);

    // Makes `lab` known in the engine, and removes what a script must not have (window.md 4.1).
    void install();
    // Says who carries out a call of the reference; each has exactly one (check).
    void handle(const QString& call, LabHandler handler);
    // Calls of the reference that can be carried out, but have nobody: none, once all groups are added.
    QStringList callsWithoutHandler() const;
    // Functions to be called at the end, in the order in which they were given.
    std::vector<QJSValue> takeEndFunctions() { return std::exchange(m_atEnd, {}); }

    // From lab_prelude.js only. `problem`: why the arguments are not here, e.g. because one contains itself.
    Q_INVOKABLE QJSValue call(const QString& name, const QJSValue& self, const QJSValue& arguments,
        const QString& stack, const QString& problem);
    // From lab_bounds.js only: why there is no memory for more; empty: there is.
    Q_INVOKABLE QString lacking() const;

    // Under this name the engine knows the script; the stack names it.
    static QString scriptName() { return "scenario"; }
    // The line of the innermost place of the script in a stack; 0: none.
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

// The groups of calls; each adds its handlers. See window.md 4.2 to 4.7.
void addSetupCalls(Lab& lab, LabContext& context);     // lab_commands.cpp: cluster, parameters, random numbers, targets
void addStructureCalls(Lab& lab, LabContext& context); // lab_structure.cpp: split, availability, parity, keys, settle
void addClientCalls(Lab& lab, LabContext& context);    // lab_clients.cpp
void addFaultCalls(Lab& lab, LabContext& context);     // lab_faults.cpp: of the network
void addProcessFaultCalls(Lab& lab, LabContext& context); // lab_process_faults.cpp: kill, pause, resume, restart
void addRecoveryCalls(Lab& lab, LabContext& context);  // lab_recovery.cpp: recover, acknowledgeLoss
void addWitnessCalls(Lab& lab, LabContext& context);   // lab_witness.cpp
void addStateCalls(Lab& lab, LabContext& context);     // lab_state.cpp: file, group, bucket, records, counters
void addWaitCalls(Lab& lab, LabContext& context);      // lab_waits.cpp: events, waits, expectations
void addAuditCalls(Lab& lab, LabContext& context);     // lab_audit.cpp
void addLampCalls(Lab& lab, LabContext& context);      // lab_lamps.cpp
void addClockCalls(Lab& lab, LabContext& context);     // lab_clock.cpp: of a simulated cluster
void addHoldCalls(Lab& lab, LabContext& context);      // lab_holds.cpp: of workload and messages
void addMeasureCalls(Lab& lab, LabContext& context);   // lab_measure.cpp
void addChartCalls(Lab& lab, LabContext& context);     // lab_chart.cpp
void addTimingCalls(Lab& lab, LabContext& context);    // lab_timing.cpp
void addStoryCalls(Lab& lab, LabContext& context);     // lab_story.cpp
void addExerciseCalls(Lab& lab, LabContext& context);  // lab_exercise.cpp

} // namespace lhrs::gui
