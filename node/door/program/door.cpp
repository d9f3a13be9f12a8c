// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/program/door.h"

#include "node/process/thread_meter.h"
#include "node/runtime/runtime.h"
#include "node/runtime/thread.h"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace lhrs {

namespace {

constexpr std::size_t kReadBytes = std::size_t(64) << 10;
constexpr int kEventsMax = 128; // that one turn takes
constexpr auto kLookPeriod = std::chrono::seconds(5); // between searches for stalled connections
constexpr std::string_view kFull = "-ERR max number of clients reached\r\n";

// Marks of epoll: connections have their slot.
constexpr std::uint64_t kListenerMark = std::uint64_t(1) << 32;
constexpr std::uint64_t kWakeMark = std::uint64_t(1) << 33;

} // namespace

Door::Door(DoorOptions options, const ProcessOptions& process)
    : m_options(std::move(options)), m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      m_epoll(::epoll_create1(EPOLL_CLOEXEC)),
      m_store([this](std::span<const pb::Command> commands) { m_runtime->obey(commands); },
          [this] { ::eventfd_write(m_wake.get(), 1); }),
      m_bytes(kReadBytes)
{
    m_description.name = process.name;
    m_description.version = LHRS_VERSION;
    m_description.process = std::uint64_t(::getpid());
    m_description.socket = m_options.socket;
}

Door::~Door() { stop(); }

Result<void> Door::open()
{
    if (!m_wake || !m_epoll)
        return systemError("no descriptors for a door", errno);
    if (m_options.port) {
        auto listener = DoorListener::onPort(*m_options.port);
        if (!listener)
            return listener.error();
        m_description.port = listener->port();
        m_listeners.push_back(std::move(*listener));
    }
    if (!m_options.socket.empty()) {
        auto listener = DoorListener::atPath(m_options.socket);
        if (!listener)
            return listener.error();
        m_listeners.push_back(std::move(*listener));
    }
    for (std::size_t i = 0; i < m_listeners.size(); ++i)
        if (!watch(m_listeners[i].get(), EPOLLIN, kListenerMark | i, EPOLL_CTL_ADD))
            return systemError("cannot wait for connections", errno);
    if (!watch(m_wake.get(), EPOLLIN, kWakeMark, EPOLL_CTL_ADD))
        return systemError("cannot wait for answers", errno);
    return {};
}

std::string Door::readyWords() const
{
    std::string words;
    if (m_options.port)
        words += " resp=" + textOf(Endpoint { kLoopback, m_description.port });
    if (!m_options.socket.empty())
        words += " resp-socket=" + m_options.socket;
    return words;
}

void Door::start(Runtime& runtime)
{
    m_runtime = &runtime;
    if (m_options.port)
        spdlog::info("clients of the Redis protocol connect to 127.0.0.1:{}, as every user of this computer can",
            m_description.port);
    if (!m_options.socket.empty())
        spdlog::info("clients of the Redis protocol connect to {}, as only this user can", m_options.socket);
    m_thread = spawn("Door", [this](std::stop_token stop) { run(std::move(stop)); });
}

void Door::stop()
{
    m_thread.request_stop();
    ::eventfd_write(m_wake.get(), 1);
    if (m_thread.joinable())
        m_thread.join();
    m_listeners.clear();
}

bool Door::watch(int socket, std::uint32_t what, std::uint64_t mark, int action)
{
    epoll_event event {};
    event.events = what;
    event.data.u64 = mark;
    return ::epoll_ctl(m_epoll.get(), action, socket, &event) == 0;
}

// ---- the thread

void Door::run(std::stop_token stop)
{
    const ThreadMeter meter(&m_runtime->threads(), "Door");
    std::array<epoll_event, kEventsMax> events;
    while (!stop.stop_requested()) {
        ThreadMeter::become(pb::NodeSample::WAITING);
        const int wait = m_counters.connectedNow > 0 ? int(std::chrono::milliseconds(kLookPeriod).count()) : -1;
        const int count = ::epoll_wait(m_epoll.get(), events.data(), kEventsMax, wait);
        ThreadMeter::become(pb::NodeSample::IN_SOCKET);
        for (int i = 0; i < count; ++i) {
            const std::uint64_t mark = events[std::size_t(i)].data.u64;
            if (mark == kWakeMark) {
                eventfd_t waked = 0;
                ::eventfd_read(m_wake.get(), &waked); // before the answers are taken, so that none is missed
            } else if ((mark & kListenerMark) != 0) {
                acceptAll(m_listeners[std::size_t(mark - kListenerMark)]);
            } else if ((events[std::size_t(i)].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
                receive(std::uint32_t(mark));
            } else {
                touch(std::uint32_t(mark));
            }
        }
        takeAnswers();
        scan();
        // Sending makes room for further requests, so the operations are given after it.
        for (std::size_t i = 0; i < m_touched.size(); ++i)
            serve(m_touched[i]);
        m_touched.clear();
        m_store.flush();
        look();
    }
}

void Door::acceptAll(const DoorListener& listener)
{
    while (Descriptor socket = listener.accept()) {
        ++m_counters.connections;
        const auto free = std::find(m_connections.begin(), m_connections.end(), nullptr);
        if (free == m_connections.end()) {
            ++m_counters.refusedFull;
            ::send(socket.get(), kFull.data(), kFull.size(), MSG_NOSIGNAL);
            continue;
        }
        const auto slot = std::uint32_t(free - m_connections.begin());
        *free = std::make_unique<Connection>(*this, slot, std::move(socket), ++m_lastNumber);
        Connection& made = **free;
        made.awaited = EPOLLIN;
        ++m_counters.connectedNow;
        if (!watch(made.socket.get(), EPOLLIN, slot, EPOLL_CTL_ADD))
            drop(slot);
    }
}

void Door::touch(std::uint32_t slot)
{
    Connection* const connection = m_connections[slot].get();
    if (connection == nullptr || std::exchange(connection->isTouched, true))
        return;
    m_touched.push_back(slot);
}

// One read for each turn, so that a busy client does not keep the others waiting.
void Door::receive(std::uint32_t slot)
{
    Connection* const connection = m_connections[slot].get();
    if (connection == nullptr || !connection->socket)
        return;
    touch(slot);
    if (!connection->conversation.wantsBytes()) {
        // It was not looked for, so the connection is broken; sending finds that out if there is anything to send.
        if ((connection->awaited & EPOLLIN) == 0 && connection->conversation.output().empty())
            drop(slot);
        return;
    }
    const ssize_t count = ::recv(connection->socket.get(), m_bytes.data(), m_bytes.size(), 0);
    if (count > 0) {
        connection->moved = Clock::now();
        connection->conversation.onBytes({ m_bytes.data(), std::size_t(count) });
    } else if (count == 0) {
        connection->conversation.onEnd();
    } else if (errno != EAGAIN && errno != EINTR) {
        drop(slot);
    }
}

void Door::takeAnswers()
{
    CommandStore::ScanEnd scanEnd;
    m_store.take(m_answers, scanEnd);
    for (CommandStore::Answer& answer : m_answers) {
        Connection& connection = *m_connections[answer.asker]; // there, because this answer was awaited
        connection.conversation.onAnswer(answer.operation, std::move(answer.answer));
        touch(answer.asker);
    }
    if (scanEnd.window)
        m_scan.ended(std::move(scanEnd.window), std::move(scanEnd.error), Clock::now());
}

// Answers the scans that can be answered, and begins the next one.
void Door::scan()
{
    while (m_scan.isWaiting()) {
        const auto answers = m_scan.answers(Clock::now());
        for (const KeyScan::Answer& answer : answers) {
            RespConversation& conversation = m_connections[answer.asker]->conversation;
            if (!answer.error.empty())
                conversation.onScanFailed(answer.error);
            else if (answer.isCount)
                conversation.onCount(answer.count);
            else
                conversation.onPage(answer.page);
            touch(answer.asker);
        }
        if (answers.empty())
            break;
    }
    if (auto window = m_scan.begin()) {
        ++m_counters.scans;
        m_store.scan(std::move(window));
    }
}

void Door::serve(std::uint32_t slot)
{
    Connection* const connection = m_connections[slot].get();
    if (connection == nullptr)
        return;
    connection->isTouched = false;
    RespConversation& conversation = connection->conversation;
    while (connection->socket && !conversation.output().empty()) {
        const std::string_view output = conversation.output();
        const ssize_t count = ::send(connection->socket.get(), output.data(), output.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno != EAGAIN)
            return drop(slot);
        if (count < 0)
            break;
        connection->moved = Clock::now();
        conversation.sent(std::size_t(count));
    }
    if (!connection->socket || (conversation.isOver() && conversation.output().empty()))
        return drop(slot);
    const std::uint32_t wanted = (conversation.wantsBytes() ? std::uint32_t(EPOLLIN) : 0u)
        | (conversation.output().empty() ? 0u : std::uint32_t(EPOLLOUT));
    if (wanted != connection->awaited && watch(connection->socket.get(), wanted, slot, EPOLL_CTL_MOD))
        connection->awaited = wanted;
}

// The client is gone, or is to go. The place becomes free when the store has answered.
void Door::drop(std::uint32_t slot)
{
    std::unique_ptr<Connection>& connection = m_connections[slot];
    if (connection->socket) {
        connection->socket.close();
        connection->conversation.abandon();
        m_scan.forget(slot);
        --m_counters.connectedNow;
    }
    if (!connection->conversation.isAwaiting())
        connection.reset();
}

void Door::look()
{
    const auto now = Clock::now();
    if (now - m_looked < kLookPeriod)
        return;
    m_looked = now;
    m_scan.look(now);
    for (std::uint32_t slot = 0; slot < m_connections.size(); ++slot) {
        const Connection* const connection = m_connections[slot].get();
        if (connection == nullptr || !connection->socket || now - connection->moved < kStalled)
            continue;
        if (connection->conversation.awaitsClient()) {
            ++m_counters.stalled;
            drop(slot);
        }
    }
}

} // namespace lhrs
