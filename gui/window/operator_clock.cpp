// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does to the virtual time of a simulated cluster.
#include "gui/window/clock_bar.h"
#include "gui/window/operator.h"

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kAnswer(5000);

} // namespace

void Operator::runClock(double factor)
{
    pb::Command command;
    command.mutable_set_clock()->set_factor(factor);
    askSimulator(std::move(command), QStringLiteral("lab.clock({ speed: %1 });").arg(factor));
}

void Operator::pauseClock()
{
    pb::Command command;
    command.mutable_set_clock()->set_is_paused(true);
    askSimulator(std::move(command), QStringLiteral("lab.clock({ paused: true });"));
}

void Operator::stepClock(ClockStep step)
{
    const QString word = step == ClockStep::Event ? QStringLiteral("event") : step == ClockStep::Message ? QStringLiteral("message") : QStringLiteral("ms");
    pb::Command pause, command;
    pause.mutable_set_clock()->set_is_paused(true);
    if (step == ClockStep::Event)
        command.mutable_step_clock()->set_events(1);
    else if (step == ClockStep::Message)
        command.mutable_step_clock()->set_messages(1);
    else
        command.mutable_step_clock()->set_ns(1'000'000);
    // It comes second: commands of one sender keep their order.
    m_session->control().call(m_session->control().simulator(), std::move(pause), kAnswer, [](const Answer&) {});
    askSimulator(std::move(command), QStringLiteral("lab.clock({ step: '%1' });").arg(word));
}

// ---- holds

void Operator::holdWorkload(bool isHeld)
{
    m_session->control().holdWorkload(isHeld);
    const QString line = QStringLiteral("lab.holdWorkload(%1);").arg(isHeld ? QStringLiteral("true") : QStringLiteral("false"));
    emit said(line);
    emit answered(line, isHeld ? tr("no client begins new operations; those under way end") : tr("clients begin operations again"), true);
}

void Operator::gate(bool isClosed)
{
    const auto now = simulation();
    if (!now) {
        emit answered(QStringLiteral("lab.gate(%1);").arg(isClosed ? QStringLiteral("true") : QStringLiteral("false")),
            tr("Real processes have no gate in this version: their messages and clocks go on. A simulated cluster (Ctrl+Alt+S) can be gated."), false);
        return;
    }
    pb::Command command;
    if (isClosed)
        command.mutable_set_clock()->set_is_paused(true);
    else
        command.mutable_set_clock()->set_factor(now->factor());
    askSimulator(std::move(command), QStringLiteral("lab.gate(%1);").arg(isClosed ? QStringLiteral("true") : QStringLiteral("false")));
}

void Operator::askSimulator(pb::Command command, const QString& line)
{
    ask(m_session->control().simulator(), std::move(command), kAnswer, line, [this](const pb::CommandReply& reply) {
        m_session->control().learnSimulation(reply.simulation());
        const QString time = QString::number(double(reply.simulation().virtual_ns()) / 1e9, 'f', 6);
        return reply.simulation().is_paused() ? tr("virtual time stands at %1 s").arg(time)
                                              : tr("virtual time goes %1, from %2 s on").arg(speedWords(reply.simulation().factor()), time);
    });
}

} // namespace lhrs::gui
