// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#ifdef LHRS_MUTANTS
#include <cstdlib>
#include <string>
#include <string_view>
#endif

namespace lhrs {

// Failpoints: places in a protocol where something legal but rare can be triggered on purpose. A driver that uses them
// sets them for each step (Effects::setFailpoints); production drivers never do. Each system has its own list.
enum class Failpoint : std::uint8_t;

// Decides at each call whether a failpoint fires.
class Failpoints {
public:
    virtual ~Failpoints() = default;
    virtual bool fires(Failpoint failpoint) = 0;
};

// Mutants: deliberate bugs of a protocol. A build with LHRS_MUTANTS can switch on one of them to show that the tests
// detect it; tests/mutants.txt has all of them. In every other build they are the constant false and cost nothing.
#ifdef LHRS_MUTANTS
// The name of the active mutant, or empty; set by the environment or before any machine runs.
inline std::string mutantOfEnvironment()
{
    const char* name = std::getenv("LHRS_MUTANT");
    return name ? name : "";
}
inline std::string activeMutant = mutantOfEnvironment();
inline bool mutantIs(std::string_view name) { return activeMutant == name; }
#endif

} // namespace lhrs

// True where the named mutant must misbehave; constant false in production builds.
#ifdef LHRS_MUTANTS
#define LHRS_MUTANT(name) (::lhrs::mutantIs(#name))
#else
#define LHRS_MUTANT(name) false
#endif
