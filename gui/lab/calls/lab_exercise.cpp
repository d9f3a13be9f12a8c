// SPDX-License-Identifier: GPL-3.0-or-later
// Exercises: a person or a stand-in script performs a task, and the events of the run are judged.
#include "gui/lab/reel/exercise.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_system.h"

#include <QJSEngine>

#include <algorithm>

namespace lhrs::gui {

namespace {

// Limit, because they become values of the script and take memory.
constexpr std::size_t kEventsJudged = 150'000;
constexpr double kRestSeconds = 30; // time on the run's clock for operations under way to end
constexpr double kRestBeforeSeconds = 20; // before the exercise begins
constexpr std::chrono::milliseconds kJudgeAgain(250); // interval of judgements without new events
constexpr std::chrono::milliseconds kJudgeLeast(50); // minimum time between judgements, for a busy machine
constexpr std::uint32_t kGoalsMost = 10, kHintsMost = 10;

// Gauges and single messages are not judged.
bool isJudged(const pb::Event& event)
{
    return !event.has_message_sent() && !event.has_message_received() && !event.has_gauges();
}

// Whether nothing is under way according to the events, not even an operation.
bool isAtRest(const LabSystem& system, const ClusterState& state)
{
    for (const auto& [process, client] : state.clients) {
        const auto known = state.processes.find(process);
        if (client.operations != client.done && known != state.processes.end() && !known->second.hasEnded)
            return false;
    }
    return system.isAtRest(state);
}

// The state after the events, which the judge also sees.
class StateValue {
public:
    StateValue(const LabSystem& system, const ClusterState& state, QJSEngine& engine)
        : m_system(system), m_state(state), m_engine(engine)
    {
    }

    QJSValue make() const
    {
        QJSValue value = m_engine.newObject();
        m_system.addState(m_state, m_engine, value);
        value.setProperty("processes",
            scriptList(m_state.processes, m_engine, [this](const auto& one) { return process(one.second); }));
        value.setProperty(
            "clients", scriptList(m_state.clients, m_engine, [this](const auto& one) { return client(one.second); }));
        value.setProperty("isAtRest", isAtRest(m_system, m_state));
        return value;
    }

private:
    // The time of its end is left out, because no event reports it.
    QJSValue process(const ProcessState& process) const
    {
        QJSValue value = m_engine.newObject();
        value.setProperty("name", QString::fromStdString(process.name));
        value.setProperty("kind",
            process.kind == pb::COORDINATOR  ? "coordinator"
                : process.kind == pb::CLIENT ? "client"
                                             : "server");
        value.setProperty("hasEnded", process.hasEnded);
        value.setProperty(
            "ended_s", process.hasEnded ? QJSValue(secondsOf(process.endedNs)) : QJSValue(QJSValue::NullValue));
        return value;
    }

    QJSValue client(const ClientState& client) const
    {
        QJSValue value = m_engine.newObject();
        m_system.addClient(m_state, client.process, value);
        value.setProperty("name", QString::fromStdString(client.name));
        value.setProperty("operations", scriptNumber(client.operations));
        return value;
    }

    const LabSystem& m_system;
    const ClusterState& m_state;
    QJSEngine& m_engine;
};

LabError badGoal(std::uint32_t number, const QString& what)
{
    return { LabCode::BadArgument, QString("Goal %1 of lab.exercise %2.").arg(number + 1).arg(what),
        "goals: [{ text: '...', judge: (events, state) => ({ held: true, why: '...' }) }]" };
}

// An exercise in progress.
class Exercise {
public:
    explicit Exercise(LabContext& context) : m_context(context) { }

    LabResult<bool> read(const Arguments& o)
    {
        const auto text = [](const QJSValue& value) {
            return value.isString() && !value.toString().trimmed().isEmpty();
        };
        const QJSValue hints = o.option("hints"), goals = o.option("goals");
        m_shown.task = o.text("task");
        const std::uint32_t hintCount = hints.property("length").toUInt(),
                            goalCount = goals.property("length").toUInt();
        if (hintCount > kHintsMost || goalCount < 1 || goalCount > kGoalsMost)
            return LabError { LabCode::BadArgument,
                QString("lab.exercise takes 1 to %1 goals and at most %2 hints, not %3 and %4.")
                    .arg(kGoalsMost)
                    .arg(kHintsMost)
                    .arg(goalCount)
                    .arg(hintCount) };
        for (std::uint32_t i = 0; i < hintCount; ++i) {
            if (!text(hints.property(i)))
                return LabError { LabCode::BadArgument, QString("Hint %1 of lab.exercise is not a text.").arg(i + 1) };
            m_shown.hints << hints.property(i).toString();
        }
        for (std::uint32_t i = 0; i < goalCount; ++i) {
            const QJSValue goal = goals.property(i), check = goal.property("check");
            if (!text(goal.property("text")))
                return badGoal(i, "has no text");
            if (!goal.property("judge").isCallable() || (!check.isUndefined() && !check.isCallable()))
                return badGoal(i, "needs a function `judge`, and may have a function `check`");
            m_shown.goals.push_back({ goal.property("text").toString(), ExerciseGoal::State::Open, {} });
            m_judges.push_back(goal.property("judge"));
            m_checks.push_back(check);
        }
        m_events = m_context.engine.newArray();
        return true;
    }

    // The set-up of the scenario is not part of the exercise.
    LabResult<bool> begin()
    {
        if (m_context.control.detail() != pb::FULL && m_context.control.detail() != pb::OPERATIONS) {
            m_context.control.setDetail(pb::FULL, 1);
            if (const auto told = m_context.awaitDetail(); !told)
                return told;
        }
        if (const auto rest = awaitRest(kRestBeforeSeconds); !rest)
            return rest.error();
        else if (!*rest)
            return LabError { LabCode::Timeout,
                QString("The cluster is not at rest %1 s after the scenario made it, so the exercise cannot begin.")
                    .arg(kRestBeforeSeconds) };
        m_cursor = m_context.ingest.committed();
        m_seen = m_cursor;
        return true;
    }

    // Waits until all goals hold by a person's actions. A goal that can no longer hold stays failed until the person
    // restarts.
    LabResult<bool> awaitPerson()
    {
        std::optional<std::uint32_t> checked; // number of events when the check at rest failed
        for (;;) {
            const auto began = AwakeClock::now();
            if (const auto gathered = gather(); !gathered)
                return gathered;
            if (checked != m_count) {
                const auto isHeld = judge(m_context.ingest.state());
                if (!isHeld)
                    return isHeld;
                if (*isHeld && isAtRest(*m_context.system, m_context.ingest.state())) {
                    const auto isDone = judgeAtRest();
                    if (!isDone || *isDone)
                        return isDone;
                    checked = m_count;
                }
            }
            tell();
            const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(AwakeClock::now() - began);
            const auto least = AwakeClock::now() + std::max(kJudgeLeast, 4 * took);
            m_context.ingest.waitBeyond(m_seen, std::chrono::steady_clock::now() + kJudgeAgain, m_context.stopToken());
            m_seen = m_context.ingest.committed();
            // Events that arrive meanwhile are judged together.
            while (!m_context.isStopped() && AwakeClock::now() < least)
                m_context.ingest.waitBeyond(
                    m_context.ingest.committed(), std::chrono::steady_clock::now() + kLookAgain, m_context.stopToken());
            if (m_context.isStopped())
                return m_context.stopped();
        }
    }

    // The script acts once; the result is judged when nothing is under way.
    LabResult<bool> runStandIn()
    {
        const auto done = m_context.standIn([this]() -> LabResult<bool> { return gather(); });
        if (!done) {
            m_shown.isJudged = false;
            end();
            return done.error();
        }
        if (const auto rest = awaitRest(kRestSeconds); !rest)
            return rest.error();
        const auto isHeld = judgeAtRest();
        if (!isHeld)
            return isHeld.error();
        return *isHeld;
    }

    void end()
    {
        m_shown.isOver = true;
        tell();
    }

    void tell()
    {
        if (m_told && *m_told == m_shown)
            return;
        m_told = m_shown;
        ReelEntry entry { .kind = ReelEntry::Kind::Exercise, .text = m_shown.task };
        entry.at = m_context.observer.wantsReel()
            ? Cue { m_context.ingest.committed(), m_context.ingest.nowNs(), false }
            : Cue();
        entry.exercise = m_shown;
        m_context.observer.onReel(entry);
        m_context.observer.onExercise(m_shown);
    }

    const ExerciseShown& shown() const { return m_shown; }

private:
    LabResult<bool> awaitRest(double seconds)
    {
        const auto deadline = m_context.deadlineIn(seconds);
        for (;;) {
            m_context.hearOut();
            if (isAtRest(*m_context.system, m_context.ingest.state())) {
                if (const auto here = m_context.catchUp(); !here)
                    return here;
                if (isAtRest(*m_context.system, m_context.ingest.state()))
                    return true;
            }
            if (m_context.now() >= deadline)
                return false;
            m_context.waitBeyond(m_context.ingest.committed(), m_context.now() + kLookAgain);
            if (m_context.isStopped())
                return m_context.stopped();
        }
    }

    // Collects the new events.
    LabResult<bool> gather()
    {
        if (m_context.control.detail() != pb::FULL && m_context.control.detail() != pb::OPERATIONS)
            m_shown.trouble = "The level of detail was changed, so the events do not tell all that happened.";
        for (;;) {
            const EventPage page = m_context.ingest.eventsSince(m_cursor, kEventsAtOnce);
            if (page.missed > 0)
                m_shown.trouble = QString("%1 events came faster than they could be judged.").arg(page.missed);
            if (page.events.empty())
                return true;
            m_cursor = page.next;
            const ClusterState names = m_context.ingest.state();
            for (const RunEvent& event : page.events) {
                if (event.isGap())
                    m_shown.trouble = QString("%1 events of %2 were lost on their "
                                              "way.")
                                          .arg(event.gapLast - event.gapFirst + 1)
                                          .arg(processName(names, event.process));
                else if (isJudged(*event.event))
                    m_events.setProperty(m_count++, scriptEvent(event, names, m_context.engine));
                if (m_count > kEventsJudged)
                    return tooMany();
            }
            if (m_context.isStopped())
                return m_context.stopped();
        }
    }

    LabResult<bool> tooMany()
    {
        m_shown.trouble = QString("There were more than %1 events. The task needs far fewer "
                                  "operations.")
                              .arg(kEventsJudged);
        m_cursor = m_context.ingest.committed();
        m_count = 0;
        m_events = m_context.engine.newArray();
        return true;
    }

    // Whether all goals hold now.
    LabResult<bool> judge(const ClusterState& state)
    {
        if (const auto gathered = gather(); !gathered)
            return gathered;
        if (!m_shown.trouble.isEmpty())
            return false;
        const QJSValue value = StateValue(*m_context.system, state, m_context.engine).make();
        for (std::uint32_t i = 0; i < m_judges.size(); ++i)
            if (const auto taken = take(i, m_context.callBack(m_judges[i], { m_events, value })); !taken)
                return taken;
        return m_shown.isHeld();
    }

    LabResult<bool> judgeAtRest()
    {
        if (const auto here = m_context.catchUp(); !here)
            return here;
        const auto isHeld = judge(m_context.ingest.state());
        if (!isHeld || !*isHeld)
            return isHeld;
        for (std::uint32_t i = 0; i < m_checks.size(); ++i) {
            if (!m_checks[i].isCallable())
                continue;
            auto checked = m_context.callBack(m_checks[i]);
            // A call of lab was not possible in this state.
            if (!checked && checked.error().thrown.property("code").isString()) {
                m_shown.goals[i].state = ExerciseGoal::State::Open;
                m_shown.goals[i].why = checked.error().thrown.property("message").toString();
                continue;
            }
            const QString judged = m_shown.goals[i].why;
            if (const auto taken = take(i, checked); !taken)
                return taken;
            if (m_shown.goals[i].state == ExerciseGoal::State::Held)
                m_shown.goals[i].why = judged + ' ' + m_shown.goals[i].why;
        }
        if (const auto here = m_context.catchUp(); !here)
            return here;
        m_cursor = m_context.ingest.committed(); // the judge's own calls are not part of a solution
        return m_shown.isHeld();
    }

    LabResult<bool> take(std::uint32_t number, const LabResult<QJSValue>& verdict)
    {
        if (!verdict)
            return verdict.error();
        const QJSValue held = verdict->property("held"), failed = verdict->property("failed"),
                       why = verdict->property("why");
        if (!(held.isBool() || failed.isBool()) || !why.isString() || why.toString().isEmpty())
            return badGoal(
                number, "was judged without { held: true or false, or failed: true, and why: 'a sentence' }");
        ExerciseGoal& goal = m_shown.goals[number];
        goal.state = failed.toBool() ? ExerciseGoal::State::Failed
            : held.toBool()          ? ExerciseGoal::State::Held
                                     : ExerciseGoal::State::Open;
        goal.why = why.toString();
        return true;
    }

    LabContext& m_context;
    ExerciseShown m_shown;
    std::optional<ExerciseShown> m_told;
    std::vector<QJSValue> m_judges, m_checks;
    QJSValue m_events; // since the start of the exercise, as values of the script
    std::uint32_t m_count = 0; // of them
    std::uint64_t m_cursor = 0, m_seen = 0;
};

LabResult<QJSValue> exercise(LabContext& context, const Arguments& o, bool& hasBegun)
{
    if (!context.standIn && !context.observer.hasPerson())
        return LabError { LabCode::NotAllowed, "An exercise waits for a person.",
            "Open it in the window, or give a script: lhrs-play --exercise EXERCISE SCRIPT." };
    if (std::exchange(hasBegun, true))
        return LabError { LabCode::BadArgument, "A scenario has one exercise.",
            "Put the goals of both into one list, or make two files." };
    Exercise one(context);
    if (const auto isRead = one.read(o); !isRead)
        return isRead.error();
    if (const auto begun = one.begin(); !begun)
        return begun.error();
    one.tell();
    const auto isHeld = context.standIn ? one.runStandIn() : one.awaitPerson();
    if (!isHeld)
        return isHeld.error();
    one.end();
    std::optional<LabError> first;
    for (const ExerciseGoal& goal : one.shown().goals) {
        const bool holds = goal.state == ExerciseGoal::State::Held && one.shown().trouble.isEmpty();
        ++(holds ? context.expectationsHeld : context.expectationsFailed);
        if (!holds && !first)
            first = LabError { LabCode::ExpectationFailed,
                QString("The goal \"%1\" is not reached: %2")
                    .arg(goal.text, one.shown().trouble.isEmpty() ? goal.why : one.shown().trouble) };
    }
    if (first)
        return *first;
    return QJSValue(true);
}

} // namespace

void addExerciseCalls(Lab& lab, LabContext& context)
{
    const auto hasBegun = std::make_shared<bool>(false);
    lab.handle(
        "lab.exercise", [&context, hasBegun](const LabCall& c) { return exercise(context, c.arguments, *hasBegun); });
}

} // namespace lhrs::gui
