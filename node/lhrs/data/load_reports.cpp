// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/load_reports.h"

#include "common/lhrs/failpoint_list.h"

#include <utility>

namespace lhrs {

namespace {

// Overload, Underflow and the events about them have the same fields.
template <class Told> void tellLoad(const BucketParts& bucket, Told& told)
{
    told.set_level(bucket.status.level);
    told.set_count(bucket.store.count());
}

} // namespace

void LoadReports::rearm(std::uint32_t above)
{
    m_isOverloadSent = false;
    m_overloadAbove = above;
}

void LoadReports::rearmIfFits()
{
    if (m_bucket.store.count() <= m_bucket.config.b())
        rearm(m_bucket.config.b());
}

void LoadReports::onDeleted(bool isSource)
{
    if (!isSource)
        rearmIfFits();
    m_afterChange.underflow = true;
}

void LoadReports::report(Due& due, bool isSource, Time now, Effects& out)
{
    const Due reported = std::exchange(due, {});
    if (reported.overload && !isSource)
        reportOverload(now, out);
    if (reported.underflow)
        reportUnderflow(now, out);
}

void LoadReports::reportOverload(Time now, Effects& out)
{
    if (m_bucket.store.count() <= m_overloadAbove || m_isOverloadSent || out.fires(Failpoint::OverloadLate))
        return;
    // Demo paper, section 2: a bucket that overflows alerts the coordinator. It does so once per overload, not once per
    // insert (2003 report).
    m_isOverloadSent = true;
    pb::Message message;
    message.set_incarnation(m_bucket.incarnation.value);
    message.mutable_overload()->set_bucket(m_bucket.number.value);
    tellLoad(m_bucket, *message.mutable_overload());
    if (out.fires(Failpoint::OverloadTwice))
        m_bucket.context.tell(message, now, out);
    m_bucket.context.tell(std::move(message), now, out);
    tellLoad(m_bucket, *out.event().mutable_bucket_overflowed());
}

void LoadReports::reportUnderflow(Time now, Effects& out)
{
    const std::uint32_t count = m_bucket.store.count();
    if (!m_bucket.config.merges() || m_bucket.status.state != pb::UP)
        return;
    if (count >= underflow())
        rearmUnderflow();
    if (count >= m_underflowBelow)
        return;
    // Not reported for every delete. But the coordinator may have found the file as a whole full enough, so a bucket
    // that keeps emptying reports again.
    m_underflowBelow = count / 2;
    pb::Message message;
    message.set_incarnation(m_bucket.incarnation.value);
    message.mutable_underflow()->set_bucket(m_bucket.number.value);
    tellLoad(m_bucket, *message.mutable_underflow());
    m_bucket.context.tell(std::move(message), now, out);
    tellLoad(m_bucket, *out.event().mutable_bucket_underflowed());
}

} // namespace lhrs
