// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/server_context.h"
#include "node/lhrs/store/record_store.h"
#include "node/machine/requests/result_table.h"

namespace lhrs {

// A data bucket's answer to SendContents: all its records go to one new parity bucket, a few blocks under way at once,
// while changes go on. Each block says as of which sequence number it was taken, so no step is long and no change has
// to wait. See "Contents block by block" in node/lhrs/PROTOCOL.md.
class ContentsSender {
public:
    struct Bucket { // the sending bucket
        GroupNumber group;
        Position position;
        Incarnation incarnation;
        Level level = 0;
    };

    ContentsSender(ServerContext& context, const pb::SendContents& order, const HolderInfo& to);
    Incarnation asker() const { return m_to.incarnation; }
    bool isDone() const { return m_isDone; }
    void sendBlocks(const Bucket& bucket, const RecordStore& store, const ResultTable& results, Sequence sequence,
        Time now, Effects& out);
    // Returns true if the acknowledged message was a block of this sender; then the next block may go.
    bool onAck(const AckList::Entry& entry, Time now);
    void stop();
    // Whether the receiver has been silent for so long that the coordinator should check it; returns true once per such
    // period. A parity bucket that is being filled grants no lease, and there may be no change whose acknowledgement
    // would be missed.
    bool isMissed(Time now);

private:
    void sendBlock(const Bucket& bucket, const RecordStore& store, const ResultTable& results, Sequence sequence,
        Time now, Effects& out);

    ServerContext& m_context;
    const HolderInfo m_to;
    Rank m_next { 1 };
    std::uint32_t m_block = 0, m_underWay = 0;
    bool m_isLastSent = false;
    bool m_isDone = false;
    Time m_heard {};
};

} // namespace lhrs
