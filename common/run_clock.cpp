// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/run_clock.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>

namespace lhrs {

namespace {

template <typename Clock> std::int64_t nowOf()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

} // namespace

RunClock::RunClock(const char* told, std::int64_t wallNs, std::int64_t steadyNs) : m_zeroNs(wallNs - steadyNs)
{
    const std::string_view word = told ? told : "";
    std::int64_t zero = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), zero);
    if (!word.empty() && error == std::errc() && end == word.data() + word.size())
        m_zeroNs = zero;
}

const RunClock& RunClock::own()
{
    static const RunClock clock(
        std::getenv(kVariable), nowOf<std::chrono::system_clock>(), nowOf<std::chrono::steady_clock>());
    return clock;
}

std::int64_t RunClock::now() const { return at(nowOf<std::chrono::steady_clock>()); }

} // namespace lhrs
