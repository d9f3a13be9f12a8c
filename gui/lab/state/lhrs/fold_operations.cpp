// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/fold_operations.h"

#include "gui/lab/state/lhrs/fold_shared.h"

#include <algorithm>

namespace lhrs::gui::fold {

void startOperation(FileView& s, ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    const pb::OperationStarted& e = event.operation_started();
    s.fileClients[process].image = e.image();
    if (OperationState* op = s.operationOf(event.operation())) {
        op->key = e.key();
        op->kind = e.kind();
        op->computedBucket = e.bucket();
        op->imageBefore = op->imageAfter = e.image();
        op->startedNs = runNs;
        visit(*op, e.bucket());
    }
}

void finishOperation(FileView& s, const pb::Event& event)
{
    const pb::OperationDone& e = event.operation_done();
    if (OperationState* op = s.operationOf(event.operation())) {
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

void forwardOperation(FileView& s, const pb::Event& event)
{
    const pb::OperationForwarded& e = event.operation_forwarded();
    if (OperationState* op = s.operationOf(event.operation())) {
        visit(*op, e.from());
        visit(*op, e.to());
    }
}

void adjustImage(FileView& s, ProcessId process, const pb::Event& event)
{
    const pb::ImageAdjusted& e = event.image_adjusted();
    s.clientOf(process);
    FileClient& client = s.fileClients[process];
    client.image = e.after();
    if (e.by_coordinator())
        return; // not a reply to an operation
    ++client.imageAdjustments;
    if (OperationState* op = s.operationOf(event.operation())) {
        op->imageAdjusted = true;
        op->adjustedBucket = e.bucket();
        op->adjustedLevel = e.level();
        op->imageBefore = e.before();
        op->imageAfter = e.after();
    }
}

} // namespace lhrs::gui::fold
