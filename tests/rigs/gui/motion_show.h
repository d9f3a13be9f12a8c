// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster whose processes publish what a test wants, with the picture of what moves.
#pragma once

#include "tests/rigs/gui/view_stage.h"

#include "gui/view/lhrs/motion.h"

#include <algorithm>

namespace lhrs::gui {

inline constexpr double kFrame = 1.0 / 60;
inline constexpr QSizeF kView(1280, 520);
inline constexpr ProcessId kAlice = kFileClients, kBucket0 = kFileData, kSpare = kFileSpares;

struct Show {
    ListFeed feed;
    Pacer pacer { feed };
    Motion motion;
    Theme theme;
    std::vector<ShownEvent> shown; // all that were shown
    std::vector<ShownEvent> scheduled; // with the position that they were given

    explicit Show(const FileShape& shape)
    {
        feed.known() = fileOf(shape);
        for (int i = 0; i < 40; ++i)
            frame(); // starts with the newest state, then goes over to slow motion
    }

    void frame(double seconds = kFrame)
    {
        pacer.advance(seconds);
        motion.take(pacer, seconds);
        shown.insert(shown.end(), pacer.shown().begin(), pacer.shown().end());
        scheduled.insert(scheduled.end(), pacer.scheduled().begin(), pacer.scheduled().end());
    }

    // Frames until the condition holds; false: it does not.
    template <class Condition> bool until(Condition&& holds, double secondsMax = 60)
    {
        for (double t = 0; t < secondsMax; t += kFrame) {
            if (holds())
                return true;
            frame();
        }
        return false;
    }
    bool untilRest()
    {
        return until([&] {
            return !pacer.isBusy() && pacer.shownUpTo() == feed.committed() && !motion.isMoving(pacer.clock());
        });
    }

    ClusterLayout layout() const
    {
        LayoutOptions options;
        options.viewport = kView;
        return layoutCluster(pacer.state(), theme, options);
    }

    // What moves, as drawn now.
    DisplayList picture() const
    {
        const ClusterLayout places = layout();
        CellReader cells;
        PictureInput input { pacer.state(), places, theme, cells };
        input.plan = cellPlanOf(pacer.state());
        DisplayList list(theme);
        motion.draw(input, pacer.clock(), list);
        return list;
    }

    // ---- what processes publish

    // The event of a step of the process: caused by the other process's event with that number, part of Alice's
    // operation.
    pb::Event event(std::uint64_t operation = 0, ProcessId cause = 0, std::uint64_t number = 0) const
    {
        pb::Event e;
        if (operation != 0) {
            e.mutable_operation()->set_client(kAlice);
            e.mutable_operation()->set_number(operation);
        }
        e.set_cause_process(cause);
        e.set_cause_sequence(number);
        return e;
    }

    // A message from one process to another: its departure in a step with that cause, and its arrival. Returns the
    // number of the departure, which is the cause of everything that the receiver does in that step.
    std::uint64_t message(const char* kind, ProcessId from, ProcessId to, std::uint64_t operation = 0,
        ProcessId cause = 0, std::uint64_t number = 0)
    {
        pb::Event sent = event(operation, cause, number);
        sent.mutable_message_sent()->set_kind(kind);
        sent.mutable_message_sent()->set_to(to);
        sent.mutable_message_sent()->set_id(++m_messages);
        const std::uint64_t departure = feed.tell(from, sent, 2'000);
        pb::Event received = event(operation, from, departure);
        received.mutable_message_received()->set_kind(kind);
        received.mutable_message_received()->set_from(from);
        received.mutable_message_received()->set_id(m_messages);
        feed.tell(to, received, 30'000);
        return departure;
    }

    // Alice inserts a record into bucket 0, whose group has k parity buckets.
    void insert(std::uint64_t operation, std::uint32_t rank, std::uint32_t k)
    {
        pb::Event started = event(operation);
        started.mutable_operation_started()->set_kind(pb::INSERT);
        started.mutable_operation_started()->set_key(4'711);
        feed.tell(kAlice, started);
        const std::uint64_t request = message("insert", kAlice, kBucket0, operation);
        pb::Event inserted = event(operation, kAlice, request);
        inserted.mutable_place()->set_role(pb::DATA);
        inserted.mutable_record_inserted()->set_key(4'711);
        inserted.mutable_record_inserted()->set_rank(rank);
        inserted.mutable_record_inserted()->set_count(rank);
        inserted.mutable_record_inserted()->set_sequence(rank);
        feed.tell(kBucket0, inserted);
        std::vector<std::uint64_t> deltas;
        for (std::uint32_t column = 0; column < k; ++column)
            deltas.push_back(message("delta", kBucket0, parityProcess(0, column), operation, kAlice, request));
        std::uint64_t last = 0;
        for (std::uint32_t column = 0; column < k; ++column) {
            pb::Event applied = event(operation, kBucket0, deltas[column]);
            applied.mutable_place()->set_role(pb::PARITY);
            applied.mutable_place()->set_column(column);
            applied.mutable_delta_applied()->set_rank(rank);
            applied.mutable_delta_applied()->set_members(1);
            applied.mutable_delta_applied()->set_sequence(rank);
            feed.tell(parityProcess(0, column), applied);
            last = message("delta_ack", parityProcess(0, column), kBucket0, operation, kBucket0, deltas[column]);
        }
        const std::uint64_t answer = message("reply", kBucket0, kAlice, operation, parityProcess(0, k - 1), last);
        pb::Event done = event(operation, kBucket0, answer);
        done.mutable_operation_done()->set_kind(pb::INSERT);
        done.mutable_operation_done()->set_key(4'711);
        feed.tell(kAlice, done);
    }

private:
    std::uint64_t m_messages = 0;
};

} // namespace lhrs::gui
