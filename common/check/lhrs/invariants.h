// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/lhrs/states.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The invariants I1 to I21 as pure functions: each returns the violations found, none when the invariant holds.
namespace lhrs::check {

// "I1 parity", ...; 0 is a machine's own check.
const char* nameOf(int invariant);

// I1 and I2 for one rank of a group at one parity bucket. `members` is what the data buckets have, or had at the
// sequence numbers that the parity bucket has applied. `record` is the parity bucket's record; nullptr: it has none.
Violations checkRecordGroup(const FileSettings& settings, std::uint32_t group, std::uint32_t column, std::uint32_t rank,
    std::span<const Member> members, const ParityRecord* record);

// I1 and I2 at rest: all data buckets of a group, by position (nullptr: does not exist), against one parity bucket. The
// parity bucket must have applied every change and hold none.
Violations checkGroup(
    const FileSettings& settings, std::span<const DataBucket* const> members, const ParityBucket& parity);

// I2 between parity buckets of one group: where `applied` is equal, key lists, lengths and versions must be equal.
Violations checkKeyLists(const ParityBucket& a, const ParityBucket& b);

// I3: ranks are unique; used, free and waiting ranks together are 1..rMax; every key occurs once.
Violations checkRanks(const DataBucket& bucket);

// I4: every bucket of the file exists once, with the level given by (i, n); the sum of 2^(-level) is 1; every key lies
// in the bucket that its address names.
Violations checkPlacement(const FileSettings& settings, const FileState& file, std::span<const DataBucket> buckets);

// I4 and I7: the keys of all buckets together are those of `expected`, each once, with exactly the expected bytes.
Violations checkContents(const std::map<std::uint64_t, std::string>& expected, std::span<const DataBucket> buckets);

// What a reply reports about its path (I5).
struct HopReport {
    std::uint64_t key = 0;
    std::uint32_t forwards = 0;
    bool imageAdjusted = false;
    std::uint32_t splitsMeanwhile = 0; // splits decided while the request was under way; each may add one forward
};
Violations checkHops(const HopReport& report);

// I5: an image never knows more buckets than the file has.
Violations checkImage(const FileState& image, const FileState& file);

// The number from which a key's address is computed: the key itself, or SplitMix64's finalizer of it.
std::uint64_t hashed(const FileSettings& settings, std::uint64_t key);
// The correct bucket of a key: h_i(key), or h_(i+1)(key) when that bucket has already been split.
std::uint64_t addressOf(const FileSettings& settings, std::uint64_t key, const FileState& file);

// What must hold when an OK to a change, or a read that shows a change, leaves the bucket (I6).
struct AckSituation {
    RequestName request;
    std::uint64_t key = 0;
    std::uint32_t bucket = 0;
    std::uint64_t sequence = 0; // of the change
    bool isRead = false; // a search, or a mutation without effect, that showed the change
    struct Column {
        std::uint32_t column = 0;
        std::uint64_t applied = 0; // of the changes at the bucket's position
    };
    std::vector<Column> columns; // the parity buckets that are UP in the bucket's view
};
Violations checkAckOrder(const AckSituation& situation);

// The part of a data bucket's state that decides its authority over keys (I11).
struct Authority {
    std::uint32_t bucket = 0;
    std::uint32_t level = 0;
    bool answers = false; // not INIT: it takes requests for the keys of its level
};
// I11: every key is in exactly one authoritative bucket. `file` is the committed state; `holds(bucket, key)` says
// whether the bucket has the record, whatever its state.
template <class Holds>
Violations checkAuthority(const FileSettings& settings, const FileState& file, std::span<const Authority> buckets,
    std::span<const std::uint64_t> keys, Holds&& holds);

// I11: splits are decided in the order of n. `before` is the committed state, `split` the bucket to be split, `target`
// the new bucket, `after` the state that the coordinator reports.
Violations checkSplitOrder(const FileState& before, std::uint32_t split, std::uint32_t target, const FileState& after);

// I12: k of every group is K or K-1, and K for all groups when n is 0.
struct GroupAvailability {
    std::uint32_t group = 0;
    std::uint32_t k = 0;
};
Violations checkAvailability(
    const FileState& file, std::uint32_t availability, std::span<const GroupAvailability> groups);

// ---- implementation of the template

namespace detail {
Violation zeroOwners(std::uint64_t key, std::uint64_t owner);
Violation twoOwners(std::uint64_t key, std::uint32_t a, std::uint32_t b);
} // namespace detail

template <class Holds>
Violations checkAuthority(const FileSettings& settings, const FileState& file, std::span<const Authority> buckets,
    std::span<const std::uint64_t> keys, Holds&& holds)
{
    Violations found;
    for (const std::uint64_t key : keys) {
        const std::uint64_t owner = addressOf(settings, key, file);
        if (!holds(std::uint32_t(owner), key))
            found.push_back(detail::zeroOwners(key, owner));
        const std::uint64_t hash = hashed(settings, key);
        std::optional<std::uint32_t> first;
        for (const Authority& bucket : buckets) {
            if (!bucket.answers || (hash & ((std::uint64_t(1) << bucket.level) - 1)) != bucket.bucket)
                continue;
            if (first)
                found.push_back(detail::twoOwners(key, *first, bucket.bucket));
            first = bucket.bucket;
        }
    }
    return found;
}

} // namespace lhrs::check
