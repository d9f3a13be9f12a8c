// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace lhrs::gui {

// A step as the text of a scenario announces it, with the presenter's notes for it.
struct PlannedStep {
    QString id, title;
    QStringList notes;
    int line = 0; // in the text, from 1
};
// The steps of a scenario in the order of its text, if their words are literals. A computed title or note is known only
// when the script reaches it.
std::vector<PlannedStep> planOf(const QString& source);
// A step in words: "(a)  The file grows".
QString stepWords(const QString& id, const QString& title);
// The number of steps; 0: known only at run time, because a step is inside a block.
int stepsOf(const QString& source);

// A scenario with what its text announces.
struct LoadedScenario {
    QString source; // empty: none is loaded
    QString file; // its name, without its folder
    QString title; // the file's name if the text gives none
    std::vector<PlannedStep> plan;
    int steps = 0; // stepsOf
};
LoadedScenario scenarioOf(const QString& source, const QString& file);

} // namespace lhrs::gui
