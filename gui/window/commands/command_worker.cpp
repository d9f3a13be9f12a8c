// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/command_worker.h"

#include <utility>

namespace lhrs::gui {

CommandWorker::CommandWorker() : m_thread([this](const std::stop_token& stop) { run(stop); }) { }

void CommandWorker::post(Task task)
{
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(std::move(task));
    }
    m_changed.notify_all();
}

void CommandWorker::run(const std::stop_token& stop)
{
    for (;;) {
        Task task;
        {
            std::unique_lock lock(m_mutex);
            if (!m_changed.wait(lock, stop, [this] { return !m_tasks.empty(); }))
                return;
            task = std::move(m_tasks.front());
            m_tasks.pop_front();
        }
        task(stop);
    }
}

} // namespace lhrs::gui
