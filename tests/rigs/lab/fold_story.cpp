// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/lab/fold_story.h"

namespace lhrs::gui {

pb::Event& Story::tell(ProcessId process)
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

void Story::start(ProcessId process, pb::ProcessKind kind, const char* name, pb::Role pool)
{
    auto* info = tell(process).mutable_process_started()->mutable_process();
    info->set_node(process);
    info->set_kind(kind);
    info->set_name(name);
    info->set_pool(pool);
}

void Story::recruit(ProcessId process, pb::Role role, std::uint32_t number, std::uint32_t column,
    std::uint64_t incarnation, std::uint32_t level)
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

void Story::release(ProcessId process)
{
    tell(process).mutable_node_released()->set_pool(pb::DATA);
    places.erase(process);
}

void Story::become(ProcessId process, pb::MemberState state, std::uint32_t level)
{
    auto* changed = tell(process).mutable_state_changed();
    changed->set_state(state);
    changed->set_level(level);
}

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
        if (a > 0) { // the client addressed bucket 0
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
            story.tell(dataNode(source))
                .mutable_bucket_overflowed()
                ->set_count(std::uint32_t(buckets[source].ranks.size()));
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

std::string textOf(const ClusterState& s)
{
    std::ostringstream out;
    out << "file " << s.file.exists << ' ' << s.file.i << ' ' << s.file.n << ' ' << s.file.buckets << ' '
        << s.file.availability << ' ' << s.file.splitsOwed << ' ' << s.file.waitsFor << ' '
        << s.file.config.ShortDebugString() << ' ' << s.events << ' ' << s.lost << ' ' << s.splitForgotten << '\n';
    for (const auto& [id, p] : s.processes)
        out << "process " << id << ' ' << p.name << ' ' << p.kind << ' ' << p.pool << ' ' << p.isInvited << ' '
            << p.offer.invitation << ' ' << p.place.ShortDebugString() << ' ' << p.incarnation << ' ' << p.sequence
            << ' ' << p.lostEvents << ' ' << p.isIncomplete << ' ' << p.hasEnded << ' ' << p.lastEventNs << ' '
            << p.heardNs << '\n';
    for (const auto& [id, p] : s.processes)
        for (const Trouble& trouble : p.troubles)
            out << "trouble " << id << ' ' << trouble.fromNs << ' ' << trouble.toNs << ' ' << trouble.reachesOthers
                << '\n';
    for (const auto& [id, f] : s.failures)
        out << "failure " << id << ' ' << f.by << ' ' << f.event << ' ' << f.atNs << ' ' << f.silentNs << '\n';
    const auto data = [&](const char* what, const DataBucketState& b) {
        out << what << ' ' << b.number << ' ' << b.level << ' ' << b.count << ' ' << b.process << ' ' << b.incarnation
            << ' ' << b.sequence << ' ' << b.state << ' ' << b.reason << ' ' << b.slicesStored << ' ' << b.isOverflowed
            << ' ' << b.ranksAreObserved;
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
    for (const auto& [number, g] : s.groups) {
        out << "group " << number << ' ' << g.k << ' ' << g.epoch << ' ' << g.parityIsBeingAdded << ' ' << g.state
            << ' ' << g.kEffective() << ' ' << g.recordRecoveredNs << '\n';
        for (const auto& [place, down] : g.down)
            out << "  down " << place.role << ' ' << place.index << ' ' << down.process << ' ' << down.isLost << ' '
                << down.reason << ' ' << down.sinceNs << '\n';
        for (const auto& [place, suspicion] : g.suspected)
            out << "  suspected " << place.role << ' ' << place.index << ' ' << suspicion.reason << ' '
                << suspicion.sinceNs << '\n';
        const RecoveryState& r = g.recovery;
        out << "  recovery " << r.id << ' ' << r.buckets.size() << ' ' << r.manager << ' ' << r.slices << ' '
            << r.rankTo << ' ' << r.records << ' ' << r.bytes << ' ' << r.isStarted << r.isOver << ' ' << r.startedNs
            << ' ' << r.endedNs << ' ' << (r.decoder ? r.decoder->ShortDebugString() : std::string()) << '\n';
    }
    for (const auto& [id, x] : s.splits)
        out << "split " << id << ' ' << x.bucket << ' ' << x.newBucket << ' ' << x.level << ' ' << x.moved << ' '
            << int(x.stage) << ' ' << x.sourceIsPrepared << x.targetIsPrepared << ' ' << x.startedNs << ' ' << x.endedNs
            << '\n';
    for (const auto& [id, c] : s.clients) {
        out << "client " << id << ' ' << c.name << ' ' << c.operations << ' ' << c.done << ' ' << c.forwards << ' '
            << c.hops[0] << ' ' << c.hops[1] << '\n';
        for (const OperationState& op : s.fileClient(id).last) {
            out << "  " << op.number << ' ' << op.key << ' ' << op.isDone << ' ' << op.bucket << ' ' << op.forwards
                << " adjusted " << op.adjustedBucket << ' ' << op.adjustedLevel << " path";
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

} // namespace lhrs::gui
