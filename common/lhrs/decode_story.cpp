// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/lhrs/decode_story.h"

#include <algorithm>
#include <limits>
#include <string>

namespace lhrs {

namespace {

std::string nameOf(Participant participant)
{
    return (participant.kind == Participant::Kind::Data ? "data position " : "parity column ")
        + std::to_string(participant.index);
}

// Why these members cannot be decoded; empty: they can be.
std::string whatIsWrong(
    const ErasureCode& code, std::uint32_t k, std::span<const Participant> survivors, std::span<const Participant> lost)
{
    if (survivors.size() > code.groupSize())
        return "a group of " + std::to_string(code.groupSize()) + " is decoded from as many members, not from "
            + std::to_string(survivors.size());
    std::vector<Participant> all(survivors.begin(), survivors.end());
    all.insert(all.end(), lost.begin(), lost.end());
    std::ranges::sort(all);
    if (const auto twice = std::ranges::adjacent_find(all); twice != all.end())
        return nameOf(*twice) + " is named twice: a member is lost or survives, once";
    for (const Participant participant : all) {
        if (participant.index >= (participant.kind == Participant::Kind::Data ? code.groupSize() : k))
            return nameOf(participant) + " is not in a group of " + std::to_string(code.groupSize()) + " with "
                + std::to_string(k) + " parity columns";
    }
    return {};
}

} // namespace

Symbol symbolAt(const Field& field, ByteSpan bytes, std::size_t index)
{
    Symbol symbol = 0;
    for (std::size_t i = 0; i < field.symbolBytes(); ++i) {
        const std::size_t at = index * field.symbolBytes() + i;
        symbol |= at < bytes.size() ? std::to_integer<Symbol>(bytes[at]) << (8 * i) : 0; // low byte first
    }
    return symbol;
}

std::size_t symbolsOf(const Field& field, std::size_t bytes) { return field.paddedLength(bytes) / field.symbolBytes(); }

Term termOf(const Field& field, Symbol coefficient, Symbol symbol, Symbol before)
{
    Term term;
    term.coefficient = coefficient;
    term.symbol = symbol;
    term.isZero = coefficient == 0 || symbol == 0;
    term.isCopy = coefficient == 1;
    if (!term.isZero) {
        term.logCoefficient = field.log(coefficient);
        term.logSymbol = field.log(symbol);
        term.logSum = (term.logCoefficient + term.logSymbol) % field.symbolMax();
        term.product = field.alog(term.logSum);
    }
    term.sum = before ^ term.product;
    return term;
}

DecodeStory::Stage DecodeStory::stageAfter(std::size_t steps) const
{
    Stage stage { elimination.h, SymbolMatrix::identity(elimination.h.rows) };
    for (std::size_t i = 0; i < std::min(steps, elimination.steps.size()); ++i) {
        applyStep(code.field(), elimination.steps[i], stage.left);
        applyStep(code.field(), elimination.steps[i], stage.right);
    }
    return stage;
}

std::vector<Term> DecodeStory::terms(
    const LostMember& member, std::span<const ByteSpan> contributions, std::size_t index) const
{
    LHRS_CHECK(contributions.size() == member.coefficients.size());
    std::vector<Term> terms;
    Symbol sum = 0;
    for (std::size_t t = 0; t < contributions.size(); ++t) {
        terms.push_back(
            termOf(code.field(), member.coefficients[t], symbolAt(code.field(), contributions[t], index), sum));
        sum = terms.back().sum;
    }
    return terms;
}

std::vector<std::byte> DecodeStory::bytes(
    const LostMember& member, std::span<const ByteSpan> contributions, std::size_t length) const
{
    LHRS_CHECK(isSolvable() && contributions.size() == member.coefficients.size());
    const Field& field = code.field();
    std::vector<std::byte> out(field.paddedLength(length));
    if (member.member.kind == Participant::Kind::Data) {
        const Position lostPosition(member.member.index);
        const auto decoder = Decoder::create(code, survivors, std::span(&lostPosition, 1));
        LHRS_CHECK(decoder);
        decoder->reconstruct(lostPosition, contributions, out);
    } else {
        // A lost parity field is a linear combination of the data records, so it is one of the survivors too.
        std::vector<std::byte> padded(out.size());
        for (std::size_t t = 0; t < contributions.size(); ++t) {
            std::ranges::fill(padded, std::byte {});
            std::ranges::copy(contributions[t].first(std::min(contributions[t].size(), padded.size())), padded.begin());
            field.multiplyAdd(out.data(), padded.data(), padded.size(), member.coefficients[t]);
        }
    }
    out.resize(length);
    return out;
}

Result<DecodeStory> tellDecoding(
    const ErasureCode& code, std::uint32_t k, std::span<const Participant> survivors, std::span<const Participant> lost)
{
    std::string wrong = whatIsWrong(code, k, survivors, lost);
    if (!wrong.empty())
        return Error { std::move(wrong) };
    const std::uint32_t m = code.groupSize();
    const Field& field = code.field();
    DecodeStory story(code, k);
    story.survivors.assign(survivors.begin(), survivors.end());
    story.whole = SymbolMatrix(m, m + k);
    for (Position q; q.value < m; q = q.next()) {
        story.whole.at(q.value, q.value) = 1;
        for (ParityColumn p; p.value < k; p = p.next())
            story.whole.at(q.value, m + p.value) = code.coefficient(q, p);
    }
    story.elimination = eliminate(field, code.columnsOf(survivors));
    for (const Participant participant : lost) {
        LostMember& member = story.lost.emplace_back();
        member.member = participant;
        if (!story.isSolvable())
            continue;
        // a * column, with a = b * Hinv; for a data position this is a column of Hinv itself.
        const std::uint32_t column = participant.kind == Participant::Kind::Data ? participant.index
                                                                                 : m + participant.index;
        for (std::uint32_t t = 0; t < m; ++t) {
            Symbol coefficient = 0;
            for (std::uint32_t q = 0; q < m; ++q)
                coefficient ^= field.multiply(story.elimination.inverse.at(t, q), story.whole.at(q, column));
            member.coefficients.push_back(coefficient);
        }
        member.isXorOnly = std::ranges::all_of(
            member.coefficients, [](Symbol coefficient) { return coefficient <= 1; });
    }
    return story;
}

std::uint32_t choicesOf(std::size_t available, std::uint32_t m)
{
    if (available < m)
        return 0;
    std::uint64_t choices = 1;
    for (std::uint64_t i = 1; i <= m; ++i) {
        choices = choices * (available - m + i) / i; // always an integer: a binomial coefficient at each step
        if (choices > std::numeric_limits<std::uint32_t>::max())
            return std::numeric_limits<std::uint32_t>::max();
    }
    return std::uint32_t(choices);
}

std::vector<Participant> choiceAt(std::span<const Participant> available, std::uint32_t m, std::uint32_t number)
{
    LHRS_CHECK(available.size() >= m);
    std::vector<Participant> chosen;
    for (std::size_t at = 0; at < available.size() && chosen.size() < m; ++at) {
        const std::uint32_t missing = m - std::uint32_t(chosen.size());
        const std::size_t after = available.size() - at - 1;
        const std::uint32_t with = choicesOf(after, missing - 1); // number of choices that include this member
        if (after < missing || number < with)
            chosen.push_back(available[at]);
        else
            number -= with;
    }
    return chosen;
}

std::uint32_t numberOfChoice(std::span<const Participant> available, std::span<const Participant> chosen)
{
    std::uint32_t number = 0, taken = 0;
    const auto m = std::uint32_t(chosen.size());
    for (std::size_t at = 0; at < available.size() && taken < m; ++at) {
        if (std::ranges::find(chosen, available[at]) != chosen.end())
            ++taken;
        else
            number += choicesOf(available.size() - at - 1, m - taken - 1);
    }
    return number;
}

} // namespace lhrs
