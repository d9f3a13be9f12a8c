// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/lhrs/erasure_code.h"

#include <algorithm>
#include <array>
#include <limits>

namespace lhrs {

namespace {

// GF(2^16): data points are 0..m-1, parity points start at 32. 32 is the only offset that gives the demo paper's P.
constexpr Symbol kParityPoint16 = 32;
constexpr Symbol kParityPoint8 = 128;
constexpr std::uint32_t kColumnsKept = 8;

// destination ^= coefficient * source, with the source padded with zeros. Products past the end of the destination are
// dropped.
void addProduct(const Field& field, std::span<std::byte> destination, ByteSpan source, const Multiplier& multiplier)
{
    const std::size_t symbolBytes = field.symbolBytes();
    const std::size_t common = std::min(destination.size(), source.size());
    const std::size_t whole = common / symbolBytes * symbolBytes;
    field.multiplyAdd(destination.data(), source.data(), whole, multiplier);
    if (whole == source.size() || whole == destination.size())
        return;
    std::array<std::byte, 2> factor {};
    std::array<std::byte, 2> sum {};
    std::ranges::copy(source.subspan(whole, std::min(source.size() - whole, symbolBytes)), factor.begin());
    const auto end = destination.subspan(whole, std::min(destination.size() - whole, symbolBytes));
    std::ranges::copy(end, sum.begin());
    field.multiplyAdd(sum.data(), factor.data(), symbolBytes, multiplier);
    std::copy_n(sum.begin(), end.size(), end.begin());
}

// A region and the coefficients of the sum to be written to it.
struct Wanted {
    std::span<std::byte> out;
    const Multiplier* multipliers; // one for each source
};

constexpr std::size_t kMembersMax = 128; // m in GF(2^8)

// Each region becomes the sum of its coefficients times the sources, all padded with zeros. One pass covers the length
// that all sources and regions share: usually all of it, since the records of a group tend to have similar lengths. The
// rest is processed source by source.
void sumProducts(const Field& field, std::span<const ByteSpan> sources, std::span<const Wanted> wanted)
{
    LHRS_CHECK(sources.size() <= kMembersMax && wanted.size() <= kMembersMax);
    std::array<Combination::Row, kMembersMax> rows; // uninitialized for speed; this is also used for single records
    std::array<const std::byte*, kMembersMax> starts;
    std::size_t rowCount = 0;
    std::size_t common = std::numeric_limits<std::size_t>::max();
    for (const Wanted& w : wanted) {
        if (w.out.empty())
            continue;
        rows[rowCount++] = { w.out.data(), w.multipliers };
        common = std::min(common, w.out.size());
    }
    if (rowCount == 0)
        return;
    for (std::size_t j = 0; j < sources.size(); ++j) {
        starts[j] = sources[j].empty() ? nullptr : sources[j].data();
        if (starts[j])
            common = std::min(common, sources[j].size());
    }
    common -= common % field.symbolBytes();
    field.combine({ .rows = { rows.data(), rowCount }, .sources = { starts.data(), sources.size() }, .bytes = common });
    for (const Wanted& w : wanted) {
        if (w.out.size() <= common)
            continue;
        const auto rest = w.out.subspan(common);
        std::ranges::fill(rest, std::byte {});
        for (std::size_t j = 0; j < sources.size(); ++j) {
            if (sources[j].size() > common)
                addProduct(field, rest, sources[j].subspan(common), w.multipliers[j]);
        }
    }
}

bool isInMatrix(const ErasureCode& code, Participant participant)
{
    return participant.index < (participant.kind == Participant::Kind::Data
                   ? code.groupSize()
                   : ParityMatrix::parityCountMax(code.field().width()));
}

std::string nameOf(Participant participant)
{
    return (participant.kind == Participant::Kind::Data ? "data position " : "parity column ")
        + std::to_string(participant.index);
}

// Empty if nothing is wrong.
std::string whatIsWrong(
    const ErasureCode& code, std::span<const Participant> participants, std::span<const Position> lost)
{
    if (participants.size() != code.groupSize())
        return "decoding takes exactly " + std::to_string(code.groupSize()) + " available members of the group, not "
            + std::to_string(participants.size());
    for (std::size_t t = 0; t < participants.size(); ++t) {
        if (!isInMatrix(code, participants[t]))
            return "the group has no " + nameOf(participants[t]);
        if (std::ranges::count(participants, participants[t]) != 1)
            return nameOf(participants[t]) + " is named twice among the members to decode from";
    }
    for (const Position q : lost) {
        if (q.value >= code.groupSize())
            return "the group has no " + nameOf(Participant::data(q));
        if (std::ranges::count(participants, Participant::data(q)) != 0)
            return nameOf(Participant::data(q)) + " cannot be lost and a member to decode from";
    }
    return {};
}

} // namespace

SymbolMatrix::SymbolMatrix(std::uint32_t r, std::uint32_t c) : rows(r), columns(c), symbols(std::size_t(r) * c) { }

SymbolMatrix SymbolMatrix::identity(std::uint32_t size)
{
    SymbolMatrix matrix(size, size);
    for (std::uint32_t row = 0; row < size; ++row)
        matrix.at(row, row) = 1;
    return matrix;
}

ParityMatrix::ParityMatrix(const Field& field, std::uint32_t m) : m_field(field), m_groupSize(m)
{
    LHRS_CHECK(m >= 1 && m <= groupSizeMax(field.width()));
    for (Position q; q.value < m; q = q.next()) {
        for (ParityColumn p; p.value < kColumnsKept; p = p.next())
            m_firstColumns.push_back(closedForm(q, p));
    }
}

Symbol ParityMatrix::closedForm(Position q, ParityColumn p) const
{
    if (m_field.width() == FieldWidth::Gf8) {
        const Symbol y = kParityPoint8 + p.value;
        return p.value == 0 ? 1 : m_field.divide(y, y ^ q.value);
    }
    const Symbol y = kParityPoint16 + p.value;
    return m_field.divide(m_field.multiply(y, kParityPoint16 ^ q.value), m_field.multiply(y ^ q.value, kParityPoint16));
}

Symbol ParityMatrix::at(Position q, ParityColumn p) const
{
    LHRS_CHECK(q.value < m_groupSize && p.value < parityCountMax(m_field.width()));
    return p.value < kColumnsKept ? m_firstColumns[std::size_t(q.value) * kColumnsKept + p.value] : closedForm(q, p);
}

Symbol ParityMatrix::logAt(Position q, ParityColumn p) const { return m_field.log(at(q, p)); }

ErasureCode::ErasureCode(FieldWidth width, std::uint32_t m, FieldOptions options)
    : m_field(width, options), m_matrix(m_field, m)
{
}

void ErasureCode::addDelta(ParityColumn p, Position q, ByteSpan delta, std::span<std::byte> parity) const
{
    addDelta(multiplier(q, p), delta, parity);
}

void ErasureCode::addDelta(const Multiplier& multiplier, ByteSpan delta, std::span<std::byte> parity) const
{
    LHRS_CHECK(parity.size() >= m_field.paddedLength(delta.size()));
    addProduct(m_field, parity, delta, multiplier);
}

std::vector<std::byte> ErasureCode::encode(ParityColumn p, std::span<const ByteSpan> members) const
{
    LHRS_CHECK(members.size() <= groupSize());
    std::size_t longest = 0;
    for (const ByteSpan member : members)
        longest = std::max(longest, member.size());
    std::vector<std::byte> parity(m_field.paddedLength(longest));
    std::vector<Multiplier> multipliers;
    for (Position q; q.value < members.size(); q = q.next())
        multipliers.push_back(multiplier(q, p));
    const Wanted wanted = { parity, multipliers.data() };
    sumProducts(m_field, members, { &wanted, 1 });
    return parity;
}

bool ErasureCode::verify(ParityColumn p, std::span<const ByteSpan> members, ByteSpan parity) const
{
    std::vector<std::byte> expected = encode(p, members);
    expected.resize(std::max(expected.size(), parity.size()));
    Field::xorInto(expected.data(), parity.data(), parity.size());
    return std::ranges::all_of(expected, [](std::byte difference) { return difference == std::byte {}; });
}

SymbolMatrix ErasureCode::columnsOf(std::span<const Participant> participants) const
{
    LHRS_CHECK(participants.size() <= groupSize());
    SymbolMatrix h(groupSize(), groupSize());
    std::uint32_t t = 0;
    for (const Participant participant : participants) {
        LHRS_CHECK(isInMatrix(*this, participant));
        if (participant.kind == Participant::Kind::Data) {
            h.at(participant.index, t) = 1;
        } else {
            for (Position q; q.value < groupSize(); q = q.next())
                h.at(q.value, t) = coefficient(q, ParityColumn(participant.index));
        }
        ++t;
    }
    return h;
}

void applyStep(const Field& field, const GaussStep& step, SymbolMatrix& matrix)
{
    for (std::uint32_t column = 0; column < matrix.columns; ++column) {
        Symbol& here = matrix.at(step.row, column);
        Symbol& other = matrix.at(step.other, column);
        switch (step.kind) {
        case GaussStep::Kind::Swap: std::swap(here, other); break;
        case GaussStep::Kind::Scale: here = field.multiply(step.factor, here); break;
        case GaussStep::Kind::Add: here ^= field.multiply(step.factor, other); break;
        }
    }
}

Elimination eliminate(const Field& field, const SymbolMatrix& h)
{
    LHRS_CHECK(h.rows == h.columns);
    Elimination result;
    result.h = h;
    result.inverse = SymbolMatrix::identity(h.rows);
    SymbolMatrix left = h;
    const auto doStep = [&](const GaussStep& step) {
        applyStep(field, step, left);
        applyStep(field, step, result.inverse);
        result.steps.push_back(step);
    };
    for (std::uint32_t column = 0; column < h.columns; ++column) {
        std::uint32_t pivot = column;
        while (pivot < h.rows && left.at(pivot, column) == 0)
            ++pivot;
        if (pivot == h.rows) {
            result.isSingular = true;
            result.columnStopped = column;
            return result;
        }
        if (pivot != column)
            doStep({ GaussStep::Kind::Swap, column, pivot, 1 });
        if (left.at(column, column) != 1)
            doStep({ GaussStep::Kind::Scale, column, column, field.inverse(left.at(column, column)) });
        for (std::uint32_t row = 0; row < h.rows; ++row) {
            if (row != column && left.at(row, column) != 0)
                doStep({ GaussStep::Kind::Add, row, column, left.at(row, column) });
        }
    }
    return result;
}

Decoder::Decoder(const Field& field, Elimination elimination)
    : m_field(field), m_elimination(std::move(elimination)) { }

Result<Decoder> Decoder::create(
    const ErasureCode& code, std::span<const Participant> participants, std::span<const Position> lost)
{
    std::string wrong = whatIsWrong(code, participants, lost);
    if (!wrong.empty())
        return Error { std::move(wrong) };
    Decoder decoder(code.field(), eliminate(code.field(), code.columnsOf(participants)));
    const Elimination& elimination = decoder.m_elimination;
    if (elimination.isSingular)
        return Error { "the members to decode from give a singular system: no pivot in column "
            + std::to_string(elimination.columnStopped) };
    decoder.m_participants.assign(participants.begin(), participants.end());
    decoder.m_lost.assign(lost.begin(), lost.end());
    for (const Position q : lost) {
        std::vector<Symbol>& column = decoder.m_coefficients.emplace_back();
        std::vector<Multiplier>& ready = decoder.m_multipliers.emplace_back();
        for (std::uint32_t t = 0; t < code.groupSize(); ++t) {
            column.push_back(elimination.inverse.at(t, q.value));
            ready.push_back(code.field().prepare(column.back()));
        }
    }
    return decoder;
}

std::size_t Decoder::placeOf(Position lost) const
{
    const auto found = std::ranges::find(m_lost, lost);
    LHRS_CHECK(found != m_lost.end());
    return std::size_t(found - m_lost.begin());
}

bool Decoder::isXorOnly(Position lost) const
{
    return std::ranges::all_of(coefficients(lost), [](Symbol coefficient) { return coefficient <= 1; });
}

void Decoder::reconstruct(Position lost, std::span<const ByteSpan> contributions, std::span<std::byte> out) const
{
    LHRS_CHECK(contributions.size() == m_participants.size());
    const Wanted wanted = { out, m_multipliers[placeOf(lost)].data() };
    sumProducts(m_field, contributions, { &wanted, 1 });
}

void Decoder::reconstructAll(std::span<const ByteSpan> contributions, std::span<const std::span<std::byte>> outs) const
{
    LHRS_CHECK(contributions.size() == m_participants.size());
    LHRS_CHECK(outs.size() == m_lost.size() && outs.size() <= kMembersMax);
    std::array<Wanted, kMembersMax> wanted; // uninitialized: initializing it would take longer than the computation
    for (std::size_t i = 0; i < outs.size(); ++i)
        wanted[i] = { outs[i], m_multipliers[i].data() };
    sumProducts(m_field, contributions, { wanted.data(), outs.size() });
}

Result<std::vector<Participant>> chooseParticipants(const ErasureCode& code, std::span<const Participant> available)
{
    std::vector<Participant> chosen(available.begin(), available.end());
    std::ranges::sort(chosen); // data positions sort first
    const auto twice = std::ranges::unique(chosen);
    chosen.erase(twice.begin(), twice.end());
    std::erase_if(chosen, [&](Participant participant) { return !isInMatrix(code, participant); });
    if (chosen.size() < code.groupSize())
        return Error { "only " + std::to_string(chosen.size())
            + " members of the group are available and decoding takes " + std::to_string(code.groupSize())
            + ": wait until more of them are back" };
    chosen.resize(code.groupSize());
    return chosen;
}

} // namespace lhrs
