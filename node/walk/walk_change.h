// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/node_context.h"
#include "node/machine/requests/result_table.h"
#include "node/walk/walk_store.h"

#include <set>

namespace lhrs {

// What the entries of a node's AckList are about.
enum WalkPurpose : AckList::Purpose { WalkPlain = 0, WalkBlock = 2, WalkHandover = 3 };

// The giver's side of a join or leave: the keys of (from, to] are sent to the receiver block by block, while the giver
// still answers for them. The decision is the acknowledgement of the last block.
//
//   sending --(last block sent)--> holding changes --(acknowledged: decided)--> handing over
//   handing over --(Yours acknowledged)--> given
class RangeGiver {
public:
    RangeGiver(const pb::WalkGive& order, IdRing ring, NodeContext& context);

    std::uint64_t change() const { return m_order.change(); }
    bool isLeave() const { return m_order.is_leave(); }
    RingId from() const { return m_from; }
    RingId to() const { return m_to; }
    const pb::WalkNode& receiver() const { return m_order.receiver(); }
    bool contains(RingId id) const { return m_ring.inRight(id, m_from, m_to); }
    // The receiver may have everything, so from now on nothing in the range may change.
    bool holdsChanges() const { return m_isLastSent && !m_isDecided; }
    bool isDecided() const { return m_isDecided; }

    // A key of the range was stored or removed: if it has been sent, it will be sent again.
    void changed(KeyPlace place);
    void sendBlock(const WalkStore& store, const ResultTable& results, Time now, Effects& out);
    // Nothing: the acknowledgement is not for this change, or more is to come. Decided: the receiver has everything and
    // has been told that it answers from now on. Given: the receiver has acknowledged that.
    enum class Step { Nothing, Decided, Given };
    Step onAcknowledged(
        const AckList::Entry& entry, const WalkStore& store, const ResultTable& results, Time now, Effects& out);
    // Stops all resends of this change.
    void forget();

private:
    void addTo(pb::WalkKeys& keys, const WalkStore& store, KeyPlace place, std::size_t& bytes) const;
    void addResults(pb::WalkKeys& keys, const ResultTable& results) const;
    std::uint64_t send(pb::Message message, AckList::Purpose purpose, Way way, Time now, Effects& out);

    const pb::WalkGive m_order;
    const IdRing m_ring;
    const RingId m_from, m_to;
    NodeContext& m_context;
    std::uint32_t m_blocks = 0; // number of blocks sent
    std::optional<KeyPlace> m_last; // all keys up to this one have been sent
    bool m_hasSentAll = false; // all keys were sent once; later changes are in m_changed
    std::set<KeyPlace> m_changed;
    bool m_isLastSent = false, m_isDecided = false;
    std::uint64_t m_waitsFor = 0; // the id of the message whose acknowledgement starts the next step
};

// The receiver's side: what has arrived so far. It takes effect only when the giver says so.
class RangeTaker {
public:
    RangeTaker(std::uint64_t change, RingId from, RingId to, NodeId giver, IdRing ring);

    std::uint64_t change() const { return m_change; }
    RingId from() const { return m_from; }
    RingId to() const { return m_to; }
    NodeId giver() const { return m_giver; }
    bool contains(RingId id) const { return m_ring.inRight(id, m_from, m_to); }
    bool isComplete() const { return m_isComplete; }
    const WalkStore& staged() const { return m_staged; }

    // True: the block has arrived, now or earlier, and must be acknowledged.
    bool take(const pb::WalkKeys& keys);
    // Moves the keys into the store and the results into the table; returns the number of keys.
    std::size_t install(WalkStore& store, ResultTable& results, Time now);

private:
    const std::uint64_t m_change;
    const RingId m_from, m_to;
    const NodeId m_giver;
    const IdRing m_ring;
    std::uint32_t m_next = 0; // number of the next block
    bool m_isComplete = false;
    WalkStore m_staged;
    pb::WalkKeys m_results; // those that came with the last block
};

} // namespace lhrs
