// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/result_options.h"

#include "gui/lab/export/result_merge.h"

#include <QFile>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

namespace lhrs::gui {

namespace {

constexpr int kExitUsage = 2;

Error problemOf(const QString& sentence) { return Error { sentence.toStdString() }; }

int fail(const QString& sentence)
{
    std::fprintf(stderr, "lhrs-play: %s\n", qPrintable(sentence));
    return kExitUsage;
}

Result<std::vector<Sweep>> namedSweeps(const ResultOptions& options, const QString& scenarioText)
{
    if (options.sweepFile.empty())
        return declaredSweeps(scenarioText);
    const QString path = QString::fromStdString(options.sweepFile);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return problemOf(path + " cannot be read: " + file.errorString() + ".");
    return sweepsOfJson(file.readAll(), path);
}

// The sweep that the options name or define.
Result<Sweep> chosenSweep(const ResultOptions& options, const QString& scenarioText)
{
    Sweep given;
    QString name;
    for (const std::string& word : options.sweep) {
        const QString text = QString::fromStdString(word);
        if (!text.contains('=')) {
            if (!name.isEmpty())
                return problemOf("--sweep " + text + ": one sweep at a time; " + name + " is chosen already.");
            name = text;
            continue;
        }
        auto factor = factorOf(text);
        if (!factor)
            return problemOf("--sweep: " + QString::fromStdString(factor.error().text));
        given.factors.push_back(*factor);
    }
    if (name.isEmpty() && !given.factors.empty())
        return given;
    const auto known = namedSweeps(options, scenarioText);
    if (!known)
        return known.error();
    QStringList names;
    for (const Sweep& sweep : *known)
        names << sweep.name;
    const auto at = std::find_if(known->begin(), known->end(),
        [&](const Sweep& sweep) { return sweep.name == name || (name.isEmpty() && known->size() == 1); });
    if (at != known->end()) {
        Sweep sweep = *at;
        sweep.factors.insert(sweep.factors.end(), given.factors.begin(), given.factors.end());
        return sweep;
    }
    if (names.isEmpty())
        return problemOf("There is no sweep; write --sweep NAME=VALUE,VALUE, or declare one in the scenario: // @sweep "
                         "NAME parameter=VALUE,VALUE.");
    return problemOf((name.isEmpty() ? QString("Choose a sweep by --sweep NAME") : "There is no sweep " + name)
        + "; there are " + names.join(", ") + ".");
}

} // namespace

void addResultOptions(CLI::App& app, ResultOptions& o)
{
    auto* csv = app.add_option("--csv", o.csv,
                       "Write the tables of measurements into this directory, each row as it is measured; with "
                       "--record those of the run, too")
                    ->type_name("DIR");
    auto* append = app.add_flag(
        "--append", o.appends, "With --csv: add this run to the results that the directory has");
    auto* overwrite = app.add_flag(
        "--overwrite", o.overwrites, "With --csv: remove the results that the directory has");
    auto* resume = app.add_flag("--resume", o.resumes,
        "With --csv: like --append, but leave out runs that are complete in the directory (same scenario, parameters, "
        "seed and program)");
    append->excludes(overwrite)->excludes(resume)->needs(csv);
    overwrite->excludes(resume)->needs(csv);
    resume->needs(csv);
    app.add_option("--sweep", o.sweep,
           "Run every combination of values: NAME=V1,V2 or NAME=1..10 or NAME=10..50 step 20 of a parameter (seed: of "
           "the run), several times; "
           "or the name of a sweep that the scenario (// @sweep NAME ...) or --sweep-file declares")
        ->type_name("NAME=V1,V2")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
    app.add_option("--sweep-file", o.sweepFile, "Sweeps: {\"sizes\": {\"records\": [5, 50], \"seed\": \"1..3\"}}")
        ->type_name("FILE.json");
    auto* lists = app.add_flag(
        "--runs", o.lists, "List the numbered runs of the sweep, with --csv also which are complete, and exit");
    app.add_option("--run", o.run, "Carry out these runs of the sweep only, e.g. 7 or 0..3,7")
        ->type_name("N")
        ->excludes(lists);
    app.add_option(
           "--merge", o.merge, "Merge the tables of these directories, by run, into the directory of --csv, and exit")
        ->type_name("DIR...")
        ->needs(csv);
}

QString RunPlan::nameOf(const SweepRun& run) const
{
    return QString("run %1%2").arg(run.number).arg(run.shown.isEmpty() ? "" : ": " + run.shown);
}

Result<RunPlan> plannedRuns(const ResultOptions& options, const QString& scenarioText,
    const std::map<QString, QString>& sets, std::uint64_t seed)
{
    RunPlan plan;
    plan.isSweep = !options.sweep.empty() || !options.sweepFile.empty() || options.lists || !options.run.empty();
    if (!plan.isSweep) {
        plan.runs.push_back({ 0, sets, seed, {} });
        return plan;
    }
    const auto sweep = chosenSweep(options, scenarioText);
    if (!sweep)
        return sweep.error();
    plan.sweep = sweep->name;
    auto runs = sweep->runs(sets, seed);
    if (!runs)
        return runs.error();
    plan.runs = std::move(*runs);
    if (options.run.empty())
        return plan;
    const auto numbers = runNumbers(QString::fromStdString(options.run), int(plan.runs.size()));
    if (!numbers)
        return numbers.error();
    std::vector<SweepRun> chosen;
    for (const int number : *numbers)
        chosen.push_back(plan.runs[std::size_t(number)]);
    plan.runs = std::move(chosen);
    return plan;
}

int listRuns(const ResultOptions& options, const RunPlan& plan, const std::function<QString(const SweepRun&)>& inputsOf)
{
    const CompleteRuns complete(QString::fromStdString(options.csv));
    for (const SweepRun& run : plan.runs)
        std::printf("%s%s\n", qPrintable(plan.nameOf(run)), complete.has(inputsOf(run)) ? " (complete)" : "");
    std::printf("%zu runs; --run N carries out number N\n", plan.runs.size());
    return 0;
}

int mergeFolders(const ResultOptions& options, bool isAlone)
{
    if (!isAlone || !options.sweep.empty() || !options.run.empty() || options.lists || options.resumes)
        return fail("--merge only puts tables together: write lhrs-play --merge DIR DIR --csv DIR, with --append or "
                    "--overwrite where the target has results.");
    QStringList directories;
    for (const std::string& directory : options.merge)
        directories << QString::fromStdString(directory);
    const MergeResult merged = mergeResults(directories, QString::fromStdString(options.csv), options.use());
    for (const QString& conflict : merged.conflicts)
        std::fprintf(stderr, "lhrs-play: %s\n", qPrintable(conflict));
    if (!merged.problem.isEmpty())
        return fail(merged.problem);
    for (const QString& name : merged.written)
        std::printf("written: %s/%s\n", options.csv.c_str(), qPrintable(name));
    std::printf("%d runs\n", merged.runs);
    return 0;
}

} // namespace lhrs::gui
