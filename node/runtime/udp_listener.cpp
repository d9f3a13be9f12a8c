// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/udp_listener.h"

#include "node/runtime/thread.h"

#include <spdlog/spdlog.h>

#include <sched.h>

#include <array>

namespace lhrs {

namespace {

// Waking a thread on another core takes 35 to 45 us and costs both sides. A process that has just received something
// often receives more at once, so the listener polls before it sleeps. Among the times tested, 20 to 500 us, this was
// the shortest with the full effect, for synchronized operations and for windows.
constexpr std::chrono::microseconds kSpin { 100 };

// With a single processor, polling would keep the thread that is awaited from running.
bool hasSeveralProcessors()
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    // The call fails with more than 1,024 processors.
    return ::sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) > 1;
}

} // namespace

UdpListener::UdpListener(const char* name, const Parts& parts)
    : m_parts(parts), m_thread(spawn(name, [this](std::stop_token stop) { listen(stop); }))
{
}

UdpListener::~UdpListener()
{
    m_thread.request_stop();
    m_parts.socket.interrupt();
}

// With keys: whether a datagram with a valid tag is new, and its content is for this process.
bool UdpListener::passes(const Envelope::Opened& opened, Endpoint from)
{
    const bool isInGroup = m_parts.transport == pb::MULTICAST;
    if (opened.isForAll != isInGroup || opened.isOfStream || opened.type == PacketType::StreamBegin) {
        m_parts.counters.dropped(Drop::OtherReceiver);
        return false;
    }
    if (opened.isForAddress) {
        m_parts.counters.dropped(Drop::Unintroduced);
        m_parts.introductions->introduce(from, opened.sender);
        return false;
    }
    if (isInGroup && !m_parts.introductions->hasMet(opened.sender)) {
        m_parts.counters.dropped(Drop::Unintroduced);
        return false;
    }
    ReplayWindows& windows = isInGroup ? *m_parts.ofGroup : isClientNumber(opened.sender) ? m_clients : m_servers;
    const bool isFirst = !windows.knows(opened.sender);
    if (!windows.accept(opened.sender, opened.counter)) {
        m_parts.counters.dropped(Drop::Replayed);
        return false;
    }
    if (isFirst && !isClientNumber(opened.sender))
        m_parts.introductions->meet(opened.sender);
    if (opened.type == PacketType::Introduction) {
        m_parts.introductions->learn(from, opened.sender);
        return false;
    }
    return true;
}

void UdpListener::listen(std::stop_token stop)
{
    const ThreadMeter meter(
        m_parts.threads, m_parts.transport == pb::MULTICAST ? "Multicast listening" : "UDP listening");
    DatagramBatch batch;
    std::array<Input, DatagramBatch::kCount> inputs;
    FloodGuard guard(m_parts.socket, m_parts.envelope.cluster());
    const auto spin = m_parts.transport == pb::UDP && hasSeveralProcessors() ? kSpin : std::chrono::microseconds();
    while (!stop.stop_requested()) {
        ThreadMeter::become(pb::NodeSample::WAITING);
        if (const auto received = m_parts.socket.receive(batch, spin); !received) {
            spdlog::error("{}", received.error().text);
            return;
        }
        if (m_parts.faults != nullptr) {
            if (m_parts.faults->touches(FaultBook::Pause))
                ThreadMeter::become(pb::NodeSample::IN_PAUSE);
            m_parts.faults->waitWhilePaused();
        }
        ThreadMeter::become(pb::NodeSample::IN_SOCKET);
        if (stop.stop_requested())
            return;
        if (batch.lostBefore() > 0)
            m_parts.counters.dropped(guard.lossesAre(), batch.lostBefore());
        std::size_t count = 0;
        std::uint64_t garbage = 0;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const auto result = m_parts.envelope.open(batch[i]);
            if (const Drop* wrong = std::get_if<Drop>(&result)) {
                m_parts.counters.dropped(*wrong);
                garbage += FloodGuard::isGarbage(*wrong) ? 1 : 0;
                if (*wrong == Drop::OtherVersion && m_parts.otherVersions != nullptr)
                    m_parts.otherVersions->onDatagram(batch.from(i), batch[i]);
                continue;
            }
            const auto& packet = std::get<Envelope::Opened>(result);
            if (m_parts.introductions != nullptr && !passes(packet, batch.from(i)))
                continue;
            Input& input = inputs[count];
            input.transport = m_parts.transport;
            input.sealedBy = m_parts.introductions != nullptr ? std::optional(packet.sender) : std::nullopt;
            input.bytes.assign(packet.body);
            if (m_parts.faults != nullptr && m_parts.faults->touches(FaultBook::Traffic)
                && !m_parts.faults->letIn(packet.sender, m_parts.transport, input.bytes))
                continue;
            input.bodyBegin = 0;
            input.bodySize = input.bytes.size();
            ++count;
        }
        if (garbage > 0 || guard.isOn())
            guard.note(garbage, batch.lostBefore(), FloodGuard::Clock::now());
        const std::span<Input> opened(inputs.data(), count);
        if (m_parts.dealDirectly && m_parts.dealDirectly(opened))
            continue;
        const std::size_t taken = m_parts.inputs.pushSome(opened);
        if (taken < count)
            m_parts.counters.dropped(Drop::QueueFull, count - taken);
    }
}

} // namespace lhrs
