// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "node/machine/machine.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lhrs {

// Which machine to make, and for which process.
struct MachineOrder {
    pb::ProcessInfo self; // with its addresses; its kind selects the machine
    Address coordinator; // address of the process with which all others register
    std::uint64_t seed = 0; // for the machine's own random numbers
    bool takesOver = false; // for a coordinator: the cluster of its predecessor is running
};

// Makes the machines of one system, for a driver that does not know the system.
class MachineFactory {
public:
    virtual ~MachineFactory() = default;

    // The name as in ProcessInfo; empty: the first system.
    virtual std::string system() const { return {}; }
    virtual std::unique_ptr<Machine> make(const MachineOrder& order) const = 0;

    // Servers with which a new cluster begins: `count` processes PREFIX-1, PREFIX-2, ... of a pool.
    struct Servers {
        pb::Role pool = pb::NO_ROLE;
        std::string prefix;
        std::uint32_t count = 0;
    };
    // In the order in which they are started, after the coordinator.
    virtual std::vector<Servers> atStart() const = 0;

    // Why no server can be added to this pool; empty: one can be added.
    virtual std::string whyNoServer(pb::Role pool) const = 0;
    // Why a coordinator that has ended cannot be started again; empty: it can be.
    virtual std::string whyNoTakeOver() const { return {}; }
};

} // namespace lhrs
