// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lab_context.h"

#include "common/errors.h"
#include "gui/lab/calls/lab_system.h"

#include <algorithm>
#include <set>

namespace lhrs::gui {

namespace {

constexpr std::chrono::seconds kStepPatience(600); // in real time, because virtual time may be slow
// Limit for placing a caption in the run; a script must not wait longer for it.
constexpr std::chrono::milliseconds kHearing(300);
constexpr std::chrono::seconds kEventsLeft(2); // limit for receiving the events published so far

} // namespace

std::uint64_t LabRandom::next()
{
    m_state += 0x9e3779b97f4a7c15;
    std::uint64_t x = m_state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

const LabSystem* LabContext::systemNamed(const QString& name) const
{
    const auto found = std::find_if(
        systems.begin(), systems.end(), [&](const LabSystem* one) { return name == one->words().name; });
    LHRS_CHECK(found != systems.end());
    return *found;
}

double LabContext::nowSeconds() const
{
    if (const std::string simulator = control.simulator(); !simulator.empty()) {
        pb::Command question;
        question.mutable_describe_simulation();
        const Answer answer = control.callAndWait(simulator, question, std::chrono::seconds(1), stopToken());
        if (answer)
            control.learnSimulation(answer.reply.simulation());
    }
    return double(ingest.nowNs()) / 1e9;
}

std::chrono::milliseconds LabContext::patience(double seconds) const
{
    const auto simulation = control.simulation();
    const bool isSlow = simulation && simulation->factor() > 0 && simulation->factor() < 1;
#if defined(__SANITIZE_ADDRESS__) || defined(_GLIBCXX_TSAN) // sanitizers slow everything down
    seconds *= 10;
#endif
    return millisecondsOf(isSlow ? seconds / simulation->factor() : seconds);
}

AwakeClock::time_point LabContext::now() const
{
    const auto simulation = control.simulation();
    const auto real = AwakeClock::now();
    const std::optional<std::int64_t> virtualNs = simulation && isInStep() ? std::optional(simulation->virtual_ns())
                                                                           : std::nullopt;
    if (virtualNs && waited.virtualNs)
        // A new cluster may have an earlier time.
        waited.now += std::chrono::nanoseconds(std::max(std::int64_t(0), *virtualNs - *waited.virtualNs));
    else if (!virtualNs && !waited.virtualNs)
        waited.now += real - waited.real;
    waited.real = real;
    waited.virtualNs = virtualNs;
    return waited.now;
}

AwakeClock::time_point LabContext::deadlineIn(double seconds) const
{
    const auto begin = now();
    return begin + (isInStep() ? millisecondsOf(seconds) : patience(seconds));
}

bool LabContext::isInStep() const
{
    const auto simulation = control.simulation();
    return simulation && simulation->waits_for_commands() && !simulation->is_paused();
}

bool LabContext::waitBeyond(std::uint64_t cursor, AwakeClock::time_point deadline) const
{
    if (!isInStep()) {
        bool isBeyond = false;
        do
            isBeyond = ingest.waitBeyond(cursor, std::chrono::steady_clock::now() + (deadline - now()), stopToken());
        while (!isBeyond && !isStopped() && now() < deadline);
        return isBeyond;
    }
    // The length of a step depends only on the number of earlier steps, and the state is checked once after each
    // step. All runs therefore check at the same instants, whatever the speed of the machine. Long waits need fewer
    // checks.
    constexpr std::uint32_t kLonger = 8, kStepMaxMs = 50;
    pb::Command command;
    command.mutable_step_clock()->set_ns(std::min(1 + steps++ / kLonger, kStepMaxMs) * 1'000'000ull);
    const Answer answer = control.callAndWait(control.simulator(), std::move(command), kStepPatience, stopToken());
    if (!answer) {
        const bool isBeyond = ingest.waitBeyond(cursor, std::chrono::steady_clock::now() + kLookAgain, stopToken());
        waited.now += AwakeClock::now() - waited.real; // virtual time does not pass if the simulator is gone
        waited.real = AwakeClock::now();
        return isBeyond || waited.now < deadline;
    }
    control.learnSimulation(answer.reply.simulation());
    hearOut(answer.reply.simulation()); // the caller detects a stop itself
    return ingest.committed() > cursor || now() < deadline;
}

LabResult<bool> LabContext::waitForEvents(std::uint64_t cursor, AwakeClock::time_point deadline, int kind,
    const std::function<LabResult<bool>(const std::vector<RunEvent>&)>& take) const
{
    std::optional<std::uint64_t> last; // the newest event at the deadline
    std::uint64_t missed = 0;
    for (;;) {
        if (!last && now() >= deadline)
            last = ingest.committed();
        const EventPage page = ingest.eventsSince(cursor, kEventsAtOnce);
        cursor = page.next;
        missed += page.hasMissed(kind) ? page.missed : 0;
        if (const auto isDone = take(page.events); !isDone || *isDone)
            return isDone;
        const bool isOver = (last && cursor >= *last) || (page.events.empty() && !waitBeyond(cursor, deadline));
        if (isStopped())
            return stopped();
        if (isOver && missed > 0) // the awaited event may have been among them
            return notKept(missed);
        if (isOver)
            return false;
    }
}

LabError LabContext::notKept(std::uint64_t missed)
{
    return { LabCode::Refused,
        QString("%1 events since then are no longer kept: the newest %2 are, and at most %3 MiB of them.")
            .arg(missed)
            .arg(EventRing::kEvents)
            .arg(EventRing::kBytes >> 20),
        "Ask sooner, or let the processes publish less: lab.detail('counts')." };
}

void LabContext::hearOut() const
{
    if (!isInStep())
        return;
    pb::Command question;
    question.mutable_describe_simulation();
    const Answer answer = control.callAndWait(control.simulator(), std::move(question), kStepPatience, stopToken());
    if (!answer)
        return;
    control.learnSimulation(answer.reply.simulation());
    hearOut(answer.reply.simulation());
}

void LabContext::hearOut(const pb::SimulationState& state) const
{
    const std::pair now(clusters, state.events());
    if (now != heard && !catchUp())
        return;
    // A process that has ended cannot be asked for its number of events, and a snapshot may be wanted without a new
    // event.
    if (ingest.waitAllFolded(state.events(), std::chrono::steady_clock::now() + kEventsLeft, stopToken()))
        heard = now;
}

pb::Command LabContext::awaited(pb::Command command, double timeoutSeconds) const
{
    if (isInStep())
        command.set_passing_ns(std::uint64_t(std::max(0.0, std::min(timeoutSeconds, 1e9)) * 1e9));
    return command;
}

LabError LabContext::errorOf(const Answer& answer) const
{
    const QString text = QString::fromStdString(answer.text);
    switch (answer.outcome) {
    case Answer::Outcome::TimedOut: return { LabCode::Timeout, text };
    case Answer::Outcome::Unreachable: return { LabCode::Unreachable, text };
    case Answer::Outcome::Stopped: return { LabCode::Stopped, text };
    case Answer::Outcome::Replied:
    case Answer::Outcome::Refused: break;
    }
    switch (answer.reply.refusal()) {
    case pb::BAD_ARGUMENT: return { LabCode::BadArgument, text };
    case pb::TIMED_OUT: return { LabCode::Timeout, text };
    case pb::NO_SPARES: return { LabCode::NoSpares, text, system->words().more };
    case pb::NOT_ALLOWED: return { LabCode::NotAllowed, text };
    case pb::NOT_REFUSED:
    case pb::MALFORMED:
    case pb::WRONG_PROCESS:
    case pb::REFUSED:
    case pb::Refusal_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::Refusal_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return { LabCode::Refused, text };
}

LabResult<pb::CommandReply> LabContext::ask(const CallTarget& to, pb::Command command, double timeoutSeconds) const
{
    Answer answer = control.callAndWait(
        to, awaited(std::move(command), timeoutSeconds), patience(timeoutSeconds), stopToken());
    if (!answer)
        return errorOf(answer);
    return std::move(answer.reply);
}

LabResult<std::vector<pb::CommandReply>> LabContext::askAll(
    const std::vector<std::pair<CallTarget, pb::Command>>& calls, double timeoutSeconds) const
{
    std::vector<pb::CommandReply> replies;
    if (ingest.standsStill()) {
        // Virtual time goes on as soon as the first command is there. How many others have arrived by then, and hence
        // what happens, would depend on chance.
        for (const auto& [to, command] : calls) {
            auto reply = ask(to, command, timeoutSeconds);
            if (!reply)
                return reply.error();
            replies.push_back(std::move(*reply));
        }
        return replies;
    }
    std::vector<std::pair<CallTarget, pb::Command>> all;
    for (const auto& [to, command] : calls)
        all.emplace_back(to, awaited(command, timeoutSeconds));
    for (Answer& answer : control.callAllAndWait(all, patience(timeoutSeconds), stopToken())) {
        if (!answer)
            return errorOf(answer);
        replies.push_back(std::move(answer.reply));
    }
    return replies;
}

LabResult<pb::FileDescription> LabContext::describeFile(double timeoutSeconds) const
{
    const ProcessId coordinator = control.coordinator();
    if (coordinator == 0)
        return LabError { LabCode::Unreachable, "The coordinator does not answer." };
    pb::Command command;
    command.mutable_describe_file();
    auto reply = ask(coordinator, std::move(command), timeoutSeconds);
    if (!reply)
        return reply.error();
    return reply->file();
}

QString LabContext::nameOf(ProcessId process) const
{
    const auto known = control.find(process);
    return known ? QString::fromStdString(known->info.name()) : QString::number(process);
}

LabResult<bool> LabContext::catchUp(std::chrono::milliseconds timeout) const
{
    const ClusterState state = ingest.state();
    using Calls = std::vector<std::pair<CallTarget, pb::Command>>;
    Calls questions, doubtful;
    for (const KnownProcess& known : control.directory()) {
        const auto process = state.processes.find(known.info.node());
        if (known.hasEnded || (process != state.processes.end() && process->second.isPaused))
            continue;
        pb::Command command;
        command.mutable_take_snapshot()->set_without_records(true);
        (isGoneHere(known) ? doubtful : questions).emplace_back(known.info.node(), std::move(command));
    }
    constexpr std::chrono::milliseconds kTimeoutOfGone(50);
    const auto await = [&](const Calls& calls, std::chrono::milliseconds most) {
        const std::vector<Answer> answers = control.callAllAndWait(calls, most, stopToken());
        const auto deadline = std::chrono::steady_clock::now() + timeout;
        for (const Answer& answer : answers)
            if (answer) // a process that does not answer has nothing to wait for
                ingest.waitFolded(
                    answer.reply.snapshot().process(), answer.reply.snapshot().sequence(), deadline, stopToken());
    };
    await(questions, timeout);
    if (!doubtful.empty())
        await(doubtful, kTimeoutOfGone);
    if (isStopped())
        return stopped();
    return true;
}

Cue LabContext::cueNow() const
{
    if (!observer.wantsReel())
        return {};
    if (hasCluster && !isStopped())
        (void)catchUp(kHearing); // nothing more can be learned from a process that does not answer
    return { ingest.committed(), std::int64_t(std::llround(nowSeconds() * 1e9)), false };
}

LabResult<bool> LabContext::awaitServers(double timeout) const
{
    const auto deadline = deadlineIn(timeout);
    for (;;) {
        pb::Command command;
        command.mutable_list_processes();
        const auto list = ask(control.coordinator(), std::move(command), 5);
        if (!list)
            return list.error();
        // Comparing counts is not enough, because an ended process stays in the list for a while.
        std::set<ProcessId> known;
        for (const pb::ProcessList::Entry& entry : list->processes().processes())
            known.insert(entry.process().node());
        std::size_t listed = 0, started = 0;
        for (const KnownProcess& process : control.directory())
            if (process.info.kind() == pb::NODE && !process.hasEnded) {
                ++started;
                listed += known.contains(process.info.node()) ? 1 : 0;
            }
        if (listed >= started)
            return awaitDetail();
        if (now() >= deadline)
            return LabError { LabCode::Timeout,
                QString("The coordinator knows %1 of %2 servers after %3 s.").arg(listed).arg(started).arg(timeout) };
        waitBeyond(ingest.committed(), now() + std::chrono::milliseconds(50));
        if (isStopped())
            return stopped();
    }
}

LabResult<bool> LabContext::awaitDetail() const
{
    const bool isTold = control.awaitDetail(patience(kAnswerSeconds), stopToken());
    if (isStopped())
        return stopped();
    if (!isTold)
        return LabError { LabCode::Timeout,
            QString("Not all processes have acknowledged the level of detail after %1 s.").arg(kAnswerSeconds) };
    hearOut();
    control.refreshTold();
    hearOut(); // the snapshots requested by the new level must arrive before the script continues
    return true;
}

LabResult<QJSValue> LabContext::callBack(const QJSValue& function, const QJSValueList& arguments) const
{
    QJSValue list = engine.newArray(std::uint32_t(arguments.size()));
    for (qsizetype i = 0; i < arguments.size(); ++i)
        list.setProperty(std::uint32_t(i), arguments[i]);
    const QJSValue result = prelude.property("guard").call({ function, list });
    if (isStopped() || engine.isInterrupted())
        return stopped();
    if (!result.isArray()) // the guard itself failed, e.g. because of the stack depth
        return LabError { LabCode::Refused, result.toString(), {}, result };
    if (!result.property(0).toBool())
        return LabError { LabCode::Refused, result.property(1).toString(), {}, result.property(1) };
    return result.property(1);
}

} // namespace lhrs::gui
