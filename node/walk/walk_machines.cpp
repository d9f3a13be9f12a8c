// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/walk/walk_machines.h"

#include "node/walk/walk_client.h"
#include "node/walk/walk_master.h"
#include "node/walk/walk_node.h"

#include <utility>

namespace lhrs {

WalkMachines::WalkMachines(Options options) : m_options(std::move(options)) { }

std::unique_ptr<Machine> WalkMachines::make(const MachineOrder& order) const
{
    pb::ProcessInfo self = order.self;
    self.set_system(system());
    if (self.kind() == pb::COORDINATOR)
        return std::make_unique<WalkMaster>(
            WalkMasterOptions { self, m_options.bits, m_options.nodes, m_options.timers });
    if (self.kind() == pb::CLIENT)
        return std::make_unique<WalkClient>(WalkClientOptions { self, order.coordinator, order.seed });
    return std::make_unique<WalkNode>(WalkNodeOptions { self, order.coordinator });
}

std::vector<MachineFactory::Servers> WalkMachines::atStart() const
{
    return { { pb::NO_ROLE, "node", m_options.servers } };
}

std::string WalkMachines::whyNoTakeOver() const
{
    return "the master of a ring keeps its members in memory, which ended with it; start a new ring";
}

} // namespace lhrs
