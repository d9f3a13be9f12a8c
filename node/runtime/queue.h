// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace lhrs {

// The only channel between threads: first in, first out, bounded in items and bytes. The push function determines what
// happens when it is full: pushSome() drops datagrams, tryPush() leaves a frame with its stream until onRoom is called,
// and push() makes a command wait. Items are moved. The used items that pop() receives are passed back to the pushing
// side and refilled, so in steady state nothing is allocated. T is default-constructible and has weight(), its size in
// bytes.
template <class T> class Queue {
public:
    Queue(std::size_t itemsMax, std::size_t bytesMax, std::function<void()> onRoom = {})
        : m_ring(itemsMax), m_itemsMax(itemsMax), m_bytesMax(bytesMax), m_onRoom(std::move(onRoom))
    {
    }

    // Number of waiting items; the value may be stale.
    std::size_t size() const { return m_size.load(std::memory_order_relaxed); }
    // The highest number that has ever waited, and the limit.
    std::size_t highMark() const { return m_highMark.load(std::memory_order_relaxed); }
    std::size_t bound() const { return m_itemsMax; }

    // Takes items from the front while there is room, and returns their number; each item taken is left empty.
    std::size_t pushSome(std::span<T> items)
    {
        std::size_t taken = 0;
        std::unique_lock lock(m_mutex);
        while (taken < items.size() && hasRoom(items[taken]))
            put(items[taken++]);
        wakeOne(lock);
        return taken;
    }

    // False: there is no room; the item is unchanged, and onRoom will be called.
    bool tryPush(T& item)
    {
        std::unique_lock lock(m_mutex);
        if (!hasRoom(item)) {
            m_isRoomWanted = true;
            return false;
        }
        put(item);
        wakeOne(lock);
        return true;
    }

    // Waits for room. False: the thread was stopped.
    bool push(T item, const std::stop_token& stop)
    {
        const std::stop_callback wakeUp(stop, [this] { wakeAll(); });
        std::unique_lock lock(m_mutex);
        m_room.wait(lock, [&] { return hasRoom(item) || stop.stop_requested(); });
        if (stop.stop_requested())
            return false;
        put(item);
        wakeOne(lock);
        return true;
    }

    // Waits for at least one item and takes up to items.size() in exchange for used ones. 0: the thread was stopped.
    std::size_t pop(std::span<T> items, const std::stop_token& stop)
    {
        if (size() == 0)
            spin(stop);
        std::unique_lock lock(m_mutex);
        while (m_count == 0 && !stop.stop_requested()) {
            lock.unlock();
            waitForItem(stop);
            lock.lock();
        }
        if (stop.stop_requested())
            return 0;
        const std::size_t taken = std::min(items.size(), m_count);
        for (std::size_t i = 0; i < taken; ++i)
            take(items[i]);
        const bool hasRoomAgain = std::exchange(m_isRoomWanted, false);
        if (m_count > 0)
            wakeOne(lock);
        else
            lock.unlock();
        m_room.notify_one();
        if (hasRoomAgain && m_onRoom)
            m_onRoom();
        return taken;
    }

private:
    static constexpr std::size_t kUsedMax = 64;
    static constexpr std::chrono::microseconds kSpin { 20 };
    static constexpr int kCreditMax = 8;
    static constexpr int kRetryAfter = 32; // sleeps without spinning before spinning is tried again

    // A single item may exceed the limit; otherwise it could never pass.
    bool hasRoom(const T& item) const
    {
        return m_count < m_ring.size() && (m_count == 0 || m_bytes + item.weight() <= m_bytesMax);
    }

    void put(T& item)
    {
        m_bytes += item.weight();
        m_ring[(m_first + m_count++) % m_ring.size()] = std::move(item);
        item = T();
        if (!m_used.empty()) {
            item = std::move(m_used.back());
            m_used.pop_back();
        }
        m_size.store(m_count, std::memory_order_relaxed);
        if (m_count > m_highMark.load(std::memory_order_relaxed))
            m_highMark.store(m_count, std::memory_order_relaxed);
    }

    void take(T& item)
    {
        if (m_used.size() < kUsedMax)
            m_used.push_back(std::move(item));
        item = std::move(m_ring[m_first]);
        m_first = (m_first + 1) % m_ring.size();
        m_bytes -= item.weight();
        m_size.store(--m_count, std::memory_order_relaxed);
    }

    void waitForItem(const std::stop_token& stop)
    {
        // Declared before the lock, so that it is destroyed after it: its destructor waits for a wakeAll() that needs
        // the lock.
        const std::stop_callback wakeUp(stop, [this] { wakeAll(); });
        std::unique_lock lock(m_mutex);
        ++m_sleepers;
        m_filled.wait(lock, [&] { return m_count > 0 || stop.stop_requested(); });
        --m_sleepers;
    }

    // A spinning thread sees the items by itself. Otherwise waking one sleeping thread is enough; it wakes the next one
    // if items remain.
    void wakeOne(std::unique_lock<std::mutex>& lock)
    {
        const bool wakes = m_sleepers > 0 && m_count > 0 && !m_isSpinning.load(std::memory_order_relaxed);
        lock.unlock();
        if (wakes)
            m_filled.notify_one();
    }

    void wakeAll()
    {
        const std::lock_guard lock(m_mutex);
        m_filled.notify_all();
        m_room.notify_all();
    }

    // While work is arriving, sleeping costs more than polling for a moment: waking another core takes 35 to 45 us. One
    // thread at a time polls, and yields to other threads in the meantime. It stops trying when polling finds nothing.
    void spin(const std::stop_token& stop)
    {
        if (m_isSpinning.exchange(true, std::memory_order_acquire))
            return;
        if (m_credit > 0 || ++m_sleepsSinceTry >= kRetryAfter) {
            m_sleepsSinceTry = 0;
            const auto end = std::chrono::steady_clock::now() + kSpin;
            bool isFound = false;
            while (!isFound && !stop.stop_requested() && std::chrono::steady_clock::now() < end) {
                std::this_thread::yield();
                isFound = size() > 0;
            }
            m_credit = isFound ? std::min(m_credit + 2, kCreditMax) : std::max(m_credit - 1, 0);
        }
        m_isSpinning.store(false, std::memory_order_release);
    }

    // Guarded by m_mutex.
    std::mutex m_mutex;
    std::condition_variable m_filled;
    std::condition_variable m_room;
    std::vector<T> m_ring;
    std::vector<T> m_used; // used items to be refilled
    std::size_t m_first = 0;
    std::size_t m_count = 0;
    std::size_t m_bytes = 0;
    int m_sleepers = 0;
    bool m_isRoomWanted = false;

    const std::size_t m_itemsMax;
    const std::size_t m_bytesMax;
    const std::function<void()> m_onRoom; // called without the lock
    std::atomic<std::size_t> m_size = 0; // copy of m_count, read without the lock
    std::atomic<std::size_t> m_highMark = 0; // likewise; written under the lock
    std::atomic<bool> m_isSpinning = false;
    int m_credit = 0; // credit of the spinning thread
    int m_sleepsSinceTry = 0; // number of sleeps, likewise
};

} // namespace lhrs
