// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/cluster_clock.h"

#include "gui/lab/live/ingest.h"
#include "gui/window/commands/clock_bar.h"
#include "gui/window/commands/cluster_gate.h"

#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kSimulatorAnswer(5000);

} // namespace

void ClusterClock::run(double factor)
{
    pb::Command command;
    command.mutable_set_clock()->set_factor(factor);
    ask(std::move(command), QStringLiteral("lab.clock({ speed: %1 });").arg(factor));
}

void ClusterClock::pause()
{
    pb::Command command;
    command.mutable_set_clock()->set_is_paused(true);
    ask(std::move(command), QStringLiteral("lab.clock({ paused: true });"));
}

void ClusterClock::step(ClockStep step)
{
    if (!m_context.control.simulation() || (m_context.control.isGated() && step == ClockStep::Message)) {
        m_gate.releaseOldest(0, false);
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
    m_context.control.call(m_context.control.simulator(), std::move(pause), kSimulatorAnswer, [](const Answer&) {});
    ask(std::move(command), QStringLiteral("lab.clock({ step: '%1' });").arg(word));
}

std::optional<std::int64_t> ClusterClock::zeroNs() const
{
    const auto now = m_context.control.simulation();
    if (!now || now->virtual_ns() <= 0)
        return std::nullopt;
    return now->wall_ns() - now->virtual_ns() - m_context.ingest.startedWallNs();
}

void ClusterClock::ask(pb::Command command, const QString& line)
{
    m_context.report.ask(line, m_context.control.simulator(), std::move(command), kSimulatorAnswer,
        [this](const pb::CommandReply& reply) {
            m_context.control.learnSimulation(reply.simulation());
            const QString time = QString::number(double(reply.simulation().virtual_ns()) / 1e9, 'f', 6);
            return reply.simulation().is_paused()
                ? QObject::tr("virtual time stands at %1 s").arg(time)
                : QObject::tr("virtual time goes %1, from %2 s on").arg(speedWords(reply.simulation().factor()), time);
        });
}

} // namespace lhrs::gui
