// SPDX-License-Identifier: GPL-3.0-or-later
// The fold of events into the cluster's state, without sockets and without a window.
#include "tests/rigs/lab/fold_story.h"

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/words/sentences.h"
#include "gui/lab/state/process/event_ring.h"

#include <QTest>

#include <set>
#include <vector>

using namespace lhrs;
using namespace lhrs::gui;

class FoldTest : public QObject {
    Q_OBJECT
private slots:
    void aRankMapForgetsWhatIsCleared();
    void theCoordinatorsWordIsAnImageAndNoAdjustment();
    void aCopyOfARankMapKeepsItsNumbers();
    void copiesSharePagesUntilOneWrites();
    void anEmptyPageEqualsNoPage();
    void theStateAfterAGrowthIsTheOneThatWasTold();
    void anyInterleavingThatKeepsEachProcessOrderGivesTheSameState_data();
    void anyInterleavingThatKeepsEachProcessOrderGivesTheSameState();
    void changesInListsGiveTheSameBuckets_data();
    void changesInListsGiveTheSameBuckets();
    void effectsMayArriveBeforeCauses();
    void onlyTheYoungestIncarnationStandsInTheRow();
    void aReleasedBucketLeavesItsPlace();
    void aBucketIsOverflowedOnlyAboveItsCapacity();
    void aDeltaThatIsHeldIsCountedUntilItIsApplied();
    void contentsFillANewParityBucket();
    void recordsThatAreOnlyCountedAreNotObserved();
    void sumsWithoutChangesEndWhatWasObserved();
    void sumsTellTheSequenceOfABucketThatWasRebuilt();
    void anOverflowEndsWhatWasObservedOfABucketThatOnlyCounts();
    void aGapIsCountedAndMarksTheProcess();
    void aSnapshotReplacesWhatIsKnownOfItsProcess();
    void aCopyIsAPlainValue();
    void aSplitChangesNoSumOfRecords();
    void oldSplitsAreForgottenAndStayForgotten();
    void aClientKeepsItsNewestOperations();
    void unreasonableNumbersAreIgnored();
    void theRingKeepsTheNewestAndSaysWhatIsMissing();
    void theRingIsBoundedInBytes();
};

void FoldTest::aRankMapForgetsWhatIsCleared()
{
    RankMap ranks;
    QCOMPARE(ranks.rankMax(), 0u);
    ranks.set(1, 10);
    ranks.set(700, 20);
    ranks.set(700, 21);
    QCOMPARE(ranks.count(), 2u);
    QCOMPARE(ranks.rankMax(), 700u);
    QCOMPARE(ranks.at(700), 21u);
    ranks.clear(700);
    ranks.clear(700);
    ranks.clear(3);
    QCOMPARE(ranks.count(), 1u);
    QCOMPARE(ranks.rankMax(), 1u);
    QVERIFY(!ranks.has(700));
    QCOMPARE(ranks.at(700), 0u);
    ranks.clearAll();
    QCOMPARE(ranks.count(), 0u);
}

void FoldTest::aCopyOfARankMapKeepsItsNumbers()
{
    RankMap first;
    for (std::uint32_t rank = 1; rank <= 1000; ++rank)
        first.set(rank, rank * 7);
    const RankMap copy = first;
    first.set(500, 1);
    first.clear(501);
    QCOMPARE(copy.at(500), 3500u);
    QVERIFY(copy.has(501));
    QVERIFY(!(copy == first));
    RankMap other = copy;
    other.set(1, 99); // a write to the copy does not change the original either
    QCOMPARE(copy.at(1), 7u);
    QCOMPARE(first.at(1), 7u);
    other = other;
    QCOMPARE(other.at(1), 99u);
}

void FoldTest::copiesSharePagesUntilOneWrites()
{
    RankMap ranks;
    for (std::uint32_t rank = 1; rank <= 100'000; ++rank)
        ranks.set(rank, rank);
    std::vector<RankMap> copies;
    for (int i = 0; i < 1000; ++i) { // 1000 full copies would be 900 MB
        copies.push_back(ranks);
        ranks.set(1 + std::uint32_t(i) * 3, 0);
    }
    QCOMPARE(copies[0].at(1), 1u);
    QCOMPARE(copies[1].at(1), 0u);
    QCOMPARE(copies[999].at(2998), 2998u);
    QCOMPARE(ranks.at(2998), 0u);
}

void FoldTest::anEmptyPageEqualsNoPage()
{
    RankMap a, b;
    a.set(1, 5);
    b.set(1, 5);
    a.set(900, 1);
    a.clear(900);
    QVERIFY(a == b);
    QVERIFY(b == a);
    b.set(2, 6);
    a.set(3, 6);
    QVERIFY(!(a == b));
}

void FoldTest::theStateAfterAGrowthIsTheOneThatWasTold()
{
    const ClusterState state = inOrder(growth(7, 4));
    QCOMPARE(state.file.buckets, 8u);
    QCOMPARE(state.file.i, 3u);
    QCOMPARE(state.file.n, 0u);
    QCOMPARE(state.data.size(), 8u);
    QCOMPARE(state.parity.size(), 2u);
    QCOMPARE(state.groups.at(1).k, 1u);
    std::set<std::uint64_t> keys;
    for (const auto& [number, bucket] : state.data) {
        QCOMPARE(bucket.level, 3u);
        QCOMPARE(bucket.state, pb::UP);
        QCOMPARE(bucket.count, bucket.ranks.count());
        QCOMPARE(bucket.ranks.rankMax(), bucket.ranks.count()); // dense after filling holes
        QCOMPARE(bucket.incoming.count(), 0u);
        for (std::uint32_t rank = 1; rank <= bucket.ranks.rankMax(); ++rank) {
            QCOMPARE(bucket.ranks.at(rank) % 8, std::uint64_t(number));
            QVERIFY(keys.insert(bucket.ranks.at(rank)).second);
        }
        const auto& column = state.parity.at({ number / 4, 0 });
        QCOMPARE(column.applied.at(number % 4), bucket.sequence);
    }
    QCOMPARE(keys.size(), state.clients.at(kClient).done);
    // A parity record counts the records of its rank.
    for (const auto& [place, column] : state.parity) {
        QCOMPARE(column.recordGroups, column.ranks.count());
        for (std::uint32_t rank = 1; rank <= column.ranks.rankMax(); ++rank) {
            std::uint64_t members = 0;
            for (std::uint32_t a = 4 * place.first; a < 4 * place.first + 4; ++a)
                members += state.data.at(a).ranks.has(rank) ? 1 : 0;
            QCOMPARE(column.ranks.at(rank), members);
        }
    }
}

void FoldTest::anyInterleavingThatKeepsEachProcessOrderGivesTheSameState_data()
{
    QTest::addColumn<int>("splits");
    QTest::newRow("one split") << 1;
    QTest::newRow("two groups") << 7;
    QTest::newRow("more splits than are kept") << 40;
}

void FoldTest::anyInterleavingThatKeepsEachProcessOrderGivesTheSameState()
{
    QFETCH(int, splits);
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
        const Story story = growth(std::uint32_t(splits), seed);
        const std::string expected = textOf(inOrder(story));
        for (std::uint32_t shuffle = 1; shuffle <= 20; ++shuffle) {
            const std::string text = textOf(interleaved(story, seed * 1000 + shuffle));
            if (text != expected)
                qInfo("seed %u, order %u", seed, shuffle);
            QCOMPARE(QString::fromStdString(text), QString::fromStdString(expected));
        }
    }
}

void FoldTest::changesInListsGiveTheSameBuckets_data()
{
    QTest::addColumn<std::uint32_t>("seed");
    for (const std::uint32_t seed : { 1, 2, 3, 4, 5 })
        QTest::newRow(std::to_string(seed).c_str()) << seed;
}

// The same file at the levels OPERATIONS and RECORDS: the contents of the buckets are the same.
void FoldTest::changesInListsGiveTheSameBuckets()
{
    QFETCH(const std::uint32_t, seed);
    const Story story = growth(7, seed);
    ClusterState lists;
    std::size_t changes = 0;
    for (const auto& [process, told] : story.told) {
        std::uint64_t sequence = 0;
        const auto fold = [&](const pb::Event& event) {
            pb::Event numbered = event;
            numbered.set_sequence(++sequence);
            lists.apply(process, numbered, event.wall_ns());
        };
        pb::Event list; // changes to be published together
        const auto end = [&] {
            if (list.body_case() != pb::Event::BODY_NOT_SET)
                fold(list);
            list.Clear();
        };
        for (const pb::Event& event : told) {
            if (event.has_record_inserted()) {
                const pb::RecordInserted& e = event.record_inserted();
                auto& changed = *list.mutable_records_changed();
                changed.add_kinds(pb::CHANGE_INSERT);
                changed.add_keys(e.key());
                changed.add_ranks(e.rank());
                changed.set_sequence(e.sequence());
                changed.set_count(e.count());
            } else if (event.has_delta_applied()) {
                const pb::DeltaApplied& e = event.delta_applied();
                auto& applied = *list.mutable_deltas_applied();
                applied.add_positions(e.position());
                applied.add_kinds(pb::CHANGE_INSERT);
                applied.add_ranks(e.rank());
                applied.add_members(e.members());
                applied.mutable_applied()->Resize(4, 0);
                applied.set_applied(int(e.position()), e.sequence());
                applied.set_record_groups(e.record_groups());
            } else {
                end();
                fold(event);
                continue;
            }
            ++changes;
            *list.mutable_place() = event.place();
        }
        end();
    }
    QVERIFY(changes > 10);
    const ClusterState each = inOrder(story);
    QCOMPARE(each.data.size(), lists.data.size());
    for (const auto& [number, bucket] : each.data) {
        const DataBucketState& other = lists.data.at(number);
        QVERIFY(bucket.ranks == other.ranks);
        QCOMPARE(other.count, bucket.count);
        QCOMPARE(other.sequence, bucket.sequence);
    }
    QCOMPARE(each.parity.size(), lists.parity.size());
    for (const auto& [place, column] : each.parity) {
        const ParityBucketState& other = lists.parity.at(place);
        QVERIFY(column.ranks == other.ranks);
        QVERIFY(column.applied == other.applied);
        QCOMPARE(other.recordGroups, column.recordGroups);
    }
}

void FoldTest::effectsMayArriveBeforeCauses()
{
    const Story story = growth(3, 2);
    ClusterState state;
    // The events of the story's last process come first, those of the coordinator last.
    for (auto at = story.told.rbegin(); at != story.told.rend(); ++at)
        for (const pb::Event& event : at->second)
            state.apply(at->first, event, event.wall_ns());
    QCOMPARE(QString::fromStdString(textOf(state)), QString::fromStdString(textOf(inOrder(story))));
}

void FoldTest::onlyTheYoungestIncarnationStandsInTheRow()
{
    Story story;
    story.start(100, pb::NODE, "old", pb::DATA);
    story.recruit(100, pb::DATA, 3, 0, 7, 2);
    story.tell(100).mutable_record_inserted()->set_rank(1);
    story.start(101, pb::NODE, "young", pb::DATA);
    story.recruit(101, pb::DATA, 3, 0, 9, 2);
    story.tell(101).mutable_record_inserted()->set_rank(2);
    story.start(102, pb::NODE, "middle", pb::DATA);
    story.recruit(102, pb::DATA, 3, 0, 8, 2);
    const std::string expected = textOf(inOrder(story));
    for (std::uint32_t seed = 1; seed < 40; ++seed)
        QCOMPARE(QString::fromStdString(textOf(interleaved(story, seed))), QString::fromStdString(expected));
    ClusterState state = inOrder(story);
    QCOMPARE(state.data.at(3).process, ProcessId(101));
    QVERIFY(state.data.at(3).ranks.has(2));
    QCOMPARE(state.displacedData.size(), 2u);
    // The youngest is released: the next one takes its place again.
    story.release(101);
    state = inOrder(story);
    QCOMPARE(state.data.at(3).process, ProcessId(102));
    QCOMPARE(state.displacedData.size(), 1u);
    for (std::uint32_t seed = 1; seed < 40; ++seed)
        QCOMPARE(QString::fromStdString(textOf(interleaved(story, seed))), QString::fromStdString(textOf(state)));
}

void FoldTest::aReleasedBucketLeavesItsPlace()
{
    Story story;
    story.start(100, pb::NODE, "spare", pb::DATA);
    story.recruit(100, pb::DATA, 3, 0, 7, 2);
    ClusterState state = inOrder(story);
    QCOMPARE(state.processes.at(100).pool, pb::NO_ROLE);
    QCOMPARE(state.processes.at(100).place.number(), 3u);
    story.release(100);
    state = inOrder(story);
    QVERIFY(state.data.empty());
    QCOMPARE(state.processes.at(100).pool, pb::DATA);
    QCOMPARE(state.processes.at(100).place.role(), pb::NO_ROLE);
}

void FoldTest::aBucketIsOverflowedOnlyAboveItsCapacity()
{
    Story story;
    story.start(100, pb::NODE, "d", pb::DATA);
    story.recruit(100, pb::DATA, 0, 0, 1, 0);
    story.tell(100).mutable_bucket_overflowed()->set_count(6);
    QVERIFY(inOrder(story).data.at(0).isOverflowed);
    auto* deleted = story.tell(100).mutable_record_deleted();
    deleted->set_rank(1);
    deleted->set_count(5);
    QVERIFY(inOrder(story).data.at(0).isOverflowed); // b is not known
    story.tell(kCoordinator).mutable_file_created()->mutable_config()->set_b(5);
    QVERIFY(!inOrder(story).data.at(0).isOverflowed);
    for (std::uint32_t seed = 1; seed < 20; ++seed)
        QVERIFY(!interleaved(story, seed).data.at(0).isOverflowed);
}

void FoldTest::aDeltaThatIsHeldIsCountedUntilItIsApplied()
{
    Story story;
    story.start(100, pb::NODE, "p", pb::PARITY);
    story.recruit(100, pb::PARITY, 0, 1, 1, 0);
    for (const std::uint64_t sequence : { 3, 4, 3, 6 }) {
        auto* held = story.tell(100).mutable_delta_held();
        held->set_position(2);
        held->set_sequence(sequence);
    }
    QCOMPARE(inOrder(story).parity.at({ 0, 1 }).held.at(2), 3u);
    auto* applied = story.tell(100).mutable_delta_applied();
    applied->set_position(2);
    applied->set_sequence(4);
    applied->set_rank(1);
    applied->set_members(1);
    const ClusterState state = inOrder(story);
    QCOMPARE(state.parity.at({ 0, 1 }).held.at(2), 1u);
    QCOMPARE(state.parity.at({ 0, 1 }).applied.at(2), 4u);
}

void FoldTest::contentsFillANewParityBucket()
{
    Story story;
    story.start(100, pb::NODE, "p", pb::PARITY);
    story.recruit(100, pb::PARITY, 0, 1, 1, 0);
    story.tell(kCoordinator).mutable_parity_creation_ordered()->set_group(0);
    QVERIFY(inOrder(story).groups.at(0).parityIsBeingAdded);
    for (const std::uint32_t position : { 0, 1 }) {
        auto* contents = story.tell(100).mutable_contents_arrived();
        contents->set_position(position);
        contents->set_snap(10 + position);
        contents->set_is_last(true);
        for (std::uint32_t rank = 1; rank <= 3 - position; ++rank)
            contents->add_ranks(rank);
    }
    auto* added = story.tell(kCoordinator).mutable_parity_added();
    added->set_group(0);
    added->set_column(1);
    added->set_k(2);
    const ClusterState state = inOrder(story);
    const ParityBucketState& column = state.parity.at({ 0, 1 });
    QCOMPARE(column.recordGroups, 3u);
    QCOMPARE(column.ranks.at(1), 2u);
    QCOMPARE(column.ranks.at(3), 1u);
    QCOMPARE(column.applied, (std::vector<std::uint64_t> { 10, 11 }));
    QVERIFY(column.contentsIn.at(1));
    QCOMPARE(state.groups.at(0).k, 2u);
    QVERIFY(!state.groups.at(0).parityIsBeingAdded);
}

void FoldTest::recordsThatAreOnlyCountedAreNotObserved()
{
    Story story;
    story.start(100, pb::NODE, "p", pb::PARITY);
    story.recruit(100, pb::PARITY, 0, 1, 1, 0);
    auto* contents = story.tell(100).mutable_contents_arrived();
    contents->set_records(7);
    contents->set_is_last(true);
    const pb::Event said = story.told.at(100).back();
    const ClusterState before = inOrder(story);
    QVERIFY(sentence(100, said, before).find("encodes 7 records") != std::string::npos);
    QVERIFY(!before.parity.at({ 0, 1 }).ranksAreObserved);
    story.tell(100).mutable_gauges()->set_records(5);
    const ClusterState state = inOrder(story);
    QCOMPARE(state.parity.at({ 0, 1 }).recordGroups, 5u); // as in the sums
    QCOMPARE(state.parity.at({ 0, 1 }).ranks.count(), 0u);
}

// Details observed at a finer level are dropped when the sums contradict them; from then on only the sums count.
void FoldTest::sumsWithoutChangesEndWhatWasObserved()
{
    Story story = growth(1, 1);
    const ClusterState before = inOrder(story);
    const DataBucketState& known = before.data.at(0);
    QVERIFY(known.ranksAreObserved && known.count > 0);
    const auto tell = [&story](std::uint32_t records, std::uint64_t sequence, bool isWithout) {
        auto* gauges = story.tell(kNodes).mutable_gauges();
        gauges->set_records(records);
        gauges->set_sequence(sequence);
        gauges->set_without_changes(isWithout);
        return inOrder(story).data.at(0);
    };
    // The changes themselves are still to come.
    const DataBucketState ahead = tell(known.count + 3, known.sequence + 3, false);
    QVERIFY(ahead.ranksAreObserved && ahead.count == known.count);
    QVERIFY(tell(known.count, known.sequence, true).ranksAreObserved); // nothing has changed
    const DataBucketState after = tell(known.count + 3, known.sequence + 3, true);
    QVERIFY(!after.ranksAreObserved);
    QCOMPARE(after.count, known.count + 3);
}

void FoldTest::sumsTellTheSequenceOfABucketThatWasRebuilt()
{
    Story story;
    story.recruit(kNodes, pb::DATA, 3, 0, 7, 2);
    QCOMPARE(inOrder(story).data.at(3).sequence, 0u);
    story.tell(kNodes).mutable_gauges()->set_sequence(37);
    QCOMPARE(inOrder(story).data.at(3).sequence, 37u);
    story.tell(kNodes).mutable_gauges()->set_sequence(40); // the changes themselves are still to come
    QCOMPARE(inOrder(story).data.at(3).sequence, 37u);
}

// Without the single inserts a full bucket has no known ranks: its card must not show it as empty.
void FoldTest::anOverflowEndsWhatWasObservedOfABucketThatOnlyCounts()
{
    Story story = growth(1, 1);
    const std::uint32_t known = inOrder(story).data.at(0).ranks.count();
    const auto overflow = [&story](std::uint32_t count) {
        story.tell(kNodes).mutable_bucket_overflowed()->set_count(count);
        return inOrder(story).data.at(0);
    };
    QVERIFY(overflow(known + 1).ranksAreObserved); // the insert itself is still to come
    const DataBucketState counted = overflow(known + 240);
    QVERIFY(!counted.ranksAreObserved);
    QCOMPARE(counted.count, known + 240);
}

void FoldTest::aGapIsCountedAndMarksTheProcess()
{
    const Story story = growth(1, 1);
    ClusterState state = inOrder(story);
    QVERIFY(!state.processes.at(kClient).isIncomplete);
    state.applyGap(kClient, 100, 109);
    QCOMPARE(state.lost, 10u);
    QCOMPARE(state.processes.at(kClient).lostEvents, 10u);
    QVERIFY(state.processes.at(kClient).isIncomplete);
    QVERIFY(!state.processes.at(kCoordinator).isIncomplete);
}

void FoldTest::aSnapshotReplacesWhatIsKnownOfItsProcess()
{
    const Story story = growth(3, 5);
    ClusterState state = inOrder(story);
    state.applyGap(kNodes, 1000, 1010);
    pb::Snapshot snapshot;
    snapshot.set_process(kNodes);
    snapshot.set_sequence(1010);
    snapshot.mutable_info()->set_node(kNodes);
    snapshot.mutable_info()->set_kind(pb::NODE);
    snapshot.mutable_info()->set_name("d");
    snapshot.set_incarnation(2);
    auto* data = snapshot.mutable_data();
    data->set_bucket(0);
    data->set_level(5);
    data->set_state(pb::UP);
    data->set_count(2);
    data->add_ranks(1);
    data->add_keys(32);
    data->add_ranks(4);
    data->add_keys(64);
    state.apply(snapshot, 5);
    const DataBucketState& bucket = state.data.at(0);
    QVERIFY(!state.processes.at(kNodes).isIncomplete);
    QCOMPARE(state.processes.at(kNodes).sequence, 1010u);
    QCOMPARE(bucket.level, 5u);
    QCOMPARE(bucket.ranks.count(), 2u);
    QCOMPARE(bucket.ranks.at(4), 64u);
    // A repeat changes nothing.
    const std::string before = textOf(state);
    state.apply(snapshot, 5);
    QCOMPARE(QString::fromStdString(textOf(state)), QString::fromStdString(before));
    // It may have become a spare.
    snapshot.set_spare_pool(pb::DATA);
    snapshot.set_incarnation(0);
    state.apply(snapshot, 6);
    QVERIFY(!state.data.contains(0));
    QCOMPARE(state.processes.at(kNodes).pool, pb::DATA);
}

void FoldTest::aCopyIsAPlainValue()
{
    const Story story = growth(3, 5);
    ClusterState state;
    std::vector<std::pair<ClusterState, std::string>> copies;
    for (const auto& [process, index] : story.order) {
        state.apply(process, story.told.at(process)[index], 0);
        if (copies.size() < 50)
            copies.emplace_back(state, textOf(state));
    }
    for (const auto& [copy, text] : copies)
        QCOMPARE(QString::fromStdString(textOf(copy)), QString::fromStdString(text));
}

// At no instant, although the buckets of a split change one after the other.
void FoldTest::aSplitChangesNoSumOfRecords()
{
    const Story story = growth(7, 3);
    ClusterState state;
    std::int64_t inserted = 0;
    int halves = 0;
    for (const auto& [process, index] : story.order) {
        const pb::Event& event = story.told.at(process)[index];
        state.apply(process, event, event.wall_ns());
        inserted += event.has_record_inserted() ? 1 : 0;
        std::int64_t stored = 0;
        for (const auto& [number, bucket] : state.data)
            stored += bucket.count;
        halves += stored != inserted ? 1 : 0;
        QCOMPARE(stored + state.recordsUnderWay(), inserted);
    }
    QVERIFY(halves > 1); // such instants exist
    QCOMPARE(state.recordsUnderWay(), 0);
}

void FoldTest::oldSplitsAreForgottenAndStayForgotten()
{
    ClusterState state = inOrder(growth(30, 3));
    QCOMPARE(state.splits.size(), ClusterState::kEndedSplits);
    QCOMPARE(state.splits.begin()->first, 15u);
    QCOMPARE(state.splitForgotten, 14u);
    pb::Event late;
    late.set_sequence(100'000);
    late.mutable_place()->set_role(pb::DATA);
    late.mutable_place()->set_number(1);
    late.mutable_split_prepared()->set_split(3);
    state.apply(kNodes + 1, late, 0);
    QVERIFY(!state.splits.contains(3));
}

void FoldTest::aClientKeepsItsNewestOperations()
{
    Story story;
    story.start(kClient, pb::CLIENT, "alice");
    for (std::uint64_t number = 1; number <= 100; ++number) {
        pb::Event& event = story.tell(kClient);
        event.mutable_operation()->set_client(kClient);
        event.mutable_operation()->set_number(number);
        event.mutable_operation_started()->set_bucket(0);
    }
    ClusterState state = inOrder(story);
    const auto& last = state.fileClients.at(kClient).last;
    QCOMPARE(last.size(), FileClient::kOperations);
    QCOMPARE(last.front().number, 69u);
    QCOMPARE(last.back().number, 100u);
    pb::Event old;
    old.mutable_operation()->set_client(kClient);
    old.mutable_operation()->set_number(5);
    old.mutable_operation_forwarded()->set_to(2);
    state.apply(kNodes, old, 0);
    QCOMPARE(state.fileClients.at(kClient).last.front().number, 69u);
}

void FoldTest::unreasonableNumbersAreIgnored()
{
    Story story;
    story.start(100, pb::NODE, "p", pb::PARITY);
    story.recruit(100, pb::PARITY, 0, 0, 1, 0);
    auto* applied = story.tell(100).mutable_delta_applied();
    applied->set_position(4'000'000'000);
    applied->set_rank(4'000'000'000);
    applied->set_members(1);
    const ClusterState state = inOrder(story);
    QVERIFY(state.parity.at({ 0, 0 }).applied.size() <= 32);
    QCOMPARE(state.parity.at({ 0, 0 }).ranks.count(), 0u);
}

void FoldTest::theRingKeepsTheNewestAndSaysWhatIsMissing()
{
    EventRing ring(10, 1 << 20);
    for (std::uint64_t i = 1; i <= 25; ++i)
        ring.push(1, std::int64_t(i), std::make_shared<pb::Event>(), 10);
    ring.pushGap(1, 26, 100, 104);
    QCOMPARE(ring.lastIndex(), 26u);
    QCOMPARE(ring.firstIndex(), 17u);
    EventPage page = ring.since(0, 4);
    QCOMPARE(page.missed, 16u);
    QCOMPARE(page.events.size(), 4u);
    QCOMPARE(page.events.front().index, 17u);
    QCOMPARE(page.next, 20u);
    page = ring.since(page.next, 100);
    QCOMPARE(page.missed, 0u);
    QCOMPARE(page.events.size(), 6u);
    QVERIFY(page.events.back().isGap());
    QCOMPARE(page.events.back().gapLast, 104u);
    page = ring.since(page.next, 100);
    QVERIFY(page.events.empty());
    QCOMPARE(page.next, 26u);
}

void FoldTest::theCoordinatorsWordIsAnImageAndNoAdjustment()
{
    ClusterState state;
    pb::Event event;
    event.set_sequence(1);
    event.mutable_image_adjusted()->set_by_coordinator(true);
    event.mutable_image_adjusted()->mutable_after()->set_i(2);
    state.apply(kClient, event, 1);
    QCOMPARE(state.fileClients.at(kClient).image.i(), 2u);
    QCOMPARE(state.fileClients.at(kClient).imageAdjustments, 0u); // those come with replies
}

void FoldTest::theRingIsBoundedInBytes()
{
    EventRing ring(1'000'000, 100'000);
    for (int i = 0; i < 10'000; ++i)
        ring.push(1, i, std::make_shared<pb::Event>(), 1000);
    QVERIFY(ring.bytes() <= 100'000);
    QVERIFY(ring.lastIndex() - ring.firstIndex() >= 50);
}

QTEST_GUILESS_MAIN(FoldTest)
#include "tst_fold.moc"
