// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/state_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <set>
#include <tuple>

namespace lhrs::check {

namespace {

using State = std::uint32_t;
using Slots = std::uint64_t; // one bit per open operation
constexpr State kAbsent = 0;
constexpr State kSpent = 1; // present, with a value that no later search finds
constexpr State kFirstValue = 2;
constexpr std::size_t kNoEvent = 0; // events are counted from 1
constexpr unsigned kSlotsMax = 64;

constexpr Slots bit(unsigned slot) { return Slots(1) << slot; }

enum class Needs : std::uint8_t { Nothing, Absent, Present, Value };
enum class Gives : std::uint8_t { Same, Absent, Value };

// An operation in the form that the search uses.
struct Step {
    Needs needs = Needs::Nothing;
    Gives gives = Gives::Same;
    bool isOptional = false;
    State value = kSpent;
    HistoryTime answered = kNever;
};

struct Event {
    HistoryTime at = 0;
    bool isAnswer = false; // at equal times, an invocation comes before an answer
    std::size_t step = 0;
    auto operator<=>(const Event&) const = default;
};

struct Configuration {
    State state = kAbsent;
    Slots done = 0;
    auto operator<=>(const Configuration&) const = default;
};

// What is known of a value before the walk.
struct Value {
    std::uint32_t writers = 0;
    std::uint32_t openSearches = 0;
    std::size_t lastInvoked = kNoEvent; // the last search that finds it
};

bool isChange(const Step& step) { return step.gives != Gives::Same; }
bool isUpdate(const Step& step) { return step.needs == Needs::Present && step.gives == Gives::Value; }
bool isPut(const Step& step) { return step.needs == Needs::Nothing && step.gives == Gives::Value; }
bool isDelete(const Step& step) { return step.needs == Needs::Present && step.gives == Gives::Absent; }
bool isInsert(const Step& step) { return step.needs == Needs::Absent && step.gives == Gives::Value; }

bool isPossible(const Step& step, State state)
{
    switch (step.needs) {
    case Needs::Nothing: return true;
    case Needs::Absent: return state == kAbsent;
    case Needs::Present: return state != kAbsent;
    case Needs::Value: return state == step.value;
    }
    return false;
}

class Search {
public:
    Search(const History& history, const SearchLimits& limits) : m_budget(limits.configurations) { prepare(history); }

    Judgement run();

private:
    void prepare(const History& history);
    void addStep(const Operation& operation, std::size_t at);
    State idOf(std::uint64_t value) const;

    bool invoked(std::size_t step);
    bool answered(std::size_t step);
    void reach(unsigned target, const Configuration& from);
    void close(unsigned slot);
    void closeWriterOf(State value);
    void settle(Configuration& configuration) const;
    void tidy();
    Slots optionalSlots() const;
    bool isReadLater(State value) const { return m_values[value].lastInvoked > m_now; }
    bool isHeld(State state) const;
    bool isTried(unsigned slot, Slots done) const;
    bool isInterchangeable(const Step& a, const Step& b) const;

    // Set before the walk.
    std::vector<std::uint64_t> m_written; // sorted: a value's id is its index, from kFirstValue on
    std::vector<Value> m_values; // by id
    std::vector<Step> m_steps;
    std::vector<std::size_t> m_operations; // by step
    std::vector<Event> m_events;
    std::uint64_t m_budget;

    // State of the walk.
    std::size_t m_now = kNoEvent;
    Slots m_open = 0;
    std::array<Step, kSlotsMax> m_slots {};
    std::vector<unsigned> m_slotOf; // by step
    std::vector<Configuration> m_configurations;
    std::set<Configuration> m_seen; // configurations seen at one answer
    std::vector<Configuration> m_stack;
    std::vector<Configuration> m_reached;
};

// ---- before the walk

State Search::idOf(std::uint64_t value) const
{
    const auto at = std::lower_bound(m_written.begin(), m_written.end(), value);
    return kFirstValue + State(at - m_written.begin());
}

void Search::addStep(const Operation& operation, std::size_t at)
{
    const Certainty certainty = certaintyOf(operation.outcome);
    const bool isSearch = operation.kind == RequestKind::Search;
    if (certainty == Certainty::NotDone || (isSearch && certainty == Certainty::Open))
        return; // it neither reveals nor changes anything
    Step step;
    step.isOptional = certainty == Certainty::Open;
    step.answered = operation.answered;
    const bool isOk = operation.outcome == Outcome::Ok || step.isOptional;
    if (operation.outcome == Outcome::Exists)
        step.needs = Needs::Present;
    else if (!isOk || operation.kind == RequestKind::Insert)
        step.needs = Needs::Absent;
    else if (operation.kind != RequestKind::Put)
        step.needs = isSearch ? Needs::Value : Needs::Present;
    if (isOk && !isSearch)
        step.gives = operation.kind == RequestKind::Delete ? Gives::Absent : Gives::Value;
    if (isOk && operation.kind != RequestKind::Delete)
        step.value = idOf(operation.value);
    m_values[step.value].writers += step.gives == Gives::Value ? 1 : 0;
    m_events.push_back({ operation.invoked, false, m_steps.size() });
    if (!step.isOptional)
        m_events.push_back({ operation.answered, true, m_steps.size() });
    m_steps.push_back(step);
    m_operations.push_back(at);
}

void Search::prepare(const History& history)
{
    for (const Operation& operation : history.operations())
        m_written.push_back(operation.value);
    if (history.valueBefore())
        m_written.push_back(*history.valueBefore());
    std::sort(m_written.begin(), m_written.end());
    m_written.erase(std::unique(m_written.begin(), m_written.end()), m_written.end());
    m_values.resize(kFirstValue + m_written.size());

    for (std::size_t at = 0; at < history.operations().size(); ++at)
        addStep(history.operations()[at], at);
    for (const Loss& loss : history.losses()) {
        if (!loss.isRecordLost)
            continue;
        // The record disappears at some time before the group serves again; until then it may still be there.
        m_events.push_back({ loss.from, false, m_steps.size() });
        if (loss.until != kNever)
            m_events.push_back({ loss.until, true, m_steps.size() });
        m_steps.push_back({ Needs::Nothing, Gives::Absent, loss.until == kNever, kSpent, loss.until });
        m_operations.push_back(kNoOperation);
    }
    std::sort(m_events.begin(), m_events.end());
    for (std::size_t at = 0; at < m_events.size(); ++at) {
        const Step& step = m_steps[m_events[at].step];
        if (!m_events[at].isAnswer && step.needs == Needs::Value)
            m_values[step.value].lastInvoked = at + 1;
    }
    m_slotOf.resize(m_steps.size(), kSlotsMax);

    Configuration first;
    if (history.valueBefore()) {
        first.state = idOf(*history.valueBefore());
        ++m_values[first.state].writers;
    }
    settle(first);
    m_configurations.push_back(first);
}

// ---- the walk

Judgement Search::run()
{
    for (const Event& event : m_events) {
        ++m_now;
        const bool isWithinLimits = event.isAnswer ? answered(event.step) : invoked(event.step);
        if (!isWithinLimits)
            return { Verdict::Unknown, 8, m_operations[event.step], "too many possibilities" };
        if (m_configurations.empty())
            return { Verdict::No, 8, m_operations[event.step], "no order of the operations explains this answer" };
    }
    return {};
}

bool Search::invoked(std::size_t index)
{
    const Step& step = m_steps[index];
    if (step.isOptional && isUpdate(step) && m_values[step.value].lastInvoked == kNoEvent)
        return true; // the outcome is unknown and the value was never read: it may never have happened
    if (step.needs == Needs::Value)
        ++m_values[step.value].openSearches;
    const unsigned slot = unsigned(std::countr_one(m_open));
    if (slot >= kSlotsMax)
        return false;
    m_slotOf[index] = slot;
    m_slots[slot] = step;
    m_open |= bit(slot);
    for (Configuration& configuration : m_configurations)
        settle(configuration);
    tidy();
    return true;
}

bool Search::answered(std::size_t index)
{
    const unsigned slot = m_slotOf[index];
    m_reached.clear();
    m_seen.clear();
    for (const Configuration& configuration : m_configurations) {
        if ((configuration.done & bit(slot)) != 0)
            m_reached.push_back(configuration);
        else
            reach(slot, configuration);
        if (m_seen.size() > m_budget)
            return false;
    }
    m_budget -= m_seen.size();
    m_configurations.swap(m_reached);
    close(slot);
    if (m_steps[index].needs == Needs::Value) {
        --m_values[m_steps[index].value].openSearches;
        closeWriterOf(m_steps[index].value);
    }
    tidy();
    return true;
}

// Collects all configurations in which the operation in slot `target` has taken effect, with it or its direct
// consequences last.
void Search::reach(unsigned target, const Configuration& from)
{
    m_stack.assign(1, from);
    while (!m_stack.empty() && m_seen.size() <= m_budget) {
        const Configuration configuration = m_stack.back();
        m_stack.pop_back();
        if (isHeld(configuration.state))
            continue;
        for (Slots rest = m_open & ~configuration.done; rest != 0; rest &= rest - 1) {
            const unsigned slot = unsigned(std::countr_zero(rest));
            const Step& step = m_slots[slot];
            // An operation that changes nothing has already taken effect wherever it could (rule 1).
            if (!isChange(step) || !isPossible(step, configuration.state) || !isTried(slot, configuration.done))
                continue;
            Configuration next { step.gives == Gives::Value ? step.value : kAbsent, configuration.done | bit(slot) };
            settle(next);
            if (!m_seen.insert(next).second)
                continue;
            ((next.done & bit(target)) != 0 ? m_reached : m_stack).push_back(next);
        }
    }
}

// Rule 2: a change would overwrite a value that will still be found (otherwise the state would be spent).
bool Search::isHeld(State state) const { return state >= kFirstValue && m_values[state].writers == 1; }

// Rule 5.
bool Search::isTried(unsigned slot, Slots done) const
{
    for (Slots rest = m_open & ~done; rest != 0; rest &= rest - 1) {
        const unsigned other = unsigned(std::countr_zero(rest));
        if (other != slot && isInterchangeable(m_slots[slot], m_slots[other])
            && std::pair(m_slots[other].answered, other) < std::pair(m_slots[slot].answered, slot))
            return false;
    }
    return true;
}

bool Search::isInterchangeable(const Step& a, const Step& b) const
{
    const auto isSilent = [this](const Step& step) {
        return !isReadLater(step.value) && m_values[step.value].openSearches == 0;
    };
    const bool areOfOneKind = (isInsert(a) && isInsert(b)) || (isPut(a) && isPut(b));
    return (isDelete(a) && isDelete(b)) || (areOfOneKind && isSilent(a) && isSilent(b));
}

// Applies rules 1, 3 and 4 until nothing more changes.
void Search::settle(Configuration& configuration) const
{
    for (bool isAgain = true; isAgain;) {
        isAgain = false;
        for (Slots rest = m_open & ~configuration.done; rest != 0; rest &= rest - 1) {
            const Step& step = m_slots[unsigned(std::countr_zero(rest))];
            if (!isChange(step) && isPossible(step, configuration.state))
                configuration.done |= rest & -rest;
        }
        if (configuration.state >= kFirstValue && !isReadLater(configuration.state))
            configuration.state = kSpent;
        if (configuration.state != kSpent)
            return;
        for (Slots rest = m_open & ~configuration.done; rest != 0; rest &= rest - 1) {
            const Step& step = m_slots[unsigned(std::countr_zero(rest))];
            if (!isUpdate(step) || isReadLater(step.value))
                continue;
            configuration.done |= rest & -rest;
            configuration.state = step.value;
            isAgain = true;
            break;
        }
    }
}

void Search::close(unsigned slot)
{
    m_open &= ~bit(slot);
    for (Configuration& configuration : m_configurations)
        configuration.done &= ~bit(slot);
}

// A search has found the value. If only one write has it, that write has taken effect, even if its client does not
// know.
void Search::closeWriterOf(State value)
{
    for (Slots rest = m_values[value].writers == 1 ? m_open : 0; rest != 0; rest &= rest - 1) {
        const unsigned slot = unsigned(std::countr_zero(rest));
        if (m_slots[slot].isOptional && m_slots[slot].gives == Gives::Value && m_slots[slot].value == value)
            close(slot);
    }
}

Slots Search::optionalSlots() const
{
    Slots slots = 0;
    for (Slots rest = m_open; rest != 0; rest &= rest - 1)
        if (m_slots[unsigned(std::countr_zero(rest))].isOptional)
            slots |= rest & -rest;
    return slots;
}

// Removes duplicates. Of configurations that differ only in optional operations, keeps those that have used the fewest.
void Search::tidy()
{
    if (m_configurations.size() < 2)
        return;
    const Slots optional = optionalSlots();
    const auto key = [optional](const Configuration& c) {
        return std::tuple(c.state, c.done & ~optional, std::popcount(c.done & optional), c.done);
    };
    std::sort(m_configurations.begin(), m_configurations.end(),
        [&key](const Configuration& a, const Configuration& b) { return key(a) < key(b); });
    constexpr std::size_t kComparedMax = 256;
    std::vector<Configuration> kept;
    std::size_t group = 0; // start of the configurations that differ from the last kept one only in optional operations
    for (const Configuration& configuration : m_configurations) {
        if (!kept.empty()
            && (kept.back().state != configuration.state || ((kept.back().done ^ configuration.done) & ~optional) != 0))
            group = kept.size();
        const auto to = kept.begin() + std::ptrdiff_t(std::min(kept.size(), group + kComparedMax));
        const bool isUseless = (!kept.empty() && kept.back() == configuration)
            || std::any_of(kept.begin() + std::ptrdiff_t(group), to,
                [&configuration](const Configuration& other) { return (other.done & ~configuration.done) == 0; });
        if (!isUseless)
            kept.push_back(configuration);
    }
    m_configurations.swap(kept);
}

} // namespace

Judgement judgeByStates(const History& history, const SearchLimits& limits)
{
    if (Judgement alone = judgeAnswers(history); alone.verdict != Verdict::Yes)
        return alone;
    return Search(history, limits).run();
}

} // namespace lhrs::check
