// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace lhrs::gui {

// A thread that runs one task after the other. At its end tasks are told to stop, and those that wait are run
// nevertheless.
class CommandWorker {
public:
    using Task = std::function<void(const std::stop_token&)>;

    CommandWorker();

    void post(Task task);

private:
    void run(const std::stop_token& stop);

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Task> m_tasks; // guarded by m_mutex
    std::jthread m_thread;
};

} // namespace lhrs::gui
