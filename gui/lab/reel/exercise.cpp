// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/reel/exercise.h"

#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>
#include <iterator>

namespace lhrs::gui {

namespace {

constexpr const char* kGoalStates[] = { "open", "held", "failed" };
constexpr qsizetype kGoalsMax = 100; // also for hints; a limit for untrusted files

} // namespace

bool ExerciseShown::isHeld() const
{
    return isJudged && trouble.isEmpty() && !goals.empty()
        && std::all_of(goals.begin(), goals.end(),
            [](const ExerciseGoal& goal) { return goal.state == ExerciseGoal::State::Held; });
}

QString goalWord(ExerciseGoal::State state) { return kGoalStates[std::size_t(state)]; }

QJsonObject objectOf(const ExerciseShown& exercise)
{
    QJsonArray goals;
    for (const ExerciseGoal& goal : exercise.goals)
        goals.append(QJsonObject { { "text", goal.text }, { "state", goalWord(goal.state) }, { "why", goal.why } });
    QJsonObject object { { "task", exercise.task }, { "hints", QJsonArray::fromStringList(exercise.hints) },
        { "goals", goals } };
    if (exercise.isOver)
        object["over"] = true;
    if (!exercise.isJudged)
        object["judged"] = false;
    if (!exercise.trouble.isEmpty())
        object["trouble"] = exercise.trouble;
    return object;
}

ExerciseShown exerciseOf(const QJsonObject& object)
{
    ExerciseShown exercise;
    exercise.task = object["task"].toString();
    const QJsonArray hints = object["hints"].toArray(), goals = object["goals"].toArray();
    for (qsizetype i = 0; i < std::min(hints.size(), kGoalsMax); ++i)
        exercise.hints << hints[i].toString();
    for (qsizetype i = 0; i < std::min(goals.size(), kGoalsMax); ++i) {
        const QJsonObject goal = goals[i].toObject();
        const auto state = std::find(std::begin(kGoalStates), std::end(kGoalStates), goal["state"].toString());
        const auto number = state == std::end(kGoalStates) ? 0 : state - std::begin(kGoalStates);
        exercise.goals.push_back({ goal["text"].toString(), ExerciseGoal::State(number), goal["why"].toString() });
    }
    exercise.isOver = object["over"].toBool();
    exercise.isJudged = object["judged"].toBool(true);
    exercise.trouble = object["trouble"].toString();
    return exercise;
}

} // namespace lhrs::gui
