// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and memory, as processes count them or as the events tell.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_values.h"

#include <QJSEngine>

#include <map>

namespace lhrs::gui {

namespace {

// Messages by kind, counted from the events of the run.
LabResult<QJSValue> countersByKind(LabContext& context, const QJSValue& since)
{
    if (context.control.detail() != pb::FULL)
        return LabError { LabCode::Refused, "Messages can only be counted by kind while lab.detail is 'full'." };
    const auto cursor = since.isNull() ? LabResult<std::uint64_t>(std::uint64_t(0)) : cursorOf(context, since);
    if (!cursor)
        return cursor.error();
    if (const auto here = context.catchUp(); !here)
        return here.error();
    struct Sum {
        std::uint64_t messages = 0, bytes = 0, resends = 0;
    };
    std::map<QString, Sum> sums;
    std::uint64_t at = *cursor;
    for (;;) {
        const EventPage page = context.ingest.eventsSince(at, 10'000);
        if (page.events.empty())
            break;
        at = page.next;
        for (const RunEvent& event : page.events) {
            if (event.isGap() || !event.event->has_message_sent())
                continue;
            const pb::MessageSent& sent = event.event->message_sent();
            Sum& sum = sums[QString::fromStdString(sent.kind())];
            ++sum.messages;
            sum.bytes += sent.bytes();
            sum.resends += sent.tries() > 0 ? 1 : 0;
        }
    }
    QJSValue result = context.engine.newObject();
    for (const auto& [kind, sum] : sums) {
        QJSValue row = context.engine.newObject();
        row.setProperty("messages", scriptNumber(sum.messages));
        row.setProperty("bytes", scriptNumber(sum.bytes));
        row.setProperty("resends", scriptNumber(sum.resends));
        result.setProperty(kind, row);
    }
    return result;
}

LabResult<QJSValue> counters(LabContext& context, const Arguments& arguments)
{
    const QString by = arguments.option("by").isNull() ? QString() : arguments.text("by");
    if (by == "kind")
        return countersByKind(context, arguments.option("since"));
    if (!arguments.option("since").isNull())
        return LabError { LabCode::BadArgument,
            "The option since goes with by: 'kind'; the sums of a process count from its start." };
    std::vector<std::pair<CallTarget, pb::Command>> questions;
    QStringList names;
    for (const KnownProcess& known : context.control.directory()) {
        if (known.hasEnded)
            continue;
        pb::Command command;
        command.mutable_statistics();
        questions.emplace_back(known.info.node(), std::move(command));
        names << QString::fromStdString(known.info.name());
    }
    const auto replies = context.askAll(questions, kAnswerSeconds);
    if (!replies)
        return replies.error();
    QJSValue result = context.engine.newObject();
    std::uint64_t messages = 0, dropped = 0;
    for (std::size_t i = 0; i < replies->size(); ++i) {
        const pb::Gauges& gauges = (*replies)[i].gauges();
        messages += gauges.messages_out(); // each message is counted at its sender
        dropped += gauges.dropped();
        if (by == "process") {
            QJSValue row = context.engine.newObject();
            row.setProperty("messages", scriptNumber(gauges.messages_out()));
            row.setProperty("received", scriptNumber(gauges.messages_in()));
            row.setProperty("dropped", scriptNumber(gauges.dropped()));
            row.setProperty("memory_bytes", scriptNumber(gauges.memory_bytes()));
            row.setProperty("cpu_s", double(gauges.cpu_ns()) / 1e9);
            result.setProperty(names[qsizetype(i)], row);
        }
    }
    if (by.isEmpty()) {
        result.setProperty("messages", scriptNumber(messages));
        result.setProperty("dropped", scriptNumber(dropped));
    }
    return result;
}

} // namespace

void addCounterCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.counters", [&](const LabCall& c) { return counters(context, c.arguments); });
}

} // namespace lhrs::gui
