// SPDX-License-Identifier: GPL-3.0-or-later
// What buckets show of themselves: snapshots, pages of their contents, digests for the parity check of a group.
#include "node/core/data_bucket.h"
#include "node/core/digest.h"
#include "node/core/parity_bucket.h"

#include <algorithm>

namespace lhrs {

namespace {

// A page is bounded by records and by bytes, whichever comes first.
constexpr std::uint32_t kPageRecords = 4096;
constexpr std::size_t kPageBytes = 1024 * 1024;

std::uint32_t pageCount(std::uint32_t wanted)
{
    return wanted == 0 ? 256 : std::min(wanted, kPageRecords);
}

Field fieldOf(const pb::FileConfig& config)
{
    return Field(config.field() == pb::GF_8 ? FieldWidth::Gf8 : FieldWidth::Gf16);
}

// Calls `each(rank)` for the used ranks of a page and returns the first rank after it, 0 at the end.
template <class Store, class Each>
std::uint32_t walkPage(const Store& store, std::uint32_t from, std::uint32_t count, Each each)
{
    std::size_t bytes = 0;
    std::uint32_t found = 0;
    for (Rank r(std::max(from, 1u)); r <= store.rankMax(); r = r.next()) {
        if (!store.has(r))
            continue;
        if (found == count || bytes > kPageBytes)
            return r.value;
        bytes += each(r);
        ++found;
    }
    return 0;
}

} // namespace

void DataBucket::snapshot(pb::Snapshot& out) const
{
    *out.mutable_view() = m_view;
    out.set_incarnation(incarnation().value);
    auto* data = out.mutable_data();
    data->set_bucket(number().value);
    data->set_level(m_level);
    data->set_state(m_state);
    data->set_sequence(m_link.sequence());
    data->set_count(m_store.count());
    data->set_rank_max(m_store.rankMax().value);
    data->set_b(m_config.b());
    for (Rank r(1); r <= m_store.rankMax(); r = r.next()) {
        if (!m_store.has(r))
            continue;
        data->add_ranks(r.value);
        data->add_keys(m_store.at(r).key.value);
    }
}

void DataBucket::readContents(const pb::ReadContents& page, pb::ContentsPage& out) const
{
    out.mutable_place()->set_role(pb::DATA);
    out.mutable_place()->set_number(number().value);
    out.set_rank_max(m_store.rankMax().value);
    out.set_sequence(m_link.sequence());
    out.set_next_rank(walkPage(m_store, page.rank_from(), pageCount(page.count()), [&](Rank r) {
        const RecordStore::Record record = m_store.at(r);
        auto* row = out.add_data();
        row->set_rank(r.value);
        row->set_key(record.key.value);
        row->set_length(std::uint32_t(record.value.size()));
        row->set_version(record.version);
        if (!page.without_bytes())
            row->set_value(std::string(record.value));
        return 32 + row->value().size();
    }));
}

void DataBucket::audit(const pb::Audit& page, pb::AuditPage& out) const
{
    const Field field = fieldOf(m_config);
    out.mutable_place()->set_role(pb::DATA);
    out.mutable_place()->set_number(number().value);
    out.set_sequence(m_link.sequence());
    out.set_held(held() + m_link.pending());
    out.set_level(m_level);
    out.set_count(m_store.count());
    out.set_next_rank(walkPage(m_store, page.rank_from(), pageCount(page.count()), [&](Rank r) {
        const RecordStore::Record record = m_store.at(r);
        auto* row = out.add_ranks();
        row->set_rank(r.value);
        row->set_digest(linearDigest(field, record.value));
        row->add_keys(record.key.value);
        row->add_positions(m_parts.position.value);
        row->add_lengths(std::uint32_t(record.value.size()));
        return std::size_t(48);
    }));
}

void ParityBucket::snapshot(pb::Snapshot& out) const
{
    *out.mutable_view() = m_view;
    out.set_incarnation(m_incarnation.value);
    auto* parity = out.mutable_parity();
    parity->set_group(m_group.value);
    parity->set_column(m_column.value);
    parity->set_state(m_state);
    for (const PositionState& position : m_positions) {
        parity->add_applied(position.applied);
        parity->add_held(std::uint32_t(position.held.size()));
    }
    for (Rank r(1); r <= m_store.rankMax(); r = r.next()) {
        if (!m_store.has(r))
            continue;
        parity->add_ranks(r.value);
        parity->add_members(m_store.memberCount(r));
    }
}

void ParityBucket::readContents(const pb::ReadContents& page, pb::ContentsPage& out) const
{
    out.mutable_place()->set_role(pb::PARITY);
    out.mutable_place()->set_number(m_group.value);
    out.mutable_place()->set_column(m_column.value);
    out.set_rank_max(m_store.rankMax().value);
    for (const PositionState& position : m_positions)
        out.add_applied(position.applied);
    out.set_next_rank(walkPage(m_store, page.rank_from(), pageCount(page.count()), [&](Rank r) {
        auto* row = out.add_parity();
        row->set_rank(r.value);
        const auto members = m_store.members(r);
        for (std::uint32_t q = 0; q < members.size(); ++q) {
            if (!members[q].isPresent)
                continue;
            auto* member = row->add_members();
            member->set_position(q);
            member->set_key(members[q].key.value);
            member->set_length(members[q].length);
            member->set_version(members[q].version);
        }
        const ByteSpan parity = m_store.parity(r);
        if (!page.without_bytes())
            row->set_parity(std::string(reinterpret_cast<const char*>(parity.data()), parity.size()));
        return 32 * std::size_t(row->members_size() + 1) + row->parity().size();
    }));
}

void ParityBucket::audit(const pb::Audit& page, pb::AuditPage& out) const
{
    const Field field = fieldOf(m_config);
    out.mutable_place()->set_role(pb::PARITY);
    out.mutable_place()->set_number(m_group.value);
    out.mutable_place()->set_column(m_column.value);
    for (const PositionState& position : m_positions)
        out.add_applied(position.applied);
    out.set_held(held());
    out.set_count(m_store.recordGroups());
    out.set_next_rank(walkPage(m_store, page.rank_from(), pageCount(page.count()), [&](Rank r) {
        auto* row = out.add_ranks();
        row->set_rank(r.value);
        const ByteSpan parity = m_store.parity(r);
        row->set_digest(linearDigest(field, { reinterpret_cast<const char*>(parity.data()), parity.size() }));
        const auto members = m_store.members(r);
        for (std::uint32_t q = 0; q < members.size(); ++q) {
            if (!members[q].isPresent)
                continue;
            row->add_keys(members[q].key.value);
            row->add_positions(q);
            row->add_lengths(members[q].length);
        }
        return std::size_t(48) * row->keys_size();
    }));
}

} // namespace lhrs
