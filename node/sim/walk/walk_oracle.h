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

// Knows what a simulated ring must have stored, because it sees every step, and looks into the machines: after each
// step that changes anything, at most one node answers for an id, and every key is where its owner finds it. It trusts
// no message of the walk, only what nodes tell of a key's change (KeyStored, KeyRemoved) and of a handover.
class WalkOracle {
public:
    explicit WalkOracle(const SimCluster& cluster, IdRing ring);

    // After each step.
    void onStep(const SimProcess& process, Effects& effects, Time now);
    // A client has answered its user.
    void finished(const pb::OperationResult& result);
    // A process will end now: what it alone can answer for is lost.
    void willEnd(const SimProcess& process);

    // The ring is at rest: it looks as the master says, and nobody has a key that is not his.
    void checkAtRest(const WalkMaster& master);
    // A ring at rest was asked for a key by way of this node.
    void lookedUp(const WalkMaster& master, std::uint64_t key, NodeId via, const pb::LookUpResult& result);
    // At the end: what clients saw of each key is linearizable.
    void checkHistories();
    void fail(std::string text);

    struct Failure {
        std::string text;
        Time at {};
    };
    const std::optional<Failure>& failure() const { return m_failure; }
    // The owner of some keys has ended, or the process to which they were given. The walk has no redundancy.
    bool isAnythingLost() const { return !m_lost.empty(); }
    std::vector<std::uint64_t> keys() const; // that were ever named
    const HistoryBook& book() const { return m_book; }

    struct Counts {
        std::uint64_t stored = 0, removed = 0, read = 0;
        std::uint64_t joined = 0, left = 0, undone = 0;
        std::uint64_t moved = 0; // keys
        std::uint64_t nodesLost = 0, nodesBack = 0;
        std::uint64_t keysChecked = 0, rangesChecked = 0;
        std::uint64_t lookUps = 0, steps = 0; // of the look-ups
        std::uint64_t held = 0, bygone = 0; // at rest: nodes that have held queries; late copies that were dropped
    };
    const Counts& counts() const { return m_counts; }

private:
    // What was last seen of a node: its range, if it answers, and how many keys it has.
    struct Seen {
        bool answers = false;
        RingId from, id;
        std::size_t keys = 0;
    };
    // A range between the decision of its giver and its receiver's first answer.
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
    std::map<RingId, const SimProcess*> m_owners; // of ranges, by the range's end
    std::optional<UnderWay> m_underWay;
    std::vector<Range> m_lost;
    std::map<std::uint64_t, std::optional<std::string>> m_keys; // as they are now; nothing: there is no such key
    std::map<check::RequestName, check::RequestKind> m_asked;
    std::set<check::RequestName> m_tookEffect;
    std::vector<std::uint64_t> m_touched; // keys that the step has changed
    Counts m_counts;
};

} // namespace lhrs
