// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/memory_room.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lhrs {

// Measures how much memory this process may still take: the least of what is ordered, of its resource limits (which others may
// lower while it runs), of its control groups (version 1 and 2) and of the machine. Files of the system are read each time.
class MemoryMeter {
public:
    // Where the system shows itself; another place for tests.
    struct System {
        std::string proc = "/proc";
        std::string groups = "/sys/fs/cgroup";
    };
    // `ordered`: bytes of resident memory; 0: as much as there is.
    explicit MemoryMeter(std::uint64_t ordered);
    MemoryMeter(std::uint64_t ordered, System system);

    // `stored`: bytes of the bucket, which are in use whatever the allocator keeps beside them.
    MemoryReading read(std::uint64_t stored) const;

private:
    struct Group {
        std::string limit, usage, statistics; // files
    };
    void findGroups();

    const std::uint64_t m_ordered;
    const System m_system;
    std::vector<Group> m_groups;
    std::uint64_t m_residentAtFirst = 0;
};

} // namespace lhrs
