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
#include <utility>
#include <vector>

namespace lhrs::gui {

// ---- conversion between values of the protocol and values of the script

// A number, or its decimal string from 2^53 on, where a number of the script would lose digits.
QJSValue scriptNumber(std::uint64_t number);
// The inverse conversion.
LabResult<std::uint64_t> keyOf(const QJSValue& value);
// An object with the message's fields in camelCase. Times named ..._ns become ..._s in seconds; places are given in
// their printed form.
QJSValue scriptObject(const google::protobuf::Message& message, QJSEngine& engine);
// {kind, t_s, process, place, op, client, ...body}; a body field named `kind` becomes `what`.
QJSValue scriptEvent(const RunEvent& event, const ClusterState& names, QJSEngine& engine);
// The names of all kinds of events.
QStringList eventTypes();
// The number of the kind with this name (common/kinds.h); an error names the nearest known name.
LabResult<int> eventKindOf(const QString& name);
// The text if the bytes are valid text, else null.
QJSValue scriptText(const std::string& bytes);
// A value in readable form. Objects of the lab show themselves; other objects are shown by their contents.
QString readable(const QJSValue& value, QJSEngine& engine);
QString hexOf(const std::string& bytes);
double secondsOf(std::int64_t ns);
// A process by its name, else by its number.
QString processName(const RunState& state, ProcessId process);
// "data 5"
QString shownPlace(const pb::Place& place);
// A list with what `make` gives for each element, in their order.
template <class Container, class Make> QJSValue scriptList(const Container& all, QJSEngine& engine, const Make& make)
{
    QJSValue list = engine.newArray(std::uint32_t(all.size()));
    std::uint32_t i = 0;
    for (const auto& one : all)
        list.setProperty(i++, make(one));
    return list;
}

// ---- targets

// A resolved target of the script: its place and the process that is there now.
struct FoundTarget {
    pb::Place place; // NO_ROLE: the process has no place
    ProcessId process = 0;
    QString shown; // "data 5"
};

// A published table, by its name in scenarios/paper. BadArgument: no such table.
LabResult<CsvTable> publishedTable(const LabContext& context, const QString& name);
// The script's object for a target: its name, and what it is found by.
QJSValue makeTarget(
    const LabContext& context, const QString& shown, const std::vector<std::pair<QString, QJSValue>>& fields);
// The processes that a target names now. BadArgument: the target does not exist.
LabResult<std::vector<FoundTarget>> findTargets(LabContext& context, const QJSValue& target);
// The same for a call that takes a single process.
LabResult<FoundTarget> findTarget(LabContext& context, const QJSValue& target);
// The number of active faults: armed network faults, paused processes, and killed processes that were not restarted.
int faultsActive(const LabContext& context);

// Counts and reports an expectation. Returns an error when it does not hold, unless the script is to keep going.
LabResult<QJSValue> judgeExpectation(LabContext& context, bool isHeld, const QString& text, const QString& detail);
// A position in the order of events that lab.here gave; without a value, the position of the last changing call.
LabResult<std::uint64_t> cursorOf(const LabContext& context, const QJSValue& since);

} // namespace lhrs::gui
