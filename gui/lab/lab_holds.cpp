// SPDX-License-Identifier: GPL-3.0-or-later
// The holds of workload and messages (window.md 2.11, 4.4).
#include "gui/lab/gate_orders.h"
#include "gui/lab/lab.h"
#include "gui/lab/lab_values.h"

#include <algorithm>

namespace lhrs::gui {

namespace {


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

LabError gateError(const GateOutcome& outcome)
{
    const QString text = QString::fromStdString(outcome.text);
    if (!outcome.hasGate)
        return { LabCode::Unsupported, text, "lab.cluster({ gate: true }) starts processes whose messages can be held; so does --gate by hand. A simulated cluster always has that." };
    return { LabCode::Refused, text, "On a busy machine lab.gate(true, { within: 0.2 }) waits longer." };
}

QJSValue gateObject(const LabContext& context, bool isClosed)
{
    QJSValue result = context.engine.newObject();
    result.setProperty("now_s", double(context.ingest.nowNs()) / 1e9);
    result.setProperty("closed", isClosed);
    return result;
}

LabResult<QJSValue> gateOfSimulation(LabContext& context, const std::string& simulator, bool isClosed)
{
    pb::Command describe;
    describe.mutable_describe_simulation();
    auto now = context.ask(simulator, std::move(describe), kAnswerSeconds);
    if (!now)
        return now.error();
    if (now->simulation().is_paused() != isClosed) {
        pb::Command command;
        if (isClosed)
            command.mutable_set_clock()->set_is_paused(true);
        else
            command.mutable_set_clock()->set_factor(now->simulation().factor());
        now = context.ask(simulator, std::move(command), kAnswerSeconds);
        if (!now)
            return now.error();
    }
    context.control.learnSimulation(now->simulation());
    return gateObject(context, now->simulation().is_paused());
}

LabResult<QJSValue> gate(LabContext& context, bool isClosed, double within)
{
    if (const std::string simulator = context.control.simulator(); !simulator.empty())
        return gateOfSimulation(context, simulator, isClosed);
    const GateOutcome outcome = isClosed ? closeGates(context.control, millisecondsOf(within), context.stopToken()) : openGates(context.control, context.stopToken());
    if (context.isStopped())
        return context.stopped();
    if (!outcome.text.empty() || (isClosed && !outcome.hasGate))
        return gateError(outcome);
    if (const auto here = context.catchUp(); !here) // what was delivered before
        return here.error();
    return gateObject(context, outcome.isClosed);
}

// What the script is told of a message; `number` is 0 where no gate holds it.
QJSValue messageObject(const LabContext& context, const std::string& kind, ProcessId from, ProcessId to, std::uint64_t id, std::uint64_t number)
{
    QJSValue entry = context.engine.newObject();
    entry.setProperty("kind", QString::fromStdString(kind));
    entry.setProperty("from", context.nameOf(from));
    entry.setProperty("to", context.nameOf(to));
    entry.setProperty("id", QString::number(id));
    if (number != 0)
        entry.setProperty("number", double(number));
    return entry;
}

QJSValue listOf(const LabContext& context, const std::vector<HeldAt>& messages)
{
    QJSValue list = context.engine.newArray(std::uint32_t(messages.size()));
    std::uint32_t count = 0;
    for (const HeldAt& held : messages)
        list.setProperty(count++, messageObject(context, held.message.kind(), held.message.from(), held.process, held.message.id(), held.message.number()));
    return list;
}

LabError notHeld(const Error& error)
{
    if (error.text.find(kWithoutGate) != std::string::npos)
        return gateError({ false, false, 0, error.text });
    return { LabCode::Refused, QString::fromStdString(error.text), "lab.gate(true) closes the gate." };
}

// What lab.held() gave, or one like it.
LabResult<HeldAt> heldOf(LabContext& context, const QJSValue& given)
{
    const QString to = given.property("to").toString();
    HeldAt held;
    held.message.set_number(std::uint64_t(given.property("number").toNumber()));
    for (const KnownProcess& known : context.control.directory())
        if (!known.hasEnded && QString::fromStdString(known.info.name()) == to)
            held.process = known.info.node();
    if (!given.isObject() || held.process == 0 || held.message.number() == 0)
        return LabError { LabCode::BadArgument, "The option message of lab.release is an entry of lab.held()." };
    return held;
}

LabResult<QJSValue> held(LabContext& context)
{
    if (context.isSimulated())
        return LabError { LabCode::Unsupported, "In a simulated cluster messages are not held at their receivers: they are on their way.", "lab.release() lets the next one arrive." };
    const auto messages = heldMessages(context.control, context.stopToken());
    if (!messages)
        return notHeld(messages.error());
    return listOf(context, *messages);
}

LabResult<QJSValue> releaseReal(LabContext& context, const Arguments& o)
{
    ReleaseWish wish;
    wish.count = o.integer("count");
    wish.isDropped = o.isOn("drop");
    wish.mayPass = o.isOn("clock");
    wish.timeout = millisecondsOf(o.number("timeout"));
    if (!o.option("message").isNull()) {
        const auto one = heldOf(context, o.option("message"));
        if (!one)
            return one.error();
        wish.one = *one;
    }
    const auto released = releaseHeld(context.control, wish, context.stopToken());
    if (context.isStopped())
        return context.stopped();
    if (!released)
        return notHeld(released.error());
    if (const auto here = context.catchUp(); !here)
        return here.error();
    return listOf(context, *released);
}

LabResult<QJSValue> release(LabContext& context, const Arguments& o)
{
    const std::string simulator = context.control.simulator();
    if (simulator.empty())
        return releaseReal(context, o);
    if (o.isOn("drop") || !o.option("message").isNull())
        return LabError { LabCode::Unsupported, "A simulated cluster lets messages through in the order of their arrival, and loses none.", "lab.net({ drop: 1, kinds: '...' }) loses messages there." };
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
        const EventPage page = context.ingest.eventsSince(cursor, kEventsAtOnce);
        for (const RunEvent& event : page.events) {
            if (event.isGap() || !event.event->has_message_received())
                continue;
            const pb::MessageReceived& received = event.event->message_received();
            list.setProperty(count++, messageObject(context, received.kind(), received.from(), event.process, received.id(), 0));
        }
        cursor = page.next;
    }
    return list;
}

} // namespace

void addHoldCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.holdWorkload", [&](const LabCall& c) { return holdWorkload(context, c.arguments.at(0).toBool(), c.arguments.number("timeout")); });
    lab.handle("lab.gate", [&](const LabCall& c) { return gate(context, c.arguments.at(0).toBool(), c.arguments.number("within")); });
    lab.handle("lab.held", [&](const LabCall&) { return held(context); });
    lab.handle("lab.release", [&](const LabCall& c) { return release(context, c.arguments); });
}

} // namespace lhrs::gui
