// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-play: runs a scenario without a window.
#include "gui/lab/export/junit_report.h"
#include "gui/lab/export/result_folder.h"
#include "gui/lab/script/play_options.h"
#include "gui/lab/script/play_run.h"
#include "gui/lab/script/scenario_file.h"
#include "gui/lab/script/script_check.h"
#include "gui/lab/script/script_engine.h"
#include "gui/lab/tables/run_facts.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>

extern const char kProgramCommit[]; // program_commit.cmake

namespace {

using namespace lhrs::gui;

constexpr rlim_t kMemory = rlim_t(4) << 30; // limit; a scenario that needs more ends with an error

[[noreturn]] void outOfMemory()
{
    // Nothing here may allocate memory. The cluster's processes end with this one.
    static constexpr char kText[]
        = "lhrs-play: the scenario needs more than 4 GiB of memory, or failed inside the engine\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
    ::_exit(kExitUsage);
}

// SIGINT and SIGTERM as a descriptor; blocked before any thread starts, so that all inherit it.
int openSignals()
{
    sigset_t wanted;
    ::sigemptyset(&wanted);
    ::sigaddset(&wanted, SIGTERM);
    ::sigaddset(&wanted, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
    return ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

// The suite name in the report.
QString suiteName(const PlayOptions& options) { return QFileInfo(options.scenario()).fileName(); }

// The properties of a suite.
std::vector<std::pair<QString, QString>> propertiesOf(const PlayOptions& options, const SweepRun& run)
{
    std::vector<std::pair<QString, QString>> properties { { "scenario", QFileInfo(options.scenario()).fileName() } };
    if (!options.exercise.empty())
        properties.emplace_back("script", QFileInfo(options.standIn()).fileName());
    properties.emplace_back("cluster", options.isSimulated ? "simulated" : "real");
    properties.emplace_back("seed", QString::number(run.seed));
    for (const auto& [name, value] : run.sets)
        properties.emplace_back(name, value);
    return properties;
}

// The facts of the run besides its tables. `inputs`: see inputsDigest.
RunFacts factsOf(const PlayOptions& options, const SweepRun& run, const QString& inputs)
{
    RunFacts facts = programFacts("lhrs-play");
    facts.inputs = inputs;
    facts.isSimulated = options.isSimulated;
    facts.scenario = QFileInfo(options.scenario()).fileName();
    // Lines that arrive during the run are not part of the inputs.
    facts.run = options.isSimulated && !options.answers ? simulatedRunId(inputs) : newRunId(run.seed);
    facts.seed = QString::number(run.seed);
    return facts;
}

// Plays the chosen runs one after the other until one does not hold.
int playAll(const PlayOptions& options, const RunPlan& plan, const PlayTexts& texts, JUnitReport* report, int ends)
{
    const auto digest = [&](const SweepRun& run) {
        QStringList others { options.isSimulated ? "simulated" : "real", options.keepsGoing ? "keep going" : "" };
        if (!texts.standIn.isEmpty())
            others << texts.standIn;
        return inputsDigest(texts.source, run.sets, run.seed, others);
    };
    if (options.results.lists)
        return listRuns(options.results, plan, digest);
    if (!options.record.empty() && plan.runs.size() > 1)
        return fail(kExitUsage, "--record takes one run; choose it by --run N.");
    std::unique_ptr<ResultFolder> folder;
    if (!options.results.csv.empty()) {
        auto opened = ResultFolder::open(QString::fromStdString(options.results.csv), options.results.use());
        if (!opened)
            return fail(kExitUsage, QString::fromStdString(opened.error().text));
        folder = std::move(*opened);
    }
    const CompleteRuns complete(QString::fromStdString(options.results.csv));
    for (const SweepRun& run : plan.runs) {
        const QString inputs = digest(run);
        if (options.results.resumes && complete.has(inputs)) {
            std::printf("%s is complete in %s\n", qPrintable(plan.nameOf(run)), options.results.csv.c_str());
            continue;
        }
        RunFacts facts = factsOf(options, run, inputs);
        if (plan.isSweep) {
            facts.sweep = plan.sweep;
            facts.sweepRun = QString::number(run.number);
            std::printf("\n%s\n", qPrintable(plan.nameOf(run)));
        }
        if (report != nullptr)
            report->beginSuite(plan.isSweep ? suiteName(options) + ", " + plan.nameOf(run) : suiteName(options),
                propertiesOf(options, run));
        if (const int code = play(options, run, facts, texts, folder.get(), report, ends); code != 0) {
            if (plan.runs.size() > 1)
                std::fprintf(stderr,
                    "lhrs-play: %s ended with %d, and the runs after it are left out; --resume goes on with the "
                    "missing ones\n",
                    qPrintable(plan.nameOf(run)), code);
            return code;
        }
    }
    return 0;
}

// The report must not be a file that is read here; it is opened before anything runs.
lhrs::Result<std::unique_ptr<JUnitReport>> openReport(const PlayOptions& options)
{
    const QString path = QString::fromStdString(options.junit), canonical = QFileInfo(path).canonicalFilePath();
    if (options.isCheck || options.results.lists)
        return lhrs::Error { "--junit is for a run: leave out --check and --runs." };
    for (const QString& file : { options.scenario(), options.standIn() })
        if (!canonical.isEmpty() && !file.isEmpty() && canonical == QFileInfo(file).canonicalFilePath())
            return lhrs::Error { "--junit: " + path.toStdString() + " is the script itself. Name another file." };
    auto opened = JUnitReport::open(path);
    if (!opened)
        return lhrs::Error { "--junit: " + opened.error().text + " Name a file in a directory that may be written." };
    return opened;
}

// Reports a text that does not compile, also in the JUnit report.
int failCheck(const PlayOptions& options, const QString& file, const ScriptProblem& problem, JUnitReport* report)
{
    const QString hint = problem.hint.isEmpty() ? QString() : " " + problem.hint;
    const QString sentence = QString("%1, line %2: %3.%4").arg(file).arg(problem.line).arg(problem.message, hint);
    if (report != nullptr) {
        report->beginSuite(suiteName(options), propertiesOf(options, SweepRun { 0, {}, options.seed, {} }));
        ScriptResult result;
        result.outcome = ScriptOutcome::ScriptError;
        result.file = QFileInfo(file).fileName();
        result.line = problem.line;
        result.message = problem.message + '.';
        result.hint = problem.hint;
        JUnitPrinter(stdout, *report, options.scenario(), options.standIn()).end(result, {});
        if (const QString error = report->write(); !error.isEmpty())
            return fail(kExitUsage, "--junit: " + error);
    }
    return fail(kExitUsage, sentence);
}

void limitMemory()
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(_GLIBCXX_TSAN) // sanitizers reserve terabytes of address space
    rlimit memory {};
    if (::getrlimit(RLIMIT_AS, &memory) == 0 && (memory.rlim_max == RLIM_INFINITY || memory.rlim_max > kMemory)) {
        memory.rlim_cur = kMemory;
        ::setrlimit(RLIMIT_AS, &memory);
    }
#endif
    std::set_terminate(outOfMemory);
}

} // namespace

int main(int count, char** arguments)
{
    const int ends = openSignals();
    PlayOptions options;
    if (const std::optional<int> code = readOptions(count, arguments, options))
        return *code;
    setProgramCommit(kProgramCommit);
    if (options.tellsBuild) {
        std::printf("%s\n", qUtf8Printable(buildInfo()));
        return 0;
    }
    if (!options.results.merge.empty())
        return mergeFolders(options.results, options.file.empty());
    const QCoreApplication application(count, arguments);
    if (options.audits)
        return options.file.empty()
            ? audit(options.audit, options.connect, options.key)
            : fail(kExitUsage, "--audit only audits; leave out " + QString::fromStdString(options.file) + ".");
    if (options.file.empty())
        return fail(kExitUsage, "FILE is required: the scenario, e.g. scenarios/grow.js; --help lists the options.");
    if (options.charts)
        return drawChart(
            options.chart, QString::fromStdString(options.file), paperDirectory(QString::fromStdString(options.file)));
    const auto read = readScenario(options.scenario());
    if (!read)
        return fail(kExitUsage, QString::fromStdString(read.error().text));
    const QString source = read->text;
    PlayTexts texts { source, {} };
    if (!options.exercise.empty()) {
        const auto acting = readScenario(options.standIn());
        if (!acting)
            return fail(kExitUsage, QString::fromStdString(acting.error().text));
        // An empty script is judged too.
        texts.standIn = acting->text.trimmed().isEmpty() ? QString("0;") : acting->text;
    }
    std::unique_ptr<JUnitReport> report;
    if (!options.junit.empty()) {
        auto opened = openReport(options);
        if (!opened)
            return fail(kExitUsage, QString::fromStdString(opened.error().text));
        report = std::move(*opened);
    }
    for (const auto& [file, text] :
        { std::pair(options.scenario(), source), std::pair(options.standIn(), texts.standIn) })
        if (const auto problem = ScriptEngine::check(text))
            return failCheck(options, file, *problem, report.get());
    if (!options.isCheck && options.exercise.empty() && !headerOf(source).exercise.isEmpty())
        return fail(kExitUsage,
            QString("%1 is an exercise, and waits for a person: open it in the window, or give a script: "
                    "lhrs-play --exercise %1 SCRIPT.js")
                .arg(options.scenario()));
    if (!options.sets.empty() && !source.contains("params"))
        return fail(kExitUsage,
            "--set " + QString::fromStdString(options.sets.front())
                + ": the scenario takes no parameters (it does not call lab.params).");
    if (options.isCheck) {
        for (const auto& [file, text] :
            { std::pair(options.scenario(), source), std::pair(options.standIn(), texts.standIn) })
            if (const auto problem = checkCalls(text))
                return failCheck(options, file, *problem, nullptr);
        std::printf("%s: no error found\n", options.file.c_str());
        return 0;
    }
    std::map<QString, QString> sets;
    for (const std::string& set : options.sets)
        sets[QString::fromStdString(set).section('=', 0, 0)] = QString::fromStdString(set).section('=', 1);
    const auto plan = plannedRuns(options.results, source, sets, options.seed);
    if (!plan)
        return fail(kExitUsage, QString::fromStdString(plan.error().text));
    limitMemory();
    const int code = playAll(options, *plan, texts, report.get(), ends);
    if (report)
        if (const QString error = report->write(); !error.isEmpty())
            return fail(kExitUsage, "--junit: " + error);
    return code;
}
