// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/gui/fake_cluster.h"

namespace lhrs::gui {

FakeCluster::FakeCluster(const FileShape& shape) : m_state(fileOf(shape))
{
    for (const auto& [id, process] : m_state.processes) {
        auto made = std::make_unique<FakeProcess>(id, process.kind, process.name);
        made->answer([this, id = id](const pb::Command& command) { return answer(id, command); });
        m_processes[id] = std::move(made);
    }
    const std::lock_guard lock(m_mutex);
    m_isReady = true;
}

FakeCluster::~FakeCluster()
{
    for (auto& [id, process] : m_processes)
        process->answer({}); // no call after this
    m_processes.clear();
}

QString FakeCluster::address() const
{
    return QString::fromStdString(m_processes.at(kFileCoordinator)->info().control_endpoint()).section('/', -1);
}

void FakeCluster::tell(ProcessId id, std::vector<pb::Event> events)
{
    std::uint64_t first = 0;
    {
        const std::lock_guard lock(m_mutex);
        first = m_state.processes[id].sequence + 1;
        for (std::size_t i = 0; i < events.size(); ++i) {
            events[i].set_sequence(first + i);
            events[i].set_wall_ns(wallNs());
            m_state.apply(id, events[i], 0);
        }
    }
    m_processes.at(id)->publish(first, std::move(events));
}

void FakeCluster::end(ProcessId id)
{
    const std::lock_guard lock(m_mutex);
    m_ended.insert(id);
}

void FakeCluster::cutOff(ProcessId id)
{
    const std::lock_guard lock(m_mutex);
    m_cutOff.insert(id);
}

std::vector<FakeCluster::Order> FakeCluster::orders() const
{
    const std::lock_guard lock(m_mutex);
    return m_orders;
}

std::optional<FakeCluster::Order> FakeCluster::order(pb::Command::BodyCase body) const
{
    for (const Order& order : orders()) {
        if (order.command.body_case() == body)
            return order;
    }
    return std::nullopt;
}

void FakeCluster::forgetOrders()
{
    const std::lock_guard lock(m_mutex);
    m_orders.clear();
}

void FakeCluster::setContents(Contents contents)
{
    const std::lock_guard lock(m_mutex);
    m_contents = std::move(contents);
}

void FakeCluster::setSamples(Samples samples)
{
    const std::lock_guard lock(m_mutex);
    m_samples = std::move(samples);
}

void FakeCluster::setGate(std::map<ProcessId, std::vector<pb::HeldMessage>> held)
{
    const std::lock_guard lock(m_mutex);
    m_hasGate = true;
    m_held = std::move(held);
}

void FakeCluster::setKeysKnown(std::uint64_t keys)
{
    const std::lock_guard lock(m_mutex);
    m_keysKnown = keys;
}

void FakeCluster::setReply(const pb::CommandReply& reply)
{
    const std::lock_guard lock(m_mutex);
    m_reply = reply;
}

std::int64_t FakeCluster::wallNs()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::optional<pb::CommandReply> FakeCluster::answer(ProcessId id, const pb::Command& command)
{
    const std::lock_guard lock(m_mutex);
    if (!m_isReady || m_ended.contains(id))
        return std::nullopt;
    if (command.has_take_snapshot())
        return snapshot(id);
    if (command.has_list_processes())
        return list();
    if (command.has_read_contents() && m_contents) {
        pb::CommandReply reply;
        *reply.mutable_contents() = m_contents(id, command.read_contents());
        return reply;
    }
    if (command.has_watch() && m_samples) {
        pb::CommandReply reply;
        *reply.mutable_sample() = m_samples(id);
        reply.mutable_sample()->set_process(id);
        reply.mutable_sample()->set_wall_ns(wallNs());
        return reply;
    }
    if (command.has_describe_client()) {
        pb::CommandReply reply;
        reply.mutable_client()->set_keys_known(m_keysKnown);
        return reply;
    }
    if (command.has_set_gate() || command.has_release_held() || command.has_describe_gate())
        return gate(id, command);
    if (command.has_read_contents() || command.has_statistics() || command.has_watch())
        return pb::CommandReply();
    m_orders.push_back({ id, command });
    return m_reply;
}

pb::CommandReply FakeCluster::gate(ProcessId id, const pb::Command& command)
{
    pb::CommandReply reply;
    if (!m_hasGate) {
        reply.set_refusal(pb::NOT_ALLOWED);
        reply.set_text("this process was started without --gate");
        return reply;
    }
    m_orders.push_back({ id, command });
    if (command.has_set_gate())
        m_isGated[id] = command.set_gate().is_closed();
    auto& held = m_held[id];
    pb::GateState& state = *reply.mutable_gate();
    if (command.has_release_held()) {
        const std::uint64_t number = command.release_held().number();
        const auto one = std::find_if(held.begin(), held.end(),
            [number](const pb::HeldMessage& message) { return number == 0 || message.number() == number; });
        if (one != held.end()) {
            *state.add_released() = *one;
            held.erase(one);
        }
    }
    state.set_is_closed(m_isGated[id]);
    state.set_stopped_ns(command.set_gate().at_ns());
    state.set_held(std::uint32_t(held.size()));
    for (const pb::HeldMessage& message : held)
        *state.add_messages() = message;
    return reply;
}

pb::CommandReply FakeCluster::list() const
{
    pb::CommandReply reply;
    reply.mutable_processes();
    for (const auto& [id, process] : m_processes) {
        if (m_ended.contains(id) || m_cutOff.contains(id))
            continue;
        auto* entry = reply.mutable_processes()->add_processes();
        *entry->mutable_process() = process->info();
        *entry->mutable_place() = m_state.processes.at(id).place;
        entry->set_silent_ms(5);
    }
    return reply;
}

pb::CommandReply FakeCluster::snapshot(ProcessId id) const
{
    const ProcessState& process = m_state.processes.at(id);
    return FakeProcess::snapshotOf(*m_processes.at(id), process.sequence, [&](pb::Snapshot& s) {
        s.set_incarnation(process.incarnation);
        if (process.kind == pb::COORDINATOR)
            describe(*s.mutable_file());
        else if (process.kind == pb::CLIENT)
            describe(m_state.clients.at(id), m_state.fileClient(id), *s.mutable_client());
        else if (process.place.role() == pb::DATA)
            describe(m_state.data.at(process.place.number()), *s.mutable_data());
        else if (process.place.role() == pb::PARITY)
            describe(m_state.parity.at({ process.place.number(), process.place.column() }), *s.mutable_parity());
        else
            s.set_spare_pool(process.pool);
    });
}

void FakeCluster::describe(pb::FileDescription& file) const
{
    file.set_exists(m_state.file.exists);
    *file.mutable_config() = m_state.file.config;
    file.mutable_file()->set_i(m_state.file.i);
    file.mutable_file()->set_n(m_state.file.n);
    file.set_buckets(m_state.file.buckets);
    file.set_availability(m_state.file.availability);
    file.set_recruiting(pb::MULTICAST);
    for (const auto& [number, group] : m_state.groups) {
        auto* known = file.add_groups();
        known->set_number(number);
        known->set_k(group.k);
        known->mutable_view()->set_group(number);
        known->mutable_view()->set_epoch(group.epoch);
    }
}

void FakeCluster::describe(const ClientState& from, const FileClient& known, pb::ClientDescription& client)
{
    *client.mutable_image() = known.image;
    client.set_mode(known.mode);
    client.set_operations(from.operations);
    client.set_forwards(from.forwards);
}

void FakeCluster::describe(const DataBucketState& from, pb::Snapshot::DataBucket& bucket)
{
    bucket.set_bucket(from.number);
    bucket.set_level(from.level);
    bucket.set_state(from.state);
    bucket.set_sequence(from.sequence);
    bucket.set_count(from.count);
    bucket.set_b(from.b);
    for (std::uint32_t rank = 1; rank <= from.ranks.rankMax(); ++rank) {
        if (from.ranks.has(rank)) {
            bucket.add_ranks(rank);
            bucket.add_keys(from.ranks.at(rank));
        }
    }
}

void FakeCluster::describe(const ParityBucketState& from, pb::Snapshot::ParityBucket& bucket)
{
    bucket.set_group(from.group);
    bucket.set_column(from.column);
    bucket.set_state(from.state);
    for (const std::uint64_t applied : from.applied)
        bucket.add_applied(applied);
    for (std::uint32_t rank = 1; rank <= from.ranks.rankMax(); ++rank) {
        if (from.ranks.has(rank)) {
            bucket.add_ranks(rank);
            bucket.add_members(std::uint32_t(from.ranks.at(rank)));
        }
    }
}

LoopWatch::LoopWatch()
{
    m_timer.setTimerType(Qt::PreciseTimer);
    QObject::connect(&m_timer, &QTimer::timeout, [this] {
        const qint64 away = m_since.restart();
        m_longest = std::max(m_longest, away);
        ++m_turns;
    });
    m_since.start();
    m_timer.start(4);
}

void LoopWatch::restart()
{
    m_longest = 0;
    m_turns = 0;
    m_since.restart();
}

} // namespace lhrs::gui
