// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of the network (window.md 4.4): each is armed at the processes that it concerns, under one number, and ends
// with its lease wherever the script has gone.
#include "gui/lab/lab.h"
#include "gui/lab/lab_values.h"

#include <QJSEngine>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace lhrs::gui {

namespace {

// Processes by number; nothing: a fault concerns everybody.
using Side = std::vector<FoundTarget>;

std::vector<KnownProcess> livingProcesses(const LabContext& context)
{
    std::vector<KnownProcess> living = context.control.directory();
    std::erase_if(living, [](const KnownProcess& known) { return known.hasEnded; });
    return living;
}

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
        for (const KnownProcess& known : livingProcesses(context))
            if (value.toString() == QString::fromStdString(known.info.name()))
                side.push_back(targetOf(known));
    }
    if (side.empty())
        return LabError { LabCode::BadArgument, "There is no process " + value.toString() + ".",
            "Name targets such as lab.data(0) or lab.coordinator(), a client, or a list of them." };
    std::sort(side.begin(), side.end(), [](const FoundTarget& a, const FoundTarget& b) { return a.process < b.process; });
    const auto same = [](const FoundTarget& a, const FoundTarget& b) { return a.process == b.process; };
    side.erase(std::unique(side.begin(), side.end(), same), side.end());
    return side;
}

bool isWord(const QJSValue& value, const char* word) { return value.isString() && value.toString() == word; }

Side all(const LabContext& context)
{
    Side side;
    for (const KnownProcess& known : livingProcesses(context))
        side.push_back(targetOf(known));
    return side;
}

template <class Network>
void addPeers(const LabContext& context, const Side& side, Network& network)
{
    for (const FoundTarget& target : side) {
        pb::FaultPeer& peer = *network.add_peers();
        peer.set_node(target.process);
        if (const auto known = context.control.find(target.process))
            *peer.mutable_address() = known->info.address();
    }
}

// A fault to be armed at some processes.
struct Plan {
    pb::Fault fault;
    Side at;
};

// Numbers that another operator of the same cluster will not have chosen, and that a number of the script holds.
std::uint64_t newFaultNumber()
{
    static std::uint32_t last = 0;
    std::random_device device;
    return (std::uint64_t(device()) << 20 | (++last & 0xfffff)) & ((std::uint64_t(1) << 53) - 1);
}

pb::Fault newFault(LabContext& context, std::uint64_t number, double lease)
{
    pb::Fault fault;
    fault.set_number(number);
    fault.set_lease_ms(std::uint32_t(millisecondsOf(lease).count()));
    fault.set_seed(context.settings.seed ^ number << 1);
    return fault;
}

// Ends a fault, 0: all of them, wherever it is armed, and says which have ended. Who does not answer has no fault left,
// or loses it with its lease.
std::set<std::uint64_t> healEverywhere(LabContext& context, std::uint64_t number, double timeout)
{
    std::vector<std::pair<CallTarget, pb::Command>> calls;
    for (const KnownProcess& known : livingProcesses(context)) {
        pb::Command command;
        command.mutable_heal_faults()->set_number(number);
        calls.emplace_back(known.info.node(), std::move(command));
    }
    std::set<std::uint64_t> healed;
    for (const Answer& answer : context.control.callAllAndWait(calls, millisecondsOf(timeout), context.stopToken()))
        for (const auto& entry : answer.reply.faults().faults())
            healed.insert(entry.requested().number());
    return healed;
}

LabResult<QJSValue> arm(LabContext& context, const std::vector<Plan>& plans, const char* kind, double timeout)
{
    std::vector<std::pair<CallTarget, pb::Command>> calls;
    QJSValue processes = context.engine.newArray();
    for (const Plan& plan : plans) {
        for (const FoundTarget& target : plan.at) {
            pb::Command command;
            *command.mutable_arm_fault()->mutable_fault() = plan.fault;
            processes.setProperty(std::uint32_t(calls.size()), target.shown);
            calls.emplace_back(target.process, std::move(command));
        }
    }
    const double begin = secondsOf(context.ingest.nowNs());
    const auto replies = context.askAll(calls, timeout);
    const pb::Fault& fault = plans.front().fault;
    if (!replies) {
        healEverywhere(context, fault.number(), timeout); // half a fault is worse than none
        return replies.error();
    }
    QJSValue made = context.engine.newObject();
    made.setProperty("id", double(fault.number()));
    made.setProperty("kind", kind);
    made.setProperty("processes", processes);
    made.setProperty("begin_s", begin);
    made.setProperty("lease_s", double(fault.lease_ms()) / 1000);
    return made;
}

LabResult<QJSValue> net(LabContext& context, const Arguments& o)
{
    pb::Fault fault = newFault(context, newFaultNumber(), o.number("lease"));
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
    const auto isAny = [&o](const char* name) { return isWord(o.option(name), "any"); };
    // Where the sender is known it acts there; else at the receiver, whoever sends and however.
    Side from, to;
    for (auto [name, side] : { std::pair("from", &from), std::pair("to", &to) }) {
        if (isAny(name))
            continue;
        auto found = sideOf(context, o.option(name));
        if (!found)
            return found.error();
        *side = std::move(*found);
    }
    Plan plan { fault, from };
    if (isAny("from") && !isAny("to")) {
        plan.fault.mutable_network()->set_way(pb::INCOMING);
        plan.at = to;
    } else {
        plan.fault.mutable_network()->set_way(pb::OUTGOING);
        addPeers(context, to, *plan.fault.mutable_network());
        if (isAny("from"))
            plan.at = all(context);
    }
    return arm(context, { plan }, "net", o.number("timeout"));
}

LabResult<QJSValue> partition(LabContext& context, const Arguments& o)
{
    const bool isRest[] = { isWord(o.at(0), "rest"), isWord(o.at(1), "rest") };
    if (isRest[0] && isRest[1])
        return LabError { LabCode::BadArgument, "Only one side of a partition can be 'rest'." };
    Side sides[2];
    for (std::size_t i = 0; i < 2; ++i) {
        if (isRest[i])
            continue;
        auto found = sideOf(context, o.at(i));
        if (!found)
            return found.error();
        sides[i] = std::move(*found);
    }
    const auto isOnSide = [&](std::size_t side, const FoundTarget& target) {
        return std::any_of(sides[side].begin(), sides[side].end(),
            [&](const FoundTarget& other) { return other.process == target.process; });
    };
    for (std::size_t i = 0; i < 2; ++i)
        if (isRest[i])
            for (const FoundTarget& target : all(context))
                if (!isOnSide(1 - i, target))
                    sides[i].push_back(target);
    for (const FoundTarget& target : sides[0])
        if (isOnSide(1, target))
            return LabError { LabCode::BadArgument, target.shown + " is on both sides of the partition." };
    if (sides[0].empty() || sides[1].empty())
        return LabError { LabCode::BadArgument, "There is nobody on the other side of the partition." };
    const QString direction = o.text("direction");
    const std::uint64_t number = newFaultNumber();
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < 2; ++i) {
        Plan plan { newFault(context, number, o.number("lease")), sides[i] };
        pb::PartitionFault& cut = *plan.fault.mutable_partition();
        // Who comes later is of the rest as well: "all but my own side".
        cut.set_all_but_peers(isRest[1 - i]);
        addPeers(context, sides[isRest[1 - i] ? i : 1 - i], cut);
        if (direction != "both")
            cut.set_way((direction == "aToB") == (i == 0) ? pb::OUTGOING : pb::INCOMING);
        plans.push_back(std::move(plan));
    }
    return arm(context, plans, "partition", o.number("timeout"));
}

LabResult<QJSValue> heal(LabContext& context, const Arguments& o)
{
    std::uint64_t number = 0;
    std::size_t resumed = 0;
    if (const QJSValue fault = o.at(0); !fault.isUndefined() && !fault.isNull()) {
        const QJSValue id = fault.isObject() ? fault.property("id") : fault;
        if (fault.property("kind").toString() == "pause")
            return LabError { LabCode::Refused, "A pause is ended by lab.resume.", "lab.resume(fault);" };
        if (fault.property("kind").toString() == "kill")
            return LabError { LabCode::Refused, "A kill cannot be healed.", "lab.restart brings an empty spare back." };
        if (!id.isNumber() || id.toNumber() < 1)
            return LabError { LabCode::BadArgument, "lab.heal takes what lab.net or lab.partition gave, or nothing for all faults." };
        number = std::uint64_t(id.toNumber());
    } else if (context.settings.mayStartCluster)
        resumed = context.local.resumeAll(); // who stands still could not hear that it is healed
    return QJSValue(double(resumed + healEverywhere(context, number, o.number("timeout")).size()));
}

// What all processes of a fault have done together.
void addUp(pb::FaultEffect& sum, const pb::FaultEffect& one)
{
    sum.set_messages(sum.messages() + one.messages());
    sum.set_dropped(sum.dropped() + one.dropped());
    sum.set_duplicated(sum.duplicated() + one.duplicated());
    sum.set_reordered(sum.reordered() + one.reordered());
    sum.set_corrupted(sum.corrupted() + one.corrupted());
    sum.set_cut(sum.cut() + one.cut());
    sum.set_delayed(sum.delayed() + one.delayed());
    sum.set_waiting(sum.waiting() + one.waiting());
    sum.set_overflowed(sum.overflowed() + one.overflowed());
    sum.set_delay_sum_ns(sum.delay_sum_ns() + one.delay_sum_ns());
    sum.set_delay_max_ns(std::max(sum.delay_max_ns(), one.delay_max_ns()));
    sum.set_lasted_ns(std::max(sum.lasted_ns(), one.lasted_ns()));
}

QJSValue requestedObject(LabContext& context, const pb::Fault& fault)
{
    if (fault.has_network()) {
        pb::NetworkFault network = fault.network();
        network.clear_peers(); // processes are named apart
        return scriptObject(network, context.engine);
    }
    if (fault.has_crash())
        return scriptObject(fault.crash(), context.engine);
    return context.engine.newObject();
}

const char* kindOf(const pb::Fault& fault)
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
    struct Together {
        pb::Fault fault;
        pb::FaultEffect achieved;
        std::uint32_t leaseLeftMs = 0;
        QStringList processes;
    };
    std::map<std::uint64_t, Together> found;
    const auto paused = context.local.paused();
    std::vector<KnownProcess> living = livingProcesses(context);
    std::erase_if(living, [&](const KnownProcess& known) { return paused.contains(known.info.node()); });
    std::vector<std::pair<CallTarget, pb::Command>> calls;
    for (const KnownProcess& known : living) {
        pb::Command command;
        command.mutable_list_faults();
        calls.emplace_back(known.info.node(), std::move(command));
    }
    const auto answers = context.control.callAllAndWait(calls, millisecondsOf(o.number("timeout")), context.stopToken());
    if (context.isStopped())
        return context.stopped();
    for (std::size_t i = 0; i < answers.size(); ++i) { // who does not answer has none that could be told
        for (const auto& entry : answers[i].reply.faults().faults()) {
            Together& together = found[entry.requested().number()];
            together.fault = entry.requested();
            addUp(together.achieved, entry.achieved());
            together.leaseLeftMs = std::max(together.leaseLeftMs, entry.lease_left_ms());
            together.processes << QString::fromStdString(living[i].info.name());
        }
    }
    QJSValue list = context.engine.newArray(std::uint32_t(found.size()));
    std::uint32_t at = 0;
    for (const auto& [number, together] : found) {
        QJSValue entry = context.engine.newObject();
        entry.setProperty("id", scriptNumber(number));
        entry.setProperty("kind", kindOf(together.fault));
        entry.setProperty("processes", context.engine.toScriptValue(together.processes));
        entry.setProperty("leaseLeft_s", double(together.leaseLeftMs) / 1000);
        entry.setProperty("requested", requestedObject(context, together.fault));
        QJSValue achieved = scriptObject(together.achieved, context.engine);
        const auto delayed = double(together.achieved.delayed());
        achieved.setProperty("delayMs", delayed == 0 ? 0 : double(together.achieved.delay_sum_ns()) / delayed / 1e6);
        entry.setProperty("achieved", achieved);
        list.setProperty(at++, entry);
    }
    // A process that stands still says nothing about faults: who paused it knows.
    for (const auto& [process, left] : paused) {
        const auto known = context.control.find(process);
        QJSValue entry = context.engine.newObject();
        entry.setProperty("id", QJSValue(QJSValue::NullValue));
        entry.setProperty("kind", "pause");
        entry.setProperty("processes", context.engine.toScriptValue(QStringList { known ? QString::fromStdString(known->info.name()) : QString() }));
        entry.setProperty("leaseLeft_s", double(left.count()) / 1000);
        entry.setProperty("requested", context.engine.newObject());
        entry.setProperty("achieved", context.engine.newObject());
        list.setProperty(at++, entry);
    }
    return list;
}

} // namespace

void addFaultCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.net", [&](const LabCall& c) { return net(context, c.arguments); });
    lab.handle("lab.partition", [&](const LabCall& c) { return partition(context, c.arguments); });
    lab.handle("lab.heal", [&](const LabCall& c) { return heal(context, c.arguments); });
    lab.handle("lab.faults", [&](const LabCall& c) { return faults(context, c.arguments); });
}

} // namespace lhrs::gui
