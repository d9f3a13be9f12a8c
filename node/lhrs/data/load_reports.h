// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/bucket_parts.h"

namespace lhrs {

// Tells the coordinator that the bucket has too many records (once per overload) or too few. A possible reason for a
// report is noted; the report follows when the change, or the whole step, has had its other effects.
class LoadReports {
public:
    explicit LoadReports(BucketParts& bucket) : m_bucket(bucket) { }

    // There may be too many records now, or too few.
    void onGrown() { m_afterChange.overload = true; }
    void onDeleted(bool isSource);
    // The same, but after the requests that this step releases.
    void onSplitEnded() { m_afterStep.overload = true; }
    void onMergeEnded() { m_afterStep = { .overload = true, .underflow = true }; }
    // rearm: reports again when there are more records than this. rearmIfFits: when there are more than the capacity,
    // unless there are more than that already.
    void rearm(std::uint32_t above);
    void rearmIfFits();
    // Allows a report that there are too few records, as if none had been sent.
    void rearmUnderflow() { m_underflowBelow = underflow(); }
    // `isSource`: a split is taking half of the records, so their number is checked after it.
    void afterChange(bool isSource, Time now, Effects& out) { report(m_afterChange, isSource, now, out); }
    void afterStep(bool isSource, Time now, Effects& out) { report(m_afterStep, isSource, now, out); }

private:
    struct Due {
        bool overload = false, underflow = false;
    };
    void report(Due& due, bool isSource, Time now, Effects& out);
    std::uint32_t underflow() const { return m_bucket.config.b() * 2 / 5; } // a load of 0.4
    void reportOverload(Time now, Effects& out);
    void reportUnderflow(Time now, Effects& out);

    BucketParts& m_bucket;
    Due m_afterChange, m_afterStep;
    bool m_isOverloadSent = false;
    std::uint32_t m_overloadAbove = m_bucket.config.b(); // a higher number of records is reported
    std::uint32_t m_underflowBelow = underflow(); // a lower number of records is reported
};

} // namespace lhrs
