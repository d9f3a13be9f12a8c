// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/lhrs/invariants.h"

#include "common/check/lhrs/bitwise_field.h"
#include "common/check/say.h"

#include <algorithm>
#include <array>
#include <set>

namespace lhrs::check {

namespace {

std::string parityName(std::uint32_t group, std::uint32_t column)
{
    return say("parity bucket ", column, " of group ", group);
}

std::string describe(const ParityMember& member)
{
    return say(
        "position ", member.position, " key ", member.key, " length ", member.length, " version ", member.version);
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
    constexpr std::array<const char*, 23> names { "a machine's check of itself", "I1 parity", "I2 key lists",
        "I3 ranks", "I4 placement", "I5 hops", "I6 ack order", "I7 survival", "I8 linearizable", "I9 no stale read",
        "I10 exactly once", "I11 split", "I12 availability", "I13 recovery", "I14 coordinator", "I15 epochs",
        "I16 roles", "I17 liveness", "I18 honesty", "I19 no invention", "I20 bounds", "I21 blast radius",
        "I22 numbers" };
    return invariant >= 0 && std::size_t(invariant) < names.size() ? names[std::size_t(invariant)] : "no invariant";
}

Violations checkRecordGroup(const FileSettings& settings, std::uint32_t group, std::uint32_t column, std::uint32_t rank,
    std::span<const Member> members, const ParityRecord* record)
{
    Violations found;
    const std::string where = say(parityName(group, column), ", rank ", rank, ": ");
    std::string expected;
    std::vector<ParityMember> list;
    for (const Member& member : members) {
        addMember(settings.field, member.position, column, member.value, expected);
        list.push_back({ member.position, member.key, std::uint32_t(member.value.size()), member.version });
    }
    const std::string_view parity = record ? std::string_view(record->parity) : std::string_view();
    if (!equalPadded(expected, parity))
        found.push_back({ 1, say(where, "the parity field is not the sum of its members (", describe(list), ")") });
    const std::vector<ParityMember> actual = record ? sorted(record->members) : std::vector<ParityMember>();
    list = sorted(std::move(list));
    if (actual != list)
        found.push_back(
            { 2, say(where, "the key list has ", describe(actual), ", the data buckets have ", describe(list)) });
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
            found.push_back({ 1,
                say(parityName(parity.group, parity.column), " has applied ", applied, " of ", sequence,
                    " changes of position ", q) });
        if (q < parity.held.size() && parity.held[q] != 0)
            found.push_back({ 1,
                say(parityName(parity.group, parity.column), " holds ", parity.held[q], " changes of position ", q) });
        if (!members[q])
            continue;
        for (const DataRecord& record : members[q]->records) {
            ranks[record.rank].push_back({ q, record.key, record.version, record.value });
            if (!keys.insert(record.key).second)
                found.push_back({ 2, say("key ", record.key, " is twice in group ", parity.group) });
        }
    }
    std::map<std::uint32_t, const ParityRecord*> records;
    for (const ParityRecord& record : parity.records) {
        if (!records.emplace(record.rank, &record).second)
            found.push_back({ 2, say(parityName(parity.group, parity.column), " has rank ", record.rank, " twice") });
        ranks.try_emplace(record.rank);
    }
    for (const auto& [rank, group] : ranks) {
        const auto record = records.find(rank);
        const Violations one = checkRecordGroup(
            settings, parity.group, parity.column, rank, group, record == records.end() ? nullptr : record->second);
        found.insert(found.end(), one.begin(), one.end());
        if (record != records.end() && record->second->members.empty())
            found.push_back(
                { 1, say(parityName(parity.group, parity.column), " keeps rank ", rank, " without members") });
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
            found.push_back({ 2,
                say("group ", a.group, ": parity buckets ", a.column, " and ", b.column, " have applied ", appliedA,
                    " changes of position ", q, " and differ in their key lists") });
    }
    return found;
}

Violations checkRanks(const DataBucket& bucket)
{
    Violations found;
    const std::string where = say("bucket ", bucket.number, ": ");
    std::vector<const char*> use(std::size_t(bucket.rankMax) + 1, nullptr);
    const auto take = [&](std::uint32_t rank, const char* as) {
        if (rank == 0 || rank > bucket.rankMax)
            found.push_back({ 3, say(where, "rank ", rank, " (", as, ") is outside 1..", bucket.rankMax) });
        else if (use[rank])
            found.push_back({ 3, say(where, "rank ", rank, " is ", use[rank], " and ", as) });
        else
            use[rank] = as;
    };
    std::set<std::uint64_t> keys;
    for (const DataRecord& record : bucket.records) {
        take(record.rank, "used");
        if (!keys.insert(record.key).second)
            found.push_back({ 3, say(where, "key ", record.key, " has two ranks") });
        if (record.version == 0 || record.version > bucket.sequence)
            found.push_back({ 3,
                say(where, "rank ", record.rank, " has version ", record.version, ", the bucket's sequence is ",
                    bucket.sequence) });
    }
    for (const std::uint32_t rank : bucket.freeRanks)
        take(rank, "free");
    for (const std::uint32_t rank : bucket.waitingRanks)
        take(rank, "waiting to be free");
    for (std::uint32_t rank = 1; rank <= bucket.rankMax; ++rank)
        if (!use[rank])
            found.push_back({ 3, say(where, "rank ", rank, " is neither used nor free") });
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

Violations checkPlacement(const FileSettings& settings, const FileState& file, std::span<const DataBucket> buckets)
{
    Violations found;
    std::set<std::uint32_t> numbers;
    std::uint64_t share = 0; // in units of 2^-32
    for (const DataBucket& bucket : buckets) {
        const std::string where = say("bucket ", bucket.number, " ");
        if (!numbers.insert(bucket.number).second)
            found.push_back({ 4, say(where, "is there twice") });
        if (bucket.number >= file.buckets())
            found.push_back({ 4, say(where, "is not in a file of ", file.buckets(), " buckets") });
        const bool isSplit = bucket.number < file.n || bucket.number >= (std::uint64_t(1) << file.i);
        const std::uint32_t level = isSplit ? file.i + 1 : file.i;
        if (bucket.level != level)
            found.push_back({ 4, say(where, "has level ", bucket.level, " instead of ", level) });
        share += std::uint64_t(1) << (32 - std::min<std::uint32_t>(bucket.level, 32));
        for (const DataRecord& record : bucket.records)
            if (addressOf(settings, record.key, file) != bucket.number)
                found.push_back({ 4,
                    say(where, "has key ", record.key, ", which belongs to bucket ",
                        addressOf(settings, record.key, file)) });
    }
    if (numbers.size() != file.buckets())
        found.push_back({ 4, say(numbers.size(), " buckets where (", file.i, ",", file.n, ") has ", file.buckets()) });
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
            const std::string where = say("key ", record.key, " in bucket ", bucket.number);
            if (!seen.insert(record.key).second)
                found.push_back({ 4, say(where, " is in another bucket too") });
            const auto wanted = expected.find(record.key);
            if (wanted == expected.end())
                found.push_back({ 4, say(where, " should not exist") });
            else if (wanted->second != record.value)
                found.push_back({ 7,
                    say(where, " has ", record.value.size(), " bytes that are not the ", wanted->second.size(),
                        " bytes last written") });
        }
    }
    for (const auto& [key, value] : expected)
        if (!seen.contains(key))
            found.push_back({ 4, say("key ", key, " is missing") });
    return found;
}

Violations checkHops(const HopReport& report)
{
    Violations found;
    if (report.forwards > 2 + report.splitsMeanwhile)
        found.push_back({ 5,
            say("key ", report.key, " was forwarded ", report.forwards, " times, with ", report.splitsMeanwhile,
                " splits meanwhile") });
    if (report.imageAdjusted && report.forwards == 0)
        found.push_back({ 5, say("key ", report.key, ": image adjustment without a forward") });
    return found;
}

Violations checkImage(const FileState& image, const FileState& file)
{
    if (image.buckets() <= file.buckets() && image.n < (std::uint64_t(1) << image.i))
        return {};
    return { { 5, say("image (", image.i, ",", image.n, ") is ahead of the file (", file.i, ",", file.n, ")") } };
}

Violations checkAckOrder(const AckSituation& situation)
{
    Violations found;
    for (const AckSituation::Column& column : situation.columns)
        if (column.applied < situation.sequence)
            found.push_back({ 6,
                say("key ", situation.key, ": ", (situation.isRead ? "a read showed change " : "OK for change "),
                    situation.sequence, " of bucket ", situation.bucket, " (client ", situation.request.client,
                    ", request ", situation.request.number, ") while parity bucket ", column.column, " has applied ",
                    column.applied) });
    return found;
}

Violations checkSplitOrder(const FileState& before, std::uint32_t split, std::uint32_t target, const FileState& after)
{
    Violations found;
    FileState next { before.i, before.n + 1 };
    if (next.n == (std::uint64_t(1) << next.i))
        next = { before.i + 1, 0 };
    if (split != before.n || target != before.n + (std::uint64_t(1) << before.i))
        found.push_back({ 11,
            say("the split of bucket ", split, " into ", target, " was decided where (", before.i, ",", before.n,
                ") wants bucket ", before.n) });
    if (after != next)
        found.push_back({ 11,
            say("after the split of bucket ", split, " the file is (", after.i, ",", after.n, ") instead of (", next.i,
                ",", next.n, ")") });
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
            found.push_back({ 12,
                say("group ", group.group, " has ", group.k, " parity buckets, the intended availability is ",
                    availability, " at (", file.i, ",", file.n, ")") });
    }
    return found;
}

namespace detail {

Violation zeroOwners(std::uint64_t key, std::uint64_t owner)
{
    return { 11, say("key ", key, " is not in bucket ", owner, ", which owns it") };
}

Violation twoOwners(std::uint64_t key, std::uint32_t a, std::uint32_t b)
{
    return { 11, say("buckets ", a, " and ", b, " both answer for key ", key) };
}

} // namespace detail

} // namespace lhrs::check
