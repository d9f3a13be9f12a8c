// SPDX-License-Identifier: GPL-3.0-or-later
// The invariants: what checks each, what violates it, and that nothing else does.
#include "tests/rigs/lab/fake_process.h"
#include "tests/lab/invariant_seeds.h"
#include "tests/rigs/lab/invariant_story.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/lab/sim_recording.h"

#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/control/invariant_findings.h"
#include "gui/lab/control/lhrs/file_findings.h"
#include "gui/lab/local/session.h"
#include "node/sim/lhrs/swarm.h"

#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <random>
#include <set>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Numbers = std::set<int>;

Numbers numbersOf(const ClusterState& state, InvariantState wanted)
{
    Numbers numbers;
    for (const InvariantShown& invariant : state.invariants.all(state))
        if (invariant.state == wanted)
            numbers.insert(invariant.number);
    return numbers;
}

std::string shown(const Numbers& numbers)
{
    std::string text;
    for (const int number : numbers)
        text += invariantName(number) + " ";
    return text;
}

std::string violationsOf(const ClusterState& state)
{
    std::string text;
    for (const InvariantShown& invariant : state.invariants.all(state))
        if (invariant.state == InvariantState::Violated)
            text += invariantName(invariant.number) + ": " + invariant.detail + "; ";
    return text;
}

ClusterState folded(const Story& story)
{
    ClusterState state;
    for (const auto& [process, index] : story.order) {
        const pb::Event& event = story.told.at(process)[index];
        state.apply(process, event, event.wall_ns());
    }
    return state;
}

pb::Told finding(int number, std::uint64_t checks, std::uint64_t violated)
{
    pb::Told told;
    auto& one = *told.mutable_judged()->add_findings();
    one.set_invariant(std::uint32_t(number));
    one.set_checks(checks);
    one.set_violated(violated);
    one.set_text("seen otherwise");
    return told;
}

// Applies the story in an order that keeps each process's own events in order, then lets time pass.
ClusterState inAnyOrder(const Story& story, std::uint32_t seed)
{
    std::mt19937 random(seed);
    ClusterState state;
    std::map<ProcessId, std::size_t> next;
    std::vector<ProcessId> speakers;
    std::int64_t last = 0;
    for (const auto& [process, words] : story.told)
        speakers.push_back(process);
    while (!speakers.empty()) {
        const std::size_t who = random() % speakers.size();
        const auto& words = story.told.at(speakers[who]);
        for (std::size_t count = 1 + random() % 6; count > 0 && next[speakers[who]] < words.size(); --count) {
            const pb::Event& event = words[next[speakers[who]]++];
            state.apply(speakers[who], event, event.wall_ns());
            last = std::max(last, event.wall_ns());
        }
        if (next[speakers[who]] >= words.size())
            speakers.erase(speakers.begin() + std::ptrdiff_t(who));
    }
    pb::Told settled;
    settled.mutable_judged();
    state.apply(0, settled, last + 5'000'000'000);
    return state;
}

} // namespace

class InvariantsTest : public QObject {
    Q_OBJECT
private slots:
    void nothingIsCheckedBeforeAnythingHappened();
    void aFreshFileChecksOnlyWhatItExercised();
    void anHonestFileHoldsWhatItExercised();
    void aSeededViolationIsFoundForExactlyThatInvariant_data();
    void aSeededViolationIsFoundForExactlyThatInvariant();
    void noOrderOfProcessesViolatesAnotherInvariant_data();
    void noOrderOfProcessesViolatesAnotherInvariant();
    void answersCountForExactlyTheirInvariant();
    void survivalIsPendingUntilSomebodyReadsBack();
    void aChangeUnderWayIsPending();
    void whatTheDetailLeavesOutIsADash();
    void aSplitExplainsAThirdForward();
    void whatWasMissedIsNotJudged();
    void anotherClusterKeepsWhatWasSeen();
    void everyPrefixIsAKeyframeAndItsTail();
    void simulatedRunsViolateNoInvariant_data();
    void simulatedRunsViolateNoInvariant();
    void aLedgerAmongOthersProvesNothing();
    void anAuditSpeaksOfFourInvariants();
    void theSimulatorsOwnChecksAreHeard();
    void memoryIsBounded();
    void theRecordingHasARowForEachChange();
};

void InvariantsTest::nothingIsCheckedBeforeAnythingHappened()
{
    const ClusterState state;
    QCOMPARE(numbersOf(state, InvariantState::NotChecked).size(), std::size_t(kInvariants));
    for (const InvariantShown& invariant : state.invariants.all(state))
        QCOMPARE(invariant.detail, std::string(invariantHint(invariant.number))); // the detail says what would check it
    QVERIFY(!state.invariants.anyViolated());
}

void InvariantsTest::aFreshFileChecksOnlyWhatItExercised()
{
    const ClusterState state = folded(InvariantStory());
    QCOMPARE(
        shown(numbersOf(state, InvariantState::Holds)), std::string("I15 I16 ")); // an epoch, two servers recruited
    QCOMPARE(numbersOf(state, InvariantState::NotChecked).size(), std::size_t(kInvariants - 2));
}

void InvariantsTest::anHonestFileHoldsWhatItExercised()
{
    InvariantStory story = InvariantStory::honest();
    story.recover();
    story.search(2, InvariantStory::kSpare);
    const ClusterState state = folded(story);
    QCOMPARE(violationsOf(state), std::string());
    QCOMPARE(shown(numbersOf(state, InvariantState::Holds)), std::string("I3 I4 I5 I6 I9 I10 I11 I15 I16 I22 "));
    QCOMPARE(shown(numbersOf(state, InvariantState::Pending)), std::string("I7 "));
    QCOMPARE(state.invariants.invariant(6).checks, 6u);
    QCOMPARE(state.invariants.invariant(5).checks, 8u);
    QCOMPARE(state.invariants.invariant(9).checks, 1u);
    QCOMPARE(state.invariants.invariant(10).checks, 1u);
    const InvariantShown hops = state.invariants.shown(5, state);
    QVERIFY2(hops.detail.starts_with("8 checks, last 0.000"), hops.detail.c_str());
}

void InvariantsTest::aSeededViolationIsFoundForExactlyThatInvariant_data()
{
    QTest::addColumn<int>("seed");
    for (std::size_t i = 0; i < seeds().size(); ++i)
        QTest::newRow(seeds()[i].name) << int(i);
}

void InvariantsTest::aSeededViolationIsFoundForExactlyThatInvariant()
{
    QFETCH(const int, seed);
    const Seed& wrong = seeds()[std::size_t(seed)];
    InvariantStory story = InvariantStory::honest();
    const std::size_t before = story.order.size();
    wrong.add(story);
    ClusterState state = folded(story);
    QCOMPARE(shown(numbersOf(state, InvariantState::Violated)), invariantName(wrong.number) + " ");
    QVERIFY(state.invariants.anyViolated());
    // It names the event, which is one of those that were added.
    const InvariantViolation& first = state.invariants.invariant(wrong.number).first;
    QVERIFY(first.sequence > 0 && first.sequence <= story.told.at(first.process).size() && !first.text.empty());
    QVERIFY2(std::any_of(story.order.begin() + std::ptrdiff_t(before), story.order.end(),
                 [&](const auto& at) { return at.first == first.process && at.second + 1 == first.sequence; }),
        first.text.c_str());
    // It stays violated, whatever comes.
    story.order.clear();
    for (auto& [process, words] : story.told)
        words.clear();
    story.epoch(50);
    for (const auto& [process, index] : story.order)
        state.apply(process, story.told.at(process)[index], 20'000'000'000);
    QCOMPARE(shown(numbersOf(state, InvariantState::Violated)), invariantName(wrong.number) + " ");
}

void InvariantsTest::noOrderOfProcessesViolatesAnotherInvariant_data()
{
    QTest::addColumn<int>("seed");
    QTest::newRow("nothing wrong") << -1;
    for (std::size_t i = 0; i < seeds().size(); ++i)
        QTest::newRow(seeds()[i].name) << int(i);
}

void InvariantsTest::noOrderOfProcessesViolatesAnotherInvariant()
{
    QFETCH(const int, seed);
    InvariantStory story = InvariantStory::honest();
    Numbers allowed;
    if (seed >= 0) {
        seeds()[std::size_t(seed)].add(story);
        allowed.insert(seeds()[std::size_t(seed)].number);
    } else {
        story.recover();
        story.search(2, InvariantStory::kSpare);
    }
    int found = 0;
    for (std::uint32_t order = 0; order < 30; ++order) {
        const ClusterState state = inAnyOrder(story, order);
        const Numbers violated = numbersOf(state, InvariantState::Violated);
        QVERIFY2(violated.empty() || violated == allowed, violationsOf(state).c_str());
        found += violated.empty() ? 0 : 1;
    }
    // A check that depends on a missing event is not judged; in most orders the event has arrived.
    QVERIFY(seed < 0 ? found == 0 : found > 0);
}

void InvariantsTest::answersCountForExactlyTheirInvariant()
{
    InvariantStory story = InvariantStory::honest();
    story.recover();
    for (const int number : { 1, 2, 3, 4, 7, 8, 13, 19 }) {
        ClusterState state = folded(story);
        const Numbers before = numbersOf(state, InvariantState::Holds);
        if (number != 8) {
            state.apply(0, finding(number, 12, 0), 5'000);
            Numbers held = before;
            held.insert(number);
            QCOMPARE(shown(numbersOf(state, InvariantState::Holds)), shown(held));
        }
        state.apply(0, finding(number, 12, 1), 6'000);
        QCOMPARE(shown(numbersOf(state, InvariantState::Violated)), invariantName(number) + " ");
        QCOMPARE(state.invariants.invariant(number).first, (InvariantViolation { 0, 0, 6'000, "seen otherwise" }));
        state.apply(0, finding(number, 12, 0), 7'000); // a violation is permanent
        QCOMPARE(state.invariants.shown(number, state).state, InvariantState::Violated);
    }
    ClusterState state;
    state.apply(0, finding(23, 1, 1), 1);
    state.apply(0, finding(0, 1, 1), 1);
    state.apply(0, finding(-1, 1, 1), 1);
    QVERIFY(!state.invariants.anyViolated());
    // A queue beyond its bound, as reported by a watched process.
    pb::Told told;
    auto& queue = *told.mutable_sampled()->add_queues();
    queue.set_name("inputs");
    queue.set_bound(10);
    queue.set_length(10);
    state.apply(5, told, 1);
    QCOMPARE(state.invariants.shown(20, state).state, InvariantState::Holds);
    queue.set_length(11);
    state.apply(5, told, 2);
    QCOMPARE(shown(numbersOf(state, InvariantState::Violated)), std::string("I20 "));
}

void InvariantsTest::survivalIsPendingUntilSomebodyReadsBack()
{
    InvariantStory story = InvariantStory::honest();
    ClusterState state = folded(story);
    state.apply(0, finding(7, 6, 0), 1);
    QCOMPARE(state.invariants.shown(7, state).state,
        InvariantState::NotChecked); // no failure happened that could be survived
    story.recover();
    state = folded(story);
    QCOMPARE(state.invariants.shown(7, state).state, InvariantState::Pending);
    state.apply(0, finding(7, 6, 0), 1);
    QCOMPARE(state.invariants.shown(7, state).state, InvariantState::Holds);
    // Beyond k failures nothing had to survive, and the text says so.
    auto* lost = story.tell(kCoordinator).mutable_group_lost();
    lost->add_buckets(0);
    lost->set_parity_lost(1);
    state = folded(story);
    state.apply(0, finding(7, 6, 6), 1);
    QCOMPARE(violationsOf(state), std::string());
    QCOMPARE(state.invariants.shown(18, state).state, InvariantState::Holds);
}

void InvariantsTest::aChangeUnderWayIsPending()
{
    InvariantStory story = InvariantStory::honest();
    ClusterState state = folded(story);
    for (const int number : { 1, 2, 4 })
        state.apply(0, finding(number, 6, 0), 1);
    QCOMPARE(state.invariants.invariant(11).checks, 7u); // the split, and six keys at rest
    InvariantStory later = story;
    later.order.clear();
    later.told.clear();
    later.told[kCoordinator].resize(story.told.at(kCoordinator).size());
    later.commit(2, 0, 2, 1, 1);
    for (const auto& [process, index] : later.order)
        state.apply(process, later.told.at(process)[index], 100);
    QCOMPARE(shown(numbersOf(state, InvariantState::Pending)), std::string("I1 I2 I4 I11 "));
    QVERIFY(state.invariants.shown(1, state).detail.find("bucket 0 is being split") != std::string::npos);
}

void InvariantsTest::whatTheDetailLeavesOutIsADash()
{
    ClusterState state = folded(InvariantStory::honest());
    pb::Told told;
    auto& snapshot = *told.mutable_snapshot();
    snapshot.set_process(kClient);
    snapshot.mutable_info()->set_node(kClient);
    snapshot.set_sequence(state.processes.at(kClient).sequence);
    snapshot.set_detail(pb::COUNTS);
    snapshot.mutable_client();
    state.apply(kClient, told, 1);
    for (const int number : { 5, 6, 9, 10 }) {
        const InvariantShown invariant = state.invariants.shown(number, state);
        QCOMPARE(invariant.state, InvariantState::NotChecked);
        QVERIFY2(invariant.detail.starts_with("not observed at this detail"), invariant.detail.c_str());
    }
    QCOMPARE(state.invariants.shown(15, state).state,
        InvariantState::Holds); // the structure is part of every level of detail
    snapshot.set_detail(pb::OPERATIONS);
    state.apply(kClient, told, 1);
    QCOMPARE(state.invariants.shown(5, state).state, InvariantState::Holds);
}

void InvariantsTest::aSplitExplainsAThirdForward()
{
    const auto insert = [](InvariantStory& story, std::int64_t later) {
        const std::size_t before = story.order.size();
        auto& over = story.insert(30, 7);
        over.set_forwards(3);
        over.set_path(pb::FORWARDED);
        for (std::size_t at = before; at < story.order.size(); ++at) {
            pb::Event& event = story.told.at(story.order[at].first)[story.order[at].second];
            event.set_wall_ns(event.wall_ns() + later);
        }
    };
    InvariantStory story = InvariantStory::honest();
    insert(story, 0);
    ClusterState state = folded(story);
    QCOMPARE(state.invariants.shown(5, state).state, InvariantState::Holds); // there was a split just before
    for (const bool isSplit : { false, true }) {
        // No split within the last second: the invariant waits for one, whose event may arrive later.
        story = InvariantStory::honest();
        insert(story, 5'000'000'000);
        state = folded(story);
        QCOMPARE(state.invariants.shown(5, state).state, InvariantState::Pending);
        if (isSplit) {
            story.commit(2, 0, 2, 1, 1);
            story.told.at(kCoordinator).back().set_wall_ns(5'000'000'000);
        }
        story.quiet();
        state = folded(story);
        QCOMPARE(state.invariants.shown(5, state).state, isSplit ? InvariantState::Holds : InvariantState::Violated);
    }
}

void InvariantsTest::whatWasMissedIsNotJudged()
{
    // The bucket acknowledges a delete whose event was lost; then the rank is reused.
    InvariantStory story = InvariantStory::honest();
    auto* deleted = story.tell(InvariantStory::kData0).mutable_record_deleted();
    deleted->set_key(4);
    deleted->set_rank(2);
    deleted->set_sequence(++story.sequence);
    ClusterState state = folded(story);
    pb::Told told;
    told.mutable_gap()->set_first(story.last(InvariantStory::kData0) + 1);
    told.mutable_gap()->set_last(story.last(InvariantStory::kData0) + 1);
    state.apply(InvariantStory::kData0, told, 1);
    const std::uint64_t checks = state.invariants.invariant(3).checks;
    pb::Event event;
    event.set_sequence(story.last(InvariantStory::kData0) + 2);
    event.mutable_place()->set_role(pb::DATA);
    event.mutable_record_inserted()->set_key(40);
    event.mutable_record_inserted()->set_rank(2);
    event.mutable_record_inserted()->set_sequence(story.sequence + 2);
    state.apply(InvariantStory::kData0, event, 2);
    QCOMPARE(violationsOf(state), std::string());
    QCOMPARE(state.invariants.invariant(3).checks, checks);
}

void InvariantsTest::anotherClusterKeepsWhatWasSeen()
{
    InvariantStory story = InvariantStory::honest();
    story.epoch(1);
    story.epoch(0);
    ClusterState state = folded(story);
    pb::Told told;
    told.mutable_forgotten();
    state.apply(0, told, 1);
    QCOMPARE(shown(numbersOf(state, InvariantState::Violated)), std::string("I15 "));
    QCOMPARE(state.invariants.invariant(6).checks, 6u);
    // Events of the former cluster do not count against the next one.
    const InvariantStory next = InvariantStory::honest();
    for (const auto& [process, index] : next.order)
        state.apply(process + 10'000, next.told.at(process)[index], 2);
    QCOMPARE(shown(numbersOf(state, InvariantState::Violated)), std::string("I15 "));
}

void InvariantsTest::everyPrefixIsAKeyframeAndItsTail()
{
    InvariantStory story = InvariantStory::honest();
    story.recover();
    for (const Seed& wrong : seeds())
        if (wrong.number != 22 && wrong.number != 18)
            wrong.add(story);
    const ClusterState end = folded(story);
    QVERIFY(numbersOf(end, InvariantState::Violated).size() >= 8);
    const PageSource none = [](std::int64_t, std::uint32_t) { return std::nullopt; };
    ClusterState state;
    for (std::size_t at = 0; at < story.order.size(); ++at) {
        const auto& [process, index] = story.order[at];
        state.apply(process, story.told.at(process)[index], story.told.at(process)[index].wall_ns());
        auto copy = stateOf(keyframeOf(state, true), none);
        QVERIFY(copy);
        QVERIFY(copy->invariants == state.invariants);
        if (at % 7 != 0)
            continue;
        for (std::size_t later = at + 1; later < story.order.size(); ++later) {
            const auto& [who, which] = story.order[later];
            copy->apply(who, story.told.at(who)[which], story.told.at(who)[which].wall_ns());
        }
        QVERIFY2(copy->invariants == end.invariants, std::to_string(at).c_str());
    }
}

void InvariantsTest::simulatedRunsViolateNoInvariant_data()
{
    QTest::addColumn<quint64>("seed");
    for (const quint64 seed :
        { 3, 17, 10'003, 10'042, 10'117, 20'001, 20'064, 20'133, 30'010, 30'017, 30'018, 30'041, 30'184, 30'333 })
        QTest::newRow(qPrintable(QString::number(seed))) << seed;
}

// With crashes, pauses, partitions and lost messages: correct behaviour of the protocol never looks like a violation.
void InvariantsTest::simulatedRunsViolateNoInvariant()
{
    QFETCH(const quint64, seed);
    struct Words : RunSink {
        void onEvent(ProcessId, const std::shared_ptr<const pb::Event>&, std::int64_t, std::size_t) override { }
        void onTold(ProcessId, const pb::Told&, std::int64_t) override { }
        bool wantsKeyframe() const override { return false; }
        void onKeyframe(const ClusterState&, std::int64_t) override { }
    } nobody;
    Simulation simulation(drawCase(seed));
    SimRecording live(simulation, nobody);
    QVERIFY(simulation.run());
    live.finish();
    QCOMPARE(violationsOf(live.state()), std::string());
    QVERIFY(live.state().invariants.invariant(16).checks > 0);
}

void InvariantsTest::aLedgerAmongOthersProvesNothing()
{
    ClusterState state = folded(InvariantStory::honest());
    pb::WorkloadResult read;
    read.set_operations(6);
    (*read.mutable_results())["OK"] = 5;
    read.set_missing(1);
    read.set_wrong(2);
    pb::Told told;
    *told.mutable_judged() = findingsOfVerify(read, kClient, state);
    QCOMPARE(told.judged().findings_size(), 2);
    pb::Told other;
    *other.mutable_judged() = findingsOfVerify(read, kClient + 1, state); // alice may have deleted it
    QCOMPARE(other.judged().findings_size(), 0);
    state.apply(0, told, 1);
    QCOMPARE(shown(numbersOf(state, InvariantState::Violated)), std::string("I7 I19 "));
    read.set_missing(0);
    QCOMPARE(findingsOfVerify(read, kClient, state).findings_size(), 1); // I19; no other invariant holds by it
    // Nothing missing raises no doubt.
    read.set_wrong(0);
    QCOMPARE(findingsOfVerify(read, kClient + 1, state).findings_size(), 2);
}

void InvariantsTest::anAuditSpeaksOfFourInvariants()
{
    const auto redAfter = [](const GroupAudit& audit) {
        ClusterState state;
        pb::Told told;
        *told.mutable_judged() = findingsOf(audit);
        state.apply(0, told, 1);
        return shown(numbersOf(state, InvariantState::Violated));
    };
    GroupAudit audit;
    audit.ranks = 10;
    audit.keys = 30;
    QCOMPARE(redAfter(audit), std::string());
    audit.unequal = 2;
    audit.firstUnequal = audit.firstWrong = "rank 3";
    QCOMPARE(redAfter(audit), std::string("I1 "));
    audit.unlisted = 2; // a part of these
    audit.firstUnlisted = "rank 3";
    QCOMPARE(redAfter(audit), std::string("I2 "));
    audit.unequal = audit.unlisted = 0;
    audit.misplaced = 1;
    QCOMPARE(redAfter(audit), std::string("I4 "));
    audit.misplaced = 0;
    audit.doubled = 1;
    QCOMPARE(redAfter(audit), std::string("I3 "));
}

void InvariantsTest::theSimulatorsOwnChecksAreHeard()
{
    pb::SimulationState simulation;
    QCOMPARE(findingsOf(simulation).findings_size(), 0);
    simulation.set_violation("I8: key 7 goes back");
    pb::Told told;
    *told.mutable_judged() = findingsOf(simulation);
    ClusterState state;
    state.apply(0, told, 3);
    QCOMPARE(violationsOf(state), std::string("I8: at 0.000 s: the simulator says: key 7 goes back; "));
    simulation.set_violation("something else");
    QCOMPARE(findingsOf(simulation).findings_size(), 0);
}

void InvariantsTest::memoryIsBounded()
{
    InvariantNotes notes;
    for (std::uint64_t i = 0; i < 100'000; ++i)
        notes.set({ i % 7, i, 0 }, { i, 0, 0, 0 });
    QCOMPARE(notes.entries().size(), 7 * InvariantNotes::kPerFirst);
    QVERIFY(notes.find({ 99'999 % 7, 99'999, 0 }) != nullptr); // the newest are kept
    QVERIFY(notes.find({ 0, 0, 0 }) == nullptr);
    for (std::uint64_t i = 0; i < 5'000; ++i)
        notes.set({ 100 + i, i, 0 }, {});
    QCOMPARE(notes.entries().size(), InvariantNotes::kAll);
    QVERIFY(notes.take({ 100 + 4'999, 4'999, 0 }).has_value());
    QVERIFY(!notes.take({ 100 + 4'999, 4'999, 0 }).has_value());
    // A long run keeps no more than a short one.
    InvariantStory story;
    for (std::uint32_t rank = 1; rank <= 2'000; ++rank)
        story.insert(2 * rank, rank);
    const ClusterState state = folded(story);
    QVERIFY(keyframeOf(state, true).invariants().ByteSizeLong() < 40'000);
    QCOMPARE(state.invariants.invariant(6).checks, 2'000u);
}

void InvariantsTest::theRecordingHasARowForEachChange()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    Session session;
    FakeProcess coordinator(kCoordinator, pb::COORDINATOR, "coordinator");
    coordinator.answer([&](const pb::Command& command) -> std::optional<pb::CommandReply> {
        return command.has_take_snapshot() ? std::optional(FakeProcess::snapshotOf(coordinator, 0)) : std::nullopt;
    });
    const auto recorder = recorderAt(path);
    session.ingest().recordTo(recorder.get());
    session.control().addProcess(coordinator.info());
    const auto epoch = [](std::uint64_t number) {
        pb::Event event;
        event.mutable_epoch_changed()->mutable_view()->set_epoch(number);
        return event;
    };
    std::uint64_t next = 1;
    QTRY_VERIFY_WITH_TIMEOUT((coordinator.publish(next, { epoch(next) }), ++next,
                                 session.ingest().state().invariants.invariant(15).checks > 2),
        20'000);
    coordinator.publish(next, { epoch(1) });
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().state().invariants.anyViolated(), 20'000);
    session.ingest().judge(finding(1, 5, 0).judged());
    QCOMPARE(session.ingest().settledInvariants().invariants.invariant(1).checks, 5u);
    session.ingest().recordTo(nullptr);
    QCOMPARE(recorder->finish(), QString());
    auto recording = Recording::open(path);
    QVERIFY(recording);
    QStringList rows;
    for (const auto& row : (*recording)->rows("lamp"))
        rows << row.at("invariant").toString() + " " + row.at("state").toString();
    QCOMPARE(rows, (QStringList { "I15 holds", "I15 violated", "I1 holds", "I1 holds", "I15 violated" }));
    // A replay shows the invariants of its instant.
    const auto begin = (*recording)->stateAt(1), end = (*recording)->stateAt((*recording)->events());
    QVERIFY(begin && end && !begin->invariants.anyViolated() && end->invariants.anyViolated());
    QCOMPARE(end->invariants.invariant(1).checks, 5u);
}

QTEST_GUILESS_MAIN(InvariantsTest)
#include "tst_invariants.moc"
