// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does to the virtual time of a simulated cluster, and its holds of the workload and of messages.
#include "gui/lab/words/sentences.h"
#include "gui/view/cluster/object_words.h"
#include "gui/window/commands/clock_bar.h"
#include "gui/window/commands/cluster_commands.h"

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kSimulatorAnswer(5000);

} // namespace

void ClusterCommands::runClock(double factor)
{
    pb::Command command;
    command.mutable_set_clock()->set_factor(factor);
    askSimulator(std::move(command), QStringLiteral("lab.clock({ speed: %1 });").arg(factor));
}

void ClusterCommands::pauseClock()
{
    pb::Command command;
    command.mutable_set_clock()->set_is_paused(true);
    askSimulator(std::move(command), QStringLiteral("lab.clock({ paused: true });"));
}

void ClusterCommands::stepClock(ClockStep step)
{
    if (!simulation() || (isGated() && step == ClockStep::Message)) {
        releaseHeld(0, false);
        return;
    }
    const QString word = step == ClockStep::Event ? QStringLiteral("event")
        : step == ClockStep::Message              ? QStringLiteral("message")
                                                  : QStringLiteral("ms");
    pb::Command pause, command;
    pause.mutable_set_clock()->set_is_paused(true);
    if (step == ClockStep::Event)
        command.mutable_step_clock()->set_events(1);
    else if (step == ClockStep::Message)
        command.mutable_step_clock()->set_messages(1);
    else
        command.mutable_step_clock()->set_ns(1'000'000);
    // The step comes second: commands of one sender keep their order.
    m_session->control().call(
        m_session->control().simulator(), std::move(pause), kSimulatorAnswer, [](const Answer&) {});
    askSimulator(std::move(command), QStringLiteral("lab.clock({ step: '%1' });").arg(word));
}

// ---- holds

void ClusterCommands::holdWorkload(bool isHeld)
{
    m_session->control().holdWorkload(isHeld);
    const QString line = QStringLiteral("lab.holdWorkload(%1);")
                             .arg(isHeld ? QStringLiteral("true") : QStringLiteral("false"));
    emit said(line);
    emit answered(line,
        isHeld ? tr("no client begins new operations; those under way end") : tr("clients begin operations again"),
        true);
}

void ClusterCommands::gate(bool isClosed)
{
    const QString line = QStringLiteral("lab.gate(%1);")
                             .arg(isClosed ? QStringLiteral("true") : QStringLiteral("false"));
    emit said(line);
    post([this, line, isClosed](const std::stop_token& stop) {
        const GateOutcome outcome = isClosed ? closeGates(m_session->control(), kGateWithin, stop)
                                             : openGates(m_session->control(), stop);
        QString words = QString::fromStdString(outcome.text);
        if (isClosed && !outcome.hasGate)
            words = tr("%1 Start the cluster with the box “gate” of the start page, or its programs with --gate. A "
                       "simulated cluster (Ctrl+Alt+S) always has one.")
                        .arg(words);
        else if (words.isEmpty())
            words = isClosed ? tr("%1 hold what arrives, and their clocks stand: Alt+5 lets one message through")
                                   .arg(countedWords(outcome.processes, "process", "processes"))
                             : tr("messages and clocks go on");
        sayFromThread(line, words, outcome.text.empty());
    });
}

// As a scenario can find it again: by its receiver, and by its number there.
QString ClusterCommands::lineOf(const HeldAt& one, bool isDropped) const
{
    return QStringLiteral("lab.release({ message: lab.held().find(m => m.to === '%1' && m.number === %2)%3 });")
        .arg(QString::fromStdString(processShown(one.process, state())))
        .arg(one.message.number())
        .arg(isDropped ? QStringLiteral(", drop: true") : QString());
}

void ClusterCommands::releaseOne(const HeldAt& one, bool isDropped)
{
    const QString line = lineOf(one, isDropped);
    emit said(line);
    post([this, line, one, isDropped](const std::stop_token& stop) {
        ReleaseWish wish;
        wish.one = one;
        wish.isDropped = isDropped;
        carryOut(wish, line, stop);
    });
}

void ClusterCommands::releaseHeld(ProcessId process, bool isDropped)
{
    const QString options = isDropped ? QStringLiteral(", drop: true") : QString();
    const QString line = process != 0
        ? QStringLiteral("lab.release({ message: lab.held().find(m => m.to === '%1')%2 });")
              .arg(QString::fromStdString(processShown(process, state())), options)
        : QStringLiteral("lab.release({ clock: true%1 });").arg(options);
    emit said(line);
    post([this, line, process, isDropped](const std::stop_token& stop) {
        ReleaseWish wish;
        wish.isDropped = isDropped;
        wish.mayPass = process == 0;
        if (process != 0) {
            const auto held = heldMessages(m_session->control(), stop);
            if (held)
                for (const HeldAt& one : *held)
                    if (one.process == process && !wish.one)
                        wish.one = one;
            if (!wish.one) {
                sayFromThread(
                    line, held ? tr("nothing is held there") : QString::fromStdString(held.error().text), false);
                return;
            }
        }
        carryOut(wish, line, stop);
    });
}

// Runs in the worker thread.
void ClusterCommands::carryOut(const ReleaseWish& wish, const QString& line, const std::stop_token& stop)
{
    const auto released = lhrs::gui::releaseHeld(m_session->control(), wish, stop);
    QMetaObject::invokeMethod(
        this, [this] { askHeld(); }, Qt::QueuedConnection);
    if (!released || released->empty()) {
        sayFromThread(line, released ? tr("nothing is held") : QString::fromStdString(released.error().text), false);
        return;
    }
    const HeldAt& one = released->front();
    const ClusterState now = state();
    const QString kind = QString::fromStdString(one.message.kind()).replace(QLatin1Char('_'), QLatin1Char(' ')),
                  from = QString::fromStdString(processShown(one.message.from(), now)),
                  to = QString::fromStdString(processShown(one.process, now));
    sayFromThread(line,
        (wish.isDropped ? tr("%1 from %2 is lost on its way to %3")
                        : tr("%1 from %2 arrives at %3, which takes one step"))
            .arg(kind, from, to),
        true);
}

std::optional<std::int64_t> ClusterCommands::virtualZeroNs() const
{
    const auto now = simulation();
    if (!now || now->virtual_ns() <= 0)
        return std::nullopt;
    return now->wall_ns() - now->virtual_ns() - m_session->ingest().startedWallNs();
}

std::int64_t ClusterCommands::gateClockNs() const
{
    const auto now = simulation();
    if (!now)
        return std::chrono::steady_clock::now().time_since_epoch().count(); // the processes run on this machine
    const std::int64_t wallOfZero = now->wall_ns() - now->virtual_ns();
    return m_session->ingest().startedWallNs() + nowNs() - wallOfZero;
}

void ClusterCommands::askHeld()
{
    if (m_isAskingHeld)
        return;
    if (!isGated()) {
        m_held.clear();
        m_heldTrouble.clear();
        emit heldListed();
        return;
    }
    m_isAskingHeld = true;
    post([this](const std::stop_token& stop) {
        auto held = heldMessages(m_session->control(), stop);
        QMetaObject::invokeMethod(
            this,
            [this, held = std::move(held)] {
                m_isAskingHeld = false;
                m_held = held ? *held : std::vector<HeldAt>();
                m_heldTrouble = held ? QString() : QString::fromStdString(held.error().text);
                emit heldListed();
            },
            Qt::QueuedConnection);
    });
}

void ClusterCommands::askSimulator(pb::Command command, const QString& line)
{
    ask(m_session->control().simulator(), std::move(command), kSimulatorAnswer, line,
        [this](const pb::CommandReply& reply) {
            m_session->control().learnSimulation(reply.simulation());
            const QString time = QString::number(double(reply.simulation().virtual_ns()) / 1e9, 'f', 6);
            return reply.simulation().is_paused()
                ? tr("virtual time stands at %1 s").arg(time)
                : tr("virtual time goes %1, from %2 s on").arg(speedWords(reply.simulation().factor()), time);
        });
}

} // namespace lhrs::gui
