// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/words/object_words.h"

#include "common/network/multicast_group.h"
#include "gui/lab/state/lhrs/epoch_words.h"
#include "gui/lab/words/lhrs/failure_cause.h"
#include "gui/lab/words/lhrs/place_words.h"
#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/lhrs/words/outside_places.h"
#include "gui/view/system/process_order.h"
#include "gui/view/system/faults_shown.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

const DataBucketState* dataOf(const ClusterState& state, ObjectRef object)
{
    const auto found = state.data.find(std::uint32_t(object.a));
    return object.kind == ObjectKind::Data && found != state.data.end() ? &found->second : nullptr;
}

const ParityBucketState* parityOf(const ClusterState& state, ObjectRef object)
{
    const auto found = state.parity.find({ std::uint32_t(object.a), std::uint32_t(object.b) });
    return object.kind == ObjectKind::Parity && found != state.parity.end() ? &found->second : nullptr;
}

const ProcessState* holderOf(const ClusterState& state, ObjectRef object)
{
    const auto found = state.processes.find(fileWords().processOf(state, object));
    return found != state.processes.end() ? &found->second : nullptr;
}

// Whether the bucket is the source of a split; its changes continue until the copying ends.
bool isCopying(const ClusterState& state, std::uint32_t bucket)
{
    return std::any_of(state.splits.begin(), state.splits.end(), [bucket](const auto& item) {
        return item.second.isUnderWay() && item.second.isOrdered && !item.second.isMerge
            && item.second.bucket == bucket;
    });
}

QString processName(const ProcessState* process)
{
    return process ? QString::fromStdString(process->name) : QStringLiteral("unknown process");
}

// "data bucket 2, incarnation 7"
QString formerPlaceWords(const ClusterState& state, ProcessId process)
{
    if (const auto data = state.displacedData.find(process); data != state.displacedData.end())
        return QStringLiteral("data bucket %1, incarnation %2")
            .arg(data->second.number)
            .arg(QString::fromStdString(incarnationText(data->second.incarnation)));
    const auto parity = state.displacedParity.find(process);
    return parity == state.displacedParity.end()
        ? QStringLiteral("a bucket")
        : QStringLiteral("parity bucket %1.%2, incarnation %3")
              .arg(parity->second.group)
              .arg(parity->second.column)
              .arg(QString::fromStdString(incarnationText(parity->second.incarnation)));
}

// Whether the parity of a data bucket has all its changes; empty: there is no parity, or too little is known.
QString parityWords(const ClusterState& state, const DataBucketState& data)
{
    const std::uint32_t group = data.number / state.m(), position = data.number % state.m();
    std::uint64_t behind = 0;
    bool hasParity = false;
    for (auto parity = state.parity.lower_bound({ group, 0 });
         parity != state.parity.end() && parity->first.first == group; ++parity) {
        if (parity->second.isOnlyDeclared || position >= parity->second.applied.size())
            return {};
        hasParity = true;
        const std::uint64_t applied = parity->second.applied[position];
        behind = std::max(behind, data.sequence > applied ? data.sequence - applied : 0);
    }
    if (!hasParity || data.isOnlyDeclared)
        return {};
    return behind == 0 ? QStringLiteral(", parity up to date")
                       : QStringLiteral(", parity lacks %1").arg(countedWords(behind, "change", "changes"));
}

// "lease 214 ms left", "lease run out"
QString leaseWords(const LeaseShown& lease)
{
    return lease.leftNs > 0 ? QStringLiteral("lease %1 left").arg(durationWords(lease.leftNs))
        : lease.hadOne      ? QStringLiteral("lease run out")
                            : QStringLiteral("no lease yet");
}

// Whether the bucket needs leases from its parity buckets to answer reads.
bool needsLease(const ClusterState& state, const DataBucketState& data)
{
    const auto group = state.groups.find(data.number / state.m());
    return group != state.groups.end() && group->second.kEffective() > 0
        && state.file.config.recovery() != pb::RECOVERY_OFF;
}

} // namespace

QString imageWords(const pb::FileState& image) { return QStringLiteral("(%1, %2)").arg(image.i()).arg(image.n()); }

QString coordinatorTrouble(const ClusterState& state)
{
    const auto process = state.processes.find(coordinatorOf(state));
    if (process == state.processes.end() || !state.file.exists)
        return {};
    if (process->second.hasEnded)
        return QStringLiteral("no coordinator: key operations go on, splits and recoveries wait");
    if (process->second.isPaused)
        return QStringLiteral("the coordinator stands still: key operations go on, splits and recoveries wait");
    if (state.file.isBeingFound)
        return QStringLiteral("a new coordinator asks all buckets what they know of the file");
    return {};
}

ObjectRef objectOf(const ClusterState& state, ProcessId id)
{
    const auto found = state.processes.find(id);
    if (found == state.processes.end())
        return {};
    const ProcessState& p = found->second;
    if (p.kind == pb::COORDINATOR)
        return { ObjectKind::Coordinator, id, 0 };
    if (p.kind == pb::CLIENT)
        return { ObjectKind::Client, id, 0 };
    if (state.displacedData.contains(id) || state.displacedParity.contains(id))
        return { ObjectKind::Displaced, id, 0 };
    if (p.place.role() == pb::DATA)
        return { ObjectKind::Data, p.place.number(), 0 };
    if (p.place.role() == pb::PARITY)
        return { ObjectKind::Parity, p.place.number(), p.place.column() };
    return { ObjectKind::Spare, id, 0 };
}

namespace {

// Order of weight: decisions of the coordinator, then what is known of the process, then suspicions, then what the
// bucket is busy with.
Condition conditionOf(const ProcessState* process, const DownMember* down, const Suspicion* suspicion, bool isSilent)
{
    if (down)
        return down->isLost ? Condition::Lost : Condition::Failed;
    if (process && process->hasEnded)
        return Condition::Gone;
    if (process && process->isPaused)
        return Condition::Paused;
    return suspicion ? Condition::Suspect : isSilent ? Condition::Silent : Condition::Up;
}

} // namespace

Look lookOf(const ClusterState& state, ObjectRef object, const std::set<ProcessId>* silent)
{
    const ProcessState* process = holderOf(state, object);
    const bool isSilent = silent && process && silent->contains(process->id);
    if (const auto* data = dataOf(state, object)) {
        Condition condition = conditionOf(process, state.downOf(*data),
            state.suspicionOf(pb::DATA, data->number / state.m(), data->number % state.m()), isSilent);
        if (condition == Condition::Up) {
            const bool changesWait = data->state == pb::SPLITTING || data->state == pb::MERGING;
            condition = data->state == pb::INIT                 ? Condition::Starting
                : data->state == pb::RECOVERING                 ? Condition::Rebuilding
                : changesWait || isCopying(state, data->number) ? Condition::Busy
                                                                : Condition::Up;
        }
        return { ObjectKind::Data, condition };
    }
    if (const auto* parity = parityOf(state, object)) {
        Condition condition = conditionOf(
            process, state.downOf(*parity), state.suspicionOf(pb::PARITY, parity->group, parity->column), isSilent);
        if (condition == Condition::Up)
            condition = parity->state == pb::INIT ? Condition::Starting
                : parity->state == pb::SPLITTING  ? Condition::Busy
                                                  : Condition::Up;
        return { ObjectKind::Parity, condition };
    }
    if (object.kind == ObjectKind::Displaced)
        return { state.displacedParity.contains(object.a) ? ObjectKind::Parity : ObjectKind::Data,
            Condition::Displaced };
    if (object.kind != ObjectKind::Client && object.kind != ObjectKind::Coordinator && object.kind != ObjectKind::Spare)
        return { ObjectKind::Dummy, Condition::Absent };
    Condition condition = conditionOf(process, nullptr, nullptr, false);
    if (condition == Condition::Up && object.kind == ObjectKind::Spare && process)
        condition = process->offer.invitation != 0 ? Condition::Offered
            : process->isInvited                   ? Condition::Invited
                                                   : Condition::Up;
    return { object.kind, condition };
}

QString sentenceOf(const ClusterState& state, ObjectRef object)
{
    const QString word = lookWord(lookOf(state, object, nullptr));
    const std::uint32_t m = state.m();
    if (const auto* data = dataOf(state, object)) {
        const std::uint32_t b = state.file.config.b() ? state.file.config.b() : data->b;
        const auto lease = leaseOf(state, *data);
        return QStringLiteral("Data bucket %1, group %2, position %3, level %4, %5 of %6 records, %7%8")
            .arg(data->number)
            .arg(data->number / m)
            .arg(data->number % m)
            .arg(data->level)
            .arg(data->isOnlyDeclared ? QStringLiteral("an unknown number") : QString::number(data->count))
            .arg(b)
            .arg(word,
                (data->isOverflowed ? QStringLiteral(", overloaded") : QString())
                    + (lease ? QStringLiteral(", ") + leaseWords(*lease) : QString()) + parityWords(state, *data));
    }
    if (const auto* parity = parityOf(state, object)) {
        return QStringLiteral("Parity bucket %1.%2, group %1, column %2, %3 record groups, %4")
            .arg(parity->group)
            .arg(parity->column)
            .arg(parity->recordGroups)
            .arg(word);
    }
    const ProcessState* process = holderOf(state, object);
    switch (object.kind) {
    case ObjectKind::Dummy: return QStringLiteral("Data bucket %1 does not exist yet; it counts as zero").arg(object.a);
    case ObjectKind::Group: {
        const auto group = state.groups.find(std::uint32_t(object.a));
        if (group == state.groups.end())
            return QStringLiteral("Bucket group %1").arg(object.a);
        const GroupState& known = group->second;
        return QStringLiteral("Bucket group %1, %2, %3, survives %4")
            .arg(object.a)
            .arg(countedWords(known.k, "parity bucket", "parity buckets"),
                QString::fromStdString(groupStateWord(known.state)))
            .arg(countedWords(known.kEffective(), "failure more", "failures more"));
    }
    case ObjectKind::Spare:
        return QStringLiteral("Spare %1 server %2, %3")
            .arg(process && process->pool == pb::PARITY ? QStringLiteral("parity") : QStringLiteral("data"),
                processName(process), word);
    case ObjectKind::Displaced:
        return QStringLiteral("Process %1 was %2; its place was given to another process, so it serves nothing%3")
            .arg(processName(process), formerPlaceWords(state, object.a),
                process && process->isPaused ? QStringLiteral(" and is paused") : QString());
    case ObjectKind::Client: {
        const auto client = state.clients.find(object.a);
        if (client == state.clients.end())
            return QStringLiteral("Client %1").arg(processName(process));
        return QStringLiteral("Client %1, image %2, %3 operations")
            .arg(processName(process), imageWords(state.fileClient(object.a).image))
            .arg(client->second.done);
    }
    case ObjectKind::Coordinator:
        if (const QString trouble = coordinatorTrouble(state); !trouble.isEmpty())
            return QStringLiteral("Coordinator, %1: %2").arg(word, trouble);
        return QStringLiteral("Coordinator, file state (%1, %2), %3 data buckets")
            .arg(state.file.i)
            .arg(state.file.n)
            .arg(state.file.buckets);
    case ObjectKind::Pool: {
        const auto pool = pb::Role(object.a);
        const QString group = multicastWords(state, pool),
                      name = pool == pb::PARITY ? QStringLiteral("Spare parity servers")
                                                : QStringLiteral("Spare data servers");
        const QString way = !group.isEmpty()    ? QStringLiteral("multicast group %1").arg(group)
            : state.recruiting == pb::MULTICAST ? QStringLiteral("simulated multicast")
                                                : QStringLiteral("unicast registry, without multicast");
        return QStringLiteral("%1, %2, %3")
            .arg(name, countedWords(sparesOf(state, pool).size(), "is waiting", "are waiting"), way);
    }
    case ObjectKind::File:
        return QStringLiteral("File, i %1, n %2, %3 data buckets, availability %4")
            .arg(state.file.i)
            .arg(state.file.n)
            .arg(state.file.buckets)
            .arg(state.file.availability);
    case ObjectKind::None:
    case ObjectKind::Data:
    case ObjectKind::Parity:
    case ObjectKind::Node:
    case ObjectKind::Message: break;
    case ObjectKind::Fault: return fileWords().faultSentence(state, object.a);
    }
    return {};
}

// First the object and its state, then what is wrong with it; details for debugging come last.
QStringList detailsOf(const ClusterState& state, ObjectRef object)
{
    const std::uint32_t m = state.m();
    const ProcessState* process = holderOf(state, object);
    const auto* data = dataOf(state, object);
    const auto* parity = parityOf(state, object);
    const QString look = lookWord(lookOf(state, object, nullptr));
    const DownMember* down = nullptr;
    const Suspicion* suspicion = nullptr;
    QStringList lines, numbers;
    if (data) {
        const std::uint32_t b = state.file.config.b() ? state.file.config.b() : data->b, group = data->number / m;
        const QString full = data->isOverflowed ? QStringLiteral("overflowing, ") : QString();
        const QString held = data->isOnlyDeclared
            ? QStringLiteral("contents unknown, as it ended before this window was watching, ")
            : QStringLiteral("%1 of %2, %3").arg(grouped(data->count), countedWords(b, "record", "records"), full);
        lines << QStringLiteral("Bucket %1 of group %2: %3%4").arg(data->number).arg(group).arg(held, look);
        numbers << QStringLiteral("position %1, level j = %2").arg(data->number % m).arg(data->level)
                << QStringLiteral("last change: sequence %1").arg(grouped(data->sequence));
        down = state.downOf(*data);
        suspicion = state.suspicionOf(pb::DATA, group, data->number % m);
    } else if (parity) {
        lines << QStringLiteral("Parity bucket %1.%2 of group %1: %3, %4")
                     .arg(parity->group)
                     .arg(parity->column)
                     .arg(countedWords(parity->recordGroups, "record group", "record groups"), look);
        for (std::size_t q = 0; q < parity->held.size(); ++q) {
            if (parity->held[q] > 0)
                lines << QStringLiteral("%1 changes of position %2 wait for their predecessor")
                             .arg(parity->held[q])
                             .arg(q);
        }
        QStringList applied;
        for (const std::uint64_t sequence : parity->applied)
            applied << grouped(sequence);
        numbers << QStringLiteral("parity column %1").arg(parity->column)
                << QStringLiteral("applied changes by position: %1").arg(applied.join(QStringLiteral(", ")));
        down = state.downOf(*parity);
        suspicion = state.suspicionOf(pb::PARITY, parity->group, parity->column);
    } else {
        lines << sentenceOf(state, object);
        if (object.kind == ObjectKind::Dummy)
            lines << QStringLiteral("Parity counts it as a bucket full of zeros.");
        const auto group = state.groups.find(std::uint32_t(object.a));
        if (object.kind == ObjectKind::Group && group != state.groups.end())
            numbers << QStringLiteral("epoch %1, k = %2, effective k = %3")
                           .arg(QString::fromStdString(epochText(group->second.epoch)))
                           .arg(group->second.k)
                           .arg(group->second.kEffective());
    }
    if (down)
        lines << QStringLiteral("%1 at %2 s%3")
                     .arg(down->isLost ? QStringLiteral("lost") : QStringLiteral("declared failed"))
                     .arg(state.shownSeconds(down->sinceNs), 0, 'f', 2)
                     .arg(down->reason.empty()
                             ? QString()
                             : QStringLiteral(": ") + QString::fromStdString(shownReason(state, *down)));
    else if (suspicion)
        lines << QStringLiteral("suspected: %1").arg(QString::fromStdString(suspicion->reason));
    if (process && process->hasEnded)
        lines << QStringLiteral("ended: %1").arg(QString::fromStdString(process->endReason));
    else if (process && process->isFull)
        lines << QStringLiteral("full: its memory is at its limit, and it refuses what would make it grow");
    if (process)
        for (const auto& [number, fault] : process->faults)
            lines << QStringLiteral("fault on purpose: it %1").arg(QString::fromStdString(fault.words));
    lines << numbers;
    if (data) {
        QString line = QStringLiteral("incarnation %1").arg(QString::fromStdString(incarnationText(data->incarnation)));
        if (const auto lease = leaseOf(state, *data))
            line += QStringLiteral(", %1 at %2 s (%3 of %4 grants)")
                        .arg(leaseWords(*lease))
                        .arg(state.shownSeconds(lease->atNs), 0, 'f', 2)
                        .arg(lease->held)
                        .arg(lease->needed);
        else if (!down && needsLease(state, *data) && process && !process->hasEnded)
            line += QStringLiteral(", lease: not observed (the node inspector shows it)");
        lines << line;
    } else if (parity) {
        lines << QStringLiteral("incarnation %1").arg(QString::fromStdString(incarnationText(parity->incarnation)));
    }
    if (process) {
        if (process->lostEvents > 0)
            lines << QStringLiteral("%1 events lost").arg(grouped(process->lostEvents));
        lines << QStringLiteral("process %1, pid %2, %3")
                     .arg(processName(process))
                     .arg(process->pid)
                     .arg(QString::fromStdString(process->address));
    }
    return lines;
}

std::vector<QStringList> lastWordsOf(const ClusterState& state, ObjectRef object)
{
    const auto* data = dataOf(state, object);
    const auto* parity = parityOf(state, object);
    const ProcessState* process = holderOf(state, object);
    if ((!data && !parity) || !process)
        return {};
    const DownMember* down = data ? state.downOf(*data) : state.downOf(*parity);
    const Suspicion* suspicion = data ? state.suspicionOf(pb::DATA, data->number / state.m(), data->number % state.m())
                                      : state.suspicionOf(pb::PARITY, parity->group, parity->column);
    const auto at = [&state](std::int64_t ns) { return QStringLiteral("%1 s").arg(state.shownSeconds(ns), 0, 'f', 2); };
    // The beginning of a long reason is the important part.
    const auto lineOf = [&at](
                            const QString& what, const QString& shortWhat, std::int64_t ns, const std::string& reason) {
        const QString why = QString::fromStdString(reason), time = at(ns);
        if (why.isEmpty())
            return QStringList { QStringLiteral("%1 at %2").arg(what, time),
                QStringLiteral("%1 %2").arg(shortWhat, time), time };
        return QStringList { QStringLiteral("%1 at %2: %3").arg(what, time, why),
            QStringLiteral("%1 %2: %3").arg(shortWhat, time, why), QStringLiteral("%1: %2").arg(time, why),
            QStringLiteral("%1 %2").arg(shortWhat, time), time };
    };
    std::vector<QStringList> lines;
    if (process->hasEnded)
        lines.push_back(lineOf(QStringLiteral("ended"), QStringLiteral("ended"), process->endedNs, process->endReason));
    else if ((down || suspicion) && process->lastEventNs > 0)
        lines.push_back({ QStringLiteral("its last event came at %1").arg(at(process->lastEventNs)),
            QStringLiteral("last event %1").arg(at(process->lastEventNs)) });
    if (down)
        lines.push_back(lineOf(
            QStringLiteral("declared failed"), QStringLiteral("failed"), down->sinceNs, shownReason(state, *down)));
    else if (suspicion)
        lines.push_back(
            lineOf(QStringLiteral("suspected"), QStringLiteral("suspect"), suspicion->sinceNs, suspicion->reason));
    if (process->isFull && !process->hasEnded)
        lines.push_back({ QStringLiteral("full: its memory is at its limit"), QStringLiteral("full: no memory"),
            QStringLiteral("full") });
    return lines;
}

std::optional<LeaseShown> leaseOf(const ClusterState& state, const DataBucketState& bucket, std::int64_t nowNs)
{
    constexpr std::int64_t kFresh = 1'500'000'000; // ns; a watched process is sampled ten times a second
    const auto process = state.processes.find(bucket.process);
    if (process == state.processes.end() || process->second.samples.empty() || process->second.hasEnded)
        return std::nullopt;
    const NodeSampleState& last = process->second.samples.back();
    const bool isOld = !state.isSimulated && std::max(nowNs, process->second.lastEventNs) - last.runNs > kFresh;
    if (isOld || last.sample->core_is_busy() || last.sample->grants_needed() == 0)
        return std::nullopt;
    const auto& samples = process->second.samples;
    return LeaseShown { last.sample->lease_left_ns(), last.runNs, last.sample->grants_held(),
        last.sample->grants_needed(), std::any_of(samples.begin(), samples.end(), [](const NodeSampleState& earlier) {
            return earlier.sample->lease_left_ns() > 0;
        }) };
}

QString multicastWords(const ClusterState& state, pb::Role pool)
{
    const auto coordinator = state.processes.find(coordinatorOf(state));
    if (state.recruiting != pb::MULTICAST || state.isSimulated || coordinator == state.processes.end())
        return {};
    bool isPort = false;
    const ushort port
        = QString::fromStdString(coordinator->second.address).section(QLatin1Char(':'), -1).toUShort(&isPort);
    if (!isPort || port == 0)
        return {};
    const QString host = QString::fromStdString(coordinator->second.address).section(QLatin1Char(':'), 0, -2);
    const auto ip = Ip::parse(QString(host).remove(QLatin1Char('[')).remove(QLatin1Char(']')).toStdString());
    return ip ? QString::fromStdString(multicastGroup(pool, { *ip, port }).ip.text()) : QString();
}

std::vector<ObjectRef> objectsOf(const ClusterState& state)
{
    std::vector<ObjectRef> objects;
    for (ProcessId client : clientsOf(state))
        objects.push_back({ ObjectKind::Client, client, 0 });
    if (const ProcessId coordinator = coordinatorOf(state))
        objects.push_back({ ObjectKind::Coordinator, coordinator, 0 });
    std::map<std::uint32_t, std::vector<ObjectRef>> byGroup;
    for (const auto& [number, bucket] : state.data)
        byGroup[number / state.m()].push_back({ ObjectKind::Data, number, 0 });
    for (const auto& [place, bucket] : state.parity)
        byGroup[place.first].push_back({ ObjectKind::Parity, place.first, place.second });
    for (const auto& [number, members] : byGroup) {
        objects.push_back({ ObjectKind::Group, number, 0 });
        objects.insert(objects.end(), members.begin(), members.end());
    }
    for (pb::Role role : { pb::DATA, pb::PARITY }) {
        for (ProcessId spare : sparesOf(state, role))
            objects.push_back({ ObjectKind::Spare, spare, 0 });
    }
    for (ProcessId process : displacedOf(state))
        objects.push_back({ ObjectKind::Displaced, process, 0 });
    for (const std::uint64_t number : faultsOf(state))
        objects.push_back({ ObjectKind::Fault, number, 0 });
    return objects;
}

} // namespace lhrs::gui
