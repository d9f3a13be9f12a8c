// SPDX-License-Identifier: GPL-3.0-or-later
// Timings of recoveries and parity creations, as measured by the process that rebuilds.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lhrs/lab_file.h"
#include "gui/lab/words/lhrs/place_words.h"

#include <QJSEngine>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace lhrs::gui {

namespace {

// The time from the end of a process to the coordinator's declaration that its bucket failed, for the latest of these
// buckets. Null if no end was observed.
QJSValue detectionOf(const std::vector<RunEvent>& failed, const ClusterState& state)
{
    std::int64_t longest = -1;
    for (const RunEvent& event : failed) {
        const auto process = state.processes.find(event.event->bucket_failed().process());
        if (process == state.processes.end() || process->second.endedNs == 0 || process->second.endedNs > event.runNs)
            return QJSValue(QJSValue::NullValue);
        longest = std::max(longest, event.runNs - process->second.endedNs);
    }
    return longest < 0 ? QJSValue(QJSValue::NullValue) : QJSValue(secondsOf(longest));
}

LabResult<QJSValue> recoveries(const LabContext& context, const Arguments& arguments)
{
    std::uint64_t cursor = 0;
    if (!arguments.option("since").isNull()) {
        const auto since = cursorOf(context, arguments.option("since"));
        if (!since)
            return since.error();
        cursor = *since;
    }
    if (const auto here = context.catchUp(); !here)
        return here.error();
    const QJSValue group = arguments.option("group");
    std::map<std::uint32_t, std::vector<RunEvent>> failed; // by group, since its last recovery
    QJSValue list = context.engine.newArray();
    std::uint32_t count = 0;
    for (;;) {
        const EventPage page = context.ingest.eventsSince(cursor, kEventsAtOnce);
        if (page.events.empty())
            return list;
        cursor = page.next;
        for (const RunEvent& event : page.events) {
            if (event.isGap())
                continue;
            if (event.event->has_file_created()) {
                failed.clear(); // a new cluster reuses the group numbers
            } else if (event.event->has_bucket_failed()) {
                failed[event.event->bucket_failed().group()].push_back(event);
            } else if (event.event->has_recovery_finished()) {
                const pb::RecoveryFinished& done = event.event->recovery_finished();
                const auto of = std::exchange(failed[done.group()], {});
                if (!group.isNumber() || group.toUInt() == done.group())
                    list.setProperty(count++, recoveryTiming(context, done, of));
            }
        }
    }
}

} // namespace

QJSValue recoveryTiming(
    const LabContext& context, const pb::RecoveryFinished& done, const std::vector<RunEvent>& failed)
{
    QJSEngine& engine = context.engine;
    QJSValue timing = engine.newObject();
    timing.setProperty("what", "bucket recovery");
    timing.setProperty("group", done.group());
    timing.setProperty("records", done.records());
    timing.setProperty("bytes", scriptNumber(done.bytes()));
    timing.setProperty("failed_buckets", done.buckets_size());
    timing.setProperty("slice", done.slice());
    timing.setProperty("slices", done.slices());
    timing.setProperty("decode", done.is_xor() ? "xor" : "rs");
    timing.setProperty("transport", done.transport() == pb::RECOVERY_UDP ? "udp" : "tcp");
    timing.setProperty("tcp", done.tcp_mode() == pb::TCP_HANDSHAKE ? "handshake" : "passive");
    timing.setProperty("manager", done.manager());
    QStringList survivors;
    for (const pb::Place& place : done.survivors())
        survivors << QString::fromStdString(placeName(place));
    timing.setProperty("survivors", engine.toScriptValue(survivors));
    timing.setProperty("detect_s", detectionOf(failed, context.ingest.state()));
    setTimes(timing, done.rebuild_ns(), done);
    timing.setProperty("whole_s", secondsOf(done.total_ns()));
    return timing;
}

void addTimingCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.recoveries", [&](const LabCall& c) { return recoveries(context, c.arguments); });
}

} // namespace lhrs::gui
