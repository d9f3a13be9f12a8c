// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/lhrs/narrator_words.h"

#include "gui/lab/state/process/sentence_words.h"
#include "gui/lab/tables/qt_text.h"

#include <algorithm>

namespace lhrs::gui::words {

namespace {

std::string poolWord(pb::Role pool) { return pool == pb::PARITY ? "parity" : "data"; }

std::string failures(std::uint32_t count, const char* kind)
{
    return count == 0 ? std::string("no ") + kind + "failure"
                      : num(count) + " " + kind + (count == 1 ? "failure" : "failures");
}

Names asNames(const Numbers& numbers)
{
    Names names;
    for (const std::uint32_t number : numbers)
        names.push_back(num(number));
    return names;
}

Numbers asNumbers(const google::protobuf::RepeatedField<std::uint32_t>& list) { return { list.begin(), list.end() }; }

} // namespace

// ---- names

std::string bucket(std::uint32_t number) { return "bucket " + num(number); }

std::string parityBucket(std::uint32_t group, std::uint32_t column)
{
    return "parity bucket " + num(group) + "." + num(column);
}

std::string buckets(const Numbers& numbers)
{
    return (numbers.size() == 1 ? "bucket " : "buckets ") + listed(asNames(numbers));
}

std::string members(std::uint32_t group, const Numbers& data, const Numbers& columns)
{
    Names columnNames;
    for (const std::uint32_t column : columns)
        columnNames.push_back(num(group) + "." + num(column));
    const std::string parity = (columns.size() == 1 ? "parity bucket " : "parity buckets ") + listed(columnNames);
    return data.empty() ? parity : columns.empty() ? buckets(data) : buckets(data) + " and " + parity;
}

std::string together(const Names& names)
{
    constexpr std::string_view kBucket = "bucket ", kParity = "parity bucket ";
    Names data, parity, others;
    for (const std::string& name : names)
        if (name.starts_with(kBucket))
            data.push_back(name.substr(kBucket.size()));
        else if (name.starts_with(kParity))
            parity.push_back(name.substr(kParity.size()));
        else
            others.push_back(name);
    // "2" before "10"; members may be reported in any order.
    const auto isLess = [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    };
    std::sort(data.begin(), data.end(), isLess);
    std::sort(parity.begin(), parity.end(), isLess);
    Names all;
    if (!data.empty())
        all.push_back((data.size() == 1 ? "bucket " : "buckets ") + listed(data));
    if (!parity.empty())
        all.push_back((parity.size() == 1 ? "parity bucket " : "parity buckets ") + listed(parity));
    all.insert(all.end(), others.begin(), others.end());
    return listed(all);
}

std::string capital(std::string text)
{
    for (const char* word : { "bucket", "parity bucket", "the ", "group " })
        if (text.starts_with(word))
            text[0] = char(text[0] - 'a' + 'A');
    return text;
}

// ---- file and spares

QString fileBegins(std::uint32_t k, std::uint32_t b)
{
    return text("The file begins with bucket 0 and "
        + (k == 0 ? "no parity" : counted(k, "parity bucket", "parity buckets")) + "; a bucket with more than "
        + counted(b, "record", "records") + " is full.");
}

QString firstRecord(std::uint64_t key)
{
    return text("Key " + num(key) + " is the first record: the file has one bucket, so every key belongs in bucket 0.");
}

QString clientsJoin(const std::string& name, std::uint32_t count)
{
    return text(count == 1
            ? capital(name) + " joins with the oldest image: it believes that the file has one bucket."
            : num(count) + " clients join with the oldest image: they believe that the file has one bucket.");
}

QString sparesCome(pb::Role pool, std::uint32_t count)
{
    return text(counted(count, "spare ", "spare ") + poolWord(pool)
        + (count == 1 ? " server comes and waits" : " servers come and wait") + " to be invited.");
}

QString spareMissing(pb::Role pool, const std::string& purpose)
{
    return text("No spare " + poolWord(pool) + " server answers the invitation: " + purpose + " has to wait for one.");
}

QString spareFound(const std::string& process, const std::string& place)
{
    return text(capital(process) + " answers the invitation and becomes " + place + ".");
}

QString sparesAreTaken(pb::Role pool)
{
    return text("As far as is known, no spare " + poolWord(pool) + " server is left for the next "
        + (pool == pb::PARITY ? "parity bucket." : "split or recovery."));
}

QString recruitedBy(pb::Transport transport)
{
    return transport == pb::MULTICAST
        ? text("Spares are invited by multicast again.")
        : text("Multicast does not reach the spares, so the coordinator invites them one by one.");
}

// ---- splits, merges

QString overflow(std::uint32_t number, std::uint32_t count, std::uint32_t b)
{
    return text("Bucket " + num(number) + " is full: it holds " + counted(count, "record", "records")
        + (b > 0 ? ", and its capacity b is " + num(b) : "") + ".");
}

QString splitOrdered(const SplitOrder& order)
{
    const std::string number = num(order.bucket);
    const std::string cause = order.hasCause
        ? "Bucket " + num(order.full) + (order.isStillFull ? " is full" : " was full")
        : "";
    if (order.isRetry)
        return text("The split of bucket " + number
            + " is tried again: it is still owed, and the split pointer n still stands at " + number + ".");
    if (order.isBeside)
        return text((cause.empty() ? "" : cause + ". ") + "Bucket " + number
            + " comes next after the split pointer, so it splits beside the split that is under way.");
    if (cause.empty())
        return text("The split pointer n stands at " + number + ", so bucket " + number + " splits into " + number
            + " and " + num(order.newBucket) + ".");
    if (order.full == order.bucket)
        return text(cause + ", and the split pointer n stands at it: bucket " + number + " splits.");
    return text(cause + ". The split pointer n stands at " + number + ", so bucket " + number + " splits.");
}

QString splitDecided(std::uint32_t number, std::uint32_t i, std::uint32_t n)
{
    if (n == 0)
        return text("The split of bucket " + num(number) + " is decided and ends a round: the level i is " + num(i)
            + " now, and n goes back to 0.");
    return text("Both buckets and their parity have staged the split of bucket " + num(number)
        + ": it is decided, and n moves to " + num(n) + ".");
}

QString splitFinished(std::uint32_t number, std::uint32_t newBucket, std::uint32_t moved, std::int64_t ns)
{
    if (moved == 0)
        return text(
            "Bucket " + num(number) + " is split, but none of its records belongs in bucket " + num(newBucket) + ".");
    return text("Bucket " + num(number) + " is split: " + counted(moved, "record", "records") + " moved to bucket "
        + num(newBucket) + (ns > 0 ? " in " + duration(ns) : "") + ".");
}

QString splitSettled(std::uint32_t number, std::uint32_t newBucket, std::uint32_t holds)
{
    return text("Bucket " + num(number) + " is split: bucket " + num(newBucket) + " holds "
        + counted(holds, "record", "records") + ".");
}

QString splitUndone(std::uint32_t number, std::uint32_t newBucket, const std::string& reason)
{
    return text("The split of bucket " + num(number) + " into " + num(newBucket) + " is undone and stays owed"
        + because(reason));
}

QString furtherSplits(std::uint32_t count, std::uint32_t buckets, std::uint32_t n)
{
    return text(counted(count, "further split follows", "further splits follow") + " closely: the file has "
        + counted(buckets, "data bucket", "data buckets") + ", and the split pointer n stands at " + num(n) + ".");
}

QString mergeOrdered(std::uint32_t number, std::uint32_t into, const Numbers& underfull)
{
    const std::string cause = underfull.empty()
        ? ""
        : capital(buckets(underfull)) + (underfull.size() == 1 ? " holds" : " hold") + " few records. ";
    return text(cause + "The last bucket, " + num(number) + ", gives its records back to bucket " + num(into)
        + ", from which it was split.");
}

QString mergeDecided(std::uint32_t number, std::uint32_t into, std::uint32_t i, std::uint32_t n)
{
    return text("The merge of bucket " + num(number) + " into " + num(into)
        + " is decided: the file goes back to level i = " + num(i) + " and n = " + num(n) + ".");
}

QString mergeFinished(std::uint32_t number, std::uint32_t into, std::uint32_t moved, std::int64_t ns)
{
    return text("Bucket " + num(number) + " is merged into bucket " + num(into) + ": "
        + counted(moved, "record", "records") + " moved" + (ns > 0 ? " in " + duration(ns) : "")
        + ", and its server is a spare again.");
}

QString mergeUndone(std::uint32_t number, std::uint32_t into, const std::string& reason)
{
    return text("The merge of bucket " + num(number) + " into " + num(into) + " is undone" + because(reason));
}

QString furtherMerges(std::uint32_t count, std::uint32_t buckets)
{
    return text(counted(count, "further merge follows", "further merges follow") + " closely: the file has "
        + counted(buckets, "data bucket", "data buckets") + ".");
}

// ---- availability

QString groupBegins(std::uint32_t group, std::uint32_t m, std::uint32_t k)
{
    const std::string parity = k == 0 ? "no parity" : counted(k, "parity bucket", "parity buckets") + " of its own";
    if (m == 0)
        return text("Group " + num(group) + " begins, with " + parity + ".");
    return text("Bucket " + num(group * m) + " is the first bucket of group " + num(group) + ", and a new group has "
        + parity + ".");
}

QString availabilityRises(std::uint32_t availability, const std::string& reason)
{
    return text("The intended availability rises to " + num(availability) + (reason.empty() ? "" : " (" + reason + ")")
        + ": each group is to survive " + failures(availability, "") + ".");
}

QString parityOrdered(std::uint32_t group, std::uint32_t column, std::uint32_t k, std::uint32_t availability)
{
    if (k >= availability)
        return text("Group " + num(group) + " gets a further parity bucket: a spare is to become "
            + parityBucket(group, column) + ".");
    return text("Group " + num(group) + " has "
        + (k == 0 ? "no parity bucket" : counted(k, "parity bucket", "parity buckets"))
        + ", and the intended availability is " + num(availability) + ": a spare is to become "
        + parityBucket(group, column) + ".");
}

QString parityReplaced(std::uint32_t group, std::uint32_t column)
{
    return text(capital(parityBucket(group, column))
        + " is lost: a spare is to take its place and to encode the data buckets of group " + num(group) + " anew.");
}

QString parityAdded(std::uint32_t group, std::uint32_t column, std::uint32_t k)
{
    return text(capital(parityBucket(group, column)) + " encodes all records of its group: group " + num(group)
        + " has " + counted(k, "parity bucket", "parity buckets") + " now.");
}

QString parityIsBack(std::uint32_t group, std::uint32_t column, std::uint32_t records, std::int64_t ns)
{
    return text(capital(parityBucket(group, column)) + " is back on a spare with "
        + counted(records, "parity record", "parity records") + (ns > 0 ? ", encoded anew in " + duration(ns) : "")
        + ".");
}

QString parityUndone(std::uint32_t group, std::uint32_t column, const std::string& reason)
{
    return text("The creation of " + parityBucket(group, column) + " is given up" + because(reason));
}

// ---- clients

QString forwarded(const Way& way)
{
    std::string words = "Key " + num(way.key) + ": " + way.client + "'s image said bucket " + num(way.believed) + ", ";
    if (way.path.size() < 2)
        words += "but it belongs in bucket " + num(way.answered);
    for (std::size_t i = 0; i + 1 < way.path.size(); ++i)
        words += (i == 0 ? "bucket " : ", and ") + num(way.path[i]) + (i == 0 ? " forwarded to " : " to ")
            + num(way.path[i + 1]);
    if (way.splitsBehind > 0)
        words += std::string(": that image was ") + (way.isAtLeast ? "at least " : "")
            + counted(way.splitsBehind, "split", "splits") + " old";
    return text(words + "."
        + (way.bucketsNow > 0
                ? " The reply corrects it: it counts " + counted(way.bucketsNow, "bucket", "buckets") + " now."
                : ""));
}

QString manyForwarded(const std::string& client, std::uint32_t count, std::uint32_t bucketsNow)
{
    return text(num(count) + " requests of " + client + " were forwarded, because its image was old"
        + (bucketsNow > 0 ? ": it counts " + counted(bucketsNow, "bucket", "buckets") + " now." : "."));
}

QString imageAdjusted(const std::string& client, std::uint32_t count, std::uint32_t before, std::uint32_t after)
{
    const std::string how = count == 1 ? "A reply corrects " : num(count) + " replies corrected ";
    return text(how + client + "'s image: it counts " + counted(after, "bucket", "buckets") + " now"
        + (count == 1 ? ", not " + num(before) : "") + ".");
}

QString keysLost(const std::string& client, std::uint32_t count, std::uint64_t key, std::uint32_t number)
{
    if (count > 1)
        return text(num(count) + " requests of " + client
            + " are answered \"lost\": their buckets failed with more members than the parity can replace.");
    return text("Key " + num(key) + " is lost for " + client + ": bucket " + num(number)
        + " failed with more members than the parity can replace.");
}

QString scanDone(const std::string& client, const pb::ScanDone& scan)
{
    const std::string result = "The scan of " + client + " brings " + counted(scan.records(), "record", "records")
        + " of " + counted(scan.buckets(), "bucket", "buckets");
    if (scan.lost_size() > 0)
        return text(result + ": " + buckets(asNumbers(scan.lost())) + isOrAre(scan.lost_size() == 1) + "lost.");
    if (scan.missing_size() > 0)
        return text(result + ": " + buckets(asNumbers(scan.missing())) + (scan.missing_size() == 1 ? " has" : " have")
            + " not answered.");
    return text(result
        + (scan.guaranteed() ? ", and every bucket has answered."
                             : "; nothing guarantees that every bucket has answered."));
}

// ---- failures

QString suspected(std::uint32_t group, const Names& members, const std::string& reason)
{
    const std::string probes = "the coordinator probes all members of group " + num(group) + ".";
    return text(capital(together(members)) + isOrAre(members.size() == 1)
        + "suspected: " + (members.size() == 1 && !reason.empty() ? reason + ". " + capital(probes) : probes));
}

QString answered(std::uint32_t group, const Names& members)
{
    return text("All members of group " + num(group) + " answer the probes: " + together(members)
        + (members.size() == 1 ? " has" : " have") + " not failed.");
}

QString failed(std::uint32_t group, const std::string& members, bool isOne, std::optional<std::uint32_t> left,
    const std::string& reason)
{
    const std::string survives = left ? ": group " + num(group) + " survives " + failures(*left, "further ") + "."
                                      : ".";
    if (reason.empty())
        return text(capital(members) + (isOne ? " does" : " do") + " not answer and" + isOrAre(isOne)
            + "declared failed" + survives);
    return text(capital(members) + isOrAre(isOne) + "declared failed (" + reason + ")" + survives);
}

QString frozen(std::uint32_t group)
{
    return text("Group " + num(group)
        + " is frozen: its changes wait until the survivors agree on what the lost buckets held.");
}

QString cutAgreed(std::uint32_t group, const Numbers& numbers, std::uint32_t copied)
{
    return text("The survivors of group " + num(group) + " agree on one cut of " + buckets(numbers)
        + (copied == 0 ? ": all of them hold the same changes."
                       : ": " + counted(copied, "change", "changes") + " had to be copied."));
}

QString managerChosen(std::uint32_t group, std::uint32_t column, bool isFirstUp, const Numbers& numbers)
{
    return text(capital(parityBucket(group, column)) + (isFirstUp ? ", the first of the group that is up, is" : " is")
        + " the recovery manager: it rebuilds " + buckets(numbers)
        + (numbers.size() == 1 ? " on a spare." : " on spares."));
}

QString slicesBegin(const std::string& manager, const std::string& sources)
{
    return text("Slice by slice, " + manager + " computes the lost records"
        + (sources.empty() ? "." : " from " + sources + "."));
}

QString slices(std::uint32_t count, std::uint32_t records, bool isXor)
{
    return text(counted(count, "slice is", "slices are") + " computed"
        + (isXor ? " by XOR: " : " by Reed-Solomon decoding: ") + counted(records, "lost record", "lost records")
        + ".");
}

QString recovered(const Numbers& numbers, std::uint32_t records, std::int64_t ns)
{
    return text(capital(buckets(numbers)) + isOrAre(numbers.size() == 1) + "back "
        + (numbers.size() == 1 ? "on a spare" : "on spares") + " with " + counted(records, "record", "records")
        + (ns > 0 ? ", " + duration(ns) + " after the first suspicion" : "") + ".");
}

QString groupIsBack(std::uint32_t group, std::uint32_t k)
{
    return text("All members of group " + num(group) + " are back"
        + (k == 0 ? "." : ": it survives " + failures(k, "") + " again."));
}

QString recordComputed(
    const std::string& parity, std::uint64_t key, std::uint32_t number, const std::string& client, bool isFound)
{
    return text((client.empty() ? "A client" : client) + " waits for key " + num(key) + " of failed " + bucket(number)
        + ": " + parity + (isFound ? " computes this record alone." : " knows that there is no such record."));
}

QString recordsComputed(std::uint32_t group, std::uint32_t count)
{
    return text("The parity of group " + num(group) + " answers " + num(count)
        + " searches of failed buckets, for clients that wait.");
}

QString groupLost(std::uint32_t group, const Numbers& numbers, std::uint32_t parityLost)
{
    const std::string parity = parityLost == 0 ? "" : counted(parityLost, "parity bucket", "parity buckets");
    const std::string lost = numbers.empty() ? parity : buckets(numbers) + (parity.empty() ? "" : " and " + parity);
    return text("Group " + num(group) + " is lost: " + lost
        + " failed, more than its parity can replace. The keys of lost buckets answer \"lost\"; other groups go on.");
}

QString lossAcknowledged(const Numbers& numbers)
{
    return text("A person acknowledges the loss: " + buckets(numbers)
        + (numbers.size() == 1 ? " comes back empty, without its records."
                               : " come back empty, without their records."));
}

QString fenced(const std::string& process, const std::string& place, const std::string& late)
{
    const std::string was = place.empty() ? "its place was given away" : place + " has another process";
    if (!late.empty())
        return text(capital(process) + " was only late (" + late + "): " + was + ", so it becomes a spare.");
    return text(capital(process) + " goes on, but " + was
        + ": its incarnation is fenced, so it drops its records and becomes a spare.");
}

// ---- the coordinator

QString listening()
{
    return text(
        "The coordinator has to rebuild what it knows of the file: it listens to the buckets and orders nothing.");
}

QString rebuilt(const pb::CoordinatorRebuilt& told)
{
    std::string words = "The coordinator knows the file again, from its buckets alone: "
        + counted(told.buckets(), "data bucket", "data buckets") + " in " + counted(told.groups(), "group", "groups");
    if (told.silent() > 0)
        words += ", and " + counted(told.silent(), "member", "members") + " said nothing";
    words += ".";
    if (told.open_splits() > 0)
        words += " " + counted(told.open_splits(), "split was", "splits were") + " under way and"
            + isOrAre(told.open_splits() == 1) + "finished or undone now.";
    return text(words);
}

QString superseded()
{
    return text("The processes follow a later coordinator, so the earlier one orders nothing any more.");
}

QString foreignBucket(const std::string& process)
{
    return text(capital(process)
        + " holds a bucket of an older file that the coordinator did not know of: end one of the two.");
}

QString recoveryWay(const std::string& way, const std::string& former, const std::string& reason)
{
    return text("Recovery is \"" + way + "\" from now on, not \"" + former + "\"" + because(reason));
}

QString coordinatorEnded(bool isOnPurpose)
{
    return text(std::string("The coordinator ") + (isOnPurpose ? "is killed on purpose" : "has ended")
        + ": key operations go on, but nothing splits or is recovered until there is another.");
}

} // namespace lhrs::gui::words
