// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace lhrs {

// The world failed: what, where and what to do, in one sentence for a person.
struct Error {
    std::string text;
};

// A value or an Error. For failures of the world only: an outcome that the protocol names is a field of the
// reply, and a mistake of ours is an LHRS_CHECK.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_value(std::move(value)) {}
    Result(Error error) : m_error(std::move(error)) {}
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
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)), m_isOk(false) {}
    explicit operator bool() const { return m_isOk; }
    const Error& error() const { return m_error; }

private:
    Error m_error;
    bool m_isOk = true;
};

// What a process says before a failed check ends it; a process may hang its log in here. Never null.
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

// A mistake of ours: on in every build, ends the process; the others recover it, which is what LH*RS is for.
#define LHRS_CHECK(condition) ((condition) ? void(0) : ::lhrs::checkFailed(#condition, __FILE__, __LINE__))
