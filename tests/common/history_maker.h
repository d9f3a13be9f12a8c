// SPDX-License-Identifier: GPL-3.0-or-later
// Histories of one key for the tests of the checkers: legal ones, made by carrying operations out on a real key; noise
// that may make them illegal; and a judge that tries every order.
#pragma once

#include "common/check/history.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace lhrs::check {

struct Dice {
    std::mt19937_64 engine;
    explicit Dice(std::uint64_t seed) : engine(seed) { }
    // 0..n-1
    std::size_t below(std::size_t n) { return std::size_t(engine() % n); }
    HistoryTime upTo(HistoryTime n) { return HistoryTime(engine() % std::uint64_t(n + 1)); }
    bool happens(unsigned percent) { return engine() % 100 < percent; }
};

// What a generated history is to be like.
struct Shape {
    std::uint32_t processes = 3;
    std::size_t operations = 7;
    bool isForZones = false; // the key exists from the start, and is only updated, put and searched
    bool hasPuts = false;
    bool areValuesUnique = true;
    HistoryTime durationMax = 6;
    HistoryTime pauseMax = 4;
    unsigned searchPercent = 45;
    unsigned unknownPercent = 8;
    unsigned retryPercent = 4;
};

inline RequestKind drawnKind(const Shape& shape, Dice& dice)
{
    if (dice.happens(shape.searchPercent))
        return RequestKind::Search;
    if (shape.isForZones)
        return shape.hasPuts && dice.happens(50) ? RequestKind::Put : RequestKind::Update;
    using K = RequestKind;
    constexpr RequestKind kChanges[] { K::Insert, K::Update, K::Delete, K::Put, K::Put, K::Put, K::Delete };
    return kChanges[dice.below(shape.hasPuts ? std::size(kChanges) : 3)];
}

// A linearizable history: each operation takes effect at one random instant between invocation and answer. An operation
// of unknown outcome takes effect later or never.
inline History legalHistory(const Shape& shape, Dice& dice)
{
    struct Plan {
        Operation operation;
        std::optional<HistoryTime> point; // none: no effect
        std::uint64_t luck = 0;
    };
    std::vector<Plan> plans;
    std::vector<HistoryTime> clocks(shape.processes, 0);
    for (std::size_t number = 1; number <= shape.operations; ++number) {
        const auto process = std::uint32_t(dice.below(shape.processes));
        HistoryTime& clock = clocks[process];
        Plan plan;
        plan.luck = dice.engine();
        plan.operation.process = process;
        plan.operation.invoked = clock += dice.upTo(shape.pauseMax);
        plan.operation.kind = drawnKind(shape, dice);
        clock += dice.upTo(shape.durationMax);
        plan.operation.answered = clock;
        plan.operation.outcome = Outcome::Ok;
        plan.operation.value = fingerprint(process, shape.areValuesUnique ? number : 1 + dice.below(2));
        plan.point = plan.operation.invoked + dice.upTo(plan.operation.answered - plan.operation.invoked);
        if (dice.happens(shape.unknownPercent)) {
            plan.operation.outcome = Outcome::Unknown;
            plan.operation.answered = kNever;
            *plan.point += dice.upTo(3 * shape.durationMax);
            if (dice.happens(40))
                plan.point.reset();
        } else if (dice.happens(shape.retryPercent)) {
            plan.operation.outcome = Outcome::Retry;
            plan.point.reset();
        }
        ++clock; // the next operation of a process begins after this one
        plans.push_back(plan);
    }
    std::vector<std::size_t> order;
    for (std::size_t at = 0; at < plans.size(); ++at)
        if (plans[at].point)
            order.push_back(at);
    std::sort(order.begin(), order.end(), [&plans](std::size_t a, std::size_t b) {
        return std::pair(*plans[a].point, plans[a].luck) < std::pair(*plans[b].point, plans[b].luck);
    });

    std::optional<std::uint64_t> state;
    if (shape.isForZones || dice.happens(50))
        state = fingerprint(1000, 1);
    History history(state);
    for (const std::size_t at : order) {
        Operation& operation = plans[at].operation;
        Outcome outcome = Outcome::Ok;
        if (operation.kind == RequestKind::Insert)
            outcome = state ? Outcome::Exists : Outcome::Ok;
        else if (operation.kind != RequestKind::Put)
            outcome = state ? Outcome::Ok : Outcome::NotFound;
        if (operation.kind == RequestKind::Search)
            operation.value = state.value_or(0);
        else if (outcome == Outcome::Ok)
            state = operation.kind == RequestKind::Delete ? std::nullopt : std::optional(operation.value);
        if (operation.outcome == Outcome::Ok)
            operation.outcome = outcome;
    }
    for (Plan& plan : plans) {
        if (plan.operation.kind == RequestKind::Search && plan.operation.outcome != Outcome::Ok)
            plan.operation.value = 0;
        history.add(plan.operation);
    }
    return history;
}

inline History withOperations(const History& like, const std::vector<Operation>& operations)
{
    History history(like.valueBefore());
    for (const Operation& operation : operations)
        history.add(operation);
    return history;
}

// A few random changes: about a third of the small histories become illegal.
inline History noisy(const History& history, Dice& dice)
{
    std::vector<Operation> all = history.operations();
    for (std::size_t changes = 1 + dice.below(4); changes > 0; --changes) {
        Operation& one = all[dice.below(all.size())];
        const Operation& other = all[dice.below(all.size())];
        if (one.kind == RequestKind::Search && one.outcome == Outcome::Ok && other.kind != RequestKind::Delete
            && other.outcome != Outcome::NotFound) {
            one.value = other.value;
        } else if (certaintyOf(one.outcome) == Certainty::Done) {
            const HistoryTime move = dice.upTo(8) - 4;
            one.invoked += move;
            one.answered += move;
        } else if (one.outcome == Outcome::Unknown && one.kind != RequestKind::Search) {
            one.outcome = Outcome::Ok;
            one.answered = one.invoked + dice.upTo(4);
        }
    }
    return withOperations(history, all);
}

// The moments of a history in time order, as a recorder reports them: `began` or `ended` with the operation.
inline void replay(const History& history, const std::function<void(const Operation&)>& began,
    const std::function<void(const Operation&, HistoryTime now)>& ended)
{
    struct Moment {
        HistoryTime at = 0;
        bool isEnd = false;
        std::size_t operation = 0;
        auto operator<=>(const Moment&) const = default;
    };
    std::vector<Moment> moments;
    for (std::size_t at = 0; at < history.operations().size(); ++at) {
        const Operation& operation = history.operations()[at];
        const bool isOpen = operation.answered == kNever;
        moments.push_back({ operation.invoked, false, at });
        moments.push_back({ isOpen ? operation.invoked + 20 : operation.answered, true, at });
    }
    std::sort(moments.begin(), moments.end());
    for (const Moment& moment : moments) {
        const Operation& operation = history.operations()[moment.operation];
        if (moment.isEnd) {
            ended(operation, moment.at);
        } else {
            Operation begun = operation;
            begun.outcome = Outcome::Unknown;
            begun.answered = kNever;
            if (begun.kind == RequestKind::Search)
                begun.value = 0;
            began(begun);
        }
    }
}

// ---- every order

// Whether some order of the operations, each between its invocation and its answer, explains all answers. It tries all
// orders without memory: it shares no code with the checkers.
class EveryOrder {
public:
    explicit EveryOrder(const History& history)
        : m_all(history.operations()), m_isDone(m_all.size(), false), m_state(history.valueBefore())
    {
    }

    bool explains()
    {
        bool isComplete = true;
        HistoryTime firstAnswer = kNever;
        for (std::size_t at = 0; at < m_all.size(); ++at)
            if (!m_isDone[at] && certaintyOf(m_all[at].outcome) == Certainty::Done) {
                isComplete = false;
                firstAnswer = std::min(firstAnswer, m_all[at].answered);
            }
        if (isComplete)
            return true;
        for (std::size_t at = 0; at < m_all.size(); ++at) {
            if (m_isDone[at] || m_all[at].invoked > firstAnswer)
                continue;
            const std::optional<std::uint64_t> before = m_state;
            m_isDone[at] = true;
            const bool isFound = takesEffect(m_all[at]) && explains();
            m_isDone[at] = false;
            m_state = before;
            if (isFound)
                return true;
        }
        return false;
    }

private:
    bool takesEffect(const Operation& operation)
    {
        const bool isOpen = operation.outcome == Outcome::Unknown;
        Outcome met = m_state || operation.kind == RequestKind::Put ? Outcome::Ok : Outcome::NotFound;
        if (operation.kind == RequestKind::Insert)
            met = m_state ? Outcome::Exists : Outcome::Ok;
        if (!isOpen && met != operation.outcome)
            return false;
        if (operation.kind == RequestKind::Search)
            return !isOpen && (!m_state || *m_state == operation.value);
        if (met == Outcome::Ok)
            m_state = operation.kind == RequestKind::Delete ? std::nullopt : std::optional(operation.value);
        return true;
    }

    const std::vector<Operation>& m_all;
    std::vector<bool> m_isDone;
    std::optional<std::uint64_t> m_state;
};

inline bool isExplainedBySomeOrder(const History& history) { return EveryOrder(history).explains(); }

// ---- mutations

// What a faulty store or a faulty recorder would do to a history. Empty if the mutation does not apply.
using Mutation = std::function<std::optional<History>(const History&, Dice&)>;

namespace mutation {

inline bool isFound(const Operation& o) { return o.kind == RequestKind::Search && o.outcome == Outcome::Ok; }
inline bool isWritten(const Operation& o) { return isWrite(o.kind) && o.outcome == Outcome::Ok; }
inline bool isDone(const Operation& o) { return certaintyOf(o.outcome) == Certainty::Done; }

// A random operation for which `is` holds.
template <class Is> std::optional<std::size_t> drawn(const std::vector<Operation>& all, Dice& dice, Is&& is)
{
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at < all.size(); ++at)
        if (is(all[at]))
            found.push_back(at);
    return found.empty() ? std::nullopt : std::optional(found[dice.below(found.size())]);
}

// A mutation that changes one random operation for which `is` holds.
template <class Is, class Change> Mutation ofOne(Is is, Change change)
{
    return [is, change](const History& history, Dice& dice) -> std::optional<History> {
        std::vector<Operation> all = history.operations();
        const auto at = drawn(all, dice, is);
        if (!at || !change(all, *at, dice))
            return {};
        return withOperations(history, all);
    };
}

// The search at `at` finds the value of a write that is over before the search begins (or begins after the search
// ends).
inline bool findAnother(std::vector<Operation>& all, std::size_t at, Dice& dice, bool isEarlier)
{
    const Operation search = all[at];
    const auto other = drawn(all, dice, [&search, isEarlier](const Operation& o) {
        const bool isApart = isEarlier ? o.answered < search.invoked : o.invoked > search.answered;
        return isWritten(o) && o.value != search.value && isApart;
    });
    if (other)
        all[at].value = all[*other].value;
    return other.has_value();
}

} // namespace mutation

inline std::vector<std::pair<const char*, Mutation>> mutations()
{
    using namespace mutation;
    using All = std::vector<Operation>;
    const auto add = [](const char* name, Mutation mutate) { return std::pair(name, std::move(mutate)); };
    return {
        add("values of two searches swapped",
            ofOne(isFound,
                [](All& all, std::size_t at, Dice& dice) {
                    const auto other = drawn(
                        all, dice, [&](const Operation& o) { return isFound(o) && o.value != all[at].value; });
                    if (other)
                        std::swap(all[at].value, all[*other].value);
                    return other.has_value();
                })),
        add("write dropped",
            ofOne(isWritten,
                [](All& all, std::size_t at, Dice&) {
                    all.erase(all.begin() + std::ptrdiff_t(at));
                    return true;
                })),
        add("write refused although it happened",
            ofOne(isWritten,
                [](All& all, std::size_t at, Dice&) {
                    all[at].outcome = Outcome::Retry;
                    return true;
                })),
        add("answer moved to the invocation",
            ofOne(isDone,
                [](All& all, std::size_t at, Dice&) {
                    return std::exchange(all[at].answered, all[at].invoked) != all[at].invoked;
                })),
        add("invocation moved to the answer",
            ofOne(isDone,
                [](All& all, std::size_t at, Dice&) {
                    return std::exchange(all[at].invoked, all[at].answered) != all[at].answered;
                })),
        add("operation moved in time",
            ofOne(isDone,
                [](All& all, std::size_t at, Dice& dice) {
                    const HistoryTime move = (dice.happens(50) ? 1 : -1) * (5 + dice.upTo(10));
                    all[at].invoked += move;
                    all[at].answered += move;
                    return true;
                })),
        add("search doubled later",
            ofOne(isFound,
                [](All& all, std::size_t at, Dice& dice) {
                    Operation again = all[at];
                    again.invoked = again.answered + 1 + dice.upTo(10);
                    again.answered = again.invoked + dice.upTo(2);
                    all.push_back(again);
                    return true;
                })),
        add("search finds an older value",
            ofOne(isFound, [](All& all, std::size_t at, Dice& dice) { return findAnother(all, at, dice, true); })),
        add("search finds a later value",
            ofOne(isFound, [](All& all, std::size_t at, Dice& dice) { return findAnother(all, at, dice, false); })),
        add("search finds what nobody wrote",
            ofOne(isFound,
                [](All& all, std::size_t at, Dice&) {
                    all[at].value = fingerprint(77, 77);
                    return true;
                })),
        add("found becomes not found",
            ofOne(isFound,
                [](All& all, std::size_t at, Dice&) {
                    all[at].outcome = Outcome::NotFound;
                    all[at].value = 0;
                    return true;
                })),
        add("result of a change turned round",
            ofOne([](const Operation& o) { return isDone(o) && o.kind != RequestKind::Search; },
                [](All& all, std::size_t at, Dice&) {
                    const Outcome no = all[at].kind == RequestKind::Insert ? Outcome::Exists : Outcome::NotFound;
                    all[at].outcome = all[at].outcome == Outcome::Ok ? no : Outcome::Ok;
                    return true;
                })),
    };
}

} // namespace lhrs::check
