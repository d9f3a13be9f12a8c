// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/fault_shim.h"

#include "common/kinds.h"
#include "common/wire.h"
#include "node/transport/envelope.h"

#include <pthread.h>

#include <google/protobuf/arena.h>

namespace lhrs {

namespace {

constexpr const char* kEnding = "the process is ending";
constexpr auto kCrashAfter = std::chrono::milliseconds(20); // so that the reply to the command is sent first

} // namespace

FaultShim::FaultShim(Ways ways, Counters& counters)
    : m_ways(std::move(ways)), m_counters(counters), m_book(m_ways.node, m_ways.self)
{
}

FaultShim::~FaultShim() { stop(); }

// ---- commands

bool FaultShim::command(const pb::Command& command, pb::CommandReply& reply)
{
    if (command.has_arm_fault()) {
        std::string text;
        const pb::Refusal refusal = arm(command.arm_fault().fault(), text, *reply.mutable_faults());
        reply.set_refusal(refusal);
        reply.set_text(text);
    } else if (command.has_heal_faults()) {
        heal(command.heal_faults().number(), *reply.mutable_faults());
    } else if (command.has_list_faults()) {
        const std::lock_guard lock(m_mutex);
        m_book.list(*reply.mutable_faults(), now());
    } else {
        return false;
    }
    return true;
}

void FaultShim::describe(pb::Snapshot& snapshot)
{
    pb::FaultList list;
    {
        const std::lock_guard lock(m_mutex);
        m_book.list(list, now());
    }
    for (auto& entry : *list.mutable_faults())
        snapshot.add_faults()->Swap(entry.mutable_requested());
}

pb::Refusal FaultShim::arm(const pb::Fault& fault, std::string& text, pb::FaultList& list)
{
    if (!m_ways.isAllowed) {
        text = "this process listens at " + textOf(m_ways.self)
            + ", beyond the loopback interface, and was started without --allow-faults";
        return pb::NOT_ALLOWED;
    }
    std::unique_lock lock(m_mutex);
    if (m_isStopped) {
        text = kEnding;
        return pb::REFUSED;
    }
    const auto armed = m_book.check(fault);
    if (!armed) {
        text = armed.error().text;
        return pb::BAD_ARGUMENT;
    }
    if (*armed == FaultBook::Armed::Nothing) {
        lock.unlock();
        heal(fault.number(), list);
        return pb::NOT_REFUSED;
    }
    if (*armed == FaultBook::Armed::New) {
        // Reported before the fault takes effect, because a paused process could not report it. Commands come from one
        // thread, so the same number cannot be armed in the meantime.
        lock.unlock();
        pb::FaultBegun begun;
        *begun.mutable_fault() = fault;
        m_ways.tell(&begun, nullptr);
        lock.lock();
    }
    if (m_isStopped) {
        text = kEnding;
        return pb::REFUSED;
    }
    m_book.arm(fault, now());
    if (fault.has_crash() && fault.crash().at().empty())
        m_crashDue = now() + kCrashAfter;
    m_book.list(list, now());
    refresh();
    if (!m_thread.joinable())
        m_thread = std::jthread([this](std::stop_token stop) { run(stop); });
    return pb::NOT_REFUSED;
}

void FaultShim::heal(std::uint64_t number, pb::FaultList& list)
{
    std::vector<pb::FaultEnded> ended;
    {
        const std::lock_guard lock(m_mutex);
        ended = m_book.heal(number, "healed", now());
        flushIfQuiet();
        refresh();
    }
    tellEnded(ended);
    for (const pb::FaultEnded& one : ended) {
        auto* entry = list.add_faults();
        *entry->mutable_requested() = one.fault();
        *entry->mutable_achieved() = one.achieved();
    }
}

void FaultShim::tellEnded(const std::vector<pb::FaultEnded>& ended)
{
    for (const pb::FaultEnded& one : ended)
        m_ways.tell(nullptr, &one);
}

void FaultShim::stop()
{
    std::vector<pb::FaultEnded> ended;
    {
        const std::lock_guard lock(m_mutex);
        m_isStopped = true;
        ended = m_book.heal(0, "the process ends", now());
        flushIfQuiet();
        m_crashDue.reset();
        refresh();
    }
    tellEnded(ended);
    if (m_thread.joinable()) {
        m_thread.request_stop();
        m_thread.join();
    }
    m_parts = 0;
}

// Call it after a change of the book or the queue, holding the lock.
void FaultShim::refresh()
{
    unsigned parts = m_book.parts();
    if (m_crashDue && (parts & FaultBook::Events) == 0)
        m_crashDue.reset(); // the fault was healed in time
    if (!m_held.empty() || m_releasing > 0)
        parts |= FaultBook::Traffic; // new frames must wait behind the old ones
    m_parts = parts;
    if ((parts & FaultBook::Pause) == 0)
        m_unpaused.notify_all();
    m_isNews = true;
    m_wake.notify_all();
}

// When no fault affects the network any more, all delayed messages continue at once, in order. Call it while holding
// the lock.
void FaultShim::flushIfQuiet()
{
    if ((m_book.parts() & FaultBook::Traffic) != 0 || m_held.empty())
        return;
    std::multimap<Time, Held> all;
    const Time due = now();
    for (auto& [time, held] : m_held)
        all.emplace_hint(all.end(), due, std::move(held));
    m_held.swap(all);
    for (auto& [key, line] : m_streams)
        line.lastDue = due;
}

// ---- the paths through the shim

bool FaultShim::letOut(const Outgoing& out, std::string_view datagram)
{
    FaultBook::Passing passing { false, out.node, out.to, out.isMulticast, false, out.kind, datagram.size() };
    std::unique_lock lock(m_mutex);
    const FaultBook::Verdict verdict = m_book.judge(passing, now());
    const Fate& fate = verdict.fate;
    if (fate.isDropped) {
        lock.unlock();
        m_counters.dropped(Drop::Fault);
        return false;
    }
    if (!fate.isCorrupted && !fate.isDoubled && fate.delay.count() == 0)
        return true;
    Held held;
    held.to = out.to;
    held.bytes = datagram;
    if (fate.isCorrupted)
        corrupt(held.bytes, m_dice, false, kHeaderBytes, kLengthAt);
    Held copy; // a copy for immediate delivery
    if (fate.isDoubled)
        copy = held;
    const bool isHeld = hold(held, fate.delay, verdict.delayedBy);
    lock.unlock();
    if (fate.isDoubled)
        release(copy);
    if (!isHeld)
        release(held);
    return false;
}

bool FaultShim::letOut(const Outgoing& out, std::string& frame, std::size_t& cutAfter)
{
    FaultBook::Passing passing { false, out.node, out.to, false, true, out.kind, frame.size() };
    const std::lock_guard lock(m_mutex);
    const FaultBook::Verdict verdict = m_book.judge(passing, now());
    const Fate& fate = verdict.fate;
    if (fate.isDropped) {
        m_counters.dropped(Drop::Fault);
        return false;
    }
    if (fate.isCorrupted)
        corrupt(frame, m_dice, true, kHeaderBytes, kLengthAt);
    if (fate.isCut)
        cutAfter = 1 + std::size_t(m_dice.below(frame.size() - 1));
    Held held { Kind::Frame, out.to, std::move(frame), cutAfter, pb::STREAM, {}, true, { 0, out.to }, {}, {} };
    if (hold(held, fate.delay, verdict.delayedBy))
        return false;
    frame = std::move(held.bytes);
    return true;
}

bool FaultShim::letIn(NodeId sender, pb::Transport transport, std::string& body)
{
    google::protobuf::Arena arena;
    std::vector<ReadMessage> messages;
    if (!parseBody(body, arena, messages))
        return true; // the receiver reports what is wrong with it
    std::string rest;
    const std::lock_guard lock(m_mutex);
    for (const ReadMessage& read : messages) {
        FaultBook::Passing passing;
        passing.isIncoming = true;
        passing.node = sender;
        passing.isMulticast = transport == pb::MULTICAST;
        passing.isStream = transport == pb::STREAM;
        passing.kind = kindOf(*read.message);
        passing.bytes = read.bytes;
        const FaultBook::Verdict verdict = m_book.judge(passing, now());
        if (verdict.fate.isDropped || verdict.fate.isCut) {
            m_counters.dropped(Drop::Fault);
            continue;
        }
        if (verdict.fate.isCorrupted) {
            m_counters.dropped(Drop::WrongTag);
            continue;
        }
        std::string one(sizeInBody(*read.message), '\0');
        appendMessage(*read.message, one.data());
        Held held { Kind::Incoming, {}, one, 0, transport, sender, passing.isStream, { sender.value, {} }, {}, {} };
        if (!hold(held, verdict.fate.delay, verdict.delayedBy))
            rest += one;
        if (verdict.fate.isDoubled)
            rest += one;
    }
    body.swap(rest);
    return !body.empty();
}

// Returns true if the message was moved into the queue, or was lost because the queue is full. Call it while holding
// the lock.
bool FaultShim::hold(Held& held, Time delay, const std::vector<std::uint64_t>& by)
{
    const auto line = held.isStream ? m_streams.find(held.stream) : m_streams.end();
    if (delay.count() == 0 && line == m_streams.end())
        return false;
    if (m_held.size() >= kHeldMax || m_heldBytes + held.bytes.size() > kHeldBytesMax) {
        m_book.overflowed(by);
        m_counters.dropped(Drop::Fault);
        return true;
    }
    m_book.held(by);
    held.since = now();
    held.by = by;
    Time due = held.since + delay;
    if (held.isStream) {
        Line& stream = m_streams[held.stream];
        ++stream.count;
        stream.lastDue = due = std::max(due, stream.lastDue);
    }
    m_heldBytes += held.bytes.size();
    if (m_held.empty() || due < m_held.begin()->first) {
        m_isNews = true;
        m_wake.notify_all();
    }
    m_held.emplace(due, std::move(held));
    m_parts |= FaultBook::Traffic;
    return true;
}

// Lets the message continue; call it without the lock.
void FaultShim::release(Held& held)
{
    switch (held.kind) {
    case Kind::Datagram: m_ways.sendDatagram(held.to, std::move(held.bytes)); break;
    case Kind::Frame: m_ways.sendFrame(held.to, std::move(held.bytes), held.cutAfter); break;
    case Kind::Incoming: m_ways.deliver(std::move(held.bytes), held.transport, held.sender); break;
    }
}

void FaultShim::waitWhilePaused()
{
    if (!touches(FaultBook::Pause))
        return;
    std::unique_lock lock(m_mutex);
    m_unpaused.wait(lock, [this] { return !touches(FaultBook::Pause); });
}

void FaultShim::onEvents(const std::vector<pb::Event*>& events)
{
    if (!touches(FaultBook::Events))
        return;
    std::unique_lock lock(m_mutex);
    for (const pb::Event* event : events) {
        if (!m_book.crashesAt(*event))
            continue;
        lock.unlock();
        m_ways.crash();
        return;
    }
}

// ---- the thread: ends leases and releases delayed messages

void FaultShim::run(std::stop_token stop)
{
    pthread_setname_np(pthread_self(), "Faults");
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_isNews = false;
        const Time time = now();
        if (m_crashDue && *m_crashDue <= time) {
            m_crashDue.reset();
            lock.unlock();
            m_ways.crash();
            lock.lock();
            continue;
        }
        if (const auto ended = m_book.expire(time); !ended.empty()) {
            flushIfQuiet();
            refresh();
            lock.unlock();
            tellEnded(ended);
            lock.lock();
            continue;
        }
        if (!m_held.empty() && (m_held.begin()->first <= time || stop.stop_requested())) {
            Held held = std::move(m_held.extract(m_held.begin()).mapped());
            m_heldBytes -= held.bytes.size();
            ++m_releasing;
            m_book.released(held.by, time - held.since);
            lock.unlock();
            release(held);
            lock.lock();
            --m_releasing;
            if (const auto line = m_streams.find(held.stream); held.isStream && --line->second.count == 0)
                m_streams.erase(line);
            refresh();
            continue;
        }
        if (stop.stop_requested())
            return;
        std::optional<Time> next = m_book.nextExpiry();
        if (m_crashDue)
            next = std::min(next.value_or(*m_crashDue), *m_crashDue);
        if (!m_held.empty())
            next = std::min(next.value_or(m_held.begin()->first), m_held.begin()->first);
        const auto isNews = [this] { return m_isNews; };
        if (next)
            m_wake.wait_until(lock, stop, Clock::time_point(*next), isNews);
        else
            m_wake.wait(lock, stop, isNews);
    }
}

} // namespace lhrs
