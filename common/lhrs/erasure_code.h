// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "common/field/galois.h"
#include "common/lhrs/file_ids.h"

#include <compare>
#include <span>
#include <string_view>
#include <vector>

namespace lhrs {

// A record's bytes, borrowed. Records of a record group may differ in length: each is treated as padded with zeros to
// the longest one and to whole symbols. A missing or dummy member is empty.
using ByteSpan = std::span<const std::byte>;
inline ByteSpan bytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

// Symbols in rows and columns, initially zero.
struct SymbolMatrix {
    SymbolMatrix() = default;
    SymbolMatrix(std::uint32_t rows, std::uint32_t columns);
    static SymbolMatrix identity(std::uint32_t size);
    Symbol& at(std::uint32_t row, std::uint32_t column) { return symbols[std::size_t(row) * columns + column]; }
    Symbol at(std::uint32_t row, std::uint32_t column) const { return symbols[std::size_t(row) * columns + column]; }
    bool operator==(const SymbolMatrix&) const = default;

    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::vector<Symbol> symbols; // row after row
};

// The parity matrix P: a row for each position q of a group, a column for each parity bucket p. Row 0 and column 0 are
// ones and every minor is non-zero, so any m columns of (I|P) decode. A new parity bucket adds a column and a new
// bucket adds a row; existing entries never change. GF(2^16): the demo paper's matrix by its closed form. GF(2^8): our
// own matrix.
class ParityMatrix {
public:
    // m = 1..groupSizeMax(field width) rows (check).
    ParityMatrix(const Field& field, std::uint32_t m);

    static std::uint32_t groupSizeMax(FieldWidth width) { return width == FieldWidth::Gf8 ? 128 : 32; }
    static std::uint32_t parityCountMax(FieldWidth width) { return width == FieldWidth::Gf8 ? 128 : 0x10000 - 32; }

    std::uint32_t groupSize() const { return m_groupSize; }
    // P[q][p], never 0; q < m and p < parityCountMax (checks).
    Symbol at(Position q, ParityColumn p) const;
    // Q[q][p] = log P[q][p]; 0 means plain XOR.
    Symbol logAt(Position q, ParityColumn p) const;

private:
    Symbol closedForm(Position q, ParityColumn p) const;

    Field m_field;
    std::uint32_t m_groupSize;
    std::vector<Symbol> m_firstColumns; // cached, because addDelta needs them for each change
};

// A column of (I|P) and the member of the group that holds it: data position q or parity bucket p. Data sorts first.
struct Participant {
    enum class Kind : std::uint8_t { Data, Parity };
    static Participant data(Position q) { return { Kind::Data, q.value }; }
    static Participant parity(ParityColumn p) { return { Kind::Parity, p.value }; }
    auto operator<=>(const Participant&) const = default;

    Kind kind = Kind::Data;
    std::uint32_t index = 0; // q or p
};

// The code of one file: group size m, field, matrix. Codeword u = a * (I_m | P).
class ErasureCode {
public:
    ErasureCode(FieldWidth width, std::uint32_t m, FieldOptions options = {});

    const Field& field() const { return m_field; }
    const ParityMatrix& matrix() const { return m_matrix; }
    std::uint32_t groupSize() const { return m_matrix.groupSize(); }
    // P[q][p].
    Symbol coefficient(Position q, ParityColumn p) const { return m_matrix.at(q, p); }

    // The effect of a change of the record at position q on the parity field of parity bucket p: B ^= P[q][p] * D with
    // D = old ^ new. In GF(2^16) an odd delta is treated as followed by a zero byte. The parity field must have room
    // for the padded delta (check); bytes past it are unchanged. Allocates nothing.
    void addDelta(ParityColumn p, Position q, ByteSpan delta, std::span<std::byte> parity) const;
    // The same for callers that add many deltas of one position and keep the result of multiplier().
    void addDelta(const Multiplier& multiplier, ByteSpan delta, std::span<std::byte> parity) const;
    Multiplier multiplier(Position q, ParityColumn p) const { return m_field.prepare(coefficient(q, p)); }

    // The parity field of parity bucket p for these members, at most m (check), in the order of their positions. It is
    // as long as the longest member, padded to whole symbols.
    std::vector<std::byte> encode(ParityColumn p, std::span<const ByteSpan> members) const;

    // Whether `parity` equals the result of encode, ignoring trailing zeros.
    bool verify(ParityColumn p, std::span<const ByteSpan> members, ByteSpan parity) const;

    // H: m rows, and for each of at most m participants its column of (I|P). Columns without a participant stay zero,
    // so that a display can show where the elimination stops when there are too few. Participants must exist in the
    // matrix (check).
    SymbolMatrix columnsOf(std::span<const Participant> participants) const;

private:
    Field m_field;
    ParityMatrix m_matrix;
};

// One step of Gaussian elimination, applied to the rows of H and of the matrix beside it alike.
struct GaussStep {
    enum class Kind : std::uint8_t {
        Swap, // row <-> other
        Scale, // row = factor * row
        Add // row = row + factor * other
    };
    Kind kind = Kind::Swap;
    std::uint32_t row = 0;
    std::uint32_t other = 0; // Scale: equal to row
    Symbol factor = 1;
    bool operator==(const GaussStep&) const = default;
};

void applyStep(const Field& field, const GaussStep& step, SymbolMatrix& matrix);

// How a square H was inverted, for display: applying the steps in order to (H|I) gives (I|Hinv).
struct Elimination {
    SymbolMatrix h;
    SymbolMatrix inverse; // undefined when singular
    std::vector<GaussStep> steps;
    bool isSingular = false;
    std::uint32_t columnStopped = 0; // singular: the first column without a pivot
};

Elimination eliminate(const Field& field, const SymbolMatrix& h);

// Rebuilds lost data records from m available members of the record group. It is made once per recovery and used for
// every rank. XOR decoding uses the same path: with parity column 0 the coefficients are ones.
class Decoder {
public:
    // `participants`: exactly m different members, in the order in which contributions will be passed; dummies count.
    // `lost`: the data positions to rebuild, none of them a participant. Error: too few or too many participants, a
    // participant named twice or outside the matrix, a lost position that is outside it or participates, a singular
    // system.
    static Result<Decoder> create(
        const ErasureCode& code, std::span<const Participant> participants, std::span<const Position> lost);

    const std::vector<Participant>& participants() const { return m_participants; }
    const std::vector<Position>& lost() const { return m_lost; }
    const Elimination& elimination() const { return m_elimination; }
    // Column `lost` of Hinv: one coefficient for each participant, in order. `lost` must be a lost position (check).
    const std::vector<Symbol>& coefficients(Position lost) const { return m_coefficients[placeOf(lost)]; }
    // Whether every coefficient is 0 or 1.
    bool isXorOnly(Position lost) const;

    // out = XOR over t of coefficients[t] * contributions[t], one contribution for each participant in order (check).
    // The size of `out` is the length wanted, usually len[lost] of the parity records, and may be odd. Allocates
    // nothing.
    void reconstruct(Position lost, std::span<const ByteSpan> contributions, std::span<std::byte> out) const;
    // The same for all lost positions, in their order, in one pass over the contributions. A position whose output is
    // empty is skipped.
    void reconstructAll(std::span<const ByteSpan> contributions, std::span<const std::span<std::byte>> outs) const;

private:
    Decoder(const Field& field, Elimination elimination);
    std::size_t placeOf(Position lost) const;

    Field m_field;
    std::vector<Participant> m_participants;
    std::vector<Position> m_lost;
    Elimination m_elimination;
    std::vector<std::vector<Symbol>> m_coefficients; // one list for each entry of m_lost
    std::vector<std::vector<Multiplier>> m_multipliers; // the same coefficients, prepared
};

// The m members to decode from: all available data positions, then the lowest parity columns. With one data position
// lost and parity column 0 available this is plain XOR, which is preferred. `available` may have any order; include
// dummy positions. Duplicates and members outside the matrix are ignored. Error: fewer than m available.
Result<std::vector<Participant>> chooseParticipants(const ErasureCode& code, std::span<const Participant> available);

} // namespace lhrs
