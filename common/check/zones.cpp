// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/zones.h"

#include "common/check/say.h"

#include <algorithm>
#include <utility>

namespace lhrs::check {

namespace {

struct Entry {
    std::uint64_t value = 0;
    bool isSearch = false;
    HistoryTime begin = 0;
    HistoryTime end = 0;
    std::size_t operation = kNoOperation; // none: the value before the run
};

struct Zone {
    HistoryTime f = 0;
    HistoryTime s = 0;
    std::uint64_t value = 0;
    std::size_t last = kNoOperation; // the operation that is invoked at s
};

// Collects the updates and searches that have, or may have, taken effect; or reports an answer that is wrong on its
// own.
Judgement collect(const History& history, std::vector<Entry>& entries)
{
    const std::vector<Operation>& all = history.operations();
    entries.reserve(all.size() + 1);
    entries.push_back({ *history.valueBefore(), false, kBeforeAll, kBeforeAll, kNoOperation });
    for (std::size_t at = 0; at < all.size(); ++at) {
        const Operation& operation = all[at];
        const bool isSearch = operation.kind == RequestKind::Search;
        switch (operation.outcome) {
        case Outcome::Ok:
            entries.push_back({ operation.value, isSearch, operation.invoked, operation.answered, at });
            break;
        case Outcome::Unknown:
            if (!isSearch)
                entries.push_back({ operation.value, false, operation.invoked, kNever, at });
            break;
        case Outcome::NotFound: return { Verdict::No, 8, at, "NOT_FOUND, but the key was never deleted" };
        case Outcome::Exists: return { Verdict::No, 8, at, say("EXISTS is no answer to ", nameOf(operation.kind)) };
        case Outcome::Lost: return { Verdict::No, 18, at, "LOST, but no loss was declared" };
        case Outcome::Retry:
        case Outcome::Invalid: break;
        }
    }
    return {};
}

Judgement conflict(const Zone& a, const Zone& b)
{
    const bool isLater = a.last != kNoOperation && (b.last == kNoOperation || a.s > b.s);
    return { Verdict::No, 8, isLater ? a.last : b.last,
        say("values ", describeValue(a.value), " and ", describeValue(b.value),
            " would each have to come before the other") };
}

// The zone of the cluster [from, to) of sorted entries: one update, then its searches.
Judgement zoneOf(const Entry* from, const Entry* to, Zone& zone)
{
    if (from->isSearch)
        return { Verdict::No, 19, from->operation, say("nobody wrote ", describeValue(from->value), " to this key") };
    zone = { from->end, from->begin, from->value, from->operation };
    for (const Entry* entry = from + 1; entry != to; ++entry) {
        if (!entry->isSearch)
            return { Verdict::Unknown, 8, entry->operation, "a value is written twice" };
        if (entry->end < from->begin)
            return { Verdict::No, 8, entry->operation, "a value is found before it is written" };
        zone.f = std::min(zone.f, entry->end);
        if (entry->begin >= zone.s) {
            zone.s = entry->begin;
            zone.last = entry->operation;
        }
    }
    return {};
}

Judgement judgeZones(std::vector<Zone>& forward, const std::vector<Zone>& backward)
{
    const auto isBefore = [](const Zone& a, const Zone& b) { return a.f < b.f; };
    std::sort(forward.begin(), forward.end(), isBefore);
    // Sorted by f, the forward zones are disjoint if each is disjoint from the next.
    for (std::size_t at = 1; at < forward.size(); ++at)
        if (forward[at].f < forward[at - 1].s)
            return conflict(forward[at - 1], forward[at]);
    // So their s are sorted too, and of the forward zones that begin before a backward zone, the last one reaches
    // farthest.
    for (const Zone& zone : backward) {
        const auto after = std::lower_bound(forward.begin(), forward.end(), Zone { zone.s, 0, 0, 0 }, isBefore);
        if (after != forward.begin() && zone.f < (after - 1)->s)
            return conflict(*(after - 1), zone);
    }
    return {};
}

} // namespace

bool isForZones(const History& history)
{
    const auto& all = history.operations();
    return history.valueBefore() && history.losses().empty()
        && std::all_of(all.begin(), all.end(), [](const Operation& operation) {
               return operation.kind == RequestKind::Update || operation.kind == RequestKind::Put
                   || operation.kind == RequestKind::Search;
           });
}

Judgement judgeByZones(const History& history)
{
    if (!isForZones(history))
        return { Verdict::Unknown, 8, kNoOperation, "not only updates, puts and searches of a key that is there" };
    std::vector<Entry> entries;
    if (Judgement alone = collect(history, entries); alone.verdict != Verdict::Yes)
        return alone;
    std::sort(entries.begin(), entries.end(),
        [](const Entry& a, const Entry& b) { return std::pair(a.value, a.isSearch) < std::pair(b.value, b.isSearch); });
    std::vector<Zone> forward;
    std::vector<Zone> backward;
    Judgement wrong;
    for (std::size_t from = 0, to = 0; from < entries.size(); from = to) {
        while (to < entries.size() && entries[to].value == entries[from].value)
            ++to;
        Zone zone;
        const Judgement cluster = zoneOf(&entries[from], entries.data() + to, zone);
        if (cluster.verdict == Verdict::Unknown)
            return cluster;
        if (cluster.verdict == Verdict::No && wrong.verdict == Verdict::Yes)
            wrong = cluster; // another value may still turn out to be written twice
        (zone.f < zone.s ? forward : backward).push_back(zone);
    }
    return wrong.verdict == Verdict::Yes ? judgeZones(forward, backward) : wrong;
}

} // namespace lhrs::check
