// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of a file, as its events show them, each with the one invariant that it violates.
#pragma once

#include "tests/rigs/lab/invariant_story.h"

#include <functional>
#include <vector>

namespace lhrs::gui {

// An error, and the number of the invariant that it violates.
struct Seed {
    const char* name;
    int number;
    std::function<void(InvariantStory&)> add;
};

inline const std::vector<Seed>& seeds()
{
    static const std::vector<Seed> all {
        { "two records at one rank", 3, [](InvariantStory& s) { s.insert(30, 2); } },
        { "a rank used again early", 3,
            [](InvariantStory& s) {
                s.begin(4, pb::DELETE);
                pb::Event& event = s.tellAfter(s.kData0, kClient);
                event.mutable_record_deleted()->set_key(4);
                event.mutable_record_deleted()->set_rank(2);
                event.mutable_record_deleted()->set_sequence(++s.sequence);
                s.insert(30, 2);
            } },
        { "an update of what is not there", 3,
            [](InvariantStory& s) {
                auto* updated = s.tell(s.kData0).mutable_record_updated();
                updated->set_key(99);
                updated->set_rank(3);
                updated->set_sequence(++s.sequence);
            } },
        { "a key in the wrong bucket", 4, [](InvariantStory& s) { s.insert(31, 7); } },
        { "an adjustment without a forward", 5, [](InvariantStory& s) { s.insert(30, 7).set_image_adjusted(true); } },
        { "more forwards than splits explain", 5,
            [](InvariantStory& s) {
                auto& over = s.insert(30, 7);
                over.set_forwards(5); // one split was in the last second
                over.set_path(pb::FORWARDED);
                s.quiet();
            } },
        { "an image ahead of the file", 5,
            [](InvariantStory& s) {
                s.begin(30);
                s.told.at(kClient).back().mutable_operation_started()->mutable_image()->set_i(3);
                s.quiet();
            } },
        { "answered before the parity", 6,
            [](InvariantStory& s) {
                s.begin(30);
                s.store(30, 7);
                s.acknowledge(kClient, 30, 7);
                s.done(s.kData0, 30);
                s.apply(s.kParity, 30, 7);
            } },
        { "acknowledged by a parity bucket that had it not", 6,
            [](InvariantStory& s) {
                s.begin(30);
                s.store(30, 7);
                s.acknowledge(s.kParity, 30, 7);
                s.apply(s.kParity, 30, 7);
            } },
        { "an answer of a bucket that was replaced", 9,
            [](InvariantStory& s) {
                s.recover();
                s.search(2, s.kSpare);
                s.search(2, s.kData0);
            } },
        { "a request carried out twice", 10,
            [](InvariantStory& s) {
                s.begin(30);
                s.store(30, 7);
                s.store(30, 8);
            } },
        { "a request carried out by two buckets", 10,
            [](InvariantStory& s) {
                s.insert(30, 7);
                for (int i = 0; i < 2; ++i) {
                    pb::Event& event = s.tell(s.kData1);
                    s.name(event, s.operation);
                    if (i == 0) {
                        event.mutable_record_inserted()->set_key(31);
                        event.mutable_record_inserted()->set_rank(1);
                        event.mutable_record_inserted()->set_sequence(1);
                    } else {
                        event.mutable_change_acknowledged()->set_sequence(1);
                    }
                }
            } },
        { "a split out of turn", 11, [](InvariantStory& s) { s.commit(2, 1, 3, 1, 1); } },
        { "a split undone after its commit", 11,
            [](InvariantStory& s) {
                s.commit(2, 0, 2, 1, 1);
                s.tell(kCoordinator).mutable_split_undone()->set_split(2);
            } },
        { "more parity than intended", 12,
            [](InvariantStory& s) {
                s.tell(kCoordinator).mutable_parity_added()->set_column(1);
                s.told.at(kCoordinator).back().mutable_parity_added()->set_k(2);
            } },
        { "a parity bucket that counts half empty", 12,
            [](InvariantStory& s) {
                s.start(s.kLaterParity, pb::NODE, "parity-2", pb::PARITY);
                s.recruit(s.kLaterParity, pb::PARITY, 0, 1, 8, 0);
                s.become(s.kLaterParity, pb::INIT, 0);
                s.tell(s.kLaterParity).mutable_contents_arrived();
                s.become(s.kLaterParity, pb::UP, 0);
            } },
        { "a spare that answers early", 13,
            [](InvariantStory& s) {
                s.start(s.kSpare, pb::NODE, "data-3", pb::DATA);
                s.recruit(s.kSpare, pb::DATA, 0, 0, 9, 1);
                s.become(s.kSpare, pb::RECOVERING, 1);
                s.tell(s.kSpare).mutable_record_read()->set_key(2);
            } },
        { "a coordinator that forgot a bucket", 14,
            [](InvariantStory& s) {
                s.start(s.kNextCoordinator, pb::COORDINATOR, "coordinator-2");
                s.tell(s.kNextCoordinator).mutable_coordinator_rebuilt()->set_coordinator_epoch(2);
                s.told.at(s.kNextCoordinator).back().mutable_coordinator_rebuilt()->set_buckets(1);
            } },
        { "an epoch that falls", 15, [](InvariantStory& s) { s.epoch(5), s.epoch(4); } },
        { "an incarnation given twice", 15,
            [](InvariantStory& s) {
                s.start(s.kSpare, pb::NODE, "data-3", pb::DATA);
                s.recruit(s.kSpare, pb::DATA, 2, 0, 2, 2);
            } },
        { "two coordinators of one epoch", 15,
            [](InvariantStory& s) {
                for (const ProcessId process : { s.kNextCoordinator, s.kNextCoordinator + 1 }) {
                    s.start(process, pb::COORDINATOR, "coordinator-2");
                    s.tell(process).mutable_coordinator_rebuilt()->set_coordinator_epoch(2);
                    s.told.at(process).back().mutable_coordinator_rebuilt()->set_buckets(2);
                }
            } },
        { "a process in two places", 16, [](InvariantStory& s) { s.recruit(s.kData1, pb::DATA, 2, 0, 10, 2); } },
        { "a loss that is none", 18,
            [](InvariantStory& s) { s.tell(kCoordinator).mutable_group_lost()->add_buckets(0); } },
        { "lost, and called not found", 18,
            [](InvariantStory& s) {
                auto* lost = s.tell(kCoordinator).mutable_group_lost();
                lost->add_buckets(0);
                lost->set_parity_lost(1);
                s.begin(2, pb::SEARCH);
                s.done(kCoordinator, 2, pb::SEARCH).set_result(pb::NOT_FOUND);
            } },
        { "figures that do not add up", 22,
            [](InvariantStory& s) {
                s.recover();
                s.told.at(kCoordinator).back().mutable_recovery_finished()->set_rebuild_ns(61);
            } },
    };
    return all;
}

} // namespace lhrs::gui
