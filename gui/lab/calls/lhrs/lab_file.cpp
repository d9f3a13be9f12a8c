// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lhrs/lab_file.h"

#include "gui/lab/words/lhrs/record_group.h"

namespace lhrs::gui {

LabSystem::Words FileLab::words() const
{
    return { "lhrs", "a file of LH*RS", "lab.cluster({ m: 4, k: 1 }) makes a file.", "" };
}

void FileLab::addCalls(Lab& lab, LabContext& context) const
{
    addSpareCalls(lab, context);
    addBucketTargets(lab, context);
    addStructureCalls(lab, context);
    addRecoveryCalls(lab, context);
    addWitnessCalls(lab, context);
    addStateCalls(lab, context);
    addImageCalls(lab, context);
    addAuditCalls(lab, context);
    addInvariantCalls(lab, context);
    addTimingCalls(lab, context);
}

LabResult<bool> FileLab::awaitCoordinator(const LabContext& context, double timeout) const
{
    const auto deadline = context.deadlineIn(timeout);
    for (;;) {
        const auto file = context.describeFile();
        if (!file)
            return file.error();
        if (!file->is_listening())
            return true;
        if (context.now() >= deadline)
            return LabError { LabCode::Timeout,
                QString("After %1 s the coordinator is still %2.")
                    .arg(timeout)
                    .arg(QString::fromStdString(file->under_way())) };
        context.waitBeyond(context.ingest.committed(), context.now() + std::chrono::milliseconds(50));
        if (context.isStopped())
            return context.stopped();
    }
}

void FileLab::forget(LabContext& context) const { context.witnesses.clear(); }

} // namespace lhrs::gui
