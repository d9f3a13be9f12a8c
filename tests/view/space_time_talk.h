// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that exchange messages, for the space-time diagram: events with causes, and the view's settings.
#pragma once

#include "tests/rigs/gui/view_stage.h"

#include "gui/view/timeline/space_time_layout.h"

#include <numeric>

namespace lhrs::gui {

// Processes that exchange messages: every event gets its number, its cause and its time.
struct Talk {
    std::vector<RunEvent> events;
    std::map<ProcessId, std::uint64_t> sequences, messages;
    std::int64_t now = 0;

    std::size_t tell(ProcessId process, pb::Event event, std::size_t cause = kNoEvent)
    {
        event.set_sequence(++sequences[process]);
        if (cause != kNoEvent) {
            event.set_cause_process(events[cause].process);
            event.set_cause_sequence(events[cause].event->sequence());
        }
        now += 1'000'000;
        RunEvent run;
        run.index = events.size() + 1;
        run.process = process;
        run.runNs = now;
        run.event = std::make_shared<pb::Event>(event);
        events.push_back(run);
        return events.size() - 1;
    }
    std::size_t send(ProcessId from, ProcessId to, const char* kind, std::uint64_t operation = 0, std::uint64_t id = 0,
        std::uint32_t tries = 0)
    {
        pb::Event event;
        event.mutable_message_sent()->set_id(id != 0 ? id : ++messages[from]);
        event.mutable_message_sent()->set_to(to);
        event.mutable_message_sent()->set_kind(kind);
        event.mutable_message_sent()->set_tries(tries);
        if (operation != 0) {
            event.mutable_operation()->set_client(kFileClients);
            event.mutable_operation()->set_number(operation);
        }
        return tell(from, event);
    }
    std::size_t receive(std::size_t sent, ProcessId at)
    {
        pb::Event event;
        event.mutable_message_received()->set_id(events[sent].event->message_sent().id());
        event.mutable_message_received()->set_from(events[sent].process);
        event.mutable_message_received()->set_kind(events[sent].event->message_sent().kind());
        *event.mutable_operation() = events[sent].event->operation();
        return tell(at, event, sent);
    }
    std::size_t pass(ProcessId from, ProcessId to, const char* kind, std::uint64_t operation = 0)
    {
        return receive(send(from, to, kind, operation), to);
    }
};

// Inserts with their Deltas, between the processes of a file.
inline Talk conversation(int operations, std::uint32_t buckets = 8)
{
    Talk talk;
    for (int i = 1; i <= operations; ++i) {
        const std::uint32_t bucket = std::uint32_t(i) % buckets;
        const ProcessId data = kFileData + bucket, parity = parityProcess(bucket / 4, 0);
        talk.pass(kFileClients, data, "insert", std::uint64_t(i));
        talk.pass(data, parity, "delta", std::uint64_t(i));
        talk.pass(parity, data, "delta_ack", std::uint64_t(i));
        talk.pass(data, kFileClients, "reply", std::uint64_t(i));
    }
    return talk;
}

inline SpaceTimeWish wishFor(const SpaceTime& model, SpaceTimeWish::Order order = SpaceTimeWish::Order::Logical)
{
    SpaceTimeWish wish;
    wish.order = order;
    wish.from = order == SpaceTimeWish::Order::Logical ? 0 : double(model.firstNs);
    wish.to = order == SpaceTimeWish::Order::Logical ? double(model.logicalMax) + 1 : double(model.lastNs);
    return wish;
}

inline std::size_t countOf(const SpaceTimeLayout& layout)
{
    return std::accumulate(layout.arrows.begin(), layout.arrows.end(), std::size_t(0),
        [](std::size_t sum, const auto& arrow) { return sum + arrow.count; });
}

} // namespace lhrs::gui
