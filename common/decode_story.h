// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/erasure_code.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lhrs {

// One member's part of a sum over a record group: coefficient * symbol as the field's tables compute it (lhrs.md 7.1).
struct Term {
    Symbol coefficient = 0, symbol = 0;
    bool isZero = false; // a factor is zero, which has no logarithm: nothing to add
    bool isCopy = false; // the coefficient is 1: the symbol itself, plain XOR
    Symbol logCoefficient = 0, logSymbol = 0, logSum = 0; // unless isZero; the sum modulo 2^f - 1
    Symbol product = 0;
    Symbol sum = 0; // XOR of all products up to this one
    bool operator==(const Term&) const = default;
};

// The symbol at this index of a member's bytes; behind their end it is zero.
Symbol symbolAt(const Field& field, ByteSpan bytes, std::size_t index);
// How many symbols hold that many bytes.
std::size_t symbolsOf(const Field& field, std::size_t bytes);
// coefficient * symbol, step by step, added to `before`.
Term termOf(const Field& field, Symbol coefficient, Symbol symbol, Symbol before);

// Where a lost member comes from: its record is the XOR over the survivors of coefficient * record.
struct LostMember {
    Participant member;
    std::vector<Symbol> coefficients; // beside the survivors
    bool isXorOnly = false;           // none is other than 0 and 1
};

// A decoding from beginning to end, for whoever wants to see it. The same arithmetic as the nodes use, taken apart.
struct DecodeStory {
    DecodeStory(const ErasureCode& used, std::uint32_t parityColumns) : code(used), k(parityColumns) {}

    ErasureCode code;
    std::uint32_t k = 0;
    std::vector<Participant> survivors; // in the order of H's columns; fewer than m: the system is singular
    std::vector<LostMember> lost;       // without coefficients if it is
    SymbolMatrix whole;                 // (I|P), m rows and m + k columns
    Elimination elimination;

    bool isSolvable() const { return !elimination.isSingular; }
    // (H|I) after that many steps of the elimination: H's part, and the part beside it.
    struct Stage {
        SymbolMatrix left, right;
    };
    Stage stageAfter(std::size_t steps) const;

    // The terms of one symbol of a lost member, a contribution for each survivor in order (checks). The last one's sum is
    // the symbol.
    std::vector<Term> terms(const LostMember& member, std::span<const ByteSpan> contributions, std::size_t index) const;
    // All bytes of a lost member, by regions as the nodes compute them; `length` of them.
    std::vector<std::byte> bytes(const LostMember& member, std::span<const ByteSpan> contributions, std::size_t length) const;
};

// `survivors`: at most m different members, `lost`: others, both of the matrix with k parity columns. Error: one is named
// twice, both lost and surviving, or outside the matrix. Too few survivors are no error: the story tells where it stops.
Result<DecodeStory> tellDecoding(
    const ErasureCode& code, std::uint32_t k, std::span<const Participant> survivors, std::span<const Participant> lost);

// How many ways there are to choose m of that many members, at most 2^32 - 1.
std::uint32_t choicesOf(std::size_t available, std::uint32_t m);
// The choice with this number, in lexicographic order of the members, so that number 0 is what chooseParticipants takes:
// any m give the same bytes. `available`: at least m different members in order (check).
std::vector<Participant> choiceAt(std::span<const Participant> available, std::uint32_t m, std::uint32_t number);
// Its number.
std::uint32_t numberOfChoice(std::span<const Participant> available, std::span<const Participant> chosen);

} // namespace lhrs
