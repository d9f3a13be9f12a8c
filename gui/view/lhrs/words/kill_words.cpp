// SPDX-License-Identifier: GPL-3.0-or-later
// The warning before data is lost for good: whether the parity of each group survives the end of some processes.
#include "gui/view/lhrs/words/kill_words.h"

#include "gui/view/lhrs/words/object_words.h"

#include <map>

namespace lhrs::gui {

namespace {

bool hasEnded(const ClusterState& state, ProcessId id)
{
    const auto process = state.processes.find(id);
    return process != state.processes.end() && process->second.hasEnded;
}

// Counts the members of the group that are gone: those that were found missing, and those that nothing has missed yet.
std::uint32_t goneOf(const ClusterState& state, const GroupState& group)
{
    std::uint32_t gone = std::uint32_t(group.down.size());
    for (const auto& [a, bucket] : state.data)
        gone += a / state.m() == group.number && hasEnded(state, bucket.process) && !state.downOf(bucket) ? 1 : 0;
    for (const auto& [place, bucket] : state.parity)
        gone += place.first == group.number && hasEnded(state, bucket.process) && !state.downOf(bucket) ? 1 : 0;
    return gone;
}

bool hasParity(const ClusterState& state, std::uint32_t group)
{
    const auto first = state.parity.lower_bound({ group, 0 });
    return first != state.parity.end() && first->first.first == group;
}

} // namespace

QString warningOfKill(const ClusterState& state, const std::vector<ProcessId>& processes, const QString& names)
{
    std::map<std::uint32_t, std::uint32_t> victims; // by group
    for (const ProcessId process : processes) {
        const ObjectRef object = objectOf(state, process);
        if (object.kind == ObjectKind::Data)
            ++victims[std::uint32_t(object.a) / state.m()];
        else if (object.kind == ObjectKind::Parity)
            ++victims[std::uint32_t(object.a)];
    }
    if (victims.empty())
        return {};
    const auto lost = [&](const QString& why) {
        return QStringLiteral("%1 If %2 ends now, what it holds is lost for good.").arg(why, names);
    };
    // A bucket may be known before the coordinator has reported the file.
    const QString unknown = QStringLiteral("It is not known here yet which failures this file survives. If %1 ends "
                                           "now, what it holds may be lost for good.")
                                .arg(names);
    if (!state.file.exists)
        return unknown;
    if (state.file.config.recovery() == pb::RECOVERY_OFF)
        return lost(QStringLiteral("This file does not recover from failures: it was made with recovery “off”."));
    for (const auto& [number, count] : victims) {
        const auto group = state.groups.find(number);
        if (group == state.groups.end())
            return unknown;
        const std::uint32_t k = group->second.k;
        const std::uint32_t gone = goneOf(state, group->second);
        if (gone + count <= k)
            continue;
        if (k == 0)
            return hasParity(state, number) ? unknown
                                            : lost(QStringLiteral("Group %1 has no parity bucket.").arg(number));
        if (gone >= k)
            return lost(QStringLiteral("Group %1 survives no further failure: %2 of its members %4 down, and k is %3.")
                            .arg(number)
                            .arg(gone)
                            .arg(k)
                            .arg(gone == 1 ? QStringLiteral("is") : QStringLiteral("are")));
        return lost(QStringLiteral("Group %1 survives %2, and these are %3.")
                        .arg(number)
                        .arg(countedWords(k - gone, "failure more", "failures more"))
                        .arg(count));
    }
    return {};
}

} // namespace lhrs::gui
