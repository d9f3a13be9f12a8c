// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/run_facts.h"
#include "gui/lab/tables/sweep.h"

#include <QString>

namespace lhrs::gui {

class JUnitReport;
class ResultFolder;
struct PlayOptions;

// The texts of a run. For an exercise: the scenario, and the given file as the stand-in script.
struct PlayTexts {
    QString source, standIn;
};

// The published tables that scenarios compare with: beside the scenario, or installed beside the program.
QString paperDirectory(const QString& scenario);

// Plays one run of a scenario and returns the exit code. `folder`: for the tables, null: none are written; `report`:
// null: none is; `ends`: a descriptor that becomes readable when the program should end.
int play(const PlayOptions& options, const SweepRun& run, const RunFacts& facts, const PlayTexts& texts,
    ResultFolder* folder, JUnitReport* report, int ends);

} // namespace lhrs::gui
