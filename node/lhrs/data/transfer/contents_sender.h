// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/bucket_parts.h"

#include <map>

namespace lhrs {

// A data bucket's answer to SendContents: it sends all its records to one new parity bucket, a few blocks under way at
// once, while changes continue. Each block names the sequence number at which it was taken, so no step is long and no
// change has to wait. See "Contents block by block" in node/lhrs/PROTOCOL.md.
class ContentsSender {
public:
    ContentsSender(BucketParts& bucket, const HolderInfo& to) : m_bucket(bucket), m_to(to) { }
    bool isDone() const { return m_isDone; }
    void sendBlocks(Time now, Effects& out);
    // Returns true if the acknowledged message was a block of this sender; then the next block may be sent.
    bool onAck(const AckList::Entry& entry, Time now);
    void stop() const;
    // Whether the receiver has been silent for so long that the coordinator should check it; returns true once per such
    // period. A parity bucket that is being filled grants no lease, and there may be no change whose missing
    // acknowledgement would reveal the failure.
    bool isMissed(Time now);

private:
    void sendBlock(Time now, Effects& out);

    BucketParts& m_bucket;
    const HolderInfo m_to;
    Rank m_next { 1 };
    std::uint32_t m_block = 0, m_underWay = 0;
    bool m_isLastSent = false;
    bool m_isDone = false;
    Time m_heard {};
};

// The senders to all parity buckets that are being filled.
class ContentsSenders {
public:
    explicit ContentsSenders(BucketParts& bucket) : m_bucket(bucket) { }
    void onSendContents(const pb::Message& message, Time now, Effects& out);
    void onAck(const AckList::Entry& entry, Time now, Effects& out);
    // The view has changed: a sender stops when the parity bucket that asked for the contents is no longer there.
    void takeView();
    void onTime(Time now, Effects& out);

private:
    BucketParts& m_bucket;
    std::map<Incarnation, ContentsSender> m_senders; // by the asking parity bucket
};

} // namespace lhrs
