// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/requests.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

// What clients saw of one key: the input of the linearizability checkers (zones.h, state_search.h). Each key is judged
// on its own: a history of several objects is linearizable if and only if the history of each object is (Herlihy and
// Wing 1990).
namespace lhrs::check {

// Times are integers of one clock; the unit does not matter. An operation that ends at the instant at which another
// begins is concurrent with it.
using HistoryTime = std::int64_t;
inline constexpr HistoryTime kNever = std::numeric_limits<HistoryTime>::max();
inline constexpr HistoryTime kBeforeAll = std::numeric_limits<HistoryTime>::min();

// A value is identified by the write that produced it, in 64 bits: the client (24 bits, numbered by the recorder) and
// its request. This avoids text on the hot path.
constexpr std::uint64_t fingerprint(std::uint64_t client, std::uint64_t request)
{
    return client << 40 | (request & ((std::uint64_t(1) << 40) - 1));
}
constexpr std::uint64_t clientOf(std::uint64_t value) { return value >> 40; }
constexpr std::uint64_t requestOf(std::uint64_t value) { return value & ((std::uint64_t(1) << 40) - 1); }

// What is known of an operation's effect when its client continues.
enum class Certainty {
    Done, // OK, EXISTS, NOT_FOUND: it took effect between invocation and answer; the answer says what it found
    NotDone, // RETRY, INVALID: it certainly has no effect
    Open, // UNKNOWN_OUTCOME, or no answer yet: it may take effect later or never. Also a change that got LOST: its
          // server may have applied it before the loss
};
Certainty certaintyOf(Outcome outcome);

struct Operation {
    HistoryTime invoked = 0;
    HistoryTime answered = kNever; // kNever while its certainty is Open
    std::uint64_t value = 0; // what an insert or update writes, or what a search that got OK found
    std::uint32_t process = 0;
    RequestKind kind = RequestKind::Search;
    Outcome outcome = Outcome::Unknown;
    HistoryTime toldLost = kNever; // when LOST was answered
    bool operator==(const Operation&) const = default;
};

// What held the key has been declared lost. LOST may be answered only during a loss.
struct Loss {
    HistoryTime from = 0;
    HistoryTime until = kNever; // when the loss is acknowledged and the group serves again
    bool isRecordLost = true; // false: a live server among lost ones, which keeps its records and answers searches
};

// The operations on one key, in any order. A process runs one operation at a time. If a result is unknown, the
// operation stays open and the process continues as if under a new id, because nothing orders the two.
class History {
public:
    explicit History(std::optional<std::uint64_t> valueBefore = {}) : m_valueBefore(valueBefore) { }

    // Returns the index to be passed to `answer`. `value` is the value to be written.
    std::size_t invoke(std::uint32_t process, RequestKind kind, std::uint64_t value, HistoryTime now);
    // `value` is what a search found. A request that is repeated after UNKNOWN_OUTCOME may be answered later; it is
    // still the same operation.
    void answer(std::size_t index, Outcome outcome, HistoryTime now, std::uint64_t value = 0);
    void add(const Operation& operation) { m_operations.push_back(operation); }
    void lost(const Loss& loss) { m_losses.push_back(loss); }

    // The key's value before the first operation; none: the key does not exist.
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

// A checker's result for a history. A No also names the invariant (8 linearizable, 18 honesty, 19 no invention), the
// operation at fault if there is one, and a sentence.
struct Judgement {
    Verdict verdict = Verdict::Yes;
    int invariant = 8;
    std::size_t culprit = kNoOperation;
    std::string reason;
};

// Judges each answer on its own: EXISTS does not answer a search, every value must have a writer, LOST needs a loss,
// and nothing may be told of a lost record. Returns Yes if there is nothing to report.
Judgement judgeAnswers(const History& history);

// What the observer knew right after the nth answer, in order of time, without later answers and invocations. Every
// prefix of a linearizable history is linearizable.
struct Prefix {
    History history; // ordered by invocation
    std::vector<std::size_t> original; // index in the whole history, by index in the prefix
    std::size_t lastAnswered = kNoOperation; // index in the prefix
};
std::size_t answersOf(const History& history);
Prefix prefixOf(const History& history, std::size_t answers);

// "12..19  client 3  update 3.118: OK"
std::string describe(const Operation& operation);
std::string describeValue(std::uint64_t value);

} // namespace lhrs::check
