// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/monitors.h"

#include "common/check/say.h"

#include <algorithm>

namespace lhrs::check {

KeyMonitor::KeyMonitor(std::optional<std::uint64_t> valueBefore, std::size_t valuesMax) : m_valuesMax(valuesMax)
{
    if (valueBefore)
        m_values.push_back({ .value = *valueBefore, .f = kBeforeAll, .isOver = true });
}

KeyMonitor::Value* KeyMonitor::find(std::uint64_t value)
{
    const auto at = std::find_if(
        m_values.begin(), m_values.end(), [value](const Value& one) { return !one.isDelete && one.value == value; });
    return at == m_values.end() ? nullptr : &*at;
}

void KeyMonitor::began(const Operation& operation)
{
    m_open.push_back(operation.invoked);
    if (isWrite(operation.kind))
        m_values.push_back({ .value = operation.value, .s = operation.invoked });
    else if (operation.kind == RequestKind::Delete)
        m_mayBeDeleted = true;
}

Violations KeyMonitor::ended(const Operation& operation, HistoryTime now)
{
    if (const auto open = std::find(m_open.begin(), m_open.end(), operation.invoked); open != m_open.end())
        m_open.erase(open);
    Violations found;
    Value* value = find(operation.value);
    const bool isSearch = operation.kind == RequestKind::Search;
    switch (operation.outcome) {
    case Outcome::Ok:
        if (operation.kind == RequestKind::Delete) {
            m_values.push_back({ .s = operation.invoked, .isDelete = true, .isOver = true });
            value = &m_values.back();
        }
        if (value != nullptr) {
            value->isOver = value->isOver || !isSearch;
            found = foundOrDone(*value, operation);
        } else if (m_forgotten == 0) {
            const std::string text = describe(operation);
            found.push_back({ 19, say(text, ": nobody wrote that to this key, or it was overwritten before") });
        }
        break;
    case Outcome::NotFound:
    case Outcome::Exists:
    case Outcome::Retry:
    case Outcome::Invalid:
        if (operation.outcome == Outcome::NotFound)
            found = absent(operation);
        if (isWrite(operation.kind)) {
            const Violations more = refused(operation);
            found.insert(found.end(), more.begin(), more.end());
        }
        break;
    case Outcome::Lost:
    case Outcome::Unknown:
        if (isWrite(operation.kind) && value != nullptr)
            value->isOver = true;
        break;
    }
    forget(now);
    return found;
}

Violations KeyMonitor::foundOrDone(Value& value, const Operation& operation)
{
    const HistoryTime f = std::min(value.f, operation.answered);
    const HistoryTime s = std::max(value.s, operation.invoked);
    for (const Value& other : m_values) {
        if (&other == &value || !(other.f < s && f < other.s))
            continue;
        // The value itself is kept unchanged, so that one wrong answer gives one violation.
        const std::string what = other.isDelete ? std::string("the delete") : describeValue(other.value);
        const std::string who = other.process == operation.process ? std::string("the same client")
                                                                   : say("client ", other.process);
        return { { 8,
            say(describe(operation), ": goes back behind ", what, ", ",
                other.isFound ? "found by " : "acknowledged to ", who, " at ", other.f) } };
    }
    if (f < value.f) {
        value.process = operation.process;
        value.isFound = operation.kind == RequestKind::Search;
    }
    value.f = f;
    value.s = s;
    return {};
}

Violations KeyMonitor::refused(const Operation& operation)
{
    Value* value = find(operation.value);
    if (value == nullptr)
        return {};
    const bool isFound = value->f != kNever;
    m_values.erase(m_values.begin() + (value - m_values.data()));
    if (!isFound)
        return {};
    return { { 8, say(describe(operation), ": refused, but the value was found") } };
}

Violations KeyMonitor::absent(const Operation& operation)
{
    const bool wasThere = std::any_of(m_values.begin(), m_values.end(),
        [&operation](const Value& one) { return !one.isDelete && one.f < operation.invoked; });
    if (!wasThere || m_mayBeDeleted)
        return {};
    return { { 8, say(describe(operation), ": nobody deleted it") } };
}

void KeyMonitor::forget(HistoryTime now)
{
    const HistoryTime open = m_open.empty() ? now : *std::min_element(m_open.begin(), m_open.end());
    HistoryTime last = kBeforeAll; // the latest s of the values that were there before everything that is open
    for (const Value& value : m_values)
        if (value.f < open)
            last = std::max(last, value.s);
    // Decide for all values first: forgotten values still overwrite others. A value does not overwrite itself: the test
    // on its own s ensures that.
    std::size_t kept = 0;
    std::vector<bool> isOverwritten(m_values.size(), false);
    for (std::size_t at = 0; at < m_values.size(); ++at)
        isOverwritten[at] = m_values[at].f < last && m_values[at].s < last;
    for (std::size_t at = 0; at < m_values.size(); ++at)
        if (!isOverwritten[at])
            m_values[kept++] = m_values[at];
    m_values.resize(kept);
    // Too many values: first forget those of unknown outcome, which may never be found.
    for (std::size_t at = 0; m_values.size() > m_valuesMax && at < m_values.size();) {
        if (m_values[at].isOver && m_values[at].f == kNever) {
            m_values.erase(m_values.begin() + std::ptrdiff_t(at));
            ++m_forgotten;
        } else {
            ++at;
        }
    }
}

void KeyMonitor::lost()
{
    m_values.erase(
        std::remove_if(m_values.begin(), m_values.end(), [](const Value& one) { return one.isOver; }), m_values.end());
    m_mayBeDeleted = true;
    ++m_forgotten;
}

} // namespace lhrs::check
