// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lhrs::check {

// Watches one key of an endless run, in bounded memory, and complains at the answer that shows that
//   - a value was invented (I19),
//   - a search is older than the last acknowledged change before it,
//   - the key's version went back for a client, or between two clients of which one came after the other,
//   - a change that was refused happened, or a key is gone that nobody deleted.
// It is the zone test (zones.h) as a stream: each value keeps the earliest answer f and the latest invocation s among
// its operations, a delete is a value that nobody finds. Two exclude each other if f(A) < s(B) and f(B) < s(A), which
// is looked at when an answer moves one of them. If f(A) < s(B), and f(B) is before everything that is still open, B has
// overwritten A for good, and A is forgotten. So it never complains without reason, and it misses only what needs
// EXISTS, NOT_FOUND, or values that had to be forgotten too early to be seen.
//
// Values must be unique, and calls come in the order of time.
class KeyMonitor {
public:
    explicit KeyMonitor(std::optional<std::uint64_t> valueBefore = {}, std::size_t valuesMax = 64);

    // `operation` has no outcome yet.
    void began(const Operation& operation);
    // The same operation with its outcome, once; `now` as it may have no answer.
    Violations ended(const Operation& operation, HistoryTime now);
    // The record was lost, which was declared: what it was before does not matter.
    void lost();

    std::size_t remembered() const { return m_values.size() + m_open.size(); }
    // Values that might still have been found but were too many to be remembered. From then on an unknown value is
    // not judged.
    std::uint64_t forgotten() const { return m_forgotten; }

private:
    struct Value {
        std::uint64_t value = 0;
        HistoryTime f = kNever;
        HistoryTime s = kBeforeAll;
        std::uint32_t process = 0; // that got the answer at f
        bool isFound = false;      // by a search at f, not acknowledged
        bool isDelete = false;
        bool isOver = false;       // its write has ended
    };

    Value* find(std::uint64_t value);
    Violations foundOrDone(Value& value, const Operation& operation);
    Violations refused(const Operation& operation);
    Violations absent(const Operation& operation);
    void forget(HistoryTime now);

    std::size_t m_valuesMax;
    std::vector<Value> m_values;
    std::vector<HistoryTime> m_open; // invocations
    bool m_mayBeDeleted = false;     // somebody has begun to delete it
    std::uint64_t m_forgotten = 0;
};

} // namespace lhrs::check
