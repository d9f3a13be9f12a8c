// SPDX-License-Identifier: GPL-3.0-or-later
// The whole store in the simulator: fixed seeds, and by command any seed, range or case.
#include "common/check/say.h"
#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"
#include "common/number_words.h"
#include "node/sim/engine/event_lines.h"
#include "node/sim/lhrs/shrink.h"
#include "node/sim/lhrs/simulation.h"
#include "node/sim/lhrs/swarm.h"
#include "tests/rigs/lab/sim_recording.h"

#include "gui/lab/recording/recording.h"

#include <QCoreApplication>
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

using namespace lhrs;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(_GLIBCXX_TSAN)
constexpr std::uint64_t kShare = 10; // one seed in ten, as each takes about ten times as long
#else
constexpr std::uint64_t kShare = 1;
#endif
constexpr std::uint64_t kQuietSeeds = 30 / kShare; // 1..30, without failures
constexpr std::uint64_t kFailingSeeds = 80 / kShare; // from kFailuresFrom on, and as many from kFailpointsFrom on
constexpr std::uint64_t kRestartSeeds = 80 / kShare; // from kRestartsFrom on
constexpr std::uint64_t kWaveSeeds = 30 / kShare; // from kWavesFrom on
constexpr std::uint64_t kFullSeeds = 40 / kShare; // from kFullFrom on
constexpr std::uint64_t kRunTwice = 20;

// Our own arguments; all others are Qt Test's.
struct Wish {
    std::optional<std::pair<std::uint64_t, std::uint64_t>> seeds;
    std::string caseFile;
    bool isTraced = false; // --trace: every event as a line
    bool hasMessages = false; // --messages: those too
    bool isQuick = false; // --quick: no failing case is shrunk
};
Wish wish;

// Sums over all runs of this program.
struct Totals {
    std::uint64_t operations = 0;
    std::uint64_t messages = 0;
    std::uint64_t splits = 0;
    std::uint64_t beside = 0; // staged while another was under way
    std::uint64_t undone = 0;
    std::uint64_t parityAdded = 0;
    std::uint64_t recordGroups = 0;
    std::uint64_t kills = 0;
    std::uint64_t pauses = 0;
    std::uint64_t parts = 0;
    std::uint64_t slow = 0;
    std::uint64_t failed = 0;
    std::uint64_t cuts = 0;
    std::uint64_t withdrawn = 0;
    std::uint64_t recovered = 0;
    std::uint64_t degraded = 0;
    std::uint64_t lost = 0;
    std::uint64_t merges = 0;
    std::uint64_t full = 0; // servers that reached the limit of their memory
    std::uint64_t fullRuns = 0; // runs with such a server
    std::uint64_t restarts = 0; // of the coordinator
    std::uint64_t rebuilt = 0; // restarts after which the coordinator rebuilt the file
    std::uint64_t readopted = 0; // runs in which a failed bucket was readmitted
    std::uint64_t clients = 0; // killed
    std::uint64_t judged = 0;
    std::uint64_t undecided = 0;
    std::vector<double> seconds; // of wall time, by seed
    std::array<std::uint64_t, kFailpoints> fired {}; // by failpoint
    Time time {};
};
Totals totals;

void count(const Simulation& simulation)
{
    const Oracle::Counts& counts = simulation.oracle().counts();
    totals.operations += simulation.answered();
    totals.messages += simulation.cluster().messagesDelivered();
    totals.splits += counts.splits;
    totals.beside += counts.beside;
    totals.undone += counts.undone;
    totals.parityAdded += counts.parityAdded;
    totals.recordGroups += counts.recordGroups;
    const FaultInjector::Counts& broken = simulation.faultInjector().counts();
    totals.kills += broken.kills;
    totals.pauses += broken.pauses;
    totals.parts += broken.parts;
    for (std::size_t failpoint = 0; failpoint < kFailpoints; ++failpoint)
        totals.fired[failpoint] += simulation.failpoints().fired()[failpoint];
    totals.slow += broken.slow;
    totals.failed += counts.failed;
    totals.cuts += counts.cuts;
    totals.withdrawn += counts.withdrawn;
    totals.recovered += counts.recovered;
    totals.degraded += counts.degraded;
    totals.lost += counts.lost;
    totals.merges += counts.merges;
    totals.full += counts.full;
    totals.fullRuns += counts.full > 0 ? 1 : 0;
    totals.restarts += simulation.restarts();
    totals.rebuilt += counts.rebuilt;
    totals.readopted += counts.readopted > 0 ? 1 : 0;
    totals.clients += broken.clients;
    totals.judged += simulation.oracle().answers().book().judged();
    totals.undecided += simulation.oracle().answers().book().undecided();
    totals.time += simulation.cluster().now();
}

std::string hex(std::uint64_t seed)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(seed));
    return text;
}

// The mutants of tests/mutants.txt, and whether the seeds must catch it.
std::map<std::string, bool> mutants()
{
    std::map<std::string, bool> found;
    std::ifstream file(LHRS_SOURCE_DIR "/tests/mutants.txt");
    std::string name;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        if (line[0] != ' ')
            found[name = line.substr(0, line.find(':'))] = false;
        else if (line == "    seeds")
            found[name] = true;
    }
    return found;
}

// The report of a failure; `argument` reproduces the run.
std::string describe(const Simulation& simulation, const std::string& seed, const std::string& argument)
{
    const Simulation::Failure& failure = *simulation.failure();
    char at[32];
    std::snprintf(at, sizeof at, "%.3f s", double(failure.at.count()) / 1e9);
    std::string mutant;
#ifdef LHRS_MUTANTS
    if (!activeMutant.empty())
        mutant = " --mutant " + activeMutant;
#endif
    return check::say("\nFAILED ", check::nameOf(failure.invariant), "    ", seed, "    t = ", at, "\n  ", failure.text,
        "\nreproduce  ./run test sim ", argument, mutant, "\n");
}

void trace(Simulation& simulation)
{
    if (!wish.isTraced)
        return;
    simulation.setListener([&simulation](const SimProcess& process, const pb::Event& event) {
        std::printf("%12.6f  %s", double(simulation.cluster().now().count()) / 1e9,
            eventLine(simulation.cluster(), process, event, wordsOf(event.place())).c_str());
        if (event.has_operation())
            std::printf("  for %llx/%llu", static_cast<unsigned long long>(event.operation().client()),
                static_cast<unsigned long long>(event.operation().number()));
        std::printf("\n");
    });
}

// Keeps the smallest case that fails in the same way. Returns the line with its path and the cost of finding it.
std::string keepShrunk(const pb::Case& failing, int invariant)
{
    const Shrunk shrunk = shrink(failing, invariant);
    const QString folder = QDir::cleanPath(QStringLiteral(LHRS_BIN_DIR "/../failures"));
    const std::string file = folder.toStdString() + '/' + hex(failing.seed()) + ".case";
    std::string text;
    google::protobuf::TextFormat::PrintToString(shrunk.smallest, &text);
    std::ofstream out;
    if (QDir().mkpath(folder))
        out.open(file);
    out << text;
    if (!out.flush())
        return "shrunk     (could not be written to " + file + ")\n";
    const auto change = [](const char* what, auto before, auto after) {
        return check::say("  ", what, " ", before, " -> ", after);
    };
    return check::say("shrunk     ./run test sim --case ", file,
        change("clients", failing.clients(), shrunk.smallest.clients()),
        change("operations", failing.operations_size(), shrunk.smallest.operations_size()),
        change("actions", failing.actions_size(), shrunk.smallest.actions_size()), "  in ", shrunk.runs, " runs\n",
        "watch      ./run gui ",
        gui::recordCase(shrunk.smallest, folder + '/' + QString::fromStdString(hex(failing.seed())) + ".lhrun"), "\n");
}

// Runs a seed; returns the description of the failure, if any.
std::optional<std::string> play(std::uint64_t seed, std::string* hash = nullptr, bool isShrunk = false)
{
    pb::Case drawn = drawCase(seed);
    if (wish.hasMessages) // longer messages, so the run may differ
        drawn.set_with_messages(true);
    Simulation simulation(drawn);
    trace(simulation);
    const auto started = std::chrono::steady_clock::now();
    const bool isRight = simulation.run();
    totals.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
    count(simulation);
    if (hash)
        *hash = simulation.cluster().hash();
    if (isRight)
        return std::nullopt;
    std::string text = describe(simulation, "seed " + hex(seed), "--seed " + hex(seed));
    if (isShrunk)
        text += keepShrunk(drawn, simulation.failure()->invariant);
    return text;
}

Result<pb::Case> readCase(const std::string& file)
{
    std::ifstream in(file);
    if (!in)
        return Error { "the case file " + file + " cannot be read; give the path of a .case file" };
    std::stringstream text;
    text << in.rdbuf();
    pb::Case told;
    if (!google::protobuf::TextFormat::ParseFromString(text.str(), &told))
        return Error { "the case file " + file + " is not a Case in protobuf text format; the line is named above" };
    return told;
}

} // namespace

class TestSimulation : public QObject {
    Q_OBJECT

private slots:
    void aCaseSurvivesItsText();
    void theSameSeedGivesTheSameEvents_data();
    void theSameSeedGivesTheSameEvents();
    void everyFixedSeedHoldsItsInvariants_data();
    void everyFixedSeedHoldsItsInvariants();
    void everyFailpointAndFaultHasFired();
    void theOracleLooksAtWhatItShould();
    void clocksMayDrift();
    // In the mutants build only. (moc does not know which build this is.)
    void everyMutantIsCaught_data();
    void everyMutantIsCaught();
    void aFailingCaseIsMadeSmall();
};

void TestSimulation::aCaseSurvivesItsText()
{
    const pb::Case drawn = drawCase(7);
    std::string text;
    QVERIFY(google::protobuf::TextFormat::PrintToString(drawn, &text));
    pb::Case read;
    QVERIFY(google::protobuf::TextFormat::ParseFromString(text, &read));
    QCOMPARE(read.SerializeAsString(), drawn.SerializeAsString());
    QCOMPARE(drawCase(7).SerializeAsString(), drawn.SerializeAsString());
    QVERIFY(drawCase(8).SerializeAsString() != drawn.SerializeAsString());
}

void TestSimulation::theSameSeedGivesTheSameEvents_data()
{
    QTest::addColumn<quint64>("seed");
    for (std::uint64_t seed = 1; seed <= kRunTwice / 2; ++seed)
        QTest::newRow(hex(seed).c_str()) << quint64(seed);
    for (std::uint64_t seed = kFailpointsFrom; seed < kFailpointsFrom + kRunTwice / 2; ++seed)
        QTest::newRow(hex(seed).c_str()) << quint64(seed);
}

void TestSimulation::theSameSeedGivesTheSameEvents()
{
    QFETCH(const quint64, seed);
    std::string first;
    std::string second;
    (void)play(seed, &first);
    (void)play(seed, &second);
    QCOMPARE(QString::fromStdString(second), QString::fromStdString(first));
}

void TestSimulation::everyFixedSeedHoldsItsInvariants_data()
{
    QTest::addColumn<quint64>("seed");
    for (std::uint64_t seed = 1; seed <= kQuietSeeds; ++seed)
        QTest::newRow(hex(seed).c_str()) << quint64(seed);
    for (const std::uint64_t first : { kFailuresFrom, kFailpointsFrom })
        for (std::uint64_t seed = first; seed < first + kFailingSeeds; ++seed)
            QTest::newRow(hex(seed).c_str()) << quint64(seed);
    for (std::uint64_t seed = kRestartsFrom; seed < kRestartsFrom + kRestartSeeds; ++seed)
        QTest::newRow(hex(seed).c_str()) << quint64(seed);
    for (std::uint64_t seed = kWavesFrom; seed < kWavesFrom + kWaveSeeds; ++seed)
        QTest::newRow(hex(seed).c_str()) << quint64(seed);
    for (std::uint64_t seed = kFullFrom; seed < kFullFrom + kFullSeeds; ++seed)
        QTest::newRow(hex(seed).c_str()) << quint64(seed);
    // Seeds that once found errors, and some in which rare failpoints fire: RecordReadBehind, OtherSources,
    // CutReportLate.
    for (const std::uint64_t seed : { 0x4f67, 0x763a, 0x76a5, 0x781c, 0x79de, 0x7aa5, 0x5300, 0x4f60, 0x501c, 0x616,
             0x66e, 0x2d1b, 0x538d, 0x55a8, 0x6194, 0x7583, 0x793e, 0x7d1a, 0x7e0f, 0x7e31, 0x7ee7, 0x7f70, 0x7fe0,
             0x8040, 0x8048, 0x8131, 0x8162, 0x8855, 0x89ef, 0x4e85, 0x4ea1, 0x4eaf, 0x4eee, 0x4f12, 0x4e91, 0x4f10,
             0x4fe0, 0x4eb6, 0x524e, 0x5254, 0x62b51, 0x41bc02, 0x423697, 0x42a4fc, 0x43cb89 })
        QTest::newRow(hex(seed).c_str()) << quint64(seed);
}

void TestSimulation::everyFixedSeedHoldsItsInvariants()
{
    QFETCH(const quint64, seed);
    if (const auto failure = play(seed, nullptr, true))
        QFAIL(failure->c_str());
}

// A failpoint or a fault that no seed fires proves nothing.
void TestSimulation::everyFailpointAndFaultHasFired()
{
    if (totals.seconds.size() < 2 * kFailingSeeds || kShare > 1)
        QSKIP("only after all fixed seeds");
    for (std::size_t failpoint = 0; failpoint < kFailpoints; ++failpoint)
        QVERIFY2(totals.fired[failpoint] > 0, std::string(nameOf(Failpoint(failpoint))).c_str());
    QVERIFY(totals.kills > 0 && totals.pauses > 0 && totals.parts > 0 && totals.slow > 0);
    QVERIFY(totals.restarts > 0 && totals.rebuilt > 0 && totals.clients > 0 && totals.merges > 0 && totals.beside > 0);
    QVERIFY(totals.full > 0);
    QVERIFY(totals.cuts > 0 && totals.withdrawn > 0 && totals.recovered > 0 && totals.degraded > 0 && totals.lost > 0);
}

// A run in which nothing is checked would pass too.
void TestSimulation::theOracleLooksAtWhatItShould()
{
    Oracle::Counts sum;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Simulation simulation(drawCase(seed));
        QVERIFY(simulation.run());
        const Oracle::Counts& counts = simulation.oracle().counts();
        sum.recordGroups += counts.recordGroups;
        sum.acknowledgements += counts.acknowledgements;
        sum.replies += counts.replies;
        sum.splits += counts.splits;
        sum.forwards += counts.forwards;
        sum.parityAdded += counts.parityAdded;
        QVERIFY(simulation.oracle().answers().ledger().requests() >= simulation.answered() * 9 / 10);
    }
    QVERIFY(sum.recordGroups > 5'000);
    QVERIFY(sum.acknowledgements > 2'000);
    QVERIFY(sum.replies > 5'000);
    QVERIFY(sum.splits > 50);
    QVERIFY(sum.forwards > 200);
    QVERIFY(sum.parityAdded > 5);
}

// H8. Wall clocks jump by hours and rates differ by up to 5 %, without any effect. At 20 %, twice the drift that a
// fence allows, a bucket that hears no member of its group still answers when its successor is enabled. This proves
// that the check works.
void TestSimulation::clocksMayDrift()
{
    const auto runs = [](std::uint64_t seed, std::uint32_t driftPpm) {
        pb::Case told;
        told.set_seed(seed);
        told.mutable_file()->set_m(2);
        told.mutable_file()->set_availability(1);
        told.mutable_file()->set_b(64);
        told.mutable_file()->set_recovery(pb::RECOVERY_AUTOMATIC);
        told.mutable_network()->set_delay_us(100);
        told.set_data_spares(2);
        told.set_parity_spares(2);
        told.set_clients(2);
        told.set_window(1);
        told.set_step_ns(1000);
        told.set_drift_ppm(driftPpm);
        told.set_pace_us(5'000);
        for (std::uint32_t i = 0; i < 200; ++i) {
            pb::CaseOperation& operation = *told.add_operations();
            operation.set_kind(i < 5 ? pb::CaseOperation::INSERT
                    : i % 2 == 0     ? pb::CaseOperation::UPDATE
                                     : pb::CaseOperation::SEARCH);
            operation.set_client(i % 2);
            operation.set_key(i % 5);
            operation.set_length(8);
        }
        pb::CaseAction part;
        part.set_kind(pb::CaseAction::PART);
        part.set_target(pb::CaseAction::DATA_MEMBER);
        part.set_at_ms(200);
        part.set_duration_ms(2'000);
        for (const auto side : { pb::CaseAction::ITS_GROUP, pb::CaseAction::THE_COORDINATOR }) {
            part.set_side(side);
            *told.add_actions() = part;
        }
        pb::CaseAction jump;
        jump.set_kind(pb::CaseAction::SET_WALL_CLOCK);
        jump.set_target(pb::CaseAction::MEMBER);
        jump.set_argument(7);
        for (jump.set_at_ms(50); jump.at_ms() < 1'000; jump.set_at_ms(jump.at_ms() + 100)) {
            jump.set_pick(jump.at_ms() / 100);
            *told.add_actions() = jump;
        }
        Simulation simulation(told);
        const bool isRight = simulation.run();
        count(simulation);
        return isRight ? 0 : simulation.failure()->invariant;
    };
    bool isSeen = false;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        QCOMPARE(runs(seed, 50'000), 0);
        isSeen = isSeen || runs(seed, 200'000) == 9;
    }
    QVERIFY2(isSeen, "no seed shows what a drift of 20 % does");
}

#ifdef LHRS_MUTANTS
void TestSimulation::everyMutantIsCaught_data()
{
    QTest::addColumn<std::string>("mutant");
    int others = 0; // ./run test mutants runs these with their own tests
    for (const auto& [name, isForSeeds] : mutants()) {
        if (isForSeeds)
            QTest::newRow(name.c_str()) << name;
        else
            ++others;
    }
    QVERIFY(others > 1);
}

void TestSimulation::everyMutantIsCaught()
{
    constexpr std::uint64_t kSeedsMax = 2000; // the median should be at most 200
    QFETCH(const std::string, mutant);
    activeMutant = mutant;
    std::optional<std::string> caught;
    // In turn: seeds without failures, with failing processes, with coordinator restarts.
    const std::array<std::uint64_t, 3> first { 1, kFailuresFrom, kRestartsFrom };
    std::uint64_t seed = 0;
    for (; !caught && seed < kSeedsMax; ++seed)
        caught = play(first[seed % 3] + seed / 3);
    activeMutant.clear();
    QVERIFY2(caught, "no seed shows it");
    qInfo("caught after %llu seeds: %s", static_cast<unsigned long long>(seed), caught->c_str());
}

void TestSimulation::aFailingCaseIsMadeSmall()
{
    activeMutant = "WrongColumn";
    const pb::Case drawn = drawCase(1);
    Simulation simulation(drawn);
    QVERIFY(!simulation.run());
    const Shrunk shrunk = shrink(drawn, simulation.failure()->invariant);
    Simulation again(shrunk.smallest);
    QVERIFY(!again.run());
    // The window opens the recording at the violation.
    QTemporaryDir folder;
    const QString path = folder.filePath("failing.lhrun");
    QCOMPARE(QString::fromStdString(gui::recordCase(shrunk.smallest, path)), path);
    const auto recording = gui::Recording::open(path);
    QVERIFY(recording);
    QVERIFY((*recording)->isSimulated() && (*recording)->stateAt((*recording)->events()));
    QCOMPARE((*recording)->markers().back().kind, QString("violation"));
    activeMutant.clear();
    QCOMPARE(again.failure()->invariant, simulation.failure()->invariant);
    QVERIFY(drawn.operations_size() >= 200);
    // Row 0 of P is ones, so the wrong column has an effect only after a split: the small case still fills a bucket.
    QVERIFY2(shrunk.smallest.operations_size() <= 10, std::to_string(shrunk.smallest.operations_size()).c_str());
    QVERIFY(shrunk.runs <= 200);
}
#else
void TestSimulation::everyMutantIsCaught_data() { }
void TestSimulation::everyMutantIsCaught() { QSKIP("only in the mutants build"); }
void TestSimulation::aFailingCaseIsMadeSmall() { QSKIP("only in the mutants build"); }
#endif

namespace {

// Removes our arguments from the list; false with a sentence on stderr if one is wrong.
bool takeArguments(int& argc, char** argv)
{
    const auto wrong = [](const std::string& sentence) {
        std::fprintf(stderr, "%s\n", sentence.c_str());
        return false;
    };
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--messages") {
            wish.hasMessages = true;
            continue;
        }
        if (name == "--quick") {
            wish.isQuick = true;
            continue;
        }
        if (name == "--trace") {
            wish.isTraced = true;
            continue;
        }
        const bool isOurs = name == "--seed" || name == "--seeds" || name == "--case" || name == "--mutant";
        if (!isOurs) {
            argv[kept++] = argv[i];
            continue;
        }
        if (i + 1 == argc)
            return wrong(name + " wants a value");
        const std::string value = argv[++i];
        if (name == "--case") {
            wish.caseFile = value;
        } else if (name == "--mutant") {
            if (!mutants().contains(value))
                return wrong("there is no mutant " + value + "; tests/mutants.txt has their names");
#ifdef LHRS_MUTANTS
            activeMutant = value;
#else
            return wrong("this build has no mutants; build with -DLHRS_MUTANTS=ON");
#endif
        } else {
            const std::size_t dots = value.find("..");
            const auto first = readSeed(value.substr(0, dots));
            const auto last = dots == std::string::npos ? first : readSeed(value.substr(dots + 2));
            if (!first || !last || *last < *first)
                return wrong(name + " wants a number or a range A..B, not " + value);
            wish.seeds.emplace(*first, *last);
        }
    }
    argc = kept;
    return true;
}

// One line per seed and a summary; returns 0 if all held.
int playWished()
{
    if (!wish.caseFile.empty()) {
        const Result<pb::Case> told = readCase(wish.caseFile);
        if (!told) {
            std::fprintf(stderr, "%s\n", told.error().text.c_str());
            return 2;
        }
        Simulation simulation(*told);
        trace(simulation);
        const bool isRight = simulation.run();
        if (!isRight)
            std::printf("%s", describe(simulation, "case " + wish.caseFile, "--case " + wish.caseFile).c_str());
        if (!isRight && !wish.isTraced)
            std::printf("%s", keepShrunk(*told, simulation.failure()->invariant).c_str());
        std::printf("%s: %llu operations answered, %llu events, hash %s\n", isRight ? "held" : "FAILED",
            static_cast<unsigned long long>(simulation.answered()),
            static_cast<unsigned long long>(simulation.cluster().eventCount()), simulation.cluster().hash().c_str());
        return isRight ? 0 : 1;
    }
    std::uint64_t failed = 0;
    for (std::uint64_t seed = wish.seeds->first;; ++seed) {
        if (const auto failure = play(seed, nullptr, !wish.isTraced && !wish.isQuick)) {
            ++failed;
            std::printf("%s", failure->c_str());
            std::fflush(stdout);
        }
        if (seed == wish.seeds->second)
            break;
    }
    std::printf("%s\n",
        check::say(totals.operations, " operations, ", totals.messages, " messages, ", totals.splits, " splits (",
            totals.beside, " beside others), ", totals.undone, " undone, ", totals.parityAdded,
            " parity buckets added, ", totals.recordGroups, " record groups checked, ",
            totals.time / std::chrono::seconds(1), " virtual seconds")
            .c_str());
    std::printf("%s\n",
        check::say(totals.kills, " kills, ", totals.pauses, " pauses, ", totals.slow, " slow nodes, ", totals.parts,
            " partitions; ", totals.failed, " declared failed, ", totals.cuts, " cuts (", totals.withdrawn,
            " left something out), ", totals.recovered, " buckets recovered, ", totals.degraded,
            " records found without their bucket, ", totals.lost, " groups lost; ", totals.judged,
            " operations in histories, ", totals.undecided, " keys undecided")
            .c_str());
    std::printf("%s\n",
        check::say(totals.restarts, " coordinators replaced, ", totals.rebuilt, " times the file was known again, ",
            totals.clients, " clients killed, ", totals.merges, " merges, ", totals.full,
            " times a server was full (in ", totals.fullRuns, " runs); ", totals.readopted,
            " runs judged until a failed bucket was taken back")
            .c_str());
    std::string never;
    for (std::size_t failpoint = 0; failpoint < kFailpoints; ++failpoint)
        never += totals.fired[failpoint] == 0 ? ' ' + std::string(nameOf(Failpoint(failpoint))) : std::string();
    std::printf("failpoints that did not fire:%s\n", never.empty() ? " none" : never.c_str());
    if (!totals.seconds.empty()) {
        std::sort(totals.seconds.begin(), totals.seconds.end());
        std::printf(
            "median seed %.3f s, longest %.3f s\n", totals.seconds[totals.seconds.size() / 2], totals.seconds.back());
    }
    std::printf(
        "%s\n", check::say(failed, " of ", wish.seeds->second - wish.seeds->first + 1, " seeds failed").c_str());
    return failed == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    if (!takeArguments(argc, argv))
        return 2;
    const QCoreApplication application(argc, argv); // Qt's SQLite driver needs one
    if (wish.seeds || !wish.caseFile.empty())
        return playWished();
    TestSimulation test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_simulation.moc"
