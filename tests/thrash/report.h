// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/thrash/crowd.h"
#include "tests/thrash/writers.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace lhrs::thrash {

// What happened to one cluster, or to all of them: reported at the end.
struct Report {
    std::map<std::string, int> faults; // by kind; includes splits and merges
    Writers::Figures figures;
    std::vector<double> cleanSeconds; // from the end of the faults until the file was whole
    std::uint32_t shortClients = 0, shortClientsUnsure = 0;
    std::uint32_t audits = 0; // of groups
    int clusters = 0;
    int losses = 0; // deliberate ones
    int violations = 0;

    void add(const Report& other);
    // Several lines.
    std::string words() const;
};

} // namespace lhrs::thrash
