// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/memory_room.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lhrs {

// Measures how much memory this process may still use: the minimum over --memory, its resource limits (which others may
// lower while it runs), its control groups (version 1 and 2) and the computer. The system's files are read each time.
class MemoryMeter {
public:
    // Where the system's files are mounted; tests use a different place.
    struct System {
        std::string proc = "/proc";
        std::string groups = "/sys/fs/cgroup";
    };
    // `ordered`: bytes of resident memory that the process may use; 0: no limit of its own.
    explicit MemoryMeter(std::uint64_t ordered);
    MemoryMeter(std::uint64_t ordered, System system);

    // `stored`: bytes that the machine stores, which are in use whatever else the allocator keeps.
    MemoryReading read(std::uint64_t stored) const;

private:
    struct Group {
        std::string limit, usage, statistics; // paths of files
    };
    void findGroups();

    const std::uint64_t m_ordered;
    const System m_system;
    std::vector<Group> m_groups;
    std::uint64_t m_residentAtFirst = 0;
};

} // namespace lhrs
