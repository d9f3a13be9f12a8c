// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/control.pb.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>

#include <time.h>

namespace lhrs {

class ThreadMeter;

// The threads of one process for who watches: what each is doing, and while somebody watches, how long it did what. Watching
// is a lease that each question renews; who is not watched takes no time of anything. Any thread may ask.
class ThreadBook {
public:
    using Clock = std::chrono::steady_clock;
    using Now = Clock::time_point (*)();
    static constexpr std::chrono::seconds kLease { 5 };

    explicit ThreadBook(Now now = &Clock::now) : m_now(now) {}

    // Somebody watches, from now on or still.
    void watch();
    // Ends the lease when it has run out.
    void look();
    bool isWatched() const { return m_isWatched.load(std::memory_order_relaxed); }
    // When look() is wanted next; max(): never.
    Clock::time_point deadline() const;
    // One entry for each thread, in the order in which they began.
    void sample(pb::NodeSample& out) const;

private:
    friend class ThreadMeter;
    std::int64_t nowNs() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(m_now().time_since_epoch()).count(); }

    const Now m_now;
    std::atomic<bool> m_isWatched = false;
    std::atomic<std::int64_t> m_watchedSince = 0; // ns of the clock
    std::atomic<std::int64_t> m_watchedUntil = 0;
    mutable std::mutex m_mutex;
    std::list<ThreadMeter*> m_meters; // guarded by m_mutex
};

// One thread's line in the book, from its making to its end, both in that thread. The thread says what it does with
// become(); others read it.
class ThreadMeter {
public:
    using State = pb::NodeSample::ThreadState;

    // `book`: null if nobody will ever ask.
    ThreadMeter(ThreadBook* book, std::string name);
    ~ThreadMeter();
    ThreadMeter(const ThreadMeter&) = delete;
    ThreadMeter& operator=(const ThreadMeter&) = delete;

    // The calling thread does this now, if it has a meter. `what`, in a handler: number of the body in Message; a command's
    // body is below 0; 0 is the time. While nobody watches it is a store.
    static void become(State state, int what = 0)
    {
        if (ThreadMeter* self = t_self)
            self->enter(state, what);
    }

private:
    friend class ThreadBook;
    static constexpr std::size_t kStates = pb::NodeSample::ThreadState_ARRAYSIZE;

    void enter(State state, int what);
    void sample(pb::NodeSample::Thread& out, std::int64_t now, std::int64_t watchedSince) const;

    static thread_local ThreadMeter* t_self;

    ThreadBook* const m_book;
    const std::string m_name;
    clockid_t m_cpuClock {};
    bool m_hasCpuClock = false;
    // Written by the thread only.
    std::atomic<int> m_state = pb::NodeSample::THREAD_UNKNOWN;
    std::atomic<int> m_what = 0;
    std::atomic<std::int64_t> m_since = 0; // 0: it became so while nobody watched
    std::array<std::atomic<std::int64_t>, kStates> m_spent {};
};

} // namespace lhrs
