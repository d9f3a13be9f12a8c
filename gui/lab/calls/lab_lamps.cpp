// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for the invariant lamps.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_values.h"
#include "gui/lab/state/lamps.h"

#include <QJSEngine>

#include <limits>
#include <vector>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kLookAgain(50);

QString sentenceOf(const LampShown& lamp)
{
    return QString::fromStdString(lampName(lamp.invariant)) + " (" + lampWords(lamp.invariant) + ") is " + lampStateWord(lamp.state) + ": "
        + QString::fromStdString(lamp.detail);
}

LabResult<QJSValue> lamps(LabContext& context)
{
    if (const auto here = context.catchUp(); !here)
        return here.error();
    const ClusterState state = context.ingest.settledLamps();
    QJSValue list = context.engine.newArray(kLamps);
    for (const LampShown& lamp : state.lamps.all(state)) {
        QJSValue row = context.engine.newObject();
        row.setProperty("id", QString::fromStdString(lampName(lamp.invariant)));
        row.setProperty("state", lampStateWord(lamp.state));
        row.setProperty("checks", scriptNumber(lamp.checks));
        row.setProperty("words", lampWords(lamp.invariant));
        row.setProperty("detail", QString::fromStdString(lamp.detail));
        list.setProperty(std::uint32_t(lamp.invariant - 1), row);
    }
    return list;
}

LabResult<std::vector<int>> wantedLamps(const QJSValue& ids)
{
    std::vector<int> wanted;
    if (ids.isNull() || ids.isUndefined()) {
        for (int invariant = 1; invariant <= kLamps; ++invariant)
            wanted.push_back(invariant);
        return wanted;
    }
    for (std::uint32_t i = 0; i < ids.property("length").toUInt(); ++i) {
        const QString id = ids.property(i).toString();
        const int invariant = id.startsWith('I') ? id.mid(1).toInt() : 0;
        if (invariant < 1 || invariant > kLamps)
            return LabError { LabCode::BadArgument, "There is no lamp " + id + ".", QString("The lamps are I1 to I%1.").arg(kLamps) };
        wanted.push_back(invariant);
    }
    return wanted;
}

LabResult<QJSValue> expectLamps(LabContext& context, const Arguments& arguments)
{
    const auto wanted = wantedLamps(arguments.option("ids"));
    if (!wanted)
        return wanted.error();
    const bool isChecked = arguments.isOn("checked");
    const auto deadline = context.deadlineIn(arguments.number("timeout"));
    if (const auto here = context.catchUp(); !here)
        return here.error();
    for (;;) {
        const ClusterState state = context.ingest.settledLamps();
        QStringList names, wrong;
        bool isPending = false, isViolated = false;
        for (const int invariant : *wanted) {
            const LampShown lamp = state.lamps.shown(invariant, state);
            names << QString::fromStdString(lampName(invariant));
            isPending = isPending || lamp.state == LampState::Pending;
            isViolated = isViolated || lamp.state == LampState::Violated;
            if (lamp.state == LampState::Violated || (isChecked && lamp.state != LampState::Holds))
                wrong << sentenceOf(lamp);
        }
        // A change under way may end, and a new detail level may take effect, so wait; a violation is final.
        if ((isPending || !wrong.isEmpty()) && !isViolated && context.now() < deadline) {
            context.waitBeyond(std::numeric_limits<std::uint64_t>::max(), context.now() + kLookAgain);
            if (context.isStopped())
                return context.stopped();
            continue;
        }
        const QString which = wanted->size() == std::size_t(kLamps) ? QString("the lamps") : (wanted->size() == 1 ? "lamp " : "lamps ") + names.join(", ");
        return judgeExpectation(context, wrong.isEmpty(), which + (isChecked ? ": checked, and holding" : ": not violated"), wrong.join("; "));
    }
}

} // namespace

void addLampCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.lamps", [&](const LabCall&) { return lamps(context); });
    lab.handle("lab.expectLamps", [&](const LabCall& c) { return expectLamps(context, c.arguments); });
}

} // namespace lhrs::gui
