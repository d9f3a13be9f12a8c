// SPDX-License-Identifier: GPL-3.0-or-later
// The fold of failures: suspicion, failure, the cut, slices, the bucket's return, and loss.
#include "tests/rigs/lab/fold_story.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr ProcessId kBucket1 = kNodes + 1, kParity = kNodes + 1000, kSpare = kNodes + 500;

pb::View& tellEpoch(Story& story, std::uint64_t epoch, pb::GroupState state)
{
    pb::View& view = *story.tell(kCoordinator).mutable_epoch_changed()->mutable_view();
    view.set_group(0);
    view.set_epoch(epoch);
    view.set_state(state);
    return view;
}

void addMember(pb::View& view, pb::Role role, std::uint32_t index, pb::MemberState state, ProcessId process)
{
    pb::Member& member = *view.add_members();
    member.set_role(role);
    member.set_index(index);
    member.set_state(state);
    member.mutable_holder()->set_node(process);
}

void tellFailure(Story& story, std::uint32_t bucket, ProcessId process)
{
    auto* suspected = story.tell(kCoordinator).mutable_member_suspected();
    suspected->set_role(pb::DATA);
    suspected->set_index(bucket);
    suspected->set_reason("a member of its group has not heard of it");
    auto* failed = story.tell(kCoordinator).mutable_bucket_failed();
    failed->set_role(pb::DATA);
    failed->set_index(bucket);
    failed->set_process(process);
    failed->set_reason("it does not answer probes");
}

void tellSlices(Story& story, std::uint64_t recovery, std::uint32_t count)
{
    for (std::uint32_t number = 0; number < count; ++number) {
        auto* recovered = story.tell(kParity).mutable_slice_recovered();
        recovered->set_recovery(recovery);
        recovered->set_number(number);
        recovered->set_rank_from(2 * number + 1);
        recovered->set_rank_to(2 * number + 2);
        recovered->set_records(2);
        recovered->set_bytes(200);
        auto* stored = story.tell(kSpare).mutable_slice_stored();
        stored->set_recovery(recovery);
        stored->set_number(number);
        for (const std::uint32_t rank : { 2 * number + 1, 2 * number + 2 }) {
            stored->add_ranks(rank);
            stored->add_keys(100 + rank);
        }
        stored->set_count(2 * number + 2);
    }
}

// Bucket 1 of a file with four fails; the first attempt fails, the second one restores it on a spare.
Story recovery(bool isFinished)
{
    Story story = growth(3, 5);
    tellFailure(story, 1, kBucket1);
    addMember(tellEpoch(story, 5, pb::GROUP_FROZEN), pb::DATA, 1, pb::FAILED, kBucket1);
    addMember(tellEpoch(story, 6, pb::GROUP_DEGRADED), pb::DATA, 1, pb::FAILED, kBucket1);
    story.tell(kCoordinator).mutable_spare_missing()->set_role(pb::DATA);
    story.start(kSpare, pb::NODE, "spare", pb::DATA);
    story.recruit(kSpare, pb::DATA, 1, 0, 90, 2);
    story.become(kSpare, pb::RECOVERING, 2);
    for (const std::uint64_t id : { 7u, 8u }) {
        auto* started = story.tell(kCoordinator).mutable_recovery_started();
        started->set_recovery(id);
        started->add_buckets(1);
        auto* decoder = story.tell(kParity).mutable_decoder_chosen();
        decoder->set_recovery(id);
        decoder->add_lost()->set_position(1);
        decoder->mutable_lost(0)->add_coefficients(std::uint32_t(id));
        tellSlices(story, id, id == 7 ? 1 : 3);
    }
    if (!isFinished)
        return story;
    story.become(kSpare, pb::UP, 2);
    addMember(tellEpoch(story, 7, pb::GROUP_DEGRADED), pb::DATA, 1, pb::UP, kSpare);
    auto* finished = story.tell(kCoordinator).mutable_recovery_finished();
    finished->set_recovery(8);
    finished->add_buckets(1);
    finished->set_total_ns(150'000'000);
    tellEpoch(story, 8, pb::GROUP_UP);
    return story;
}

} // namespace

class FoldFailuresTest : public QObject {
    Q_OBJECT
private slots:
    void aFailedBucketIsDownUntilAnotherTakesItsPlace();
    void aRecoveryIsCountedSliceBySlice();
    void anyOrderOfProcessesGivesTheSameState();
    void aLateWordOfTheFailedBucketDoesNotRaiseIt();
    void aSuspicionEndsWhenAllAnswer();
    void aLostGroupKeepsItsLoss();
    void aParityBucketCountsAgainOnlyWhenItIsFull();
    void aPauseIsNoEnd();
    void aKillThatHasHappenedIsNoArmedFault();
    void whoComesLateSeesWhatFailedBefore();
    void aCoordinatorThatListensTellsNothingOfTheFile();
    void aRecoveryEndsWithItsGroupWhole();
};

void FoldFailuresTest::aFailedBucketIsDownUntilAnotherTakesItsPlace()
{
    Story story = growth(3, 5);
    ClusterState state = inOrder(story);
    QCOMPARE(state.groups.at(0).kEffective(), 1u);
    tellFailure(story, 1, kBucket1);
    state = inOrder(story);
    const DownMember* down = state.downOf(state.data.at(1));
    QVERIFY(down != nullptr && !down->isLost && down->reason == "it does not answer probes");
    QVERIFY(state.downOf(state.data.at(0)) == nullptr);
    QCOMPARE(state.groups.at(0).kEffective(), 0u);
    QVERIFY(state.groups.at(0).suspected.empty()); // now it is certain
    state = inOrder(recovery(false));
    QVERIFY(state.groups.at(0).state == pb::GROUP_DEGRADED);
    QCOMPARE(state.data.at(1).process, kSpare); // it has the place in the row; the failed one is beside it
    QVERIFY(state.downOf(state.data.at(1)) == nullptr);
    QVERIFY(state.displacedData.contains(kBucket1));
    QVERIFY(state.downOf(state.displacedData.at(kBucket1)) != nullptr);
    state = inOrder(recovery(true));
    QCOMPARE(state.groups.at(0).kEffective(), 1u);
    QVERIFY(state.groups.at(0).down.empty() && state.groups.at(0).state == pb::GROUP_UP);
}

void FoldFailuresTest::aRecoveryIsCountedSliceBySlice()
{
    ClusterState state = inOrder(recovery(false));
    const RecoveryState& recovery1 = state.groups.at(0).recovery;
    QCOMPARE(recovery1.id, std::uint64_t(8)); // the first attempt is dropped
    QCOMPARE(recovery1.slices, 3u);
    QCOMPARE(recovery1.records, 6u);
    QCOMPARE(recovery1.bytes, std::uint64_t(600));
    QCOMPARE(recovery1.rankTo, 6u);
    QVERIFY(recovery1.isUnderWay());
    QVERIFY(state.file.waitsFor.empty()); // the spare has come
    QVERIFY(recovery1.decoder);
    QCOMPARE(recovery1.decoder->lost(0).coefficients(0), 8u); // of the second attempt
    QCOMPARE(state.data.at(1).slicesStored, 3u);
    QCOMPARE(state.data.at(1).ranks.count(), 6u);
    QCOMPARE(state.data.at(1).ranks.at(5), std::uint64_t(105));
    QVERIFY(!inOrder(recovery(true)).groups.at(0).recovery.isUnderWay());
}

void FoldFailuresTest::anyOrderOfProcessesGivesTheSameState()
{
    const Story story = recovery(true);
    const QString expected = QString::fromStdString(textOf(inOrder(story)));
    for (std::uint32_t seed = 1; seed < 60; ++seed)
        QCOMPARE(QString::fromStdString(textOf(interleaved(story, seed))), expected);
}

void FoldFailuresTest::aLateWordOfTheFailedBucketDoesNotRaiseIt()
{
    Story story = growth(3, 5);
    tellFailure(story, 1, kBucket1);
    story.become(kBucket1, pb::UP, 2); // the bucket believes so
    const ClusterState state = inOrder(story);
    QVERIFY(state.downOf(state.data.at(1)) != nullptr);
}

void FoldFailuresTest::aSuspicionEndsWhenAllAnswer()
{
    Story story = growth(3, 5);
    auto* suspected = story.tell(kCoordinator).mutable_member_suspected();
    suspected->set_role(pb::PARITY);
    suspected->set_index(0);
    suspected->set_reason("a data bucket has no acknowledgement of it");
    ClusterState state = inOrder(story);
    QVERIFY(state.suspicionOf(pb::PARITY, 0, 0) != nullptr);
    QVERIFY(state.suspicionOf(pb::DATA, 0, 0) == nullptr);
    story.tell(kCoordinator).mutable_members_answered()->set_group(0);
    state = inOrder(story);
    QVERIFY(state.suspicionOf(pb::PARITY, 0, 0) == nullptr);
}

void FoldFailuresTest::aLostGroupKeepsItsLoss()
{
    Story story = growth(3, 5);
    for (const std::uint32_t bucket : { 1u, 2u })
        tellFailure(story, bucket, kNodes + bucket);
    auto* lost = story.tell(kCoordinator).mutable_group_lost();
    lost->add_buckets(1);
    lost->add_buckets(2);
    pb::View& view = tellEpoch(story, 9, pb::GROUP_LOST);
    addMember(view, pb::DATA, 1, pb::MEMBER_LOST, kNodes + 1);
    addMember(view, pb::DATA, 2, pb::MEMBER_LOST, kNodes + 2);
    addMember(view, pb::DATA, 0, pb::UP, kNodes);
    const ClusterState state = inOrder(story);
    QVERIFY(state.groups.at(0).state == pb::GROUP_LOST);
    QVERIFY(state.downOf(state.data.at(1))->isLost && state.downOf(state.data.at(2))->isLost);
    QVERIFY(state.downOf(state.data.at(0)) == nullptr);
    for (std::uint32_t seed = 1; seed < 20; ++seed)
        QCOMPARE(QString::fromStdString(textOf(interleaved(story, seed))), QString::fromStdString(textOf(state)));
}

void FoldFailuresTest::aParityBucketCountsAgainOnlyWhenItIsFull()
{
    Story story = growth(3, 5);
    auto* failed = story.tell(kCoordinator).mutable_bucket_failed();
    failed->set_role(pb::PARITY);
    failed->set_index(0);
    failed->set_process(kParity);
    addMember(tellEpoch(story, 5, pb::GROUP_DEGRADED), pb::PARITY, 0, pb::FAILED, kParity);
    QCOMPARE(inOrder(story).groups.at(0).kEffective(), 0u);
    addMember(tellEpoch(story, 6, pb::GROUP_DEGRADED), pb::PARITY, 0, pb::INIT, kSpare);
    QCOMPARE(inOrder(story).groups.at(0).kEffective(), 0u);
    addMember(tellEpoch(story, 7, pb::GROUP_UP), pb::PARITY, 0, pb::UP, kSpare);
    QCOMPARE(inOrder(story).groups.at(0).kEffective(), 1u);
}

void FoldFailuresTest::aPauseIsNoEnd()
{
    ClusterState state = inOrder(growth(1, 2));
    state.markPaused(kNodes, true, 4);
    QVERIFY(state.processes.at(kNodes).isPaused && !state.processes.at(kNodes).hasEnded);
    state.markEnded(kNodes, "killed on request", 5);
    QVERIFY(!state.processes.at(kNodes).isPaused);
    state.markPaused(kNodes, true, 6);
    QVERIFY(!state.processes.at(kNodes).isPaused);
}

// A simulated process publishes the fault that ends it, and nothing after it; this event may arrive after that of its
// end.
void FoldFailuresTest::aKillThatHasHappenedIsNoArmedFault()
{
    Story story = growth(1, 2);
    pb::Fault& kill = *story.tell(kNodes).mutable_fault_begun()->mutable_fault();
    kill.set_number(4);
    kill.mutable_crash();
    QVERIFY(inOrder(story).processes.at(kNodes).faults.empty());
    kill.mutable_crash()->set_at("SplitPrepared"); // a fault that waits for a step is armed until then
    QCOMPARE(inOrder(story).processes.at(kNodes).faults.size(), std::size_t(1));
}

// Bucket 1 and a parity bucket ended before watching began: only the coordinator's description mentions them.
void FoldFailuresTest::whoComesLateSeesWhatFailedBefore()
{
    pb::Snapshot coordinator;
    coordinator.set_process(kCoordinator);
    coordinator.set_sequence(100);
    coordinator.mutable_info()->set_node(kCoordinator);
    coordinator.mutable_info()->set_kind(pb::COORDINATOR);
    pb::FileDescription& file = *coordinator.mutable_file();
    file.set_exists(true);
    file.mutable_config()->set_m(4);
    file.mutable_file()->set_i(1);
    file.set_buckets(2);
    auto& group = *file.add_groups();
    group.set_k(2);
    group.mutable_view()->set_epoch(7);
    group.mutable_view()->set_state(pb::GROUP_DEGRADED);
    addMember(*group.mutable_view(), pb::DATA, 0, pb::UP, kNodes);
    addMember(*group.mutable_view(), pb::DATA, 1, pb::FAILED, kBucket1);
    addMember(*group.mutable_view(), pb::PARITY, 0, pb::FAILED, kParity);
    group.mutable_view()->mutable_members(1)->set_level(1);
    group.mutable_view()->mutable_members(1)->mutable_holder()->set_incarnation(5);

    ClusterState state;
    pb::ProcessInfo dead;
    dead.set_node(kBucket1);
    dead.set_kind(pb::NODE);
    dead.set_pool(pb::DATA);
    state.introduce(dead); // the directory still lists it
    state.apply(coordinator, 1000);
    QVERIFY(state.data.contains(1));
    const DataBucketState& lost = state.data.at(1);
    QVERIFY(lost.isOnlyDeclared && !lost.ranksAreObserved);
    QCOMPARE(lost.level, 1u);
    QVERIFY(state.downOf(lost) != nullptr && !state.downOf(lost)->isLost);
    QCOMPARE(state.processes.at(kBucket1).place.number(), 1u);
    QCOMPARE(state.processes.at(kBucket1).pool, pb::NO_ROLE);
    QVERIFY(state.downOf(state.parity.at({ 0, 0 })) != nullptr);
    QVERIFY(!state.data.contains(0)); // it lives, and reports its own state
    QCOMPARE(state.groups.at(0).kEffective(), 0u);

    // A spare that is being filled reports this itself, and takes the place.
    pb::Snapshot spare;
    spare.set_process(kSpare);
    spare.set_sequence(9);
    spare.set_incarnation(6);
    spare.mutable_info()->set_node(kSpare);
    spare.mutable_data()->set_bucket(1);
    spare.mutable_data()->set_state(pb::RECOVERING);
    state.apply(spare, 2000);
    QCOMPARE(state.data.at(1).process, kSpare);
    QVERIFY(!state.data.at(1).isOnlyDeclared && state.downOf(state.data.at(1)) == nullptr);
    // In the other order the result is the same, and a process keeps the place that it has reported.
    ClusterState other;
    other.introduce(dead);
    other.apply(spare, 1000);
    other.apply(coordinator, 2000);
    QCOMPARE(other.data.at(1).process, kSpare);
    QVERIFY(!other.data.at(1).isOnlyDeclared);
}

void FoldFailuresTest::aCoordinatorThatListensTellsNothingOfTheFile()
{
    Story story = growth(3, 5);
    ClusterState state = inOrder(story);
    const std::uint32_t buckets = state.file.buckets;
    pb::Snapshot listening;
    listening.set_process(kCoordinator + 50);
    listening.set_sequence(2);
    listening.mutable_info()->set_node(kCoordinator + 50);
    listening.mutable_info()->set_kind(pb::COORDINATOR);
    listening.mutable_file()->set_is_listening(true);
    state.markEnded(kCoordinator, "killed on request", 5);
    state.apply(listening, 10);
    QVERIFY(state.file.isBeingFound && state.file.exists);
    QCOMPARE(state.file.buckets, buckets);
    pb::Event rebuilt;
    rebuilt.set_sequence(3);
    rebuilt.mutable_coordinator_rebuilt()->set_buckets(buckets);
    state.apply(kCoordinator + 50, rebuilt, 20);
    QVERIFY(!state.file.isBeingFound);
}

void FoldFailuresTest::aRecoveryEndsWithItsGroupWhole()
{
    Story story = recovery(false);
    QVERIFY(inOrder(story).groups.at(0).recovery.isUnderWay());
    // Its coordinator ended; another one reports only that the group is whole.
    addMember(tellEpoch(story, 20, pb::GROUP_UP), pb::DATA, 1, pb::UP, kSpare);
    QVERIFY(!inOrder(story).groups.at(0).recovery.isUnderWay());
}

QTEST_GUILESS_MAIN(FoldFailuresTest)
#include "tst_fold_failures.moc"
