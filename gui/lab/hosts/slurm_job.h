// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/hosts/host_list.h"

namespace lhrs::gui {

// The nodes of the Slurm job in which this program runs (SLURM_JOB_NODELIST), as scontrol lists them.
Result<std::vector<HostEntry>> hostsOfSlurmJob();

} // namespace lhrs::gui
