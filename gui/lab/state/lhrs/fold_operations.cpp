// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/fold_operations.h"

#include "gui/lab/state/lhrs/fold_shared.h"

#include <algorithm>

namespace lhrs::gui::fold {

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
    ClientState& client = s.clientOf(process);
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
