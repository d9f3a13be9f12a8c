// SPDX-License-Identifier: GPL-3.0-or-later
// srun, within a job that has this node.
#include "gui/lab/hosts/host_list.h"
#include "gui/lab/hosts/launcher.h"

namespace lhrs::gui {

std::vector<std::string> slurmLine(const HostEntry& host, const std::string& programs)
{
    // A step beside other steps of the job; its output as it comes.
    return { "srun", "--quiet", "--overlap", "--nodes=1", "--ntasks=1", "--nodelist=" + host.name, "--unbuffered",
        "--export=ALL", "sh", "-c", shellCommand(host, programs) };
}

} // namespace lhrs::gui
