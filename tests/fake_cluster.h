// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster that is only its events: it grows a file as LH*RS does and says what each process would say, with causes and
// times. For pictures, views and benchmarks; nothing here stores a record.
#pragma once

#include "common/linear_hash.h"
#include "gui/view/event_feed.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

class FakeCluster : public EventFeed {
public:
    struct Options {
        std::uint32_t m = 4, k = 1, b = 40;
        std::uint32_t dataSpares = 9, paritySpares = 6;
        bool hasMessages = true; // MessageSent and MessageReceived, as at full detail
    };

    explicit FakeCluster(Options options) : m_options(options)
    {
        m_coordinator = start("coordinator", pb::COORDINATOR, pb::NO_ROLE);
        for (std::uint32_t i = 1; i <= options.dataSpares; ++i)
            start("node-" + std::to_string(i), pb::NODE, pb::DATA);
        for (std::uint32_t i = 1; i <= options.paritySpares; ++i)
            start("node-" + std::to_string(options.dataSpares + i), pb::NODE, pb::PARITY);
    }

    // ---- EventFeed

    ClusterState state() const override { return m_state; }
    std::uint64_t committed() const override { return m_ring.lastIndex(); }
    EventPage eventsSince(std::uint64_t cursor, std::size_t max) const override { return m_ring.since(cursor, max); }
    std::int64_t nowNs() const override { return m_nowNs; }

    // ---- what happens

    std::uint64_t addClient(const std::string& name) { return start(name, pb::CLIENT, pb::NO_ROLE); }

    // The first group: bucket 0 and its parity buckets.
    void createFile()
    {
        pb::Event& created = event(m_coordinator);
        created.mutable_file_created()->mutable_config()->set_m(m_options.m);
        created.mutable_file_created()->mutable_config()->set_b(m_options.b);
        created.mutable_file_created()->mutable_config()->set_availability(m_options.k);
        commit();
        recruit(pb::DATA, 0, 0, 0);
        createGroup(0);
        up(0);
        fileState();
    }

    // An insert of the key through the client's image, with all that follows from it.
    void insert(std::uint64_t client, std::uint64_t key)
    {
        FileImage& image = m_images[client];
        BucketNumber at = addressOf(Key(key), image);
        m_operation.set_client(client);
        m_operation.set_number(++m_numbers[client]);
        pb::Event& started = event(client);
        started.mutable_operation_started()->set_kind(pb::INSERT);
        started.mutable_operation_started()->set_key(key);
        started.mutable_operation_started()->set_bucket(at.value);
        started.mutable_operation_started()->mutable_image()->set_i(image.i);
        started.mutable_operation_started()->mutable_image()->set_n(image.n);
        commit();
        message("insert", client, m_data.at(at.value).process);
        std::uint32_t forwards = 0;
        BucketNumber last = at;
        for (;;) {
            const BucketNumber next = forwardTo(at, levelOf(at, m_file), Key(key));
            if (next == at)
                break;
            pb::Event& forwarded = event(m_data.at(at.value).process);
            forwarded.mutable_operation_forwarded()->set_kind(pb::INSERT);
            forwarded.mutable_operation_forwarded()->set_key(key);
            forwarded.mutable_operation_forwarded()->set_from(at.value);
            forwarded.mutable_operation_forwarded()->set_to(next.value);
            commit();
            message("insert", m_data.at(at.value).process, m_data.at(next.value).process);
            last = at;
            at = next;
            ++forwards;
        }
        Bucket& bucket = m_data.at(at.value);
        const std::uint32_t rank = bucket.free();
        bucket.ranks[rank] = key;
        pb::Event& inserted = event(bucket.process);
        inserted.mutable_record_inserted()->set_key(key);
        inserted.mutable_record_inserted()->set_rank(rank);
        inserted.mutable_record_inserted()->set_length(100);
        inserted.mutable_record_inserted()->set_sequence(++bucket.sequence);
        inserted.mutable_record_inserted()->set_count(std::uint32_t(bucket.ranks.size()));
        commit();
        const std::uint32_t group = at.value / m_options.m;
        for (std::uint32_t p = 0; p < m_parity[group].size(); ++p) {
            Parity& parity = m_parity[group][p];
            message("delta", bucket.process, parity.process);
            pb::Event& applied = event(parity.process);
            pb::DeltaApplied* delta = applied.mutable_delta_applied();
            delta->set_position(at.value % m_options.m);
            delta->set_sequence(bucket.sequence);
            delta->set_rank(rank);
            delta->set_key(key);
            delta->set_kind(pb::CHANGE_INSERT);
            delta->set_coefficient(p + 1);
            delta->set_members(++parity.members[rank]);
            delta->set_record_groups(std::uint32_t(parity.members.size()));
            commit();
        }
        for (Parity& parity : m_parity[group])
            message("delta_ack", parity.process, bucket.process);
        message("reply", bucket.process, client);
        if (forwards > 0) {
            const FileImage before = image;
            image = adjustImage(image, last, levelOf(last, m_file));
            pb::ImageAdjusted* adjusted = event(client).mutable_image_adjusted();
            adjusted->set_bucket(last.value);
            adjusted->set_level(levelOf(last, m_file));
            adjusted->mutable_before()->set_i(before.i);
            adjusted->mutable_before()->set_n(before.n);
            adjusted->mutable_after()->set_i(image.i);
            adjusted->mutable_after()->set_n(image.n);
            commit();
        }
        pb::OperationDone* done = event(client).mutable_operation_done();
        done->set_kind(pb::INSERT);
        done->set_key(key);
        done->set_result(pb::OK);
        done->set_bucket(at.value);
        done->set_rank(rank);
        done->set_forwards(forwards);
        done->set_image_adjusted(forwards > 0);
        done->set_time_ns(300'000);
        commit();
        m_operation.Clear();
        if (bucket.ranks.size() == m_options.b + 1) {
            pb::Event& overflow = event(bucket.process);
            overflow.mutable_bucket_overflowed()->set_count(std::uint32_t(bucket.ranks.size()));
            overflow.mutable_bucket_overflowed()->set_level(levelOf(at, m_file));
            commit();
            message("overload", bucket.process, m_coordinator);
            m_owed = true;
        }
    }

    // One split, up to a stage: 0 ordered, 1 records moved, 2 prepared, 3 committed, 4 finished.
    void split(int stage = 4)
    {
        const std::uint32_t n = m_file.n, target = splitTarget(m_file).value, group = target / m_options.m;
        const bool isNewGroup = !m_parity.contains(group);
        recruit(pb::DATA, target, 0, m_file.i + 1);
        if (isNewGroup)
            createGroup(group);
        const std::uint64_t id = ++m_split;
        pb::SplitOrdered* ordered = event(m_coordinator).mutable_split_ordered();
        ordered->set_split(id);
        ordered->set_bucket(n);
        ordered->set_new_bucket(target);
        ordered->set_level(m_file.i + 1);
        commit();
        const std::uint64_t from = m_data.at(n).process, to = m_data.at(target).process;
        message("split", m_coordinator, from);
        memberState(from, pb::SPLITTING, "split ordered");
        if (stage < 1)
            return;
        Bucket &source = m_data.at(n), &taker = m_data.at(target);
        std::vector<std::pair<std::uint32_t, std::uint64_t>> leavers;
        for (const auto& [rank, key] : source.ranks) {
            if ((key & ((1ULL << (m_file.i + 1)) - 1)) == target)
                leavers.emplace_back(rank, key);
        }
        message("move_records", from, to);
        pb::RecordsMoved* moved = event(to).mutable_records_moved();
        moved->set_split(id);
        moved->set_from(n);
        std::uint32_t newRank = 0;
        for (const auto& [rank, key] : leavers) {
            moved->add_keys(key);
            moved->add_old_ranks(rank);
            moved->add_new_ranks(++newRank);
        }
        commit();
        if (stage < 2)
            return;
        for (const std::uint64_t bucket : { from, to }) {
            const std::uint32_t number = bucket == from ? n : target;
            for (Parity& parity : m_parity[number / m_options.m])
                message("prepare_batch", bucket, parity.process);
            event(bucket).mutable_split_prepared()->set_split(id);
            commit();
            message("prepared", bucket, m_coordinator);
        }
        if (stage < 3)
            return;
        m_file = advanceSplit(m_file);
        pb::SplitCommitted* committed = event(m_coordinator).mutable_split_committed();
        committed->set_split(id);
        committed->set_bucket(n);
        committed->set_new_bucket(target);
        committed->mutable_file()->set_i(m_file.i);
        committed->mutable_file()->set_n(m_file.n);
        commit();
        message("commit", m_coordinator, from);
        pb::SplitApplied* left = event(from).mutable_split_applied();
        left->set_split(id);
        left->set_level(levelOf(BucketNumber(n), m_file));
        for (const auto& [rank, key] : leavers) {
            left->add_left_ranks(rank);
            source.ranks.erase(rank);
        }
        // The records that stay fill the holes below the new count.
        std::vector<std::pair<std::uint32_t, std::uint32_t>> moves;
        while (!source.ranks.empty() && source.ranks.rbegin()->first > source.ranks.size()) {
            const auto [highest, key] = *source.ranks.rbegin();
            source.ranks.erase(highest);
            const std::uint32_t hole = source.free();
            source.ranks[hole] = key;
            moves.emplace_back(highest, hole);
            left->add_from_ranks(highest);
            left->add_to_ranks(hole);
        }
        left->set_count(std::uint32_t(source.ranks.size()));
        left->set_sequence(++source.sequence);
        commit();
        memberState(from, pb::UP, "split committed");
        message("commit", m_coordinator, to);
        for (std::uint32_t i = 0; i < leavers.size(); ++i)
            taker.ranks[i + 1] = leavers[i].second;
        pb::SplitApplied* taken = event(to).mutable_split_applied();
        taken->set_split(id);
        taken->set_level(levelOf(BucketNumber(target), m_file));
        taken->set_count(std::uint32_t(taker.ranks.size()));
        taken->set_sequence(++taker.sequence);
        commit();
        memberState(to, pb::UP, "split committed");
        for (const std::uint32_t number : { n, target }) {
            for (Parity& parity : m_parity[number / m_options.m]) {
                pb::BatchApplied* batch = event(parity.process).mutable_batch_applied();
                batch->set_split(id);
                batch->set_position(number % m_options.m);
                batch->set_sequence(m_data.at(number).sequence);
                for (const auto& [rank, key] : leavers) {
                    const std::uint32_t slot = number == n ? rank : std::uint32_t(batch->ranks_size()) + 1;
                    batch->add_kinds(number == n ? pb::CHANGE_DELETE : pb::CHANGE_INSERT);
                    batch->add_ranks(slot);
                    batch->add_keys(key);
                    if (number != n)
                        ++parity.members[slot];
                    else if (--parity.members[slot] == 0)
                        parity.members.erase(slot);
                }
                if (number == n) {
                    for (const auto& [highest, hole] : moves) {
                        batch->add_kinds(pb::CHANGE_DELETE);
                        batch->add_ranks(highest);
                        batch->add_keys(source.ranks.at(hole));
                        batch->add_kinds(pb::CHANGE_INSERT);
                        batch->add_ranks(hole);
                        batch->add_keys(source.ranks.at(hole));
                        if (--parity.members[highest] == 0)
                            parity.members.erase(highest);
                        ++parity.members[hole];
                    }
                }
                batch->set_record_groups(std::uint32_t(parity.members.size()));
                batch->set_level(levelOf(BucketNumber(number), m_file));
                commit();
            }
        }
        fileState();
        if (stage < 4)
            return;
        pb::SplitFinished* finished = event(m_coordinator).mutable_split_finished();
        finished->set_split(id);
        finished->set_bucket(n);
        finished->set_new_bucket(target);
        finished->set_level(levelOf(BucketNumber(n), m_file));
        finished->set_moved(std::uint32_t(leavers.size()));
        finished->set_total_ns(4'000'000);
        commit();
    }

    // Inserts records with consecutive keys, splitting as the file demands it, until it has that many buckets.
    void growTo(std::uint32_t buckets, std::uint64_t client)
    {
        while (bucketCount(m_file) < buckets) {
            insertNext(client);
            if (std::exchange(m_owed, false))
                split();
        }
    }
    void insertNext(std::uint64_t client) { insert(client, ((m_key++ * 0x9e3779b97f4a7c15ULL) >> 33) % 100'000); }

    // The spares hear an invitation, and offer; nobody is confirmed yet.
    void invite(pb::Role role, std::uint32_t offers)
    {
        invitation(role, 1);
        for (std::uint32_t i = 0; i < offers && i < m_spares[role].size(); ++i)
            offer(m_spares[role][i], role);
    }

    void end(std::uint64_t process, const std::string& reason) { m_state.markEnded(process, reason, m_nowNs); }
    std::uint64_t processOf(std::uint32_t bucket) const { return m_data.at(bucket).process; }
    std::uint32_t buckets() const { return bucketCount(m_file); }
    void passTime(std::int64_t ns) { m_nowNs += ns; }

private:
    struct Bucket {
        std::uint64_t process = 0, sequence = 0;
        std::map<std::uint32_t, std::uint64_t> ranks;
        std::uint32_t free() const
        {
            std::uint32_t rank = 1;
            for (const auto& [used, key] : ranks) {
                if (used != rank)
                    break;
                ++rank;
            }
            return rank;
        }
    };
    struct Parity {
        std::uint64_t process = 0;
        std::map<std::uint32_t, std::uint32_t> members;
    };

    std::uint64_t start(const std::string& name, pb::ProcessKind kind, pb::Role pool)
    {
        const std::uint64_t id = 0x1000 + ++m_started;
        pb::ProcessInfo info;
        info.set_node(id);
        info.set_kind(kind);
        info.set_name(name);
        info.set_pid(std::uint32_t(4000 + m_started));
        info.set_spare_role(pool);
        info.mutable_address()->set_ip(0x7f000001);
        info.mutable_address()->set_udp_port(std::uint32_t(20'000 + m_started));
        *event(id).mutable_process_started()->mutable_process() = info;
        commit();
        if (kind == pb::NODE)
            m_spares[pool].push_back(id);
        return id;
    }

    pb::Event& event(std::uint64_t process)
    {
        m_process = process;
        m_event = std::make_shared<pb::Event>();
        m_nowNs += 8'000;
        m_event->set_sequence(++m_sequences[process]);
        m_event->set_time_ns(m_nowNs);
        m_event->set_wall_ns(m_nowNs);
        if (m_operation.client() != 0)
            *m_event->mutable_operation() = m_operation;
        if (const auto cause = m_causes.find(process); cause != m_causes.end()) {
            m_event->set_cause_process(cause->second.first);
            m_event->set_cause_sequence(cause->second.second);
        }
        if (const auto place = m_places.find(process); place != m_places.end())
            *m_event->mutable_place() = place->second;
        return *m_event;
    }

    void commit()
    {
        m_state.apply(m_process, *m_event, m_nowNs);
        m_ring.push(m_process, m_nowNs, m_event, 200);
    }

    void message(const char* kind, std::uint64_t from, std::uint64_t to)
    {
        if (m_options.hasMessages) {
            pb::MessageSent* sent = event(from).mutable_message_sent();
            sent->set_id(++m_message);
            sent->set_kind(kind);
            sent->set_to(to);
            sent->set_bytes(120);
            commit();
        }
        m_causes[to] = { from, m_sequences[from] };
        m_nowNs += 90'000;
        if (m_options.hasMessages) {
            pb::MessageReceived* received = event(to).mutable_message_received();
            received->set_id(m_message);
            received->set_kind(kind);
            received->set_from(from);
            commit();
        }
    }

    void invitation(pb::Role role, std::uint32_t count)
    {
        pb::InvitationSent* sent = event(m_coordinator).mutable_invitation_sent();
        sent->set_invitation(++m_invitation);
        sent->set_role(role);
        sent->set_count(count);
        sent->set_transport(pb::MULTICAST);
        commit();
        for (const std::uint64_t spare : m_spares[role]) {
            m_causes[spare] = { m_coordinator, m_sequences[m_coordinator] };
            event(spare).mutable_node_invited()->set_invitation(m_invitation);
            m_event->mutable_node_invited()->set_role(role);
            commit();
        }
    }

    void offer(std::uint64_t spare, pb::Role role)
    {
        pb::NodeOffered* offered = event(spare).mutable_node_offered();
        offered->set_invitation(m_invitation);
        offered->set_role(role);
        offered->set_expires_ms(500);
        commit();
        message("offer", spare, m_coordinator);
    }

    void recruit(pb::Role role, std::uint32_t number, std::uint32_t column, std::uint32_t level)
    {
        if (m_spares[role].empty())
            start("node-" + std::to_string(m_started + 1), pb::NODE, role);
        invitation(role, 1);
        const std::vector<std::uint64_t> spares = m_spares[role];
        for (const std::uint64_t spare : spares)
            offer(spare, role);
        const std::uint64_t chosen = spares.front();
        m_spares[role].erase(m_spares[role].begin());
        message("confirm", m_coordinator, chosen);
        m_places[chosen].set_role(role);
        m_places[chosen].set_number(number);
        m_places[chosen].set_column(column);
        pb::NodeRecruited* recruited = event(chosen).mutable_node_recruited();
        recruited->set_invitation(m_invitation);
        recruited->set_incarnation(++m_incarnation);
        recruited->set_level(level);
        recruited->set_group(role == pb::DATA ? number / m_options.m : number);
        recruited->set_position(role == pb::DATA ? number % m_options.m : column);
        commit();
        memberState(chosen, pb::INIT, "confirmed");
        for (const std::uint64_t spare : m_spares[role]) {
            message("cancel", m_coordinator, spare);
            event(spare).mutable_offer_cancelled()->set_invitation(m_invitation);
            m_event->mutable_offer_cancelled()->set_role(role);
            m_event->mutable_offer_cancelled()->set_reason("not needed");
            commit();
        }
        if (role == pb::DATA)
            m_data[number].process = chosen;
        else
            m_parity[number].push_back({ chosen, {} });
    }

    void createGroup(std::uint32_t group)
    {
        m_parity[group];
        for (std::uint32_t p = 0; p < m_options.k; ++p) {
            recruit(pb::PARITY, group, p, 0);
            memberState(m_parity[group][p].process, pb::UP, "empty group");
        }
        event(m_coordinator).mutable_group_created()->set_group(group);
        m_event->mutable_group_created()->set_k(m_options.k);
        commit();
        pb::View* view = event(m_coordinator).mutable_epoch_changed()->mutable_view();
        view->set_group(group);
        view->set_epoch(1);
        commit();
    }

    void up(std::uint32_t bucket) { memberState(m_data.at(bucket).process, pb::UP, "created"); }

    void memberState(std::uint64_t process, pb::MemberState state, const char* reason)
    {
        pb::StateChanged* changed = event(process).mutable_state_changed();
        changed->set_state(state);
        changed->set_reason(reason);
        if (m_places[process].role() == pb::DATA && state == pb::UP)
            changed->set_level(levelOf(BucketNumber(m_places[process].number()), m_file));
        commit();
    }

    void fileState()
    {
        pb::FileStateChanged* changed = event(m_coordinator).mutable_file_state_changed();
        changed->mutable_file()->set_i(m_file.i);
        changed->mutable_file()->set_n(m_file.n);
        changed->set_buckets(bucketCount(m_file));
        changed->set_availability(m_options.k);
        commit();
    }

    const Options m_options;
    ClusterState m_state;
    EventRing m_ring;
    std::int64_t m_nowNs = 1'000'000'000;
    std::uint64_t m_started = 0, m_message = 0, m_invitation = 0, m_incarnation = 0, m_split = 0, m_key = 1;
    std::uint64_t m_coordinator = 0, m_process = 0;
    std::shared_ptr<pb::Event> m_event;
    pb::RequestId m_operation;
    FileImage m_file;
    bool m_owed = false;
    std::map<std::uint64_t, std::uint64_t> m_sequences, m_numbers;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> m_causes;
    std::map<std::uint64_t, pb::Place> m_places;
    std::map<std::uint64_t, FileImage> m_images;
    std::map<pb::Role, std::vector<std::uint64_t>> m_spares;
    std::map<std::uint32_t, Bucket> m_data;
    std::map<std::uint32_t, std::vector<Parity>> m_parity;
};

} // namespace lhrs::gui
