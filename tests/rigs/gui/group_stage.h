// SPDX-License-Identifier: GPL-3.0-or-later
// Record groups of any shape, with bytes that the code computed, for tests of the decoder's pictures.
#pragma once

#include "gui/lab/words/lhrs/decoding.h"

#include <random>

namespace lhrs::gui {

inline Participant dataMember(std::uint32_t q) { return Participant::data(Position(q)); }
inline Participant parityMember(std::uint32_t p) { return Participant::parity(ParityColumn(p)); }

// Group 0 at one rank, all members read: data records of different lengths, parity as the code encodes them.
inline RecordGroup groupOf(std::uint32_t m, std::uint32_t k, FieldWidth width = FieldWidth::Gf16,
    std::uint32_t buckets = 1'000, std::uint32_t rank = 17)
{
    RecordGroup group;
    group.rank = rank;
    group.m = m;
    group.k = k;
    group.field = width;
    std::mt19937 random(4'711);
    std::vector<std::string> bytes(m);
    std::vector<MemberRecord::Listed> listed;
    for (std::uint32_t q = 0; q < m; ++q) {
        GroupMember member;
        member.member = dataMember(q);
        member.place.set_role(pb::DATA);
        member.place.set_number(q);
        member.process = 1'000 + q;
        if (q >= buckets) {
            member.standing = GroupMember::Standing::Dummy;
        } else {
            bytes[q].resize(20 + q % 3);
            for (char& byte : bytes[q])
                byte = char(random());
            member.isRead = true;
            member.record = { true, 100 + q, 7 + q, bytes[q], {} };
            listed.push_back({ q, std::uint32_t(bytes[q].size()), 100 + q, 7 + q });
        }
        group.members.push_back(member);
    }
    const ErasureCode code(width, m);
    std::vector<ByteSpan> spans;
    for (const std::string& b : bytes)
        spans.emplace_back(reinterpret_cast<const std::byte*>(b.data()), b.size());
    for (std::uint32_t p = 0; p < k; ++p) {
        GroupMember member;
        member.member = parityMember(p);
        member.place.set_role(pb::PARITY);
        member.place.set_column(p);
        member.process = 2'000 + p;
        member.isRead = true;
        member.record.isPresent = true;
        const std::vector<std::byte> parity = code.encode(ParityColumn(p), spans);
        member.record.bytes.assign(reinterpret_cast<const char*>(parity.data()), parity.size());
        member.record.members = listed;
        group.members.push_back(member);
    }
    return group;
}

// The member's process is gone; what it held is kept as a witness, or not at all.
inline void lose(RecordGroup& group, Participant lost, bool hasWitness)
{
    GroupMember& member = *group.find(lost);
    member.standing = GroupMember::Standing::Down;
    member.words = "failed";
    if (hasWitness)
        member.witness = WitnessBook::Entry { member.record, true, 1 };
    member.isRead = false;
    member.record = {};
}

// What the member reports for the rank.
inline pb::ContentsPage pageOf(const GroupMember& member, std::uint32_t rank)
{
    pb::ContentsPage page;
    *page.mutable_place() = member.place;
    if (member.member.kind == Participant::Kind::Data) {
        auto* record = page.add_data();
        record->set_rank(rank);
        record->set_key(member.record.key);
        record->set_length(std::uint32_t(member.record.bytes.size()));
        record->set_version(member.record.version);
        record->set_value(member.record.bytes);
        return page;
    }
    auto* record = page.add_parity();
    record->set_rank(rank);
    record->set_parity(member.record.bytes);
    for (const auto& listed : member.record.members) {
        auto* row = record->add_members();
        row->set_position(listed.position);
        row->set_key(listed.key);
        row->set_length(listed.length);
        row->set_version(listed.version);
    }
    return page;
}

// The events of a recovery manager that decodes `lost` members from others.
inline std::shared_ptr<pb::DecoderChosen> toldOf(
    const RecordGroup& group, const std::vector<Participant>& survivors, const std::vector<Participant>& lost)
{
    auto told = std::make_shared<pb::DecoderChosen>();
    told->set_field(group.field == FieldWidth::Gf8 ? pb::GF_8 : pb::GF_16);
    const auto story = tellDecoding(ErasureCode(group.field, group.m), group.k, survivors, lost);
    for (const Participant survivor : survivors) {
        auto* participant = told->add_participants();
        participant->set_role(survivor.kind == Participant::Kind::Data ? pb::DATA : pb::PARITY);
        participant->set_index(survivor.index);
    }
    for (const LostMember& member : story->lost) {
        auto* row = told->add_lost();
        row->set_position(member.member.index);
        for (const Symbol coefficient : member.coefficients)
            row->add_coefficients(coefficient);
    }
    return told;
}

} // namespace lhrs::gui
