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

// The threads of one process, for watchers: what each one is doing and, while the process is watched, how long it did
// what. Watching is a lease that each query renews; a process that is not watched measures no times. Any thread may
// query.
class ThreadBook {
public:
    using Clock = std::chrono::steady_clock;
    using Now = Clock::time_point (*)();
    static constexpr std::chrono::seconds kLease { 5 };

    explicit ThreadBook(Now now = &Clock::now) : m_now(now) { }

    // The process is watched from now on, or continues to be.
    void watch();
    // Ends the lease if it has expired.
    void look();
    bool isWatched() const { return m_isWatched.load(std::memory_order_relaxed); }
    // When look() must next be called; max(): never.
    Clock::time_point deadline() const;
    // One entry for each thread, in the order in which they began.
    void sample(pb::NodeSample& out) const;

private:
    friend class ThreadMeter;
    std::int64_t nowNs() const
    {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(m_now().time_since_epoch()).count();
    }

    const Now m_now;
    std::atomic<bool> m_isWatched = false;
    std::atomic<std::int64_t> m_watchedSince = 0; // ns of the clock
    std::atomic<std::int64_t> m_watchedUntil = 0;
    mutable std::mutex m_mutex;
    std::list<ThreadMeter*> m_meters; // guarded by m_mutex
};

// One thread's entry in the book, created and destroyed in that thread. The thread reports its activity with become();
// others read it.
class ThreadMeter {
public:
    using State = pb::NodeSample::ThreadState;

    // `book`: null if it will never be queried.
    ThreadMeter(ThreadBook* book, std::string name);
    ~ThreadMeter();
    ThreadMeter(const ThreadMeter&) = delete;
    ThreadMeter& operator=(const ThreadMeter&) = delete;

    // Sets the current activity of the calling thread, if it has a meter. `what`, in a handler: the number of the body
    // in Message; negative for the body of a command; 0 for the time. While the process is not watched, this costs one
    // store.
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
    std::atomic<std::int64_t> m_since = 0; // 0: the state began while the process was not watched
    std::array<std::atomic<std::int64_t>, kStates> m_spent {};
};

} // namespace lhrs
