// SPDX-License-Identifier: GPL-3.0-or-later
// Field kernels and the code on top of them: any matrix, erasures, odd lengths and addresses, compared with bit-by-bit
// arithmetic.
#include "common/check/lhrs/bitwise_field.h"
#include "common/lhrs/erasure_code.h"
#include "tests/fuzz/targets.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace lhrs::fuzz {

namespace {

constexpr char kGuard = '\x5a'; // around each region that is written
constexpr std::size_t kGuardBytes = 40;

struct Drawn {
    explicit Drawn(std::string_view input) : rest(input) { }
    std::size_t below(std::size_t bound)
    {
        if (rest.empty())
            return 0;
        const std::size_t drawn = std::uint8_t(rest.front()) % bound;
        rest.remove_prefix(1);
        return drawn;
    }
    std::string_view rest;
};

// Some bytes at an address with this remainder modulo 16, with guards on both sides.
class Region {
public:
    Region(std::size_t size, std::size_t offset) : m_bytes(size + 2 * kGuardBytes + 16, kGuard), m_size(size)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(m_bytes.data()) + kGuardBytes;
        m_begin = kGuardBytes + (16 + offset - address % 16) % 16;
        std::memset(m_bytes.data() + m_begin, 0, size);
    }
    Region(const std::string& value, std::size_t offset) : Region(value.size(), offset)
    {
        value.copy(m_bytes.data() + m_begin, value.size());
    }
    std::span<std::byte> bytes() { return { reinterpret_cast<std::byte*>(m_bytes.data() + m_begin), m_size }; }
    std::string text() const { return m_bytes.substr(m_begin, m_size); }
    bool isGuarded() const
    {
        const auto isGuard = [](char c) { return c == kGuard; };
        return std::all_of(m_bytes.begin(), m_bytes.begin() + std::ptrdiff_t(m_begin), isGuard)
            && std::all_of(m_bytes.begin() + std::ptrdiff_t(m_begin + m_size), m_bytes.end(), isGuard);
    }

private:
    std::string m_bytes;
    std::size_t m_begin = 0;
    const std::size_t m_size;
};

std::string noise(Generator& draws, std::size_t size)
{
    std::string bytes(size, '\0');
    for (char& byte : bytes)
        byte = char(draws.next());
    return bytes;
}

// destination ^= coefficient * source, symbol by symbol.
std::string product(check::FieldKind kind, std::string destination, const std::string& source, Symbol coefficient)
{
    const std::size_t width = kind == check::FieldKind::Gf8 ? 1 : 2;
    const auto byte = [](const std::string& text, std::size_t at) { return std::uint32_t(std::uint8_t(text[at])); };
    for (std::size_t x = 0; x < source.size(); x += width) {
        const std::uint32_t symbol = byte(source, x) | (width == 2 ? byte(source, x + 1) << 8 : 0);
        const std::uint32_t value = check::multiply(kind, symbol, coefficient);
        for (std::size_t at = 0; at < width; ++at)
            destination[x + at] = char(std::uint8_t(destination[x + at]) ^ std::uint8_t(value >> (8 * at)));
    }
    return destination;
}

void checkRegions(const Field& field, check::FieldKind kind, Drawn& drawn, Generator& draws)
{
    const std::size_t size = field.paddedLength(drawn.below(256) * (1 + drawn.below(40)));
    const Symbol coefficient = Symbol(drawn.below(4) == 0 ? drawn.below(3) : draws.next() & field.symbolMax());
    const std::string source = noise(draws, size), before = noise(draws, size);
    Region from(source, drawn.below(16)), to(before, drawn.below(16));
    field.multiplyAdd(to.bytes().data(), from.bytes().data(), size, coefficient);
    LHRS_CHECK(to.isGuarded() && from.isGuarded());
    LHRS_CHECK(from.text() == source);
    LHRS_CHECK(to.text() == product(kind, before, source, coefficient));
}

// Several regions out of several at once: every kernel of this processor must give the bytes that gf-complete gives one
// by one.
void checkKernels(FieldWidth width, Drawn& drawn, Generator& draws)
{
    const Field reference(width, { .backend = Backend::GfComplete });
    const std::size_t rowCount = 1 + drawn.below(6), sourceCount = 1 + drawn.below(6);
    const std::size_t size = reference.paddedLength(drawn.below(256) * (1 + drawn.below(8)));
    const bool isAdded = drawn.below(2) == 1;
    std::vector<std::string> sources, befores;
    for (std::size_t j = 0; j < sourceCount; ++j)
        sources.push_back(noise(draws, size));
    for (std::size_t i = 0; i < rowCount; ++i)
        befores.push_back(noise(draws, size));
    std::vector<Symbol> coefficients;
    for (std::size_t i = 0; i < rowCount * sourceCount; ++i)
        coefficients.push_back(Symbol(drawn.below(3) == 0 ? drawn.below(3) : draws.next() & reference.symbolMax()));
    const auto combined = [&](const Field& field) {
        std::vector<Multiplier> multipliers;
        for (const Symbol coefficient : coefficients)
            multipliers.push_back(field.prepare(coefficient));
        std::vector<Region> from, to;
        for (const std::string& source : sources)
            from.emplace_back(source, draws.next() % 16);
        for (const std::string& before : befores)
            to.emplace_back(before, draws.next() % 16);
        std::vector<const std::byte*> starts;
        for (Region& region : from)
            starts.push_back(region.bytes().data());
        std::vector<Combination::Row> rows;
        for (std::size_t i = 0; i < rowCount; ++i)
            rows.push_back({ to[i].bytes().data(), &multipliers[i * sourceCount] });
        field.combine({ .rows = rows, .sources = starts, .bytes = size, .isAdded = isAdded });
        std::vector<std::string> results;
        for (const Region& region : to) {
            LHRS_CHECK(region.isGuarded());
            results.push_back(region.text());
        }
        return results;
    };
    const std::vector<std::string> expected = combined(reference);
    for (const Kernel kernel :
        { Kernel::Portable, Kernel::Ssse3, Kernel::Avx2, Kernel::GfniAvx2, Kernel::GfniAvx512 }) {
        if (isSupported(kernel))
            LHRS_CHECK(combined(Field(width, { .backend = Backend::Simd, .kernel = kernel })) == expected);
    }
}

void checkMatrix(const Field& field, check::FieldKind kind, Drawn& drawn, Generator& draws)
{
    const auto size = std::uint32_t(1 + drawn.below(7));
    SymbolMatrix h(size, size);
    for (Symbol& symbol : h.symbols)
        symbol = Symbol(drawn.below(3) == 0 ? drawn.below(3) : draws.next() & field.symbolMax());
    const Elimination made = eliminate(field, h);
    SymbolMatrix again = h;
    for (const GaussStep& step : made.steps)
        applyStep(field, step, again);
    if (made.isSingular) {
        LHRS_CHECK(made.columnStopped < size);
        return;
    }
    LHRS_CHECK(again == SymbolMatrix::identity(size));
    for (std::uint32_t r = 0; r < size; ++r) {
        for (std::uint32_t c = 0; c < size; ++c) {
            Symbol sum = 0;
            for (std::uint32_t i = 0; i < size; ++i)
                sum ^= check::multiply(kind, made.inverse.at(r, i), h.at(i, c));
            LHRS_CHECK(sum == (r == c ? 1u : 0u));
        }
    }
}

// A record group: encoded by single changes; some members are erased and decoded from the others.
void checkGroup(FieldWidth width, const FieldOptions& options, check::FieldKind kind, Drawn& drawn, Generator& draws)
{
    const auto m = std::uint32_t(1 + drawn.below(drawn.below(4) == 0 ? 32 : 6));
    const auto k = std::uint32_t(1 + drawn.below(4));
    const ErasureCode code(width, m, options);
    std::vector<std::string> values;
    std::size_t longest = 0;
    for (std::uint32_t q = 0; q < m; ++q) {
        values.push_back(noise(draws, drawn.below(3) == 0 ? 0 : drawn.below(256)));
        longest = std::max(longest, code.field().paddedLength(values.back().size()));
    }
    std::vector<std::string> parities;
    for (std::uint32_t p = 0; p < k; ++p) {
        Region parity(longest, drawn.below(16));
        std::string expected;
        for (std::uint32_t q = 0; q < m; ++q) {
            Region delta(values[q], drawn.below(16));
            code.addDelta(ParityColumn(p), Position(q), delta.bytes(), parity.bytes());
            LHRS_CHECK(parity.isGuarded() && delta.isGuarded());
            check::addMember(kind, q, p, values[q], expected);
        }
        LHRS_CHECK(check::equalPadded(parity.text(), expected));
        parities.push_back(parity.text());
    }
    std::vector<Position> lost;
    std::vector<Participant> available;
    for (std::uint32_t q = 0; q < m; ++q) {
        if (lost.size() < k && drawn.below(2) == 0)
            lost.emplace_back(q);
        else
            available.push_back(Participant::data(Position(q)));
    }
    std::vector<std::uint32_t> columns;
    for (std::uint32_t p = 0; p < k; ++p)
        columns.push_back(p);
    while (columns.size() > lost.size() && drawn.below(2) == 0) // parity may be erased as well
        columns.erase(columns.begin() + std::ptrdiff_t(drawn.below(columns.size())));
    for (const std::uint32_t p : columns)
        available.push_back(Participant::parity(ParityColumn(p)));
    const auto participants = chooseParticipants(code, available);
    LHRS_CHECK(participants);
    const auto decoder = Decoder::create(code, *participants, lost);
    LHRS_CHECK(decoder);
    std::vector<Region> regions;
    std::vector<ByteSpan> contributions;
    for (const Participant& member : *participants)
        regions.emplace_back(
            member.kind == Participant::Kind::Data ? values[member.index] : parities[member.index], drawn.below(16));
    for (Region& region : regions)
        contributions.emplace_back(region.bytes());
    for (const Position q : lost) {
        Region out(values[q.value].size(), drawn.below(16));
        decoder->reconstruct(q, contributions, out.bytes());
        LHRS_CHECK(out.isGuarded());
        LHRS_CHECK(out.text() == values[q.value]);
    }
}

// The input's bytes decide shapes; a generator that they seed supplies the rest.
void runKernels(std::string_view input)
{
    std::uint64_t seed = input.size();
    for (const char byte : input)
        seed = splitMix(seed ^ std::uint8_t(byte));
    Generator draws(seed, DrawnFor::Workload);
    Drawn drawn(input);
    const std::size_t kinds = drawn.below(256);
    const FieldWidth width = kinds & 1 ? FieldWidth::Gf8 : FieldWidth::Gf16;
    const check::FieldKind kind = kinds & 1 ? check::FieldKind::Gf8 : check::FieldKind::Gf16;
    FieldOptions options;
    options.backend = kinds & 2 ? Backend::Log : Backend::GfComplete;
    if (kinds >> 4) { // a kernel that the processor lacks is replaced by its best one
        options.backend = Backend::Simd;
        options.kernel = std::array { Kernel::Portable, Kernel::Ssse3, Kernel::Avx2, Kernel::GfniAvx2,
            Kernel::GfniAvx512 }[(kinds >> 4) % 5];
    }
    options.logPrecalculus = !(kinds & 4) || options.backend != Backend::Log;
    options.rowOfOnes = !(kinds & 8) || options.backend == Backend::GfComplete;
    const Field field(width, options);
    checkRegions(field, kind, drawn, draws);
    checkKernels(width, drawn, draws);
    checkMatrix(field, kind, drawn, draws);
    checkGroup(width, options, kind, drawn, draws);
}

std::vector<std::string> kernelSeeds()
{
    std::vector<std::string> seeds { "" };
    Generator draws(2, DrawnFor::Workload);
    for (int kinds = 0; kinds < 256; kinds += kinds < 16 ? 1 : 5)
        seeds.push_back(std::string(1, char(kinds)) + noise(draws, 20 + draws.below(60)));
    return seeds;
}

} // namespace

Target kernelsTarget()
{
    return { "kernels", "any matrix, erasures, odd lengths and addresses, against arithmetic bit by bit", &runKernels,
        &kernelSeeds, &mutateBytes, 1'500 };
}

} // namespace lhrs::fuzz
