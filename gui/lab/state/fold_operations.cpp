// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/fold_operations.h"

#include "gui/lab/state/fold_shared.h"

#include <algorithm>

namespace lhrs::gui::fold {

void startOperation(ClusterState& s, ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    const pb::OperationStarted& e = event.operation_started();
    ClientState& client = clientOf(s, process);
    ++client.operations;
    client.image = e.image();
    if (OperationState* op = operationOf(s, event.operation())) {
        op->key = e.key();
        op->kind = e.kind();
        op->computedBucket = e.bucket();
        op->imageBefore = op->imageAfter = e.image();
        op->startedNs = runNs;
        if (s.isOfLhrs())
            visit(*op, e.bucket());
    }
}

void forwardOperation(ClusterState& s, const pb::Event& event)
{
    const pb::OperationForwarded& e = event.operation_forwarded();
    if (OperationState* op = operationOf(s, event.operation())) {
        visit(*op, e.from());
        visit(*op, e.to());
    }
}

void adjustImage(ClusterState& s, ProcessId process, const pb::Event& event)
{
    const pb::ImageAdjusted& e = event.image_adjusted();
    ClientState& client = clientOf(s, process);
    client.image = e.after();
    if (e.by_coordinator())
        return; // not a reply to an operation
    ++client.imageAdjustments;
    if (OperationState* op = operationOf(s, event.operation())) {
        op->imageAdjusted = true;
        op->adjustedBucket = e.bucket();
        op->adjustedLevel = e.level();
        op->imageBefore = e.before();
        op->imageAfter = e.after();
    }
}

void finishOperation(ClusterState& s, ProcessId process, const pb::Event& event)
{
    const pb::OperationDone& e = event.operation_done();
    ClientState& client = clientOf(s, process);
    ++client.done;
    client.forwards += e.forwards();
    client.resends += e.resends();
    ++client.hops[std::min<std::size_t>(e.forwards(), 2)];
    if (OperationState* op = operationOf(s, event.operation())) {
        op->key = e.key();
        op->kind = e.kind();
        op->isDone = true;
        op->result = e.result();
        op->bucket = e.bucket();
        op->rank = e.rank();
        op->forwards = e.forwards();
        op->way = e.path();
        op->timeNs = e.time_ns();
    }
}

} // namespace lhrs::gui::fold
