// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/thrash/fleet.h"

#include <map>
#include <string>
#include <vector>

namespace lhrs::thrash {

// What the processes hold, looked at whenever the file is at rest: memory and open descriptors. A leak shows as growth,
// because the records are few.
class Vitals {
public:
    // Notes what each living process holds now; says who holds more than it may.
    std::vector<std::string> look(Fleet& fleet);

    // Per kind of process: the largest it was, and by how much an hour it grew.
    std::string describe() const;
    // Kinds whose growth is beyond the share of their size in an hour, after the first hour (testing.md 11).
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
    std::map<std::uint64_t, First> m_first;      // by process number
    std::map<Kind, std::vector<Sample>> m_samples; // medians of the living
    std::map<Kind, double> m_largest;
};

// What this program itself has open, so that what a cluster left behind shows.
std::size_t ownDescriptors();
// Whether this program still has children, running or not reaped.
bool hasChildren();

} // namespace lhrs::thrash
