// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own ssh with its configuration and its agent.
#include "gui/lab/hosts/host_list.h"
#include "gui/lab/hosts/launcher.h"

namespace lhrs::gui {

std::vector<std::string> sshLine(const HostEntry& host, const std::string& programs)
{
    std::vector<std::string> line { "ssh" };
    if (!host.config.empty())
        line.insert(line.end(), { "-F", host.config });
    // No password is asked for, because nobody could enter it; nothing is forwarded; a host that has vanished is
    // noticed.
    line.insert(line.end(),
        { "-T", "-x", "-a", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o",
            "ServerAliveCountMax=3", "-o", "ClearAllForwardings=yes", "--", host.name,
            // The login shell may be another one.
            "sh -c " + shellQuoted(shellCommand(host, programs)) });
    return line;
}

} // namespace lhrs::gui
