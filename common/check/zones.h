// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"

namespace lhrs::check {

// The zone test of Gibbons and Korach ("Testing shared memories", SIAM J. Comput. 26(4), 1997). The key must exist
// before the first operation and be only updated, put and searched; each value must be written once. Time O(n log n).
//
// A cluster is an update (or a put: the key is there) with the searches that found its value. As each value is written
// once, a legal order is an order of whole clusters: the update, then its searches. Let f be the earliest answer in a
// cluster and s its latest invocation.
//   f < s   forward zone [f, s]: the cluster has begun by f and is not over before s, so it fills all of [f, s].
//   s <= f  backward zone [s, f]: all its operations are open from s to f, so it fits at any single instant of that.
// Cluster A must come before B if and only if f(A) < s(B): some answer of A precedes some invocation of B. A legal
// order exists if and only if these constraints have no cycle and no search ends before its own update begins. In a
// cycle let A have the smallest f, let C be the cluster before A, and D the cluster before C: f(A) <= f(D) < s(C), so A
// must come before C as well as after it. So it is enough to look for two clusters that exclude each other, f(A) < s(B)
// and f(B) < s(A), which means
//   both are forward and overlap in more than a point, or
//   one is backward and lies inside the other, forward one, without touching its ends.
// Two backward zones never exclude each other. The value before the run is an update before all times. An update of
// unknown outcome has its answer at infinity; if no search found its value, its zone is backward without end and lies
// inside no other, as if it had never happened.

// Whether the zone test can judge the history, apart from the uniqueness of values, which judgeByZones checks itself.
bool isForZones(const History& history);

// Unknown only if the history is not for zones or a value is written twice.
Judgement judgeByZones(const History& history);

} // namespace lhrs::check
