// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"

namespace lhrs::check {

// Searches for a legal order of inserts, updates, puts, deletes and searches of one key, whose state is absent or a
// value. It is the search of Wing and Gong ("Testing and verifying concurrent objects", JPDC 17, 1993) with Lowe's two
// additions ("Testing for linearizability", Concurrency and Computation 29(4), 2017): memoization, so that no
// configuration is examined twice, and just-in-time linearization.
//
// It walks through invocations and answers in the order of time and keeps the set of all possible configurations: the
// key's state and which of the open operations have taken effect. An operation takes effect only when some answer needs
// it: at the answer of x, each configuration without x is extended by open operations, in all ways, until x is among
// them. Waiting so long loses nothing, since between two answers no client can tell. The history is illegal if no
// configuration is left. Where no operation is open, a configuration is the state alone. There the history falls into
// independent pieces, and the set carried across the cut is exactly the set of possible states. An operation of unknown
// outcome stays open to the end and may be left out.
//
// The set would still double with each open change. Five rules keep it small; none loses a legal order:
//  1. An operation that changes nothing (a search, EXISTS, NOT_FOUND) takes effect as soon as the state permits,
//     because it blocks no other operation.
//  2. A value that is written once, and will be found by searches not yet invoked, is not overwritten: it cannot
//     return.
//  3. Values that no later search finds are one state, "spent": the remaining operations cannot tell them apart.
//  4. While the state is spent, an open update whose value no later search finds takes effect at once, with the
//     searches that find it: the state is spent before and after, and any legal remainder stays legal without it.
//     (Not a put: later, when the key is gone, it could bring it back.)
//  5. Of open deletes, of open inserts whose value no search will find, and of such puts, only the one answered first
//     is tried: they are interchangeable.
// Moreover, of two configurations that differ only in operations of unknown outcome, the one that has used fewer of
// them can do everything that the other can. With updates and searches of unique values the set then stays about as
// small as the number of open operations; any remaining exponential growth is bounded by `SearchLimits`.
struct SearchLimits {
    std::uint64_t configurations = 1'000'000; // examined in all; beyond this: Verdict::Unknown
};

// Yes, No, or Unknown if the limit is reached or more than 64 changes are open at once. The culprit of a No is the
// operation at whose answer the violation is certain. Because of rules 2 and 4 this may be earlier than the end of the
// shortest illegal prefix (linearize.h).
Judgement judgeByStates(const History& history, const SearchLimits& limits = {});

} // namespace lhrs::check
