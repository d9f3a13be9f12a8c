// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/fuzz/mutator.h"

#include <string>
#include <string_view>
#include <vector>

namespace lhrs::fuzz {

// Something that reads bytes from outside. Whatever they are, run() comes back; what it finds wrong ends the process
// (LHRS_CHECK).
struct Target {
    const char* name;
    const char* tells;
    void (*run)(std::string_view input);
    // Inputs to begin with: right ones, and those that were wrong somewhere once.
    std::vector<std::string> (*seeds)();
    // Makes another input out of one.
    void (*mutate)(std::string& input, const std::string& other, Mutator& mutator);
    unsigned tries; // mutated inputs of a replay
};

const std::vector<Target>& targets();

// For those that need nothing better.
inline void mutateBytes(std::string& input, const std::string& other, Mutator& mutator) { mutator.bytes(input, other); }

// Targets that build whole machines (fuzz_machines.cpp).
Target machinesTarget();
Target commandsTarget();
Target deltasTarget();
Target slicesTarget();
Target kernelsTarget(); // fuzz_kernels.cpp
Target labTarget();     // fuzz_lab.cpp

} // namespace lhrs::fuzz
