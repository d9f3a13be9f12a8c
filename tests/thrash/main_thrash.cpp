// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-thrash: real processes whose clients write histories while others of them are killed, put to sleep, cut off and
// disturbed. After each round everything is healed; then the file must be whole in time, its parity right, every answer
// explained by some order, and every acknowledged key there.
#include "gui/lab/audit.h"
#include "tests/thrash/breaker.h"
#include "tests/thrash/fleet.h"
#include "tests/thrash/writers.h"

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

constexpr auto kCleanWithin = 20s; // times the time scale
constexpr int kRoundsOfCluster = 3;

volatile std::sig_atomic_t isInterrupted = 0;

struct Arguments {
    std::uint64_t seed = 1;
    double minutes = 0.5;
    std::string programs;
    std::string logs;
    bool restartsCoordinator = false;
};

int usage(const char* wrong)
{
    std::fprintf(stderr, "%s\nlhrs-thrash [--seed S] [--minutes T] [--logs DIRECTORY] [--restart-coordinator]\n", wrong);
    return 2;
}

// What one cluster went through, and what was wrong.
class Run {
public:
    Run(const Arguments& arguments, std::uint64_t seed, const std::string& logs)
        : m_arguments(arguments), m_seed(seed), m_logs(logs), m_story(logs + "/story.txt")
    {
    }

    // Rounds until the time is over; false: something was wrong.
    bool play(Clock::time_point end);

private:
    bool round(Clock::time_point end);
    bool awaitWhole(Breaker& breaker);
    bool fail(const std::string& what);
    bool failAll(const std::vector<std::string>& all);
    void tell(const std::string& line);

    const Arguments& m_arguments;
    const std::uint64_t m_seed;
    const std::string m_logs;
    const Clock::time_point m_start = Clock::now();
    std::ofstream m_story;
    Shape m_shape;
    std::unique_ptr<Fleet> m_fleet;
    std::unique_ptr<Breaker> m_breaker;
    std::unique_ptr<Writers> m_writers;
};

Shape drawShape(std::uint64_t seed)
{
    Generator draws(seed, DrawnFor::Configuration);
    Shape shape;
    switch (draws.below(3)) {
    case 0: break;                           // one group of 4 + 2, a spare of each kind
    case 1: shape = { 2, 1, 4, 5, 3 }; break; // two groups of 2 + 1
    default: shape = { 3, 2, 3, 5, 3 }; break;
    }
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
    tell("WRONG " + what);
    std::printf("WRONG  %s\n", what.c_str());
    return false;
}

bool Run::failAll(const std::vector<std::string>& all)
{
    for (const std::string& one : all)
        fail(one);
    return all.empty();
}

bool Run::awaitWhole(Breaker& breaker)
{
    const auto end = Clock::now() + kCleanWithin * m_shape.timeScale;
    std::string missing = "nothing was asked yet";
    while (!missing.empty()) {
        if (Clock::now() > end || isInterrupted != 0)
            return fail("I17 the file is not whole in time: " + missing);
        if (!failAll(m_fleet->reap()))
            return false;
        missing = breaker.whatIsMissing();
        if (!missing.empty())
            std::this_thread::sleep_for(5ms); // looks again
    }
    tell("whole");
    return true;
}

bool Run::round(Clock::time_point end)
{
    m_writers->beginRound();
    m_writers->go();
    bool isFine = true;
    while (isFine && Clock::now() < end && isInterrupted == 0) {
        m_breaker->turn();
        if (m_breaker->takeClientsChanged())
            m_writers->setClients(m_breaker->clients());
        isFine = failAll(m_fleet->reap());
        std::this_thread::sleep_for(5ms); // looks again
    }
    tell("mend");
    if (const auto mended = m_breaker->mend(); !mended)
        return fail(mended.error().text);
    m_writers->setClients(m_breaker->clients());
    if (!m_writers->halt(60s))
        isFine = fail("I17 operations are not answered within a minute after everything was healed");
    isFine = failAll(m_fleet->reap()) && isFine;
    if (!isFine || !awaitWhole(*m_breaker))
        return false;
    for (std::uint32_t group = 0; group < m_breaker->groups(); ++group) {
        const auto audit = gui::auditGroup(m_fleet->control(), group, {});
        if (!audit)
            isFine = fail("I1 group " + std::to_string(group) + ": " + audit.error().text);
        else if (audit->unequal > 0)
            isFine = fail("I1 group " + std::to_string(group) + ": " + audit->firstUnequal);
    }
    isFine = failAll(m_writers->readBackAndJudge(m_logs)) && isFine;
    isFine = failAll(m_fleet->reap()) && isFine;
    return failAll(m_fleet->errorsInLogs()) && isFine;
}

bool Run::play(Clock::time_point end)
{
    m_shape = drawShape(m_seed);
    m_fleet = std::make_unique<Fleet>(m_arguments.programs, m_logs);
    if (const auto started = m_fleet->start(m_shape); !started)
        return fail(started.error().text);
    tell("seed " + std::to_string(m_seed) + ", m = " + std::to_string(m_shape.m) + ", k = " + std::to_string(m_shape.k));
    m_breaker = std::make_unique<Breaker>(*m_fleet, m_shape, Breaker::Options { m_seed, m_arguments.restartsCoordinator },
        [this](const std::string& line) { tell(line); });
    m_writers = std::make_unique<Writers>(m_fleet->control(), m_seed);
    bool isFine = awaitWhole(*m_breaker);
    for (int i = 0; i < kRoundsOfCluster && isFine && Clock::now() < end && isInterrupted == 0; ++i)
        isFine = round(std::min(end, Clock::now() + 60s));
    int faults = 0;
    std::string counts;
    for (const auto& [name, count] : m_breaker->counts()) {
        faults += count;
        counts += (counts.empty() ? "" : ", ") + name + " " + std::to_string(count);
    }
    const Writers::Figures figures = m_writers->figures();
    std::string outcomes;
    for (const auto& [name, count] : figures.outcomes)
        outcomes += (outcomes.empty() ? "" : ", ") + name + " " + std::to_string(count);
    std::printf("seed %llu (m = %u, k = %u): %d faults and splits (%s); %llu operations (%s), %llu keys retired; longest wait %.0f ms\n",
        static_cast<unsigned long long>(m_seed), m_shape.m, m_shape.k, faults, counts.c_str(),
        static_cast<unsigned long long>(figures.operations), outcomes.c_str(), static_cast<unsigned long long>(figures.retired),
        double(figures.longestNs) / 1e6);
    if (!isFine)
        std::printf("logs, story and histories are in %s\nrepeat the draws: ./run test thrash --seed %llu --minutes %g\n", m_logs.c_str(),
            static_cast<unsigned long long>(m_seed), m_arguments.minutes);
    std::fflush(stdout);
    return isFine;
}

int run(const Arguments& arguments)
{
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(60 * arguments.minutes));
    std::uint64_t seed = arguments.seed;
    bool isFine = true;
    do {
        const std::string logs = arguments.logs + "/" + std::to_string(seed);
        std::error_code error;
        std::filesystem::remove_all(logs, error);
        if (!std::filesystem::create_directories(logs, error)) {
            std::fprintf(stderr, "no directory %s for the logs: %s\n", logs.c_str(), error.message().c_str());
            return 1;
        }
        isFine = Run(arguments, seed, logs).play(end);
        if (isFine)
            std::filesystem::remove_all(logs, error); // nothing to be seen
        ++seed;
    } while (isFine && Clock::now() < end && isInterrupted == 0);
    std::printf("%s\n", isFine ? "no violation" : "FAILED");
    return isFine ? 0 : 1;
}

} // namespace

} // namespace lhrs::thrash

int main(int argc, char** argv)
{
    lhrs::thrash::Arguments arguments;
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    arguments.programs = self.parent_path().string();
    arguments.logs = (self.parent_path().parent_path() / "log" / "thrash").string();
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--restart-coordinator") {
            arguments.restartsCoordinator = true;
            continue;
        }
        if (i + 1 == argc)
            return lhrs::thrash::usage((std::string(option) + " is no option, or needs a value.").c_str());
        char* end = nullptr;
        const char* value = argv[++i];
        if (option == "--seed")
            arguments.seed = std::strtoull(value, &end, 0);
        else if (option == "--minutes")
            arguments.minutes = std::strtod(value, &end);
        else if (option == "--logs")
            arguments.logs = value;
        else
            return lhrs::thrash::usage((std::string(option) + " is no option.").c_str());
        if (end != nullptr && (*end != '\0' || end == value))
            return lhrs::thrash::usage((std::string(value) + " is no number.").c_str());
    }
    for (const int number : { SIGINT, SIGTERM })
        std::signal(number, [](int) { lhrs::thrash::isInterrupted = 1; });
    return lhrs::thrash::run(arguments);
}
