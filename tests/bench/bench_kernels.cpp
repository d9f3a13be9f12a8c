// SPDX-License-Identifier: GPL-3.0-or-later
// The field kernels of this processor compared with gf-complete, logarithm tables and ISA-L: one region, and the
// encoding of four data records. bench.py reads the JSON output; without it Google Benchmark prints a table for people.
// A name is WHAT/FIELD/KERNEL/BYTES. ISA-L has only GF(2^8), so only its gf8 figures count.
#include "common/lhrs/erasure_code.h"
#include "node/transport/packet_tag.h"
#include "common/field/galois.h"

#include <benchmark/benchmark.h>

extern "C" {
#include <isa-l.h>
}

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace lhrs;

namespace {

constexpr std::size_t kSizes[] = { 100, 65'536, 1'048'576 };
constexpr std::uint32_t kM = 4;

// Regions that begin at a cache line and are filled with random bytes.
struct Regions {
    explicit Regions(std::size_t count, std::size_t bytes)
    {
        std::uint64_t noise = 1;
        for (std::size_t i = 0; i < count; ++i) {
            memory.emplace_back(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)), &std::free);
            for (std::size_t at = 0; at < bytes; ++at)
                memory[i].get()[at] = std::byte((noise = noise * 6364136223846793005u + 1442695040888963407u) >> 56);
        }
    }
    std::byte* operator[](std::size_t i) const { return memory[i].get(); }
    std::vector<std::unique_ptr<std::byte, decltype(&std::free)>> memory;
};

void setBytes(benchmark::State& state, std::size_t bytes)
{
    state.SetBytesProcessed(std::int64_t(state.iterations()) * std::int64_t(bytes));
}

// d ^= c * s; the coefficient is prepared outside the measured loop.
void multiplyAdd(benchmark::State& state, FieldWidth width, const FieldOptions& options, std::size_t bytes)
{
    const ErasureCode code(width, kM, options);
    const Multiplier multiplier = code.multiplier(Position(1), ParityColumn(1));
    const Regions regions(2, bytes);
    for (auto _ : state) {
        code.field().multiplyAdd(regions[0], regions[1], bytes, multiplier);
        benchmark::ClobberMemory();
    }
    setBytes(state, bytes);
}

void prepare(benchmark::State& state, FieldWidth width, const FieldOptions& options)
{
    const Field field(width, options);
    Symbol coefficient = 2;
    for (auto _ : state) {
        Multiplier multiplier = field.prepare(coefficient);
        benchmark::DoNotOptimize(multiplier);
        coefficient = coefficient == 200 ? 2 : coefficient + 1;
    }
}

// k parity regions from four data regions, with the matrix of the file; bytes count the data only.
void encode(benchmark::State& state, FieldWidth width, const FieldOptions& options, std::uint32_t k, std::size_t bytes)
{
    const ErasureCode code(width, kM, options);
    const Regions data(kM, bytes), parity(k, bytes);
    std::vector<Multiplier> multipliers;
    for (ParityColumn p; p.value < k; p = p.next()) {
        for (Position q; q.value < kM; q = q.next())
            multipliers.push_back(code.multiplier(q, p));
    }
    std::vector<Combination::Row> rows;
    std::vector<const std::byte*> sources;
    for (std::uint32_t p = 0; p < k; ++p)
        rows.push_back({ parity[p], &multipliers[std::size_t(p) * kM] });
    for (std::uint32_t q = 0; q < kM; ++q)
        sources.push_back(data[q]);
    for (auto _ : state) {
        code.field().combine({ .rows = rows, .sources = sources, .bytes = bytes });
        benchmark::ClobberMemory();
    }
    setBytes(state, kM * bytes);
}

void isalUpdate(benchmark::State& state, std::size_t bytes)
{
    unsigned char coefficient = 0x1a, tables[32];
    ec_init_tables(1, 1, &coefficient, tables);
    const Regions regions(2, bytes);
    auto* destination = reinterpret_cast<unsigned char*>(regions[0]);
    auto* source = reinterpret_cast<unsigned char*>(regions[1]);
    for (auto _ : state) {
        ec_encode_data_update(int(bytes), 1, 1, 0, tables, source, &destination);
        benchmark::ClobberMemory();
    }
    setBytes(state, bytes);
}

void isalEncode(benchmark::State& state, std::uint32_t k, std::size_t bytes)
{
    std::vector<unsigned char> matrix((kM + k) * kM), tables(32 * kM * k);
    gf_gen_cauchy1_matrix(matrix.data(), int(kM + k), int(kM));
    ec_init_tables(int(kM), int(k), matrix.data() + kM * kM, tables.data());
    const Regions data(kM, bytes), parity(k, bytes);
    std::vector<unsigned char*> from, to;
    for (std::uint32_t q = 0; q < kM; ++q)
        from.push_back(reinterpret_cast<unsigned char*>(data[q]));
    for (std::uint32_t p = 0; p < k; ++p)
        to.push_back(reinterpret_cast<unsigned char*>(parity[p]));
    for (auto _ : state) {
        ec_encode_data(int(bytes), int(kM), int(k), tables.data(), from.data(), to.data());
        benchmark::ClobberMemory();
    }
    setBytes(state, kM * bytes);
}

// The tag of a packet: with a key, and without one, where it finds damage only.
void tag(benchmark::State& state, bool hasKey, std::size_t bytes)
{
    const std::string packet(bytes, 'p');
    KeyBytes key {};
    for (auto _ : state)
        benchmark::DoNotOptimize(tagOf(hasKey ? &key : nullptr, packet));
    setBytes(state, bytes);
}

void registerAll()
{
    for (const std::size_t bytes : { 200, 1'400, 16'000, 1 << 20 })
        for (const bool hasKey : { true, false })
            benchmark::RegisterBenchmark(
                ((hasKey ? "tag/key/" : "tag/none/") + std::to_string(bytes)).c_str(), tag, hasKey, bytes);
    for (const char* word :
        { "simd:gfni-avx512", "simd:gfni-avx2", "simd:avx2", "simd:ssse3", "simd:portable", "gf-complete", "log" }) {
        const auto options = fieldOptionsNamed(word);
        if (!options)
            continue; // this processor lacks the kernel, so there is no figure
        for (const FieldWidth width : { FieldWidth::Gf16, FieldWidth::Gf8 }) {
            const std::string who = (width == FieldWidth::Gf16 ? "/gf16/" : "/gf8/") + std::string(word);
            benchmark::RegisterBenchmark(("prepare" + who).c_str(), prepare, width, *options);
            for (const std::size_t bytes : kSizes) {
                const std::string size = "/" + std::to_string(bytes);
                benchmark::RegisterBenchmark(
                    ("multiply_add" + who + size).c_str(), multiplyAdd, width, *options, bytes);
                for (std::uint32_t k = 1; k <= 3; ++k)
                    benchmark::RegisterBenchmark(
                        ("encode_k" + std::to_string(k) + who + size).c_str(), encode, width, *options, k, bytes);
            }
        }
    }
    for (const std::size_t bytes : kSizes) {
        const std::string size = "/" + std::to_string(bytes);
        benchmark::RegisterBenchmark(("multiply_add/gf8/isa-l" + size).c_str(), isalUpdate, bytes);
        for (std::uint32_t k = 1; k <= 3; ++k)
            benchmark::RegisterBenchmark(
                ("encode_k" + std::to_string(k) + "/gf8/isa-l" + size).c_str(), isalEncode, k, bytes);
    }
}

} // namespace

int main(int argc, char** argv)
{
    registerAll();
    benchmark::AddCustomContext("best", nameOf(FieldOptions { .backend = Backend::Simd }));
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
