// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/process/space_time.h"

#include "common/ip.h"

#include <algorithm>
#include <deque>
#include <set>

namespace lhrs::gui {

namespace {

// The events of each process by sequence number.
using Numbers = std::map<ProcessId, std::map<std::uint64_t, std::size_t>>;

std::size_t find(const Numbers& numbers, ProcessId process, std::uint64_t sequence)
{
    const auto known = numbers.find(process);
    if (known == numbers.end())
        return kNoEvent;
    const auto at = known->second.find(sequence);
    return at == known->second.end() ? kNoEvent : at->second;
}

// The gated times of each process: pairs of start and end.
using Gated = std::map<ProcessId, std::vector<std::pair<std::int64_t, std::int64_t>>>;

Gated gatedTimes(const SpaceTime& model)
{
    Gated gated;
    for (const SpaceTimeEvent& event : model.events) {
        auto& times = gated[event.run.process];
        if (event.run.event->has_gate_closed())
            times.emplace_back(event.run.runNs, model.lastNs);
        else if (event.run.event->has_gate_opened() && times.empty())
            times.emplace_back(model.firstNs, event.run.runNs);
        else if (event.run.event->has_gate_opened())
            times.back().second = event.run.runNs;
    }
    return gated;
}

std::int64_t gatedWithin(const Gated& gated, ProcessId process, std::int64_t from, std::int64_t to)
{
    std::int64_t sum = 0;
    if (const auto known = gated.find(process); known != gated.end())
        for (const auto& [begin, end] : known->second)
            sum += std::max<std::int64_t>(0, std::min(end, to) - std::max(begin, from));
    return sum;
}

using Operation = std::pair<std::uint64_t, std::uint64_t>;
Operation operationOf(const pb::Event& event) { return { event.operation().client(), event.operation().number() }; }

// Sendings by sender and message; a retransmission is a further sending of the same message.
using Sent = std::map<std::pair<ProcessId, std::uint64_t>, std::vector<std::size_t>>;

Sent listSent(SpaceTime& out, const std::map<std::string, ProcessId>& addresses)
{
    Sent sent;
    for (std::size_t i = 0; i < out.events.size(); ++i) {
        const RunEvent& run = out.events[i].run;
        if (!run.event->has_message_sent())
            continue;
        const pb::MessageSent& e = run.event->message_sent();
        SpaceTimeMessage message;
        message.sent = i;
        message.from = run.process;
        message.to = e.to();
        if (const auto known = addresses.find(udpText(e.address())); message.to == 0 && known != addresses.end())
            message.to = known->second;
        message.kind = e.kind();
        message.id = e.id();
        message.tries = e.tries();
        message.bytes = e.bytes();
        message.transport = e.transport();
        message.operation = operationOf(*run.event);
        sent[{ run.process, e.id() }].push_back(out.messages.size());
        out.messages.push_back(std::move(message));
    }
    return sent;
}

void giveUp(SpaceTime& out, const Sent& sent, ProcessId process, const pb::MessageGivenUp& e)
{
    if (const auto known = sent.find({ process, e.id() }); known != sent.end())
        for (const std::size_t number : known->second)
            if (out.messages[number].received == kNoEvent)
                out.messages[number].fate = SpaceTimeMessage::Fate::GivenUp;
}

// The sending that arrived with this event; null: none that is known.
SpaceTimeMessage* sendingOf(SpaceTime& out, const Sent& sent, const pb::Event& event)
{
    const pb::MessageReceived& e = event.message_received();
    const auto known = sent.find({ e.from(), e.id() });
    SpaceTimeMessage* message = nullptr;
    if (known == sent.end() || e.id() == 0)
        return message;
    // The cause tells which sending it was: the sender's event number after that step.
    for (const std::size_t number : known->second) {
        SpaceTimeMessage& candidate = out.messages[number];
        const std::uint64_t sequence = out.events[candidate.sent].run.event->sequence();
        if (event.cause_process() == e.from() && event.cause_sequence() != 0 && sequence > event.cause_sequence())
            break;
        if (candidate.received == kNoEvent || message == nullptr)
            message = &candidate;
    }
    return message;
}

void receive(SpaceTime& out, const Sent& sent, const Numbers& numbers, std::size_t at)
{
    const ProcessId process = out.events[at].run.process;
    const pb::Event& event = *out.events[at].run.event;
    const pb::MessageReceived& e = event.message_received();
    SpaceTimeMessage* message = sendingOf(out, sent, event);
    if (message == nullptr || message->received != kNoEvent) {
        // A duplicate, a multicast, or sent before the interval.
        SpaceTimeMessage other;
        if (message != nullptr)
            other = *message;
        else
            other.sent = find(numbers, event.cause_process(), event.cause_sequence());
        other.from = e.from();
        other.kind = e.kind();
        other.id = e.id();
        other.bytes = e.bytes();
        other.transport = e.transport();
        other.operation = operationOf(event);
        out.messages.push_back(std::move(other));
        message = &out.messages.back();
    }
    message->received = at;
    message->to = process;
    message->fate = SpaceTimeMessage::Fate::Arrived;
}

// What became of the messages that did not arrive, as far as one can know.
void settleFates(SpaceTime& out, const std::set<ProcessId>& incomplete)
{
    const Gated gated = gatedTimes(out);
    for (SpaceTimeMessage& message : out.messages) {
        if (message.received != kNoEvent) {
            message.isBackwards = message.sent != kNoEvent
                && out.events[message.received].run.runNs < out.events[message.sent].run.runNs;
            continue;
        }
        if (message.fate == SpaceTimeMessage::Fate::GivenUp)
            continue;
        if (message.to != 0 && incomplete.contains(message.to))
            message.fate = SpaceTimeMessage::Fate::Unknown;
        else if (const std::int64_t sentNs = out.events[message.sent].run.runNs;
                 out.lastNs - sentNs - gatedWithin(gated, message.to, sentNs, out.lastNs) > kUnderWayNs)
            message.fate = SpaceTimeMessage::Fate::Lost;
    }
}

void pairMessages(SpaceTime& out, const Numbers& numbers, const std::set<ProcessId>& incomplete,
    const std::map<std::string, ProcessId>& addresses)
{
    const Sent sent = listSent(out, addresses);
    for (std::size_t i = 0; i < out.events.size(); ++i) {
        const RunEvent& run = out.events[i].run;
        if (run.event->has_message_given_up())
            giveUp(out, sent, run.process, run.event->message_given_up());
        else if (run.event->has_message_received())
            receive(out, sent, numbers, i);
    }
    settleFates(out, incomplete);
}

// Numbers the events so that each is greater than its predecessor in the process and greater than its cause.
void number(SpaceTime& out, const Numbers& numbers)
{
    std::vector<std::vector<std::size_t>> later(out.events.size());
    std::vector<std::uint32_t> waits(out.events.size(), 0);
    const auto edge = [&](std::size_t from, std::size_t to) {
        if (from == kNoEvent || to == kNoEvent || from == to)
            return;
        later[from].push_back(to);
        ++waits[to];
    };
    for (const auto& [process, byNumber] : numbers) {
        std::size_t before = kNoEvent;
        for (const auto& [sequence, i] : byNumber) {
            edge(before, i);
            before = i;
        }
    }
    for (std::size_t i = 0; i < out.events.size(); ++i)
        edge(out.events[i].cause, i);
    for (const SpaceTimeMessage& message : out.messages)
        if (message.sent != kNoEvent && message.received != kNoEvent
            && out.events[message.received].cause != message.sent)
            edge(message.sent, message.received);
    std::deque<std::size_t> ready;
    for (std::size_t i = 0; i < out.events.size(); ++i)
        if (waits[i] == 0)
            ready.push_back(i);
    for (; !ready.empty(); ready.pop_front()) {
        const SpaceTimeEvent& event = out.events[ready.front()];
        out.logicalMax = std::max(out.logicalMax, event.logical);
        for (const std::size_t next : later[ready.front()]) {
            out.events[next].logical = std::max(out.events[next].logical, event.logical + 1);
            if (--waits[next] == 0)
                ready.push_back(next);
        }
    }
    // A cycle of causes cannot be true; its events and their successors are put at the end.
    for (std::size_t i = 0; i < out.events.size(); ++i)
        if (waits[i] > 0)
            out.events[i].logical = out.logicalMax + 1;
}

} // namespace

std::vector<bool> SpaceTime::eventsOf(std::pair<std::uint64_t, std::uint64_t> operation) const
{
    std::vector<bool> is(events.size(), false);
    for (std::size_t i = 0; i < events.size(); ++i)
        is[i] = events[i].run.event->operation().client() == operation.first
            && events[i].run.event->operation().number() == operation.second;
    return is;
}

std::map<std::string, ProcessId> addressesOf(const RunState& state)
{
    std::map<std::string, ProcessId> addresses;
    for (const auto& [id, process] : state.processes)
        if (!process.address.empty())
            addresses[process.address] = id;
    return addresses;
}

SpaceTime spaceTimeOf(const std::vector<RunEvent>& events, const std::map<std::string, ProcessId>& addresses)
{
    SpaceTime out;
    Numbers numbers;
    std::set<ProcessId> incomplete;
    out.events.reserve(events.size());
    for (const RunEvent& run : events) {
        if (run.isGap()) {
            incomplete.insert(run.process);
            continue;
        }
        if (!numbers[run.process].try_emplace(run.event->sequence(), out.events.size()).second)
            continue; // reported twice
        out.firstNs = out.events.empty() ? run.runNs : std::min(out.firstNs, run.runNs);
        out.lastNs = out.events.empty() ? run.runNs : std::max(out.lastNs, run.runNs);
        out.events.push_back({ run, 1, kNoEvent, false });
    }
    for (SpaceTimeEvent& event : out.events) {
        const pb::Event& body = *event.run.event;
        if (body.cause_process() == 0)
            continue;
        event.cause = find(numbers, body.cause_process(), body.cause_sequence());
        event.isBeforeCause = event.cause != kNoEvent && out.events[event.cause].run.runNs > event.run.runNs;
        out.backwards += event.isBeforeCause ? 1 : 0;
    }
    pairMessages(out, numbers, incomplete, addresses);
    number(out, numbers);
    return out;
}

} // namespace lhrs::gui
