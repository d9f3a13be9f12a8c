// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

#include <pthread.h>

namespace lhrs::gui {

// A thread for the script engine with a large stack. The engine recurses without a depth limit, e.g. to compile a
// regular expression. The stack has room for any nesting that a file of 1 MiB can contain.
class ScriptThread {
public:
    ScriptThread() = default;
    explicit ScriptThread(std::function<void()> work);
    // Waits for the thread to end.
    ~ScriptThread();
    ScriptThread(ScriptThread&& other) noexcept;
    ScriptThread& operator=(ScriptThread&& other) noexcept;

    bool joinable() const { return m_isThere; }
    void join();

private:
    pthread_t m_thread {};
    bool m_isThere = false;
};

// Resident memory of this program in bytes; 0 if unknown.
std::int64_t residentBytes();
// Memory of the machine in bytes.
std::int64_t machineBytes();

} // namespace lhrs::gui
