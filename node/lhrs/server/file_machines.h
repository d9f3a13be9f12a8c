// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/recruiting.h"
#include "node/machine/machine_factory.h"
#include "proto/config.pb.h"

namespace lhrs {

// The machines of one LH*RS file: its coordinator, servers in two pools, and clients.
class FileMachines : public MachineFactory {
public:
    struct Options {
        pb::FileConfig file;
        pb::Timers timers;
        Recruiting recruiting = Recruiting::Auto;
        std::uint32_t dataServers = 0, parityServers = 0; // at the start
    };
    explicit FileMachines(Options options);

    std::unique_ptr<Machine> make(const MachineOrder& order) const override;
    std::vector<Servers> atStart() const override;
    std::string whyNoServer(pb::Role pool) const override;

private:
    const Options m_options;
};

} // namespace lhrs
