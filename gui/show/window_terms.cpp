// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/window_terms.h"

#include "gui/lab/words/process/process_words.h"
#include "gui/show/words/quantity_words.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

QString nameIn(const ClusterState& state, ProcessId process)
{
    return QString::fromStdString(processShown(process, state));
}

QString faultInState(const Term& /*term*/, const ClusterState& state, ObjectRef object, std::uint32_t /*part*/)
{
    for (const auto& [id, process] : state.processes) {
        for (const auto& [number, fault] : process.faults) {
            if (object.kind != ObjectKind::Fault || object.a == number)
                return QStringLiteral("%1 %2").arg(nameIn(state, id), QString::fromStdString(fault.words));
        }
    }
    return {};
}

std::uint64_t closedGates(const ClusterState& state)
{
    return std::uint64_t(std::count_if(state.processes.begin(), state.processes.end(),
        [](const auto& process) { return process.second.isGated && !process.second.hasEnded; }));
}

QString gateInState(const Term& /*term*/, const ClusterState& state, ObjectRef /*object*/, std::uint32_t /*part*/)
{
    const std::uint64_t closed = closedGates(state);
    return closed == 0
        ? QString()
        : QStringLiteral("messages wait at the %1").arg(countedWords(closed, "closed gate", "closed gates"));
}

QString holdInState(const Term& /*term*/, const ClusterState& state, ObjectRef object, std::uint32_t /*part*/)
{
    const ClientState* held = nullptr;
    for (const auto& [id, client] : state.clients)
        if (client.isHeld && (held == nullptr || (object.kind == ObjectKind::Client && object.a == id)))
            held = &client;
    if (held != nullptr)
        return QStringLiteral("%1 begins no new operations").arg(nameIn(state, held->process));
    return closedGates(state) > 0 ? QStringLiteral("the messages are held") : QString();
}

} // namespace

std::vector<Term> windowTerms()
{
    return {
        { "fault", QStringLiteral("Fault"), QStringLiteral("is broken on purpose"),
            QStringLiteral("What a person breaks on purpose: a process, a link, or messages of some kind."), QString(),
            { "suspect", "hold" }, { ObjectKind::Fault }, faultInState },
        { "gate", QStringLiteral("Gate"), QStringLiteral("messages wait to be let through"),
            QStringLiteral(
                "While the gate of a process is closed, messages wait before it and its protocol clock stands still."),
            treePlace("node/lhrs/PROTOCOL.md, The gate"), { "hold" }, {}, gateInState },
        { "hold", QStringLiteral("Hold"), QStringLiteral("a person stops something"),
            QStringLiteral("What a person stops for a while: the view (V), the workload (W), or the messages (X)."),
            treePlace("README.md, Two commands"), { "gate", "client" }, {}, holdInState },
    };
}

} // namespace lhrs::gui
