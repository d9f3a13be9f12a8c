// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace lhrs {

// Mutants: deliberate mistakes in the protocol, one of which a build with LHRS_MUTANTS can switch on to show that the
// tests bite. In every other build they are the constant false and cost nothing.
enum class Mutant {
    None,
    AnswerBeforeParity,      // data bucket: the client is answered at once, whatever the parity buckets do
    AnswerAfterAllButOne,    // data bucket: one parity bucket that has not acknowledged is overlooked
    DeltaAppliedTwice,       // parity bucket: a Delta that comes again is added again
    GapApplied,              // parity bucket: a later Delta is applied although its predecessor is missing
    WrongColumn,             // parity bucket: encodes with the coefficients of the next column of P
    LogsAsValues,            // parity bucket: multiplies by the logarithm of the coefficient
    KeyListNotCleared,       // parity bucket: a deleted member stays in the key list
    LengthNotRestored,       // parity bucket: an update does not change the member's length
    RankReusedEarly,         // data bucket: a freed rank is used before all parity buckets know
    HeldDeltaAcknowledged,   // parity bucket: a Delta that is only held is acknowledged as applied
};

inline constexpr std::size_t kMutants = 10; // without None

// The name by which the command line knows a mutant: that of its enumerator.
constexpr std::string_view nameOf(Mutant mutant)
{
    constexpr std::array<std::string_view, kMutants + 1> names { "None", "AnswerBeforeParity", "AnswerAfterAllButOne",
        "DeltaAppliedTwice", "GapApplied", "WrongColumn", "LogsAsValues", "KeyListNotCleared", "LengthNotRestored",
        "RankReusedEarly", "HeldDeltaAcknowledged" };
    return names[std::size_t(mutant)];
}

constexpr std::optional<Mutant> mutantNamed(std::string_view name)
{
    for (std::size_t i = 0; i <= kMutants; ++i)
        if (nameOf(Mutant(i)) == name)
            return Mutant(i);
    return std::nullopt;
}

#ifdef LHRS_MUTANTS
// The mutant that is on; set once from the command line, before any machine runs.
inline Mutant activeMutant = Mutant::None;
inline bool mutantIs(Mutant mutant) { return activeMutant == mutant; }
#else
constexpr bool mutantIs(Mutant) { return false; }
#endif

} // namespace lhrs

// True where the named mutant is to misbehave; constant false in the product.
#define LHRS_MUTANT(name) (::lhrs::mutantIs(::lhrs::Mutant::name))
