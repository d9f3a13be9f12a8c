// SPDX-License-Identifier: GPL-3.0-or-later
// The sentences of a file's story, as functions of plain values.
#pragma once

#include "gui/lab/words/process/process_story.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lhrs::gui::words {

using Numbers = std::vector<std::uint32_t>;

// ---- names

std::string bucket(std::uint32_t number); // "bucket 2"
std::string parityBucket(std::uint32_t group, std::uint32_t column); // "parity bucket 0.1"
std::string buckets(const Numbers& numbers); // "bucket 2", "buckets 1, 2 and 5"
// The members of a group: first the data buckets, then the parity buckets.
std::string members(std::uint32_t group, const Numbers& data, const Numbers& columns);
// A list: data buckets first, then parity buckets, then other names.
std::string together(const Names& names);
// Capitalizes the start of a sentence, except the name of a process.
std::string capital(std::string text);

// ---- file and spares

QString fileBegins(std::uint32_t k, std::uint32_t b);
QString firstRecord(std::uint64_t key);
QString clientsJoin(const std::string& name, std::uint32_t count);
QString sparesCome(pb::Role pool, std::uint32_t count);
QString spareMissing(pb::Role pool, const std::string& purpose);
QString spareFound(const std::string& process, const std::string& place);
QString sparesAreTaken(pb::Role pool);
QString recruitedBy(pb::Transport transport);

// ---- splits, merges

QString overflow(std::uint32_t number, std::uint32_t count, std::uint32_t b); // b = 0: unknown

// What is known of a split when it is ordered.
struct SplitOrder {
    std::uint32_t bucket = 0, newBucket = 0;
    bool hasCause = false; // a bucket had reported an overflow
    std::uint32_t full = 0;
    bool isStillFull = true;
    bool isBeside = false; // another split is under way
    bool isRetry = false; // an earlier split of this bucket was undone
};
QString splitOrdered(const SplitOrder& order);
QString splitDecided(std::uint32_t number, std::uint32_t i, std::uint32_t n);
// For an unknown number of moved records: `holds` is what the new bucket holds.
QString splitSettled(std::uint32_t number, std::uint32_t newBucket, std::uint32_t holds);
QString splitFinished(std::uint32_t number, std::uint32_t newBucket, std::uint32_t moved, std::int64_t ns);
QString splitUndone(std::uint32_t number, std::uint32_t newBucket, const std::string& reason);
QString furtherSplits(std::uint32_t count, std::uint32_t buckets, std::uint32_t n);
QString mergeOrdered(std::uint32_t number, std::uint32_t into, const Numbers& underfull);
QString mergeDecided(std::uint32_t number, std::uint32_t into, std::uint32_t i, std::uint32_t n);
QString mergeFinished(std::uint32_t number, std::uint32_t into, std::uint32_t moved, std::int64_t ns);
QString mergeUndone(std::uint32_t number, std::uint32_t into, const std::string& reason);
QString furtherMerges(std::uint32_t count, std::uint32_t buckets);

// ---- availability

QString groupBegins(std::uint32_t group, std::uint32_t m, std::uint32_t k); // m = 0: unknown
QString availabilityRises(std::uint32_t availability, const std::string& reason);
QString parityOrdered(std::uint32_t group, std::uint32_t column, std::uint32_t k, std::uint32_t availability);
QString parityReplaced(std::uint32_t group, std::uint32_t column);
QString parityAdded(std::uint32_t group, std::uint32_t column, std::uint32_t k);
QString parityIsBack(std::uint32_t group, std::uint32_t column, std::uint32_t records, std::int64_t ns);
QString parityUndone(std::uint32_t group, std::uint32_t column, const std::string& reason);

// ---- clients

// A forwarded request: the buckets that it visited, from the one that the image named to the one that answered.
struct Way {
    std::uint64_t key = 0;
    std::string client;
    std::uint32_t believed = 0, answered = 0;
    Numbers path {}; // empty: not completely known
    std::uint32_t splitsBehind = 0; // 0: unknown
    bool isAtLeast = false; // there may be more
    std::uint32_t bucketsNow = 0; // in the image after its adjustment; 0: not adjusted
};
QString forwarded(const Way& way);
QString manyForwarded(const std::string& client, std::uint32_t count, std::uint32_t bucketsNow);
QString imageAdjusted(const std::string& client, std::uint32_t count, std::uint32_t before, std::uint32_t after);
QString keysLost(const std::string& client, std::uint32_t count, std::uint64_t key, std::uint32_t number);
QString scanDone(const std::string& client, const pb::ScanDone& scan);

// ---- failures

QString suspected(std::uint32_t group, const Names& members, const std::string& reason);
QString answered(std::uint32_t group, const Names& members);
// `left`: the failures that the group still survives; empty: it does not survive these. `reason`: empty if only their
// silence is known.
QString failed(std::uint32_t group, const std::string& members, bool isOne, std::optional<std::uint32_t> left,
    const std::string& reason);
QString frozen(std::uint32_t group);
QString cutAgreed(std::uint32_t group, const Numbers& numbers, std::uint32_t copied);
QString managerChosen(std::uint32_t group, std::uint32_t column, bool isFirstUp, const Numbers& numbers);
// sources: empty while not all of them are known.
QString slicesBegin(const std::string& manager, const std::string& sources);
QString slices(std::uint32_t count, std::uint32_t records, bool isXor);
// ns: time since the first suspicion; 0: unknown.
QString recovered(const Numbers& numbers, std::uint32_t records, std::int64_t ns);
QString groupIsBack(std::uint32_t group, std::uint32_t k);
QString recordComputed(
    const std::string& parity, std::uint64_t key, std::uint32_t number, const std::string& client, bool isFound);
QString recordsComputed(std::uint32_t group, std::uint32_t count);
QString groupLost(std::uint32_t group, const Numbers& numbers, std::uint32_t parityLost);
QString lossAcknowledged(const Numbers& numbers);
// `late`: why it was only late; empty if unknown.
QString fenced(const std::string& process, const std::string& place, const std::string& late);

// ---- the coordinator

QString listening();
QString rebuilt(const pb::CoordinatorRebuilt& told);
QString superseded();
QString foreignBucket(const std::string& process);
QString recoveryWay(const std::string& way, const std::string& former, const std::string& reason);
QString coordinatorEnded(bool isOnPurpose);

} // namespace lhrs::gui::words
