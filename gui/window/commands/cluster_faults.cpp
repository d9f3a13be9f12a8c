// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/cluster_faults.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/systems/view_systems.h"

#include <memory>
#include <utility>

namespace lhrs::gui {

namespace {

using std::chrono::milliseconds;

constexpr int kRenewEvery = 5'000; // milliseconds
constexpr milliseconds kListAnswer { 1'000 };
constexpr std::chrono::seconds kLease { 60 }; // a fault that nothing renews ends by itself
constexpr double kLoss = 0.5;
constexpr std::uint32_t kDelayMs = 200;

// Removes paused processes from the orders: they would not receive them; the other processes drop messages to them.
void leaveOut(std::vector<FaultOrder>& orders, const std::map<std::uint64_t, milliseconds>& paused)
{
    for (FaultOrder& order : orders)
        std::erase_if(order.at, [&](ProcessId process) { return paused.contains(process); });
}

} // namespace

ClusterFaults::ClusterFaults(const CommandContext& context) : m_context(context)
{
    connect(&m_renew, &QTimer::timeout, this, &ClusterFaults::renewLeases);
    m_renew.start(kRenewEvery);
}

// ---- processes

// Runs something that takes a moment and returns only success or failure.
void ClusterFaults::change(const QString& line, std::function<Result<void>()> act, const QString& done)
{
    m_context.report.work(
        line, [act = std::move(act), done](const std::stop_token&) { return outcomeOf(act(), done); });
}

void ClusterFaults::kill(ProcessId process, const QString& target)
{
    change(
        QStringLiteral("lab.kill(%1);").arg(target), [this, process] { return m_context.local.kill({ process }); },
        tr("the process is gone, and its memory with it"));
}

void ClusterFaults::pause(ProcessId process, const QString& target)
{
    change(
        QStringLiteral("lab.pause(%1, { lease: %2 });").arg(target).arg(kLease.count()),
        [this, process] { return m_context.local.pause({ process }, kLease); },
        tr("it stands still, for %1 s at most").arg(kLease.count()));
}

void ClusterFaults::resume(ProcessId process, const QString& target)
{
    change(
        QStringLiteral("lab.resume(%1);").arg(target), [this, process] { return m_context.local.resume({ process }); },
        tr("it goes on where it stood"));
}

void ClusterFaults::restart(ProcessId process, const QString& target)
{
    const auto known = m_context.control.find(process);
    const bool isCoordinator = known && known->info.kind() == pb::COORDINATOR;
    change(
        QStringLiteral("lab.restart(%1);").arg(target),
        [this, process] {
            const auto started = m_context.local.restart({ process });
            return started ? Result<void>() : Result<void>(started.error());
        },
        wordsOf(m_context.ingest.state()).restartedWords(isCoordinator));
}

// ---- the network

void ClusterFaults::cutOff(ProcessId process)
{
    FaultWish wish;
    wish.kind = FaultWish::Kind::Partition;
    wish.first = { process };
    wish.secondIsRest = true;
    arm(wish);
}

void ClusterFaults::loseSome(ProcessId process)
{
    FaultWish wish;
    wish.second = { process };
    wish.network.set_drop(kLoss);
    arm(wish);
}

void ClusterFaults::delayMessages(ProcessId process)
{
    FaultWish wish;
    wish.second = { process };
    wish.network.set_delay_ms(kDelayMs);
    arm(wish);
}

// Runs in the worker thread.
Result<void> ClusterFaults::carryOut(const FaultWish& wish)
{
    if (wish.kind == FaultWish::Kind::Kill)
        return m_context.local.kill(wish.first);
    if (wish.kind == FaultWish::Kind::Pause)
        return m_context.local.pause(wish.first, wish.lease);
    std::vector<FaultOrder> orders = ordersOf(wish, m_context.control);
    leaveOut(orders, m_context.local.paused());
    if (const Answer armed = armFaults(m_context.control, orders, kAnswer); !armed)
        return Error { armed.text };
    if (wish.isKept) {
        const std::lock_guard lock(m_mutex);
        m_kept[orders.front().fault.number()] = std::move(orders);
    }
    return {};
}

void ClusterFaults::arm(const FaultWish& wish)
{
    m_context.report.work(faultLine(wish, m_context.ingest.state()), [this, wish](const std::stop_token&) {
        const Result<void> done = carryOut(wish);
        const QString lease = wish.isKept ? tr("renewed while this window is open")
                                          : tr("for %1 s at most").arg(wish.lease.count());
        QString words;
        switch (wish.kind) {
        case FaultWish::Kind::Network: words = tr("armed, %1").arg(lease); break;
        case FaultWish::Kind::Partition: words = tr("nothing passes between the two sides, %1").arg(lease); break;
        case FaultWish::Kind::Pause: words = tr("paused, for %1 s at most").arg(wish.lease.count()); break;
        case FaultWish::Kind::Kill: words = tr("killed, with all that was in memory"); break;
        case FaultWish::Kind::KillAtStep:
            words = tr("armed: it ends itself at that step, if that comes within %1 s").arg(wish.lease.count());
            break;
        }
        CommandOutcome outcome = outcomeOf(done, words);
        outcome.then = [this] { ask(); };
        return outcome;
    });
}

// ---- ending faults

void ClusterFaults::heal(ProcessId process)
{
    const ClusterState now = m_context.ingest.state();
    if (const auto known = now.processes.find(process); known != now.processes.end())
        for (const auto& [number, fault] : known->second.faults)
            healFault(number);
}

void ClusterFaults::healFault(std::uint64_t number)
{
    m_context.report.work(QStringLiteral("lab.heal(%1);").arg(number), [this, number](const std::stop_token&) {
        {
            const std::lock_guard lock(m_mutex);
            m_kept.erase(number);
        }
        const bool isHealed = !healFaults(m_context.control, number, kAnswer).empty();
        return CommandOutcome { isHealed ? tr("this fault is no longer in effect")
                                         : tr("no process has this fault any more"),
            isHealed, [this] { ask(); } };
    });
}

void ClusterFaults::healAll()
{
    m_context.report.work(QStringLiteral("lab.heal();"), [this](const std::stop_token&) {
        {
            const std::lock_guard lock(m_mutex);
            m_kept.clear();
        }
        const std::size_t resumed = m_context.local.resumeAll(),
                          ended = healFaults(m_context.control, 0, kAnswer).size();
        return CommandOutcome { tr("%1 ended, %2 resumed")
                                    .arg(countedWords(ended, "fault", "faults"),
                                        countedWords(resumed, "process", "processes")),
            true, [this] { ask(); } };
    });
}

// Renews the faults that are to last as long as the window: if it dies, their leases end, and the cluster recovers.
void ClusterFaults::renewLeases()
{
    Kept kept;
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
                m_context.control.call(process, std::move(command), kAnswer, [](const Answer&) {});
            }
        }
    }
}

void ClusterFaults::forget()
{
    const std::lock_guard lock(m_mutex);
    m_kept.clear();
    m_armed.clear();
}

// ---- what is armed

void ClusterFaults::ask()
{
    if (m_isAsking)
        return;
    m_isAsking = true;
    struct Round {
        std::mutex mutex;
        std::map<std::uint64_t, ArmedFault> found;
        std::size_t missing = 0;
    };
    const auto round = std::make_shared<Round>();
    const auto paused = m_context.local.paused();
    std::vector<KnownProcess> living = livingProcesses(m_context.control);
    std::erase_if(living, [&](const KnownProcess& known) { return paused.contains(known.info.node()); });
    const auto finish = [this, round, paused] {
        std::vector<FaultArmed> armed;
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
        m_isAsking = false;
        emit listed();
    };
    round->missing = living.size();
    if (living.empty()) {
        finish();
        return;
    }
    for (const KnownProcess& known : living) {
        pb::Command command;
        command.mutable_list_faults();
        m_context.control.call(known.info.node(), std::move(command), kListAnswer,
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
