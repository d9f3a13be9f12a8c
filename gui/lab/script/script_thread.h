// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

#include <pthread.h>

namespace lhrs::gui {

// A thread for the script engine. Its stack is large, because the engine compiles a regular expression, and calls itself in
// many other ways, without a look at how deep it is; what a file of 1 MiB can nest has room there.
class ScriptThread {
public:
    ScriptThread() = default;
    explicit ScriptThread(std::function<void()> work);
    // Waits for its end.
    ~ScriptThread();
    ScriptThread(ScriptThread&& other) noexcept;
    ScriptThread& operator=(ScriptThread&& other) noexcept;

    bool joinable() const { return m_isThere; }
    void join();

private:
    pthread_t m_thread {};
    bool m_isThere = false;
};

// Resident memory of this program, in bytes; 0: not known.
std::int64_t residentBytes();
// Of the machine, in bytes.
std::int64_t machineBytes();

} // namespace lhrs::gui
