// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/keys/key_ring.h"
#include "common/wire.h"
#include "node/machine/event_stamp.h"
#include "node/machine/machine.h"
#include "node/process/control_server.h"
#include "node/process/event_publisher.h"
#include "node/process/thread_meter.h"
#include "node/process/zap_handler.h"
#include "node/runtime/ack_manager.h"
#include "node/runtime/gate.h"
#include "node/runtime/input.h"
#include "node/runtime/memory_meter.h"
#include "node/runtime/multicast_listener.h"
#include "node/runtime/program_part.h"
#include "node/runtime/protocol_clock.h"
#include "node/runtime/queue.h"
#include "node/runtime/tcp_listener.h"
#include "node/runtime/udp_listener.h"
#include "node/runtime/wake_meter.h"
#include "node/transport/fault_shim.h"
#include "node/transport/sender.h"

#include <zmq.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace lhrs {

struct RuntimeOptions {
    pb::ProcessKind kind = pb::NODE;
    std::string system; // system of the machine
    std::string name;
    pb::Role pool = pb::NO_ROLE; // for an idle server: it joins the multicast group of this pool at its start
    Endpoint listen { kLoopback, 0 };
    std::optional<KeyFile> key; // of this process; unset: packets are sealed without a key
    std::optional<Endpoint> coordinator; // unset: this process is the coordinator
    std::uint16_t eventsPort = 0;
    std::uint16_t controlPort = 0;
    unsigned workingThreads = 4;
    std::uint64_t memory = 0; // limit in bytes, if the system allows more; 0: as much as the system allows
    bool hasGate = false; // its messages and its protocol clock may be held
    bool allowsFaults = false; // faults may be injected beyond loopback too
    // If the coordinator never answers: times after start() at which a line is logged and at which the process ends.
    std::chrono::milliseconds coordinatorLate { 1'000 };
    std::chrono::milliseconds coordinatorMissing { 10'000 };
};

// Why a process ends.
struct Ending {
    int exitCode = 0;
    std::string reason;
};

// Drives one Machine with the threads of the demo paper's figure 2 and real sockets: UDP Listening Thread, Working
// Threads, TCP Listening Thread, Acknowledgement Manager, and the multicast threads until the process is recruited. It
// owns them, the queue between them, and the single mutex around the core.
class Runtime {
public:
    // Opens every socket, so that self() is known before the machine is made. An Error says what to do.
    static Result<std::unique_ptr<Runtime>> open(const RuntimeOptions& options);
    // Ends the threads; the last event is ProcessEnded.
    ~Runtime();

    const pb::ProcessInfo& self() const { return m_self; }
    // Where the coordinator of this cluster listens; for the coordinator, its own address.
    Address coordinator() const;
    const Counters& counters() const { return m_counters; }

    // Lets the machine take its first step and starts the threads; `part`: what the program has beside the machine,
    // which outlives the runtime.
    void start(std::unique_ptr<Machine> machine, ProgramPart* part = nullptr);
    // Lets the machine carry out commands of the part, in the thread of the part, as a working thread would. Their
    // tickets have kInnerTicket. It waits while the process is paused.
    void obey(std::span<const pb::Command> commands);
    ThreadBook& threads() { return m_threads; }
    // Waits for the end: stop(), a Shutdown command, a missing coordinator, or bytes in `endSignals` (a descriptor as
    // from signalfd(2); -1: none). In the meantime it does the periodic work: the multicast group, and Gauges every 100
    // ms while something changes.
    Ending run(int endSignals = -1);
    // Ends run() for this reason; may be called from any thread.
    void stop(const std::string& reason);

private:
    static constexpr std::size_t kInputsInTurn = 32; // number of inputs that a working thread takes at once
    static constexpr std::size_t kStepsInTurn = 32; // limit on steps of the machine while the core is held

    // A message or command in a working thread.
    struct Item {
        pb::Message* message = nullptr; // not modified until the step is over
        std::uint32_t bytes = 0;
        pb::Transport transport = pb::UDP;
        const pb::Command* command = nullptr;
        Time preparation {}; // the time that it took to read it, if that may be long
        std::string* block = nullptr; // block of the message, if it is long: the machine may keep it
    };

    // A clock for the machine that can be read during a step.
    struct StepClock : Stopwatch {
        explicit StepClock(const Runtime& r) : runtime(r) { }
        Time read() const override { return runtime.m_clock.now(); }
        const Runtime& runtime;
    };

    // Memory that a working thread reuses.
    struct Worker {
        Worker(Sender::Ways ways, const Stopwatch& clock);
        // Effects for the next step.
        Effects& next();
        // Prepares it for the next inputs.
        void clear();

        std::array<Input, kInputsInTurn> inputs;
        StringPool strings; // memory for the values in both arenas
        std::unique_ptr<char[]> block; // initial memory of the arena
        google::protobuf::Arena arena; // for parsed messages
        std::vector<ReadMessage> messages;
        std::vector<Item> items;
        std::unique_ptr<char[]> effectsBlock;
        google::protobuf::Arena effectsArena; // for the effects of several steps
        std::vector<std::unique_ptr<Effects>> effects; // one for each step of the turn
        std::vector<pb::CommandReply*> partReplies; // in those effects
        const Stopwatch& stepClock;
        std::size_t effectsUsed = 0;
        Sender sender;
    };

    explicit Runtime(const RuntimeOptions& options);
    Result<void> openSockets();
    Sender::Ways ways();
    // The clock of the process, which events use; the clock of the machine stands still while the gate is closed.
    Time clock() const;
    static std::int64_t wallNow(); // ns since 1970, by the run's clock

    void work(Queue<Input>& inputs, const std::string& name, std::stop_token stop);
    void standWhilePaused();
    // Locks the core for the calling thread; its meter shows the wait.
    std::unique_lock<std::mutex> lockCore() const;
    void handle(std::span<Input> inputs, Worker& worker);
    void takeSteps(Worker& worker);
    bool handleDirectly(std::span<Input> inputs);
    void parse(std::span<Input> inputs, Worker& worker);
    Introductions* introductions() { return m_introductions ? &*m_introductions : nullptr; }
    void prepare(Effects& out, const pb::Message* cause);
    void step(const Item& item, Effects& out, bool moreFollow);
    Time nextStep() const;
    void expect(std::span<const Item> turn, std::size_t at, Machine::Soon soon) const;
    void takeCommand(pb::Command command);
    void command(const pb::Command& command, Time now, Effects& out);
    void publish(Effects& effects, Time begin);
    void carryOut(Worker& worker);
    void stepTime(Worker& worker);

    // The gate (runtime_gate.cpp); used by one thread at a time, which holds m_gateMutex.
    bool commandGate(const pb::Command& command, pb::CommandReply& reply);
    void closeGate(const pb::SetGate& order);
    void openGate(Gate::Instant told, const char* reason);
    void openGateWhenUnrenewed();
    void deliverHeld();
    void releaseHeld(const pb::ReleaseHeld& order, pb::CommandReply& reply);
    void advanceGated(Time by);
    void queueHeld();
    void describeGate(pb::GateState& out);

    // Emits events of the runtime itself; the second function is for callers that hold the core.
    template <class Tell> void tell(Tell tell);
    template <class Tell> void tellInCore(Tell tell);
    void tellDropped(Effects& out);
    // Answers a query from a watcher in the control server's thread: what all threads, queues and the machine are doing
    // now.
    void watch(pb::NodeSample& out);
    void fillQueues(pb::NodeSample& out) const;
    void fillGauges(pb::Gauges& out) const;
    void measureMemory();
    FaultShim::Ways faultWays();
    void recruitByRegistry(const Error& why);
    void hearCoordinator(const pb::Message& message);

    void markChanged();
    void wakeRun() const;
    void doChores();
    int untilNextChore() const;
    std::optional<Ending> lookForCoordinator();

    const RuntimeOptions m_options;
    const std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    ProtocolClock m_clock { m_start }; // changed while the core is held
    const StepClock m_stepClock { *this };
    const NodeId m_node; // process number, drawn randomly at the start
    pb::ProcessInfo m_self;
    Counters m_counters;

    ThreadBook m_threads; // outlives all threads

    std::optional<KeyRing> m_keys;
    zmq::context_t m_context;
    std::unique_ptr<ZapHandler> m_zap; // with keys
    std::optional<Envelope> m_envelope;
    std::optional<Introductions> m_introductions; // with keys
    std::optional<OtherVersions> m_otherVersions;
    std::optional<UdpSocket> m_udp;
    std::unique_ptr<TcpStreams> m_streams;
    std::unique_ptr<EventPublisher> m_publisher;
    std::unique_ptr<ControlServer> m_control;
    Queue<Input> m_inputs;
    std::optional<FaultShim> m_faults;

    // The core: everything here is used only with m_coreMutex.
    mutable std::mutex m_coreMutex;
    std::unique_ptr<Machine> m_machine;
    std::optional<EventStamper> m_stamper;
    pb::Place m_place; // of the process, after its last step
    std::array<std::uint64_t, std::size_t(Drop::kCount)> m_droppedTold {};
    std::uint64_t m_malformedTold = 0, m_notAllowedTold = 0, m_notLetInTold = 0;
    Gate m_gate { m_clock };
    std::uint64_t m_messagesTaken = 0; // held or delivered

    // Shared by the threads and run().
    Descriptor m_wake;
    std::atomic<bool> m_hasChanged = false; // since the last Gauges
    std::atomic<bool> m_hasHeardCoordinator = false;
    std::atomic<bool> m_isTurnedAway = false; // the coordinator takes no further client
    std::atomic<bool> m_isMulticastBroken = false;
    mutable std::mutex m_choreMutex;
    std::optional<pb::Role> m_poolWanted; // guarded by m_choreMutex, as is the next one
    std::optional<std::string> m_ending;
    std::chrono::steady_clock::time_point m_gaugesTold; // used by run()
    std::optional<MemoryMeter> m_memory; // for a node
    std::chrono::steady_clock::time_point m_memoryMeasured; // used by run()
    bool m_isFull = false; // used by run()
    // Used by run(): the time of the last heavy traffic, and the value of that time for which freed memory was last
    // returned.
    std::chrono::steady_clock::time_point m_bulkAt;
    std::chrono::steady_clock::time_point m_memoryGivenBack;
    std::uint64_t m_messagesTold = 0; // used by run(): number received up to the last Gauges
    bool m_isLateTold = false; // used by run()
    WakeMeter m_wakes { m_start }; // used by run(); any thread reads it

    std::stop_source m_stopping; // for threads that are waiting to push

    std::mutex m_gateMutex; // locked before the core's mutex; protects m_gateWorker
    std::atomic<std::int64_t> m_gateEnds
        = std::numeric_limits<std::int64_t>::max(); // end of the lease, in ns of the system's monotonic clock

    // Threads are declared last, so they end first.
    std::optional<Worker> m_timeWorker;
    std::optional<Worker> m_listenerWorker;
    std::optional<Worker> m_gateWorker;
    std::optional<Worker> m_partWorker; // used by the thread of m_part, if there is one
    ProgramPart* m_part = nullptr;
    std::optional<AckManager> m_ackManager;
    std::vector<std::jthread> m_workingThreads;
    std::optional<TcpListener> m_tcpListener;
    std::optional<UdpListener> m_udpListener;
    std::optional<MulticastListener> m_multicast;
};

template <class Tell> void Runtime::tell(Tell tell)
{
    const std::lock_guard lock(m_coreMutex);
    tellInCore(tell);
}

template <class Tell> void Runtime::tellInCore(Tell tell)
{
    Effects out;
    out.at(m_place.role(), m_place.number(), m_place.column());
    m_stamper->prepare(out, false); // gathered changes are emitted first
    tell(out);
    publish(out, clock());
}

} // namespace lhrs
