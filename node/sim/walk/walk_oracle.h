// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/history_book.h"
#include "node/sim/engine/sim_cluster.h"
#include "node/walk/walk_master.h"
#include "node/walk/walk_node.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs {

// Knows what a simulated ring must have stored, because it sees every step and looks into the machines. After each step
// that changes anything, at most one node answers for an id, and every key is where its owner finds it. It trusts no
// message of the walk, only what nodes report about changes of a key (KeyStored, KeyRemoved) and about a handover.
class WalkOracle {
public:
    explicit WalkOracle(const SimCluster& cluster, IdRing ring);

    // To be called after each step.
    void onStep(const SimProcess& process, Effects& effects, Time now);
    // A client has reported a result to its user.
    void finished(const pb::OperationResult& result);
    // A process is about to end: what only it can answer for is lost.
    void willEnd(const SimProcess& process);

    // The ring is at rest: it must look as the master describes it, and no node may have a key that belongs to another.
    void checkAtRest(const WalkMaster& master);
    // A key was looked up through this node in a ring at rest.
    void lookedUp(const WalkMaster& master, std::uint64_t key, NodeId via, const pb::LookUpResult& result);
    // At the end: checks that what clients saw of each key is linearizable.
    void checkHistories();
    void fail(std::string text);

    struct Failure {
        std::string text;
        Time at {};
    };
    const std::optional<Failure>& failure() const { return m_failure; }
    // The owner of some keys has ended, or the process that was receiving them. The walk has no redundancy.
    bool isAnythingLost() const { return !m_lost.empty(); }
    std::vector<std::uint64_t> keys() const; // all keys that were ever named
    const HistoryBook& book() const { return m_book; }

    struct Counts {
        std::uint64_t stored = 0, removed = 0, read = 0;
        std::uint64_t joined = 0, left = 0, undone = 0;
        std::uint64_t moved = 0; // keys moved
        std::uint64_t nodesLost = 0, nodesBack = 0;
        std::uint64_t keysChecked = 0, rangesChecked = 0;
        std::uint64_t lookUps = 0, steps = 0; // look-ups, and their steps
        std::uint64_t held = 0, bygone = 0; // at rest: nodes that have held queries; late copies that were dropped
    };
    const Counts& counts() const { return m_counts; }

private:
    // What was last seen of a node: its range, whether it answers, and its number of keys.
    struct Seen {
        bool answers = false;
        RingId from, id;
        std::size_t keys = 0;
    };
    // A range between the decision of its giver and the first answer of its receiver.
    struct UnderWay {
        std::uint64_t change = 0;
        RingId from, to;
        const SimProcess* giver = nullptr;
        NodeId receiver;
    };
    struct Range {
        RingId from, to;
    };

    static const WalkNode* nodeOf(const SimProcess& process);
    static Seen look(const WalkNode& node);
    void onEvent(const SimProcess& process, const pb::WalkEvent& walk);
    void onKeyEvent(const SimProcess& process, const pb::Event& event);
    void checkTouched(const SimProcess& process, std::uint64_t key);
    void onKeysGiven(const SimProcess& process, const pb::KeysGiven& given);
    void onRangeTaken(const SimProcess& process, const pb::RangeTaken& taken);
    void checkRanges();
    void checkKeys();
    void checkKey(std::uint64_t key, const std::optional<std::string>& value);
    const SimProcess* ownerOf(RingId id) const;
    bool isLost(RingId id) const;

    const SimCluster& m_cluster;
    const IdRing m_ring;
    std::optional<Failure> m_failure;
    HistoryBook m_book;
    std::map<std::uint32_t, Seen> m_seen; // by process
    std::map<RingId, const SimProcess*> m_owners; // owners of ranges, by the end of the range
    std::optional<UnderWay> m_underWay;
    std::vector<Range> m_lost;
    std::map<std::uint64_t, std::optional<std::string>> m_keys; // the present values; nothing: there is no such key
    std::map<check::RequestName, check::RequestKind> m_asked;
    std::set<check::RequestName> m_tookEffect;
    std::vector<std::uint64_t> m_touched; // keys changed by the step
    Counts m_counts;
};

} // namespace lhrs
