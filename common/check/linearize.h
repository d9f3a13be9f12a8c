// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"
#include "common/check/state_search.h"

namespace lhrs::check {

// The front door: is the history of a key linearizable (I8)? By zones where they can tell, else by the search. Keys are
// independent of each other; the caller may judge them in parallel.
Judgement judge(const History& history, const SearchLimits& limits = {});

// For a history that is not: its shortest prefix that is not either. Each prefix of a linearizable history is
// linearizable, so it is found by halving. The last answer in it is the one that no order explains.
Prefix shortestIllegalPrefix(const History& history, const SearchLimits& limits = {});

// Where each operation of a linearizable history could take effect, by its index: those invocation times at which some
// legal order has it (whatever took effect later than that, but before the next invocation, might as well have done so
// then). Asks `judge` once for each, so it is for short histories.
std::vector<std::vector<HistoryTime>> possibleInstants(const History& history, const SearchLimits& limits = {});

// What is to be said of a key: nothing, or one violation with the shortest illegal prefix, an operation per line, of a
// long one the last `linesMax`. Verdict::Unknown is a violation too: what was not checked has not passed.
Violations checkHistory(
    std::uint64_t key, const History& history, const SearchLimits& limits = {}, std::size_t linesMax = 30);

} // namespace lhrs::check
