// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/thrash/crowd.h"

#include "common/check/history.h"
#include "common/wire.h"
#include "node/lhrs/client/client.h"
#include "node/machine/event_stamp.h"
#include "node/transport/envelope.h"
#include "node/transport/socket_address.h"
#include "tests/thrash/values.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>

namespace lhrs::thrash {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLife = 60s; // of the whole crowd; an operation ends earlier by its own deadline
constexpr std::uint64_t kFirstKey = std::uint64_t(1) << 40; // far from the keys of the writers
constexpr std::uint64_t kFirstWriter = 0xc00000;

} // namespace

// One client: its socket, its machine, and its progress.
class Crowd::Member {
public:
    Member(Address coordinator, std::uint64_t seed, std::uint64_t key, std::uint64_t mark, Clock::time_point start,
        Effects& effects)
        : m_start(start), m_node(seed | 1), m_key(key), m_mark(mark), m_effects(effects),
          m_envelope(Envelope::clusterOf({ coordinator.ip, coordinator.udpPort }), m_node)
    {
        m_socket = Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        SystemAddress address({ kLoopback, 0 });
        if (!m_socket || ::bind(m_socket.get(), address.name(), address.size()) != 0
            || ::getsockname(m_socket.get(), address.name(), address.sizeToFill()) != 0) {
            m_socket.close();
            return;
        }
        m_self = { kLoopback, address.end().port, address.end().port }; // no listener for streams
        pb::ProcessInfo info;
        info.set_node(m_node.value);
        info.set_kind(pb::CLIENT);
        info.set_name("short-" + std::to_string(key - kFirstKey));
        m_self.to(*info.mutable_address());
        m_stamper.emplace(m_node, m_self);
        m_stamper->setDetail(pb::COUNTS, 0);
        m_client.emplace(ClientOptions { info, coordinator, seed });
        step([this](Time now) { m_client->onTime(now, m_effects); });
    }

    bool isThere() const { return bool(m_socket); }
    bool isGone() const { return m_isGone; }
    int descriptor() const { return m_socket.get(); }
    Time deadline() const { return m_client->deadline(); }
    Time clock() const { return Clock::now() - m_start; }
    bool wasInserted() const { return m_inserted == pb::OK; }
    std::uint64_t key() const { return m_key; }
    std::uint64_t mark() const { return m_mark; }
    // The insert was acknowledged, and the search returned the value.
    bool isKept() const { return wasInserted() && m_found == pb::OK && m_value == m_mark; }
    // Empty, or the contradiction between the two answers.
    std::string contradiction() const
    {
        const std::string name = "key " + std::to_string(m_key) + " of a client that came for a moment: ";
        if (m_inserted == pb::EXISTS)
            return "I10 " + name + "EXISTS, but nobody else writes it";
        if (m_inserted == pb::LOST || m_found == pb::LOST)
            return "I18 " + name + "LOST, but no loss was declared";
        if (wasInserted() && m_found == pb::NOT_FOUND)
            return "I8 " + name + "the insert was acknowledged, then it is not there";
        if (m_found == pb::OK && m_value != m_mark)
            return "I19 " + name + "a value was found that it did not write";
        return {};
    }

    void onTime()
    {
        if (clock() >= deadline())
            step([this](Time now) { m_client->onTime(now, m_effects); });
        begin();
    }
    void receive()
    {
        char bytes[65'536];
        for (;;) {
            const ssize_t count = ::recv(m_socket.get(), bytes, sizeof bytes, 0);
            if (count < 0)
                return;
            const auto opened = m_envelope.open({ bytes, std::size_t(count) });
            const auto* packet = std::get_if<Envelope::Opened>(&opened);
            google::protobuf::Arena arena;
            std::vector<ReadMessage> messages;
            if (packet == nullptr || !parseBody(packet->body, arena, messages))
                continue;
            for (const ReadMessage& read : messages)
                step([&](Time now) { m_client->onMessage(*read.message, now, m_effects); });
            begin();
        }
    }

private:
    // Starts its insert as soon as it is registered.
    void begin()
    {
        if (m_isBegun || !m_client->isRegistered())
            return;
        m_isBegun = true;
        operate(pb::INSERT);
    }
    void operate(pb::OperationKind kind)
    {
        pb::Command command;
        command.set_ticket(kind);
        auto* operate = command.mutable_operate();
        operate->set_kind(kind);
        operate->set_key(m_key);
        if (kind == pb::INSERT)
            operate->set_value(valueOf(m_mark));
        step([&](Time now) { m_client->onCommand(command, now, m_effects); });
    }
    void answered(const pb::CommandReply& reply)
    {
        const pb::OperationResult& result = reply.operation();
        if (reply.ticket() == pb::INSERT) {
            m_inserted = result.result();
            m_wantsSearch = true;
            return;
        }
        m_found = result.result();
        m_value = markOf(result.value());
        m_isGone = true;
    }
    template <class Step> void step(Step step)
    {
        m_effects.clear();
        m_effects.begin(nullptr);
        const Time now = clock();
        step(now);
        m_stamper->stamp(m_effects, now, 0, Time());
        m_stamper->sign(m_effects);
        for (const Effects::Send& send : m_effects.sends()) {
            const std::size_t size = sizeInBody(*send.message);
            std::string packet(kEnvelopeBytes + size, '\0');
            appendMessage(*send.message, packet.data() + kHeaderBytes);
            m_envelope.seal(packet.data(), size, send.node);
            const SystemAddress to({ send.to.ip, send.to.udpPort });
            // A datagram that cannot be sent is lost like any other.
            (void)::sendto(m_socket.get(), packet.data(), packet.size(), 0, to.name(), to.size());
        }
        for (const pb::CommandReply* reply : m_effects.replies())
            answered(*reply);
        if (std::exchange(m_wantsSearch, false))
            operate(pb::SEARCH);
    }

    const Clock::time_point m_start;
    const NodeId m_node;
    const std::uint64_t m_key;
    const std::uint64_t m_mark;
    Effects& m_effects; // of the current step, shared by all
    Envelope m_envelope;
    Descriptor m_socket;
    Address m_self;
    std::optional<EventStamper> m_stamper;
    std::optional<Client> m_client;
    bool m_isBegun = false;
    bool m_wantsSearch = false;
    bool m_isGone = false;
    pb::ResultCode m_inserted = pb::RESULT_UNKNOWN;
    pb::ResultCode m_found = pb::RESULT_UNKNOWN;
    std::optional<std::uint64_t> m_value;
};

Crowd::Crowd(Address coordinator, std::uint64_t seed, std::uint32_t number)
    : m_coordinator(coordinator), m_seed(seed), m_number(number),
      m_thread([this](const std::stop_token& stop) { run(stop); })
{
}

void Crowd::run(const std::stop_token& stop)
{
    const auto start = Clock::now();
    Effects effects;
    std::vector<std::unique_ptr<Member>> members;
    for (std::uint32_t i = 0; i < kClients; ++i) {
        const std::uint64_t number = std::uint64_t(m_number) * kClients + i;
        auto member = std::make_unique<Member>(m_coordinator, splitMix(m_seed * 1'000'003 + number), kFirstKey + number,
            check::fingerprint(kFirstWriter, number + 1), start, effects);
        if (member->isThere())
            members.push_back(std::move(member));
    }
    if (members.size() < kClients)
        m_outcome.wrong.push_back(
            "only " + std::to_string(members.size()) + " of a crowd got a socket: " + std::strerror(errno));
    std::vector<pollfd> polled;
    while (!stop.stop_requested() && Clock::now() < start + kLife) {
        polled.clear();
        std::vector<Member*> present;
        Time next = Time::max();
        for (const auto& member : members) {
            if (member->isGone())
                continue;
            present.push_back(member.get());
            polled.push_back({ member->descriptor(), POLLIN, 0 });
            next = std::min(next, member->deadline());
        }
        if (present.empty())
            break;
        const Time now = Clock::now() - start;
        const auto wait = next > now ? std::chrono::ceil<std::chrono::milliseconds>(std::min(next - now, Time(100ms)))
                                     : 0ms;
        if (::poll(polled.data(), polled.size(), int(wait.count())) < 0 && errno != EINTR)
            break;
        for (std::size_t i = 0; i < present.size(); ++i) {
            if (polled[i].revents != 0)
                present[i]->receive();
            if (!present[i]->isGone())
                present[i]->onTime();
        }
    }
    for (const auto& member : members) {
        m_outcome.inserted += member->wasInserted() ? 1 : 0;
        m_outcome.unsure += member->isKept() ? 0 : 1;
        if (std::string wrong = member->contradiction(); !wrong.empty())
            m_outcome.wrong.push_back(std::move(wrong));
        if (member->isKept())
            m_outcome.kept.emplace_back(member->key(), member->mark());
    }
    m_isOver = true;
}

} // namespace lhrs::thrash
