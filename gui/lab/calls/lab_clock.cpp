// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for the virtual time of a simulated cluster.
#include "gui/lab/calls/lab.h"

namespace lhrs::gui {

namespace {

constexpr double kSpeedMin = 0.001;

pb::Command stepOf(const QString& unit, std::uint32_t count)
{
    pb::Command command;
    pb::StepClock& step = *command.mutable_step_clock();
    if (unit == "event")
        step.set_events(count);
    else if (unit == "message")
        step.set_messages(count);
    else
        step.set_ns(std::uint64_t(count) * 1'000'000);
    return command;
}

LabResult<QJSValue> clock(LabContext& context, const Arguments& o)
{
    const std::string simulator = context.control.simulator();
    if (simulator.empty())
        return LabError { LabCode::Refused, "Real processes have no virtual time.",
            "lhrs-play --sim plays on a simulated cluster." };
    const bool isStep = o.text("step") != "none";
    if (o.wasGiven("speed") && (o.isOn("paused") || isStep))
        return LabError { LabCode::BadArgument, "lab.clock either sets the speed, or pauses, or goes on by steps." };
    if (o.wasGiven("speed") && o.number("speed") > 0 && o.number("speed") < kSpeedMin)
        return LabError { LabCode::BadArgument,
            "The option speed of lab.clock is 0.001 to 100, or 0: as fast as possible." };
    pb::Command command;
    if (o.wasGiven("speed"))
        command.mutable_set_clock()->set_factor(o.number("speed"));
    else if (o.isOn("paused") || isStep)
        command.mutable_set_clock()->set_is_paused(true);
    else
        command.mutable_describe_simulation();
    auto reply = context.ask(simulator, std::move(command), kAnswerSeconds);
    if (reply && isStep)
        reply = context.ask(simulator, stepOf(o.text("step"), o.integer("count")), o.number("timeout"));
    if (!reply)
        return reply.error();
    const pb::SimulationState& state = reply->simulation();
    context.control.learnSimulation(state);
    QJSValue result = context.engine.newObject();
    result.setProperty("now_s", double(context.ingest.nowNs()) / 1e9);
    result.setProperty("paused", state.is_paused());
    result.setProperty("speed", state.factor());
    result.setProperty("seed", double(state.seed()));
    return result;
}

} // namespace

void addClockCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.clock", [&](const LabCall& c) { return clock(context, c.arguments); });
}

} // namespace lhrs::gui
