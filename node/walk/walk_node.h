// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/machine.h"
#include "node/walk/walk_change.h"

#include <deque>

namespace lhrs {

// A query with this many steps is circling a ring whose links bypass the owner; no ring has so many nodes.
inline constexpr std::uint32_t kStepsMax = 1'024;

struct WalkNodeOptions {
    pb::ProcessInfo self; // with its addresses
    Address master;
};

// A node of the ring: it knows its own id, where its range begins, and its successor. It answers for the ids of (from,
// id] and passes every other query on to the successor. Lookup thesis, the drawing program's "simple" ring.
//
//   spare --(Admit)--> joining --(Yours)--> in --(Give, is_leave)--> leaving --(Over)--> spare
//
// At every instant at most one process answers for an id: the giver of a range until it decides, no process until Yours
// has arrived, then the receiver. See node/walk/PROTOCOL.md.
class WalkNode : public Machine {
public:
    explicit WalkNode(WalkNodeOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    Time deadline() const override;
    void snapshot(pb::Snapshot& out) const override;
    void gauges(pb::Gauges& out) const override;
    void inspect(Time now, pb::NodeSample& out) const override;
    std::optional<NodeId> awaited(std::uint64_t id) const override { return m_context.acks.receiverOf(id); }

    bool isRegistered() const { return m_isRegistered; }
    IdRing ring() const { return m_ring; }
    // Undefined before the node is first admitted, as are `from` and `successor`.
    RingId id() const { return m_id; }
    RingId from() const { return m_from; }
    const pb::WalkNode& successor() const { return m_successor; }
    pb::WalkState state() const;
    // Whether the node answers a query for this id now (it may hold a change for a moment).
    bool answersFor(RingId id) const;
    const WalkStore& store() const { return m_store; }
    const ResultTable& results() const { return m_results; }
    // The change in which the node takes part and whose Over it has not received; 0: none.
    std::uint64_t openChange() const { return m_openChange; }
    // Queries that are waiting for the end of a handover; the highest number so far; and late copies of changes that
    // were dropped.
    std::size_t held() const { return m_held.size(); }
    std::size_t heldMost() const { return m_heldMost; }
    std::uint64_t bygone() const { return m_bygone; }

private:
    void onWelcome(const pb::Message& message, Effects& out);
    void onQuery(const pb::Message& message, Time now, Effects& out);
    void onAdmit(const pb::Message& message, Time now, Effects& out);
    void onGive(const pb::Message& message, Time now, Effects& out);
    void onKeys(const pb::Message& message, Time now, Effects& out);
    void onYours(const pb::Message& message, Time now, Effects& out);
    void onUndone(const pb::Message& message, Time now, Effects& out);
    void onLink(const pb::Message& message, Effects& out);
    void onOver(const pb::Message& message, Time now, Effects& out);
    void onStop(const pb::Message& message, Time now, Effects& out);
    void onAcknowledged(std::uint64_t id, Time now, Effects& out);

    // Serves the query, holds it or passes it on. `from`: the process that sent it; 0: the query was held here.
    void route(const pb::WalkQuery& query, NodeId from, Time now, Effects& out);
    void serve(const pb::WalkQuery& query, Time now, Effects& out);
    void carryOut(const pb::WalkQuery& query, Time now, Effects& out);
    void answer(const pb::WalkQuery& query, pb::ResultCode result, const std::string* value, Effects& out) const;
    void passOn(const pb::WalkQuery& query, NodeId from, Effects& out) const;
    void hold(const pb::WalkQuery& query);
    void releaseHeld(Time now, Effects& out);

    // False: the order is for another process that had this address, or it is a late copy, which is acknowledged.
    // `newest`: the newest change for which an order of this kind has arrived.
    bool isNew(
        std::uint64_t change, std::uint64_t newest, std::uint64_t node, const pb::Message& message, Effects& out) const;
    // The node takes part in this change. An earlier change is over, because the master orders one after the other.
    void open(std::uint64_t change, Time now, Effects& out);
    // The same for an order to a giver. Only a node of the ring gets one, so the first node may learn from it that it
    // is in.
    void openAsGiver(std::uint64_t change, Time now, Effects& out);
    // Ends the change: whatever is under way and not decided here is undone.
    void close(Time now, Effects& out);
    void takeRange(Time now, Effects& out);
    void refuse(const pb::Message& order, std::uint64_t change, const std::string& reason, Effects& out);
    void setSuccessor(std::uint64_t change, const pb::WalkNode& successor, Effects& out);

    NodeContext m_context;
    IdRing m_ring;
    bool m_isStarted = false, m_isRegistered = false;
    bool m_isIn = false; // answers for (from, id]
    RingId m_id, m_from;
    pb::WalkNode m_successor; // its node is 0 until the node has been in a ring
    WalkStore m_store;
    ResultTable m_results; // the notes of its entries are places on the ring
    std::optional<RangeGiver> m_giver;
    std::optional<RangeTaker> m_taker;
    std::deque<pb::WalkQuery> m_held;
    std::size_t m_heldMost = 0;
    std::uint64_t m_lastChange = 0; // the newest change for which an order has arrived
    std::uint64_t m_lastLink = 0;
    std::uint64_t m_openChange = 0;
    std::uint64_t m_undone = 0; // the newest change that this node has undone
    std::string m_undoneBecause;
    std::uint64_t m_operations = 0, m_bygone = 0;
    Time m_nextAlive {};
};

} // namespace lhrs
