// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/client/coordinator_questions.h"

#include <limits>
#include <vector>

namespace lhrs {

// The requests of a client's operations: addresses them with its image, sends and resends them, gives them up, and asks
// the coordinator only for what it cannot find out itself. What ends an operation is returned to the caller.
class FileRequests {
public:
    using Operation = FileOperation;

    // `open`: the operations that are not over. `lastNumber`: the number of the client's last request.
    FileRequests(NodeContext& context, RequestTimes& times, KnownFile& file, const OperationTable<Operation>& open,
        const std::uint64_t& lastNumber)
        : m_context(context), m_times(times), m_file(file), m_open(open), m_lastNumber(lastNumber)
    {
    }

    // Computes the address and sends the request, or asks for the location first.
    void address(Operation& op, Time now, Effects& out);
    // Sends an insert that is not answered. If its bucket's location is not known, asks for it and returns false.
    bool sendUnanswered(Key key, std::uint64_t number, std::uint32_t length, Effects& out);
    // The servers keep the results of requests from this one on.
    void keepResultsFrom(std::uint64_t number) { m_keptFrom = number; }
    // All requests below have their results, which are not needed again.
    std::uint64_t doneBelow() const;

    // Returns whether the operation has its result.
    bool onReply(Operation& op, const pb::Reply& reply, Time now, Effects& out);
    void onDisplaced(Operation& op, const pb::Displaced& displaced, Time now, Effects& out);
    // Returns the operations whose records are lost. The file state in the message is valid.
    std::vector<std::uint64_t> onLocation(const pb::Location& location, Time now, Effects& out);
    // Whether this bucket is lost or cannot be used now.
    static bool isUnavailable(const pb::Location& location);

    // The operations that have something to do or whose time is over, in ascending order.
    std::vector<std::uint64_t> due(Time now) const;
    // The next step of such an operation whose time is not over.
    void onDue(Operation& op, Time now, Effects& out);
    // All that was due is done.
    void onTime(Time now, Effects& out);

    // How long a request waits for its answer, including resends; 0: derived from the file's timers.
    void setPatience(Time patience) { m_patience = patience; }
    Time patience() const;
    void inspect(pb::NodeSample& out) const;

private:
    using Stage = Operation::Stage;

    void send(Operation& op, Time now, Effects& out);
    void giveUp(Operation& op, Time now, Effects& out);
    void alarm(Operation& op, Time now, Effects& out) { m_questions.alarm(op, doneBelow(), now, out); }
    void sleep(Operation& op, Time time, Time now);
    // The open operations that ask the coordinator about this bucket.
    std::vector<std::uint64_t> askingFor(BucketNumber a) const;
    // The keys belong elsewhere.
    void leaveForTheRightBucket(BucketNumber a, FileImage truth, Time now, Effects& out);
    Time resendInterval(const Operation& op) const;
    std::uint32_t waits() const;

    NodeContext& m_context;
    RequestTimes& m_times;
    KnownFile& m_file;
    const OperationTable<Operation>& m_open;
    const std::uint64_t& m_lastNumber;
    CoordinatorQuestions m_questions { m_context, m_times, m_file };
    std::uint64_t m_keptFrom = std::numeric_limits<std::uint64_t>::max();
    Time m_patience {};
};

} // namespace lhrs
