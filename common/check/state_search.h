// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"

namespace lhrs::check {

// Search for a legal order of inserts, updates, deletes and searches of one key, whose state is absent or a value. It
// is the search of Wing and Gong ("Testing and verifying concurrent objects", JPDC 17, 1993) with Lowe's two additions
// ("Testing for linearizability", Concurrency and Computation 29(4), 2017): memory, so that nothing is looked at twice,
// and just-in-time steps.
//
// It walks through invocations and answers in the order of time and carries the set of all possible configurations: the
// key's state and which of the open operations have taken effect. An operation takes effect only when some answer
// needs it: at the answer of x, each configuration that lacks x is extended by open operations, in all ways, until x
// is among them. Nothing is lost by waiting so long, since between two answers nobody can tell. The history is illegal
// if no configuration is left. Where no operation is open, a configuration is the state alone: there the history falls
// into pieces by itself, and what is carried across the cut is exactly the set of possible states. An operation of
// unknown outcome stays open to the end and may be left out.
//
// The set would still double with each open change. Five rules keep it small; none loses a legal order:
//  1. What changes nothing (a search, EXISTS, NOT_FOUND) takes effect as soon as the state permits: it is in nobody's way.
//  2. A value that is written once, and will be found by searches not yet invoked, is not overwritten: it cannot come back.
//  3. Values that no later search finds are one state, "spent": what is left to happen cannot tell them apart.
//  4. While the state is spent, an open update whose value no later search finds takes effect at once, with the
//     searches that find it: the state is spent afterwards as before, and any legal rest stays legal without it.
//  5. Of open deletes, and of open inserts whose value nobody will find, only the one that is answered first is tried:
//     they can change places.
// Moreover, of two configurations that differ in operations of unknown outcome only, the one that has used fewer of them
// can do all that the other can. With updates and searches of unique values the set then stays
// about as small as the number of open operations; what remains exponential is bounded by `SearchLimits`.
struct SearchLimits {
    std::uint64_t configurations = 1'000'000; // looked at, in all; beyond: Verdict::Unknown
};

// Yes, No, or Unknown if the limit is reached or more than 64 changes are open at once. The culprit of a No is the
// operation by whose answer it is clear; because of rules 2 and 4 this may be earlier than the end of the shortest
// illegal prefix (linearize.h).
Judgement judgeByStates(const History& history, const SearchLimits& limits = {});

} // namespace lhrs::check
