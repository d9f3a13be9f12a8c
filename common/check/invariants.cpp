// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/invariants.h"

#include "common/check/bitwise_field.h"

#include <algorithm>
#include <array>
#include <set>

namespace lhrs::check {

namespace {

std::string text(std::uint64_t number)
{
    return std::to_string(number);
}

std::string parityName(std::uint32_t group, std::uint32_t column)
{
    return "parity bucket " + text(column) + " of group " + text(group);
}

std::string describe(const ParityMember& member)
{
    return "position " + text(member.position) + " key " + text(member.key) + " length " + text(member.length)
        + " version " + text(member.version);
}

std::string describe(const std::vector<ParityMember>& members)
{
    if (members.empty())
        return "no member";
    std::string all;
    for (const ParityMember& member : members)
        all += (all.empty() ? "" : "; ") + describe(member);
    return all;
}

std::vector<ParityMember> sorted(std::vector<ParityMember> members)
{
    std::sort(members.begin(), members.end());
    return members;
}

} // namespace

const char* nameOf(int invariant)
{
    constexpr std::array<const char*, 23> names { "a machine's check of itself", "I1 parity", "I2 key lists", "I3 ranks",
        "I4 placement", "I5 hops", "I6 ack order", "I7 survival", "I8 linearizable", "I9 no stale read",
        "I10 exactly once", "I11 split", "I12 availability", "I13 recovery", "I14 coordinator", "I15 epochs", "I16 roles",
        "I17 liveness", "I18 honesty", "I19 no invention", "I20 bounds", "I21 blast radius", "I22 numbers" };
    return invariant >= 0 && std::size_t(invariant) < names.size() ? names[std::size_t(invariant)] : "no invariant";
}

Violations checkRecordGroup(const FileSettings& settings, std::uint32_t group, std::uint32_t column, std::uint32_t rank,
    std::span<const Member> members, const ParityRecord* record)
{
    Violations found;
    const std::string where = parityName(group, column) + ", rank " + text(rank) + ": ";
    std::string expected;
    std::vector<ParityMember> list;
    for (const Member& member : members) {
        addMember(settings.field, member.position, column, member.value, expected);
        list.push_back({ member.position, member.key, std::uint32_t(member.value.size()), member.version });
    }
    const std::string_view parity = record ? std::string_view(record->parity) : std::string_view();
    if (!equalPadded(expected, parity))
        found.push_back({ 1, where + "the parity field is not the sum of its members (" + describe(list) + ")" });
    const std::vector<ParityMember> actual = record ? sorted(record->members) : std::vector<ParityMember>();
    list = sorted(std::move(list));
    if (actual != list)
        found.push_back({ 2, where + "the key list has " + describe(actual) + ", the data buckets have " + describe(list) });
    return found;
}

Violations checkGroup(
    const FileSettings& settings, std::span<const DataBucket* const> members, const ParityBucket& parity)
{
    Violations found;
    std::map<std::uint32_t, std::vector<Member>> ranks;
    std::set<std::uint64_t> keys;
    for (std::uint32_t q = 0; q < members.size(); ++q) {
        const std::uint64_t applied = q < parity.applied.size() ? parity.applied[q] : 0;
        const std::uint64_t sequence = members[q] ? members[q]->sequence : 0;
        if (members[q] && applied != sequence)
            found.push_back({ 1, parityName(parity.group, parity.column) + " has applied " + text(applied) + " of "
                    + text(sequence) + " changes of position " + text(q) });
        if (q < parity.held.size() && parity.held[q] != 0)
            found.push_back({ 1, parityName(parity.group, parity.column) + " holds " + text(parity.held[q])
                    + " changes of position " + text(q) });
        if (!members[q])
            continue;
        for (const DataRecord& record : members[q]->records) {
            ranks[record.rank].push_back({ q, record.key, record.version, record.value });
            if (!keys.insert(record.key).second)
                found.push_back({ 2, "key " + text(record.key) + " is twice in group " + text(parity.group) });
        }
    }
    std::map<std::uint32_t, const ParityRecord*> records;
    for (const ParityRecord& record : parity.records) {
        if (!records.emplace(record.rank, &record).second)
            found.push_back({ 2, parityName(parity.group, parity.column) + " has rank " + text(record.rank) + " twice" });
        ranks.try_emplace(record.rank);
    }
    for (const auto& [rank, group] : ranks) {
        const auto record = records.find(rank);
        const Violations one = checkRecordGroup(settings, parity.group, parity.column, rank, group,
            record == records.end() ? nullptr : record->second);
        found.insert(found.end(), one.begin(), one.end());
        if (record != records.end() && record->second->members.empty())
            found.push_back({ 1, parityName(parity.group, parity.column) + " keeps rank " + text(rank) + " without members" });
    }
    return found;
}

Violations checkKeyLists(const ParityBucket& a, const ParityBucket& b)
{
    const std::size_t positions = std::max(a.applied.size(), b.applied.size());
    const auto listsAt = [](const ParityBucket& parity, std::uint32_t position) {
        std::vector<std::pair<std::uint32_t, ParityMember>> list;
        for (const ParityRecord& record : parity.records)
            for (const ParityMember& member : record.members)
                if (member.position == position)
                    list.emplace_back(record.rank, member);
        std::sort(list.begin(), list.end());
        return list;
    };
    Violations found;
    for (std::uint32_t q = 0; q < positions; ++q) {
        const std::uint64_t appliedA = q < a.applied.size() ? a.applied[q] : 0;
        const std::uint64_t appliedB = q < b.applied.size() ? b.applied[q] : 0;
        if (appliedA == appliedB && listsAt(a, q) != listsAt(b, q))
            found.push_back({ 2, "group " + text(a.group) + ": parity buckets " + text(a.column) + " and " + text(b.column)
                    + " have applied " + text(appliedA) + " changes of position " + text(q) + " and differ in their key lists" });
    }
    return found;
}

Violations checkRanks(const DataBucket& bucket)
{
    Violations found;
    const std::string where = "bucket " + text(bucket.number) + ": ";
    std::vector<const char*> use(std::size_t(bucket.rankMax) + 1, nullptr);
    const auto take = [&](std::uint32_t rank, const char* as) {
        if (rank == 0 || rank > bucket.rankMax)
            found.push_back({ 3, where + "rank " + text(rank) + " (" + as + ") is outside 1.." + text(bucket.rankMax) });
        else if (use[rank])
            found.push_back({ 3, where + "rank " + text(rank) + " is " + use[rank] + " and " + as });
        else
            use[rank] = as;
    };
    std::set<std::uint64_t> keys;
    for (const DataRecord& record : bucket.records) {
        take(record.rank, "used");
        if (!keys.insert(record.key).second)
            found.push_back({ 3, where + "key " + text(record.key) + " has two ranks" });
        if (record.version == 0 || record.version > bucket.sequence)
            found.push_back({ 3, where + "rank " + text(record.rank) + " has version " + text(record.version)
                    + ", the bucket's sequence is " + text(bucket.sequence) });
    }
    for (const std::uint32_t rank : bucket.freeRanks)
        take(rank, "free");
    for (const std::uint32_t rank : bucket.waitingRanks)
        take(rank, "waiting to be free");
    for (std::uint32_t rank = 1; rank <= bucket.rankMax; ++rank)
        if (!use[rank])
            found.push_back({ 3, where + "rank " + text(rank) + " is neither used nor free" });
    return found;
}

std::uint64_t hashed(const FileSettings& settings, std::uint64_t key)
{
    if (!settings.mixKeys)
        return key;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
    key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
    return key ^ (key >> 31);
}

std::uint64_t addressOf(const FileSettings& settings, std::uint64_t key, const FileState& file)
{
    const std::uint64_t hash = hashed(settings, key);
    const std::uint64_t low = hash & ((std::uint64_t(1) << file.i) - 1);
    return low < file.n ? hash & ((std::uint64_t(1) << (file.i + 1)) - 1) : low;
}

Violations checkPlacement(
    const FileSettings& settings, const FileState& file, std::span<const DataBucket> buckets)
{
    Violations found;
    std::set<std::uint32_t> numbers;
    std::uint64_t share = 0; // in units of 2^-32
    for (const DataBucket& bucket : buckets) {
        const std::string where = "bucket " + text(bucket.number) + " ";
        if (!numbers.insert(bucket.number).second)
            found.push_back({ 4, where + "is there twice" });
        if (bucket.number >= file.buckets())
            found.push_back({ 4, where + "is not in a file of " + text(file.buckets()) + " buckets" });
        const bool isSplit = bucket.number < file.n || bucket.number >= (std::uint64_t(1) << file.i);
        const std::uint32_t level = isSplit ? file.i + 1 : file.i;
        if (bucket.level != level)
            found.push_back({ 4, where + "has level " + text(bucket.level) + " instead of " + text(level) });
        share += std::uint64_t(1) << (32 - std::min<std::uint32_t>(bucket.level, 32));
        for (const DataRecord& record : bucket.records)
            if (addressOf(settings, record.key, file) != bucket.number)
                found.push_back({ 4, where + "has key " + text(record.key) + ", which belongs to bucket "
                        + text(addressOf(settings, record.key, file)) });
    }
    if (numbers.size() != file.buckets())
        found.push_back({ 4, text(numbers.size()) + " buckets where (" + text(file.i) + "," + text(file.n) + ") has "
                + text(file.buckets()) });
    if (share != std::uint64_t(1) << 32)
        found.push_back({ 4, "the sum of 2^(-level) over all buckets is not 1" });
    return found;
}

Violations checkContents(const std::map<std::uint64_t, std::string>& expected, std::span<const DataBucket> buckets)
{
    Violations found;
    std::set<std::uint64_t> seen;
    for (const DataBucket& bucket : buckets) {
        for (const DataRecord& record : bucket.records) {
            const std::string where = "key " + text(record.key) + " in bucket " + text(bucket.number);
            if (!seen.insert(record.key).second)
                found.push_back({ 4, where + " is in another bucket too" });
            const auto wanted = expected.find(record.key);
            if (wanted == expected.end())
                found.push_back({ 4, where + " should not exist" });
            else if (wanted->second != record.value)
                found.push_back({ 7, where + " has " + text(record.value.size()) + " bytes that are not the "
                        + text(wanted->second.size()) + " bytes last written" });
        }
    }
    for (const auto& [key, value] : expected)
        if (!seen.contains(key))
            found.push_back({ 4, "key " + text(key) + " is missing" });
    return found;
}

Violations checkHops(const HopReport& report)
{
    Violations found;
    if (report.forwards > 2 + report.splitsMeanwhile)
        found.push_back({ 5, "key " + text(report.key) + " was forwarded " + text(report.forwards) + " times, with "
                + text(report.splitsMeanwhile) + " splits meanwhile" });
    if (report.imageAdjusted && report.forwards == 0)
        found.push_back({ 5, "key " + text(report.key) + ": image adjustment without a forward" });
    return found;
}

Violations checkImage(const FileState& image, const FileState& file)
{
    if (image.buckets() <= file.buckets() && image.n < (std::uint64_t(1) << image.i))
        return {};
    return { { 5, "image (" + text(image.i) + "," + text(image.n) + ") is ahead of the file (" + text(file.i) + ","
            + text(file.n) + ")" } };
}

Violations checkAckOrder(const AckSituation& situation)
{
    Violations found;
    for (const AckSituation::Column& column : situation.columns)
        if (column.applied < situation.sequence)
            found.push_back({ 6, "key " + text(situation.key) + ": "
                    + (situation.isRead ? "a read showed change " : "OK for change ") + text(situation.sequence)
                    + " of bucket " + text(situation.bucket) + " (client " + text(situation.request.client) + ", request "
                    + text(situation.request.number) + ") while parity bucket " + text(column.column) + " has applied "
                    + text(column.applied) });
    return found;
}

Violations checkSplitOrder(const FileState& before, std::uint32_t split, std::uint32_t target, const FileState& after)
{
    Violations found;
    FileState next { before.i, before.n + 1 };
    if (next.n == (std::uint64_t(1) << next.i))
        next = { before.i + 1, 0 };
    if (split != before.n || target != before.n + (std::uint64_t(1) << before.i))
        found.push_back({ 11, "the split of bucket " + text(split) + " into " + text(target) + " was decided where ("
                + text(before.i) + "," + text(before.n) + ") wants bucket " + text(before.n) });
    if (after != next)
        found.push_back({ 11, "after the split of bucket " + text(split) + " the file is (" + text(after.i) + ","
                + text(after.n) + ") instead of (" + text(next.i) + "," + text(next.n) + ")" });
    return found;
}

Violations checkAvailability(
    const FileState& file, std::uint32_t availability, std::span<const GroupAvailability> groups)
{
    Violations found;
    for (const GroupAvailability& group : groups) {
        const bool isFull = group.k == availability;
        const bool isOneBehind = group.k + 1 == availability && file.n != 0;
        if (!isFull && !isOneBehind)
            found.push_back({ 12, "group " + text(group.group) + " has " + text(group.k)
                    + " parity buckets, the intended availability is " + text(availability) + " at (" + text(file.i) + ","
                    + text(file.n) + ")" });
    }
    return found;
}

namespace detail {

Violation zeroOwners(std::uint64_t key, std::uint64_t owner)
{
    return { 11, "key " + text(key) + " is not in bucket " + text(owner) + ", which owns it" };
}

Violation twoOwners(std::uint64_t key, std::uint32_t a, std::uint32_t b)
{
    return { 11, "buckets " + text(a) + " and " + text(b) + " both answer for key " + text(key) };
}

} // namespace detail

} // namespace lhrs::check
