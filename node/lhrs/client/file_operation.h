// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"
#include "node/machine/requests/client_machine.h"

#include <algorithm>

namespace lhrs {

// An operation of a client of the file.
//
//   queued --> asking (where is the bucket?) --> sent --(Reply)--> done
//                   ^------- given up, Displaced ----/  \--(RETRY)--> sleeping --> sent
struct FileOperation : ClientOperation {
    enum class Stage { Queued, Asking, Sent, Sleeping };
    // The copies of a request that were refused: all those below `below`, and some of the 64 from there on. The network
    // may duplicate a refusal, or deliver it when a later copy is under way.
    struct Refusals {
        std::uint32_t below = 0;
        std::uint64_t from = 0; // bit i: copy below + i
        void add(std::uint32_t copy)
        {
            if (copy < below || copy - below >= 64)
                return;
            for (from |= std::uint64_t(1) << (copy - below); (from & 1) != 0; from >>= 1)
                ++below;
        }
    };

    std::uint64_t bulkNumber = 0; // the request of a bulk insert that this one checks
    Stage stage = Stage::Queued;
    BucketNumber target;
    bool knowsTruth = false; // exact image: the coordinator has been asked
    bool wasAsked = false; // the location had to be asked for
    bool alarms = false; // its bucket is known to be unavailable: ask the coordinator
    bool hasAlarmed = false; // the coordinator has been told that its bucket does not answer
    bool awaitsRecord = false; // the coordinator knows this already: until `due`, only the record can arrive
    std::uint32_t forwards = 0; // the most forwards of any of its copies
    bool isImageAdjusted = false;
    std::uint32_t resends = 0;
    Refusals refusals;
    FullAt full; // RETRY: the server that was full

    void again() { renew(*this); }
    bool isAsking(BucketNumber a) const { return stage == Stage::Asking && target == a; }
    // When it has something to do, or its time is over.
    Time next() const
    {
        const bool hasDue = stage == Stage::Sent || stage == Stage::Sleeping || awaitsRecord;
        return hasDue ? std::min(due, end) : end;
    }
    // A copy of its request was refused. Returns false if a later copy is under way.
    bool refused(std::uint32_t copy)
    {
        refusals.add(copy);
        return stage == Stage::Sent && copy + 1 == copies;
    }
    // The result of an operation whose time is over: RETRY only if every copy was refused.
    pb::ResultCode endResult() const
    {
        return isMutation(kind) && refusals.below < copies ? pb::UNKNOWN_OUTCOME : pb::RETRY;
    }
};

} // namespace lhrs
