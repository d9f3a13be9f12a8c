// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/history.h"

#include "common/check/say.h"

#include <algorithm>

namespace lhrs::check {

const char* nameOf(RequestKind kind)
{
    switch (kind) {
    case RequestKind::Insert: return "insert";
    case RequestKind::Update: return "update";
    case RequestKind::Delete: return "delete";
    case RequestKind::Search: return "search";
    case RequestKind::Put: return "put";
    }
    return "";
}

const char* nameOf(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Ok: return "OK";
    case Outcome::NotFound: return "NOT_FOUND";
    case Outcome::Exists: return "EXISTS";
    case Outcome::Retry: return "RETRY";
    case Outcome::Lost: return "LOST";
    case Outcome::Unknown: return "UNKNOWN_OUTCOME";
    case Outcome::Invalid: return "INVALID";
    }
    return "";
}

namespace {

bool isAnswered(const Operation& operation) { return operation.outcome != Outcome::Unknown; }

HistoryTime timeOfAnswer(const Operation& operation)
{
    return operation.outcome == Outcome::Lost ? operation.toldLost : operation.answered;
}

bool mayHaveWritten(const Operation& operation)
{
    return isWrite(operation.kind)
        && (operation.outcome == Outcome::Ok || certaintyOf(operation.outcome) == Certainty::Open);
}

std::string timeText(HistoryTime time) { return time == kNever ? std::string("?") : say(time); }

// Judges one operation: its answer must fit its request, and the losses must permit it.
Judgement judgeOne(const Operation& operation, std::size_t index, const std::vector<Loss>& losses)
{
    const RequestKind kind = operation.kind;
    const bool isChange = kind != RequestKind::Search;
    const bool isWrong = (operation.outcome == Outcome::Exists && kind != RequestKind::Insert)
        || (operation.outcome == Outcome::NotFound && (kind == RequestKind::Insert || kind == RequestKind::Put));
    if (isWrong)
        return { Verdict::No, 8, index, say(nameOf(operation.outcome), " is no answer to ", nameOf(kind)) };
    if (operation.outcome == Outcome::Lost) {
        const bool isTrue = std::any_of(losses.begin(), losses.end(),
            [&](const Loss& loss) { return loss.from <= operation.toldLost && operation.invoked <= loss.until; });
        if (!isTrue)
            return { Verdict::No, 18, index, "LOST, but no loss was declared" };
    }
    if (certaintyOf(operation.outcome) != Certainty::Done)
        return {};
    for (const Loss& loss : losses) {
        const bool isInside = loss.from < operation.invoked && operation.answered < loss.until;
        const bool isForbidden = loss.isRecordLost || (isChange && operation.outcome == Outcome::Ok);
        if (isInside && isForbidden)
            return { Verdict::No, 18, index,
                say(nameOf(operation.outcome), " although what held the key is declared lost") };
    }
    return {};
}

} // namespace

Certainty certaintyOf(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Ok:
    case Outcome::Exists:
    case Outcome::NotFound: return Certainty::Done;
    case Outcome::Retry:
    case Outcome::Invalid: return Certainty::NotDone;
    case Outcome::Lost:
    case Outcome::Unknown: return Certainty::Open;
    }
    return Certainty::Open;
}

const char* nameOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Yes: return "yes";
    case Verdict::No: return "no";
    case Verdict::Unknown: return "unknown";
    }
    return "";
}

std::size_t History::invoke(std::uint32_t process, RequestKind kind, std::uint64_t value, HistoryTime now)
{
    m_operations.push_back({ .invoked = now, .value = value, .process = process, .kind = kind });
    return m_operations.size() - 1;
}

void History::answer(std::size_t index, Outcome outcome, HistoryTime now, std::uint64_t value)
{
    Operation& operation = m_operations.at(index);
    operation.outcome = outcome;
    operation.answered = certaintyOf(outcome) == Certainty::Open ? kNever : now;
    operation.toldLost = outcome == Outcome::Lost ? now : kNever;
    if (operation.kind == RequestKind::Search)
        operation.value = outcome == Outcome::Ok ? value : 0;
}

Judgement judgeAnswers(const History& history)
{
    std::vector<std::uint64_t> written;
    for (const Operation& operation : history.operations())
        if (mayHaveWritten(operation))
            written.push_back(operation.value);
    if (history.valueBefore())
        written.push_back(*history.valueBefore());
    std::sort(written.begin(), written.end());
    for (std::size_t at = 0; at < history.operations().size(); ++at) {
        const Operation& operation = history.operations()[at];
        if (Judgement one = judgeOne(operation, at, history.losses()); one.verdict != Verdict::Yes)
            return one;
        const bool isFound = operation.kind == RequestKind::Search && operation.outcome == Outcome::Ok;
        if (isFound && !std::binary_search(written.begin(), written.end(), operation.value))
            return { Verdict::No, 19, at, say("nobody wrote ", describeValue(operation.value), " to this key") };
    }
    return {};
}

std::size_t answersOf(const History& history)
{
    const auto& all = history.operations();
    return std::size_t(std::count_if(all.begin(), all.end(), isAnswered));
}

Prefix prefixOf(const History& history, std::size_t answers)
{
    const std::vector<Operation>& all = history.operations();
    std::vector<std::size_t> order;
    for (std::size_t at = 0; at < all.size(); ++at)
        if (isAnswered(all[at]))
            order.push_back(at);
    std::sort(order.begin(), order.end(), [&all](std::size_t a, std::size_t b) {
        return std::pair(timeOfAnswer(all[a]), a) < std::pair(timeOfAnswer(all[b]), b);
    });
    order.resize(std::min(answers, order.size()));
    std::vector<bool> isKept(all.size(), false);
    for (const std::size_t at : order)
        isKept[at] = true;
    const HistoryTime end = order.empty() ? kBeforeAll : timeOfAnswer(all[order.back()]);

    Prefix prefix { History(history.valueBefore()), {}, kNoOperation };
    for (std::size_t at = 0; at < all.size(); ++at)
        if (all[at].invoked <= end)
            prefix.original.push_back(at);
    std::stable_sort(prefix.original.begin(), prefix.original.end(),
        [&all](std::size_t a, std::size_t b) { return all[a].invoked < all[b].invoked; });
    for (std::size_t index = 0; index < prefix.original.size(); ++index) {
        const std::size_t at = prefix.original[index];
        Operation operation = all[at];
        if (!isKept[at]) {
            operation.outcome = Outcome::Unknown;
            operation.answered = operation.toldLost = kNever;
            if (operation.kind == RequestKind::Search)
                operation.value = 0;
        }
        if (!order.empty() && at == order.back())
            prefix.lastAnswered = index;
        prefix.history.add(operation);
    }
    for (const Loss& loss : history.losses())
        if (loss.from <= end)
            prefix.history.lost({ loss.from, loss.until > end ? kNever : loss.until, loss.isRecordLost });
    return prefix;
}

std::string describeValue(std::uint64_t value) { return say(clientOf(value), ".", requestOf(value)); }

std::string describe(const Operation& operation)
{
    const bool hasValue = isWrite(operation.kind)
        || (operation.kind == RequestKind::Search && operation.outcome == Outcome::Ok);
    return say(operation.invoked, "..", timeText(timeOfAnswer(operation)), "  client ", operation.process, "  ",
        nameOf(operation.kind), hasValue ? " " + describeValue(operation.value) : std::string(), ": ",
        nameOf(operation.outcome));
}

} // namespace lhrs::check
