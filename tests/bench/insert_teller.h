// SPDX-License-Identifier: GPL-3.0-or-later
// The events that the processes of a file publish while records are inserted into it one after the other.
#pragma once

#include "tests/rigs/gui/view_stage.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace lhrs::gui {

// The events of inserts as the processes publish them at full detail with k = 1, in causal order: 13 events per insert.
// The buckets take turns in a pseudo-random order. When a bucket is full its ranks start again from 1, so the file
// keeps its size however long the run is.
class InsertTeller {
public:
    static constexpr int kEvents = 13;
    struct PublishedEvent {
        ProcessId process = 0;
        pb::Event event;
    };

    // `shape`: of fileOf(); the load goes to the first `busy` buckets.
    InsertTeller(const FileShape& shape, std::uint32_t busy)
        : m_shape(shape), m_busy(busy), m_rank(shape.buckets, 0), m_sequence(shape.buckets, shape.records)
    {
    }

    // The next insert. Event numbers of each process start at 1.
    const std::vector<PublishedEvent>& insert()
    {
        m_published.clear();
        const std::uint64_t number = ++m_number;
        const auto a = std::uint32_t(number * 2654435761u % m_busy), g = a / m_shape.m;
        const ProcessId client = kFileClients, bucket = kFileData + a, parity = parityProcess(g, 0);
        const std::uint32_t rank = m_rank[a] = m_rank[a] % m_shape.records + 1;
        const std::uint64_t sequence = ++m_sequence[a], key = number * m_shape.buckets + a;
        auto* started = add(client, {}).mutable_operation_started();
        started->set_kind(pb::INSERT);
        started->set_key(key);
        started->set_bucket(a);
        const Cause request = message("insert", client, bucket, {});
        pb::Event& inserted = add(bucket, request);
        place(inserted, pb::DATA, a);
        inserted.mutable_record_inserted()->set_key(key);
        inserted.mutable_record_inserted()->set_rank(rank);
        inserted.mutable_record_inserted()->set_count(m_shape.records);
        inserted.mutable_record_inserted()->set_sequence(sequence);
        const Cause delta = message("delta", bucket, parity, request);
        pb::Event& applied = add(parity, delta);
        place(applied, pb::PARITY, g);
        applied.mutable_delta_applied()->set_position(a % m_shape.m);
        applied.mutable_delta_applied()->set_sequence(sequence);
        applied.mutable_delta_applied()->set_rank(rank);
        applied.mutable_delta_applied()->set_members(m_shape.m);
        applied.mutable_delta_applied()->set_record_groups(m_shape.records);
        const Cause held = message("delta_ack", parity, bucket, delta);
        add(bucket, held).mutable_change_acknowledged()->set_sequence(sequence);
        const Cause reply = message("reply", bucket, client, held);
        auto* done = add(client, reply).mutable_operation_done();
        done->set_kind(pb::INSERT);
        done->set_key(key);
        done->set_bucket(a);
        done->set_rank(rank);
        return m_published;
    }

private:
    struct Cause {
        ProcessId process = 0;
        std::uint64_t sequence = 0;
    };
    pb::Event& add(ProcessId process, Cause cause)
    {
        pb::Event& event = m_published.emplace_back(PublishedEvent { process, {} }).event;
        event.set_sequence(++m_last[process]);
        event.mutable_operation()->set_client(kFileClients);
        event.mutable_operation()->set_number(m_number);
        event.set_cause_process(cause.process);
        event.set_cause_sequence(cause.sequence);
        return event;
    }
    static void place(pb::Event& event, pb::Role role, std::uint32_t number)
    {
        event.mutable_place()->set_role(role);
        event.mutable_place()->set_number(number);
    }
    Cause message(const char* kind, ProcessId from, ProcessId to, Cause cause)
    {
        auto* sent = add(from, cause).mutable_message_sent();
        sent->set_kind(kind);
        sent->set_to(to);
        sent->set_id(++m_messages);
        const Cause departure { from, m_last[from] };
        auto* received = add(to, departure).mutable_message_received();
        received->set_kind(kind);
        received->set_from(from);
        received->set_id(m_messages);
        return departure;
    }

    const FileShape m_shape;
    const std::uint32_t m_busy;
    std::vector<std::uint32_t> m_rank;
    std::vector<std::uint64_t> m_sequence;
    std::map<ProcessId, std::uint64_t> m_last;
    std::vector<PublishedEvent> m_published;
    std::uint64_t m_number = 0, m_messages = 0;
};

} // namespace lhrs::gui
