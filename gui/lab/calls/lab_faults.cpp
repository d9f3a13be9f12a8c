// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for network faults. Each fault is armed under one number at the processes that it concerns. It ends with its
// lease, even if the script has ended.
#include "gui/lab/control/fault_orders.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_hosts.h"
#include "gui/lab/calls/lab_values.h"

#include <QJSEngine>

#include <algorithm>

namespace lhrs::gui {

namespace {

// Processes; an empty side means every process.
using Side = std::vector<FoundTarget>;

FoundTarget targetOf(const KnownProcess& known)
{
    return { known.place, known.info.node(), QString::fromStdString(known.info.name()) };
}

// A target, a client, a name, or a list of them.
LabResult<Side> sideOf(LabContext& context, const QJSValue& value)
{
    Side side;
    if (value.isArray()) {
        for (std::uint32_t i = 0; i < value.property("length").toUInt(); ++i) {
            const auto part = sideOf(context, value.property(i));
            if (!part)
                return part.error();
            side.insert(side.end(), part->begin(), part->end());
        }
    } else if (value.isObject() && value.property("labTarget").isString()) {
        auto found = findTargets(context, value);
        if (!found)
            return found.error();
        side = std::move(*found);
    } else {
        for (const KnownProcess& known : livingProcesses(context.control))
            if (value.toString() == QString::fromStdString(known.info.name()))
                side.push_back(targetOf(known));
    }
    if (side.empty())
        return LabError { LabCode::BadArgument, "There is no process " + value.toString() + ".",
            "Name targets such as lab.data(0) or lab.coordinator(), a client, or a list of them." };
    std::sort(
        side.begin(), side.end(), [](const FoundTarget& a, const FoundTarget& b) { return a.process < b.process; });
    const auto same = [](const FoundTarget& a, const FoundTarget& b) { return a.process == b.process; };
    side.erase(std::unique(side.begin(), side.end(), same), side.end());
    return side;
}

bool isWord(const QJSValue& value, const char* word) { return value.isString() && value.toString() == word; }

std::vector<ProcessId> processesOf(const Side& side)
{
    std::vector<ProcessId> processes;
    for (const FoundTarget& target : side)
        processes.push_back(target.process);
    return processes;
}

LabResult<QJSValue> arm(LabContext& context, const std::vector<FaultOrder>& orders, const char* kind, double timeout)
{
    const double begin = context.nowSeconds();
    const Answer answer = armFaults(context.control, orders, millisecondsOf(timeout), context.stopToken());
    if (!answer)
        return context.errorOf(answer);
    QStringList processes;
    for (const FaultOrder& order : orders)
        for (const ProcessId process : order.at)
            processes << context.nameOf(process);
    const pb::Fault& fault = orders.front().fault;
    QJSValue made = context.engine.newObject();
    made.setProperty("id", double(fault.number()));
    made.setProperty("kind", kind);
    made.setProperty("processes", context.engine.toScriptValue(processes));
    made.setProperty("begin_s", begin);
    made.setProperty("lease_s", double(fault.lease_ms()) / 1000);
    return made;
}

LabResult<QJSValue> net(LabContext& context, const Arguments& o)
{
    pb::Fault fault = newFault(context.control, millisecondsOf(o.number("lease")), context.settings.seed);
    pb::NetworkFault& network = *fault.mutable_network();
    network.set_drop(o.number("drop"));
    network.set_duplicate(o.number("duplicate"));
    network.set_reorder(o.number("reorder"));
    network.set_corrupt(o.number("corrupt"));
    network.set_delay_ms(o.integer("delayMs"));
    network.set_jitter_ms(o.integer("jitterMs"));
    if (const QJSValue rate = o.option("bytesPerSecond"); rate.isNumber() && rate.toNumber() >= 1)
        network.set_bytes_per_second(std::uint64_t(rate.toNumber()));
    else if (!rate.isNull())
        return LabError { LabCode::BadArgument, "The option bytesPerSecond of lab.net is a number from 1, or null." };
    const QJSValue kinds = o.option("kinds");
    if (kinds.isArray()) {
        for (std::uint32_t i = 0; i < kinds.property("length").toUInt(); ++i)
            network.add_kinds(kinds.property(i).toString().toStdString());
    } else if (!isWord(kinds, "all")) {
        network.add_kinds(kinds.toString().toStdString());
    }
    FaultSides sides;
    for (const auto& [name, side] : { std::pair("from", &sides.from), std::pair("to", &sides.to) }) {
        if (isWord(o.option(name), "any"))
            continue;
        const auto found = sideOf(context, o.option(name));
        if (!found)
            return found.error();
        *side = processesOf(*found);
    }
    return arm(context, { networkOrder(context.control, std::move(fault), sides) }, "net", o.number("timeout"));
}

LabResult<QJSValue> partition(LabContext& context, const QJSValue& sideA, const QJSValue& sideB, const Arguments& o)
{
    const bool isRest[] = { isWord(sideA, "rest"), isWord(sideB, "rest") };
    if (isRest[0] && isRest[1])
        return LabError { LabCode::BadArgument, "Only one side of a partition can be 'rest'." };
    Side sides[2];
    for (std::size_t i = 0; i < 2; ++i) {
        if (isRest[i])
            continue;
        auto found = sideOf(context, i == 0 ? sideA : sideB);
        if (!found)
            return found.error();
        sides[i] = std::move(*found);
    }
    for (const FoundTarget& target : sides[0])
        if (std::any_of(sides[1].begin(), sides[1].end(),
                [&](const FoundTarget& other) { return other.process == target.process; }))
            return LabError { LabCode::BadArgument, target.shown + " is on both sides of the partition." };
    using Direction = PartitionSides::Direction;
    const QString direction = o.text("direction");
    PartitionSides wanted;
    wanted.restIsB = isRest[0] || isRest[1];
    wanted.a = processesOf(sides[isRest[0] ? 1 : 0]);
    wanted.b = processesOf(sides[isRest[0] ? 0 : 1]);
    if (direction != "both")
        wanted.direction = (direction == "aToB") != isRest[0] ? Direction::AToB : Direction::BToA;
    const auto orders = partitionOrders(
        context.control, newFault(context.control, millisecondsOf(o.number("lease")), context.settings.seed), wanted);
    if (orders[1].at.empty())
        return LabError { LabCode::BadArgument, "There is no process on the other side of the partition." };
    return arm(context, orders, "partition", o.number("timeout"));
}

LabResult<QJSValue> heal(LabContext& context, const Arguments& o)
{
    std::uint64_t number = 0;
    std::size_t resumed = 0;
    if (const QJSValue fault = o.at(0); !fault.isUndefined() && !fault.isNull()) {
        const QJSValue id = fault.isObject() ? fault.property("id") : fault;
        if (fault.property("kind").toString() == "pause")
            return LabError { LabCode::Refused, "A pause is ended by lab.resume.", "lab.resume(fault);" };
        if (fault.property("kind").toString() == "kill" && fault.property("at").isUndefined())
            return LabError { LabCode::Refused, "A kill cannot be healed.",
                "lab.restart starts its program again, empty." };
        if (!id.isNumber() || id.toNumber() < 1)
            return LabError { LabCode::BadArgument,
                "lab.heal takes what lab.net or lab.partition gave, or nothing for all faults." };
        number = std::uint64_t(id.toNumber());
    } else if (context.settings.mayStartCluster)
        resumed = context.local.resumeAll(); // a paused process could not receive the command to heal
    return QJSValue(double(resumed
        + healFaults(context.control, number, millisecondsOf(o.number("timeout")), context.stopToken()).size()));
}

QJSValue requestedObject(LabContext& context, const pb::Fault& fault)
{
    if (fault.has_network()) {
        pb::NetworkFault network = fault.network();
        network.clear_peers(); // processes are listed separately
        return scriptObject(network, context.engine);
    }
    if (fault.has_crash())
        return scriptObject(fault.crash(), context.engine);
    return context.engine.newObject();
}

const char* faultKind(const pb::Fault& fault)
{
    switch (fault.what_case()) {
    case pb::Fault::kNetwork: return "net";
    case pb::Fault::kPartition: return "partition";
    case pb::Fault::kPause: return "pause";
    case pb::Fault::kCrash: return "crash";
    case pb::Fault::WHAT_NOT_SET: break;
    }
    return "";
}

LabResult<QJSValue> faults(LabContext& context, const Arguments& o)
{
    const auto paused = context.local.paused();
    std::set<ProcessId> deaf;
    for (const auto& [process, left] : paused)
        deaf.insert(process);
    const auto found = listFaults(context.control, deaf, millisecondsOf(o.number("timeout")), context.stopToken());
    if (context.isStopped())
        return context.stopped();
    QJSValue list = context.engine.newArray(std::uint32_t(found.size()));
    std::uint32_t at = 0;
    for (const auto& [number, armed] : found) {
        QStringList processes;
        for (const ProcessId process : armed.processes)
            processes << context.nameOf(process);
        QJSValue entry = context.engine.newObject();
        entry.setProperty("id", scriptNumber(number));
        entry.setProperty("kind", faultKind(armed.fault));
        entry.setProperty("processes", context.engine.toScriptValue(processes));
        entry.setProperty("leaseLeft_s", double(armed.leaseLeftMs) / 1000);
        entry.setProperty("requested", requestedObject(context, armed.fault));
        QJSValue achieved = scriptObject(armed.achieved, context.engine);
        const auto delayed = double(armed.achieved.delayed());
        achieved.setProperty("delayMs", delayed == 0 ? 0 : double(armed.achieved.delay_sum_ns()) / delayed / 1e6);
        entry.setProperty("achieved", achieved);
        list.setProperty(at++, entry);
    }
    // A paused process does not answer; its fault is known here, where it was paused.
    for (const auto& [process, left] : paused) {
        QJSValue entry = context.engine.newObject();
        entry.setProperty("id", QJSValue(QJSValue::NullValue));
        entry.setProperty("kind", "pause");
        entry.setProperty("processes", context.engine.toScriptValue(QStringList { context.nameOf(process) }));
        entry.setProperty("leaseLeft_s", double(left.count()) / 1000);
        entry.setProperty("requested", context.engine.newObject());
        entry.setProperty("achieved", context.engine.newObject());
        list.setProperty(at++, entry);
    }
    return list;
}

} // namespace

int faultsActive(const LabContext& context)
{
    std::set<std::uint64_t> armed; // one fault may be armed at several processes
    for (const auto& [id, process] : context.ingest.state().processes)
        for (const auto& [number, words] : process.faults)
            if (!process.hasEnded)
                armed.insert(number);
    return int(armed.size() + context.local.paused().size() + context.local.ended());
}

void addFaultCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.net", [&](const LabCall& c) { return net(context, c.arguments); });
    lab.handle("lab.partition",
        [&](const LabCall& c) { return partition(context, c.arguments.at(0), c.arguments.at(1), c.arguments); });
    lab.handle("lab.isolateHost", [&](const LabCall& c) {
        return partition(context, hostTarget(context, c.arguments.at(0).toString()), "rest", c.arguments);
    });
    lab.handle("lab.heal", [&](const LabCall& c) { return heal(context, c.arguments); });
    lab.handle("lab.faults", [&](const LabCall& c) { return faults(context, c.arguments); });
}

} // namespace lhrs::gui
