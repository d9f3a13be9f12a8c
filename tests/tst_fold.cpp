// SPDX-License-Identifier: GPL-3.0-or-later
// The fold of events into the cluster's state (window.md 7, point 1), without sockets and without a window.
#include "gui/lab/cluster_state.h"
#include "gui/lab/event_ring.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <vector>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr ProcessId kCoordinator = 1, kClient = 2, kNodes = 100;

// What the processes of a small file tell, written down in the order of causes; each process' list is numbered.
struct Story {
    std::map<ProcessId, std::vector<pb::Event>> told;
    std::vector<std::pair<ProcessId, std::size_t>> order; // in the order of causes
    std::map<ProcessId, pb::Place> places;

    pb::Event& tell(ProcessId process)
    {
        auto& list = told[process];
        pb::Event& event = list.emplace_back();
        event.set_sequence(list.size());
        event.set_wall_ns(std::int64_t(order.size()) * 1000);
        if (places.contains(process))
            *event.mutable_place() = places[process];
        order.emplace_back(process, list.size() - 1);
        return event;
    }

    void start(ProcessId process, pb::ProcessKind kind, const char* name, pb::Role pool = pb::NO_ROLE)
    {
        auto* info = tell(process).mutable_process_started()->mutable_process();
        info->set_node(process);
        info->set_kind(kind);
        info->set_name(name);
        info->set_spare_role(pool);
    }

    void recruit(ProcessId process, pb::Role role, std::uint32_t number, std::uint32_t column, std::uint64_t incarnation, std::uint32_t level)
    {
        tell(process).mutable_node_invited()->set_invitation(incarnation);
        tell(process).mutable_node_offered()->set_invitation(incarnation);
        places[process].set_role(role);
        places[process].set_number(number);
        places[process].set_column(column);
        auto* recruited = tell(process).mutable_node_recruited();
        recruited->set_incarnation(incarnation);
        recruited->set_level(level);
        become(process, pb::UP, level);
    }

    void release(ProcessId process)
    {
        tell(process).mutable_node_released()->set_pool(pb::DATA);
        places.erase(process);
    }

    void become(ProcessId process, pb::MemberState state, std::uint32_t level)
    {
        auto* changed = tell(process).mutable_state_changed();
        changed->set_state(state);
        changed->set_level(level);
    }
};

// A file that grows by `splits` splits with one parity bucket a group (m = 4), with inserts before and between.
Story growth(std::uint32_t splits, std::uint32_t seed)
{
    std::mt19937 random(seed);
    Story story;
    story.start(kCoordinator, pb::COORDINATOR, "coordinator");
    story.start(kClient, pb::CLIENT, "alice");
    struct Bucket {
        std::uint32_t level = 0;
        std::uint64_t sequence = 0;
        std::map<std::uint32_t, std::uint64_t> ranks;
    };
    std::map<std::uint32_t, Bucket> buckets;
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> parity; // group -> rank -> members
    const auto dataNode = [](std::uint32_t a) { return kNodes + a; };
    const auto parityNode = [](std::uint32_t g) { return kNodes + 1000 + g; };
    std::uint64_t incarnation = 0, operation = 0, key = 0;
    std::uint32_t i = 0, n = 0;

    const auto addGroup = [&](std::uint32_t g) {
        story.start(parityNode(g), pb::NODE, "p", pb::PARITY);
        story.recruit(parityNode(g), pb::PARITY, g, 0, ++incarnation, 0);
        parity[g];
        auto* view = story.tell(kCoordinator).mutable_epoch_changed()->mutable_view();
        view->set_group(g);
        view->set_epoch(1);
        auto* created = story.tell(kCoordinator).mutable_group_created();
        created->set_group(g);
        created->set_k(1);
    };
    const auto insert = [&] {
        const std::uint64_t c = key++;
        std::uint32_t a = std::uint32_t(c % (1u << i));
        if (a < n)
            a = std::uint32_t(c % (1u << (i + 1)));
        pb::RequestId id;
        id.set_client(kClient);
        id.set_number(++operation);
        pb::Event& started = story.tell(kClient);
        *started.mutable_operation() = id;
        started.mutable_operation_started()->set_key(c);
        started.mutable_operation_started()->set_kind(pb::INSERT);
        if (a > 0) { // the client believed in bucket 0
            pb::Event& forwarded = story.tell(dataNode(0));
            *forwarded.mutable_operation() = id;
            forwarded.mutable_operation_forwarded()->set_from(0);
            forwarded.mutable_operation_forwarded()->set_to(a);
        }
        Bucket& bucket = buckets[a];
        std::uint32_t rank = 1;
        while (bucket.ranks.contains(rank))
            ++rank;
        bucket.ranks[rank] = c;
        auto* inserted = story.tell(dataNode(a)).mutable_record_inserted();
        inserted->set_key(c);
        inserted->set_rank(rank);
        inserted->set_sequence(++bucket.sequence);
        inserted->set_count(std::uint32_t(bucket.ranks.size()));
        auto& members = parity[a / 4][rank];
        auto* applied = story.tell(parityNode(a / 4)).mutable_delta_applied();
        applied->set_position(a % 4);
        applied->set_sequence(bucket.sequence);
        applied->set_rank(rank);
        applied->set_members(++members);
        applied->set_record_groups(std::uint32_t(parity[a / 4].size()));
        pb::Event& done = story.tell(kClient);
        *done.mutable_operation() = id;
        done.mutable_operation_done()->set_key(c);
        done.mutable_operation_done()->set_forwards(a > 0 ? 1 : 0);
        done.mutable_operation_done()->set_bucket(a);
    };
    const auto batch = [&](std::uint64_t split, std::uint32_t a, std::uint64_t sequence,
                           const std::vector<std::pair<pb::ChangeKind, std::uint32_t>>& changes) {
        auto* applied = story.tell(parityNode(a / 4)).mutable_batch_applied();
        applied->set_split(split);
        applied->set_position(a % 4);
        applied->set_sequence(sequence);
        for (const auto& [kind, rank] : changes) {
            applied->add_kinds(kind);
            applied->add_ranks(rank);
            auto& members = parity[a / 4][rank];
            members += kind == pb::CHANGE_INSERT ? 1 : -1u;
            if (members == 0)
                parity[a / 4].erase(rank);
        }
        applied->set_record_groups(std::uint32_t(parity[a / 4].size()));
    };

    auto* created = story.tell(kCoordinator).mutable_file_created()->mutable_config();
    created->set_m(4);
    created->set_b(5);
    created->set_availability(1);
    addGroup(0);
    story.start(dataNode(0), pb::NODE, "d", pb::DATA);
    story.recruit(dataNode(0), pb::DATA, 0, 0, ++incarnation, 0);
    for (std::uint64_t split = 1; split <= splits; ++split) {
        for (std::uint32_t count = random() % 8; count > 0; --count)
            insert();
        const std::uint32_t source = n, target = n + (1u << i);
        if (buckets[source].ranks.size() > 5)
            story.tell(dataNode(source)).mutable_bucket_overflowed()->set_count(std::uint32_t(buckets[source].ranks.size()));
        if (target % 4 == 0)
            addGroup(target / 4);
        story.start(dataNode(target), pb::NODE, "d", pb::DATA);
        story.recruit(dataNode(target), pb::DATA, target, 0, ++incarnation, i + 1);
        auto* ordered = story.tell(kCoordinator).mutable_split_ordered();
        ordered->set_split(split);
        ordered->set_bucket(source);
        ordered->set_new_bucket(target);
        ordered->set_level(i + 1);
        story.become(dataNode(source), pb::SPLITTING, i);

        std::vector<std::pair<pb::ChangeKind, std::uint32_t>> leave, arrive;
        auto* moved = story.tell(dataNode(target)).mutable_records_moved();
        moved->set_split(split);
        std::vector<std::uint32_t> leavers;
        for (const auto& [rank, c] : buckets[source].ranks)
            if (c % (1u << (i + 1)) == target)
                leavers.push_back(rank);
        for (const std::uint32_t rank : leavers) {
            const std::uint32_t newRank = std::uint32_t(buckets[target].ranks.size()) + 1;
            moved->add_keys(buckets[source].ranks[rank]);
            moved->add_old_ranks(rank);
            moved->add_new_ranks(newRank);
            buckets[target].ranks[newRank] = buckets[source].ranks[rank];
            buckets[source].ranks.erase(rank);
            leave.emplace_back(pb::CHANGE_DELETE, rank);
            arrive.emplace_back(pb::CHANGE_INSERT, newRank);
        }
        for (const std::uint32_t a : { source, target }) {
            auto* prepared = story.tell(dataNode(a)).mutable_split_prepared();
            prepared->set_split(split);
            prepared->set_moved(std::uint32_t(leavers.size()));
        }
        auto* committed = story.tell(kCoordinator).mutable_split_committed();
        committed->set_split(split);
        committed->set_bucket(source);
        committed->set_new_bucket(target);
        if (++n == 1u << i) {
            n = 0;
            ++i;
        }
        committed->mutable_file()->set_i(i);
        committed->mutable_file()->set_n(n);
        const std::uint32_t level = ordered->level();
        // Fill holes: the highest rank of the source goes to its lowest free one.
        std::vector<std::pair<std::uint32_t, std::uint32_t>> moves;
        auto& ranks = buckets[source].ranks;
        for (std::uint32_t free = 1; free <= ranks.size(); ++free) {
            if (ranks.contains(free))
                continue;
            const auto last = std::prev(ranks.end());
            moves.emplace_back(last->first, free);
            leave.emplace_back(pb::CHANGE_DELETE, last->first);
            leave.emplace_back(pb::CHANGE_INSERT, free);
            ranks[free] = last->second;
            ranks.erase(moves.back().first);
        }
        auto* applied = story.tell(dataNode(source)).mutable_split_applied();
        applied->set_split(split);
        applied->set_level(level);
        applied->set_count(std::uint32_t(ranks.size()));
        applied->set_sequence(++buckets[source].sequence);
        for (const std::uint32_t rank : leavers)
            applied->add_left_ranks(rank);
        for (const auto& [from, to] : moves) {
            applied->add_from_ranks(from);
            applied->add_to_ranks(to);
        }
        batch(split, source, buckets[source].sequence, leave);
        auto* here = story.tell(dataNode(target)).mutable_split_applied();
        here->set_split(split);
        here->set_level(level);
        here->set_count(std::uint32_t(buckets[target].ranks.size()));
        here->set_sequence(++buckets[target].sequence);
        buckets[target].level = buckets[source].level = level;
        batch(split, target, buckets[target].sequence, arrive);
        story.become(dataNode(source), pb::UP, level);
        story.become(dataNode(target), pb::UP, level);
        auto* finished = story.tell(kCoordinator).mutable_split_finished();
        finished->set_split(split);
        finished->set_bucket(source);
        finished->set_new_bucket(target);
        finished->set_moved(std::uint32_t(leavers.size()));
    }
    return story;
}

void write(std::ostream& out, const RankMap& ranks)
{
    for (std::uint32_t rank = 1; rank <= ranks.rankMax(); ++rank)
        if (ranks.has(rank))
            out << ' ' << rank << ':' << ranks.at(rank);
    out << '\n';
}

// All of the state as text: two states are equal when their texts are.
std::string textOf(const ClusterState& s)
{
    std::ostringstream out;
    out << "file " << s.file.exists << ' ' << s.file.i << ' ' << s.file.n << ' ' << s.file.buckets << ' ' << s.file.availability << ' '
        << s.file.splitsOwed << ' ' << s.file.waitsFor << ' ' << s.file.config.ShortDebugString() << ' ' << s.events << ' ' << s.lost
        << ' ' << s.splitForgotten << '\n';
    for (const auto& [id, p] : s.processes)
        out << "process " << id << ' ' << p.name << ' ' << p.kind << ' ' << p.pool << ' ' << p.isInvited << ' ' << p.offer.invitation << ' '
            << p.place.ShortDebugString() << ' ' << p.incarnation << ' ' << p.sequence << ' ' << p.lostEvents << ' ' << p.isIncomplete << ' '
            << p.hasEnded << ' ' << p.lastEventNs << '\n';
    const auto data = [&](const char* what, const DataBucketState& b) {
        out << what << ' ' << b.number << ' ' << b.level << ' ' << b.count << ' ' << b.process << ' ' << b.incarnation << ' ' << b.sequence << ' '
            << b.state << ' ' << b.reason << ' ' << b.isOverflowed << ' ' << b.ranksAreObserved;
        write(out, b.ranks);
        write(out, b.incoming);
    };
    for (const auto& [number, b] : s.data)
        data("data", b);
    for (const auto& [process, b] : s.displacedData)
        data("aside", b);
    for (const auto& [number, b] : s.parity) {
        out << "parity " << b.group << '.' << b.column << ' ' << b.recordGroups << ' ' << b.process << ' ' << b.state;
        for (const auto applied : b.applied)
            out << " a" << applied;
        for (const auto held : b.held)
            out << " h" << held;
        write(out, b.ranks);
    }
    for (const auto& [number, g] : s.groups)
        out << "group " << number << ' ' << g.k << ' ' << g.epoch << ' ' << g.parityIsBeingAdded << '\n';
    for (const auto& [id, x] : s.splits)
        out << "split " << id << ' ' << x.bucket << ' ' << x.newBucket << ' ' << x.level << ' ' << x.moved << ' ' << int(x.stage) << ' '
            << x.sourceIsPrepared << x.targetIsPrepared << ' ' << x.startedNs << ' ' << x.endedNs << '\n';
    for (const auto& [id, c] : s.clients) {
        out << "client " << id << ' ' << c.name << ' ' << c.operations << ' ' << c.done << ' ' << c.forwards << ' ' << c.hops[0] << ' '
            << c.hops[1] << '\n';
        for (const auto& op : c.last) {
            out << "  " << op.number << ' ' << op.key << ' ' << op.isDone << ' ' << op.bucket << ' ' << op.forwards << " path";
            for (const auto bucket : op.path)
                out << ' ' << bucket;
            out << '\n';
        }
    }
    return out.str();
}

ClusterState inOrder(const Story& story)
{
    ClusterState state;
    for (const auto& [process, index] : story.order)
        state.apply(process, story.told.at(process)[index], story.told.at(process)[index].wall_ns());
    return state;
}

// Any interleaving that keeps each process' order: draw the process that speaks next. `bias` makes some speak early.
ClusterState interleaved(const Story& story, std::uint32_t seed)
{
    std::mt19937 random(seed);
    ClusterState state;
    std::map<ProcessId, std::size_t> next;
    std::vector<ProcessId> speakers;
    for (const auto& [process, list] : story.told)
        speakers.push_back(process);
    std::shuffle(speakers.begin(), speakers.end(), random);
    while (!speakers.empty()) {
        const std::size_t which = seed % 3 == 0 ? 0 : random() % speakers.size();
        const ProcessId process = speakers[which];
        const auto& list = story.told.at(process);
        for (std::size_t run = 1 + random() % 20; run > 0 && next[process] < list.size(); --run) {
            const pb::Event& event = list[next[process]++];
            state.apply(process, event, event.wall_ns());
        }
        if (next[process] == list.size())
            speakers.erase(speakers.begin() + std::ptrdiff_t(which));
    }
    return state;
}

} // namespace

class FoldTest : public QObject {
    Q_OBJECT
private slots:
    void aRankMapForgetsWhatIsCleared();
    void aCopyOfARankMapKeepsItsNumbers();
    void copiesSharePagesUntilOneWrites();
    void anEmptyPageEqualsNoPage();
    void theStateAfterAGrowthIsTheOneThatWasTold();
    void anyInterleavingThatKeepsEachProcessOrderGivesTheSameState_data();
    void anyInterleavingThatKeepsEachProcessOrderGivesTheSameState();
    void effectsMayArriveBeforeCauses();
    void onlyTheYoungestIncarnationStandsInTheRow();
    void aReleasedBucketLeavesItsPlace();
    void aBucketIsOverflowedOnlyAboveItsCapacity();
    void aDeltaThatIsHeldIsCountedUntilItIsApplied();
    void contentsFillANewParityBucket();
    void aGapIsCountedAndMarksTheProcess();
    void aSnapshotReplacesWhatIsKnownOfItsProcess();
    void aCopyIsAPlainValue();
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
    other.set(1, 99); // a write in the copy is not seen in the original either
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

void FoldTest::effectsMayArriveBeforeCauses()
{
    const Story story = growth(3, 2);
    ClusterState state;
    // The last process of the story speaks first, the coordinator last.
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
    // The youngest is released: the next one comes back.
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
    // The same again changes nothing.
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
    const auto& last = state.clients.at(kClient).last;
    QCOMPARE(last.size(), ClientState::kOperations);
    QCOMPARE(last.front().number, 69u);
    QCOMPARE(last.back().number, 100u);
    pb::Event old;
    old.mutable_operation()->set_client(kClient);
    old.mutable_operation()->set_number(5);
    old.mutable_operation_forwarded()->set_to(2);
    state.apply(kNodes, old, 0);
    QCOMPARE(state.clients.at(kClient).last.front().number, 69u);
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
