// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/lab/fake_process.h"

#include "common/run_clock.h"

namespace lhrs::gui {

FakeProcess::FakeProcess(std::uint64_t id, pb::ProcessKind kind, const std::string& name)
    : m_publisher(m_context, zmq::socket_type::pub), m_router(m_context, zmq::socket_type::router)
{
    for (zmq::socket_t* socket : { &m_publisher, &m_router }) {
        socket->set(zmq::sockopt::linger, 0);
        socket->bind("tcp://127.0.0.1:*");
    }
    m_publisher.set(zmq::sockopt::sndhwm, 0);
    m_info.set_node(id);
    m_info.set_kind(kind);
    m_info.set_name(name);
    m_info.set_pid(4'000'000 + std::uint32_t(id)); // no such process
    m_info.set_events_endpoint(m_publisher.get(zmq::sockopt::last_endpoint));
    m_info.set_control_endpoint(m_router.get(zmq::sockopt::last_endpoint));
    m_thread = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

void FakeProcess::answer(Answerer answerer)
{
    const std::lock_guard lock(m_mutex);
    m_answerer = std::move(answerer);
}

void FakeProcess::liveOn(const std::string& host, std::int64_t aheadNs)
{
    const std::lock_guard lock(m_mutex);
    m_info.set_host(host);
    m_aheadNs = aheadNs;
}

int FakeProcess::asked(const std::string& command) const
{
    const std::lock_guard lock(m_mutex);
    const auto at = m_asked.find(command);
    return at == m_asked.end() ? 0 : at->second;
}

void FakeProcess::publish(std::uint64_t first, std::vector<pb::Event> events)
{
    pb::EventHeader header;
    header.set_process(m_info.node());
    header.set_first_sequence(first);
    header.set_count(std::uint32_t(events.size()));
    header.set_name(m_info.name());
    if (m_aheadNs)
        header.set_wall_ns(RunClock::own().now() + *m_aheadNs);
    pb::EventBatch batch;
    for (pb::Event& event : events) {
        if (m_aheadNs)
            event.set_wall_ns(header.wall_ns());
        event.set_sequence(first++);
        *batch.add_events() = std::move(event);
    }
    send({ header.SerializeAsString(), batch.SerializeAsString() });
}

void FakeProcess::send(const std::vector<std::string>& frames)
{
    for (std::size_t i = 0; i < frames.size(); ++i)
        m_publisher.send(
            zmq::buffer(frames[i]), i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

pb::CommandReply FakeProcess::snapshotOf(
    const FakeProcess& process, std::uint64_t sequence, const std::function<void(pb::Snapshot&)>& fill)
{
    pb::CommandReply reply;
    pb::Snapshot& snapshot = *reply.mutable_snapshot();
    snapshot.set_process(process.info().node());
    snapshot.set_sequence(sequence);
    *snapshot.mutable_info() = process.info();
    if (fill)
        fill(snapshot);
    return reply;
}

void FakeProcess::serve(const std::stop_token& stop)
{
    m_router.set(zmq::sockopt::rcvtimeo, 20);
    while (!stop.stop_requested()) {
        zmq::message_t identity, frame;
        if (!m_router.recv(identity) || !m_router.recv(frame))
            continue;
        pb::Command command;
        if (!command.ParseFromArray(frame.data(), int(frame.size())))
            continue;
        const auto* field = pb::Command::GetReflection()->GetOneofFieldDescriptor(
            command, pb::Command::descriptor()->FindOneofByName("body"));
        std::optional<pb::CommandReply> reply;
        {
            const std::lock_guard lock(m_mutex);
            ++m_asked[field ? field->message_type()->name() : ""];
            if (command.has_who_are_you())
                *reply.emplace().mutable_process() = m_info;
            else if (m_answerer)
                reply = m_answerer(command);
        }
        if (!reply)
            continue;
        reply->set_ticket(command.ticket());
        if (m_aheadNs)
            reply->set_wall_ns(RunClock::own().now() + *m_aheadNs);
        m_router.send(identity, zmq::send_flags::sndmore);
        m_router.send(zmq::buffer(reply->SerializeAsString()), zmq::send_flags::none);
    }
}

} // namespace lhrs::gui
