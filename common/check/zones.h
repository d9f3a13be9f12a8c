// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"

namespace lhrs::check {

// The zone test of Gibbons and Korach ("Testing shared memories", SIAM J. Comput. 26(4), 1997) for a key that is there
// before the first operation, is only updated and searched, and each value of which is written once. Time O(n log n).
//
// A cluster is an update with the searches that found its value. As no value comes twice, a legal order is one of whole
// clusters: the update, then its searches. Let f be the earliest answer in a cluster and s its latest invocation.
//   f < s   forward zone [f, s]: the cluster has begun by f and is not over before s, so it fills all of [f, s].
//   s <= f  backward zone [s, f]: all its operations are open from s to f, so it fits into any one instant of that.
// Cluster A must come before B if and only if f(A) < s(B): some answer of A precedes some invocation of B. A legal order
// exists if and only if these demands have no circle and no search ends before its own update begins. In a circle let A
// have the smallest f, let C be the one before A, and D the one before C: f(A) <= f(D) < s(C), so A must come before C
// as well as after it. So it is enough to look for two that exclude each other, f(A) < s(B) and f(B) < s(A), which is
//   both are forward and overlap in more than a point, or
//   one is backward and lies inside the other, forward one, without touching its ends.
// Two backward ones never do. The value before the run is an update before all times. An update of unknown outcome has
// its answer at infinity; if nobody read it, its zone is backward without end and lies inside none, as if it had never
// happened.

// Whether the zone test can judge the history: but for unique values, which it finds out itself.
bool isForZones(const History& history);

// Unknown only if the history is not for zones or a value is written twice.
Judgement judgeByZones(const History& history);

} // namespace lhrs::check
