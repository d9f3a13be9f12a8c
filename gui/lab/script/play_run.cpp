// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/script/play_run.h"

#include "common/number_words.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/export/junit_report.h"
#include "gui/lab/export/play_printer.h"
#include "gui/lab/export/result_folder.h"
#include "gui/lab/export/run_export.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/session.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/recording/recording_place.h"
#include "gui/lab/replay/recording_observer.h"
#include "gui/lab/script/play_options.h"
#include "gui/lab/script/script_engine.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

namespace lhrs::gui {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEndTime(11'000); // for the lab.atEnd functions, plus a reserve
constexpr milliseconds kAnswerTime(800); // time in which a stopped script must end
constexpr milliseconds kConnectTime(3'000);
constexpr int kPollMs = 50;
constexpr qsizetype kQuestionMax = 1 << 20; // bytes of a line

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

// One run: what it is played on, recorded in and exported to. Each step returns the exit code if the run ends with it.
class PlayRun {
public:
    PlayRun(const PlayOptions& options, const RunFacts& facts, const PlayTexts& texts, ResultFolder* folder,
        JUnitReport* report)
        : m_options(options), m_facts(facts), m_texts(texts), m_folder(folder), m_report(report), m_silent(stdout)
    {
        if (report != nullptr)
            m_reporting.emplace(stdout, *report, options.scenario(), options.standIn());
    }

    ~PlayRun() { m_session.ingest().recordTo(nullptr); }
    PlayRun(const PlayRun&) = delete;
    PlayRun& operator=(const PlayRun&) = delete;

    int play(const SweepRun& run, int ends)
    {
        if (m_options.isSimulated)
            simulate(run.seed);
        m_session.local().preferHosts(m_options.hosts);
        if (const std::optional<int> code = startRecording())
            return *code;
        if (const std::optional<int> code = beginTables())
            return *code;
        InputLines lines; // read by the engine's thread
        ScriptEngine engine(m_session, m_observer ? static_cast<ScriptObserver&>(*m_observer) : printer());
        if (m_options.answers)
            engine.setQuestions({ [&lines](const std::stop_token& stop) { return lines.next(stop); },
                [](const QString& answer) {
                    std::printf("answer %s\n", qUtf8Printable(answer));
                    std::fflush(stdout);
                } });
        if (!m_options.connect.empty())
            if (const std::optional<int> code = connect())
                return *code;
        const ScriptSettings settings = settingsOf(run);
        engine.start(m_texts.source, QFileInfo(m_options.scenario()).fileName(), settings);
        if (!awaitEnd(engine, ends, settings.limit))
            leave();
        return end(engine, ends);
    }

private:
    PlayPrinter& printer() { return m_reporting ? *m_reporting : m_silent; }

    ScriptSettings settingsOf(const SweepRun& run) const
    {
        ScriptSettings settings;
        settings.seed = run.seed;
        settings.sets = run.sets;
        settings.run = m_facts.run;
        settings.results = m_folder;
        settings.pace = m_options.pace;
        settings.keepGoing = m_options.keepsGoing;
        settings.mayStartCluster = m_options.connect.empty();
        settings.standIn = { m_texts.standIn, QFileInfo(m_options.standIn()).fileName() };
        settings.paperDirectory = paperDirectory(m_options.scenario());
        settings.limit = milliseconds(std::int64_t(m_options.limit * 1000));
        return settings;
    }

    void simulate(std::uint64_t seed)
    {
        const SimulatedOptions simulated { seed, m_options.speed, false, false, true };
        m_session.local().preferSimulated(simulated);
        std::printf("SIMULATED: virtual time at %s of real time, seed %llu\n",
            m_options.speed == 0 ? "any speed" : numberWord(m_options.speed).c_str(),
            static_cast<unsigned long long>(seed));
        std::fflush(stdout);
    }

    std::optional<int> startRecording()
    {
        if (m_options.record.empty())
            return std::nullopt;
        const QString path = QString::fromStdString(m_options.record);
        auto started = Recorder::start(
            path, metaOf(m_facts), [this] { return m_session.ingest().nowNs(); }, limitsFor(path));
        if (!started)
            return fail(kExitUsage, QString::fromStdString(started.error().text));
        m_recorder = std::move(*started);
        m_recorder->scenario(QFileInfo(m_options.scenario()).fileName(), m_texts.source);
        m_observer = std::make_unique<RecordingObserver>(*m_recorder, printer());
        m_session.ingest().recordTo(m_recorder.get());
        return std::nullopt;
    }

    std::optional<int> beginTables()
    {
        if (m_folder == nullptr)
            return std::nullopt;
        if (isDerived(m_facts)) // time and place do not affect its tables
            m_facts.started.clear(), m_facts.host.clear();
        if (const QString error = m_folder->begin(m_facts); !error.isEmpty())
            return fail(kExitUsage, error);
        return std::nullopt;
    }

    // Uses the running cluster.
    std::optional<int> connect()
    {
        m_session.ingest().peerKeys().use(m_options.key);
        m_session.control().watchCluster(m_options.connect);
        pb::Command question;
        question.mutable_who_are_you();
        const Answer answer = m_session.control().callAndWait(m_options.connect, question, kConnectTime);
        if (!answer || answer.reply.process().kind() != pb::COORDINATOR)
            return fail(kExitNoCluster,
                "no coordinator answers at " + QString::fromStdString(m_options.connect)
                    + "; give the port that its line `ready ... control=` names.");
        m_session.control().addProcess(answer.reply.process());
        return std::nullopt;
    }

    // Ends the program although the script runs. What has been recorded so far is kept.
    [[noreturn]] void leave()
    {
        if (m_recorder) {
            m_session.ingest().recordTo(nullptr);
            m_recorder->finish();
        }
        m_session.local().stop();
        std::fprintf(
            stderr, "lhrs-play: the script does not answer (a built-in call of the engine is under way); leaving it\n");
        leaveUnanswered(m_report, m_options.scenario());
        ::_exit(kExitStopped);
    }

    int end(ScriptEngine& engine, int ends)
    {
        const ScriptResult result = engine.result();
        printer().summary(result, engine.tables());
        const ClusterState last = m_session.ingest().settledInvariants();
        const auto invariants = last.isOfLhrs() ? last.invariants.all(last)
                                                : std::vector<InvariantShown>(); // only a file has invariants
        if (!invariants.empty())
            printer().invariants(invariants);
        if (m_reporting)
            m_reporting->end(result, invariants);
        if (m_recorder)
            if (const std::optional<int> code = endRecording(engine))
                return *code;
        const bool isViolated = result.outcome == ScriptOutcome::Held && last.invariants.anyViolated();
        if (m_folder != nullptr)
            if (const QString error = writeTables(
                    engine, isViolated ? "invariant violated" : outcomeWord(result.outcome));
                !error.isEmpty())
                return fail(kExitUsage, error);
        if (m_options.keepsCluster && m_session.local().isRunning() && !result.isLimitReached
            && result.outcome != ScriptOutcome::Stopped) {
            std::printf("the cluster of %zu processes stays up; end it with Ctrl-C\n", m_session.local().processes());
            if (const auto coordinator = m_session.control().find(m_session.control().coordinator())) {
                const std::string key = m_session.local().keyFile(), at = coordinator->info.control_endpoint();
                std::printf("a window on it: lhrs-gui --connect %s%s%s\n", at.substr(at.rfind('/') + 1).c_str(),
                    key.empty() ? "" : " --key-file ", key.c_str());
            }
            std::fflush(stdout);
            pollfd item { ends, POLLIN, 0 };
            while (::poll(&item, 1, -1) < 0) { }
        }
        return isViolated ? kExitViolated : int(result.outcome);
    }

    std::optional<int> endRecording(ScriptEngine& engine)
    {
        m_session.ingest().recordTo(nullptr);
        m_observer->addTables(engine.tables());
        if (const QString problem = m_recorder->finish(); !problem.isEmpty())
            return fail(kExitUsage, problem);
        const Recorder::Status status = m_recorder->status();
        std::printf("recorded %llu events in %s\n", static_cast<unsigned long long>(status.events - status.lost),
            qPrintable(status.path));
        return std::nullopt;
    }

    // The tables of the script. If the run was recorded, it is complete with all its events, and the same files as
    // those of lhrs-gui --export are written, too. Returns an error, or empty.
    QString writeTables(ScriptEngine& engine, const QString& outcome)
    {
        if (m_recorder) {
            auto recording = Recording::open(m_recorder->status().path);
            if (!recording)
                return QString::fromStdString(recording.error().text);
            const ExportResult exported = exportRun(**recording, *m_folder);
            for (const QString& note : exported.notes)
                std::printf("%s\n", qPrintable(note));
            if (!exported.problem.isEmpty())
                return exported.problem;
        }
        return printer().finishTables(*m_folder, engine.tables(), engine.charts(), outcome);
    }

    const PlayOptions& m_options;
    RunFacts m_facts;
    const PlayTexts& m_texts;
    ResultFolder* const m_folder;
    JUnitReport* const m_report;
    PlayPrinter m_silent;
    std::optional<JUnitPrinter> m_reporting;
    Session m_session;
    std::unique_ptr<Recorder> m_recorder;
    std::unique_ptr<RecordingObserver> m_observer;
};

} // namespace

QString paperDirectory(const QString& scenario)
{
    const QString beside = QFileInfo(scenario).absolutePath() + "/paper";
    if (QFileInfo(beside).isDir())
        return beside;
    return QCoreApplication::applicationDirPath() + "/../share/lhrs-lab/scenarios/paper";
}

int play(const PlayOptions& options, const SweepRun& run, const RunFacts& facts, const PlayTexts& texts,
    ResultFolder* folder, JUnitReport* report, int ends)
{
    if (options.answers || !options.record.empty())
        ::signal(SIGPIPE, SIG_IGN); // a closed pipe on standard output must not end the recording
    return PlayRun(options, facts, texts, folder, report).play(run, ends);
}

} // namespace lhrs::gui
