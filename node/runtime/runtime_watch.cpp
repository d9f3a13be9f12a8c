// SPDX-License-Identifier: GPL-3.0-or-later
// What the runtime reports about itself: gauges, drops, and, for watchers, its threads and queues.
#include "node/runtime/runtime.h"

#include <time.h>
#include <unistd.h>

#include <fstream>

namespace lhrs {

namespace {

// A usual step takes far less time; a step that does not end must not stop the sampling.
constexpr auto kWaitForCore = std::chrono::milliseconds(2);

// Reasons of refusals beside those of messages (textOf(Drop)).
constexpr const char* kMalformedCommand = "malformed command";
constexpr const char* kNotAllowed = "a command that the key of its sender does not allow";
constexpr const char* kNotLetIn = "a watcher or operator without a key of this cluster";

struct QueueLength {
    const char* name;
    std::size_t length, bound, most;
    std::uint64_t dropped;
    const char* unit;
    const char* whenFull;
    bool hasMost = true;
};

void add(const QueueLength& queue, pb::NodeSample& out)
{
    auto& made = *out.add_queues();
    made.set_name(queue.name);
    made.set_length(queue.length);
    made.set_bound(queue.bound);
    made.set_high_mark(queue.most);
    made.set_has_high_mark(queue.hasMost);
    made.set_dropped(queue.dropped);
    made.set_unit(queue.unit);
    made.set_when_full(queue.whenFull);
}

} // namespace

// ---- watchers

void Runtime::watch(pb::NodeSample& out)
{
    m_threads.watch();
    wakeRun(); // run() ends the lease
    m_threads.sample(out);
    fillQueues(out);
    out.set_process(m_node.value);
    out.set_lost_events(m_publisher->lost());
    std::unique_lock lock(m_coreMutex, std::try_to_lock);
    for (const auto end = std::chrono::steady_clock::now() + kWaitForCore;
         !lock.owns_lock() && std::chrono::steady_clock::now() < end;) {
        std::this_thread::yield();
        (void)lock.try_lock();
    }
    out.set_time_ns(clock().count());
    out.set_wall_ns(wallNow());
    if (!lock.owns_lock()) {
        out.set_core_is_busy(true);
        return;
    }
    out.set_sequence(m_stamper->sequence());
    *out.mutable_place() = m_place;
    // The machine reports times on its own clock; a sample uses the clock of the process.
    const Time now = m_clock.now(), behind = Time(out.time_ns()) - now, deadline = m_machine->deadline();
    out.set_deadline_ns(deadline == Time::max() ? -1 : (deadline + behind).count());
    m_machine->inspect(now, out);
    for (auto& awaited : *out.mutable_awaited()) {
        awaited.set_sent_ns(awaited.sent_ns() + behind.count());
        awaited.set_due_ns(awaited.due_ns() + behind.count());
    }
    if (m_gate.isClosed())
        describeGate(*out.mutable_gate());
    if (m_options.hasGate)
        add({ "Held by the gate", m_gate.held(), kHeldMax, 0, m_counters.of(Drop::Gate), "", "messages are lost",
                false },
            out);
    fillGauges(*out.mutable_gauges());
}

void Runtime::fillQueues(pb::NodeSample& out) const
{
    const UdpSocket::Buffered udp = m_udp->buffered();
    add({ "UDP socket", udp.bytes, udp.bound, 0, udp.dropped, "bytes", "the kernel drops datagrams", false }, out);
    m_multicast->sample(out);
    add({ "Working threads", m_inputs.size(), m_inputs.bound(), m_inputs.highMark(), m_counters.of(Drop::QueueFull), "",
            "datagrams are dropped; streams and commands wait" },
        out);
    const TcpStreams::Queued tcp = m_streams->queued();
    add({ "TCP, to be sent", tcp.most, m_streams->limits().queuedMax, 0, m_counters.of(Drop::StreamQueueFull), "bytes",
            "what is for this receiver is dropped", false },
        out);
    add({ "Commands", m_control->open(), ControlServer::kOpenMax, m_control->openMost(), 0, "",
            "further ones are refused" },
        out);
    add({ "Events", m_publisher->waiting(), m_publisher->bound(), m_publisher->waitingMost(), m_publisher->lost(), "",
            "events are lost, and counted" },
        out);
}

// ---- gauges

void Runtime::fillGauges(pb::Gauges& out) const
{
    m_machine->gauges(out);
    out.set_messages_in(m_counters.in());
    out.set_messages_out(m_counters.out());
    out.set_dropped(m_counters.droppedSum() + m_control->malformed());
    const auto refused = [&out](const char* reason, std::uint64_t count) {
        if (count == 0)
            return;
        auto* refusal = out.add_refused();
        refusal->set_reason(reason);
        refusal->set_count(count);
    };
    for (std::size_t i = 0; i < std::size_t(Drop::kCount); ++i)
        if (isRefusal(Drop(i)))
            refused(textOf(Drop(i)), m_counters.of(Drop(i)));
    refused(kMalformedCommand, m_control->malformed());
    refused(kNotAllowed, m_control->notAllowed());
    refused(kNotLetIn, m_zap ? m_zap->refused() : 0);
    out.set_queue(std::uint32_t(m_inputs.size()));
    out.set_gate_held(std::uint32_t(m_gate.held()));
    out.set_wake_late_ns(std::uint64_t(m_wakes.worst().count()));
    std::uint64_t pages = 0;
    std::uint64_t resident = 0;
    if (std::ifstream("/proc/self/statm") >> pages >> resident)
        out.set_memory_bytes(resident * std::uint64_t(::sysconf(_SC_PAGESIZE)));
    timespec used {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    out.set_cpu_ns(std::uint64_t(used.tv_sec) * 1'000'000'000u + std::uint64_t(used.tv_nsec));
}

void Runtime::measureMemory()
{
    Time deadline;
    {
        const auto lock = lockCore();
        pb::Gauges gauges;
        m_machine->gauges(gauges);
        const MemoryReading reading = m_memory->read(gauges.store_bytes());
        tellInCore([&](Effects& out) { m_machine->onMemory(reading, m_clock.now(), out); });
        gauges.Clear();
        m_machine->gauges(gauges);
        m_isFull = gauges.is_full();
        deadline = nextStep();
    }
    m_ackManager->expect(deadline);
}

void Runtime::tellDropped(Effects& out)
{
    const auto drop = [&out](const char* reason, std::uint64_t sum, std::uint64_t& told) {
        if (sum == told)
            return;
        auto* dropped = out.event().mutable_message_dropped();
        dropped->set_reason(reason);
        dropped->set_count(sum - told);
        told = sum;
    };
    for (std::size_t i = 0; i < m_droppedTold.size(); ++i)
        drop(textOf(Drop(i)), m_counters.of(Drop(i)), m_droppedTold[i]);
    drop(kMalformedCommand, m_control->malformed(), m_malformedTold);
    drop(kNotAllowed, m_control->notAllowed(), m_notAllowedTold);
    if (m_zap)
        drop(kNotLetIn, m_zap->refused(), m_notLetInTold);
}

} // namespace lhrs
