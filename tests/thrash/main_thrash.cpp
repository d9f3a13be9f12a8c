// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-thrash: clients of real processes write histories while other processes are killed, paused, cut off and
// disturbed. After each round everything is healed. Then the file must be whole in time, its parity correct, every
// answer explained by some order, every acknowledged key there, and no process larger than allowed.
#include "common/number_words.h"
#include "gui/lab/control/lhrs/audit.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/sentences.h"
#include "tests/thrash/fleet.h"
#include "tests/thrash/loss_drill.h"
#include "tests/thrash/nemesis.h"
#include "tests/thrash/report.h"
#include "tests/thrash/vitals.h"
#include "tests/thrash/writers.h"

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

namespace lhrs::thrash {

namespace {

using namespace std::chrono_literals;

constexpr auto kCleanWithin = 20s; // multiplied by the time scale
constexpr auto kAnsweredWithin = 60s; // far beyond the deadline of an operation; multiplied by the time scale
constexpr int kRoundsOfCluster = 3;

volatile std::sig_atomic_t interrupts = 0; // after the first one the running round is still judged

struct Arguments {
    std::uint64_t seed = 1;
    double minutes = 0.5;
    double timeScale = 3;
    std::string programs;
    std::string logs;
    bool restartsCoordinator = true;
    bool isBeyondK = false;
    bool isSoak = false; // one cluster for the whole time
};

int usage(const std::string& wrong)
{
    std::fprintf(stderr,
        "%s\nlhrs-thrash [--seed S] [--minutes T] [--time-scale X] [--beyond-k] [--soak] [--no-restarts] [--logs "
        "DIRECTORY]\n",
        wrong.c_str());
    return 2;
}

// The events of one cluster, and its errors.
class Run {
public:
    Run(const Arguments& arguments, std::uint64_t seed, const std::string& logs)
        : m_arguments(arguments), m_seed(seed), m_logs(logs), m_story(logs + "/story.txt")
    {
    }

    // Rounds until the time is over, then the end of all processes.
    Report play(Clock::time_point end);

private:
    bool rounds(Clock::time_point end);
    void thrashUntil(Clock::time_point end);
    bool drill(std::uint64_t number);
    bool endRound();
    bool awaitWhole();
    void audit();
    void takeCrowd();
    void keepEvents();
    void tearDown(std::size_t descriptorsBefore);
    std::chrono::milliseconds scaled(std::chrono::milliseconds time) const
    {
        return std::chrono::duration_cast<std::chrono::milliseconds>(time * m_shape.timeScale);
    }
    bool isFine() const { return m_report.violations == 0; }
    bool fail(const std::string& what);
    bool failAll(const std::vector<std::string>& all);
    void tell(const std::string& line);

    const Arguments& m_arguments;
    const std::uint64_t m_seed;
    const std::string m_logs;
    const Clock::time_point m_start = Clock::now();
    std::ofstream m_story;
    Shape m_shape;
    Report m_report;
    Vitals m_vitals;
    std::unique_ptr<Fleet> m_fleet;
    std::unique_ptr<Nemesis> m_nemesis;
    std::unique_ptr<Writers> m_writers;
    std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> m_crowds; // what they left in the file
};

Shape drawShape(std::uint64_t seed, const Arguments& arguments)
{
    Generator draws(seed, DrawnFor::Configuration);
    Shape shape;
    switch (arguments.isBeyondK ? 1 : draws.below(3)) {
    case 0: break; // one group of 4 + 2, a spare of each kind
    case 1: // two groups of 2 + 1
        shape.m = 2;
        shape.k = 1;
        break;
    default:
        shape.m = 3;
        shape.bucketsMax = 3;
        break;
    }
    shape.timeScale = arguments.timeScale;
    if (arguments.isBeyondK)
        shape.timers = "lost_ms: 1500";
    return shape;
}

void Run::tell(const std::string& line)
{
    const double time = std::chrono::duration<double>(Clock::now() - m_start).count();
    char text[32];
    std::snprintf(text, sizeof text, "%8.3f ", time);
    m_story << text << line << std::endl;
}

bool Run::fail(const std::string& what)
{
    ++m_report.violations;
    tell("WRONG " + what);
    std::printf(
        "WRONG  after %.1f s: %s\n", std::chrono::duration<double>(Clock::now() - m_start).count(), what.c_str());
    return false;
}

bool Run::failAll(const std::vector<std::string>& all)
{
    for (const std::string& one : all)
        fail(one);
    return all.empty();
}

bool Run::awaitWhole()
{
    const auto begin = Clock::now();
    std::string missing = "nothing was asked yet";
    while (!missing.empty()) {
        if (interrupts > 1) {
            tell("interrupted");
            return false;
        }
        if (Clock::now() > begin + kCleanWithin * m_shape.timeScale)
            return fail("I17 the file is not whole in time: " + missing);
        if (!failAll(m_fleet->reap()))
            return false;
        missing = m_nemesis->whatIsMissing();
        if (!missing.empty())
            std::this_thread::sleep_for(5ms); // polling
    }
    tell("whole");
    m_report.cleanSeconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    return true;
}

void Run::takeCrowd()
{
    const auto crowd = m_nemesis->takeCrowd();
    if (!crowd)
        return;
    tell("of the short clients " + std::to_string(crowd->inserted) + " inserted, " + std::to_string(crowd->unsure)
        + " do not know");
    m_report.shortClients += Crowd::kClients;
    m_report.shortClientsUnsure += crowd->unsure;
    failAll(crowd->wrong);
    m_crowds.push_back(crowd->kept);
}

void Run::thrashUntil(Clock::time_point end)
{
    m_writers->beginRound();
    m_writers->go();
    while (isFine() && Clock::now() < end && interrupts == 0) {
        m_nemesis->turn();
        if (m_nemesis->takeClientsChanged())
            m_writers->setClients(m_nemesis->clients());
        failAll(m_fleet->reap());
        takeCrowd();
        std::this_thread::sleep_for(5ms); // polling
    }
}

void Run::audit()
{
    const pb::FileDescription file = m_nemesis->lastDescription();
    for (const auto& group : file.groups()) {
        const auto audit = gui::auditGroup(m_fleet->control(), group.number(), {});
        ++m_report.audits;
        if (!audit)
            fail("I1 group " + std::to_string(group.number()) + ": " + audit.error().text);
        else if (audit->unequal > 0)
            fail("I1 group " + std::to_string(group.number()) + ": " + audit->firstUnequal);
    }
}

// After the faults: heal everything, wait until it is whole in time, and check it.
bool Run::endRound()
{
    tell("mend");
    if (const auto mended = m_nemesis->mend(); !mended)
        return fail(mended.error().text);
    m_writers->setClients(m_nemesis->clients());
    if (!m_writers->halt(scaled(kAnsweredWithin)))
        fail("I17 operations are not answered long after everything was healed");
    if (!m_nemesis->awaitCrowd(scaled(30s)))
        fail("I17 the short clients do not come to an end");
    takeCrowd();
    failAll(m_fleet->reap());
    if (!isFine() || !awaitWhole())
        return false;
    m_writers->setClients(m_nemesis->clients());
    audit();
    for (const auto& kept : std::exchange(m_crowds, {}))
        m_writers->adopt(kept);
    failAll(m_writers->readBackAndJudge(m_logs));
    failAll(m_vitals.look(*m_fleet));
    failAll(m_fleet->reap());
    return failAll(m_fleet->errorsInLogs()) && isFine();
}

bool Run::drill(std::uint64_t number)
{
    ++m_report.losses;
    LossDrill drill(*m_fleet, *m_nemesis, *m_writers, m_shape, m_seed * 1'000 + number,
        [this](const std::string& line) { tell(line); });
    return failAll(drill.play()) && endRound();
}

bool Run::rounds(Clock::time_point end)
{
    if (!awaitWhole())
        return false;
    const auto length = m_arguments.isBeyondK ? 10s : 60s;
    for (int i = 0; (i < kRoundsOfCluster || m_arguments.isSoak) && Clock::now() < end && interrupts == 0; ++i) {
        thrashUntil(std::min(end, Clock::now() + length));
        if (!endRound() || (m_arguments.isBeyondK && !drill(std::uint64_t(i))))
            return false;
    }
    return failAll(m_vitals.slopes());
}

// The newest events as sentences, with the times of the story.
void Run::keepEvents()
{
    gui::Ingest& ingest = m_fleet->ingest();
    const double startNs = double(ingest.nowNs()) - double((Clock::now() - m_start).count());
    const gui::ClusterState state = ingest.state();
    std::ofstream file(m_logs + "/events.txt");
    for (const gui::RunEvent& event : ingest.eventsSince(0, gui::EventRing::kEvents).events) {
        if (event.event && event.event->has_gauges())
            continue;
        char time[32];
        std::snprintf(time, sizeof time, "%8.3f ", (double(event.runNs) - startNs) / 1e9);
        file << time << gui::processShown(event.process, state) << ": " << gui::sentence(event, state) << '\n';
    }
}

// Nothing of the cluster may be left: no process, and no descriptor of ours.
void Run::tearDown(std::size_t descriptorsBefore)
{
    std::vector<std::pair<std::string, std::pair<pid_t, std::uint64_t>>> started;
    for (const auto& process : m_fleet->all())
        started.push_back({ process->name, { process->pid, process->startTime } });
    m_writers.reset();
    m_nemesis.reset();
    m_fleet.reset();
    for (const auto& [name, process] : started)
        if (process.second != 0 && startTimeOf(process.first) == process.second)
            fail("I20 " + name + " is still there after the end");
    if (hasChildren())
        fail("I20 a process was left behind");
    if (const std::size_t now = ownDescriptors(); now > descriptorsBefore)
        fail("I20 " + std::to_string(now - descriptorsBefore) + " descriptors were left open");
}

Report Run::play(Clock::time_point end)
{
    const std::size_t descriptors = ownDescriptors();
    m_shape = drawShape(m_seed, m_arguments);
    m_fleet = std::make_unique<Fleet>(m_arguments.programs, m_logs);
    m_report.clusters = 1;
    if (const auto started = m_fleet->start(m_shape); !started) {
        fail(started.error().text);
    } else {
        tell("seed " + std::to_string(m_seed) + ", m = " + std::to_string(m_shape.m)
            + ", k = " + std::to_string(m_shape.k));
        m_nemesis = std::make_unique<Nemesis>(*m_fleet, m_shape,
            Nemesis::Options { m_seed, m_arguments.restartsCoordinator },
            [this](const std::string& line) { tell(line); });
        m_writers = std::make_unique<Writers>(m_fleet->control(), m_seed, scaled(kCleanWithin));
        (void)rounds(end); // errors are counted
        m_report.faults = m_nemesis->counts();
        m_report.figures = m_writers->figures();
        failAll(m_fleet->errorsInLogs());
        if (!isFine())
            keepEvents();
    }
    tearDown(descriptors);
    std::printf("cluster of seed %llu (m = %u, k = %u): %s\n", static_cast<unsigned long long>(m_seed), m_shape.m,
        m_shape.k, m_vitals.describe().c_str());
    if (!isFine())
        std::printf("logs, events, story and histories are in %s\nrepeat the draws: ./run test thrash --seed %llu "
                    "--minutes %g%s\n",
            m_logs.c_str(), static_cast<unsigned long long>(m_seed), m_arguments.minutes,
            m_arguments.isBeyondK ? " --beyond-k" : "");
    std::fflush(stdout);
    return m_report;
}

int run(const Arguments& arguments)
{
    const auto end = Clock::now()
        + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(60 * arguments.minutes));
    std::uint64_t seed = arguments.seed;
    Report all;
    do {
        const std::string logs = arguments.logs + "/" + std::to_string(seed);
        std::error_code error;
        std::filesystem::remove_all(logs, error);
        if (!std::filesystem::create_directories(logs, error)) {
            std::fprintf(stderr, "no directory %s for the logs: %s\n", logs.c_str(), error.message().c_str());
            return 1;
        }
        all.add(Run(arguments, seed, logs).play(end));
        if (all.violations == 0)
            std::filesystem::remove_all(logs, error); // nothing to keep
        ++seed;
    } while (all.violations == 0 && Clock::now() < end && interrupts == 0);
    std::printf("%s%s\n", all.words().c_str(), all.violations == 0 ? "no violation" : "FAILED");
    return all.violations == 0 ? 0 : 1;
}

// A crowd needs a socket for each of its clients.
void allowManyDescriptors()
{
    rlimit limit {};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 4'096) {
        limit.rlim_cur = std::min<rlim_t>(4'096, limit.rlim_max);
        ::setrlimit(RLIMIT_NOFILE, &limit); // if it fails, the crowd reports that it is smaller
    }
}

} // namespace

} // namespace lhrs::thrash

int main(int argc, char** argv)
{
    using lhrs::thrash::usage;
    lhrs::thrash::Arguments arguments;
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    arguments.programs = self.parent_path().string();
    arguments.logs = (self.parent_path().parent_path() / "log" / "thrash").string();
    const std::map<std::string_view, bool*> switches { { "--beyond-k", &arguments.isBeyondK },
        { "--soak", &arguments.isSoak } };
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (const auto found = switches.find(option); found != switches.end()) {
            *found->second = true;
            continue;
        }
        if (option == "--no-restarts") {
            arguments.restartsCoordinator = false;
            continue;
        }
        if (i + 1 == argc)
            return usage(std::string(option) + " is no option, or needs a value.");
        const std::string value = argv[++i];
        const std::map<std::string_view, double> most { { "--minutes", 60'000 }, { "--hours", 1'000 },
            { "--time-scale", 1'000 } };
        if (option == "--logs") {
            arguments.logs = value;
        } else if (option == "--seed") {
            const auto seed = lhrs::readSeed(value);
            if (!seed)
                return usage("--seed: " + seed.error().text + ".");
            arguments.seed = *seed;
        } else if (const auto bound = most.find(option); bound != most.end()) {
            const auto number = lhrs::readNumber<double>(value, 0.01, bound->second);
            if (!number)
                return usage(std::string(option) + ": " + number.error().text + ".");
            (option == "--time-scale" ? arguments.timeScale : arguments.minutes) = option == "--hours" ? 60 * *number
                                                                                                       : *number;
        } else {
            return usage(std::string(option) + " is no option.");
        }
    }
    for (const int number : { SIGINT, SIGTERM })
        std::signal(number, [](int) { lhrs::thrash::interrupts = lhrs::thrash::interrupts + 1; });
    lhrs::thrash::allowManyDescriptors();
    return lhrs::thrash::run(arguments);
}
