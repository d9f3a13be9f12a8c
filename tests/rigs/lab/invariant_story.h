// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a correct small file, with their causes; a test adds what is wrong.
#pragma once

#include "tests/rigs/lab/fold_story.h"

#include <cstdint>

namespace lhrs::gui {

struct InvariantStory : Story {
    static constexpr ProcessId kData0 = 100, kData1 = 101, kSpare = 150, kParity = 1100, kLaterParity = 1101,
                               kNextCoordinator = 5;
    std::uint64_t operation = 0, sequence = 0;
    std::uint32_t records = 0;

    // One data bucket, one parity bucket, one client.
    InvariantStory()
    {
        start(kCoordinator, pb::COORDINATOR, "coordinator");
        start(kClient, pb::CLIENT, "alice");
        auto& config = *tell(kCoordinator).mutable_file_created()->mutable_config();
        config.set_m(4);
        config.set_b(40);
        config.set_availability(1);
        start(kParity, pb::NODE, "parity-1", pb::PARITY);
        recruit(kParity, pb::PARITY, 0, 0, 1, 0);
        start(kData0, pb::NODE, "data-1", pb::DATA);
        recruit(kData0, pb::DATA, 0, 0, 2, 0);
        epoch(1);
        auto* group = tell(kCoordinator).mutable_group_created();
        group->set_k(1);
        file(0, 0);
    }

    std::uint64_t last(ProcessId process) const { return told.at(process).size(); }

    // An event that the last event of another process caused.
    pb::Event& tellAfter(ProcessId process, ProcessId cause)
    {
        const std::uint64_t sequenceOfCause = last(cause);
        pb::Event& event = tell(process);
        event.set_cause_process(cause);
        event.set_cause_sequence(sequenceOfCause);
        return event;
    }

    void name(pb::Event& event, std::uint64_t number) const
    {
        event.mutable_operation()->set_client(kClient);
        event.mutable_operation()->set_number(number);
    }

    void epoch(std::uint64_t number)
    {
        auto& view = *tell(kCoordinator).mutable_epoch_changed()->mutable_view();
        view.set_epoch(number);
        view.set_k(1);
    }

    void file(std::uint32_t i, std::uint32_t n)
    {
        auto* changed = tell(kCoordinator).mutable_file_state_changed();
        changed->mutable_file()->set_i(i);
        changed->mutable_file()->set_n(n);
        changed->set_buckets((1u << i) + n);
        changed->set_availability(1);
    }

    void begin(std::uint64_t key, pb::OperationKind kind = pb::INSERT)
    {
        pb::Event& event = tell(kClient);
        name(event, ++operation);
        event.mutable_operation_started()->set_key(key);
        event.mutable_operation_started()->set_kind(kind);
    }

    void store(std::uint64_t key, std::uint32_t rank)
    {
        pb::Event& event = tellAfter(kData0, kClient);
        name(event, operation);
        auto* inserted = event.mutable_record_inserted();
        inserted->set_key(key);
        inserted->set_rank(rank);
        inserted->set_sequence(++sequence);
        inserted->set_count(++records);
    }

    void apply(ProcessId parity, std::uint64_t key, std::uint32_t rank)
    {
        pb::Event& event = tellAfter(parity, kData0);
        name(event, operation);
        auto* applied = event.mutable_delta_applied();
        applied->set_sequence(sequence);
        applied->set_key(key);
        applied->set_rank(rank);
        applied->set_members(1);
        applied->set_record_groups(records);
    }

    void acknowledge(ProcessId cause, std::uint64_t key, std::uint32_t rank)
    {
        pb::Event& event = tellAfter(kData0, cause);
        name(event, operation);
        event.mutable_change_acknowledged()->set_sequence(sequence);
        event.mutable_change_acknowledged()->set_key(key);
        event.mutable_change_acknowledged()->set_rank(rank);
    }

    pb::OperationDone& done(ProcessId cause, std::uint64_t key, pb::OperationKind kind = pb::INSERT)
    {
        pb::Event& event = tellAfter(kClient, cause);
        name(event, operation);
        auto& over = *event.mutable_operation_done();
        over.set_kind(kind);
        over.set_key(key);
        over.set_result(pb::OK);
        over.set_time_ns(1000);
        return over;
    }

    pb::OperationDone& insert(std::uint64_t key, std::uint32_t rank)
    {
        begin(key);
        store(key, rank);
        apply(kParity, key, rank);
        acknowledge(kParity, key, rank);
        return done(kData0, key);
    }

    void search(std::uint64_t key, ProcessId bucket)
    {
        begin(key, pb::SEARCH);
        tellAfter(bucket, kClient).mutable_record_read()->set_key(key);
        done(bucket, key, pb::SEARCH);
    }

    void commit(std::uint64_t split, std::uint32_t bucket, std::uint32_t newBucket, std::uint32_t i, std::uint32_t n)
    {
        auto* ordered = tell(kCoordinator).mutable_split_ordered();
        ordered->set_split(split);
        ordered->set_bucket(bucket);
        ordered->set_new_bucket(newBucket);
        auto* committed = tell(kCoordinator).mutable_split_committed();
        committed->set_split(split);
        committed->set_bucket(bucket);
        committed->set_new_bucket(newBucket);
        committed->mutable_file()->set_i(i);
        committed->mutable_file()->set_n(n);
    }

    // Bucket 0 splits. No record leaves for bucket 1, as all keys here are even.
    void split()
    {
        start(kData1, pb::NODE, "data-2", pb::DATA);
        recruit(kData1, pb::DATA, 1, 0, 3, 1);
        commit(1, 0, 1, 1, 0);
        auto* applied = tell(kData0).mutable_split_applied();
        applied->set_split(1);
        applied->set_level(1);
        applied->set_count(records);
        applied->set_sequence(++sequence);
        auto* finished = tell(kCoordinator).mutable_split_finished();
        finished->set_split(1);
        finished->set_new_bucket(1);
        file(1, 0);
    }

    // Bucket 0 fails and is recovered on a spare.
    void recover()
    {
        start(kSpare, pb::NODE, "data-3", pb::DATA);
        auto* failed = tell(kCoordinator).mutable_bucket_failed();
        failed->set_role(pb::DATA);
        failed->set_process(kData0);
        recruit(kSpare, pb::DATA, 0, 0, 9, 1);
        become(kSpare, pb::RECOVERING, 1);
        become(kSpare, pb::UP, 1);
        epoch(2);
        auto* finished = tell(kCoordinator).mutable_recovery_finished();
        finished->add_buckets(0);
        finished->set_rebuild_ns(60);
        finished->set_process_ns(10);
        finished->set_communication_ns(20);
        finished->set_other_ns(30);
    }

    // No more events; time passes.
    void quiet()
    {
        tell(kCoordinator).mutable_members_answered();
        told.at(kCoordinator).back().set_wall_ns(std::int64_t(10) * 1'000'000'000);
    }

    // All of the above, a repeated request, and a file of two buckets.
    static InvariantStory honest()
    {
        InvariantStory story;
        for (std::uint32_t rank = 1; rank <= 5; ++rank)
            story.insert(2 * rank, rank);
        story.insert(20, 6).set_resends(1);
        story.search(2, kData0);
        story.split();
        return story;
    }
};

} // namespace lhrs::gui
