// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/message.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lhrs::gui {

// What the programs of a local cluster are told on their command lines, by its system.
struct SystemLines {
    std::vector<std::string> always; // each program
    std::vector<std::string> coordinator; // what the cluster is; the simulator is told the same
    std::vector<std::string> asNew; // the coordinator of a new cluster
    std::vector<std::string> withoutServers; // the simulator, which then begins without any
    // A pool of servers: PREFIX-1, PREFIX-2, ...
    struct Pool {
        pb::Role role = pb::NO_ROLE;
        std::string prefix;
        std::vector<std::string> arguments;
        std::uint32_t count = 0;
    };
    std::vector<Pool> pools; // in the order of starting: the cluster comes to life with the last one
    std::string whyNoTakeOver; // why a coordinator that has ended is not started again; empty: it is
    std::string whyNoCase; // why the simulator plays no test case; empty: it does

    // Null: the system has no such pool.
    const Pool* pool(pb::Role role) const;
    std::uint32_t servers() const; // in all pools
};

} // namespace lhrs::gui
