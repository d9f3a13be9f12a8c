// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/lhrs/request_ledger.h"
#include "common/lhrs/file_ids.h"
#include "node/sim/lhrs/oracle/bucket_history.h"
#include "node/sim/engine/history_book.h"
#include "node/sim/lhrs/oracle/epochs.h"
#include "node/sim/lhrs/oracle/answers.h"
#include "proto/config.pb.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

class Coordinator;
class DataBucket;
class NodeMachine;
class ParityBucket;

// The model: it sees all processes of a simulated cluster and knows what was requested, changed and acknowledged. After
// each step it checks what the step affected; at rest it checks everything. The state is copied into plain structs and
// judged by common/check, which shares no code with the store.
class Oracle : public SimObserver {
public:
    Oracle(const pb::FileConfig& config, const SimCluster& cluster);

    using Counts = Findings::Counts;

    void onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now) override;
    void onCopied(const pb::Message& message) override { m_answers.onCopied(message); }
    // The process is about to be killed or disturbed in another way.
    void onKilled(const SimProcess& process);
    // Checks everything when nothing is under way; `file` is the coordinator's description.
    void checkAtRest(const pb::FileDescription& file);
    // The run itself found a violation.
    void fail(int invariant, std::string text) { report({ { invariant, std::move(text) } }); }

    const std::optional<Findings::Failure>& failure() const { return m_findings.failure; }
    const Counts& counts() const { return m_findings.counts; }
    FileGrowth& growth() { return m_growth; }
    const Availability& availability() const { return m_availability; }
    Answers& answers() { return m_answers; }
    const Answers& answers() const { return m_answers; }
    Losses& losses() { return m_losses; }
    const Losses& losses() const { return m_losses; }

private:
    void report(check::Violations violations) { m_part.report(std::move(violations)); }
    void onEvent(const SimProcess& process, const pb::Event& event);
    struct Change {
        std::uint64_t key = 0;
        std::uint32_t rank = 0;
        std::uint64_t sequence = 0;
    };
    void onChange(const SimProcess& process, const pb::Event& event, check::RequestKind kind, const Change& change);
    void onResultKept(const SimProcess& process, const pb::Event& event);
    bool isBehindTheGone(GroupNumber g, NodeId holder) const;
    void onRecordsMoved(const SimProcess& process, const pb::Event& event);
    void onSplitApplied(const SimProcess& process, const pb::Event& event);
    void onCoordinatorEvent(const pb::Event& event);
    // A later coordinator has rebuilt the file: as its predecessor had it, or as it was before a decision that only the
    // predecessor knew (I14).
    void onRebuilt(const pb::CoordinatorRebuilt& rebuilt);
    void onBegun(std::uint32_t number);
    void onBatchApplied(const SimProcess& process, const pb::Event& event);
    void onFailed(const pb::BucketFailed& failed);
    void onCut(const SimProcess& manager, const pb::CutAgreed& cut);
    void onUndone(std::uint32_t target);
    // Learns from the parity buckets of a lost bucket the effect of a split that it could not report.
    void learn(std::uint32_t number, std::uint64_t upTo);
    // The machines that hold the places of a group, according to the coordinator.
    struct GroupMembers {
        std::vector<const DataBucket*> data; // by position; null: no bucket
        std::vector<const ParityBucket*> parity;
    };
    // Returns nothing if a member is missing or not UP, which is a failure.
    std::optional<GroupMembers> findMembers(const pb::FileDescription::Group& group);
    // Checks a group at rest; returns its data buckets.
    std::vector<check::DataBucket> checkGroup(const pb::FileDescription::Group& group, const GroupMembers& members);

    void checkRecord(std::uint32_t number, std::uint64_t key);
    void checkRank(std::uint32_t process, std::uint32_t rank);
    void touchAllRanks(std::uint32_t process);
    // Checks that the bucket stores what its history says (I13).
    void checkWhole(std::uint32_t number);
    check::DataBucket extract(const DataBucket& bucket) const;
    check::ParityBucket extract(const ParityBucket& bucket) const;
    static check::ParityRecord recordOf(const ParityBucket& bucket, Rank rank);

    const pb::FileConfig m_config;
    const check::FileSettings m_settings;
    const SimCluster& m_cluster;
    Findings m_findings;
    const OraclePart m_part;
    Places m_places { m_part };
    Epochs m_epochs { m_part, m_places };
    FileGrowth m_growth;
    Losses m_losses { m_part, m_places, m_growth };
    Availability m_availability { m_part, m_places, m_growth, m_losses };
    Answers m_answers { m_part, m_places, m_growth, m_losses, m_availability };
    std::map<std::uint32_t, BucketHistory> m_histories; // by bucket number
    std::map<std::uint32_t, std::map<std::uint32_t, BucketHistory::Slot>> m_arrived; // at new buckets, by rank
    // (bucket, sequence): batches that the bucket has not reported yet.
    std::map<std::pair<std::uint32_t, std::uint64_t>, pb::BatchApplied> m_batches;
    std::vector<std::uint32_t> m_enabledNow; // buckets enabled in this step
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_deferred; // (process, rank) not yet in a history
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_touched; // (process, rank) in this step
    std::set<std::pair<std::uint32_t, std::uint64_t>> m_touchedKeys; // (bucket, key) in this step
};

} // namespace lhrs
