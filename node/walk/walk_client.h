// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/requests/client_machine.h"
#include "node/walk/id_ring.h"

#include <vector>

namespace lhrs {

struct WalkClientOptions {
    pb::ProcessInfo self; // with its addresses
    Address master;
    std::uint64_t seed = 0; // seed for drawing entries
};

// An operation of a client of the ring.
struct WalkClientOperation : ClientOperation {
    RingId place;
    bool isLookUp = false, isSent = false;
    NodeId via; // the entry that the command asked for; 0: any
    NodeId entry; // entry to which the last copy was sent

    void again() { renew(*this); }
};

// A client of the ring: it draws a node for each query, sends the query there and waits for the owner's answer. The
// steps in between are not acknowledged, so the client resends the query through another node until the answer arrives
// or the operation's time is over. Operations on the same key are carried out one after the other. INSERT and UPDATE
// both mean PUT.
//
//   queued --(its key is free, a ring is known)--> sent --(Answer)--> done
//                                          ^--(resend, Astray)--/
class WalkClient final : public ClientOf<WalkClientOperation> {
public:
    explicit WalkClient(WalkClientOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    Time deadline() const override { return nextBeat(); }
    void inspect(Time now, pb::NodeSample& out) const override;
    std::optional<NodeId> awaited(std::uint64_t id) const override { return m_context.acks.receiverOf(id); }

    // The ring as last received from the master.
    const std::vector<pb::WalkNode>& entries() const { return m_entries; }

private:
    using Operation = WalkClientOperation;

    void onAnswer(const pb::Message& message, Time now, Effects& out);
    void onAstray(const pb::Message& message, Time now, Effects& out);
    void onWelcome(const pb::Message& message, Time now, Effects& out);

    void begin(Operation& op, Time now, Effects& out) override;
    const char* whatIsWrongHere(const pb::RunWorkload& order) const override;
    void addTo(pb::Alive& alive) const override
    {
        alive.set_number(std::uint32_t(m_change));
    } // the master will report later changes
    void send(Operation& op, Time now, Effects& out);
    // Ends the operation. `answer` is null if its time is over.
    void finish(Operation& op, const pb::WalkAnswer* answer, pb::ResultCode result, Time now, Effects& out);
    const pb::WalkNode* chooseEntry(const Operation& op);
    // Asks the master for the ring, at a limited rate.
    void ask(Time now, Effects& out);
    void lookUp(const pb::Command& command, Time now, Effects& out);

    SeededNumbers m_numbers;
    IdRing m_ring;
    std::vector<pb::WalkNode> m_entries;
    std::uint64_t m_change = 0; // the newest change that the entries include
    Time m_nextAsk {};
};

} // namespace lhrs
