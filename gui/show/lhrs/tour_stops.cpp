// SPDX-License-Identifier: GPL-3.0-or-later
// The stops of the tour about a growing file: a record, an overflow, why bucket n splits, a stale client image.
#include "gui/show/lhrs/tour_stops.h"

#include "common/lhrs/linear_hash.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/show/lhrs/example_subject.h"

#include <algorithm>
#include <set>

namespace lhrs::gui {

namespace {

constexpr std::uint64_t kSome = 5; // inserts per press; an overflow follows after two or three presses

// "Key 6: 6 mod 2 = 0 is below n, so 6 mod 4 = 2 counts: bucket 2"
QString addressWords(std::uint64_t key, FileImage file)
{
    const std::uint64_t span = std::uint64_t(1) << file.i, low = key % span;
    const QString words = QStringLiteral("Key %1: %1 mod %2 = %3").arg(key).arg(span).arg(low);
    if (low >= file.n)
        return QStringLiteral("%1 is not below n, so it counts: bucket %2").arg(words).arg(low);
    return QStringLiteral("%1 is below n, so %2 mod %3 = %4 counts: bucket %4")
        .arg(words)
        .arg(key)
        .arg(2 * span)
        .arg(key % (2 * span));
}

// ---- 1

class RecordStop : public TourStop {
public:
    RecordStop() : TourStop(2) { }
    QString title() const override { return QStringLiteral("A record gets a rank"); }

    TourNeed need(const ClusterState& state, const TourSight& sight) const override
    {
        if (const TourNeed basic = needOfFile(state, sight); !basic.isMet())
            return basic;
        return { .deed = wantCount(sight, 1) };
    }
    void take(const RunEvent& event, const ClusterState& /*state*/) override
    {
        if (!event.event->has_record_inserted() || isDone())
            return;
        const pb::RecordInserted& told = event.event->record_inserted();
        m_held[0] = true;
        m_key = told.key();
        m_rank = told.rank();
        m_bucket = event.event->place().number();
    }
    void look(const ClusterState& shown, const TourSight& sight, bool /*isHere*/) override
    {
        // Shown in the table of the bucket, or in its record group if the person has clicked the record itself.
        const bool isInGroup = sight.group && sight.group->number == m_bucket / shown.m()
            && sight.group->rank == m_rank;
        if (isDone() || !m_held[0] || sight.isPast || (sight.table != m_bucket && !isInGroup))
            return;
        m_held[1] = true;
        m_seen = QStringLiteral("The record with key %1 lies in bucket %2 at rank %3. The key says which bucket, and "
                                "the bucket gives the rank. "
                                "Records of the same rank in the %4 buckets of a group are protected together: stop "
                                "5 shows how.")
                     .arg(m_key)
                     .arg(m_bucket)
                     .arg(m_rank)
                     .arg(shown.m());
    }
    QString task(const ClusterState& /*state*/) const override
    {
        return QStringLiteral("The file is a row of buckets, each in a process of its own; at first there is only "
                              "bucket 0. "
                              "A client stores a record under a key. Its rank is its place in the bucket.");
    }
    QStringList goals(const ClusterState& /*state*/, const ActionWords& words) const override
    {
        const QString bucket = QString::number(m_held[0] ? m_bucket : 0);
        return { QStringLiteral("Let the client insert one record: %1, a button above the "
                                "picture.")
                     .arg(words("insert")),
            QStringLiteral("See its rank: double click the head of bucket %1; or find it by %2: write %1, press "
                           "Enter, and Enter again.")
                .arg(bucket, words("find")) };
    }
    QString hint(const ActionWords& words) const override
    {
        return QStringLiteral("A key works when the picture has the focus: click into it, or press %1. The table of "
                              "the bucket opens "
                              "beside the picture; each row is a record with its rank and key. %2 closes it. A word "
                              "is new to you? "
                              "%3 explains what the mouse points at.")
            .arg(words("nextView"), words("lecture"), words("whatIsThis"));
    }

private:
    std::uint64_t m_key = 0;
    std::uint32_t m_rank = 0, m_bucket = 0;
};

// ---- 2

class OverflowStop : public TourStop {
public:
    OverflowStop() : TourStop(2) { }
    QString title() const override { return QStringLiteral("A bucket overflows, and the file splits one"); }

    TourNeed need(const ClusterState& state, const TourSight& sight) const override
    {
        if (const TourNeed basic = needOfFile(state, sight); !basic.isMet())
            return basic;
        return { .deed = wantCount(sight, kSome) };
    }
    void take(const RunEvent& event, const ClusterState& state) override
    {
        if (isDone())
            return;
        if (event.event->has_bucket_overflowed() && !m_held[0]) {
            m_held[0] = true;
            m_full = event.event->place().number();
            m_count = event.event->bucket_overflowed().count();
        }
        if (!event.event->has_split_finished() || !m_held[0])
            return;
        const pb::SplitFinished& told = event.event->split_finished();
        m_held[1] = true;
        const std::uint32_t level = told.level();
        m_seen = QStringLiteral("Bucket %1 had %2 records, more than b = %3: it overflowed and told the coordinator. "
                                "Bucket %4 split: %5 "
                                "moved to the new bucket %6, those whose keys end with the %7. The file now has %8 "
                                "buckets.")
                     .arg(m_full)
                     .arg(m_count)
                     .arg(state.file.config.b())
                     .arg(told.bucket())
                     .arg(countedWords(told.moved(), "record", "records"))
                     .arg(told.new_bucket())
                     .arg(level <= 1
                             ? QStringLiteral("bit 1")
                             : QStringLiteral("bits %1").arg(told.new_bucket(), int(level), 2, QLatin1Char('0')))
                     .arg(told.new_bucket() + 1);
    }
    QString task(const ClusterState& state) const override
    {
        return QStringLiteral("A bucket may hold b = %1 records. With more it overflows, and the file grows by one "
                              "bucket: it splits.")
            .arg(state.file.config.b());
    }
    QStringList goals(const ClusterState& state, const ActionWords& words) const override
    {
        return { QStringLiteral("Insert until a bucket has more than %1 records: %2, several "
                                "times.")
                     .arg(state.file.config.b())
                     .arg(words("insert")),
            QStringLiteral("Watch the split: records travel to a new bucket. The caption below tells it, one sentence "
                           "after the other.") };
    }
    QString hint(const ActionWords& words) const override
    {
        return QStringLiteral("The number beside the client’s name, above the picture, says how many records one press "
                              "inserts. Is the motion too fast? %1.")
            .arg(words("slower"));
    }

private:
    std::uint32_t m_full = 0, m_count = 0;
};

// ---- 3

class PointerStop : public TourStop {
public:
    PointerStop() : TourStop(3) { }
    QString title() const override { return QStringLiteral("Why bucket n splits, and not the bucket that is full"); }

    TourNeed need(const ClusterState& state, const TourSight& sight) const override
    {
        if (const TourNeed basic = needOfFile(state, sight, 2); !basic.isMet())
            return basic;
        const std::optional<std::uint32_t> target = targetOf(state);
        if (!target) // all others are too full; each split relieves them
            return { .deed = TourDeed { TourDeed::Kind::Split } };
        const DataBucketState& bucket = state.data.at(*target);
        if (bucket.ranks.count() + 1 < state.file.config.b())
            return { .deed = TourDeed {
                         TourDeed::Kind::InsertKey, firstClient(state), freeKeyOf(state, bucket), *target } };
        return {};
    }
    void take(const RunEvent& event, const ClusterState& state) override
    {
        if (isDone())
            return;
        if (event.event->has_bucket_overflowed())
            m_full.emplace_back(event.event->place().number(), event.event->bucket_overflowed().count());
        if (event.event->has_split_ordered() && !m_full.empty()) {
            const pb::SplitOrdered& order = event.event->split_ordered();
            const auto [full, count] = m_full.front();
            m_full.erase(m_full.begin());
            if (full == order.bucket() || m_held[1])
                return;
            m_held[0] = m_held[1] = true;
            m_split = order.split();
            m_which = { full, count };
        }
        if (!event.event->has_split_finished() || !m_held[1] || event.event->split_finished().split() != m_split)
            return;
        const pb::SplitFinished& told = event.event->split_finished();
        m_held[2] = true;
        m_seen = QStringLiteral("Bucket %1 overflowed with %2 records. The split pointer n stood at %3, so bucket %3 "
                                "split: %4 moved to "
                                "bucket %5. Bucket %1 waits until n comes to it. As buckets split in the order of "
                                "their numbers, two "
                                "numbers, now i = %6 and n = %7, say where each key lies: no table of buckets is "
                                "needed.")
                     .arg(m_which.first)
                     .arg(m_which.second)
                     .arg(told.bucket())
                     .arg(countedWords(told.moved(), "record", "records"))
                     .arg(told.new_bucket())
                     .arg(state.file.i)
                     .arg(state.file.n);
        if (const QString example = exampleOf(state, told.new_bucket()); !example.isEmpty())
            m_seen += QStringLiteral(" %1.").arg(example);
    }
    void look(const ClusterState& shown, const TourSight& sight, bool isHere) override
    {
        if (!isHere || isDone() || m_held[1])
            return;
        m_target = targetOf(shown);
        if (!sight.isPast)
            m_held[0] = sight.selected.kind == ObjectKind::Data && sight.selected.a != shown.file.n;
    }
    QString task(const ClusterState& state) const override
    {
        return QStringLiteral("The bucket that splits next is always bucket n; now n = %1. n moves on by one with "
                              "each split, "
                              "and begins again at 0. What happens when another bucket is full? Try it with bucket %2.")
            .arg(state.file.n)
            .arg(targetWords());
    }
    QStringList goals(const ClusterState& state, const ActionWords& words) const override
    {
        return { QStringLiteral("Select bucket %1: click it, or find it by %2 and write %1.")
                     .arg(targetWords(), words("find")),
            QStringLiteral("Press %1 until it has more than %2 "
                           "records.")
                .arg(words("insertHere"))
                .arg(state.file.config.b()),
            QStringLiteral("Watch which bucket splits.") };
    }
    QString hint(const ActionWords& words) const override
    {
        return QStringLiteral("%1 is also in the menu of the bucket: right click it, or %2. The card of the file says "
                              "where n stands, and bucket n has a mark.")
            .arg(words("insertHere"), words("contextMenu"));
    }

private:
    // The fullest bucket that is not the next to split and has not overflowed.
    static std::optional<std::uint32_t> targetOf(const ClusterState& state)
    {
        std::optional<std::uint32_t> best;
        for (const auto& [number, bucket] : state.data) {
            if (number == state.file.n || bucket.isOverflowed || bucket.ranks.count() > state.file.config.b())
                continue;
            if (!best || bucket.ranks.count() > state.data.at(*best).ranks.count())
                best = number;
        }
        return best;
    }
    // How i and n determine the bucket of one of its records; empty if it has none.
    static QString exampleOf(const ClusterState& state, std::uint32_t bucket)
    {
        const auto known = state.data.find(bucket);
        if (known == state.data.end() || known->second.ranks.count() == 0)
            return {};
        const RankMap& ranks = known->second.ranks;
        const std::uint64_t key = ranks.inPage(ranks.pages().front()).back().second;
        const FileImage file { Level(state.file.i), state.file.n };
        return addressOf(Key(key), file).value == bucket ? addressWords(key, file) : QString();
    }
    QString targetWords() const { return QString::number(m_held[1] ? m_which.first : m_target.value_or(1)); }

    // Overflowed buckets with their counts, whose splits are owed.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_full;
    std::pair<std::uint32_t, std::uint32_t> m_which { 0, 0 };
    std::optional<std::uint32_t> m_target;
    std::uint64_t m_split = 0;
};

// ---- 4

class ImageStop : public TourStop {
public:
    ImageStop() : TourStop(3) { }
    QString title() const override { return QStringLiteral("A client whose image of the file is old"); }

    TourNeed need(const ClusterState& state, const TourSight& sight) const override
    {
        if (const TourNeed basic = needOfFile(state, sight, 3); !basic.isMet())
            return basic;
        const ProcessId second = secondClient(state);
        if (second == 0)
            return { .deed = TourDeed { TourDeed::Kind::Client } };
        if (!bucketUnknownTo(state, second))
            return bucketsBelieved(state.fileClient(second).image) <= 1
                ? TourNeed { .deed = TourDeed { TourDeed::Kind::Insert, firstClient(state), kSome } }
                : TourNeed { .deed = TourDeed { TourDeed::Kind::Forget, second } };
        return {};
    }
    void take(const RunEvent& event, const ClusterState& state) override
    {
        if (isDone())
            return;
        // Inserts of the client that grows the file are forwarded too, but the person does not look at these.
        if (event.event->has_operation_forwarded() && event.event->operation_forwarded().kind() == pb::SEARCH)
            m_held[0] = m_held[1] = true;
        if (!event.event->has_operation_done())
            return;
        const pb::OperationDone& done = event.event->operation_done();
        if (done.kind() != pb::SEARCH || done.forwards() == 0 || !done.image_adjusted())
            return;
        const OperationState* operation = state.fileClient(event.process).operation(event.event->operation().number());
        if (operation == nullptr)
            return;
        m_held[0] = m_held[1] = m_held[2] = true;
        QStringList way;
        for (const std::uint32_t bucket : operation->path)
            if (bucket != done.bucket())
                way << QString::number(bucket);
        const auto belief = [](std::uint32_t count) { return countedWords(count, "bucket", "buckets"); };
        m_seen = QStringLiteral(
            "%1 knew of %2 and sent the search for key %3 to bucket %4. The key belongs to bucket %5: the request was "
            "forwarded by bucket %6. The answer adjusted the image: %1 knows of %7 now, the file has %8. Clients are "
            "not told of splits; an error costs two forwards at most.")
                     .arg(QString::fromStdString(processShown(event.process, state)),
                         belief(bucketsBelieved(operation->imageBefore)))
                     .arg(done.key())
                     .arg(operation->computedBucket)
                     .arg(done.bucket())
                     .arg(way.isEmpty() ? QString::number(operation->computedBucket) : example::listed(way),
                         belief(bucketsBelieved(operation->imageAfter)))
                     .arg(state.file.buckets);
    }
    void look(const ClusterState& shown, const TourSight& sight, bool isHere) override
    {
        if (!isHere || isDone() || m_held[1] || sight.isPast)
            return;
        m_held[0] = sight.client == secondClient(shown) && bucketUnknownTo(shown, sight.client);
    }
    QString task(const ClusterState& state) const override
    {
        const ProcessId second = secondClient(state);
        const auto client = state.clients.find(second);
        if (client == state.clients.end())
            return QStringLiteral("A client has an image of the file: the (i, n) that it assumes.");
        const std::uint32_t believed = bucketsBelieved(state.fileClient(second).image);
        return QStringLiteral("A client computes the bucket of a key from its image: the (i, n) that it assumes. %1 "
                              "knows of %2, but the file has %3. What becomes of its request?")
            .arg(QString::fromStdString(processShown(second, state)), countedWords(believed, "bucket", "buckets"))
            .arg(state.file.buckets);
    }
    QStringList goals(const ClusterState& state, const ActionWords& words) const override
    {
        const ProcessId second = secondClient(state);
        const QString name = second == 0 ? QStringLiteral("the second "
                                                          "client")
                                         : QString::fromStdString(processShown(second, state));
        const QString bucket = QString::number(bucketUnknownTo(state, second).value_or(state.file.buckets - 1));
        return { QStringLiteral("Choose %1: click it in the picture, or find it by %2 and write %1.")
                     .arg(name, words("find")),
            QStringLiteral("Select bucket %1 in the same way, and let %2 search for a record in it: %3.")
                .arg(bucket, name, words("searchHere")),
            QStringLiteral("Watch the request on its way, and the answer that adjusts the image.") };
    }
    QString hint(const ActionWords& words) const override
    {
        return QStringLiteral("The first box above the picture shows the chosen client. %1 is also in the menu of the "
                              "bucket: right click it, or %2. A search that was not forwarded? %3, and search again.")
            .arg(words("searchHere"), words("contextMenu"), words("forgetImage"));
    }

private:
    // The newest bucket with records that is not in the client's image, so that its requests for them go elsewhere.
    static std::optional<std::uint32_t> bucketUnknownTo(const ClusterState& state, ProcessId client)
    {
        if (!state.clients.contains(client))
            return std::nullopt;
        const std::uint32_t believed = bucketsBelieved(state.fileClient(client).image);
        for (auto at = state.data.rbegin(); at != state.data.rend() && at->first >= believed; ++at)
            if (at->second.ranks.count() > 0)
                return at->first;
        return std::nullopt;
    }
    static ProcessId secondClient(const ClusterState& state)
    {
        ProcessId last = 0;
        for (const auto& [id, client] : state.clients)
            if (id != firstClient(state) && !hasEnded(state, id)
                && (last == 0 || client.name > state.clients.at(last).name))
                last = id;
        return last;
    }
};

} // namespace

// ---- conditions of several stops

bool hasEnded(const ClusterState& state, ProcessId process)
{
    const auto known = state.processes.find(process);
    return known == state.processes.end() || known->second.hasEnded;
}

ProcessId firstClient(const ClusterState& state)
{
    ProcessId first = 0;
    for (const auto& [id, client] : state.clients)
        if (!hasEnded(state, id) && (first == 0 || client.name < state.clients.at(first).name))
            first = id;
    return first;
}

std::uint32_t bucketsBelieved(const pb::FileState& image) { return (1U << std::min(image.i(), 30U)) + image.n(); }

// A key that belongs to the bucket and is not stored there, as far as events report.
std::uint64_t freeKeyOf(const ClusterState& state, const DataBucketState& bucket)
{
    std::set<std::uint64_t> used;
    for (const auto& [number, known] : state.data)
        for (const std::uint32_t page : known.ranks.pages())
            for (const auto& [rank, key] : known.ranks.inPage(page))
                used.insert(key);
    std::uint64_t key = bucket.number;
    while (key == 0 || used.contains(key))
        key += 1ULL << bucket.level;
    return key;
}

std::optional<TourDeed> wantCount(const TourSight& sight, std::uint64_t count)
{
    return sight.count == count ? std::nullopt : std::optional(TourDeed { TourDeed::Kind::Count, 0, count });
}

TourNeed needOfFile(const ClusterState& state, const TourSight& sight, std::uint32_t buckets)
{
    if (!state.file.exists || state.data.empty())
        return { .isWaiting = true };
    for (const auto& [number, group] : state.groups)
        if (group.state == pb::GROUP_LOST)
            return { .trouble = QStringLiteral("Records of this cluster are lost: more of the buckets of group %1 "
                                               "have failed than its "
                                               "parity can replace.")
                                    .arg(number) };
    if (sight.isClockPaused)
        return { .deed = TourDeed { TourDeed::Kind::RunClock } };
    for (const auto& [number, group] : state.groups)
        if (group.state != pb::GROUP_UP || !group.down.empty())
            return { .isWaiting = true }; // it is being recovered
    const ProcessId client = firstClient(state);
    if (client == 0)
        return { .deed = TourDeed { TourDeed::Kind::Client } };
    if (hasEnded(state, sight.client))
        return { .deed = TourDeed { TourDeed::Kind::Choose, client } };
    if (std::any_of(state.splits.begin(), state.splits.end(), [](const auto& item) { return item.second.isUnderWay(); })
        || state.file.splitsOwed > 0)
        return { .isWaiting = true };
    if (state.data.size() < buckets)
        return { .deed = TourDeed { TourDeed::Kind::Insert, client, kSome } };
    return {};
}

std::vector<std::unique_ptr<TourStop>> tourStops()
{
    std::vector<std::unique_ptr<TourStop>> stops;
    stops.push_back(std::make_unique<RecordStop>());
    stops.push_back(std::make_unique<OverflowStop>());
    stops.push_back(std::make_unique<PointerStop>());
    stops.push_back(std::make_unique<ImageStop>());
    addFailureStops(stops);
    return stops;
}

} // namespace lhrs::gui
