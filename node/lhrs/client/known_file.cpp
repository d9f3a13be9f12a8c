// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/client/known_file.h"

#include "node/lhrs/group/bucket_parts.h"

namespace lhrs {

void tell(FileImage image, pb::FileState& out)
{
    out.set_i(image.i);
    out.set_n(image.n);
}

BucketNumber KnownFile::bucketOf(Key key, FileImage file) const { return addressOf(addressed(key, m_config), file); }

// ---- the image

void KnownFile::obey(const pb::SetImage& order)
{
    m_mode = order.mode();
    if (!order.forget())
        return;
    forgetImage();
    m_locations.clear();
}

void KnownFile::learn(const pb::Reply& reply, Effects& out)
{
    if (reply.has_holder() && reply.holder().incarnation() != 0) {
        isAt(BucketNumber(reply.bucket()), HolderInfo::from(reply.holder()));
        setUnavailable(BucketNumber(reply.bucket()), false);
    }
    if (!reply.image_adjustment())
        return;
    ++m_adjustments;
    const FileImage before = m_image;
    if (m_mode != pb::FROZEN)
        m_image = adjustImage(m_image, BucketNumber(reply.iam_bucket()), reply.iam_level());
    pb::Event* const told = m_image == before ? out.operationEvent() : &out.event();
    if (told == nullptr)
        return;
    auto* event = told->mutable_image_adjusted();
    event->set_bucket(reply.iam_bucket());
    event->set_level(reply.iam_level());
    tell(before, *event->mutable_before());
    tell(m_image, *event->mutable_after());
}

void KnownFile::adopt(FileImage truth, Effects& out)
{
    if (m_image == truth)
        return;
    auto* event = out.event().mutable_image_adjusted();
    event->set_by_coordinator(true);
    tell(m_image, *event->mutable_before());
    tell(truth, *event->mutable_after());
    m_image = truth;
}

// ---- the buckets

const HolderInfo* KnownFile::holderOf(BucketNumber a) const
{
    const auto found = m_locations.find(a);
    return found == m_locations.end() ? nullptr : &found->second;
}

void KnownFile::hasLeft(BucketNumber a, Incarnation incarnation)
{
    const HolderInfo* const known = holderOf(a);
    if (known != nullptr && known->incarnation == incarnation)
        forget(a);
}

void KnownFile::accuse(BucketNumber a, pb::Alarm& alarm)
{
    alarm.mutable_suspect()->set_role(pb::DATA);
    alarm.mutable_suspect()->set_index(a.value);
    if (const HolderInfo* const known = holderOf(a))
        known->to(*alarm.mutable_suspect()->mutable_holder());
    forget(a);
}

void KnownFile::setUnavailable(BucketNumber a, bool isUnavailable)
{
    if (isUnavailable)
        m_unavailable.insert(a);
    else
        m_unavailable.erase(a);
}

void KnownFile::isUnanswered(BucketNumber a)
{
    forget(a);
    m_unanswered.insert(a);
}

// ---- reports

void KnownFile::describe(pb::ClientDescription& out) const
{
    tell(m_image, *out.mutable_image());
    out.set_mode(m_mode);
    out.set_image_adjustments(m_adjustments);
}

void KnownFile::tellStart(pb::OperationKind kind, Key key, BucketNumber target, std::size_t length, Effects& out) const
{
    pb::Event* const told = out.operationEvent();
    if (told == nullptr)
        return;
    auto* event = told->mutable_operation_started();
    event->set_kind(kind);
    event->set_key(key.value);
    event->set_bucket(target.value);
    tell(m_image, *event->mutable_image());
    event->set_length(std::uint32_t(length));
}

} // namespace lhrs
