// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lhrs::check {

// Watches one key of an endless run, in bounded memory, and reports a violation at the answer that shows that
//   - a value was invented (I19),
//   - a search is older than the last acknowledged change before it,
//   - the key's version went back for one client, or between two clients of which one came after the other,
//   - a refused change took effect, or a key is gone although no client deleted it.
// It is the zone test (zones.h) as a stream: each value keeps the earliest answer f and the latest invocation s among
// its operations; a delete is a value that no search finds. Two values A and B conflict if f(A) < s(B) and f(B) < s(A),
// which is tested when an answer moves one of these times. If f(A) < s(B), and f(B) is before everything that is still
// open, B has overwritten A for good, and A is forgotten. So it never reports a false violation. It misses only those
// that need EXISTS, NOT_FOUND, or values that had to be forgotten too early.
//
// Values must be unique, and calls must come in the order of time.
class KeyMonitor {
public:
    explicit KeyMonitor(std::optional<std::uint64_t> valueBefore = {}, std::size_t valuesMax = 64);

    // `operation` has no outcome yet.
    void began(const Operation& operation);
    // The same operation with its outcome; called once. `now` is needed because the operation may have no answer.
    Violations ended(const Operation& operation, HistoryTime now);
    // The record was declared lost: its earlier values no longer matter.
    void lost();

    std::size_t remembered() const { return m_values.size() + m_open.size(); }
    // Number of values that might still have been found but did not fit in memory. Once any is forgotten, unknown
    // values are not judged.
    std::uint64_t forgotten() const { return m_forgotten; }

private:
    struct Value {
        std::uint64_t value = 0;
        HistoryTime f = kNever;
        HistoryTime s = kBeforeAll;
        std::uint32_t process = 0; // the process that got the answer at f
        bool isFound = false; // found by a search at f; false: its write was acknowledged at f
        bool isDelete = false;
        bool isOver = false; // its write has ended
    };

    Value* find(std::uint64_t value);
    Violations foundOrDone(Value& value, const Operation& operation);
    Violations refused(const Operation& operation);
    Violations absent(const Operation& operation);
    void forget(HistoryTime now);

    std::size_t m_valuesMax;
    std::vector<Value> m_values;
    std::vector<HistoryTime> m_open; // invocations
    bool m_mayBeDeleted = false; // a delete has begun
    std::uint64_t m_forgotten = 0;
};

} // namespace lhrs::check
