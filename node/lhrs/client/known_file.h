// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/linear_hash.h"
#include "node/lhrs/group/server_context.h"
#include "proto/control.pb.h"

#include <set>

namespace lhrs {

void tell(FileImage image, pb::FileState& out);

// What a client knows of the file: its image, where buckets are, and which of them do not answer. All of it may be out
// of date.
class KnownFile {
public:
    void configure(const pb::FileConfig& config) { m_config = config; }
    // Whether the coordinator has said that the file exists.
    bool exists() const { return m_exists; }
    void setExists() { m_exists = true; }
    // The bucket of a key in the image, or in another state of the file.
    BucketNumber bucketOf(Key key) const { return bucketOf(key, m_image); }
    BucketNumber bucketOf(Key key, FileImage file) const;

    FileImage image() const { return m_image; }
    bool isExact() const { return m_mode == pb::EXACT; }
    void obey(const pb::SetImage& order);
    // Learns from a reply: a location, and possibly an image adjustment.
    void learn(const pb::Reply& reply, Effects& out);
    // Replaces the image by the file state that the coordinator sent, and reports this in an event.
    void adopt(FileImage truth, Effects& out);

    // The location of a bucket; null: not known.
    const HolderInfo* holderOf(BucketNumber a) const;
    void isAt(BucketNumber a, const HolderInfo& holder) { m_locations[a] = holder; }
    // This incarnation of the bucket is no longer there.
    void hasLeft(BucketNumber a, Incarnation incarnation);
    void forget(BucketNumber a) { m_locations.erase(a); }
    void forgetImage() { m_image = {}; }
    // Names the bucket as the suspect of an alarm and forgets its location.
    void accuse(BucketNumber a, pb::Alarm& alarm);

    // Whether the bucket has failed, according to the coordinator.
    bool isUnavailable(BucketNumber a) const { return m_unavailable.contains(a); }
    void setUnavailable(BucketNumber a, bool isUnavailable);
    // A request to the bucket ended without an answer.
    void isUnanswered(BucketNumber a);
    // Whether the coordinator expects an alarm about the bucket; an unanswered request counts once.
    bool wantsAlarm(BucketNumber a) { return isUnavailable(a) || m_unanswered.erase(a) > 0; }

    void describe(pb::ClientDescription& out) const;
    void tellStart(pb::OperationKind kind, Key key, BucketNumber target, std::size_t length, Effects& out) const;

private:
    pb::FileConfig m_config;
    bool m_exists = false;
    FileImage m_image;
    pb::ImageMode m_mode = pb::ADJUSTING;
    LocationCache m_locations;
    std::set<BucketNumber> m_unavailable;
    std::set<BucketNumber> m_unanswered;
    std::uint64_t m_adjustments = 0;
};

} // namespace lhrs
