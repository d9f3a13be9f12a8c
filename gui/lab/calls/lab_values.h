// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/csv_table.h"
#include "gui/lab/calls/lab_context.h"
#include "gui/lab/tables/lab_error.h"

#include <QJSValue>
#include <QStringList>

#include <google/protobuf/message.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lhrs::gui {

// ---- values of the protocol as values of the script, and back

// A number; beyond 2^53, where a number of the script would lose digits, a string of them.
QJSValue scriptNumber(std::uint64_t number);
// The same, back.
LabResult<std::uint64_t> keyOf(const QJSValue& value);
// An object with the message's fields in camelCase; times of ..._ns in seconds as ..._s, places as printed.
QJSValue scriptObject(const google::protobuf::Message& message, QJSEngine& engine);
// {kind, t_s, process, place, op, client, ...body}; a field `kind` of the body is `what`.
QJSValue scriptEvent(const RunEvent& event, const ClusterState& names, QJSEngine& engine);
// {i, n, M}
QJSValue scriptImage(const pb::FileState& image, QJSEngine& engine);
// The names of all kinds of events.
QStringList eventKinds();
// The kind with this name; the error names the nearest one.
LabResult<pb::Event::BodyCase> eventKindOf(const QString& name);
// Text if the bytes are that, else null.
QJSValue scriptText(const std::string& bytes);
// A value as a person reads it. Objects of the lab show themselves; others are shown by their contents.
QString readable(const QJSValue& value, QJSEngine& engine);
QString hexOf(const std::string& bytes);
double secondsOf(std::int64_t ns);

// Ranks of a slice from an option that is a number or 'auto' (0). BadArgument otherwise; `call` is whose option it is.
LabResult<std::uint32_t> sliceOf(const QJSValue& option, const QString& call);
// The Timing of a bucket recovery that is over; `failed`: the events in which its buckets were declared failed.
QJSValue recoveryTiming(const LabContext& context, const pb::RecoveryFinished& done, const std::vector<RunEvent>& failed);

// ---- targets

// A target of the script, found: where, and who is there now.
struct FoundTarget {
    pb::Place place; // NO_ROLE: a process without a place
    ProcessId process = 0;
    QString shown;   // "data 5"
};

// A table that the papers published, by its name in scenarios/paper. BadArgument: there is none.
LabResult<CsvTable> publishedTable(const LabContext& context, const QString& name);
// "onAlarm" as a value; an unknown word: off.
pb::RecoveryWay recoveryWayOf(const QString& word);
// Changes how the running file is recovered; the former way. Refused, Timeout: see the command SetRecovery.
LabResult<pb::RecoveryWay> setRecoveryWay(LabContext& context, pb::RecoveryWay way);
// The places that a target of buckets names, in its order; empty for another target.
std::vector<pb::Place> placesOf(const QJSValue& target);
// The processes that a target names now. BadArgument: there is no such thing.
LabResult<std::vector<FoundTarget>> findTargets(LabContext& context, const QJSValue& target);
// The same for a call that takes one.
LabResult<FoundTarget> findTarget(LabContext& context, const QJSValue& target);
// A member of the file, by role and number, in a description; 0: does not exist.
ProcessId holderOf(const pb::FileDescription& file, const pb::Place& place);
// As events told; 0: nobody.
ProcessId holderOf(const ClusterState& state, const pb::Place& place);

// How many faults act now: those armed at processes, and processes that stand still or were killed and not started again.
int faultsActive(const LabContext& context);

// The times of an event that tells where the time of a rebuilding went.
template <class Event>
void setTimes(QJSValue& timing, std::int64_t totalNs, const Event& event)
{
    timing.setProperty("total_s", double(totalNs) / 1e9);
    timing.setProperty("process_s", double(event.process_ns()) / 1e9);
    timing.setProperty("comm_s", double(event.communication_ns()) / 1e9);
    timing.setProperty("other_s", double(event.other_ns()) / 1e9);
    timing.setProperty("transfer_s", double(event.transfer_ns()) / 1e9);
}

// Counts what was expected and says it; an error when it does not hold, unless the script is to go on all the same.
LabResult<QJSValue> judgeExpectation(LabContext& context, bool isHeld, const QString& text, const QString& detail);
// A place in the order of events, from lab.here; the last changing call where nothing was given.
LabResult<std::uint64_t> cursorOf(const LabContext& context, const QJSValue& since);

} // namespace lhrs::gui
