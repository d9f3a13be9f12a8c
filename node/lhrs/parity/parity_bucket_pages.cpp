// SPDX-License-Identifier: GPL-3.0-or-later
// What a parity bucket shows of itself: its snapshot, pages of its contents, digests for the parity check, and its
// columns.
#include "node/lhrs/parity/parity_bucket.h"

#include "node/lhrs/store/digest.h"
#include "node/lhrs/store/page_walk.h"

namespace lhrs {

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

void ParityBucket::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    out.set_epoch(m_view.epoch());
    for (std::size_t q = 0; q < m_positions.size(); ++q) {
        const PositionState& position = m_positions[q];
        if (position.incarnation.value == 0)
            continue;
        auto& shown = *out.add_columns();
        shown.set_role(pb::DATA);
        shown.set_index(std::uint32_t(q));
        shown.set_sequence(position.applied);
        shown.set_waiting(std::uint32_t(position.held.size()));
        shown.set_is_up(!position.hasFailed);
    }
}

} // namespace lhrs
