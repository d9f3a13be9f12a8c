// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/hosts/launcher.h"

#include "gui/lab/hosts/host_list.h"

#include <algorithm>
#include <array>

namespace lhrs::gui {

namespace {

constexpr const char* kProgram = "lhrs-host";

constexpr std::array<Launcher, 5> kLaunchers {
    Launcher { kLauncherHere, nullptr },
    Launcher { "ssh", sshLine },
    Launcher { "slurm", slurmLine },
    Launcher { "podman", podmanLine },
    Launcher { "docker", dockerLine },
};

} // namespace

std::string shellQuoted(const std::string& text)
{
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + '\'';
}

const Launcher* findLauncher(const std::string& name)
{
    const auto* const found = std::find_if(
        kLaunchers.begin(), kLaunchers.end(), [&](const Launcher& l) { return l.name == name; });
    return found == kLaunchers.end() ? nullptr : found;
}

std::string launcherNames()
{
    std::string all;
    for (const Launcher& launcher : kLaunchers)
        all += (all.empty() ? "" : ", ") + std::string(launcher.name);
    return all;
}

std::string shellCommand(const HostEntry& host, const std::string& programs)
{
    if (!host.programs.empty())
        return "exec " + shellQuoted(host.programs + '/' + kProgram);
    const std::string here = shellQuoted(programs + '/' + kProgram);
    return "test -x " + here + " && exec " + here + "; exec " + kProgram;
}

} // namespace lhrs::gui
