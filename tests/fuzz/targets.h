// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/fuzz/mutator.h"

#include <string>
#include <string_view>
#include <vector>

namespace lhrs::fuzz {

// A function that reads bytes from outside. Whatever they are, run() returns; an error that it finds ends the process
// (LHRS_CHECK).
struct Target {
    const char* name;
    const char* tells;
    void (*run)(std::string_view input);
    // Inputs to begin with: valid ones, and those that once found an error.
    std::vector<std::string> (*seeds)();
    // Turns one input into another.
    void (*mutate)(std::string& input, const std::string& other, Mutator& mutator);
    unsigned tries; // mutated inputs of a replay
};

const std::vector<Target>& targets();

// For targets without a mutator of their own.
inline void mutateBytes(std::string& input, const std::string& other, Mutator& mutator) { mutator.bytes(input, other); }

// Targets that build whole machines (fuzz_machines.cpp).
Target machinesTarget();
Target commandsTarget();
Target deltasTarget();
Target slicesTarget();
Target kernelsTarget(); // fuzz_kernels.cpp
Target labTarget(); // fuzz_lab.cpp
Target walkTarget(); // fuzz_walk.cpp
Target sealedTarget(); // fuzz_keys.cpp
Target keyTextTarget();
Target respTarget(); // fuzz_resp.cpp

} // namespace lhrs::fuzz
