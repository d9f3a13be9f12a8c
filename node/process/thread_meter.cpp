// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/thread_meter.h"

#include "common/kinds.h"

#include <algorithm>
#include <utility>

#include <pthread.h>

namespace lhrs {

namespace {

using std::memory_order_relaxed;

std::string handlerName(int what)
{
    const Kind* kind = what < 0 ? commandKind(-what) : messageKind(what);
    return kind != nullptr ? kind->name : std::string();
}

} // namespace

thread_local ThreadMeter* ThreadMeter::t_self = nullptr;

// ---- the book

void ThreadBook::watch()
{
    const std::int64_t now = nowNs();
    m_watchedUntil.store(now + std::chrono::nanoseconds(kLease).count(), memory_order_relaxed);
    if (isWatched())
        return;
    m_watchedSince.store(now, memory_order_relaxed);
    m_isWatched.store(true, memory_order_relaxed);
}

void ThreadBook::look()
{
    if (isWatched() && nowNs() >= m_watchedUntil.load(memory_order_relaxed))
        m_isWatched.store(false, memory_order_relaxed);
}

ThreadBook::Clock::time_point ThreadBook::deadline() const
{
    return isWatched() ? Clock::time_point(std::chrono::nanoseconds(m_watchedUntil.load(memory_order_relaxed)))
                       : Clock::time_point::max();
}

void ThreadBook::sample(pb::NodeSample& out) const
{
    const std::int64_t now = nowNs(), since = m_watchedSince.load(memory_order_relaxed);
    const std::lock_guard lock(m_mutex);
    for (const ThreadMeter* meter : m_meters)
        meter->sample(*out.add_threads(), now, since);
}

// ---- a thread

ThreadMeter::ThreadMeter(ThreadBook* book, std::string name)
    : m_book(book), m_name(std::move(name)), m_hasCpuClock(::pthread_getcpuclockid(::pthread_self(), &m_cpuClock) == 0)
{
    if (m_book == nullptr)
        return;
    t_self = this;
    const std::lock_guard lock(m_book->m_mutex);
    m_book->m_meters.push_back(this);
}

ThreadMeter::~ThreadMeter()
{
    if (m_book == nullptr)
        return;
    t_self = nullptr;
    const std::lock_guard lock(m_book->m_mutex);
    m_book->m_meters.remove(this);
}

void ThreadMeter::enter(State state, int what)
{
    if (m_book->isWatched()) {
        const std::int64_t now = m_book->nowNs();
        const std::int64_t since = std::max(
            m_since.load(memory_order_relaxed), m_book->m_watchedSince.load(memory_order_relaxed));
        auto& spent = m_spent[std::size_t(m_state.load(memory_order_relaxed))];
        spent.store(spent.load(memory_order_relaxed) + std::max<std::int64_t>(0, now - since), memory_order_relaxed);
        m_since.store(now, memory_order_relaxed);
    } else if (m_since.load(memory_order_relaxed) != 0) {
        m_since.store(0, memory_order_relaxed);
    }
    m_what.store(what, memory_order_relaxed);
    m_state.store(int(state), memory_order_relaxed);
}

// The thread may continue during sampling, so the values may be from two different moments.
void ThreadMeter::sample(pb::NodeSample::Thread& out, std::int64_t now, std::int64_t watchedSince) const
{
    const int state = m_state.load(memory_order_relaxed);
    const std::int64_t since = m_since.load(memory_order_relaxed);
    const auto spent = [&](State of) {
        const std::int64_t before = m_spent[std::size_t(of)].load(memory_order_relaxed);
        return before + (state == int(of) ? std::max<std::int64_t>(0, now - std::max(since, watchedSince)) : 0);
    };
    out.set_name(m_name);
    out.set_state(State(state));
    if (state == pb::NodeSample::IN_HANDLER)
        out.set_handler(handlerName(m_what.load(memory_order_relaxed)));
    out.set_in_state_ns(since == 0 ? -1 : std::max<std::int64_t>(0, now - since));
    out.set_handler_ns(spent(pb::NodeSample::IN_HANDLER));
    out.set_core_wait_ns(spent(pb::NodeSample::IN_CORE_WAIT));
    out.set_socket_ns(spent(pb::NodeSample::IN_SOCKET));
    timespec used {};
    const bool isKnown = m_hasCpuClock && ::clock_gettime(m_cpuClock, &used) == 0;
    out.set_cpu_ns(isKnown ? std::int64_t(used.tv_sec) * 1'000'000'000 + used.tv_nsec : -1);
}

} // namespace lhrs
