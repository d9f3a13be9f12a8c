// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace lhrs::gui {

// A step as the text of a scenario announces it, with what the presenter is to remember there.
struct PlannedStep {
    QString id, title;
    QStringList notes;
    int line = 0; // of the text, from 1
};
// The steps of a scenario in the order in which they stand there, as far as they are written out: a title or note that is
// computed is known only when the script comes to it.
std::vector<PlannedStep> planOf(const QString& source);
// How many steps it has; 0: known only when it runs, for one of them stands in a block.
int stepsOf(const QString& source);

} // namespace lhrs::gui
