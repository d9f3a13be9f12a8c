// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/transfer/connection_handshake.h"
#include "node/lhrs/data/data_bucket.h"
#include "node/machine/machine.h"
#include "node/lhrs/group/server_context.h"
#include "node/lhrs/parity/parity_bucket.h"
#include "node/lhrs/group/replaced_members.h"
#include "node/machine/transfer/part_transfers.h"

#include <memory>

namespace lhrs {

struct NodeOptions {
    pb::ProcessInfo self; // with its addresses
    Address coordinator;
    pb::Role pool = pb::DATA; // the pool to which this spare belongs
    std::uint64_t seed = 0;
};

// One server process: an idle server of a pool, and later a data bucket or a parity bucket. All messages for the bucket
// pass through it.
//
//   spare --(Invite)--> invited --(Confirm)--> data bucket | parity bucket --(Cancel)--> spare
//                          \--(Cancel, or the offer expires)--> spare
class NodeMachine : public Machine {
public:
    explicit NodeMachine(NodeOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void expect(const pb::Message& message, Soon soon) const override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    void onMemory(const MemoryReading& reading, Time now, Effects& out) override;
    Time deadline() const override;
    void snapshot(pb::Snapshot& out) const override;
    void leaveOutRecords(pb::Snapshot& snapshot) const override;
    void gauges(pb::Gauges& out) const override;
    void inspect(Time now, pb::NodeSample& out) const override;
    std::optional<NodeId> awaited(std::uint64_t id) const override { return m_context.acks.receiverOf(id); }

    // Whether the coordinator has answered.
    bool isRegistered() const { return m_isRegistered; }
    const DataBucket* dataBucket() const { return m_data.get(); }
    const ParityBucket* parityBucket() const { return m_parity.get(); }
    pb::Role pool() const { return m_pool; }
    // Bytes that its bucket stores, as counted between two measurements of the memory of the process.
    std::uint64_t storedBytes() const
    {
        return m_data ? m_data->storedBytes() : m_parity ? m_parity->storedBytes() : 0;
    }

private:
    // Handles a message that arrived as a whole or was reassembled from parts.
    void take(const pb::Message& message, Time now, Effects& out);
    // Sends the long messages of this step by the transport that the file prescribes.
    void carry(Time now, Effects& out);
    void onPart(const pb::Message& message, Time now, Effects& out);
    void onInvite(const pb::Message& message, Time now, Effects& out);
    void onConfirm(const pb::Message& message, Time now, Effects& out);
    void onCancel(const pb::Message& message, Time now, Effects& out);
    void onRegistered(const pb::Message& message, Time now, Effects& out);
    void onProbe(const pb::Message& message, Effects& out) const;
    void onReportState(const pb::Message& message, Time now, Effects& out);
    // Whether the message comes from the coordinator that this process follows, or from no coordinator at all.
    bool isOfPresentCoordinator(const pb::Message& message, Time now, Effects& out);
    void onAlive(Time now, Effects& out);
    void onAcknowledged(std::uint64_t id, Time now, Effects& out);
    // Pass a message to the handler in the data bucket, in the parity bucket, or in whichever exists.
    template <auto handler> void toData(const pb::Message& message, Time now, Effects& out);
    template <auto handler> void toParity(const pb::Message& message, Time now, Effects& out);
    template <auto dataHandler, auto parityHandler> void toEither(const pb::Message& message, Time now, Effects& out);
    void refuse(const pb::Message& message, Effects& out);
    void endOffer(const char* reason, Effects& out);
    // Whether changes that make the bucket grow are refused; for a spare, whether they would be.
    bool isFull() const;
    void lookAtMemory(Effects& out);
    bool isSpare() const { return !m_data && !m_parity; }
    void setPlace(Effects& out) const;

    ServerContext m_context;
    PartTransfers m_parts { m_context };
    ConnectionHandshake m_handshake { m_context };
    const pb::Role m_pool;
    bool m_isStarted = false;
    bool m_isRegistered = false;
    bool m_knowsFile = false; // it has been told that the file exists
    ReplacedMembers m_replaced;
    pb::RecoveryWay m_recovery = pb::RECOVERY_OFF; // setting of the file, if an operator changed it; its stamp follows
    std::uint64_t m_recoveryStamp = 0;
    std::uint64_t m_invitation = 0; // number of the open offer's invitation; 0: none
    Time m_offerExpires = Time::max();
    Time m_nextAlive {};
    pb::View m_formerView; // view of its former group, as last received
    NodeId m_followed; // the coordinator whose orders are carried out
    NodeId m_reportedTo; // the last listening coordinator that got a report
    std::uint64_t m_promised = 0; // the lowest epoch that this coordinator will take
    Time m_promiseEnds {};
    bool m_isFullTold = false;
    Incarnation m_lastIncarnation; // a Confirm for it or an older one is a late copy
    std::unique_ptr<DataBucket> m_data;
    std::unique_ptr<ParityBucket> m_parity;
};

} // namespace lhrs
