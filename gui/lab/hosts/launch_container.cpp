// SPDX-License-Identifier: GPL-3.0-or-later
// A container that runs already and has the programs in its PATH.
#include "gui/lab/hosts/host_list.h"
#include "gui/lab/hosts/launcher.h"

namespace lhrs::gui {

namespace {

std::vector<std::string> execLine(const char* engine, const HostEntry& host, const std::string& programs)
{
    return { engine, "exec", "--interactive", host.name, "sh", "-c", shellCommand(host, programs) };
}

} // namespace

std::vector<std::string> podmanLine(const HostEntry& host, const std::string& programs)
{
    return execLine("podman", host, programs);
}

std::vector<std::string> dockerLine(const HostEntry& host, const std::string& programs)
{
    return execLine("docker", host, programs);
}

} // namespace lhrs::gui
