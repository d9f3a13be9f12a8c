// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

class QJsonObject;

namespace lhrs::gui {

// One goal of an exercise, judged by the events so far.
struct ExerciseGoal {
    enum class State {
        Open, // not reached yet; why: what is missing
        Held, // why: what was seen
        Failed, // it can no longer be reached; why: what rules it out
    };
    QString text;
    State state = State::Open;
    QString why;

    bool operator==(const ExerciseGoal&) const = default;
};

// An exercise of a scenario (lab.exercise), as the window shows it and the recording stores it.
struct ExerciseShown {
    QString task;
    QStringList hints;
    std::vector<ExerciseGoal> goals;
    bool isOver = false; // it takes no further actions
    bool isJudged = true; // false: it was left before it could be judged
    QString trouble; // why it must be restarted; empty if it need not

    bool isHeld() const;
    bool operator==(const ExerciseShown&) const = default;
};

// "open", "held", "failed".
QString goalWord(ExerciseGoal::State state);
// The JSON form for a recording.
QJsonObject objectOf(const ExerciseShown& exercise);
ExerciseShown exerciseOf(const QJsonObject& object);

} // namespace lhrs::gui
