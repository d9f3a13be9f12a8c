// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/states.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

// What clients saw of one key: the input of the linearizability checkers (zones.h, state_search.h). Keys are judged
// apart: a history of several objects is linearizable if and only if that of each object is (Herlihy and Wing 1990).
namespace lhrs::check {

// Times are integers of one clock, its unit does not matter. What ends at the instant at which something else begins
// is concurrent with it.
using HistoryTime = std::int64_t;
inline constexpr HistoryTime kNever = std::numeric_limits<HistoryTime>::max();
inline constexpr HistoryTime kBeforeAll = std::numeric_limits<HistoryTime>::min();

// A value is judged by which write it comes from, 64 bits: the client (numbered by whoever records, 24 bits) and its
// request. No text on the hot path.
constexpr std::uint64_t fingerprint(std::uint64_t client, std::uint64_t request)
{
    return client << 40 | (request & ((std::uint64_t(1) << 40) - 1));
}
constexpr std::uint64_t clientOf(std::uint64_t value) { return value >> 40; }
constexpr std::uint64_t requestOf(std::uint64_t value) { return value & ((std::uint64_t(1) << 40) - 1); }

// What is known of an operation's effect when its client goes on.
enum class Certainty {
    Done,    // OK, EXISTS, NOT_FOUND: it took effect between invocation and answer, and the answer says what it met
    NotDone, // RETRY, INVALID: it surely has none
    Open,    // UNKNOWN_OUTCOME, or no answer yet: it may take effect later or never. Also a change that got LOST: the
             // bucket may have carried it out before it was lost
};
Certainty certaintyOf(Outcome outcome);

struct Operation {
    HistoryTime invoked = 0;
    HistoryTime answered = kNever; // kNever as long as its certainty is Open
    std::uint64_t value = 0;       // what an insert or update writes, what a search that got OK found
    std::uint32_t process = 0;
    RequestKind kind = RequestKind::Search;
    Outcome outcome = Outcome::Unknown;
    HistoryTime toldLost = kNever; // when LOST was answered
    bool operator==(const Operation&) const = default;
};

// The key's bucket is declared lost. Only then LOST may be answered.
struct Loss {
    HistoryTime from = 0;
    HistoryTime until = kNever; // the loss is acknowledged, the group serves again
    bool isRecordLost = true;   // false: a live bucket of a LOST group, it keeps its records and answers searches
};

// What happened to the key, in any order. A process does one after the other; when a result is unknown, the
// operation stays open and the process goes on beside it, as if under a new id: nothing orders the two.
class History {
public:
    explicit History(std::optional<std::uint64_t> valueBefore = {})
        : m_valueBefore(valueBefore)
    {
    }

    // Returns the index for `answer`. `value` is what is to be written.
    std::size_t invoke(std::uint32_t process, RequestKind kind, std::uint64_t value, HistoryTime now);
    // `value` is what a search found. A request that is repeated after UNKNOWN_OUTCOME may be answered later; it is the
    // same operation then.
    void answer(std::size_t index, Outcome outcome, HistoryTime now, std::uint64_t value = 0);
    void add(const Operation& operation) { m_operations.push_back(operation); }
    void lost(const Loss& loss) { m_losses.push_back(loss); }

    // The key's value before the first operation; nothing: there is no such key.
    const std::optional<std::uint64_t>& valueBefore() const { return m_valueBefore; }
    const std::vector<Operation>& operations() const { return m_operations; }
    const std::vector<Loss>& losses() const { return m_losses; }

private:
    std::optional<std::uint64_t> m_valueBefore;
    std::vector<Operation> m_operations;
    std::vector<Loss> m_losses;
};

enum class Verdict { Yes, No, Unknown };
const char* nameOf(Verdict verdict);

inline constexpr std::size_t kNoOperation = std::numeric_limits<std::size_t>::max();

// What a checker says of a history. For No also the invariant (8 linearizable, 18 honesty, 19 no invention), an
// operation that it hangs on, if there is one, and a sentence.
struct Judgement {
    Verdict verdict = Verdict::Yes;
    int invariant = 8;
    std::size_t culprit = kNoOperation;
    std::string reason;
};

// What each answer says by itself: EXISTS is no answer to a search, a value must have a writer, LOST a loss, and of a
// lost record nothing may be told. Yes if there is nothing to say.
Judgement judgeAnswers(const History& history);

// What the observer knew right after the nth answer, in the order of time: later answers are not there yet, later
// invocations neither. A linearizable history has only linearizable prefixes.
struct Prefix {
    History history;                     // its operations by invocation
    std::vector<std::size_t> original;   // index in the whole history, by index in the prefix
    std::size_t lastAnswered = kNoOperation; // index in the prefix
};
std::size_t answersOf(const History& history);
Prefix prefixOf(const History& history, std::size_t answers);

// "12..19  client 3  update 3.118: OK"
std::string describe(const Operation& operation);
std::string describeValue(std::uint64_t value);

} // namespace lhrs::check
