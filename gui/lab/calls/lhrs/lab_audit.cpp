// SPDX-License-Identifier: GPL-3.0-or-later
// The call for the parity check of a group.
#include "gui/lab/control/lhrs/audit.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lhrs/lab_file.h"
#include "gui/lab/control/lhrs/file_findings.h"

#include <QJSEngine>

#include <vector>

namespace lhrs::gui {

namespace {

LabResult<QJSValue> audit(LabContext& context, const Arguments& arguments)
{
    const double timeout = arguments.number("timeout");
    const auto deadline = context.deadlineIn(timeout);
    const QJSValue wanted = arguments.at(0);
    for (;;) {
        const auto file = context.describeFile();
        if (!file)
            return file.error();
        std::vector<std::uint32_t> groups;
        for (const auto& group : file->groups())
            if (wanted.isNull() || wanted.toUInt() == group.number())
                groups.push_back(group.number());
        if (groups.empty())
            return LabError { LabCode::BadArgument,
                QString("Group %1 does not exist: the file has %2.").arg(wanted.toInt()).arg(file->groups_size()) };

        GroupAudit sum;
        std::vector<GroupAudit> audits;
        QString open = file->at_rest() ? QString() : QString::fromStdString(file->under_way());
        for (const std::uint32_t group : groups) {
            const auto one = auditGroup(context.control, group, context.stopToken());
            if (!one) {
                open = QString::fromStdString(one.error().text);
                break;
            }
            audits.push_back(*one);
            sum.ranks += one->ranks;
            sum.unequal += one->unequal;
            if (sum.firstUnequal.empty())
                sum.firstUnequal = one->firstUnequal;
        }
        if (context.isStopped())
            return context.stopped();
        if (open.isEmpty()) {
            for (const GroupAudit& one : audits)
                context.ingest.judge(findingsOf(one));
            QJSValue result = context.engine.newObject();
            result.setProperty("ranks", sum.ranks);
            result.setProperty("unequal", sum.unequal);
            result.setProperty("first",
                sum.firstUnequal.empty() ? QJSValue(QJSValue::NullValue)
                                         : QJSValue(QString::fromStdString(sum.firstUnequal)));
            return result;
        }
        if (context.now() >= deadline)
            return LabError { LabCode::Refused, QString("No audit within %1 s: %2.").arg(timeout).arg(open),
                "Call lab.settle() first." };
        context.waitBeyond(context.ingest.committed(), context.now() + kLookAgain);
        if (context.isStopped())
            return context.stopped();
    }
}

} // namespace

void addAuditCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.audit", [&](const LabCall& c) { return audit(context, c.arguments); });
}

} // namespace lhrs::gui
