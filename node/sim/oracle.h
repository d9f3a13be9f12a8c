// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/invariants.h"
#include "common/check/ledger.h"
#include "node/sim/bucket_history.h"
#include "node/sim/sim_cluster.h"
#include "proto/config.pb.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

class DataBucket;
class NodeMachine;
class ParityBucket;

// Sees all processes of a simulated cluster and knows what was asked, changed and acknowledged: the model. After each
// step it looks at what the step touched, at rest at everything; what is looked at is copied into plain structs and
// judged by common/check, which shares no code with the store.
class Oracle : public SimObserver {
public:
    Oracle(const pb::FileConfig& config, const SimCluster& cluster);

    struct Failure {
        check::Violation violation;
        Time at {};
    };

    void onStep(const SimProcess& process, const SimInput& input, Effects& effects, Time now) override;
    void onCopied(const pb::Message& message) override;
    // A client told its user.
    void finished(const pb::OperationResult& result);
    // Everything, when nothing is under way; `file` is what the coordinator says.
    void checkAtRest(const pb::FileDescription& file);
    // The run itself found that something does not hold.
    void fail(int invariant, std::string text) { report({ { invariant, std::move(text) } }); }

    // The first violation: whatever follows may follow from it.
    const std::optional<Failure>& failure() const { return m_failure; }
    const check::Ledger& ledger() const { return m_ledger; }
    bool fileExists() const { return m_fileExists; }
    // How many spares of this pool were missed since the last call.
    std::uint32_t takeMissingSpares(pb::Role pool) { return std::exchange(m_missing[pool], 0); }
    const check::FileState& file() const { return m_file; }

    // How often something was looked at: what a test of the oracle itself wants to know.
    struct Counts {
        std::uint64_t recordGroups = 0;
        std::uint64_t acknowledgements = 0;
        std::uint64_t replies = 0;
        std::uint64_t splits = 0;
        std::uint64_t undone = 0;
        std::uint64_t forwards = 0;
        std::uint64_t parityAdded = 0;
    };
    const Counts& counts() const { return m_counts; }

private:
    void report(check::Violations violations);
    void onEvent(const SimProcess& process, const pb::Event& event);
    struct Change {
        std::uint64_t key = 0;
        std::uint32_t rank = 0;
        std::uint64_t sequence = 0;
    };
    void onChange(const SimProcess& process, const pb::Event& event, check::RequestKind kind, const Change& change);
    void onAcknowledged(const pb::Event& event);
    void onRecordsMoved(const pb::Event& event);
    void onSplitApplied(const pb::Event& event);
    void onCoordinatorEvent(const pb::Event& event);
    void onReply(const SimProcess& process, const pb::Reply& reply);
    void onOperationDone(const pb::Event& event);

    // The parity buckets that are UP in the bucket's view, with what they have applied of it.
    std::vector<check::AckSituation::Column> columnsOf(const DataBucket& bucket) const;
    void checkRecord(std::uint32_t number, std::uint64_t key);
    void checkRank(std::uint32_t process, std::uint32_t rank);
    void touchAllRanks(std::uint32_t process);
    void checkAuthority();
    void checkParityAdded(std::uint32_t group, std::uint32_t column);
    void checkAvailability();
    const NodeMachine* node(std::uint32_t process) const;
    const DataBucket* dataBucket(std::uint32_t number) const;
    check::DataBucket extract(const DataBucket& bucket) const;
    check::ParityBucket extract(const ParityBucket& bucket) const;
    static check::ParityRecord recordOf(const ParityBucket& bucket, Rank rank);

    const pb::FileConfig m_config;
    const check::FileSettings m_settings;
    const SimCluster& m_cluster;
    std::optional<Failure> m_failure;
    check::Ledger m_ledger;
    std::map<std::uint32_t, BucketHistory> m_histories;    // by bucket number
    std::map<std::uint32_t, std::map<std::uint32_t, BucketHistory::Slot>> m_arrived; // at new buckets, by rank
    std::map<std::uint32_t, std::uint32_t> m_dataBuckets;  // number -> process
    std::set<std::uint32_t> m_parityBuckets;               // processes
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_deferred; // (process, rank) that a history does not reach yet
    std::set<std::pair<std::uint32_t, std::uint32_t>> m_touched;  // (process, rank) in this step
    std::set<std::pair<std::uint32_t, std::uint64_t>> m_touchedKeys; // (bucket, key) in this step
    bool m_authorityTouched = false;
    check::FileState m_file;
    std::uint32_t m_availability = 0;
    bool m_isRaisedEarly = false;                   // K rose since the last split was decided
    std::map<std::uint32_t, std::uint32_t> m_groups; // k by group, as far as created
    std::vector<Time> m_commits; // of all splits
    bool m_fileExists = false;
    std::map<pb::Role, std::uint32_t> m_missing;
    Counts m_counts;
};

} // namespace lhrs
