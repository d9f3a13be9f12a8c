// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for the invariants.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lhrs/lab_file.h"
#include "gui/lab/state/lhrs/invariant_monitor.h"

#include <QJSEngine>

#include <limits>
#include <vector>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kCheckAgain(50);

QString sentenceOf(const InvariantShown& invariant)
{
    return QString::fromStdString(invariantName(invariant.number)) + " (" + invariantWords(invariant.number) + ") is "
        + invariantStateWord(invariant.state) + ": " + QString::fromStdString(invariant.detail);
}

LabResult<QJSValue> invariants(LabContext& context)
{
    if (const auto here = context.catchUp(); !here)
        return here.error();
    const ClusterState state = context.ingest.settledInvariants();
    QJSValue list = context.engine.newArray(kInvariants);
    for (const InvariantShown& invariant : state.invariants.all(state)) {
        QJSValue row = context.engine.newObject();
        row.setProperty("id", QString::fromStdString(invariantName(invariant.number)));
        row.setProperty("state", invariantStateWord(invariant.state));
        row.setProperty("checks", scriptNumber(invariant.checks));
        row.setProperty("words", invariantWords(invariant.number));
        row.setProperty("detail", QString::fromStdString(invariant.detail));
        list.setProperty(std::uint32_t(invariant.number - 1), row);
    }
    return list;
}

LabResult<std::vector<int>> wantedInvariants(const QJSValue& ids)
{
    std::vector<int> wanted;
    if (ids.isNull() || ids.isUndefined()) {
        for (int number = 1; number <= kInvariants; ++number)
            wanted.push_back(number);
        return wanted;
    }
    for (std::uint32_t i = 0; i < ids.property("length").toUInt(); ++i) {
        const QString id = ids.property(i).toString();
        const int number = id.startsWith('I') ? id.mid(1).toInt() : 0;
        if (number < 1 || number > kInvariants)
            return LabError { LabCode::BadArgument, "There is no invariant " + id + ".",
                QString("The invariants are I1 to I%1.").arg(kInvariants) };
        wanted.push_back(number);
    }
    return wanted;
}

LabResult<QJSValue> expectInvariants(LabContext& context, const Arguments& arguments)
{
    const auto wanted = wantedInvariants(arguments.option("ids"));
    if (!wanted)
        return wanted.error();
    const bool isChecked = arguments.isOn("checked");
    const auto deadline = context.deadlineIn(arguments.number("timeout"));
    if (const auto here = context.catchUp(); !here)
        return here.error();
    for (;;) {
        const ClusterState state = context.ingest.settledInvariants();
        QStringList names, wrong;
        bool isPending = false, isViolated = false;
        for (const int number : *wanted) {
            const InvariantShown invariant = state.invariants.shown(number, state);
            names << QString::fromStdString(invariantName(number));
            isPending = isPending || invariant.state == InvariantState::Pending;
            isViolated = isViolated || invariant.state == InvariantState::Violated;
            if (invariant.state == InvariantState::Violated || (isChecked && invariant.state != InvariantState::Holds))
                wrong << sentenceOf(invariant);
        }
        // A change under way may end, and a new detail level may take effect, so wait; a violation is final.
        if ((isPending || !wrong.isEmpty()) && !isViolated && context.now() < deadline) {
            context.waitBeyond(std::numeric_limits<std::uint64_t>::max(), context.now() + kCheckAgain);
            if (context.isStopped())
                return context.stopped();
            continue;
        }
        const QString which = wanted->size() == std::size_t(kInvariants)
            ? QString("the invariants")
            : (wanted->size() == 1 ? "invariant " : "invariants ") + names.join(", ");
        return judgeExpectation(context, wrong.isEmpty(),
            which + (isChecked ? ": checked, and holding" : ": not violated"), wrong.join("; "));
    }
}

} // namespace

void addInvariantCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.invariants", [&](const LabCall&) { return invariants(context); });
    lab.handle("lab.expectInvariants", [&](const LabCall& c) { return expectInvariants(context, c.arguments); });
}

} // namespace lhrs::gui
