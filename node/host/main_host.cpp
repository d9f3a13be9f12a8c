// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-host: the programs of a cluster on one of several computers. lhrs-play and lhrs-gui start it there.
#include "node/host/host_commands.h"
#include "node/process/lifetime.h"
#include "node/process/options.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cstdio>
#include <filesystem>

using namespace lhrs;

int main(int count, char** arguments)
{
    CLI::App app(
        "Starts, pauses and ends the programs of a cluster on this computer, as lhrs-play or lhrs-gui on another "
        "one tells it on standard input. They start it themselves (--hosts); it ends when they do.",
        "lhrs-host");
    app.set_version_flag("--version", std::string("lhrs ") + LHRS_VERSION);
    CLI11_PARSE(app, count, arguments);
    if (::isatty(STDIN_FILENO) != 0)
        return explain(kExitUsage,
            "lhrs-host: its standard input is a terminal; it is started by lhrs-play --hosts FILE, not by hand");
    const int signals = openSignals();
    std::error_code error;
    const auto own = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    HostFolder folder;
    if (const auto made = folder.make(); !made)
        return explain(kExitFailed, "lhrs-host: " + made.error().text);
    // What a program or a library prints must not come between the reports.
    const int out = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    HostCommands commands(out, own.string(), folder);
    commands.greet();
    const int code = commands.serve(STDIN_FILENO, signals);
    if (code != kExitClean)
        std::fputs("lhrs-host: what came on its standard input is not a command; install the same version everywhere\n",
            stderr);
    return code;
}
