// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/memory_meter.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace lhrs {

namespace {

// Fields of /proc/self/statm, converted to bytes.
struct Usage {
    std::uint64_t virtualBytes = 0, resident = 0, data = 0;
};

Usage usageIn(const std::string& proc)
{
    std::uint64_t all = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
    std::ifstream(proc + "/self/statm") >> all >> resident >> shared >> text >> library >> data;
    const auto page = std::uint64_t(::sysconf(_SC_PAGESIZE));
    return { all * page, resident * page, data * page };
}

// The number in a file; nothing if there is none ("max" of a control group without a limit).
std::optional<std::uint64_t> numberIn(const std::string& path)
{
    std::uint64_t number = 0;
    if (std::ifstream(path) >> number)
        return number;
    return std::nullopt;
}

// The number after a word in a file of lines such as "MemTotal:   16318828 kB".
std::uint64_t numberBehind(const std::string& path, const std::string& word)
{
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string first;
        std::uint64_t number = 0;
        if (words >> first >> number && first == word)
            return number;
    }
    return 0;
}

std::uint64_t below(std::uint64_t limit, std::uint64_t used) { return limit - std::min(limit, used); }

// Keeps the lowest of the limits.
class Nearest {
public:
    void look(std::uint64_t limit, std::uint64_t left, const char* bound)
    {
        if (m_reading.limit != 0 && left >= m_reading.left)
            return;
        m_reading = { limit, left, bound };
    }
    void lookAtResource(decltype(RLIMIT_AS) resource, std::uint64_t used, std::uint64_t kept, const char* bound)
    {
        rlimit limit {};
        if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            look(limit.rlim_cur, below(limit.rlim_cur, used) + kept, bound);
    }
    const MemoryReading& reading() const { return m_reading; }

private:
    MemoryReading m_reading;
};

} // namespace

MemoryMeter::MemoryMeter(std::uint64_t ordered) : MemoryMeter(ordered, System()) { }

MemoryMeter::MemoryMeter(std::uint64_t ordered, System system)
    : m_ordered(ordered), m_system(std::move(system)), m_residentAtFirst(usageIn(m_system.proc).resident)
{
    findGroups();
}

// Lines of /proc/self/cgroup are "4:memory:/path" (version 1) and "0::/path" (version 2). The limits of parent groups
// apply too. In a container the path may not be visible; in that case the root is the container's group.
void MemoryMeter::findGroups()
{
    std::ifstream file(m_system.proc + "/self/cgroup");
    std::string line;
    while (std::getline(file, line)) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
            continue;
        const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
        const bool isSecondVersion = controllers == ",,";
        if (!isSecondVersion && controllers.find(",memory,") == std::string::npos)
            continue;
        const std::string root = m_system.groups + (isSecondVersion ? "" : "/memory");
        std::string path = line.substr(second + 1);
        for (;;) {
            while (!path.empty() && path.back() == '/')
                path.pop_back();
            const std::string folder = root + path + '/';
            Group group { folder + (isSecondVersion ? "memory.max" : "memory.limit_in_bytes"),
                folder + (isSecondVersion ? "memory.current" : "memory.usage_in_bytes"), folder + "memory.stat" };
            if (std::ifstream(group.limit))
                m_groups.push_back(std::move(group));
            if (path.empty())
                break;
            path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
        }
    }
}

MemoryReading MemoryMeter::read(std::uint64_t stored) const
{
    const Usage usage = usageIn(m_system.proc);
    // Memory that the allocator keeps is reused before the system is asked for more. For resident memory, this counts
    // at most the part that is not used by the machine and was not resident at the start: the rest may have been
    // returned to the system.
    const std::uint64_t free = ::mallinfo2().fordblks;
    const std::uint64_t freeResident = std::min(free, below(usage.resident, stored + m_residentAtFirst));
    Nearest nearest;
    if (m_ordered != 0)
        nearest.look(m_ordered, below(m_ordered, usage.resident) + freeResident, "--memory");
    nearest.lookAtResource(RLIMIT_AS, usage.virtualBytes, free, "address space of the process, RLIMIT_AS");
    nearest.lookAtResource(RLIMIT_DATA, usage.data, free, "data of the process, RLIMIT_DATA");
    const std::string machine = m_system.proc + "/meminfo";
    const std::uint64_t total = numberBehind(machine, "MemTotal:") * 1024;
    for (const Group& group : m_groups) {
        // In version 1, "no limit" is a number larger than any memory. Cached files can be evicted, so they are not
        // counted as used.
        const auto limit = numberIn(group.limit), used = numberIn(group.usage);
        if (!limit || !used || (total != 0 && *limit >= total))
            continue;
        const std::uint64_t cached = numberBehind(group.statistics, "inactive_file");
        nearest.look(*limit, below(*limit, below(*used, cached)) + freeResident, "control group");
    }
    if (total != 0)
        nearest.look(total, numberBehind(machine, "MemAvailable:") * 1024 + freeResident, "memory of the machine");
    return nearest.reading();
}

} // namespace lhrs
