// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/core/memory_cluster.h"

namespace lhrs::test {

MemoryCluster::MemoryCluster(Options options) : m_options(options), m_numbers(options.seed) { }

MemoryCluster::MemoryCluster() : MemoryCluster(Options {}) { }

Machine& MemoryCluster::add(const pb::ProcessInfo& info, std::unique_ptr<Machine> machine, NodeId identity)
{
    auto& process = m_processes[info.node()];
    process = std::make_unique<Process>(info, identity.value == 0 ? NodeId(info.node()) : identity);
    process->machine = std::move(machine);
    process->pool = info.pool();
    process->wakes = m_now;
    return *process->machine;
}

std::uint64_t MemoryCluster::command(std::uint64_t node, pb::Command command)
{
    command.set_ticket(++m_tickets);
    Process& process = *m_processes.at(node);
    m_effects.begin(nullptr);
    process.machine->onCommand(command, m_now, m_effects);
    finish(process);
    return command.ticket();
}

const pb::CommandReply* MemoryCluster::reply(std::uint64_t ticket) const
{
    const auto found = m_replies.find(ticket);
    return found == m_replies.end() ? nullptr : &found->second;
}

void MemoryCluster::inject(std::uint64_t to, const pb::Message& message)
{
    post({ message.sender(), to, std::make_shared<const pb::Message>(message), pb::UDP });
}

bool MemoryCluster::runUntil(const std::function<bool()>& condition, Time limit)
{
    const Time end = m_now + limit;
    while (!condition()) {
        Process* next = nullptr;
        for (auto& [node, process] : m_processes) {
            if (!next || process->wakes < next->wakes)
                next = process.get();
        }
        const Time wakes = next ? next->wakes : Time::max();
        const Time arrives = m_queue.empty() ? Time::max() : m_queue.top().at;
        if (std::min(wakes, arrives) > end) {
            m_now = end;
            return condition();
        }
        if (arrives <= wakes)
            arrive();
        else
            wake(*next);
    }
    return true;
}

void MemoryCluster::run(Time time)
{
    runUntil([] { return false; }, time);
}

pb::CommandReply MemoryCluster::ask(std::uint64_t node, const pb::Command& what, Time limit)
{
    const std::uint64_t ticket = command(node, what);
    runUntil([&] { return reply(ticket) != nullptr; }, limit);
    return reply(ticket) ? *reply(ticket) : pb::CommandReply();
}

void MemoryCluster::post(Packet packet)
{
    const bool isDatagram = packet.transport != pb::STREAM;
    if (isDatagram && m_numbers.below(1000) < m_options.loss)
        return;
    const int copies = isDatagram && m_numbers.below(1000) < m_options.doubled ? 2 : 1;
    for (int copy = 0; copy < copies; ++copy) {
        const Time extra = m_options.jitter > 0ns ? Time(m_numbers.below(std::uint64_t(m_options.jitter.count())))
                                                  : 0ns;
        m_queue.push({ m_now + m_options.delay + extra, ++m_posted, packet });
    }
}

void MemoryCluster::arrive()
{
    const Flight flight = m_queue.top();
    m_queue.pop();
    m_now = std::max(m_now, flight.at);
    const auto found = m_processes.find(flight.packet.to);
    if (found != m_processes.end() && m_now < found->second->standsUntil) {
        m_queue.push({ found->second->standsUntil, flight.number, flight.packet });
        return;
    }
    if ((onPacket && !onPacket(flight.packet)) || found == m_processes.end())
        return;
    ++m_delivered;
    m_effects.begin(flight.packet.message.get());
    found->second->machine->onMessage(*flight.packet.message, m_now, m_effects);
    finish(*found->second);
}

void MemoryCluster::wake(Process& process)
{
    m_now = std::max(m_now, process.wakes);
    if (m_now < process.standsUntil) {
        process.wakes = process.standsUntil;
        return;
    }
    m_effects.begin(nullptr);
    process.machine->onTime(m_now, m_effects);
    finish(process);
    // A machine whose deadline is not after now would be called in an endless loop.
    process.wakes = std::max(process.wakes, m_now + 1us);
}

void MemoryCluster::finish(Process& process)
{
    m_effects.joinBlocks();
    process.stamper.stamp(m_effects, m_now, 0, 0ns);
    process.stamper.sign(m_effects);
    if (m_effects.poolToLeave() == process.pool)
        process.pool = pb::NO_ROLE;
    if (m_effects.poolToJoin() != pb::NO_ROLE)
        process.pool = m_effects.poolToJoin();
    std::vector<pb::Event> events;
    for (const pb::Event* event : m_effects.events())
        events.push_back(*event);
    for (const pb::CommandReply* answer : m_effects.replies())
        m_replies[answer->ticket()] = *answer;
    for (const Effects::Send& send : m_effects.sends())
        post({ process.info.node(), send.to.ip.number(), std::make_shared<const pb::Message>(*send.message),
            send.way != Way::Auto ? pb::STREAM : pb::UDP });
    for (const Effects::Multicast& multicast : m_effects.multicasts()) {
        for (const auto& [node, other] : m_processes) {
            if (other->pool == multicast.pool)
                post({ process.info.node(), node, std::make_shared<const pb::Message>(*multicast.message),
                    pb::MULTICAST });
        }
    }
    m_effects.clear();
    process.wakes = process.machine->deadline();
    if (onEvent) {
        for (const pb::Event& event : events)
            onEvent(process.info.node(), event);
    }
}

FileRig::FileRig(const Options& options) : cluster(options.network), m_options(options)
{
    startCoordinator(false);
    for (std::uint32_t s = 0; s < options.dataSpares; ++s)
        addSpare(kData + s, pb::DATA);
    for (std::uint32_t s = 0; s < options.paritySpares; ++s)
        addSpare(kParity + s, pb::PARITY);
    for (std::uint32_t c = 0; c < options.clients; ++c)
        addClient(kClient + c);
}

void FileRig::startCoordinator(bool listensFirst, bool isFileKnown)
{
    const pb::ProcessInfo self = process(kCoordinator, pb::COORDINATOR);
    const pb::FileConfig config = listensFirst ? fileConfig() : m_options.config;
    cluster.add(self,
        std::make_unique<Coordinator>(
            CoordinatorOptions { self, config, m_options.timers, m_options.recruiting, 1, listensFirst, isFileKnown }),
        NodeId(kCoordinator + 1'000'000 * m_formerCoordinators++));
}

void FileRig::addSpare(std::uint64_t node, pb::Role pool)
{
    const pb::ProcessInfo info = process(node, pb::NODE, pool);
    cluster.add(info, std::make_unique<NodeMachine>(NodeOptions { info, addressOfProcess(kCoordinator), pool, node }));
    nodes.insert(node);
}

void FileRig::addClient(std::uint64_t node)
{
    const pb::ProcessInfo info = process(node, pb::CLIENT);
    cluster.add(info, std::make_unique<Client>(ClientOptions { info, addressOfProcess(kCoordinator), node }));
}

const DataBucket* FileRig::data(std::uint32_t bucket)
{
    for (const std::uint64_t number : nodes) {
        const DataBucket* found = node(number).dataBucket();
        if (found && found->number().value == bucket && coordinator().file().isHolder(found->incarnation()))
            return found;
    }
    return nullptr;
}

const ParityBucket* FileRig::parity(std::uint32_t group, std::uint32_t column)
{
    for (const std::uint64_t number : nodes) {
        const ParityBucket* found = node(number).parityBucket();
        if (found && found->group().value == group && found->column().value == column
            && coordinator().file().isHolder(found->incarnation()))
            return found;
    }
    return nullptr;
}

bool FileRig::waitForFile()
{
    return cluster.runUntil([&] { return coordinator().file().exists() && client().isRegistered(); }, 30s);
}

bool FileRig::waitForRest(Time limit)
{
    return cluster.runUntil([&] { return coordinator().isAtRest(); }, limit);
}

void FileRig::kill(std::uint64_t node)
{
    cluster.kill(node);
    nodes.erase(node);
}

std::uint64_t FileRig::holder(pb::Role role, std::uint32_t group, std::uint32_t index)
{
    const FileState::Group& g = coordinator().file().groups().at(GroupNumber(group));
    return (role == pb::DATA ? g.data.at(Position(index)) : g.parity.at(ParityColumn(index))).holder.node.value;
}

pb::OperationResult FileRig::operate(
    pb::OperationKind kind, std::uint64_t key, const std::string& value, std::uint64_t node)
{
    pb::Command command;
    command.mutable_operate()->set_kind(kind);
    command.mutable_operate()->set_key(key);
    command.mutable_operate()->set_value(value);
    return cluster.ask(node, command).operation();
}

pb::WorkloadResult FileRig::runWorkload(const pb::RunWorkload& order, std::uint64_t node, Time limit)
{
    pb::Command command;
    *command.mutable_run_workload() = order;
    return cluster.ask(node, command, limit).workload();
}

pb::WorkloadResult FileRig::insertMany(
    std::uint64_t count, std::uint32_t length, std::uint32_t window, std::uint64_t node)
{
    pb::RunWorkload order;
    order.set_kind(pb::INSERT);
    order.set_count(count);
    order.set_length(length);
    order.set_window(window);
    return runWorkload(order, node);
}

pb::WorkloadResult FileRig::verify(std::uint64_t node)
{
    pb::Command command;
    command.mutable_verify()->set_window(8);
    return cluster.ask(node, command, 600s).workload();
}

} // namespace lhrs::test
