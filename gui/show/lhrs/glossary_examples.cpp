// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of the glossary's terms in a given state of the cluster.
#include "gui/show/lhrs/file_terms.h"

#include "gui/lab/state/lhrs/epoch_words.h"
#include "gui/show/lhrs/example_subject.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

using namespace example;

// ---- the file

QString fileWords(const Subject& s)
{
    std::uint64_t records = 0;
    for (const auto& [number, bucket] : s.state.data)
        records += bucket.count;
    return s.state.file.exists
        ? QStringLiteral("%1 in %2 hold %3")
              .arg(countedWords(s.state.file.buckets, "data bucket", "data buckets"),
                  countedWords(s.state.groups.size(), "group", "groups"), countedWords(records, "record", "records"))
        : QString();
}

QString levelOfFile(const Subject& s)
{
    const FileShown& file = s.state.file;
    if (!file.exists)
        return {};
    if (file.n == 0)
        return QStringLiteral("i = %1 and n = 0, so all %2 have level %1")
            .arg(file.i)
            .arg(countedWords(file.buckets, "bucket", "buckets"));
    return QStringLiteral("i = %1, so this round began with %2; each bucket has level %1 or %3")
        .arg(file.i)
        .arg(countedWords(1ULL << file.i, "bucket", "buckets"))
        .arg(file.i + 1);
}

QString nextToSplit(const Subject& s)
{
    return s.state.file.exists
        ? QStringLiteral("n = %1, so bucket %1 splits next, whichever is full").arg(s.state.file.n)
        : QString();
}

QString bucketNumber(const Subject& s)
{
    const FileShown& file = s.state.file;
    if (!file.exists)
        return {};
    return (1ULL << file.i) + file.n == file.buckets
        ? QStringLiteral("M = 2^%1 + %2 = %3").arg(file.i).arg(file.n).arg(file.buckets)
        : QStringLiteral("M = %1").arg(file.buckets);
}

QString levelOfBucket(const Subject& s)
{
    const DataBucketState* bucket = s.data();
    if (!bucket || bucket->level > 31)
        return {};
    const QString has = QStringLiteral("bucket %1 has level j = %2").arg(bucket->number).arg(bucket->level);
    if (bucket->level == 0)
        return has + QStringLiteral(", so it keeps all keys");
    const std::uint64_t part = bucket->number & ((1ULL << bucket->level) - 1);
    const QString bits = QString::number(part, 2).rightJustified(int(bucket->level), QLatin1Char('0'));
    if (s.state.file.config.mix_keys())
        return QStringLiteral("%1, so it keeps keys which end with the bits %2 after they are scrambled")
            .arg(has, bits);
    return bucket->level == 1
        ? QStringLiteral("%1, so it keeps keys whose last bit is %2").arg(has, bits)
        : QStringLiteral("%1, so it keeps keys whose last %2 bits are %3").arg(has).arg(bucket->level).arg(bits);
}

QString splitWords(const Subject& s)
{
    for (const auto& [id, split] : s.state.splits) {
        if (split.isOrdered && split.isUnderWay() && !split.isMerge)
            return QStringLiteral("bucket %1 is being split, and a part of its records goes to bucket %2")
                .arg(split.bucket)
                .arg(split.newBucket);
    }
    const std::uint32_t newest = s.state.file.buckets - 1;
    const std::uint64_t number = s.object.kind == ObjectKind::Data && s.object.a > 0 ? s.object.a : newest;
    if (!s.state.file.exists || s.state.file.buckets < 2 || !s.state.data.contains(std::uint32_t(number)))
        return {};
    std::uint64_t half = 1; // the highest bit of the number
    while (half * 2 <= number)
        half *= 2;
    return QStringLiteral("bucket %1 came from the split of bucket %2").arg(number).arg(number - half);
}

QString overflow(const Subject& s)
{
    const auto capacityOf = [&s](const DataBucketState& bucket) {
        return s.state.file.config.b() ? s.state.file.config.b() : bucket.b;
    };
    if (const DataBucketState* bucket = s.data(
            [&](const DataBucketState& b) { return b.isOverflowed && b.count > capacityOf(b); }))
        return QStringLiteral("bucket %1 holds %2, %3 more than b = %4")
            .arg(bucket->number)
            .arg(countedWords(bucket->count, "record", "records"))
            .arg(bucket->count - capacityOf(*bucket))
            .arg(capacityOf(*bucket));
    return s.state.file.splitsOwed > 0 ? QStringLiteral("%1 owed for overflows that were reported")
                                             .arg(countedWords(s.state.file.splitsOwed, "split is", "splits are"))
                                       : QString();
}

QString loadFactor(const Subject& s)
{
    const FileShown& file = s.state.file;
    if (!file.exists || file.config.b() == 0 || file.buckets == 0)
        return {};
    std::uint64_t records = 0; // as the card of the file counts them: without lost records
    for (const auto& [number, bucket] : s.state.data) {
        const DownMember* down = s.state.downOf(bucket);
        records += down && down->isLost ? 0 : bucket.count;
    }
    return QStringLiteral("%1 / (%2 × %3) = %4 %")
        .arg(countedWords(records, "record", "records"))
        .arg(file.config.b())
        .arg(file.buckets)
        .arg(qRound(double(records) * 100 / (double(file.config.b()) * file.buckets)));
}

QString field(const Subject& s)
{
    if (!s.state.file.exists)
        return {};
    return s.state.file.config.field() == pb::GF_8
        ? QStringLiteral("parity is computed in GF(2^8), one byte at a time")
        : QStringLiteral("parity is computed in GF(2^16), two bytes at a time");
}

// ---- buckets and records

QString dataBucket(const Subject& s)
{
    const DataBucketState* bucket = s.data();
    if (!bucket)
        return {};
    const QString records = countedWords(bucket->count, "record", "records");
    return s.state.downOf(*bucket) ? QStringLiteral("bucket %1 held %2 when it failed").arg(bucket->number).arg(records)
                                   : QStringLiteral("bucket %1 holds %2 in process %3")
                                         .arg(bucket->number)
                                         .arg(records, s.nameOf(bucket->process));
}

QString parityBucket(const Subject& s)
{
    const ParityBucketState* bucket = s.parityOf(s.group().value_or(0));
    return bucket ? QStringLiteral("parity bucket %1.%2 holds %3 for bucket group %1")
                        .arg(bucket->group)
                        .arg(bucket->column)
                        .arg(countedWords(bucket->recordGroups, "parity record", "parity records"))
                  : QString();
}

QString dummy(const Subject& s)
{
    const std::uint32_t m = s.state.m(), there = s.state.file.buckets;
    if (!s.state.file.exists || there % m == 0)
        return {};
    std::vector<std::uint32_t> missing;
    for (std::uint32_t number = there; number % m != 0; ++number)
        missing.push_back(number);
    const bool isOne = missing.size() == 1;
    return QStringLiteral("%1 of group %2 %3 not exist yet")
        .arg(bucketsWords(missing))
        .arg(there / m)
        .arg(QLatin1String(isOne ? "does" : "do"));
}

QString bucketGroup(const Subject& s)
{
    const GroupState* group = s.anyGroup();
    if (!group)
        return {};
    std::vector<std::uint32_t> members;
    for (const auto& [number, bucket] : s.state.data) {
        if (number / s.state.m() == group->number)
            members.push_back(number);
    }
    return members.empty() ? QString()
                           : QStringLiteral("group %1 has data %2 and %3")
                                 .arg(group->number)
                                 .arg(bucketsWords(members), countedWords(group->k, "parity bucket", "parity buckets"));
}

QString groupSize(const Subject& s)
{
    const DataBucketState* bucket = s.data();
    return bucket && s.state.file.exists ? QStringLiteral("m = %1, so bucket %2 is in group %3, at position %4")
                                               .arg(s.state.m())
                                               .arg(bucket->number)
                                               .arg(bucket->number / s.state.m())
                                               .arg(bucket->number % s.state.m())
                                         : QString();
}

QString availability(const Subject& s)
{
    const GroupState* group = s.anyGroup();
    if (!group)
        return {};
    const QString has = QStringLiteral("group %1 has k = %2").arg(group->number).arg(group->k);
    if (group->down.empty())
        return group->k == 0 ? has + QStringLiteral(", so it survives no loss")
                             : QStringLiteral("%1, so it survives the loss of any %2")
                                   .arg(has, countedWords(group->k, "bucket", "buckets"));
    if (group->state == pb::GROUP_LOST)
        return QStringLiteral("%1, and more than that failed together: records are lost").arg(has);
    return QStringLiteral("%1, and %2 down: it survives %3")
        .arg(has, countedWords(group->down.size(), "bucket is", "buckets are"),
            countedWords(group->kEffective(), "loss more", "losses more"));
}

QString intended(const Subject& s)
{
    const std::uint32_t wanted = s.state.file.availability;
    if (!s.state.file.exists || s.state.groups.empty())
        return {};
    const auto have = std::count_if(
        s.state.groups.begin(), s.state.groups.end(), [wanted](const auto& group) { return group.second.k >= wanted; });
    return QStringLiteral("K = %1, and %2 of %3 that many parity buckets")
        .arg(wanted)
        .arg(have)
        .arg(countedWords(s.state.groups.size(), "group has", "groups have"));
}

QString capacity(const Subject& s)
{
    const DataBucketState* bucket = s.data();
    const std::uint32_t b = s.state.file.config.b() ? s.state.file.config.b() : bucket ? bucket->b : 0;
    return bucket && b > 0 ? QStringLiteral("bucket %1 holds %2, and b = %3")
                                 .arg(bucket->number)
                                 .arg(countedWords(bucket->count, "record", "records"))
                                 .arg(b)
                           : QString();
}

// The preferred rank if the bucket has it, else its first one; 0 if it has none.
std::uint32_t rankIn(const Subject& s, const DataBucketState& bucket)
{
    if (s.rank != 0 && bucket.ranks.has(s.rank))
        return s.rank;
    const std::vector<std::uint32_t> pages = bucket.ranks.pages();
    return pages.empty() ? 0 : bucket.ranks.inPage(pages.front()).front().first;
}

const DataBucketState* withRanks(const Subject& s)
{
    const DataBucketState* exact = s.rank == 0 ? nullptr : s.data([&s](const DataBucketState& b) {
        return s.group().value_or(0) == b.number / s.state.m() && b.ranks.has(s.rank);
    });
    return exact ? exact : s.data([](const DataBucketState& b) { return b.ranks.count() > 0; });
}

QString rankWords(const Subject& s)
{
    const DataBucketState* bucket = withRanks(s);
    if (!bucket)
        return {};
    const std::uint32_t rank = rankIn(s, *bucket);
    return QStringLiteral("the record with key %1 has rank %2 in bucket %3")
        .arg(bucket->ranks.at(rank))
        .arg(rank)
        .arg(bucket->number);
}

QString recordGroup(const Subject& s)
{
    constexpr qsizetype kKeysMax = 6;
    const DataBucketState* bucket = withRanks(s);
    if (!bucket)
        return {};
    const std::uint32_t rank = rankIn(s, *bucket), group = bucket->number / s.state.m();
    QStringList keys;
    for (auto member = s.state.data.lower_bound(group * s.state.m());
         member != s.state.data.end() && member->first / s.state.m() == group; ++member) {
        if (member->second.ranks.has(rank))
            keys << QString::number(member->second.ranks.at(rank));
    }
    const QString what = keys.size() > kKeysMax
        ? QStringLiteral("%1 records").arg(keys.size())
        : QStringLiteral("the %1 %2").arg(QLatin1String(keys.size() == 1 ? "key" : "keys"), listed(keys));
    return QStringLiteral("rank %1 of group %2 is one record group, with %3").arg(rank).arg(group).arg(what);
}

QString deltaWords(const Subject& s)
{
    const DataBucketState* bucket = s.data(
        [&s](const DataBucketState& b) { return b.sequence > 0 && s.parityOf(b.number / s.state.m()) != nullptr; });
    if (!bucket)
        return {};
    const ParityBucketState* parity = s.parityOf(bucket->number / s.state.m());
    const std::uint32_t position = bucket->number % s.state.m();
    const std::uint64_t applied = position < parity->applied.size() ? parity->applied[position] : 0;
    return QStringLiteral("of %1 of bucket %2, parity bucket %3.%4 has applied %5")
        .arg(countedWords(bucket->sequence, "change", "changes"))
        .arg(bucket->number)
        .arg(parity->group)
        .arg(parity->column)
        .arg(applied);
}

QString incarnationWords(const Subject& s)
{
    const DataBucketState* bucket = s.data([](const DataBucketState& b) { return b.incarnation != 0; });
    return bucket ? QStringLiteral("process %1 holds bucket %2 under incarnation %3")
                        .arg(s.nameOf(bucket->process))
                        .arg(bucket->number)
                        .arg(QString::fromStdString(incarnationText(bucket->incarnation)))
                  : QString();
}

const pb::NodeSample* sampleOf(const Subject& s, const DataBucketState& bucket)
{
    const auto process = s.state.processes.find(bucket.process);
    const bool isKnown = process != s.state.processes.end() && !process->second.samples.empty()
        && !process->second.hasEnded;
    const pb::NodeSample* last = isKnown ? process->second.samples.back().sample.get() : nullptr;
    return last && !last->core_is_busy() && last->grants_needed() > 0 ? last : nullptr;
}

QString leaseExample(const Subject& s)
{
    const DataBucketState* bucket = s.data([&s](const DataBucketState& b) { return sampleOf(s, b) != nullptr; });
    if (!bucket)
        return {};
    const pb::NodeSample* sample = sampleOf(s, *bucket);
    const QString has = QStringLiteral("bucket %1 has %2 of %3")
                            .arg(bucket->number)
                            .arg(sample->grants_held())
                            .arg(countedWords(sample->grants_needed(), "grant", "grants"));
    return sample->lease_left_ns() > 0
        ? QStringLiteral("%1 and may answer reads for %2 ms more").arg(has).arg(sample->lease_left_ns() / 1'000'000)
        : has + QStringLiteral(" and may not answer reads");
}

// ---- clients

QString clientWords(const Subject& s)
{
    const ClientState* client = s.client([](const ClientState&) { return true; });
    return client ? QStringLiteral("%1 has finished %2")
                        .arg(s.nameOf(client->process), countedWords(client->done, "operation", "operations"))
                  : QString();
}

QString imageText(const pb::FileState& image) { return QStringLiteral("(%1, %2)").arg(image.i()).arg(image.n()); }

QString image(const Subject& s)
{
    const ClientState* client = s.client([](const ClientState&) { return true; });
    if (!client || !s.state.file.exists)
        return {};
    const pb::FileState& assumed = s.state.fileClient(client->process).image;
    if (assumed.i() > 31)
        return {};
    return QStringLiteral("%1 assumes %2, so %3; the file has %4")
        .arg(s.nameOf(client->process), imageText(assumed),
            countedWords((1ULL << assumed.i()) + assumed.n(), "bucket", "buckets"))
        .arg(s.state.file.buckets);
}

QString forwardWords(const Subject& s)
{
    const ClientState* client = s.client([](const ClientState& c) { return c.forwards > 0; });
    return client ? QStringLiteral("%1 of %2 took %3")
                        .arg(countedWords(client->done, "operation", "operations"), s.nameOf(client->process),
                            countedWords(client->forwards, "forward", "forwards"))
                  : QString();
}

QString adjustment(const Subject& s)
{
    const ClientState* client = s.client(
        [&s](const ClientState& c) { return s.state.fileClient(c.process).imageAdjustments > 0; });
    if (!client)
        return {};
    const FileClient& known = s.state.fileClient(client->process);
    const auto last = std::find_if(known.last.rbegin(), known.last.rend(),
        [](const OperationState& operation) { return operation.imageAdjusted; });
    if (last == known.last.rend())
        return QStringLiteral("the image of %1 was corrected %2")
            .arg(s.nameOf(client->process), countedWords(known.imageAdjustments, "time", "times"));
    return QStringLiteral("bucket %1 of level %2 corrected the image of %3 from %4 to %5")
        .arg(last->adjustedBucket)
        .arg(last->adjustedLevel)
        .arg(s.nameOf(client->process), imageText(last->imageBefore), imageText(last->imageAfter));
}

constexpr struct {
    std::string_view id;
    QString (*words)(const Subject&);
} kExamples[] = {
    { "file", fileWords },
    { "i", levelOfFile },
    { "n", nextToSplit },
    { "M", bucketNumber },
    { "j", levelOfBucket },
    { "split", splitWords },
    { "overflow", overflow },
    { "load-factor", loadFactor },
    { "galois-field", field },
    { "data-bucket", dataBucket },
    { "parity-bucket", parityBucket },
    { "dummy-bucket", dummy },
    { "bucket-group", bucketGroup },
    { "m", groupSize },
    { "k", availability },
    { "K", intended },
    { "b", capacity },
    { "rank", rankWords },
    { "record-group", recordGroup },
    { "delta", deltaWords },
    { "incarnation", incarnationWords },
    { "lease", leaseExample },
    { "client", clientWords },
    { "client-image", image },
    { "forward", forwardWords },
    { "image-adjustment", adjustment },
    { "suspect", suspectWords },
    { "epoch", epochExample },
    { "frozen-group", frozen },
    { "degraded-group", degraded },
    { "lost-group", lostWords },
    { "cut", cutWords },
    { "recovery-manager", manager },
    { "slice", sliceWords },
    { "spare", spares },
    { "coordinator", coordinatorExample },
    { "displaced", displacedWords },
    { "invariant", invariantExample },
};

} // namespace

QString exampleInFile(const Term& term, const ClusterState& state, ObjectRef object, std::uint32_t rank)
{
    const auto* found = std::find_if(
        std::begin(kExamples), std::end(kExamples), [&](const auto& example) { return example.id == term.id; });
    return found == std::end(kExamples) ? QString() : found->words({ state, object, rank });
}

} // namespace lhrs::gui
