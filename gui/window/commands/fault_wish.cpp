// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/fault_wish.h"

#include "common/kinds.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/view/systems/view_systems.h"

#include <set>
#include <utility>

namespace lhrs::gui {

namespace {

std::uint64_t drawnSeed() { return std::uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()); }

// The options of lab.net for this fault.
QStringList networkOptions(const pb::NetworkFault& network)
{
    QStringList options;
    const auto share = [&](const char* name, double value) {
        if (value > 0)
            options << QStringLiteral("%1: %2").arg(QLatin1String(name)).arg(value);
    };
    const auto number = [&](const char* name, std::uint64_t value) {
        if (value > 0)
            options << QStringLiteral("%1: %2").arg(QLatin1String(name)).arg(value);
    };
    if (network.kinds_size() > 0) {
        QStringList kinds;
        for (const std::string& kind : network.kinds())
            kinds << QStringLiteral("'%1'").arg(text(kind));
        options << QStringLiteral("kinds: %1")
                       .arg(
                           kinds.size() == 1 ? kinds[0] : QStringLiteral("[%1]").arg(kinds.join(QStringLiteral(", "))));
    }
    share("drop", network.drop());
    share("duplicate", network.duplicate());
    share("reorder", network.reorder());
    share("corrupt", network.corrupt());
    number("delayMs", network.delay_ms());
    number("jitterMs", network.jitter_ms());
    number("bytesPerSecond", network.bytes_per_second());
    return options;
}

QString targetOf(ProcessId process, const ClusterState& state)
{
    const SystemWords& words = wordsOf(state);
    if (const QString place = words.placeLine(words.objectOf(state, process)); !place.isEmpty())
        return place;
    const auto known = state.processes.find(process);
    return QStringLiteral("lab.process('%1')")
        .arg(known == state.processes.end() ? QString::number(process) : text(known->second.name));
}

// The host of which these are all processes that have not ended; empty if there is none, or if all processes are on
// one.
QString hostOf(const std::vector<ProcessId>& processes, const ClusterState& state)
{
    const std::set<ProcessId> chosen(processes.begin(), processes.end());
    std::string host;
    for (const ProcessId process : chosen) {
        const auto known = state.processes.find(process);
        if (known == state.processes.end() || known->second.host.empty()
            || (!host.empty() && known->second.host != host))
            return {};
        host = known->second.host;
    }
    bool areOthers = false;
    for (const auto& [id, process] : state.processes) {
        areOthers = areOthers || (process.host != host && !process.hasEnded);
        if (process.host == host && !process.hasEnded && !chosen.contains(id))
            return {};
    }
    return areOthers ? text(host) : QString();
}

QString targetsOf(const std::vector<ProcessId>& processes, const ClusterState& state)
{
    if (const QString host = hostOf(processes, state); !host.isEmpty())
        return QStringLiteral("lab.host('%1')").arg(host);
    QStringList targets;
    for (const ProcessId process : processes)
        targets << targetOf(process, state);
    return targets.size() == 1 ? targets[0] : QStringLiteral("[%1]").arg(targets.join(QStringLiteral(", ")));
}

} // namespace

QString faultLine(const FaultWish& wish, const ClusterState& state)
{
    const QString lease = QStringLiteral("lease: %1").arg(wish.lease.count());
    QStringList lines;
    const QString host = hostOf(wish.first, state);
    switch (wish.kind) {
    case FaultWish::Kind::Network: {
        QStringList options;
        if (!wish.first.empty())
            options << QStringLiteral("from: %1").arg(targetsOf(wish.first, state));
        if (!wish.second.empty())
            options << QStringLiteral("to: %1").arg(targetsOf(wish.second, state));
        options << networkOptions(wish.network) << lease;
        return QStringLiteral("lab.net({ %1 });").arg(options.join(QStringLiteral(", ")));
    }
    case FaultWish::Kind::Partition: {
        using Direction = PartitionSides::Direction;
        const QString way = wish.direction == Direction::AToB ? QStringLiteral("direction: 'aToB', ")
            : wish.direction == Direction::BToA               ? QStringLiteral("direction: 'bToA', ")
                                                              : QString();
        return QStringLiteral("lab.partition(%1, %2, { %3%4 });")
            .arg(targetsOf(wish.first, state),
                wish.secondIsRest ? QStringLiteral("'rest'") : targetsOf(wish.second, state), way, lease);
    }
    case FaultWish::Kind::Pause:
        if (!host.isEmpty())
            return QStringLiteral("lab.pauseHost('%1', { %2 });").arg(host, lease);
        for (const ProcessId process : wish.first)
            lines << QStringLiteral("lab.pause(%1, { %2 });").arg(targetOf(process, state), lease);
        break;
    case FaultWish::Kind::Kill:
        if (!host.isEmpty())
            return QStringLiteral("lab.killHost('%1');").arg(host);
        for (const ProcessId process : wish.first)
            lines << QStringLiteral("lab.kill(%1);").arg(targetOf(process, state));
        break;
    case FaultWish::Kind::KillAtStep:
        for (const ProcessId process : wish.first)
            lines << QStringLiteral("lab.kill(%1, { at: '%2'%3, %4 });")
                         .arg(targetOf(process, state), text(wish.step),
                             wish.count > 1 ? QStringLiteral(", count: %1").arg(wish.count) : QString(), lease);
        break;
    }
    return lines.join(QLatin1Char(' '));
}

std::vector<FaultOrder> ordersOf(const FaultWish& wish, const ControlClient& control)
{
    pb::Fault fault = newFault(control, wish.lease, drawnSeed());
    switch (wish.kind) {
    case FaultWish::Kind::Network:
        *fault.mutable_network() = wish.network;
        return { networkOrder(control, std::move(fault), { wish.first, wish.second }) };
    case FaultWish::Kind::Partition:
        return partitionOrders(control, fault, { wish.first, wish.second, wish.secondIsRest, wish.direction });
    case FaultWish::Kind::KillAtStep: {
        // Scripts name events by their message, this form by their field.
        if (const Kind* kind = eventKindOfType(wish.step); kind != nullptr)
            fault.mutable_crash()->set_at(kind->name);
        fault.mutable_crash()->set_count(wish.count);
        return { { std::move(fault), wish.first } };
    }
    case FaultWish::Kind::Pause:
    case FaultWish::Kind::Kill: break;
    }
    return {};
}

} // namespace lhrs::gui
