// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/erasure_code.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lhrs {

// One member's term of a sum over a record group: coefficient * symbol as the field's tables compute it.
struct Term {
    Symbol coefficient = 0, symbol = 0;
    bool isZero = false; // one factor is zero, which has no logarithm: nothing is added
    bool isCopy = false; // the coefficient is 1: the symbol itself, plain XOR
    Symbol logCoefficient = 0, logSymbol = 0, logSum = 0; // unless isZero; the sum modulo 2^f - 1
    Symbol product = 0;
    Symbol sum = 0; // XOR of all products up to this one
    bool operator==(const Term&) const = default;
};

// The symbol at this index of a member's bytes; zero past their end.
Symbol symbolAt(const Field& field, ByteSpan bytes, std::size_t index);
// How many symbols hold that many bytes.
std::size_t symbolsOf(const Field& field, std::size_t bytes);
// coefficient * symbol, step by step, added to `before`.
Term termOf(const Field& field, Symbol coefficient, Symbol symbol, Symbol before);

// How a lost member is rebuilt: its record is the XOR over the survivors of coefficient * record.
struct LostMember {
    Participant member;
    std::vector<Symbol> coefficients; // one for each survivor, in their order
    bool isXorOnly = false; // every coefficient is 0 or 1
};

// A complete decoding for display. It uses the same arithmetic as the nodes, step by step.
struct DecodeStory {
    DecodeStory(const ErasureCode& used, std::uint32_t parityColumns) : code(used), k(parityColumns) { }

    ErasureCode code;
    std::uint32_t k = 0;
    std::vector<Participant> survivors; // in the order of H's columns; with fewer than m, the system is singular
    std::vector<LostMember> lost; // without coefficients if the system is singular
    SymbolMatrix whole; // (I|P), m rows and m + k columns
    Elimination elimination;

    bool isSolvable() const { return !elimination.isSingular; }
    // (H|I) after this many elimination steps: the part of H, and the part beside it.
    struct Stage {
        SymbolMatrix left, right;
    };
    Stage stageAfter(std::size_t steps) const;

    // The terms of one symbol of a lost member, with one contribution for each survivor in order (checks). The sum in
    // the last term is the symbol.
    std::vector<Term> terms(const LostMember& member, std::span<const ByteSpan> contributions, std::size_t index) const;
    // The first `length` bytes of a lost member, computed by regions as the nodes do.
    std::vector<std::byte> bytes(
        const LostMember& member, std::span<const ByteSpan> contributions, std::size_t length) const;
};

// `survivors`: at most m different members; `lost`: other members; all within the matrix with k parity columns. Error:
// a member is named twice, is both lost and surviving, or is outside the matrix. Too few survivors are not an error:
// the story then shows where decoding stops.
Result<DecodeStory> tellDecoding(const ErasureCode& code, std::uint32_t k, std::span<const Participant> survivors,
    std::span<const Participant> lost);

// Number of ways to choose m of `available` members, capped at 2^32 - 1.
std::uint32_t choicesOf(std::size_t available, std::uint32_t m);
// The choice with this number, in lexicographic order of the members; number 0 is what chooseParticipants takes. Any m
// members give the same bytes. `available`: at least m different members in order (check).
std::vector<Participant> choiceAt(std::span<const Participant> available, std::uint32_t m, std::uint32_t number);
// The number of `chosen` in that order.
std::uint32_t numberOfChoice(std::span<const Participant> available, std::span<const Participant> chosen);

} // namespace lhrs
