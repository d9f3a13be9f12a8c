// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lhrs/lab_file.h"

#include "gui/lab/words/lhrs/record_group.h"

#include <QRegularExpression>

#include <cmath>

namespace lhrs::gui {

pb::FileConfig runningConfig(const LabContext& context)
{
    const auto* config = std::any_cast<pb::FileConfig>(&context.kept);
    return config == nullptr ? pb::FileConfig() : *config;
}

LabSystem::Words FileLab::words() const
{
    return { "lhrs", "a file of LH*RS", "lab.cluster({ m: 4, k: 1 }) makes a file.", "",
        "lab.addSpares({ data: 1, parity: 1 }) starts more servers." };
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

LabResult<bool> FileLab::narrow(LabContext& context, const QJSValue& place, pb::Verify& order) const
{
    const auto target = findTarget(context, place);
    if (!target)
        return target.error();
    if (target->place.role() != pb::DATA)
        return LabError { LabCode::BadArgument,
            "The option place of client.verify is a data bucket, not " + target->shown + ".", "place: lab.data(0)" };
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    order.set_only_bucket(true);
    order.set_bucket(target->place.number());
    *order.mutable_file() = file->file();
    return true;
}

void FileLab::addOperation(const pb::OperationResult& done, QJSValue& value) const
{
    value.setProperty("bucket", done.bucket());
    value.setProperty("rank", done.rank());
    value.setProperty("iam", done.image_adjusted());
}

void FileLab::addWorkload(const pb::WorkloadResult& done, QJSValue& value) const
{
    value.setProperty("iams", scriptNumber(done.image_adjustments()));
}

LabResult<QJsonObject> FileLab::pageOf(const Arguments& o) const
{
    QJsonObject page;
    if (const QJSValue record = o.option("record"); record.isObject()) {
        for (const char* name : { "group", "rank" }) {
            const double number = record.property(name).isNumber() ? record.property(name).toNumber() : -1;
            if (!(number >= 0 && number <= 4294967295.0))
                return LabError { LabCode::BadArgument,
                    "The option record of lab.camera is { group: number, rank: number }." };
            page[name] = std::floor(number);
        }
    }
    const QString stage = o.option("stage").isNull() ? QString() : o.text("stage");
    static const QRegularExpression kStage("^(members|columns|elimination|inverse|symbol|bytes|delta|column \\d)$");
    if (!stage.isEmpty() && !kStage.match(stage).hasMatch())
        return LabError { LabCode::BadArgument, QStringLiteral("lab.camera knows no stage '%1'.").arg(stage),
            "With view 'decode': members, columns, elimination, inverse, symbol, bytes; with 'update': delta, column "
            "0, ..." };
    if (!stage.isEmpty())
        page["stage"] = stage;
    return page;
}

void FileLab::forget(LabContext& context) const { context.witnesses.clear(); }

} // namespace lhrs::gui
