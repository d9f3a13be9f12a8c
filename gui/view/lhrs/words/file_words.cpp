// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/words/file_words.h"

#include "common/lhrs/linear_hash.h"
#include "gui/lab/state/lhrs/epoch_words.h"
#include "gui/lab/words/lhrs/place_words.h"
#include "gui/show/lhrs/bucket_group.h"
#include "gui/view/lhrs/words/kill_words.h"
#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>

namespace lhrs::gui {

const FileWords& fileWords()
{
    static const FileWords kWords;
    return kWords;
}

// ---- things

QString FileWords::nameOf(const ClusterState& state, ObjectRef object) const
{
    switch (object.kind) {
    case ObjectKind::Data:
    case ObjectKind::Dummy: return QStringLiteral("data %1").arg(object.a);
    case ObjectKind::Parity: return QStringLiteral("parity %1.%2").arg(object.a).arg(object.b);
    case ObjectKind::Group: return QStringLiteral("group %1").arg(object.a);
    case ObjectKind::Spare: return QStringLiteral("spare %1").arg(processName(state, object.a));
    case ObjectKind::Displaced: return QStringLiteral("displaced %1").arg(processName(state, object.a));
    case ObjectKind::Pool:
        return object.a == std::uint64_t(pb::PARITY) ? QStringLiteral("spare parity servers")
                                                     : QStringLiteral("spare data servers");
    case ObjectKind::File: return QStringLiteral("file");
    case ObjectKind::Client:
    case ObjectKind::Coordinator:
    case ObjectKind::Message:
    case ObjectKind::Fault:
    case ObjectKind::Node:
    case ObjectKind::None: break;
    }
    return SystemWords::nameOf(state, object);
}

QString FileWords::shortNameOf(const ClusterState& state, ObjectRef object) const
{
    return object.kind == ObjectKind::Spare ? processName(state, object.a) : SystemWords::shortNameOf(state, object);
}

ObjectRef FileWords::objectOf(const ClusterState& state, ProcessId process) const
{
    return gui::objectOf(state, process);
}

bool FileWords::isProcess(ObjectRef object) const
{
    return object.kind == ObjectKind::Spare || object.kind == ObjectKind::Displaced || SystemWords::isProcess(object);
}

QString FileWords::choiceOf(const ClusterState& state, const ProcessState& process) const
{
    const ObjectRef object = objectOf(state, process.id);
    const QString name = QString::fromStdString(process.name);
    return object.kind == ObjectKind::Spare    ? QStringLiteral("%1 (spare)").arg(name)
        : object.kind == ObjectKind::Displaced ? QStringLiteral("%1 (displaced)").arg(name)
                                               : SystemWords::choiceOf(state, process);
}

int FileWords::listOrderOf(ObjectRef object) const
{
    return object.kind == ObjectKind::Data  ? 1
        : object.kind == ObjectKind::Parity ? 2
                                            : SystemWords::listOrderOf(object);
}

QString FileWords::wordsToFind() const
{
    return QStringLiteral("A bucket, a process or a key: 5, parity 1.0, node-3, alice, key 4711");
}

QStringList FileWords::workWords(const pb::WorkloadResult& result) const
{
    return { countedWords(result.image_adjustments(), "image adjustment", "image adjustments") };
}

QString FileWords::restartedWords(bool isCoordinator) const
{
    return isCoordinator
        ? QStringLiteral("another coordinator listens at its address: it rebuilds the file state from the buckets")
        : QStringLiteral("its program was started again, as an empty spare");
}

QStringList FileWords::firstLines() const
{
    return { QStringLiteral("lab.cluster({ m: 4, k: 1, b: 20, spares: { data: 4, parity: 2 } });"),
        QStringLiteral("lab.client('alice').run({ do: 'insert', count: 50 });") };
}

// The first bucket is there from the beginning.
std::uint64_t FileWords::growthOf(const ClusterState& state) const
{
    return std::max<std::size_t>(state.data.size(), 1) - 1;
}

ProcessId FileWords::processOf(const ClusterState& state, ObjectRef object) const
{
    if (object.kind == ObjectKind::Data) {
        const auto bucket = state.data.find(std::uint32_t(object.a));
        return bucket == state.data.end() ? 0 : bucket->second.process;
    }
    if (object.kind == ObjectKind::Parity) {
        const auto parity = state.parity.find({ std::uint32_t(object.a), std::uint32_t(object.b) });
        return parity == state.parity.end() ? 0 : parity->second.process;
    }
    return SystemWords::processOf(state, object);
}

std::vector<ObjectRef> FileWords::objectsOf(const ClusterState& state) const { return gui::objectsOf(state); }

QString FileWords::placeLine(ObjectRef object) const
{
    if (object.kind == ObjectKind::Data)
        return QStringLiteral("lab.data(%1)").arg(object.a);
    if (object.kind == ObjectKind::Parity)
        return QStringLiteral("lab.parity(%1, %2)").arg(object.a).arg(object.b);
    return object.kind == ObjectKind::Group ? QStringLiteral("lab.group(%1)").arg(object.a)
                                            : SystemWords::placeLine(object);
}

QString FileWords::warningOfKill(
    const ClusterState& state, const std::vector<ProcessId>& processes, const QString& names) const
{
    return gui::warningOfKill(state, processes, names);
}

std::vector<SystemWords::MessagesNamed> FileWords::messagesToBreak() const
{
    std::vector<ClassWord> classes;
    for (int c = 0; c < kMessageClasses; ++c)
        classes.push_back({ MessageClass(c), messageWord(MessageClass(c)) });
    return messagesByClass(*pb::Message::descriptor(), classes);
}

QStringList FileWords::stepsToKillAt() const
{
    return { QStringLiteral("SplitPrepared"), QStringLiteral("RecordsMoved"), QStringLiteral("SplitApplied"),
        QStringLiteral("DeltaApplied"), QStringLiteral("RecordInserted"), QStringLiteral("CutAgreed"),
        QStringLiteral("SliceRecovered"), QStringLiteral("SliceStored"), QStringLiteral("ContentsArrived"),
        QStringLiteral("SplitOrdered"), QStringLiteral("SplitCommitted"), QStringLiteral("RecoveryStarted") };
}

std::int64_t FileWords::tellingOf(const ClusterState& state) const
{
    constexpr int kStarting = 3; // a parity bucket that is starting is not worth showing by itself
    constexpr std::uint32_t kSlicesSeen = 2; // slices that count per rebuilt bucket
    const auto weigh = [&](ObjectRef object) {
        const Condition now = lookOf(state, object, nullptr).condition;
        return now == Condition::Lost                                         ? 6
            : now == Condition::Rebuilding                                    ? 5
            : now == Condition::Failed                                        ? 4
            : now == Condition::Starting && object.kind == ObjectKind::Parity ? kStarting
                                                                              : 0;
    };
    std::pair<std::int64_t, std::uint32_t> telling;
    for (const auto& [number, bucket] : state.data) {
        telling.first += weigh({ ObjectKind::Data, number, 0 });
        telling.second += std::min(bucket.slicesStored, kSlicesSeen);
    }
    for (const auto& [place, bucket] : state.parity)
        telling.first += weigh({ ObjectKind::Parity, place.first, place.second });
    return telling > std::pair<std::int64_t, std::uint32_t>(kStarting, 0) ? (telling.first << 32) + telling.second : 0;
}

std::vector<int> FileWords::tellingKinds() const
{
    return { pb::Event::kBucketFailed, pb::Event::kRecoveryStarted, pb::Event::kSliceRecovered, pb::Event::kGroupLost };
}

std::vector<std::uint64_t> FileWords::keysKnown(
    const ClusterState& state, std::uint64_t count, std::uint64_t seed) const
{
    std::vector<const RankMap*> buckets;
    for (const auto& [number, bucket] : state.data)
        if (bucket.ranks.count() > 0)
            buckets.push_back(&bucket.ranks);
    std::vector<std::uint64_t> keys;
    std::uint64_t drawn = mix64(Key(seed)).value;
    const auto below = [&drawn](std::size_t bound) {
        drawn = mix64(Key(drawn + 1)).value;
        return std::size_t(drawn % bound);
    };
    while (!buckets.empty() && keys.size() < count) {
        const RankMap& ranks = *buckets[below(buckets.size())];
        const std::vector<std::uint32_t> pages = ranks.pages();
        const auto records = ranks.inPage(pages[below(pages.size())]);
        keys.push_back(records[below(records.size())].second);
    }
    return keys;
}

// ---- events

ObjectRef FileWords::placeOf(const pb::Event& event, ProcessId process) const
{
    if (event.place().role() == pb::DATA)
        return { ObjectKind::Data, event.place().number(), 0 };
    if (event.place().role() == pb::PARITY)
        return { ObjectKind::Parity, event.place().number(), event.place().column() };
    return { ObjectKind::Spare, process, 0 };
}

// The rank of the record.
std::uint32_t FileWords::partOf(const pb::Event& event) const
{
    if (event.has_record_inserted())
        return event.record_inserted().rank();
    if (event.has_record_updated())
        return event.record_updated().rank();
    if (event.has_record_deleted())
        return event.record_deleted().rank();
    if (event.has_record_read())
        return event.record_read().rank();
    return event.has_delta_applied() ? event.delta_applied().rank() : 0;
}

// All records of the rank form one record group, and a change of one of them also changes its parity.
bool FileWords::belongsTo(const ClusterState& state, const Pointed& own, const Pointed& pointed) const
{
    return own.part == pointed.part && bucketGroupOf(own.object, state.m()) == bucketGroupOf(pointed.object, state.m());
}

std::optional<SystemWords::EventMark> FileWords::markOf(const pb::Event& event) const
{
    if (event.has_split_finished() || event.has_merge_finished())
        return EventMark { Glyph::Fork };
    if (event.has_parity_added())
        return EventMark { Glyph::Change };
    if (event.has_bucket_failed())
        return EventMark { Glyph::Cross, &Theme::bad, 3 };
    if (event.has_recovery_finished())
        return EventMark { Glyph::Turning, &Theme::good, 2 };
    return event.has_group_lost() ? std::optional(EventMark { Glyph::DoubleCross, &Theme::bad, 4 }) : std::nullopt;
}

std::vector<int> FileWords::markedKinds() const
{
    using E = pb::Event;
    return { E::kSplitFinishedFieldNumber, E::kMergeFinishedFieldNumber, E::kParityAddedFieldNumber,
        E::kBucketFailedFieldNumber, E::kRecoveryFinishedFieldNumber, E::kGroupLostFieldNumber };
}

// ---- processes

SystemWords::LaneGroup FileWords::laneGroupOf(const ClusterState& state, ObjectRef object) const
{
    if (const auto group = bucketGroupOf(object, state.m())) {
        const QString name = QStringLiteral("group %1").arg(*group);
        return { 2, *group, name, name };
    }
    LaneGroup common = SystemWords::laneGroupOf(state, object);
    if (common.id == QLatin1String("others")) {
        common.id = QStringLiteral("spares");
        common.name = QStringLiteral("spares and others");
    }
    return common;
}

static std::vector<NodeFact> roleOf(const ClusterState& state, const ProcessState& process)
{
    const auto data = state.data.find(process.place.number());
    const auto parity = state.parity.find({ process.place.number(), process.place.column() });
    const auto words = [](const QString& role, pb::MemberState member, const std::string& reason) {
        std::vector<NodeFact> facts { { QStringLiteral("Role"), role } };
        if (member != pb::MEMBER_UNKNOWN)
            facts.push_back({ QStringLiteral("State"),
                QString::fromStdString(stateWord(member))
                    + (reason.empty() ? QString() : QStringLiteral(", ") + QString::fromStdString(reason)) });
        return facts;
    };
    if (process.place.role() == pb::DATA && data != state.data.end() && data->second.process == process.id)
        return words(QStringLiteral("data bucket %1, level %2").arg(data->second.number).arg(data->second.level),
            data->second.state, data->second.reason);
    if (process.place.role() == pb::PARITY && parity != state.parity.end() && parity->second.process == process.id)
        return words(QStringLiteral("parity bucket %1.%2").arg(parity->second.group).arg(parity->second.column),
            parity->second.state, parity->second.reason);
    if (process.pool != pb::NO_ROLE)
        return { { QStringLiteral("Role"),
                     process.pool == pb::PARITY ? QStringLiteral("spare parity server")
                                                : QStringLiteral("spare data server") },
            { QStringLiteral("State"),
                process.offer.invitation != 0 ? QStringLiteral("has offered itself")
                    : process.isInvited       ? QStringLiteral("invited")
                                              : QStringLiteral("idle, in its multicast group") } };
    if (process.place.role() != pb::NO_ROLE)
        return { { QStringLiteral("Role"), QStringLiteral("displaced: its place has another holder") } };
    return {};
}

static std::vector<NodeFact> membershipOf(const ProcessState& process, const pb::NodeSample* sample)
{
    std::vector<NodeFact> facts;
    if (process.incarnation != 0)
        facts.push_back(
            { QStringLiteral("Incarnation"), QString::fromStdString(incarnationText(process.incarnation)) });
    if (sample && sample->epoch() > 0)
        facts.push_back({ QStringLiteral("Epoch"), QString::fromStdString(epochText(sample->epoch())) });
    return facts;
}

std::vector<NodeFact> FileWords::factsOf(const ClusterState& state, const ProcessState& process,
    const pb::NodeSample* sample, const pb::Gauges& gauges, Facts which) const
{
    if (which == Facts::Role)
        return roleOf(state, process);
    if (which == Facts::Membership)
        return membershipOf(process, sample);
    std::vector<NodeFact> facts;
    if (sample && sample->grants_needed() > 0)
        facts.push_back({ QStringLiteral("Lease"),
            QStringLiteral("%1 of %2, %3")
                .arg(sample->grants_held())
                .arg(sample->grants_needed())
                .arg(sample->lease_left_ns() > 0 ? durationWords(sample->lease_left_ns()) + QStringLiteral(" left")
                                                 : QStringLiteral("run out: reads wait")),
            true });
    if (process.place.role() == pb::NO_ROLE) {
        const std::vector<NodeFact> common = SystemWords::factsOf(state, process, sample, gauges, which);
        facts.insert(facts.end(), common.begin(), common.end());
        return facts;
    }
    facts.push_back({ process.place.role() == pb::PARITY ? QStringLiteral("Record groups") : QStringLiteral("Records"),
        grouped(gauges.records()) });
    if (process.place.role() == pb::DATA && gauges.rank_max() > 0)
        facts.push_back({ QStringLiteral("Ranks"),
            QStringLiteral("1 to %1, %2 free")
                .arg(grouped(gauges.rank_max()))
                .arg(gauges.rank_max() - std::min(gauges.rank_max(), gauges.records())) });
    if (gauges.sequence() > 0)
        facts.push_back({ QStringLiteral("Changes"), grouped(gauges.sequence()) });
    return facts;
}

std::pair<QString, std::vector<NodeFact>> FileWords::exchangeOf(
    const ProcessState& process, const pb::NodeSample& sample) const
{
    std::pair<QString, std::vector<NodeFact>> out { process.place.role() == pb::PARITY
            ? QStringLiteral("Applied, by data position")
            : QStringLiteral("Acknowledged, by parity column"),
        {} };
    for (const auto& from : sample.columns()) {
        const bool isParity = from.role() == pb::PARITY;
        QStringList words { grouped(from.sequence()) };
        if (from.waiting() > 0)
            words << (isParity ? QStringLiteral("%1 not yet").arg(from.waiting())
                               : QStringLiteral("%1 held").arg(from.waiting()));
        if (from.tries() > 0)
            words << countedWords(from.tries(), "resend", "resends");
        if (!from.is_up())
            words << QStringLiteral("not up");
        out.second.push_back({ isParity ? QStringLiteral("column %1").arg(from.index())
                                        : QStringLiteral("position %1").arg(from.index()),
            words.join(QStringLiteral(", ")) });
    }
    return out;
}

} // namespace lhrs::gui
