// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace lhrs {

// A failure outside the program: what failed, where and what to do, in one sentence for the user.
struct Error {
    std::string text;
};

// A value or an Error, for failures outside the program only. An outcome that the protocol names is a field of the
// reply; a programming error is an LHRS_CHECK.
template <class T> class [[nodiscard]] Result {
public:
    Result(T value) : m_value(std::move(value)) { }
    Result(Error error) : m_error(std::move(error)) { }
    explicit operator bool() const { return m_value.has_value(); }
    T& operator*() { return *m_value; }
    const T& operator*() const { return *m_value; }
    T* operator->() { return &*m_value; }
    const T* operator->() const { return &*m_value; }
    const Error& error() const { return m_error; }

private:
    std::optional<T> m_value;
    Error m_error;
};

// Success or an Error.
template <> class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)), m_isOk(false) { }
    explicit operator bool() const { return m_isOk; }
    const Error& error() const { return m_error; }

private:
    Error m_error;
    bool m_isOk = true;
};

// Reports a failed check before the process ends; a process may install its logger here. Never null.
using CheckReporter = void (*)(const char* text);
inline CheckReporter checkReporter = [](const char* text) { std::fprintf(stderr, "%s\n", text); };

[[noreturn]] inline void checkFailed(const char* condition, const char* file, int line)
{
    char text[512];
    std::snprintf(text, sizeof text, "check failed: %s (%s:%d)", condition, file, line);
    checkReporter(text);
    std::abort();
}

} // namespace lhrs

// For programming errors. Enabled in every build. A failed check ends the process, because the other processes are
// built to survive that.
#define LHRS_CHECK(condition) ((condition) ? void(0) : ::lhrs::checkFailed(#condition, __FILE__, __LINE__))
