// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/machine_factory.h"
#include "proto/config.pb.h"

namespace lhrs {

// The machines of one ring: its master, nodes and clients.
class WalkMachines : public MachineFactory {
public:
    struct Options {
        unsigned bits = 32; // M
        std::uint32_t servers = 8; // processes at the start
        std::uint32_t nodes = 0; // this many of them join by themselves; the others wait for a command
        pb::Timers timers;
    };
    explicit WalkMachines(Options options);

    std::string system() const override { return "walk"; }
    std::unique_ptr<Machine> make(const MachineOrder& order) const override;
    std::vector<Servers> atStart() const override;
    // A ring has a single pool, so any pool is accepted.
    std::string whyNoServer(pb::Role) const override { return {}; }
    std::string whyNoTakeOver() const override;

private:
    const Options m_options;
};

} // namespace lhrs
