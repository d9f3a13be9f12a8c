// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "node/machine/machine.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lhrs {

// Which machine is wanted, and for which process.
struct MachineOrder {
    pb::ProcessInfo self; // with its addresses; its kind says which machine
    Address coordinator; // of the process that all others register with
    std::uint64_t seed = 0; // of the machine's own draws
    bool takesOver = false; // of a coordinator: its predecessor's cluster is running
};

// Makes the machines of one system, for a driver that does not know the system.
class MachineFactory {
public:
    virtual ~MachineFactory() = default;

    // As ProcessInfo has it; empty: the system that was there first.
    virtual std::string system() const { return {}; }
    virtual std::unique_ptr<Machine> make(const MachineOrder& order) const = 0;

    // Servers that a new cluster begins with: `count` processes PREFIX-1, PREFIX-2, ... of a pool.
    struct Servers {
        pb::Role pool = pb::NO_ROLE;
        std::string prefix;
        std::uint32_t count = 0;
    };
    // In the order in which they are started, after the coordinator.
    virtual std::vector<Servers> atStart() const = 0;

    // Why a server of this pool cannot be added; empty: it can.
    virtual std::string whyNoServer(pb::Role pool) const = 0;
    // Why a coordinator that has ended cannot be started again; empty: it can.
    virtual std::string whyNoTakeOver() const { return {}; }
};

} // namespace lhrs
