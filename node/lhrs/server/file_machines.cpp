// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/server/file_machines.h"

#include "node/lhrs/client/client.h"
#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"

#include <utility>

namespace lhrs {

FileMachines::FileMachines(Options options) : m_options(std::move(options)) { }

std::unique_ptr<Machine> FileMachines::make(const MachineOrder& order) const
{
    if (order.self.kind() == pb::COORDINATOR) {
        CoordinatorOptions options;
        options.self = order.self;
        options.config = m_options.file;
        options.timers = m_options.timers;
        options.recruiting = m_options.recruiting;
        options.seed = order.seed;
        options.listensFirst = order.takesOver;
        return std::make_unique<Coordinator>(options);
    }
    if (order.self.kind() == pb::CLIENT)
        return std::make_unique<Client>(ClientOptions { order.self, order.coordinator, order.seed });
    return std::make_unique<NodeMachine>(NodeOptions { order.self, order.coordinator, order.self.pool(), order.seed });
}

// The first data server becomes bucket 0 and needs parity at once.
std::vector<MachineFactory::Servers> FileMachines::atStart() const
{
    return { { pb::PARITY, "parity", m_options.parityServers }, { pb::DATA, "data", m_options.dataServers } };
}

std::string FileMachines::whyNoServer(pb::Role pool) const
{
    return pool == pb::DATA || pool == pb::PARITY
        ? std::string()
        : "a server waits in a pool of spares; say which with pool DATA or PARITY";
}

} // namespace lhrs
