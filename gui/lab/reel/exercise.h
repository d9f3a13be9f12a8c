// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

class QJsonObject;

namespace lhrs::gui {

// One thing that an exercise asks for, as the events of the run stand now.
struct ExerciseGoal {
    enum class State {
        Open,   // it does not hold yet; why: what is missing
        Held,   // why: what was seen
        Failed, // it can no longer hold; why: what stands against it
    };
    QString text;
    State state = State::Open;
    QString why;

    bool operator==(const ExerciseGoal&) const = default;
};

// An exercise of a scenario (lab.exercise), as it is shown and recorded.
struct ExerciseShown {
    QString task;
    QStringList hints;
    std::vector<ExerciseGoal> goals;
    bool isOver = false;   // nobody acts any more
    bool isJudged = true;  // false: it was left before it could be judged
    QString trouble;       // why it must be begun again; empty: it need not

    bool isHeld() const;
    bool operator==(const ExerciseShown&) const = default;
};

// "open", "held", "failed".
QString goalWord(ExerciseGoal::State state);
// As a recording keeps it.
QJsonObject objectOf(const ExerciseShown& exercise);
ExerciseShown exerciseOf(const QJsonObject& object);

} // namespace lhrs::gui
