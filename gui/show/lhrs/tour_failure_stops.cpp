// SPDX-License-Identifier: GPL-3.0-or-later
// The stops of the tour about failures: the parity of a record, the recovery of a bucket, one failure too many, and
// the time line.
#include "gui/show/lhrs/tour_stops.h"

#include "gui/lab/words/process/process_words.h"
#include "gui/show/lhrs/example_subject.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kGroup = 0; // the group that the tour uses
constexpr std::size_t kKeysNamed = 12; // of lost records

bool isRunning(const ClusterState& state, ProcessId process) { return process != 0 && !hasEnded(state, process); }

// The data buckets of the group with running processes, and their records.
std::vector<const DataBucketState*> aliveIn(const ClusterState& state, std::uint32_t group)
{
    std::vector<const DataBucketState*> alive;
    for (const auto& [number, bucket] : state.data)
        if (number / state.m() == group && isRunning(state, bucket.process))
            alive.push_back(&bucket);
    return alive;
}

// Requires a group with k parity buckets whose members all run, with records in k + 1 of its data buckets.
TourNeed needOfGroup(const ClusterState& state, const TourSight& sight)
{
    if (const TourNeed basic = needOfFile(state, sight, kTourK + 1); !basic.isMet())
        return basic;
    const auto alive = aliveIn(state, kGroup);
    const auto full = std::count_if(
        alive.begin(), alive.end(), [](const DataBucketState* bucket) { return bucket->ranks.count() > 0; });
    if (full < std::ptrdiff_t(kTourK) + 1)
        return { .deed = TourDeed { TourDeed::Kind::Insert, firstClient(state), 5 } };
    return {};
}

QStringList keysOf(const DataBucketState& bucket)
{
    QStringList keys;
    for (const std::uint32_t page : bucket.ranks.pages())
        for (const auto& [rank, key] : bucket.ranks.inPage(page))
            keys << QString::number(key);
    return keys;
}

QString secondsWords(std::int64_t ns) { return QStringLiteral("%1 s").arg(double(ns) / 1e9, 0, 'f', 1); }

// ---- 5

class ParityStop : public TourStop {
public:
    ParityStop() : TourStop(2) { }
    QString title() const override { return QStringLiteral("The parity of one record, by hand"); }

    TourNeed need(const ClusterState& state, const TourSight& sight) const override
    {
        if (const TourNeed basic = needOfGroup(state, sight); !basic.isMet())
            return basic;
        if (!rankOf(state))
            return { .deed = TourDeed { TourDeed::Kind::Insert, firstClient(state), 5 } };
        return {};
    }
    void look(const ClusterState& shown, const TourSight& sight, bool isHere) override
    {
        if (isDone() || sight.isPast)
            return;
        if (isHere)
            m_held[0] = sight.group || sight.selected.kind == ObjectKind::Data;
        if (!sight.group || sight.group->parts.empty())
            return;
        QStringList members, symbols;
        std::uint32_t sum = 0;
        const auto hex = [&](std::uint32_t symbol) {
            return QStringLiteral("%1").arg(symbol, sight.group->digits, 16, QLatin1Char('0'));
        };
        for (const TourSight::Part& part : sight.group->parts) {
            if (!part.isThere)
                continue;
            members << QStringLiteral("bucket %1 (key %2) has %3").arg(part.bucket).arg(part.key).arg(hex(part.symbol));
            symbols << hex(part.symbol);
            sum ^= part.symbol;
        }
        if (members.size() < 2 || sum != sight.group->parity)
            return; // members were read before and after a change
        m_held[0] = m_held[1] = true;
        m_seen = QStringLiteral(
            "Rank %1 of group %2, symbol %3: %4. %5 = %6, and that is the symbol in parity bucket %2.0. XOR the parity "
            "with all symbols but one, and that one comes out: this is how a lost record is computed. Buckets without "
            "a record of this rank (%7 of %8) count as zeros.")
                     .arg(sight.group->rank)
                     .arg(sight.group->number)
                     .arg(sight.group->index)
                     .arg(example::listed(members), symbols.join(QStringLiteral(" XOR ")), hex(sum))
                     .arg(shown.m() - std::uint32_t(members.size()))
                     .arg(shown.m());
    }
    QString task(const ClusterState& state) const override
    {
        const auto at = rankOf(state);
        return QStringLiteral("Records of the same rank in the %1 buckets of a group are a record group. The parity "
                              "bucket keeps one parity "
                              "record for it: in the first parity column the XOR of all of them, symbol by symbol. %2")
            .arg(state.m())
            .arg(at ? QStringLiteral("Rank %1 has records in bucket %2 and "
                                     "others.")
                          .arg(at->second)
                          .arg(at->first)
                    : QString());
    }
    QStringList goals(const ClusterState& state, const ActionWords& words) const override
    {
        const std::uint32_t bucket = rankOf(state).value_or(std::pair(0U, 1U)).first;
        return { QStringLiteral("Select a bucket of group %3, such as bucket %1: click it, or find it by %2 and write "
                                "%1.")
                     .arg(bucket)
                     .arg(words("find"))
                     .arg(kGroup),
            QStringLiteral("%1, and read the symbols of its members: they are read from the "
                           "processes.")
                .arg(words("recordGroup")) };
    }
    QString hint(const ActionWords& words) const override
    {
        return QStringLiteral(
            "The group must have at least two records: %1 shows the next rank. A symbol is 16 bits, written as four "
            "hexadecimal digits; in the record its low byte comes first. %2 shows the next symbol.")
            .arg(words("groupRankNext"), words("groupSymbolNext"));
    }

private:
    // A bucket and a rank at which another bucket of the group also has a record.
    static std::optional<std::pair<std::uint32_t, std::uint32_t>> rankOf(const ClusterState& state)
    {
        const auto alive = aliveIn(state, kGroup);
        for (const DataBucketState* bucket : alive)
            for (const DataBucketState* other : alive) {
                const std::vector<std::uint32_t> pages = bucket->ranks.pages();
                if (other == bucket || pages.empty())
                    continue;
                // The record that opens if the person has not chosen one.
                const std::uint32_t first = bucket->ranks.inPage(pages.front()).front().first;
                if (other->ranks.has(first))
                    return std::pair(bucket->number, first);
            }
        return std::nullopt;
    }
};

// ---- 6

class RecoveryStop : public TourStop {
public:
    RecoveryStop() : TourStop(2) { }
    QString title() const override { return QStringLiteral("One bucket dies, and comes back"); }

    TourNeed need(const ClusterState& state, const TourSight& sight) const override
    {
        if (const TourNeed basic = needOfGroup(state, sight); !basic.isMet())
            return basic;
        const bool hasSpare = std::any_of(state.processes.begin(), state.processes.end(),
            [](const auto& item) { return item.second.pool == pb::DATA && !item.second.hasEnded; });
        if (!hasSpare)
            return { .deed = TourDeed { TourDeed::Kind::Spares } };
        return {};
    }
    void take(const RunEvent& event, const ClusterState& state) override
    {
        if (isDone())
            return;
        if (event.event->has_bucket_failed() && event.event->bucket_failed().role() == pb::DATA) {
            m_held[0] = true;
            m_former[event.event->bucket_failed().index()] = event.event->bucket_failed().process();
        }
        if (!event.event->has_recovery_finished())
            return;
        const pb::RecoveryFinished& told = event.event->recovery_finished();
        QStringList places;
        for (const std::uint32_t bucket : told.buckets()) {
            const auto former = m_former.find(bucket);
            const auto now = state.data.find(bucket);
            if (former == m_former.end() || now == state.data.end())
                return;
            places << QStringLiteral("bucket %1 was in process %2 and is in %3 now")
                          .arg(bucket)
                          .arg(QString::fromStdString(processShown(former->second, state)),
                              QString::fromStdString(processShown(now->second.process, state)));
        }
        m_held[0] = m_held[1] = true;
        QStringList sources;
        for (const pb::Place& place : told.survivors())
            sources << (place.role() == pb::PARITY ? QStringLiteral("parity bucket "
                                                                    "%1.%2")
                                                         .arg(place.number())
                                                         .arg(place.column())
                                                   : QStringLiteral("bucket %1").arg(place.number()));
        m_seen = QStringLiteral(
            "No person had to notice it: the members of a group miss a silent one. Parity bucket %1.%2 computed %3 "
            "%4%5, in %6 from the first suspicion. %7, with the same ranks: a spare took its place.")
                     .arg(told.group())
                     .arg(told.manager())
                     .arg(countedWords(told.records(), "record", "records"),
                         told.is_xor() ? QStringLiteral("by XOR") : QStringLiteral("anew"),
                         sources.isEmpty() ? QString() : QStringLiteral(" from ") + example::listed(sources),
                         secondsWords(told.total_ns()), capital(example::listed(places)));
    }
    void look(const ClusterState& shown, const TourSight& /*sight*/, bool isHere) override
    {
        if (!isHere || isDone() || m_held[0])
            return;
        m_held[0] = std::any_of(shown.data.begin(), shown.data.end(), [&](const auto& item) {
            return item.second.process != 0 && !item.second.isOnlyDeclared && hasEnded(shown, item.second.process);
        });
    }
    QString task(const ClusterState& state) const override
    {
        return QStringLiteral("Group 0 has k = %1 parity bucket. It survives the loss of %1 of its buckets, "
                              "whichever it is.")
            .arg(state.groups.contains(kGroup) ? state.groups.at(kGroup).k : kTourK);
    }
    QStringList goals(const ClusterState& state, const ActionWords& words) const override
    {
        const auto alive = aliveIn(state, kGroup);
        const std::uint32_t bucket = alive.size() > 1 ? alive[1]->number : 1;
        return { QStringLiteral("Select bucket %1: click it, or find it by %2 and write %1. Then %3: it ends as in a "
                                "crash.")
                     .arg(bucket)
                     .arg(words("find"), words("kill")),
            QStringLiteral("Watch: which process misses it, which computes its records, and where they go.") };
    }
    QString hint(const ActionWords& words) const override
    {
        return QStringLiteral(
            "%1 is also in the menu of the bucket: right click it, or %2. Choose a data bucket, one of the cards with "
            "records; a dead parity bucket is made anew, too, but that is not a recovery of records.")
            .arg(words("kill"), words("contextMenu"));
    }

private:
    static QString capital(QString text)
    {
        if (!text.isEmpty())
            text[0] = text[0].toUpper();
        return text;
    }

    std::map<std::uint32_t, ProcessId> m_former; // former processes of failed buckets
};

// ---- 7

class LossStop : public TourStop {
public:
    LossStop() : TourStop(5) { }
    QString title() const override { return QStringLiteral("One failure too many: records are lost"); }

    TourNeed need(const ClusterState& state, const TourSight& sight) const override
    {
        if (const TourNeed group = needOfGroup(state, isStanding(sight)); !group.isMet())
            return m_held[2] && !group.trouble.isEmpty() ? TourNeed() // the loss that this stop is about, not yet shown
                : sight.isClockPaused && !group.trouble.isEmpty() ? group
                : sight.isClockPaused ? TourNeed { .deed = TourDeed { TourDeed::Kind::RunClock } }
                                      : group;
        if (!sight.isClockPaused)
            return { .deed = TourDeed { TourDeed::Kind::PauseClock } };
        return {};
    }
    void take(const RunEvent& event, const ClusterState& state) override
    {
        if (isDone() || !event.event->has_group_lost())
            return;
        const pb::GroupLost& told = event.event->group_lost();
        std::fill(m_held.begin(), m_held.end(), true);
        QStringList keys;
        for (const std::uint32_t bucket : told.buckets())
            if (const auto known = state.data.find(bucket); known != state.data.end())
                keys << keysOf(known->second);
        const std::vector<std::uint32_t> lost(told.buckets().begin(), told.buckets().end());
        const qsizetype more = keys.size() - std::min(keys.size(), qsizetype(kKeysNamed));
        const QString names = more > 0 ? QStringLiteral("%1 and %2 more")
                                             .arg(keys.mid(0, qsizetype(kKeysNamed)).join(QStringLiteral(", ")))
                                             .arg(more)
                                       : example::listed(keys);
        m_seen = QStringLiteral("%1 of group %2 failed together%3, more than k: what is left cannot compute them. %4 "
                                "lost: %5. "
                                "A search for one of them is answered “lost”, never “not found”%6.")
                     .arg(capitalOf(example::bucketsWords(lost)))
                     .arg(told.group())
                     .arg(told.parity_lost() > 0 ? QStringLiteral(" with its parity") : QString(),
                         keys.size() == 1 ? QStringLiteral("1 record is")
                                          : QStringLiteral("%1 records "
                                                           "are")
                                                .arg(keys.size()),
                         keys.size() == 1 ? QStringLiteral("that with key %1").arg(names)
                                          : QStringLiteral("those "
                                                           "with keys %1")
                                                .arg(names),
                         state.data.size() > lost.size() ? QStringLiteral("; the other buckets go on") : QString());
    }
    void look(const ClusterState& shown, const TourSight& sight, bool isHere) override
    {
        if (!isHere || isDone() || sight.isPast)
            return;
        const std::size_t dead = deadIn(shown).size();
        m_held = { sight.isClockPaused || dead > kTourK, dead > 0, dead > kTourK, dead > kTourK && !sight.isClockPaused,
            false };
    }
    QString task(const ClusterState& state) const override
    {
        return QStringLiteral(
            "With k = %1 a group survives one failure at a time; if the second comes before the first is repaired, "
            "records are lost. While virtual time stands still, nothing is repaired.")
            .arg(state.groups.contains(kGroup) ? state.groups.at(kGroup).k : kTourK);
    }
    QStringList goals(const ClusterState& state, const ActionWords& words) const override
    {
        const auto alive = aliveIn(state, kGroup);
        const std::vector<std::uint32_t> dead = deadIn(state);
        const auto other = std::find_if(
            alive.begin(), alive.end(), [](const DataBucketState* b) { return b->ranks.count() > 0; });
        const QString first = QString::number(!dead.empty() ? dead[0] : other == alive.end() ? 0 : (*other)->number);
        const auto next = std::find_if(alive.begin(), alive.end(),
            [&](const DataBucketState* b) { return b->ranks.count() > 0 && QString::number(b->number) != first; });
        const QString second = QString::number(dead.size() > 1 ? dead[1] : next == alive.end() ? 1 : (*next)->number);
        return { QStringLiteral("Virtual time stands still: %1.").arg(words("virtualPause")),
            QStringLiteral("Select bucket %1, and %2.").arg(first, words("kill")),
            QStringLiteral("Select bucket %1 of the same group, and kill it, too. The window asks first: kill it all "
                           "the same.")
                .arg(second),
            QStringLiteral("Let time go on: %1, a button above the picture.").arg(words("virtualRun")),
            QStringLiteral("Watch for some seconds: the others suspect the two, the coordinator asks all members, and "
                           "then it gives the records up.") };
    }
    QString hint(const ActionWords& words) const override
    {
        return QStringLiteral("Select by a click, or by %1. In the question, Tab goes to the other button and Space "
                              "presses it. Has one "
                              "bucket come back already? Stop time first, then kill two.")
            .arg(words("find"));
    }

private:
    static QString capitalOf(QString text)
    {
        text[0] = text[0].toUpper();
        return text;
    }
    static std::vector<std::uint32_t> deadIn(const ClusterState& state)
    {
        std::map<std::uint32_t, std::vector<std::uint32_t>> byGroup;
        for (const auto& [number, bucket] : state.data)
            if (bucket.process != 0 && hasEnded(state, bucket.process))
                byGroup[number / state.m()].push_back(number);
        std::vector<std::uint32_t> most;
        for (const auto& [group, dead] : byGroup)
            if (dead.size() > most.size())
                most = dead;
        return most;
    }
    // The need is otherwise the same while time stands still.
    static TourSight isStanding(TourSight sight)
    {
        sight.isClockPaused = false;
        return sight;
    }
};

// ---- 8

class PastStop : public TourStop {
public:
    PastStop() : TourStop(2) { }
    QString title() const override { return QStringLiteral("Back in time, and to now"); }

    TourNeed need(const ClusterState& state, const TourSight& sight) const override
    {
        if (m_loss)
            return {};
        const bool isLost = std::any_of(state.groups.begin(), state.groups.end(),
            [](const auto& item) { return item.second.state == pb::GROUP_LOST; });
        std::vector<const DataBucketState*> dead;
        for (const auto& [number, bucket] : state.data)
            if (number / state.m() == kGroup && bucket.process != 0 && hasEnded(state, bucket.process))
                dead.push_back(&bucket);
        if (isLost || dead.size() > kTourK) // the loss will soon be declared
            return sight.isClockPaused ? TourNeed { .deed = TourDeed { TourDeed::Kind::RunClock } }
                                       : TourNeed { .isWaiting = true };
        if (!dead.empty() || sight.isClockPaused) { // kill the second one before time continues
            const auto alive = aliveIn(state, kGroup);
            if (alive.empty())
                return { .isWaiting = true };
            return { .deed = TourDeed { TourDeed::Kind::Kill, alive.front()->process, 0, alive.front()->number } };
        }
        if (const TourNeed group = needOfGroup(state, sight); !group.isMet())
            return group;
        return { .deed = TourDeed { TourDeed::Kind::PauseClock } };
    }
    void take(const RunEvent& event, const ClusterState& state) override
    {
        if (m_loss || !event.event->has_group_lost())
            return;
        const pb::GroupLost& told = event.event->group_lost();
        m_loss = event.runNs;
        m_group = told.group();
        m_lost.assign(told.buckets().begin(), told.buckets().end());
        for (const std::uint32_t bucket : m_lost)
            if (const auto known = state.data.find(bucket); known != state.data.end())
                m_records += known->second.ranks.count();
    }
    void look(const ClusterState& shown, const TourSight& sight, bool /*isHere*/) override
    {
        m_originNs = shown.originNs;
        if (!m_loss || isDone())
            return;
        // A jump is reported one frame before its state is visible; if the state was whole in two frames, it was so
        // in the first.
        const std::optional<std::int64_t> before = std::exchange(
            m_wasWholeNs, sight.isPast && isWhole(shown) ? std::optional(sight.shownNs) : std::nullopt);
        if (m_wasWholeNs && before) {
            m_held[0] = true;
            m_seenNs = *before;
            m_whole.clear();
            for (const std::uint32_t bucket : m_lost)
                m_whole << QStringLiteral("bucket %1 held %2")
                               .arg(bucket)
                               .arg(countedWords(shown.data.at(bucket).ranks.count(), "record", "records"));
        }
        if (!m_held[0] || sight.isPast)
            return;
        m_held[1] = true;
        m_seen = QStringLiteral(
            "You saw the run as it was at %1, %2 before the loss: group %3 was whole, %4. Each run is recorded from "
            "its first event. Looking back changes nothing: now these records are lost, as before. That was the tour.")
                     .arg(secondsWords(m_seenNs - shown.originNs), secondsWords(*m_loss - m_seenNs))
                     .arg(m_group)
                     .arg(example::listed(m_whole));
    }
    QString task(const ClusterState& /*state*/) const override
    {
        const QString when = m_loss ? secondsWords(*m_loss - m_originNs) : QString();
        return QStringLiteral("At %1 of this run %2 were lost. The time line below the caption has all of the run: the "
                              "picture can go to any instant of it, while the cluster goes on.")
            .arg(when, countedWords(m_records, "record", "records"));
    }
    QStringList goals(const ClusterState& /*state*/, const ActionWords& words) const override
    {
        const std::vector<std::uint32_t> lost = m_lost.empty() ? std::vector<std::uint32_t> { 0, 1 } : m_lost;
        return { QStringLiteral("Go back until %1 are whole: drag on the time line to the left, or press %2 several "
                                "times.")
                     .arg(example::bucketsWords(lost), words("formerMarker")),
            QStringLiteral("Come back to now: %1.").arg(words("follow")) };
    }
    QString hint(const ActionWords& words) const override
    {
        return QStringLiteral("Splits, failures and faults have marks on the time line: a click goes there. In "
                              "smaller steps: %1. To the "
                              "beginning of the run: %2; %3 plays it from there.")
            .arg(words("structureBack"), words("toStart"), words("playPause"));
    }

private:
    bool isWhole(const ClusterState& shown) const
    {
        const auto group = shown.groups.find(m_group);
        return group != shown.groups.end() && group->second.state == pb::GROUP_UP
            && std::all_of(m_lost.begin(), m_lost.end(), [&](std::uint32_t bucket) {
                   const auto known = shown.data.find(bucket);
                   return known != shown.data.end() && isRunning(shown, known->second.process)
                       && known->second.state == pb::UP;
               });
    }

    std::optional<std::int64_t> m_loss; // on the run's clock
    std::int64_t m_originNs = 0; // zero of the displayed times
    std::optional<std::int64_t> m_wasWholeNs; // at the previous frame
    std::int64_t m_seenNs = 0;
    std::uint32_t m_group = 0;
    std::vector<std::uint32_t> m_lost;
    std::uint64_t m_records = 0;
    QStringList m_whole;
};

} // namespace

void addFailureStops(std::vector<std::unique_ptr<TourStop>>& stops)
{
    stops.push_back(std::make_unique<ParityStop>());
    stops.push_back(std::make_unique<RecoveryStop>());
    stops.push_back(std::make_unique<LossStop>());
    stops.push_back(std::make_unique<PastStop>());
}

} // namespace lhrs::gui
