// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"
#include "common/check/state_search.h"

namespace lhrs::check {

// Entry point: is the history of a key linearizable (I8)? Uses zones where they can decide, otherwise the state search.
// Keys are independent, so the caller may judge them in parallel.
Judgement judge(const History& history, const SearchLimits& limits = {});

// The shortest non-linearizable prefix of a history that is not linearizable. Every prefix of a linearizable history is
// linearizable, so a binary search finds it. No order explains its last answer.
Prefix shortestIllegalPrefix(const History& history, const SearchLimits& limits = {});

// For each operation of a linearizable history, by its index, the invocation times at which some legal order has it
// take effect. An operation that takes effect between two invocations could as well have done so at the earlier of
// them. Calls `judge` once for each pair, so use it only for short histories.
std::vector<std::vector<HistoryTime>> possibleInstants(const History& history, const SearchLimits& limits = {});

// The report on a key: nothing, or one violation with the shortest illegal prefix, one line per operation; of a long
// prefix, the last `linesMax`. Verdict::Unknown is a violation too: what was not checked has not passed.
Violations checkHistory(
    std::uint64_t key, const History& history, const SearchLimits& limits = {}, std::size_t linesMax = 30);

} // namespace lhrs::check
