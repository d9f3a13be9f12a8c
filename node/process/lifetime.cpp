// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/lifetime.h"

#include "node/process/options.h"

#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace lhrs {

int openSignals()
{
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t ends;
    ::sigemptyset(&ends);
    ::sigaddset(&ends, SIGTERM);
    ::sigaddset(&ends, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    return ::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool dieWithParent()
{
    const pid_t parent = ::getppid();
    return ::prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && ::getppid() == parent;
}

int explain(int exitCode, const std::string& text)
{
    std::fprintf(exitCode == kExitClean ? stdout : stderr, "%s%s", text.c_str(), text.ends_with('\n') ? "" : "\n");
    return exitCode;
}

} // namespace lhrs
