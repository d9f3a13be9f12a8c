// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/children/wake_up.h"

#include "common/errors.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace lhrs {

WakeUp::WakeUp() : m_descriptor(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) { LHRS_CHECK(m_descriptor >= 0); }

WakeUp::~WakeUp() { ::close(m_descriptor); }

void WakeUp::call()
{
    const std::uint64_t one = 1;
    // A write fails only if the counter is full, and then the thread is already being woken.
    [[maybe_unused]] const auto written = ::write(m_descriptor, &one, sizeof one);
}

void WakeUp::clear()
{
    std::uint64_t calls = 0;
    [[maybe_unused]] const auto taken = ::read(m_descriptor, &calls, sizeof calls);
}

} // namespace lhrs
