// SPDX-License-Identifier: GPL-3.0-or-later
// The ring that a watcher folds from events equals that of the machines, and it leaves the state of LH*RS unchanged.
#include "gui/lab/state/keyframe.h"
#include "tests/rigs/lab/fold_story.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/lab/ring_site.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;
using namespace lhrs::gui;

namespace {

constexpr std::uint64_t kKeys = 60;

// A ring of five: keys, a join, a leave, keys again, some of them removed.
void live(RingSite& site)
{
    for (std::uint64_t key = 0; key < kKeys; ++key)
        QCOMPARE(site.operate(pb::INSERT, key).result(), pb::OK);
    QCOMPARE(site.join().walk().change().undone(), std::string());
    QCOMPARE(site.leave(site.ring().ring(1).node()).walk().change().undone(), std::string());
    for (std::uint64_t key = 0; key < 10; ++key)
        QCOMPARE(site.operate(pb::DELETE, key).result(), pb::OK);
    for (std::uint64_t key = 0; key < kKeys; ++key)
        QCOMPARE(site.operate(pb::SEARCH, key).result(), key < 10 ? pb::NOT_FOUND : pb::OK);
    site.pass(2s);
}

const WalkNode& machineOf(const RingSite& site, std::uint64_t process)
{
    return dynamic_cast<const WalkNode&>(*site.cluster.numbered(NodeId(process))->machine);
}

// The nodes of the view and those of the site, in every respect.
void compare(const walk::RingView& view, RingSite& site)
{
    for (const auto& [process, node] : view.nodes) {
        const WalkNode& machine = machineOf(site, process);
        QCOMPARE(node.process, process);
        QCOMPARE(node.hasRange, machine.state() == pb::WALK_IN);
        QCOMPARE(view.stateOf(process), machine.state());
        QCOMPARE(node.hasId, machine.successor().node() != 0);
        QCOMPARE(node.id, machine.id().value);
        QCOMPARE(node.successor, machine.successor().node());
        QCOMPARE(node.keys, std::uint32_t(machine.store().size()));
        std::vector<std::uint64_t> ids;
        for (const auto& [place, value] : machine.store().entries())
            ids.push_back(place.id.value);
        QVERIFY(node.ids.all() == ids);
        if (node.hasRange)
            QCOMPARE(node.from, machine.from().value);
    }
    const pb::RingDescription ring = site.ring();
    const auto inRing = view.inRing();
    QCOMPARE(int(inRing.size()), ring.ring_size());
    for (int i = 0; i < ring.ring_size(); ++i) {
        QCOMPARE(inRing[std::size_t(i)]->process, ring.ring(i).node());
        QCOMPARE(inRing[std::size_t(i)]->id, ring.ring(i).id());
    }
    QCOMPARE(int(view.outside().size()), ring.spares_size());
    QCOMPARE(view.bits, ring.config().bits());
}

} // namespace

class RingFoldTest : public QObject {
    Q_OBJECT

private slots:
    void theRingIsTheOneThatTheMachinesHave();
    void anyOrderThatKeepsThatOfEachProcessGivesTheSameRing();
    void whoComesLateSeesTheSameRing();
    void aChangeIsShownStepByStep();
    void aNodeThatIsSilentBreaksTheRing();
    void everyIdHasItsOwner();
    void aKeyframeKeepsTheRing();
    void aRecordingShowsTheSameRingAtEveryInstant();
    void sumsWithoutChangesEndWhatWasObserved();
    void copiesShareIdsUntilOneWrites();
    void aRingHasNoFileAndNoInvariants();
    void aFileHasNoRing();
};

void RingFoldTest::theRingIsTheOneThatTheMachinesHave()
{
    RingSite site;
    live(site);
    const ClusterState state = folded(site.told);
    QCOMPARE(state.system, std::string(walk::kSystem));
    compare(state.ring, site);
    QCOMPARE(state.ring.joins, std::uint64_t(5)); // four nodes joined the first one, and one joined later
    QCOMPARE(state.ring.leaves, std::uint64_t(1));
    QVERIFY(!state.ring.now && !state.ring.isBroken());
    std::uint64_t steps = 0, passed = 0, answered = 0;
    for (const auto& [process, event] : site.told)
        steps += event.has_operation_done() ? event.operation_done().forwards() : 0;
    for (const auto& [process, node] : state.ring.nodes) {
        passed += node.passed;
        answered += node.answered;
    }
    QCOMPARE(state.ring.asked().queries, 2 * kKeys + 10);
    QCOMPARE(state.ring.asked().steps, steps);
    QCOMPARE(passed, steps); // nothing was lost, so nothing was retransmitted
    QCOMPARE(answered, 2 * kKeys + 10);
    QVERIFY(state.ring.meanSteps() > 1 && state.ring.meanSteps() < 3); // 2 on average
    QCOMPARE(state.clients.at(site.client).done, 2 * kKeys + 10);
    QVERIFY(state.fileClients.empty()); // it is of no file
}

void RingFoldTest::anyOrderThatKeepsThatOfEachProcessGivesTheSameRing()
{
    RingSite site(3);
    live(site);
    const walk::RingView ring = folded(site.told).ring;
    for (std::uint32_t seed = 1; seed <= 30; ++seed)
        QVERIFY2(folded(interleaved(site.told, seed)).ring == ring, qPrintable(QString::number(seed)));
}

// A watcher that joins at each stage of a join and of a leave, and after both.
void RingFoldTest::whoComesLateSeesTheSameRing()
{
    using B = pb::WalkEvent;
    for (const bool isLeave : { false, true })
        for (const B::BodyCase seen : { isLeave ? B::kLeaveOrdered : B::kJoinOrdered, B::kKeysGiven, B::kRangeTaken,
                 isLeave ? B::kNodeLeft : B::kNodeJoined }) {
            RingSite site;
            for (std::uint64_t key = 0; key < kKeys; ++key)
                site.operate(pb::INSERT, key);
            pb::Command change;
            if (isLeave)
                change.mutable_walk()->mutable_leave_ring()->set_node(site.ring().ring(3).node());
            else
                change.mutable_walk()->mutable_join_ring();
            const std::size_t ordered = site.told.size();
            const std::uint64_t ticket = site.give(change);
            QVERIFY(site.passUntil([&] {
                return std::any_of(site.told.begin() + std::ptrdiff_t(ordered), site.told.end(),
                    [seen](const RingSite::Told& told) { return told.second.walk().body_case() == seen; });
            }));
            const std::size_t before = site.told.size();
            ClusterState late;
            for (const pb::Snapshot& snapshot : site.snapshots())
                late.apply(snapshot, 1);
            const walk::RingView whole = folded(site.told).ring;
            const bool isOver = seen == B::kNodeLeft || seen == B::kNodeJoined;
            QCOMPARE(whole.now.has_value(), !isOver);
            QVERIFY(late.ring.now == whole.now);
            QCOMPARE(late.ring.stage(), whole.stage());
            QCOMPARE(site.await(ticket).walk().change().undone(), std::string());
            site.pass(2s);
            for (std::size_t i = before; i < site.told.size(); ++i)
                late.apply(site.told[i].first, site.told[i].second, 2);
            compare(late.ring, site);
            QVERIFY(late.ring.asked() == folded(site.told).ring.asked());
        }
}

void RingFoldTest::aChangeIsShownStepByStep()
{
    RingSite site;
    for (std::uint64_t key = 0; key < kKeys; ++key)
        site.operate(pb::INSERT, key);
    const std::size_t before = site.told.size();
    const pb::RingChangeResult joined = site.join().walk().change();
    const pb::RingChangeResult left = site.leave(joined.node().node()).walk().change();
    site.pass(1s);
    ClusterState state;
    QStringList seen;
    for (std::size_t i = 0; i < site.told.size(); ++i) {
        state.apply(site.told[i].first, site.told[i].second, std::int64_t(i));
        if (i < before || !site.told[i].second.has_walk())
            continue;
        const walk::RingView& ring = state.ring;
        const QString shown = ring.now ? QString("%1 %2 %3 of %4")
                                             .arg(ring.now->number)
                                             .arg(ring.now->isLeave ? "leaves" : "joins")
                                             .arg(int(ring.stage()))
                                             .arg(ring.stateOf(ring.now->node))
                                       : QString("none");
        if (seen.isEmpty() || seen.back() != shown)
            seen << shown;
        if (ring.now) {
            QCOMPARE(ring.now->node, joined.node().node());
            QCOMPARE(ring.now->id, joined.node().id());
            QCOMPARE(ring.ownerOf(ring.now->id) == nullptr, ring.stage() == walk::RingStage::Given); // no node answers
        }
    }
    // By number: joining, then in the ring; leaving.
    const QString six = QString::number(joined.change()), seven = QString::number(left.change());
    QCOMPARE(seen,
        (QStringList { six + " joins 0 of 2", six + " joins 1 of 2", six + " joins 2 of 3", "none",
            seven + " leaves 0 of 4", seven + " leaves 1 of 4", seven + " leaves 2 of 4", "none" }));
    QVERIFY(joined.keys() > 0);
    QCOMPARE(left.keys(), joined.keys());
}

void RingFoldTest::aNodeThatIsSilentBreaksTheRing()
{
    RingSite site;
    const std::uint64_t node = site.ring().ring(2).node();
    pb::Command pause;
    pb::Fault& fault = *pause.mutable_arm_fault()->mutable_fault();
    fault.set_number(1);
    fault.set_lease_ms(5'000);
    fault.mutable_pause();
    QCOMPARE(site.answerNow(pause, node).refusal(), pb::NOT_REFUSED);
    site.pass(4s);
    ClusterState state = folded(site.told);
    QVERIFY(state.ring.isBroken());
    QVERIFY(state.ring.lost == std::set<std::uint64_t> { node });
    ClusterState late;
    for (const pb::Snapshot& snapshot : site.snapshots())
        late.apply(snapshot, 1);
    QVERIFY(late.ring.lost == state.ring.lost);
    site.pass(4s);
    QVERIFY(!folded(site.told).ring.isBroken());
}

void RingFoldTest::everyIdHasItsOwner()
{
    RingSite site(7, 6, 6);
    const walk::RingView ring = folded(site.told).ring;
    for (std::uint64_t id = 0; id < 1u << 16; id += 37) {
        const walk::RingNode* owner = ring.ownerOf(id);
        QVERIFY(owner != nullptr);
        QVERIFY(machineOf(site, owner->process).answersFor(RingId(id)));
    }
}

void RingFoldTest::aKeyframeKeepsTheRing()
{
    RingSite site;
    live(site);
    const PageSource none = [](std::int64_t, std::uint32_t) { return std::optional<pb::RankPage>(); };
    ClusterState state;
    std::set<std::string> kinds; // with a change under way, and without one
    for (std::size_t i = 0; i < site.told.size(); ++i) {
        state.apply(site.told[i].first, site.told[i].second, std::int64_t(i));
        if (i % 50 != 0 && !state.ring.now)
            continue;
        const auto read = stateOf(keyframeOf(state, false), none);
        QVERIFY(read);
        QCOMPARE(read->system, state.system);
        QVERIFY(read->ring == state.ring);
        kinds.insert(state.ring.now ? "change" : "rest");
    }
    QCOMPARE(kinds.size(), std::size_t(2));
}

void RingFoldTest::aRecordingShowsTheSameRingAtEveryInstant()
{
    RingSite site(1, 3, 4);
    live(site);
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path, often(97));
    QVERIFY(recorder);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    for (const auto& [process, event] : site.told)
        feeder.event(process, event);
    QCOMPARE(recorder->finish(), QString());
    auto recording = Recording::open(path);
    QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
    QCOMPARE((*recording)->damage(), QString());
    for (std::uint64_t event = 1; event <= feeder.after.size(); event += 13) {
        const auto state = (*recording)->stateAt(event);
        QVERIFY2(state, state ? "" : state.error().text.c_str());
        QCOMPARE(bytesOf(*state), feeder.after[event - 1]);
    }
    const auto last = (*recording)->stateAt(feeder.after.size());
    QVERIFY(last && last->ring == folded(site.told).ring);
}

void RingFoldTest::sumsWithoutChangesEndWhatWasObserved()
{
    RingSite site;
    for (std::uint64_t key = 0; key < kKeys; ++key)
        site.operate(pb::INSERT, key);
    ClusterState state = folded(site.told);
    const std::uint64_t process = state.ring.inRing().front()->process;
    const std::uint32_t keys = state.ring.find(process)->keys;
    pb::Event event;
    event.mutable_gauges()->set_without_changes(true);
    event.mutable_gauges()->set_records(keys);
    state.apply(process, event, 1);
    QVERIFY(state.ring.find(process)->idsAreObserved);
    event.mutable_gauges()->set_records(keys + 5);
    state.apply(process, event, 2);
    QVERIFY(!state.ring.find(process)->idsAreObserved);
    QCOMPARE(state.ring.find(process)->keys, keys + 5);
}

void RingFoldTest::copiesShareIdsUntilOneWrites()
{
    walk::RingIds first;
    for (std::uint64_t id = 0; id < walk::RingIds::kMost + 10; ++id)
        first.add(id);
    QCOMPARE(first.all().size(), walk::RingIds::kMost); // the rest cannot be told apart
    walk::RingIds copy = first;
    QCOMPARE(copy.all().data(), first.all().data());
    first.remove(17);
    first.removeRange(4'000, 10); // past 0
    QCOMPARE(first.all().front(), std::uint64_t(11));
    QCOMPARE(first.all().back(), std::uint64_t(4'000));
    QCOMPARE(first.all().size(), walk::RingIds::kMost - 1 - 11 - 95);
    QCOMPARE(copy.all().size(), walk::RingIds::kMost);
    copy.clear();
    copy.add(5);
    copy.add(5);
    copy.remove(5);
    QVERIFY(copy.all() == std::vector<std::uint64_t> { 5 }); // one key of two at that id was removed
}

void RingFoldTest::aRingHasNoFileAndNoInvariants()
{
    RingSite site;
    live(site);
    ClusterState state = folded(site.told);
    // An LH*RS event among them has no effect, and neither has an operation with many steps.
    for (const auto& [process, events] : growth(3, 4).told)
        for (const pb::Event& event : events)
            if (!event.has_process_started())
                state.apply(kNodes + process, event, 1);
    pb::Event done;
    done.mutable_operation_done()->set_forwards(90);
    state.apply(site.client, done, 2);
    QCOMPARE(state.file.buckets, 0u);
    QVERIFY(!state.file.exists);
    QVERIFY(state.data.empty() && state.parity.empty() && state.groups.empty() && state.splits.empty());
    for (const InvariantShown& one : state.invariants.all(state))
        QVERIFY2(one.state == InvariantState::NotChecked, one.detail.c_str());
}

void RingFoldTest::aFileHasNoRing()
{
    const Story story = growth(3, 4);
    const ClusterState state = inOrder(story);
    QVERIFY(state.isOfLhrs());
    QVERIFY(state.ring == walk::RingView());
    QVERIFY(!keyframeOf(state, true).has_walk());
}

QTEST_GUILESS_MAIN(RingFoldTest)
#include "tst_ring_fold.moc"
