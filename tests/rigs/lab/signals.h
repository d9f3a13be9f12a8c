// SPDX-License-Identifier: GPL-3.0-or-later
// Signals to processes that a test started.
#pragma once

#include <QtGlobal>

#include <sys/types.h>

#include <csignal>
#include <cstdint>

namespace lhrs {

// Sends the signal to this one process. False, without sending it, for a number that does not name a single process:
// kill(2) takes 0 for the caller's whole process group (the tests and their parent), and negative numbers for other
// groups.
inline bool signalOne(std::int64_t pid, int number)
{
    if (pid <= 1 || pid != std::int64_t(pid_t(pid))) {
        qWarning("signal %d is not sent: %lld is the number of no process", number, static_cast<long long>(pid));
        return false;
    }
    return ::kill(pid_t(pid), number) == 0;
}

} // namespace lhrs
