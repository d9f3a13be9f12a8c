// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for process faults: kill, pause, resume, restart. They act on processes that this program started.
#include "common/kinds.h"
#include "gui/lab/control/fault_orders.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_hosts.h"
#include "gui/lab/calls/lab_system.h"

#include <QJSEngine>

#include <algorithm>
#include <memory>
#include <vector>

namespace lhrs::gui {

namespace {

struct MadeFault {
    QString kind; // 'kill', 'pause'
    std::vector<ProcessId> processes;
    QStringList victims; // their names
    double begin = 0;
    std::optional<double> lease;
    std::uint64_t number = 0; // of a fault that is armed and waits for its event
    QString at {}; // that event
    std::uint32_t count = 0; // which occurrence of the event
};

struct FaultCalls {
    LabContext& context;
    std::shared_ptr<std::vector<MadeFault>> made = std::make_shared<std::vector<MadeFault>>();

    LabResult<bool> check() const
    {
        if (context.settings.mayStartCluster)
            return true;
        return LabError { LabCode::NotAllowed, "Processes of a cluster that was not started here are not touched.",
            "Its owner may end or stop them by their numbers; lab.events() shows what follows." };
    }

    LabError refused(const std::string& text) const
    {
        return context.isStopped() ? context.stopped() : LabError { LabCode::Refused, QString::fromStdString(text) };
    }

    // The processes of a target, of a list of targets, or of a fault's victims; each once.
    LabResult<std::vector<ProcessId>> processesOf(const QJSValue& who, const QString& call) const
    {
        std::vector<ProcessId> processes;
        if (who.isArray()) {
            for (std::uint32_t i = 0; i < who.property("length").toUInt(); ++i) {
                const auto part = processesOf(who.property(i), call);
                if (!part)
                    return part.error();
                for (const ProcessId process : *part)
                    if (std::find(processes.begin(), processes.end(), process) == processes.end())
                        processes.push_back(process);
            }
            return processes;
        }
        if (const QJSValue id = who.property("faultId"); who.isObject() && id.isNumber()) {
            if (id.toUInt() >= made->size())
                return LabError { LabCode::BadArgument, "There is no such fault in this run." };
            return (*made)[id.toUInt()].processes;
        }
        if (!who.isObject() || !who.property("labTarget").isString())
            return LabError { LabCode::BadArgument,
                call + " needs a target such as lab.data(0), or what lab.kill or lab.pause gave, not " + who.toString()
                    + ".",
                call + "(lab.data(0));" };
        const auto found = findTargets(context, who);
        if (!found)
            return found.error();
        for (const FoundTarget& target : *found)
            processes.push_back(target.process);
        if (processes.empty())
            return LabError { LabCode::BadArgument, "The target of " + call + " names no process." };
        return processes;
    }

    QJSValue object(std::size_t index) const
    {
        const MadeFault& fault = (*made)[index];
        QJSValue result = context.engine.newObject();
        result.setProperty("faultId", std::uint32_t(index));
        result.setProperty("id", fault.number != 0 ? double(fault.number) : double(index + 1));
        result.setProperty("kind", fault.kind);
        result.setProperty("victims", context.engine.toScriptValue(fault.victims));
        result.setProperty("begin_s", fault.begin);
        if (fault.lease)
            result.setProperty("lease_s", *fault.lease);
        if (fault.number != 0) {
            result.setProperty("at", fault.at);
            result.setProperty("count", fault.count);
        }
        return result;
    }

    QJSValue keep(MadeFault fault) const
    {
        for (const ProcessId process : fault.processes)
            fault.victims << context.nameOf(process);
        made->push_back(std::move(fault));
        return object(made->size() - 1);
    }

    LabResult<QJSValue> kill(const QJSValue& who, const Arguments& arguments) const
    {
        if (const auto may = check(); !may)
            return may.error();
        const auto processes = processesOf(who, "lab.kill");
        if (!processes)
            return processes.error();
        const double begin = context.nowSeconds();
        if (!arguments.option("at").isNull())
            return killAt(*processes, arguments, begin);
        return killNow(*processes, begin);
    }

    LabResult<QJSValue> killNow(const std::vector<ProcessId>& processes, double begin) const
    {
        if (const auto killed = context.local.kill(processes); !killed)
            return refused(killed.error().text);
        return keep({ "kill", processes, {}, begin, {} });
    }

    // All processes of a host, or of several, at once.
    LabResult<QJSValue> killHost(const Arguments& arguments) const
    {
        if (const auto may = check(); !may)
            return may.error();
        const auto processes = processesOf(hostsIn(arguments.at(0)), "lab.killHost");
        return processes ? killNow(*processes, context.nowSeconds()) : LabResult<QJSValue>(processes.error());
    }

    // The targets of a name or a list of names.
    QJSValue hostsIn(const QJSValue& names) const
    {
        if (!names.isArray())
            return hostTarget(context, names.toString());
        QJSValue targets = context.engine.newArray(names.property("length").toUInt());
        for (std::uint32_t i = 0; i < names.property("length").toUInt(); ++i)
            targets.setProperty(i, hostTarget(context, names.property(i).toString()));
        return targets;
    }

    // The processes end themselves at a step of the protocol, before they publish its event and before they send its
    // messages.
    LabResult<QJSValue> killAt(const std::vector<ProcessId>& processes, const Arguments& arguments, double begin) const
    {
        const QJSValue at = arguments.option("at");
        if (!at.isString())
            return LabError { LabCode::BadArgument,
                "The option at of lab.kill is the name of an event, not " + at.toString() + ".",
                "lab.kill(lab.data(0), { at: 'SplitPrepared' });" };
        const auto kind = eventKindOf(at.toString());
        if (!kind)
            return kind.error();
        FaultOrder order { newFault(context.control, millisecondsOf(arguments.number("lease")), context.settings.seed),
            processes };
        order.fault.mutable_crash()->set_at(eventKind(*kind)->name);
        order.fault.mutable_crash()->set_count(arguments.integer("count"));
        if (const Answer armed = armFaults(context.control, { order }, std::chrono::seconds(5), context.stopToken());
            !armed)
            return context.errorOf(armed);
        return keep({ "kill", processes, {}, begin, arguments.number("lease"), order.fault.number(), at.toString(),
            arguments.integer("count") });
    }

    LabResult<QJSValue> pause(const QJSValue& who, const Arguments& arguments) const
    {
        if (const auto may = check(); !may)
            return may.error();
        const auto processes = processesOf(who, "lab.pause");
        if (!processes)
            return processes.error();
        const double lease = arguments.number("lease"), begin = context.nowSeconds();
        if (const auto paused = context.local.pause(*processes, millisecondsOf(lease)); !paused)
            return refused(paused.error().text);
        return keep({ "pause", *processes, {}, begin, lease });
    }

    LabResult<QJSValue> resume(const Arguments& arguments) const
    {
        if (const auto may = check(); !may)
            return may.error();
        const auto processes = processesOf(arguments.at(0), "lab.resume");
        if (!processes)
            return processes.error();
        const double begin = context.nowSeconds();
        if (const auto resumed = context.local.resume(*processes); !resumed)
            return refused(resumed.error().text);
        QStringList names;
        for (const ProcessId process : *processes)
            names << context.nameOf(process);
        QJSValue result = context.engine.newObject();
        result.setProperty("kind", "resume");
        result.setProperty("victims", context.engine.toScriptValue(names));
        result.setProperty("begin_s", begin);
        return result;
    }

    LabResult<QJSValue> restart(const Arguments& arguments) const
    {
        if (const auto may = check(); !may)
            return may.error();
        const auto processes = processesOf(arguments.at(0), "lab.restart");
        if (!processes)
            return processes.error();
        const auto started = context.local.restart(*processes, context.stopToken());
        if (!started)
            return refused(started.error().text);
        // A coordinator that was started again may have to learn its cluster first.
        if (const auto listened = context.system->awaitCoordinator(context, arguments.number("timeout")); !listened)
            return listened.error();
        if (const auto known = context.awaitServers(arguments.number("timeout")); !known)
            return known.error();
        QStringList names;
        for (const pb::ProcessInfo& process : *started)
            names << QString::fromStdString(process.name());
        QJSValue result = context.engine.newObject();
        result.setProperty("processes", context.engine.toScriptValue(names));
        return result;
    }
};

} // namespace

void addProcessFaultCalls(Lab& lab, LabContext& context)
{
    const FaultCalls calls { context };
    lab.handle("lab.kill", [calls](const LabCall& c) { return calls.kill(c.arguments.at(0), c.arguments); });
    lab.handle("lab.pause", [calls](const LabCall& c) { return calls.pause(c.arguments.at(0), c.arguments); });
    lab.handle("lab.killHost", [calls](const LabCall& c) { return calls.killHost(c.arguments); });
    lab.handle("lab.pauseHost",
        [calls](const LabCall& c) { return calls.pause(calls.hostsIn(c.arguments.at(0)), c.arguments); });
    lab.handle("lab.resume", [calls](const LabCall& c) { return calls.resume(c.arguments); });
    lab.handle("lab.restart", [calls](const LabCall& c) { return calls.restart(c.arguments); });
}

} // namespace lhrs::gui
