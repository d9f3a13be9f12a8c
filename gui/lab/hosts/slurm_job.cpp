// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/hosts/slurm_job.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

namespace lhrs::gui {

Result<std::vector<HostEntry>> hostsOfSlurmJob()
{
    if (std::getenv("SLURM_JOB_NODELIST") == nullptr)
        return Error { "this program does not run in a job of Slurm; start it by salloc or sbatch, for instance "
                       "salloc --nodes=8 lhrs-play --slurm demo.js" };
    std::string text;
    {
        // It takes the list from the variable, so no word of it reaches a shell.
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> lines(
            ::popen("scontrol show hostnames 2>&1", "re"), ::pclose);
        std::array<char, 4096> part {};
        while (lines && std::fgets(part.data(), int(part.size()), lines.get()) != nullptr)
            text += part.data();
    }
    std::vector<HostEntry> hosts;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.find(' ') != std::string::npos)
            return Error { "scontrol does not list the nodes of the job; it says: " + line };
        hosts.push_back({ .name = line, .by = "slurm" });
    }
    if (const auto checked = checkHosts(hosts); !checked)
        return checked.error();
    return hosts;
}

} // namespace lhrs::gui
