// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/thrash/fleet.h"

#include <map>
#include <string>
#include <vector>

namespace lhrs::thrash {

// The resources of the processes, measured whenever the file is at rest: memory and open descriptors. A leak shows as
// growth, because the records are few.
class Vitals {
public:
    // Measures each living process; returns those that exceed their limit.
    std::vector<std::string> look(Fleet& fleet);

    // Per kind of process: the largest size, and the growth per hour.
    std::string describe() const;
    // Kinds whose growth per hour exceeds the permitted fraction of their size, after the first hour.
    std::vector<std::string> slopes() const;

private:
    struct Sample {
        double hours = 0;
        double mebibytes = 0;
    };
    struct First {
        double mebibytes = 0;
        std::size_t descriptors = 0;
    };

    const Clock::time_point m_start = Clock::now();
    std::map<std::uint64_t, First> m_first; // by process number
    std::map<Kind, std::vector<Sample>> m_samples; // medians over the living processes
    std::map<Kind, double> m_largest;
};

// Open descriptors of this program itself, so that leftovers of a cluster show.
std::size_t ownDescriptors();
// Whether this program still has children, running or not reaped.
bool hasChildren();

} // namespace lhrs::thrash
