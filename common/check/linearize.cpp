// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/linearize.h"

#include "common/check/say.h"
#include "common/check/zones.h"

#include <algorithm>

namespace lhrs::check {

Judgement judge(const History& history, const SearchLimits& limits)
{
    if (Judgement byZones = judgeByZones(history); byZones.verdict != Verdict::Unknown)
        return byZones;
    return judgeByStates(history, limits);
}

Prefix shortestIllegalPrefix(const History& history, const SearchLimits& limits)
{
    std::size_t legal = 0;
    std::size_t illegal = answersOf(history);
    while (illegal - legal > 1) {
        const std::size_t middle = legal + (illegal - legal) / 2;
        const bool isIllegal = judge(prefixOf(history, middle).history, limits).verdict == Verdict::No;
        (isIllegal ? illegal : legal) = middle;
    }
    return prefixOf(history, illegal);
}

std::vector<std::vector<HistoryTime>> possibleInstants(const History& history, const SearchLimits& limits)
{
    std::vector<HistoryTime> invocations;
    for (const Operation& operation : history.operations())
        invocations.push_back(operation.invoked);
    std::sort(invocations.begin(), invocations.end());
    invocations.erase(std::unique(invocations.begin(), invocations.end()), invocations.end());

    std::vector<std::vector<HistoryTime>> instants(history.operations().size());
    for (std::size_t index = 0; index < instants.size(); ++index) {
        const Operation& operation = history.operations()[index];
        const Certainty certainty = certaintyOf(operation.outcome);
        if (certainty == Certainty::NotDone || (certainty == Certainty::Open && operation.kind == RequestKind::Search))
            continue;
        for (const HistoryTime instant : invocations) {
            if (instant < operation.invoked || instant > operation.answered)
                continue;
            // Judge the same history with this operation pinned to this instant.
            History pinned(history.valueBefore());
            for (std::size_t other = 0; other < instants.size(); ++other) {
                Operation one = history.operations()[other];
                if (other == index) {
                    one.invoked = one.answered = instant;
                    one.outcome = certainty == Certainty::Open ? Outcome::Ok : one.outcome;
                }
                pinned.add(one);
            }
            for (const Loss& loss : history.losses())
                pinned.lost(loss);
            if (judge(pinned, limits).verdict == Verdict::Yes)
                instants[index].push_back(instant);
        }
    }
    return instants;
}

Violations checkHistory(std::uint64_t key, const History& history, const SearchLimits& limits, std::size_t linesMax)
{
    const Judgement whole = judge(history, limits);
    if (whole.verdict == Verdict::Yes)
        return {};
    if (whole.verdict == Verdict::Unknown)
        return { { 8, say("key ", key, ": not decided, ", whole.reason) } };

    const Prefix prefix = shortestIllegalPrefix(history, limits);
    const Judgement last = judge(prefix.history, limits);
    const std::vector<Operation>& all = prefix.history.operations();
    std::string text = say("key ", key, ": ", last.reason, "; the shortest prefix that is not linearizable:");
    if (prefix.history.valueBefore())
        text += say("\n    value before: ", describeValue(*prefix.history.valueBefore()));
    const std::size_t first = all.size() - std::min(all.size(), linesMax);
    if (first > 0)
        text += say("\n    ... ", first, " earlier");
    for (std::size_t at = 0; at < all.size(); ++at)
        if (at >= first || at == prefix.lastAnswered)
            text += say(at == prefix.lastAnswered ? "\n  > " : "\n    ", describe(all[at]));
    return { { last.invariant, std::move(text) } };
}

} // namespace lhrs::check
