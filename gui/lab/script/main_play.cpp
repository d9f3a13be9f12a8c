// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-play: runs a scenario without a window.
#include "common/number_words.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/export/audit_command.h"
#include "gui/lab/export/chart_command.h"
#include "gui/lab/export/junit_report.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/network_check.h"
#include "gui/lab/export/play_printer.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/replay/recording_observer.h"
#include "gui/lab/recording/recording_place.h"
#include "gui/lab/export/result_folder.h"
#include "gui/lab/export/result_options.h"
#include "gui/lab/export/run_export.h"
#include "gui/lab/tables/run_facts.h"
#include "gui/lab/script/scenario_file.h"
#include "gui/lab/script/script_check.h"
#include "gui/lab/script/script_engine.h"
#include "gui/lab/local/session.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

extern const char kProgramCommit[]; // program_commit.cmake

namespace {

using namespace lhrs::gui;
using std::chrono::milliseconds;

constexpr int kExitUsage = 2, kExitNoCluster = 3, kExitStopped = 4, kExitViolated = 5;
constexpr rlim_t kMemory = rlim_t(4) << 30; // limit; a scenario that needs more ends with an error
constexpr milliseconds kEndTime(11'000); // for the lab.atEnd functions, plus a reserve
constexpr milliseconds kAnswerTime(800); // time in which a stopped script must end
constexpr int kPollMs = 50;
constexpr double kPaceMax = 1'000;
constexpr double kLimitMax = 10 * 365 * 86'400.0; // seconds
constexpr qsizetype kQuestionMax = 1 << 20; // bytes of a line

struct PlayOptions {
    bool isLocal = false, isSimulated = false, keepsGoing = false, isCheck = false, keepsCluster = false,
         answers = false, tellsBuild = false;
    std::string connect, record, file;
    std::string exercise; // the scenario, if FILE is the script that acts in it
    std::string junit;
    std::uint64_t seed = 1;
    double speed = 1; // of a simulated cluster; 0: as fast as possible
    std::vector<std::string> sets;
    double pace = 0, limit = 0;
    ResultOptions results;
    ChartCommand chart;
    AuditCommand audit;
};

int fail(int code, const QString& sentence)
{
    std::fprintf(stderr, "lhrs-play: %s\n", qPrintable(sentence));
    return code;
}

[[noreturn]] void outOfMemory()
{
    // Nothing here may allocate memory. The cluster's processes end with this one.
    static constexpr char kText[]
        = "lhrs-play: the scenario needs more than 4 GiB of memory, or failed inside the engine\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
    ::_exit(kExitUsage);
}

// The published tables are beside the scenario, or installed beside the program.
QString paperDirectory(const QString& file)
{
    const QString beside = QFileInfo(file).absolutePath() + "/paper";
    if (QFileInfo(beside).isDir())
        return beside;
    return QCoreApplication::applicationDirPath() + "/../share/lhrs/scenarios/paper";
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

// Waits for the end of the script, which a signal or the time limit stops. False: the engine does not respond,
// because a built-in call is running.
bool awaitEnd(ScriptEngine& engine, int ends, milliseconds limit)
{
    using Clock = std::chrono::steady_clock;
    auto end = limit.count() > 0 ? Clock::now() + limit : Clock::time_point::max();
    bool isStopped = false;
    while (!engine.wait(milliseconds(0))) {
        pollfd item { isStopped ? -1 : ends, POLLIN, 0 };
        if (::poll(&item, 1, kPollMs) > 0) {
            engine.stop();
            isStopped = true;
            end = std::min(end, Clock::now());
        }
        const bool isInTime = end == Clock::time_point::max()
            || Clock::now() < end + (engine.isInScript() ? kAnswerTime : kAnswerTime + kEndTime);
        if (!isInTime)
            return false;
    }
    return true;
}

// Reads lines of standard input.
class InputLines {
public:
    // Empty: end of input, or stopped.
    std::optional<QString> next(const std::stop_token& stop)
    {
        for (;;) {
            if (const qsizetype end = m_read.indexOf('\n'); end >= 0) {
                const QString line = QString::fromUtf8(m_read.left(end));
                m_read.remove(0, end + 1);
                return line;
            }
            if (m_read.size() > kQuestionMax) {
                std::fprintf(stderr, "lhrs-play: a line of standard input has more than %lld bytes; no more is read\n",
                    static_cast<long long>(kQuestionMax));
                return std::nullopt;
            }
            pollfd item { STDIN_FILENO, POLLIN, 0 };
            while (::poll(&item, 1, kPollMs) <= 0)
                if (stop.stop_requested())
                    return std::nullopt;
            char part[4096];
            const ssize_t count = ::read(STDIN_FILENO, part, sizeof part);
            if (count <= 0)
                return std::nullopt;
            m_read.append(part, count);
        }
    }

private:
    QByteArray m_read;
};

// The texts of a run. For an exercise: the scenario, and the given file as the stand-in script.
struct PlayTexts {
    QString source, standIn;
};

QString scenarioFile(const PlayOptions& options)
{
    return QString::fromStdString(options.exercise.empty() ? options.file : options.exercise);
}
QString standInFile(const PlayOptions& options)
{
    return options.exercise.empty() ? QString() : QString::fromStdString(options.file);
}

// The suite name in the report.
QString suiteName(const PlayOptions& options) { return QFileInfo(scenarioFile(options)).fileName(); }

// The properties of a suite.
std::vector<std::pair<QString, QString>> propertiesOf(const PlayOptions& options, const SweepRun& run)
{
    std::vector<std::pair<QString, QString>> properties { { "scenario", QFileInfo(scenarioFile(options)).fileName() } };
    if (!options.exercise.empty())
        properties.emplace_back("script", QFileInfo(standInFile(options)).fileName());
    properties.emplace_back("cluster", options.isSimulated ? "simulated" : "real");
    properties.emplace_back("seed", QString::number(run.seed));
    for (const auto& [name, value] : run.sets)
        properties.emplace_back(name, value);
    return properties;
}

// A script that cannot be stopped ends with the program; the report states this first.
void leaveUnanswered(JUnitReport* report, const QString& file)
{
    if (report == nullptr)
        return;
    report->add({ QFileInfo(file).completeBaseName(), "the script runs to its end", JUnitReport::Case::Kind::Error,
        "The script does not answer.", "Stopped", {}, {} });
    if (const QString error = report->write(); !error.isEmpty())
        std::fprintf(stderr, "lhrs-play: %s\n", qPrintable(error));
}

// The facts of the run besides its tables. `inputs`: see inputsDigest.
RunFacts factsOf(const PlayOptions& options, const SweepRun& run, const QString& inputs)
{
    RunFacts facts = programFacts("lhrs-play");
    facts.inputs = inputs;
    facts.isSimulated = options.isSimulated;
    facts.scenario = QFileInfo(scenarioFile(options)).fileName();
    // Lines that arrive during the run are not part of the inputs.
    facts.run = options.isSimulated && !options.answers ? simulatedRunId(inputs) : newRunId(run.seed);
    facts.seed = QString::number(run.seed);
    return facts;
}

// `folder`: for the tables; null: none are written.
int play(const PlayOptions& options, const SweepRun& run, RunFacts facts, const PlayTexts& texts, ResultFolder* folder,
    JUnitReport* report, int ends)
{
    const QString file = scenarioFile(options), &source = texts.source;
    ScriptSettings settings;
    settings.seed = run.seed;
    settings.sets = run.sets;
    settings.run = facts.run;
    settings.results = folder;
    settings.pace = options.pace;
    settings.keepGoing = options.keepsGoing;
    settings.mayStartCluster = options.connect.empty();
    settings.standIn = { texts.standIn, QFileInfo(standInFile(options)).fileName() };
    settings.paperDirectory = paperDirectory(file);
    settings.limit = milliseconds(std::int64_t(options.limit * 1000));

    if (options.answers || !options.record.empty())
        ::signal(SIGPIPE, SIG_IGN); // a closed pipe on standard output must not end the recording
    PlayPrinter silent(stdout);
    std::optional<JUnitPrinter> reporting;
    if (report != nullptr)
        reporting.emplace(stdout, *report, file, standInFile(options));
    PlayPrinter& printer = reporting ? *reporting : silent;
    Session session;
    if (options.isSimulated) {
        const SimulatedOptions simulated { run.seed, options.speed, false, false, true };
        session.local().preferSimulated(simulated);
        std::printf("SIMULATED: virtual time at %s of real time, seed %llu\n",
            options.speed == 0 ? "any speed" : lhrs::numberWord(options.speed).c_str(),
            static_cast<unsigned long long>(run.seed));
        std::fflush(stdout);
    }
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<RecordingObserver> observer;
    if (!options.record.empty()) {
        auto started = Recorder::start(
            QString::fromStdString(options.record), metaOf(facts), [&session] { return session.ingest().nowNs(); },
            limitsFor(QString::fromStdString(options.record)));
        if (!started)
            return fail(kExitUsage, QString::fromStdString(started.error().text));
        recorder = std::move(*started);
        recorder->scenario(QFileInfo(file).fileName(), source);
        observer = std::make_unique<RecordingObserver>(*recorder, printer);
        session.ingest().recordTo(recorder.get());
    }
    if (folder != nullptr) {
        if (isDerived(facts)) // time and place do not affect its tables
            facts.started.clear(), facts.host.clear();
        if (const QString error = folder->begin(facts); !error.isEmpty())
            return fail(kExitUsage, error);
    }
    InputLines lines; // read by the engine's thread
    ScriptEngine engine(session, observer ? static_cast<ScriptObserver&>(*observer) : printer);
    if (options.answers)
        engine.setQuestions({ [&lines](const std::stop_token& stop) { return lines.next(stop); },
            [](const QString& answer) {
                std::printf("answer %s\n", qUtf8Printable(answer));
                std::fflush(stdout);
            } });
    if (!options.connect.empty()) {
        session.control().watchCluster(options.connect);
        lhrs::pb::Command question;
        question.mutable_who_are_you();
        const Answer answer = session.control().callAndWait(options.connect, question, milliseconds(3000));
        if (!answer || answer.reply.process().kind() != lhrs::pb::COORDINATOR)
            return fail(kExitNoCluster,
                "no coordinator answers at " + QString::fromStdString(options.connect)
                    + "; give the port that its line `ready ... control=` names.");
        session.control().addProcess(answer.reply.process());
    }
    engine.start(source, QFileInfo(file).fileName(), settings);
    if (!awaitEnd(engine, ends, settings.limit)) {
        if (recorder) { // keeps what has been recorded so far
            session.ingest().recordTo(nullptr);
            recorder->finish();
        }
        session.local().stop();
        std::fprintf(
            stderr, "lhrs-play: the script does not answer (a built-in call of the engine is under way); leaving it\n");
        leaveUnanswered(report, scenarioFile(options));
        ::_exit(kExitStopped);
    }
    const ScriptResult result = engine.result();
    printer.summary(result, engine.tables());
    const ClusterState last = session.ingest().settledInvariants();
    const auto invariants = last.isOfLhrs() ? last.invariants.all(last)
                                            : std::vector<InvariantShown>(); // only a file has invariants
    if (!invariants.empty())
        printer.invariants(invariants);
    if (reporting)
        reporting->end(result, invariants);
    if (recorder) {
        session.ingest().recordTo(nullptr);
        observer->addTables(engine.tables());
        if (const QString problem = recorder->finish(); !problem.isEmpty())
            return fail(kExitUsage, problem);
        const Recorder::Status status = recorder->status();
        std::printf("recorded %llu events in %s\n", static_cast<unsigned long long>(status.events - status.lost),
            qPrintable(status.path));
    }
    const bool isViolated = result.outcome == ScriptOutcome::Held && last.invariants.anyViolated();
    if (folder != nullptr) {
        ExportResult exported;
        if (recorder) { // the run is complete with all its events; this exports the same files as lhrs-gui --export
            auto recording = Recording::open(recorder->status().path);
            if (!recording)
                return fail(kExitUsage, QString::fromStdString(recording.error().text));
            exported = exportRun(**recording, *folder);
            for (const QString& note : exported.notes)
                std::printf("%s\n", qPrintable(note));
        }
        const QString error = exported.problem.isEmpty() ? printer.finishTables(*folder, engine.tables(),
                                  engine.charts(), isViolated ? "invariant violated" : outcomeWord(result.outcome))
                                                         : exported.problem;
        if (!error.isEmpty())
            return fail(kExitUsage, error);
    }
    if (options.keepsCluster && session.local().isRunning() && !result.isLimitReached
        && result.outcome != ScriptOutcome::Stopped) {
        std::printf("the cluster of %zu processes stays up; end it with Ctrl-C\n", session.local().processes());
        std::fflush(stdout);
        pollfd item { ends, POLLIN, 0 };
        while (::poll(&item, 1, -1) < 0) { }
    }
    return isViolated ? kExitViolated : int(result.outcome);
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
    for (const QString& file : { scenarioFile(options), standInFile(options) })
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
        JUnitPrinter(stdout, *report, scenarioFile(options), standInFile(options)).end(result, {});
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
    CLI::App app("Plays a scenario without a window.", "lhrs-play");
    app.set_version_flag("--version", std::string("lhrs-play ") + LHRS_VERSION, "Print the version and exit");
    auto* where = app.add_option_group("cluster");
    where->add_flag("--local", options.isLocal, "Start processes on this machine (the default)");
    where->add_option("--connect", options.connect, "Use a running cluster: control endpoint of its coordinator")
        ->type_name("HOST:PORT");
    where->add_flag("--sim", options.isSimulated, "Play on a simulated cluster with this seed");
    where->require_option(0, 1);
    // Read as text, so that a malformed number gives the same sentence in all programs (common/number_words.h).
    std::string seed = "1", speed = "1", pace = "0", limit = "0";
    app.add_option("--seed", seed, "Seed of the random numbers (1)")->type_name("N");
    app.add_option("--speed", speed, "With --sim: ratio of virtual time to real time, 0.001 to 100, or max (1)")
        ->type_name("X");
    app.add_option("--set", options.sets, "Value of a parameter of the scenario; may be given several times")
        ->type_name("NAME=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
    addResultOptions(app, options.results);
    addChartOptions(app, options.chart);
    addAuditOptions(app, options.audit);
    app.add_option("--record", options.record, "Record the run into this file, which must not exist")
        ->type_name("FILE.lhrun");
    app.add_option("--pace", pace, "Speed of captions and pauses, up to 1000; 0: none (0)")->type_name("X");
    app.add_option("--limit", limit, "End the script after this many seconds; 0: never (0)")->type_name("S");
    app.add_flag("--keep-going", options.keepsGoing, "Go on after an expectation that does not hold");
    app.add_flag("--check", options.isCheck, "Only check the syntax, and the names and options of the calls of lab");
    app.add_flag("--answer", options.answers,
        "When the scenario is over, run each line of standard input as a line of a scenario, and print its value as "
        "\"answer JSON\"");
    app.add_flag("--keep-cluster", options.keepsCluster, "Leave the processes running at the end, until Ctrl-C");
    app.add_flag(
        "--build-info", options.tellsBuild, "Print what this program was built from and with, as JSON, and exit");
    app.add_option("--exercise", options.exercise,
           "Make the cluster of this exercise, let the script FILE act in it, and judge what "
           "happened")
        ->type_name("FILE.js");
    app.add_option("--junit", options.junit,
           "Write the expectations, and which of them held, into this file, as XML for tools that read test results")
        ->type_name("FILE.xml");
    app.add_option("FILE", options.file, "The scenario, e.g. scenarios/grow.js; with --chart the table");
    app.footer("Exit code: 0 all expectations hold; 1 one does not; 2 usage or script; 3 no cluster; 4 time limit or "
               "stopped; 5 an invariant was violated that the script did not check.");
    try {
        app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : kExitUsage;
    }
    for (const std::string& set : options.sets)
        if (set.find('=') == std::string::npos || set.front() == '=')
            return fail(kExitUsage, "--set " + QString::fromStdString(set) + ": write NAME=VALUE.");
    const auto refuse = [](const char* option, const lhrs::Error& error) {
        return fail(kExitUsage, QString("%1: %2.").arg(option, QString::fromStdString(error.text)));
    };
    if (const auto read = lhrs::readSeed(seed))
        options.seed = *read;
    else
        return refuse("--seed", read.error());
    if (const auto read = lhrs::readNumber<double>(speed == "max" ? "1" : speed, 0.001, 100, "max or a factor"))
        options.speed = speed == "max" ? 0 : *read;
    else
        return refuse("--speed", read.error());
    if (options.speed != 1 && !options.isSimulated)
        return fail(kExitUsage, "--speed is for a simulated cluster; write --sim, too.");
    if (const auto read = lhrs::readNumber<double>(pace, 0, kPaceMax))
        options.pace = *read;
    else
        return refuse("--pace", read.error());
    if (const auto read = lhrs::readNumber<double>(limit, 0, kLimitMax, "a number of seconds"))
        options.limit = *read;
    else
        return refuse("--limit", read.error());
    if (where->get_option("--connect")->count() > 0) {
        if (const auto endpoint = endpointOf(options.connect))
            options.connect = *endpoint;
        else
            return fail(kExitUsage, "--connect: " + QString::fromStdString(endpoint.error().text));
    }

    setProgramCommit(kProgramCommit);
    if (options.tellsBuild) {
        std::printf("%s\n", qUtf8Printable(buildInfo()));
        return 0;
    }
    if (!options.results.merge.empty())
        return mergeFolders(options.results, options.file.empty());
    const QCoreApplication application(count, arguments);
    if (app.count("--audit") > 0)
        return options.file.empty()
            ? audit(options.audit, options.connect)
            : fail(kExitUsage, "--audit only audits; leave out " + QString::fromStdString(options.file) + ".");
    if (options.file.empty())
        return fail(kExitUsage, "FILE is required: the scenario, e.g. scenarios/grow.js; --help lists the options.");
    if (app.count("--chart") > 0)
        return drawChart(
            options.chart, QString::fromStdString(options.file), paperDirectory(QString::fromStdString(options.file)));
    const auto read = readScenario(scenarioFile(options));
    if (!read)
        return fail(kExitUsage, QString::fromStdString(read.error().text));
    const QString source = read->text;
    PlayTexts texts { source, {} };
    if (!options.exercise.empty()) {
        const auto acting = readScenario(standInFile(options));
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
        { std::pair(scenarioFile(options), source), std::pair(standInFile(options), texts.standIn) })
        if (const auto problem = ScriptEngine::check(text))
            return failCheck(options, file, *problem, report.get());
    if (!options.isCheck && options.exercise.empty() && !headerOf(source).exercise.isEmpty())
        return fail(kExitUsage,
            QString("%1 is an exercise, and waits for a person: open it in the window, or give a script: "
                    "lhrs-play --exercise %1 SCRIPT.js")
                .arg(scenarioFile(options)));
    if (!options.sets.empty() && !source.contains("params"))
        return fail(kExitUsage,
            "--set " + QString::fromStdString(options.sets.front())
                + ": the scenario takes no parameters (it does not call lab.params).");
    if (options.isCheck) {
        for (const auto& [file, text] :
            { std::pair(scenarioFile(options), source), std::pair(standInFile(options), texts.standIn) })
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
