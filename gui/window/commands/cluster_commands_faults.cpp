// SPDX-License-Identifier: GPL-3.0-or-later
// The faults that the window injects, and how it ends them.
#include "common/kinds.h"
#include "gui/window/commands/cluster_commands.h"

#include "gui/lab/tables/qt_text.h"
#include "gui/view/cluster/object_words.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace lhrs::gui {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kListAnswer { 1'000 };
constexpr seconds kLease { 60 }; // a fault that nothing renews ends by itself
constexpr double kLoss = 0.5;
constexpr std::uint32_t kDelayMs = 200;

std::uint64_t drawnSeed() { return std::uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()); }

// Removes paused processes from the orders: they would not receive them; the other processes drop messages to them.
void leaveOut(std::vector<FaultOrder>& orders, const std::map<std::uint64_t, milliseconds>& paused)
{
    for (FaultOrder& order : orders)
        std::erase_if(order.at, [&](ProcessId process) { return paused.contains(process); });
}

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

} // namespace

// ---- processes

// Runs something that takes a moment and returns only success or failure.
void ClusterCommands::change(const QString& line, std::function<Result<void>()> act, const QString& done)
{
    emit said(line);
    post([this, line, act = std::move(act), done](const std::stop_token&) {
        const Result<void> result = act();
        sayFromThread(line, result ? done : text(result.error().text), bool(result));
    });
}

void ClusterCommands::kill(ProcessId process, const QString& target)
{
    change(
        QStringLiteral("lab.kill(%1);").arg(target), [this, process] { return m_session->local().kill({ process }); },
        tr("the process is gone, and its memory with it"));
}

void ClusterCommands::pause(ProcessId process, const QString& target)
{
    change(
        QStringLiteral("lab.pause(%1, { lease: %2 });").arg(target).arg(kLease.count()),
        [this, process] { return m_session->local().pause({ process }, kLease); },
        tr("it stands still, for %1 s at most").arg(kLease.count()));
}

void ClusterCommands::resume(ProcessId process, const QString& target)
{
    change(
        QStringLiteral("lab.resume(%1);").arg(target),
        [this, process] { return m_session->local().resume({ process }); }, tr("it goes on where it stood"));
}

void ClusterCommands::restart(ProcessId process, const QString& target)
{
    const auto known = m_session->control().find(process);
    const bool isCoordinator = known && known->info.kind() == pb::COORDINATOR;
    change(
        QStringLiteral("lab.restart(%1);").arg(target),
        [this, process] {
            const auto started = m_session->local().restart({ process });
            return started ? Result<void>() : Result<void>(started.error());
        },
        isCoordinator ? tr("another coordinator listens at its address: it finds the file in its buckets")
                      : tr("its program was started again, as an empty spare"));
}

// ---- recovery by hand

void ClusterCommands::recover(std::uint32_t group)
{
    pb::Command command;
    command.mutable_recover_group()->set_group(group);
    ask(m_session->control().coordinator(), command, kAnswer,
        QStringLiteral("lab.recover({ group: %1, wait: false });").arg(group), [](const pb::CommandReply&) {
            return QStringLiteral("the coordinator asks all members of the group; who does not answer is recovered");
        });
}

void ClusterCommands::acknowledgeLoss(std::uint32_t group)
{
    pb::Command command;
    command.mutable_acknowledge_loss()->set_group(group);
    ask(m_session->control().coordinator(), command, kStructure, QStringLiteral("lab.acknowledgeLoss(%1);").arg(group),
        [](const pb::CommandReply&) { return QStringLiteral("the lost buckets are back, empty"); });
}

// ---- the network

void ClusterCommands::cutOff(ProcessId process, const QString&)
{
    FaultWish wish;
    wish.kind = FaultWish::Kind::Partition;
    wish.first = { process };
    wish.secondIsRest = true;
    wish.lease = kLease;
    arm(wish);
}

void ClusterCommands::loseSome(ProcessId process, const QString&)
{
    FaultWish wish;
    wish.second = { process };
    wish.network.set_drop(kLoss);
    wish.lease = kLease;
    arm(wish);
}

void ClusterCommands::delayMessages(ProcessId process, const QString&)
{
    FaultWish wish;
    wish.second = { process };
    wish.network.set_delay_ms(kDelayMs);
    wish.lease = kLease;
    arm(wish);
}

std::vector<FaultOrder> ClusterCommands::ordersOf(const FaultWish& wish) const
{
    const ControlClient& control = m_session->control();
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

// Runs in the worker thread.
Result<void> ClusterCommands::carryOut(const FaultWish& wish, std::uint64_t& number)
{
    if (wish.kind == FaultWish::Kind::Kill)
        return m_session->local().kill(wish.first);
    if (wish.kind == FaultWish::Kind::Pause)
        return m_session->local().pause(wish.first, wish.lease);
    std::vector<FaultOrder> orders = ordersOf(wish);
    leaveOut(orders, m_session->local().paused());
    if (const Answer armed = armFaults(m_session->control(), orders, kAnswer); !armed)
        return Error { armed.text };
    number = orders.front().fault.number();
    if (wish.isKept) {
        const std::lock_guard lock(m_mutex);
        m_kept[number] = std::move(orders);
    }
    return {};
}

void ClusterCommands::arm(const FaultWish& wish)
{
    const QString line = lineOf(wish);
    emit said(line);
    post([this, wish, line](const std::stop_token&) {
        std::uint64_t number = 0;
        const Result<void> done = carryOut(wish, number);
        const QString lease = wish.isKept ? tr("renewed while this window lives")
                                          : tr("for %1 s at most").arg(wish.lease.count());
        QString words;
        switch (wish.kind) {
        case FaultWish::Kind::Network: words = tr("armed, %1").arg(lease); break;
        case FaultWish::Kind::Partition: words = tr("nothing passes between the two sides, %1").arg(lease); break;
        case FaultWish::Kind::Pause: words = tr("they stand still, for %1 s at most").arg(wish.lease.count()); break;
        case FaultWish::Kind::Kill: words = tr("gone, and their memory with them"); break;
        case FaultWish::Kind::KillAtStep:
            words = tr("armed: it ends itself at that step, if that comes within %1 s").arg(wish.lease.count());
            break;
        }
        sayFromThread(line, done ? words : text(done.error().text), bool(done));
        QMetaObject::invokeMethod(
            this, [this] { askFaults(); }, Qt::QueuedConnection);
    });
}

QString ClusterCommands::targetOf(ProcessId process) const
{
    const ClusterState now = state();
    const ObjectRef object = objectOf(now, process);
    if (object.kind == ObjectKind::Data)
        return QStringLiteral("lab.data(%1)").arg(object.a);
    if (object.kind == ObjectKind::Parity)
        return QStringLiteral("lab.parity(%1, %2)").arg(object.a).arg(object.b);
    if (object.kind == ObjectKind::Coordinator)
        return QStringLiteral("lab.coordinator()");
    const auto known = now.processes.find(process);
    return QStringLiteral("lab.process('%1')")
        .arg(known == now.processes.end() ? QString::number(process) : text(known->second.name));
}

QString ClusterCommands::targetsOf(const std::vector<ProcessId>& processes) const
{
    QStringList targets;
    for (const ProcessId process : processes)
        targets << targetOf(process);
    return targets.size() == 1 ? targets[0] : QStringLiteral("[%1]").arg(targets.join(QStringLiteral(", ")));
}

QString ClusterCommands::lineOf(const FaultWish& wish) const
{
    const QString lease = QStringLiteral("lease: %1").arg(wish.lease.count());
    QStringList lines;
    switch (wish.kind) {
    case FaultWish::Kind::Network: {
        QStringList options;
        if (!wish.first.empty())
            options << QStringLiteral("from: %1").arg(targetsOf(wish.first));
        if (!wish.second.empty())
            options << QStringLiteral("to: %1").arg(targetsOf(wish.second));
        options << networkOptions(wish.network) << lease;
        return QStringLiteral("lab.net({ %1 });").arg(options.join(QStringLiteral(", ")));
    }
    case FaultWish::Kind::Partition: {
        using Direction = PartitionSides::Direction;
        const QString way = wish.direction == Direction::AToB ? QStringLiteral("direction: 'aToB', ")
            : wish.direction == Direction::BToA               ? QStringLiteral("direction: 'bToA', ")
                                                              : QString();
        return QStringLiteral("lab.partition(%1, %2, { %3%4 });")
            .arg(targetsOf(wish.first), wish.secondIsRest ? QStringLiteral("'rest'") : targetsOf(wish.second), way,
                lease);
    }
    case FaultWish::Kind::Pause:
        for (const ProcessId process : wish.first)
            lines << QStringLiteral("lab.pause(%1, { %2 });").arg(targetOf(process), lease);
        break;
    case FaultWish::Kind::Kill:
        for (const ProcessId process : wish.first)
            lines << QStringLiteral("lab.kill(%1);").arg(targetOf(process));
        break;
    case FaultWish::Kind::KillAtStep:
        for (const ProcessId process : wish.first)
            lines << QStringLiteral("lab.kill(%1, { at: '%2'%3, %4 });")
                         .arg(targetOf(process), text(wish.step),
                             wish.count > 1 ? QStringLiteral(", count: %1").arg(wish.count) : QString(), lease);
        break;
    }
    return lines.join(QLatin1Char(' '));
}

// ---- ending faults

void ClusterCommands::heal(ProcessId process, const QString&)
{
    const ClusterState now = state();
    if (const auto known = now.processes.find(process); known != now.processes.end())
        for (const auto& [number, fault] : known->second.faults)
            healFault(number);
}

void ClusterCommands::healFault(std::uint64_t number)
{
    const QString line = QStringLiteral("lab.heal(%1);").arg(number);
    emit said(line);
    post([this, number, line](const std::stop_token&) {
        {
            const std::lock_guard lock(m_mutex);
            m_kept.erase(number);
        }
        const bool isHealed = !healFaults(m_session->control(), number, kAnswer).empty();
        sayFromThread(line,
            isHealed ? tr("this fault does not act any more") : tr("no process has this fault any more"), isHealed);
        QMetaObject::invokeMethod(
            this, [this] { askFaults(); }, Qt::QueuedConnection);
    });
}

void ClusterCommands::healAll()
{
    const QString line = QStringLiteral("lab.heal();");
    emit said(line);
    post([this, line](const std::stop_token&) {
        {
            const std::lock_guard lock(m_mutex);
            m_kept.clear();
        }
        const std::size_t resumed = m_session->local().resumeAll(),
                          ended = healFaults(m_session->control(), 0, kAnswer).size();
        sayFromThread(line,
            tr("%1 ended, %2 resumed")
                .arg(countedWords(ended, "fault", "faults"), countedWords(resumed, "process", "processes")),
            true);
        QMetaObject::invokeMethod(
            this, [this] { askFaults(); }, Qt::QueuedConnection);
    });
}

// Renews the faults that are to last as long as the window: if it dies, their leases end, and the cluster recovers.
void ClusterCommands::renewLeases()
{
    std::map<std::uint64_t, std::vector<FaultOrder>> kept;
    {
        const std::lock_guard lock(m_mutex);
        kept = m_kept;
    }
    for (const auto& [number, orders] : kept) {
        for (const FaultOrder& order : orders) {
            for (const ProcessId process : order.at) {
                pb::Command command;
                *command.mutable_arm_fault()->mutable_fault() = order.fault;
                // An ended process has no fault.
                m_session->control().call(process, std::move(command), kAnswer, [](const Answer&) {});
            }
        }
    }
}

// Forgets the faults of the previous cluster.
void ClusterCommands::forgetFaults()
{
    const std::lock_guard lock(m_mutex);
    m_kept.clear();
    m_armed.clear();
}

// ---- what is armed

void ClusterCommands::askFaults()
{
    if (m_isAskingFaults)
        return;
    m_isAskingFaults = true;
    struct Round {
        std::mutex mutex;
        std::map<std::uint64_t, ArmedFault> found;
        std::size_t missing = 0;
    };
    const auto round = std::make_shared<Round>();
    const auto paused = m_session->local().paused();
    std::vector<KnownProcess> living = livingProcesses(m_session->control());
    std::erase_if(living, [&](const KnownProcess& known) { return paused.contains(known.info.node()); });
    const auto finish = [this, round, paused] {
        std::vector<Armed> armed;
        {
            const std::lock_guard lock(m_mutex);
            for (const auto& [number, fault] : round->found)
                armed.push_back({ fault, m_kept.contains(number) });
        }
        for (const auto& [process, left] : paused) {
            ArmedFault fault;
            fault.fault.mutable_pause();
            fault.leaseLeftMs = std::uint32_t(left.count());
            fault.processes = { process };
            armed.push_back({ std::move(fault), false });
        }
        m_armed = std::move(armed);
        m_isAskingFaults = false;
        emit faultsListed();
    };
    round->missing = living.size();
    if (living.empty()) {
        finish();
        return;
    }
    for (const KnownProcess& known : living) {
        pb::Command command;
        command.mutable_list_faults();
        m_session->control().call(known.info.node(), std::move(command), kListAnswer,
            [this, round, finish, process = known.info.node()](const Answer& answer) {
                bool isLast = false;
                {
                    const std::lock_guard lock(round->mutex);
                    if (answer)
                        addArmed(round->found, process, answer.reply.faults());
                    isLast = --round->missing == 0;
                }
                if (isLast)
                    QMetaObject::invokeMethod(this, finish, Qt::QueuedConnection);
            });
    }
}

} // namespace lhrs::gui
