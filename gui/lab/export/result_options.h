// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/export/result_folder.h"
#include "gui/lab/tables/sweep.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lhrs::gui {

// The options of lhrs-play that choose the runs and the place of their tables.
struct ResultOptions {
    std::string csv; // directory of the tables; empty: none are written
    bool appends = false, overwrites = false, resumes = false, lists = false;
    std::vector<std::string> sweep; // the name of a sweep, or parameters with values
    std::string sweepFile, run; // JSON file; numbers of runs
    std::vector<std::string> merge; // directories

    FolderUse use() const
    {
        return overwrites ? FolderUse::Overwrite : appends || resumes ? FolderUse::Append : FolderUse::New;
    }
};
void addResultOptions(CLI::App& app, ResultOptions& options);

// The chosen runs; exactly one without a sweep.
struct RunPlan {
    bool isSweep = false;
    QString sweep; // its name; empty if the parameters came from the command line
    std::vector<SweepRun> runs;

    // "run 7: b=50 records=1000"
    QString nameOf(const SweepRun& run) const;
};
// Plans the runs. An error is a sentence for the command line.
Result<RunPlan> plannedRuns(const ResultOptions& options, const QString& scenarioText,
    const std::map<QString, QString>& sets, std::uint64_t seed);

// Carries out --runs and --merge and returns the exit code. `inputsOf`: see inputsDigest.
int listRuns(
    const ResultOptions& options, const RunPlan& plan, const std::function<QString(const SweepRun&)>& inputsOf);
int mergeFolders(const ResultOptions& options, bool isAlone);

} // namespace lhrs::gui
