// SPDX-License-Identifier: GPL-3.0-or-later
// The holds of workload and messages (window.md 2.11, 4.4).
#include "gui/lab/lab.h"
#include "gui/lab/lab_values.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr double kAnswer = 5; // seconds of real time
constexpr std::size_t kPage = 10'000;

LabResult<QJSValue> holdWorkload(LabContext& context, bool isHeld, double timeout)
{
    // From now on those that start are told by the control client, which also renews the hold.
    context.control.holdWorkload(isHeld);
    std::vector<std::pair<CallTarget, pb::Command>> calls;
    for (const KnownProcess& known : context.control.directory())
        if (known.info.kind() == pb::CLIENT && !known.hasEnded)
            calls.emplace_back(known.info.node(), ControlClient::holdCommand(isHeld));
    const auto replies = context.askAll(calls, timeout);
    if (!replies)
        return replies.error();
    const auto held = std::count_if(replies->begin(), replies->end(), [](const pb::CommandReply& reply) { return reply.client().is_held(); });
    return QJSValue(double(held));
}

LabError noGate()
{
    return { LabCode::Unsupported, "Real processes have no gate in this version: their messages and clocks go on.", "lhrs-play --sim plays on a simulated cluster, which has one." };
}

LabResult<QJSValue> gate(LabContext& context, bool isClosed)
{
    const std::string simulator = context.control.simulator();
    if (simulator.empty())
        return noGate();
    pb::Command describe;
    describe.mutable_describe_simulation();
    auto now = context.ask(simulator, std::move(describe), kAnswer);
    if (!now)
        return now.error();
    if (now->simulation().is_paused() != isClosed) {
        pb::Command command;
        if (isClosed)
            command.mutable_set_clock()->set_is_paused(true);
        else
            command.mutable_set_clock()->set_factor(now->simulation().factor());
        now = context.ask(simulator, std::move(command), kAnswer);
        if (!now)
            return now.error();
    }
    context.control.learnSimulation(now->simulation());
    QJSValue result = context.engine.newObject();
    result.setProperty("now_s", double(context.ingest.nowNs()) / 1e9);
    result.setProperty("closed", now->simulation().is_paused());
    return result;
}

LabResult<QJSValue> release(LabContext& context, const Arguments& o)
{
    const std::string simulator = context.control.simulator();
    if (simulator.empty())
        return noGate();
    if (const auto here = context.catchUp(); !here) // what was delivered before the gate closed may still be on its way to us
        return here.error();
    const std::uint64_t before = context.ingest.committed();
    pb::Command step;
    step.mutable_step_clock()->set_messages(o.integer("count"));
    const auto reply = context.ask(simulator, std::move(step), o.number("timeout")); // refused while the gate is open
    if (!reply)
        return reply.error();
    context.control.learnSimulation(reply->simulation());
    if (const auto here = context.catchUp(); !here)
        return here.error();
    QJSValue list = context.engine.newArray();
    std::uint32_t count = 0;
    for (std::uint64_t cursor = before; cursor < context.ingest.committed();) {
        const EventPage page = context.ingest.eventsSince(cursor, kPage);
        for (const RunEvent& event : page.events) {
            if (event.isGap() || !event.event->has_message_received())
                continue;
            const pb::MessageReceived& received = event.event->message_received();
            QJSValue entry = context.engine.newObject();
            entry.setProperty("kind", QString::fromStdString(received.kind()));
            entry.setProperty("from", context.nameOf(received.from()));
            entry.setProperty("to", context.nameOf(event.process));
            entry.setProperty("id", QString::number(received.id()));
            list.setProperty(count++, entry);
        }
        cursor = page.next;
    }
    return list;
}

} // namespace

void addHoldCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.holdWorkload", [&](const LabCall& c) { return holdWorkload(context, c.arguments.at(0).toBool(), c.arguments.number("timeout")); });
    lab.handle("lab.gate", [&](const LabCall& c) { return gate(context, c.arguments.at(0).toBool()); });
    lab.handle("lab.release", [&](const LabCall& c) { return release(context, c.arguments); });
}

} // namespace lhrs::gui
