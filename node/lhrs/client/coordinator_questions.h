// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/client/file_operation.h"
#include "node/lhrs/client/known_file.h"

#include <map>

namespace lhrs {

// What a client has asked the coordinator about buckets: where they are, or what has become of them. A question is
// repeated until it is answered.
class CoordinatorQuestions {
public:
    CoordinatorQuestions(const NodeContext& context, RequestTimes& times, KnownFile& file)
        : m_context(context), m_times(times), m_file(file)
    {
    }

    // Asks where the bucket of the operation is.
    void ask(FileOperation& op, Time now, Effects& out);
    // Tells the coordinator that the bucket does not answer, and which operation was requested. `doneBelow`: all
    // requests below have their results.
    void alarm(FileOperation& op, std::uint64_t doneBelow, Time now, Effects& out);
    void answered(BucketNumber a) { m_asked.erase(a); }
    void askLater(BucketNumber a, Time now);
    // Repeats what is due, and returns when the next question is.
    Time onTime(Time now, Effects& out);
    void clear() { m_asked.clear(); }
    // When the question about the bucket is repeated; `otherwise`: there is none.
    Time next(BucketNumber a, Time otherwise) const;

private:
    const NodeContext& m_context;
    RequestTimes& m_times;
    KnownFile& m_file;
    std::map<BucketNumber, Time> m_asked; // with the time of the next question
};

} // namespace lhrs
