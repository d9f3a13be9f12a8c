// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/script/script_thread.h"

#include "common/errors.h"

#include <cstdio>
#include <memory>
#include <utility>

#include <unistd.h>

namespace lhrs::gui {

namespace {

// Address space only: pages are allocated on first use. The second size is for a system that refuses the first.
constexpr std::size_t kStacks[] = { std::size_t(256) << 20, std::size_t(16) << 20 };

void* runWork(void* work)
{
    (*std::unique_ptr<std::function<void()>>(static_cast<std::function<void()>*>(work)))();
    return nullptr;
}

} // namespace

ScriptThread::ScriptThread(std::function<void()> work)
{
    auto given = std::make_unique<std::function<void()>>(std::move(work));
    for (const std::size_t stack : kStacks) {
        pthread_attr_t attributes;
        LHRS_CHECK(::pthread_attr_init(&attributes) == 0 && ::pthread_attr_setstacksize(&attributes, stack) == 0);
        m_isThere = ::pthread_create(&m_thread, &attributes, runWork, given.get()) == 0;
        ::pthread_attr_destroy(&attributes);
        if (m_isThere)
            break;
    }
    LHRS_CHECK(m_isThere); // without a thread nothing can run
    (void)given.release(); // the thread owns it now
}

ScriptThread::~ScriptThread()
{
    if (m_isThere)
        join();
}

ScriptThread::ScriptThread(ScriptThread&& other) noexcept
    : m_thread(other.m_thread), m_isThere(std::exchange(other.m_isThere, false))
{
}

ScriptThread& ScriptThread::operator=(ScriptThread&& other) noexcept
{
    if (m_isThere)
        join();
    m_thread = other.m_thread;
    m_isThere = std::exchange(other.m_isThere, false);
    return *this;
}

void ScriptThread::join()
{
    ::pthread_join(m_thread, nullptr);
    m_isThere = false;
}

std::int64_t residentBytes()
{
    long long all = 0, resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    const int read = std::fscanf(file, "%lld %lld", &all, &resident);
    std::fclose(file);
    return read == 2 ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

std::int64_t machineBytes() { return std::int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE); }

} // namespace lhrs::gui
