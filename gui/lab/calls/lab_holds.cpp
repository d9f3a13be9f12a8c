// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for the holds of the workload and of messages.
#include "gui/lab/control/gate_orders.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_values.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

LabResult<QJSValue> holdWorkload(LabContext& context, bool isHeld, double timeout)
{
    // The control client also holds clients that join later, and renews the hold.
    context.control.holdWorkload(isHeld);
    std::vector<std::pair<CallTarget, pb::Command>> calls;
    for (const KnownProcess& known : context.control.directory())
        if (known.info.kind() == pb::CLIENT && !known.hasEnded)
            calls.emplace_back(known.info.node(), ControlClient::holdCommand(isHeld));
    const auto replies = context.askAll(calls, timeout);
    if (!replies)
        return replies.error();
    const auto held = std::count_if(
        replies->begin(), replies->end(), [](const pb::CommandReply& reply) { return reply.client().is_held(); });
    return QJSValue(double(held));
}

LabError gateError(const GateOutcome& outcome)
{
    const QString text = QString::fromStdString(outcome.text);
    if (!outcome.hasGate)
        return { LabCode::Unsupported, text,
            "lab.cluster({ gate: true }) starts processes whose messages can be held; so does --gate by hand. A "
            "simulated cluster always has that." };
    return { LabCode::Refused, text, "On a busy machine lab.gate(true, { within: 0.2 }) waits longer." };
}

QJSValue gateObject(const LabContext& context, bool isClosed)
{
    QJSValue result = context.engine.newObject();
    result.setProperty("now_s", double(context.ingest.nowNs()) / 1e9);
    result.setProperty("closed", isClosed);
    return result;
}

LabResult<QJSValue> gate(LabContext& context, bool isClosed, double within)
{
    const GateOutcome outcome = isClosed ? closeGates(context.control, millisecondsOf(within), context.stopToken())
                                         : openGates(context.control, context.stopToken());
    if (context.isStopped())
        return context.stopped();
    if (!outcome.text.empty() || (isClosed && !outcome.hasGate))
        return gateError(outcome);
    if (const auto here = context.catchUp(); !here) // includes what was delivered before
        return here.error();
    return gateObject(context, outcome.isClosed);
}

// The script's form of a held message.
QJSValue messageObject(const LabContext& context, const HeldAt& held)
{
    QJSValue entry = context.engine.newObject();
    entry.setProperty("kind", QString::fromStdString(held.message.kind()));
    entry.setProperty("from", context.nameOf(held.message.from()));
    entry.setProperty("to", context.nameOf(held.process));
    entry.setProperty("id", QString::number(held.message.id()));
    entry.setProperty("number", double(held.message.number()));
    return entry;
}

QJSValue listOf(const LabContext& context, const std::vector<HeldAt>& messages)
{
    QJSValue list = context.engine.newArray(std::uint32_t(messages.size()));
    std::uint32_t count = 0;
    for (const HeldAt& held : messages)
        list.setProperty(count++, messageObject(context, held));
    return list;
}

LabError notHeld(const Error& error)
{
    if (error.text.find(kWithoutGate) != std::string::npos)
        return gateError({ false, false, 0, error.text });
    return { LabCode::Refused, QString::fromStdString(error.text), "lab.gate(true) closes the gate." };
}

// An entry of lab.held(), or an object like it.
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
    const auto messages = heldMessages(context.control, context.stopToken());
    if (!messages)
        return notHeld(messages.error());
    return listOf(context, *messages);
}

LabResult<QJSValue> release(LabContext& context, const Arguments& o)
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

} // namespace

void addHoldCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.holdWorkload", [&](const LabCall& c) {
        return holdWorkload(context, c.arguments.at(0).toBool(), c.arguments.number("timeout"));
    });
    lab.handle("lab.gate",
        [&](const LabCall& c) { return gate(context, c.arguments.at(0).toBool(), c.arguments.number("within")); });
    lab.handle("lab.held", [&](const LabCall&) { return held(context); });
    lab.handle("lab.release", [&](const LabCall& c) { return release(context, c.arguments); });
}

} // namespace lhrs::gui
