// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/lhrs/example_subject.h"

#include "gui/lab/state/lhrs/epoch_words.h"
#include "gui/lab/words/lhrs/place_words.h"

#include <algorithm>

namespace lhrs::gui::example {

// ---- failures

QString suspectWords(const Subject& s)
{
    const GroupState* group = s.groupWith([](const GroupState& g) { return !g.suspected.empty(); });
    if (!group)
        return {};
    const auto& [place, suspicion] = *group->suspected.begin();
    const QString who = s.memberWords(group->number, place);
    return suspicion.reason.empty()
        ? QStringLiteral("%1 is suspected").arg(who)
        : QStringLiteral("%1 is suspected: %2").arg(who, QString::fromStdString(suspicion.reason));
}

QString epochExample(const Subject& s)
{
    const GroupState* group = s.anyGroup();
    return group ? QStringLiteral("group %1 is in epoch %2")
                       .arg(group->number)
                       .arg(QString::fromStdString(epochText(group->epoch)))
                 : QString();
}

static QString groupState(const Subject& s, pb::GroupState wanted, const char* missing)
{
    const GroupState* group = s.groupIn(wanted);
    if (!group)
        return {};
    const QString is
        = QStringLiteral("group %1 is %2").arg(group->number).arg(QString::fromStdString(groupStateWord(wanted)));
    const QStringList down = s.downOf(*group);
    return down.isEmpty() ? is : QStringLiteral("%1, %2 %3").arg(is, QLatin1String(missing), listed(down));
}

QString frozen(const Subject& s) { return groupState(s, pb::GROUP_FROZEN, "without"); }
QString degraded(const Subject& s) { return groupState(s, pb::GROUP_DEGRADED, "without"); }
QString lostWords(const Subject& s) { return groupState(s, pb::GROUP_LOST, "with"); }

QString cutWords(const Subject& s)
{
    const GroupState* group = s.groupWith(
        [](const GroupState& g) { return g.state == pb::GROUP_FROZEN && !g.down.empty(); });
    return group ? QStringLiteral("the survivors of group %1 agree on the cut of %2")
                       .arg(group->number)
                       .arg(listed(s.downOf(*group)))
                 : QString();
}

static const GroupState* recovered(const Subject& s)
{
    const GroupState* underWay = s.groupWith(
        [](const GroupState& g) { return g.recovery.isUnderWay() && !g.recovery.buckets.empty(); });
    return underWay
        ? underWay
        : s.groupWith([](const GroupState& g) { return g.recovery.id != 0 && !g.recovery.buckets.empty(); });
}

QString manager(const Subject& s)
{
    const GroupState* group = recovered(s);
    if (!group)
        return {};
    const RecoveryState& recovery = group->recovery;
    return QStringLiteral("parity bucket %1.%2 %3 %4")
        .arg(group->number)
        .arg(recovery.manager)
        .arg(QLatin1String(recovery.isUnderWay() ? "computes" : "was the last one; it computed"),
            bucketsWords(recovery.buckets));
}

QString sliceWords(const Subject& s)
{
    const GroupState* group = recovered(s);
    if (!group || group->recovery.slices == 0)
        return {};
    const RecoveryState& recovery = group->recovery;
    const QString size = recovery.sliceRanks > 0
        ? QStringLiteral(" of %1").arg(countedWords(recovery.sliceRanks, "rank", "ranks"))
        : QString();
    return QStringLiteral("%1%2 brought back %3 of %4")
        .arg(countedWords(recovery.slices, "slice", "slices"), size,
            countedWords(recovery.records, "record", "records"), bucketsWords(recovery.buckets));
}

QString spares(const Subject& s)
{
    std::uint64_t data = 0, parity = 0;
    for (const auto& [id, process] : s.state.processes) {
        if (process.kind != pb::NODE || process.place.role() != pb::NO_ROLE || process.hasEnded
            || s.state.displacedData.contains(id) || s.state.displacedParity.contains(id))
            continue;
        if (s.object.kind == ObjectKind::Spare && s.object.a == id)
            return QStringLiteral("%1 waits in the pool of the %2 servers")
                .arg(s.nameOf(id), QLatin1String(process.pool == pb::PARITY ? "parity" : "data"));
        ++(process.pool == pb::PARITY ? parity : data);
    }
    return data + parity == 0 ? QString()
                              : QStringLiteral("%1 and %2 wait")
                                    .arg(countedWords(data, "data server", "data servers"),
                                        countedWords(parity, "parity server", "parity servers"));
}

QString coordinatorExample(const Subject& s)
{
    const auto coordinator = std::find_if(s.state.processes.begin(), s.state.processes.end(),
        [](const auto& process) { return process.second.kind == pb::COORDINATOR && !process.second.hasEnded; });
    if (coordinator == s.state.processes.end() || !s.state.file.exists)
        return {};
    return QStringLiteral("it keeps the file state (i, n) = (%1, %2), so its next split is of bucket %2")
        .arg(s.state.file.i)
        .arg(s.state.file.n);
}

QString displacedWords(const Subject& s)
{
    const auto own = s.object.kind == ObjectKind::Displaced ? s.state.displacedData.find(s.object.a)
                                                            : s.state.displacedData.end();
    if (const auto data = own != s.state.displacedData.end() ? own : s.state.displacedData.begin();
        data != s.state.displacedData.end())
        return QStringLiteral("%1 was data bucket %2 under incarnation %3")
            .arg(s.nameOf(data->first))
            .arg(data->second.number)
            .arg(QString::fromStdString(incarnationText(data->second.incarnation)));
    if (const auto parity = s.state.displacedParity.begin(); parity != s.state.displacedParity.end())
        return QStringLiteral("%1 was parity bucket %2.%3 under incarnation %4")
            .arg(s.nameOf(parity->first))
            .arg(parity->second.group)
            .arg(parity->second.column)
            .arg(QString::fromStdString(incarnationText(parity->second.incarnation)));
    return {};
}

QString invariantExample(const Subject& s)
{
    const std::vector<InvariantShown> invariants = s.state.invariants.all(s.state);
    const bool isAnyChecked = std::any_of(invariants.begin(), invariants.end(), [](const InvariantShown& invariant) {
        return invariant.state == InvariantState::Holds || invariant.state == InvariantState::Violated;
    });
    return isAnyChecked ? QStringLiteral("of %1 invariants %2")
                              .arg(invariants.size())
                              .arg(QString::fromStdString(invariantSummary(invariants)))
                        : QString();
}

} // namespace lhrs::gui::example
