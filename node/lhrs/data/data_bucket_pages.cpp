// SPDX-License-Identifier: GPL-3.0-or-later
// What a data bucket shows of itself: its snapshot, pages of its contents, digests for the parity check, its report to
// a restarted coordinator, and what it waits for.
#include "node/lhrs/data/data_bucket.h"

#include "node/lhrs/store/digest.h"
#include "node/lhrs/store/page_walk.h"
#include "node/machine/awaited_sample.h"

#include <algorithm>

namespace lhrs {

void DataBucket::snapshot(pb::Snapshot& out) const
{
    *out.mutable_view() = m_status.view;
    out.set_incarnation(incarnation().value);
    auto* data = out.mutable_data();
    data->set_bucket(number().value);
    data->set_level(m_status.level);
    data->set_state(m_status.state);
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
    out.set_level(m_status.level);
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

void DataBucket::report(pb::StateReport& out) const
{
    out.set_role(pb::DATA);
    out.set_number(number().value);
    out.set_incarnation(incarnation().value);
    out.set_state(state());
    out.set_level(level());
    *out.mutable_view() = view();
    *out.mutable_config() = m_config;
    for (const auto& [p, column] : m_link.columns()) {
        if (column.isUp && !column.isWhole())
            out.add_lacking(column.holder.incarnation.value);
    }
    m_reconfigurations.report(out);
}

void DataBucket::inspect(Time now, pb::NodeSample& out) const
{
    out.set_epoch(m_status.view.epoch());
    // Everything that a column has not acknowledged is resent together, so a single line is shown, for the oldest.
    for (const auto& [column, known] : m_link.columns()) {
        auto& shown = *out.add_columns();
        shown.set_role(pb::PARITY);
        shown.set_index(column.value);
        shown.set_sequence(known.acknowledged);
        shown.set_waiting(std::uint32_t(m_link.sequence() - std::min(m_link.sequence(), known.acknowledged)));
        shown.set_tries(known.tries);
        shown.set_is_up(known.isUp);
        if (const auto* change = m_link.pendingChange(known.acknowledged + 1); change && known.due != Time::max())
            add({ change->sequence, "delta", known.holder.node, known.holder.address, change->sent, known.due,
                    known.tries, 0 },
                out);
    }
    if (const LeaseHolder& lease = m_leases.own(); m_leases.areWanted() && lease.needed() > 0) {
        out.set_grants_needed(lease.needed());
        out.set_grants_held(lease.held(now));
        out.set_lease_left_ns(std::max(Time(), lease.heldUntil() - now).count());
    }
    const std::uint32_t last = m_store.rankMax().value;
    out.set_rank_free(last - std::min(last, m_store.count()));
}

} // namespace lhrs
