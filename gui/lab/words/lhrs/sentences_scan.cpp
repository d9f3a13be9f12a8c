// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of scans and merges.
#include "gui/lab/words/lhrs/sentences_scan.h"

#include "gui/lab/state/process/sentence_words.h"
#include "gui/lab/words/lhrs/place_words.h"

namespace lhrs::gui {

std::string scanSentence(const std::string& who, const pb::Event& event)
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kScanStarted: {
        const pb::ScanStarted& e = event.scan_started();
        return who + " starts a scan"
            + (e.contains_bytes() > 0 ? " for values that contain " + counted(e.contains_bytes(), "byte", "bytes") : "")
            + " at " + counted(e.parts(), "bucket", "buckets") + ", by its image " + imageText(e.image())
            + (e.probabilistic() ? "; it ends when all are silent, so it is not guaranteed." : ".");
    }
    case B::kScanForwarded:
        return "Data bucket " + num(event.scan_forwarded().from()) + " passes the scan on to bucket "
            + num(event.scan_forwarded().to()) + ", level " + num(event.scan_forwarded().level()) + ".";
    case B::kScanAnswered: {
        const pb::ScanAnswered& e = event.scan_answered();
        return who + " of level " + num(e.level()) + " answers the scan with " + counted(e.hits(), "record", "records")
            + (e.blocks() > 1 ? " in " + num(e.blocks()) + " blocks." : ".");
    }
    case B::kScanPartMissing:
        return who + " misses the part of bucket " + num(event.scan_part_missing().bucket()) + ", level "
            + num(event.scan_part_missing().level()) + ", and asks again.";
    case B::kScanDone: {
        const pb::ScanDone& e = event.scan_done();
        return who + " has the result of its scan: " + counted(e.records(), "record", "records") + " of "
            + counted(e.buckets(), "bucket", "buckets") + " in " + millisecondsOf(e.time_ns())
            + (e.missing_size() > 0 ? "; missing: bucket " + listed(e.missing()) : "")
            + (e.lost_size() > 0 ? "; lost: bucket " + listed(e.lost()) : "")
            + (e.guaranteed() ? "." : "; not guaranteed.");
    }
    default: return {};
    }
}

std::string mergeSentence(const std::string& who, const pb::Event& event)
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kBucketUnderflowed:
        return who + " holds only " + counted(event.bucket_underflowed().count(), "record", "records")
            + " and tells the coordinator.";
    case B::kMergeOrdered: {
        const pb::MergeOrdered& e = event.merge_ordered();
        return who + " orders bucket " + num(e.bucket()) + " to give its records back to bucket " + num(e.into()) + ".";
    }
    case B::kMergeCommitted:
        return who + " decides the merge of bucket " + num(event.merge_committed().bucket()) + " into "
            + num(event.merge_committed().into()) + "; the file state is " + imageText(event.merge_committed().file())
            + ".";
    case B::kMergeFinished: {
        const pb::MergeFinished& e = event.merge_finished();
        return "Bucket " + num(e.bucket()) + " is merged into bucket " + num(e.into()) + ": "
            + counted(e.moved(), "record", "records") + " moved in " + millisecondsOf(e.total_ns()) + ".";
    }
    case B::kMergeUndone:
        return "The merge of bucket " + num(event.merge_undone().bucket()) + " into " + num(event.merge_undone().into())
            + " is undone" + because(event.merge_undone().reason());
    default: return {};
    }
}

} // namespace lhrs::gui
